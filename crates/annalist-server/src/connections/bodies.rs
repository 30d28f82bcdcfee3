//! Bodies as connections need them: what is sent to the service comes in time or not at all, and while an answer is being
//! sent its connection is not silent.

use std::error::Error;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use hyper::body::{Body as Pieces, Frame, Incoming, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

use super::Patience;
use super::room::Busy;

/// The body of a request, waited for as long as patience goes.
pub struct Awaited {
    body: Incoming,
    patience: Patience,
    /// Not before it is waited for: most requests have no body.
    waiting: Option<Pin<Box<Sleep>>>,
    all_until: Option<Instant>,
}

impl Awaited {
    pub fn new(body: Incoming, patience: Patience) -> Awaited {
        Awaited { body, patience, waiting: None, all_until: None }
    }
}

impl Pieces for Awaited {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let piece = Pin::new(&mut self.body).poll_frame(context);
        let is_late = self.all_until.is_some_and(|until| Instant::now() >= until);
        if piece.is_ready() && !is_late {
            self.waiting = None;
            return piece.map_err(Into::into);
        }
        let patience = self.patience;
        let all_until = *self.all_until.get_or_insert_with(|| Instant::now() + patience.body);
        let until = all_until.min(Instant::now() + patience.piece);
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep_until(until)));
        if is_late || waiting.as_mut().poll(context).is_ready() {
            let why = io::Error::new(io::ErrorKind::TimedOut, "the rest was not sent in time");
            return Poll::Ready(Some(Err(why.into())));
        }
        Poll::Pending
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of an answer.
pub struct Held {
    body: Body,
    _busy: Busy,
}

impl Held {
    pub fn new(body: Body, busy: Busy) -> Held {
        Held { body, _busy: busy }
    }
}

impl Pieces for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
