//! A crawl as it changes, and its log as it grows, as server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use annalist_crawl::logs::EVENTS;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use serde::Deserialize;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tokio_stream::{Stream, StreamExt};
use utoipa::IntoParams;

use super::crawls::{CrawlView, blocking};
use super::events::{Asked as LogAsked, Event as Happened};
use super::reading::{Asking, Place};
use crate::logs::{Fresh, fresh};
use crate::problem::Problem;
use crate::serve::App;

const EVERY: Duration = Duration::from_secs(1);

/// How the crawl stands, once a second: events named `status`, with the same data as `GET /api/crawls/{id}`. When it is
/// removed, one named `gone`, and the stream ends.
#[utoipa::path(get, path = "/api/crawls/{id}/live", params(("id" = String, Path)), responses(
    (status = 200, body = CrawlView, content_type = "text/event-stream"), (status = 404, body = Problem)))]
pub async fn live(
    State(app): State<App>,
    Place(id): Place<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    app.service.job(&id)?;
    let ticks = tokio_stream::wrappers::IntervalStream::new(tokio::time::interval(EVERY));
    let mut is_gone = false;
    let told = ticks.map_while(move |_| {
        if is_gone {
            return None;
        }
        let seen = app.service.see(&id).ok();
        let json = seen.and_then(|seen| serde_json::to_string(&CrawlView::of(seen)).ok());
        is_gone = json.is_none();
        Some(Ok(match json {
            Some(json) => Event::default().event("status").data(json),
            None => Event::default().event("gone").data("{}"),
        }))
    });
    Ok(Sse::new(told).keep_alive(KeepAlive::default()))
}

/// What of a log is wanted.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct Followed {
    /// Words that have to be in it, whatever their case.
    pub q: String,
    /// `info`, `warning` or `error`.
    pub severity: String,
    /// The part of the program: `crawl`, `archive`, `frontier`, …
    pub subsystem: String,
    /// What stands behind this place: `end` of an answer of `events`, or the identifier of the last event that was received.
    /// From now on where nothing is said.
    pub after: Option<u64>,
}

/// What happens, as it happens: events named `line`, each with the data of one of `events` and its place in the log as identifier;
/// `place` where lines came that do not fit. `gap` says that too much was missed to be told (ask `events`), `gone` that the
/// crawl is removed; either is the last one.
#[utoipa::path(get, path = "/api/crawls/{id}/events/live", params(("id" = String, Path), Followed), responses(
    (status = 200, body = Happened, content_type = "text/event-stream"), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn log(
    State(app): State<App>,
    Place(id): Place<String>,
    headers: HeaderMap,
    Asking(Followed { q, severity, subsystem, after }): Asking<Followed>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let asked = LogAsked { q, severity, subsystem, ..LogAsked::default() };
    drop(asked.events()?);
    // A browser that lost its connection says how far it had come.
    let reached = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    let path = app.service.job(&id)?.logs().join(EVENTS);
    let now = || std::fs::metadata(&path).map_or(0, |log| log.len());
    let mut place = reached.or(after).unwrap_or_else(now);
    let (told, heard) = mpsc::channel(MOST_TOLD);
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(EVERY);
        loop {
            tokio::select! { _ = ticks.tick() => {}, () = told.closed() => return }
            let (app, id, asked, path) = (app.clone(), id.clone(), asked.clone(), path.clone());
            let look = blocking(move || {
                app.service.job(&id)?;
                let fresh = fresh(&path, place).map_err(|fault| Problem::internal("no log", &fault))?;
                Ok(news(&asked, place, fresh))
            });
            let (news, end) = match look.await {
                Ok(news) => news,
                Err(_) => (vec![last("gone")], None),
            };
            for event in news {
                if told.send(Ok(event)).await.is_err() {
                    return;
                }
            }
            let Some(end) = end else { return };
            place = end;
        }
    });
    Ok(Sse::new(ReceiverStream::new(heard)).keep_alive(KeepAlive::default()))
}

/// Lines that are told at once; of more, the newest.
const MOST_TOLD: usize = 200;

/// An event that says that no other comes.
fn last(name: &str) -> Event {
    Event::default().event(name).data("{}")
}

/// What is told of fresh lines, and where to look on; nowhere after a gap.
fn news(asked: &LogAsked, place: u64, fresh: Fresh) -> (Vec<Event>, Option<u64>) {
    if fresh.is_gap {
        return (vec![last("gap")], None);
    }
    if fresh.end == place {
        return (Vec::new(), Some(place));
    }
    // Who comes back goes on behind the last line that was heard, be it in the middle of what was told at once.
    let line = |(happened, end): &(Happened, u64)| {
        let json = serde_json::to_string(happened).ok()?;
        Some(Event::default().event("line").id(end.to_string()).data(json))
    };
    let Ok(fits) = asked.events() else { return (Vec::new(), None) };
    let fitting = fresh.lines.iter().filter_map(|(line, end)| Some((fits(line)?, *end)));
    let fitting: Vec<(Happened, u64)> = fitting.collect();
    let newest = fitting.get(fitting.len().saturating_sub(MOST_TOLD)..).unwrap_or_default();
    let mut events: Vec<Event> = newest.iter().filter_map(line).collect();
    if events.is_empty() {
        events.push(Event::default().event("place").id(fresh.end.to_string()).data("{}"));
    }
    (events, Some(fresh.end))
}
