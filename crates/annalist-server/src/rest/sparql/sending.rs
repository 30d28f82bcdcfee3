//! From a question to an answer on its way. What is short is sent whole, so that what goes wrong can still be told; what is
//! long flows, and breaks off where it cannot be finished: nobody takes it for whole.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use annalist_knowledge::graph::{Datasets, Graph, QueryLimits, Question};
use axum::body::{Body, Bytes};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;

use super::format::Wish;
use crate::problem::Problem;

/// An answer up to this long is sent whole.
const WHOLE_BYTES: usize = 1 << 20;
const PIECE_BYTES: usize = 64 << 10;
/// Pieces on their way to a slow reader.
const PIECES: usize = 8;

/// What a question over HTTP may take.
pub fn limits(time: Option<Duration>) -> QueryLimits {
    let time = time.unwrap_or(Duration::from_secs(30));
    QueryLimits { time, rows: 1_000_000, memory_bytes: 256 << 20 }
}

/// Set when it is dropped: with the request, or with the answer that is being sent.
#[derive(Debug, Default)]
pub struct Abandoned(pub Arc<AtomicBool>);

impl Drop for Abandoned {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

pub struct Answer {
    pub media_type: &'static str,
    pub content: Content,
}

pub enum Content {
    Whole(Vec<u8>),
    Flowing(mpsc::Receiver<io::Result<Bytes>>),
}

/// Begins to answer on a thread of its own, and says how it goes on.
pub fn begin(
    graph: Arc<Graph>,
    sparql: String,
    wish: Wish,
    limits: QueryLimits,
    abandoned: &Abandoned,
    turn: OwnedSemaphorePermit,
) -> oneshot::Receiver<Result<Answer, Problem>> {
    let (tell, told) = oneshot::channel();
    let (abandoned, handle) = (Arc::clone(&abandoned.0), Handle::current());
    tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let question = Question {
            sparql: &sparql,
            base: None,
            datasets: Datasets::Union,
            limits,
            abandoned: Some(&abandoned),
        };
        let chosen = question.kind().map_err(Problem::from).and_then(|kind| wish.choose(kind));
        let (format, media_type) = match chosen {
            Ok(chosen) => chosen,
            Err(problem) => return drop(tell.send(Err(problem))),
        };
        let until = Instant::now() + limits.time;
        let mut out =
            Sending { held: Vec::new(), start: Some((tell, media_type)), flow: None, handle, until };
        let answered = graph.answer(&question, Some(format), &mut out);
        out.finish(answered.map_err(Problem::from).and_then(|told| match told.cut {
            true => Err(Problem::new(
                axum::http::StatusCode::UNPROCESSABLE_ENTITY,
                format!("there are more than {} rows: a narrower question may help", limits.rows),
            )),
            false => Ok(()),
        }));
    });
    told
}

/// The rest of an answer; it ends with who reads it.
pub fn flowing(flow: mpsc::Receiver<io::Result<Bytes>>, abandoned: Abandoned) -> Body {
    Body::from_stream(ReceiverStream::new(flow).map(move |piece| {
        let _ends_with_us = &abandoned;
        piece
    }))
}

struct Sending {
    held: Vec<u8>,
    /// Until it is known how the answer is sent.
    start: Option<(oneshot::Sender<Result<Answer, Problem>>, &'static str)>,
    flow: Option<mpsc::Sender<io::Result<Bytes>>>,
    handle: Handle,
    until: Instant,
}

impl Sending {
    fn send(&mut self, piece: io::Result<Bytes>) -> io::Result<()> {
        if let Some((tell, media_type)) = self.start.take() {
            let (pieces, flow) = mpsc::channel(PIECES);
            let _ = tell.send(Ok(Answer { media_type, content: Content::Flowing(flow) }));
            self.flow = Some(pieces);
        }
        let Some(flow) = &self.flow else { return Err(io::ErrorKind::BrokenPipe.into()) };
        // Who reads too slowly holds up others who want to ask.
        let left = self.until.saturating_duration_since(Instant::now());
        let sent = self.handle.block_on(async { tokio::time::timeout(left, flow.send(piece)).await });
        match sent {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(io::ErrorKind::BrokenPipe.into()),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }

    fn finish(mut self, ended: Result<(), Problem>) {
        match (self.start.take(), ended) {
            (Some((tell, _)), Err(problem)) => drop(tell.send(Err(problem))),
            (Some((tell, media_type)), Ok(())) => {
                let content = Content::Whole(std::mem::take(&mut self.held));
                drop(tell.send(Ok(Answer { media_type, content })));
            }
            (None, ended) => {
                let last = Bytes::from(std::mem::take(&mut self.held));
                let _ = match ended {
                    Ok(()) => self.send(Ok(last)),
                    Err(problem) => self.send(Err(io::Error::other(problem.detail))),
                };
            }
        }
    }
}

impl Write for Sending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        let most = if self.start.is_some() { WHOLE_BYTES } else { PIECE_BYTES };
        if self.held.len() > most {
            let piece = Bytes::from(std::mem::take(&mut self.held));
            self.send(Ok(piece))?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
