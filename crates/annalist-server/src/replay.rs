//! Captured pages as they were, on an origin of their own: what they hold can reach neither the cockpit nor the live web.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use annalist_model::Canonicaliser;
use annalist_replay::{Answer, Asked, Body as Shown, Listed, Method as Manner, Replay, Stream};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_stream::wrappers::ReceiverStream;

use crate::problem::Problem;
use crate::rest::blocking;
use crate::service::Service;
use crate::views::{self, Views};

/// Pieces of a body on their way to a slow reader.
const PIECES: usize = 16;
/// Captures that are looked for at once: finding out how long one is may mean to unpack all of it.
const MOST_SOUGHT: usize = 8;
/// Bodies that are read at once, each on a thread of its own.
const MOST_READ: usize = 64;
/// So long is waited for another to be ready.
const PATIENCE: Duration = Duration::from_secs(30);

/// The archives that were looked into, and who may frame them.
#[derive(Clone, Debug)]
pub struct Archives {
    service: Service,
    /// The origins whose pages show captures in a frame.
    framed_by: Vec<String>,
    /// How browsers reach these pages, where that is not the address they are asked at.
    origin: Option<String>,
    open: Arc<Mutex<Opened>>,
    views: Arc<Views>,
    sought: Arc<Semaphore>,
    read: Arc<Semaphore>,
}

/// By crawl, with what tells its folder from others that had its name and its rules from those it had before.
type Opened = HashMap<String, ((u64, Canonicaliser), Arc<Replay>)>;

impl Archives {
    pub fn new(service: Service, framed_by: Vec<String>, origin: Option<String>) -> Archives {
        let [sought, read] = [MOST_SOUGHT, MOST_READ].map(|most| Arc::new(Semaphore::new(most)));
        Archives { service, framed_by, origin, open: Arc::default(), views: Arc::default(), sought, read }
    }

    fn of(&self, id: &str) -> Result<Arc<Replay>, Problem> {
        let job = self.service.job(id)?;
        let unread = |fault| Problem::internal("the archive cannot be read", &fault);
        if !job.archive().is_dir() {
            return Err(Problem::not_found("nothing is archived yet"));
        }
        let folder = std::fs::metadata(job.root()).map_err(unread)?.ino();
        // Where the spec cannot be used, what was captured can be looked at all the same.
        let spelling = self.service.spec(id).map(|spec| spec.canonical.clone()).unwrap_or_default();
        let state = (folder, spelling);
        let known = self.open.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned();
        if let Some((_, replay)) = known.filter(|(of, _)| *of == state) {
            return Ok(replay);
        }
        let framed_by: Vec<&str> = self.framed_by.iter().map(String::as_str).collect();
        let replay = Arc::new(Replay::open(job.root(), &framed_by, state.1.clone()).map_err(unread)?);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        // Crawls that were removed are not kept open.
        open.retain(|id, _| self.service.job(id).is_ok());
        open.insert(id.to_owned(), (state, Arc::clone(&replay)));
        Ok(replay)
    }
}

impl Archives {
    /// What the frame of that name shows of a crawl, where it is known.
    pub fn shown_in(&self, id: &str, view: &str) -> Option<views::Shown> {
        self.views.shown(&views::place(id, view))
    }

    /// The captures of an address, and which of them is shown for a moment; none of a crawl that has no archive yet.
    pub fn listed(&self, id: &str, url: &str, at: &str) -> Result<Listed, Problem> {
        if !self.service.job(id)?.archive().is_dir() {
            return Ok(Listed::default());
        }
        let at = Some(at).filter(|at| !at.is_empty());
        self.of(id)?.listed(url, at).map_err(|fault| Problem::internal("the archive cannot be read", &fault))
    }
}

pub fn router() -> Router<Archives> {
    Router::new().fallback(show)
}

