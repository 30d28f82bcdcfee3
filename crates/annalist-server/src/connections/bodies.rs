//! Bodies as connections need them: what is sent to the service comes in time or not at all, and while an answer is being
//! sent its connection is not silent.

use std::error::Error;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use hyper::body::{Body as Pieces, Frame, Incoming, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until, timeout};

use super::Patience;
use super::room::Busy;

/// Of a body that nobody reads to its end, so much is read all the same where it comes at once: the connection can go on.
const MOST_LEFT: u64 = 64 << 10;
const A_MOMENT: Duration = Duration::from_millis(100);

/// The body of a request, waited for as long as patience goes.
pub struct Awaited {
    /// Until this is dropped.
    body: Option<Incoming>,
    left: Left,
    patience: Patience,
    /// Not before it is waited for: most requests have no body.
    waiting: Option<Pin<Box<Sleep>>>,
    all_until: Option<Instant>,
}

impl Awaited {
    pub fn new(body: Incoming, patience: Patience) -> (Awaited, Left) {
        let left = Left::default();
        let awaited =
            Awaited { body: Some(body), left: left.clone(), patience, waiting: None, all_until: None };
        (awaited, left)
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        let body = self.body.take().filter(|body| !body.is_end_stream());
        *self.left.body.lock().unwrap_or_else(PoisonError::into_inner) = body;
    }
}

/// What was not read of a body.
#[derive(Clone, Default)]
pub struct Left {
    body: Arc<Mutex<Option<Incoming>>>,
}

impl Left {
    /// Reads what is left of it where that is little, and says whether nothing is left.
    pub async fn read_to_end(self) -> bool {
        let left = self.body.lock().unwrap_or_else(PoisonError::into_inner).take();
        match left {
            None => true,
            Some(body) if body.size_hint().lower() > MOST_LEFT => false,
            Some(body) => timeout(A_MOMENT, read_out(body)).await.unwrap_or(false),
        }
    }
}

async fn read_out(mut body: Incoming) -> bool {
    let mut room = MOST_LEFT;
    loop {
        match poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
            None => return true,
            Some(Err(_)) => return false,
            Some(Ok(frame)) => {
                let size = frame.data_ref().map_or(0, |piece| piece.len() as u64);
                let Some(less) = room.checked_sub(size) else { return false };
                room = less;
            }
        }
    }
}

impl Pieces for Awaited {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let Some(body) = self.body.as_mut() else { return Poll::Ready(None) };
        let piece = Pin::new(body).poll_frame(context);
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
        self.body.as_ref().is_none_or(Pieces::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(SizeHint::default, Pieces::size_hint)
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