/// Waits for one's turn.
async fn turn(of: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Problem> {
    let turn = tokio::time::timeout(PATIENCE, Arc::clone(of).acquire_owned()).await;
    let turn = turn.ok().and_then(Result::ok);
    turn.ok_or_else(|| Problem::later(5, "too many captures are being read: try again in a moment"))
}

/// `/{crawl}/…`: the rest of the address is the archive's to read, as it was sent.
async fn show(State(archives): State<Archives>, request: Request) -> Response {
    let manner = match *request.method() {
        Method::GET => Manner::Get,
        Method::HEAD => Manner::Head,
        _ => Manner::Other,
    };
    let target = request.uri().path_and_query().map_or("/", |target| target.as_str());
    let Some((place, target)) = target.trim_start_matches('/').split_once('/') else {
        return Problem::not_found("ask for /CRAWL/TIMESTAMP/ADDRESS").into_response();
    };
    let (id, is_framed) = views::parted(place);
    let is_for_it = is_framed && manner == Manner::Get && is_for_frame(request.headers());
    let page = views::page_of(target).filter(|_| is_for_it);
    let (id, target, headers) = (id.to_owned(), target.to_owned(), request.headers().clone());
    let (place, views) = (place.to_owned(), Arc::clone(&archives.views));
    let host = text(&headers, header::HOST.as_str()).unwrap_or_default().to_owned();
    let (sought, read) = (Arc::clone(&archives.sought), Arc::clone(&archives.read));
    let within = place.clone();
    let answer = blocking(move || {
        let replay = archives.of(&id)?;
        let origin = archives.origin.clone().unwrap_or_else(|| format!("http://{host}"));
        // Links lead on within the same frame.
        let prefix = format!("{}/{within}/", origin.trim_end_matches('/'));
        Ok(replay.answer(&Asked {
            method: manner,
            target: &target,
            prefix: &prefix,
            accept_datetime: text(&headers, "accept-datetime"),
            range: text(&headers, "range"),
            if_range: text(&headers, "if-range"),
            if_none_match: text(&headers, "if-none-match"),
        }))
    });
    let sent = async {
        let turn_to_seek = turn(&sought).await?;
        let answer = answer.await?;
        drop(turn_to_seek);
        sent(answer, &read).await
    };
    let mut response = sent.await.unwrap_or_else(IntoResponse::into_response);
    if let Some(page) = page
        && !response.status().is_redirection()
        // Browsers stay where they are.
        && !matches!(response.status(), StatusCode::NO_CONTENT | StatusCode::RESET_CONTENT)
    {
        views.note(&place, page);
        // Who goes back in a frame asks again, so that it is known what is seen.
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

/// Whether a frame is to show what is asked for, as browsers say it where they do: they do not over plain http to another
/// machine. There it is left to the addresses that pages are rewritten with.
fn is_for_frame(headers: &HeaderMap) -> bool {
    text(headers, "sec-fetch-dest").is_none_or(|wanted| matches!(wanted, "iframe" | "frame"))
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

async fn sent(answer: Answer, read: &Arc<Semaphore>) -> Result<Response, Problem> {
    let Answer { status, headers, body } = answer;
    let body = match body {
        Shown::Bytes(bytes) => Body::from(bytes),
        Shown::Stream(stream) => flowing(*stream, turn(read).await?),
    };
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    for (name, value) in headers {
        let name = HeaderName::from_bytes(name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_str(&value)) {
            response.headers_mut().append(name, value);
        }
    }
    Ok(response)
}

/// A body that is read while it is sent. One that breaks off ends the connection: nobody takes it for whole.
fn flowing(stream: Stream, turn: OwnedSemaphorePermit) -> Body {
    let (pieces, flow) = mpsc::channel::<Result<Bytes, std::io::Error>>(PIECES);
    tokio::task::spawn_blocking(move || {
        let mut take = |piece: &[u8]| pieces.blocking_send(Ok(Bytes::copy_from_slice(piece))).is_ok();
        if let Err(fault) = stream.pump(&mut take) {
            let _ = pieces.blocking_send(Err(fault));
        }
        drop(turn);
    });
    Body::from_stream(ReceiverStream::new(flow))
}
