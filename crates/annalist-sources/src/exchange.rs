//! One request and its response over an open connection, under every limit of the spec. The bytes are recorded as they
//! are sent and received; head, framing and coding read them where they lie.

use std::io;
use std::sync::Arc;

use annalist_model::spec::{DigestKind, FetchRules};
use annalist_model::{Block, ResponseHead, Truncated};
use tokio::time::Instant;

use crate::coding::Reading;
use crate::connection::Wire;
use crate::digest::Hasher;
use crate::error::{FetchError, Waiting};
use crate::framing::{Framing, Progress};
use crate::head::{FinalHeadSeeker, Head};
use crate::lane::{Place, SlowLane};
use crate::pace::{Pace, READ_BYTES, READ_BYTES_OF_LARGE, Stop};
use crate::spool::{IN_MEMORY, Recording, Spool};

/// What an exchange needs beside the connection.
pub(crate) struct Terms<'a> {
    pub(crate) rules: &'a FetchRules,
    pub(crate) digest: DigestKind,
    pub(crate) spool: &'a Arc<Spool>,
    /// For bodies that are too large to be dealt with between others.
    pub(crate) lane: &'a SlowLane,
    /// When the fetch must be over.
    pub(crate) deadline: Instant,
}

#[derive(Debug)]
pub(crate) struct Exchanged {
    pub(crate) head: ResponseHead,
    pub(crate) response: Block,
    pub(crate) payload_digest: String,
    pub(crate) payload_length: u64,
    pub(crate) body: Vec<u8>,
    pub(crate) truncated: Option<Truncated>,
    pub(crate) after: After,
    /// Of a large response, for as long as it is in memory.
    pub(crate) place: Option<Place>,
}

/// What becomes of the connection after an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    KeepOpen,
    Close,
}

/// An exchange without a response.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) error: FetchError,
    /// The connection ended before any byte of a response: a kept-alive connection that the server had given up looks
    /// like this.
    pub(crate) unanswered: bool,
}

impl From<FetchError> for Failed {
    fn from(error: FetchError) -> Self {
        Failed { error, unanswered: false }
    }
}

pub(crate) async fn exchange(
    wire: &mut Wire,
    request: &[u8],
    terms: &Terms<'_>,
) -> Result<Exchanged, Failed> {
    let mut receiver = Receiver {
        wire,
        pace: Pace::new(terms.rules, terms.deadline),
        recording: Recording::new(Arc::clone(terms.spool)),
        terms,
    };
    receiver.send(request).await?;
    let head = receiver.head().await?;
    let payload = Payload::new(&head.fields, terms.digest, terms.rules.max_read_bytes);
    let (end, incoming) = receiver.body(head.length, payload).await.map_err(FetchError::spool)?;
    let Incoming { recording, payload: Payload { framing, entity }, mut place, .. } = incoming;
    if place.is_none() && entity.reading.is_paused() {
        place = terms.lane.enter().await;
    }
    let (truncated, after) = match end {
        End::Complete if head.keeps_alive && !framing.may_end_here() => (None, After::KeepOpen),
        End::Complete | End::CompleteWithSurplus => (None, After::Close),
        End::Cut(truncated) => (Some(truncated), After::Close),
    };
    Ok(Exchanged {
        head: head.fields,
        response: recording.finish().map_err(FetchError::spool)?,
        payload_digest: entity.hasher.finish(),
        payload_length: entity.length,
        body: entity.reading.finish(terms.lane).await,
        truncated,
        after,
        place,
    })
}

/// What is taken from the bytes of the body while they come in.
pub(crate) struct Payload {
    framing: Framing,
    pub(crate) entity: Entity,
}

/// The entity body: transfer coding removed, content coding kept for the digest and removed for reading.
pub(crate) struct Entity {
    pub(crate) hasher: Hasher,
    pub(crate) length: u64,
    pub(crate) reading: Reading,
}

impl Payload {
    pub(crate) fn new(head: &ResponseHead, digest: DigestKind, most_read_bytes: usize) -> Payload {
        let framing = Framing::of(head);
        let reading = Reading::new(head, framing.announced(), most_read_bytes);
        Payload { framing, entity: Entity { hasher: Hasher::new(digest), length: 0, reading } }
    }

    pub(crate) fn feed(&mut self, received: &[u8]) -> Progress {
        let entity = &mut self.entity;
        self.framing.feed(received, &mut |piece| {
            entity.hasher.update(piece);
            entity.length += piece.len() as u64;
            entity.reading.feed(piece);
        })
    }

    /// What the end of the connection means for the body.
    fn closed(&self) -> End {
        match self.framing.may_end_here() {
            true => End::Complete,
            false => End::Cut(Truncated::Disconnect),
        }
    }
}

/// How the receiving of a body ended.
enum End {
    Complete,
    /// Complete, and the server sent more than the response: those bytes are nobody's.
    CompleteWithSurplus,
    Cut(Truncated),
}

/// A body on its way: the bytes, and what was taken from them so far.
struct Incoming {
    recording: Recording,
    payload: Payload,
    /// How much of the recording's tail the payload has had.
    fed: usize,
    place: Option<Place>,
}

impl Incoming {
    /// Deals with what came in since.
    fn take_in(&mut self) -> io::Result<Progress> {
        let progress = self.payload.feed(&self.recording.tail[self.fed..]);
        if matches!(progress, Progress::More) {
            self.recording.settle()?;
            self.fed = self.recording.tail.len();
        }
        Ok(progress)
    }
}

struct Receiver<'a> {
    wire: &'a mut Wire,
    pace: Pace<'a>,
    recording: Recording,
    terms: &'a Terms<'a>,
}

impl Receiver<'_> {
    async fn send(&mut self, request: &[u8]) -> Result<(), Failed> {
        self.pace.send(self.wire, request).await.map_err(|stop| self.unanswered(stop))
    }

    /// Reads until a final response's head is complete.
    async fn head(&mut self) -> Result<Head, Failed> {
        let mut seeker = FinalHeadSeeker::new(self.terms.rules.max_header_bytes);
        loop {
            match self.pace.receive(self.wire, &mut self.recording.tail, READ_BYTES, u64::MAX).await {
                Ok(0) => return Err(self.unanswered(Stop::Broken(io::ErrorKind::UnexpectedEof.into()))),
                Ok(_) => {}
                Err(stop) => return Err(self.unanswered(stop)),
            }
            if let Some(head) = seeker.seek(&mut self.recording.tail).map_err(FetchError::BadResponse)? {
                return Ok(head);
            }
        }
    }

    fn unanswered(&self, stop: Stop) -> Failed {
        match stop {
            Stop::TimeIsUp => FetchError::Timeout(Waiting::Answering).into(),
            Stop::Broken(error) => {
                Failed { error: FetchError::Reset(error.to_string()), unanswered: self.pace.received == 0 }
            }
        }
    }

    /// Reads until the body ends or a limit does. An error is the spool's.
    async fn body(mut self, head_length: usize, payload: Payload) -> io::Result<(End, Incoming)> {
        let most = self.terms.rules.max_size_bytes.max(head_length as u64);
        let mut incoming = Incoming { recording: self.recording, payload, fed: head_length, place: None };
        let tail = &mut incoming.recording.tail;
        let came_with_head = tail.len();
        tail.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        let mut surplus = came_with_head > tail.len();
        make_room(tail, head_length, incoming.payload.framing.announced());
        loop {
            let progress;
            (incoming, progress) = self.pace.apart(take_in(incoming, self.terms.lane)).await?;
            let recording = &mut incoming.recording;
            match progress {
                Progress::More => {}
                Progress::Broken => return Ok((End::Cut(Truncated::Disconnect), incoming)),
                Progress::Done { consumed } => {
                    surplus |= incoming.fed + consumed < recording.tail.len();
                    recording.tail.truncate(incoming.fed + consumed);
                    return Ok((if surplus { End::CompleteWithSurplus } else { End::Complete }, incoming));
                }
            }
            let left = most.saturating_sub(recording.length());
            if left == 0 {
                return Ok((End::Cut(Truncated::Length), incoming));
            }
            let room = if recording.is_large() { READ_BYTES_OF_LARGE } else { READ_BYTES };
            let end = match self.pace.receive(self.wire, &mut recording.tail, room, left).await {
                Ok(0) => incoming.payload.closed(),
                Ok(_) => continue,
                // Many servers close TLS without saying so.
                Err(Stop::Broken(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    incoming.payload.closed()
                }
                Err(Stop::Broken(_)) => End::Cut(Truncated::Disconnect),
                Err(Stop::TimeIsUp) => End::Cut(Truncated::Time),
            };
            return Ok((end, incoming));
        }
    }
}

/// Deals with what came in: at once, or in the slow lane when the body is large.
async fn take_in(mut incoming: Incoming, lane: &SlowLane) -> io::Result<(Incoming, Progress)> {
    if !incoming.recording.is_large() {
        let progress = incoming.take_in()?;
        return Ok((incoming, progress));
    }
    if incoming.place.is_none() {
        incoming.place = lane.enter().await;
    }
    lane.run(move || {
        let progress = incoming.take_in()?;
        Ok((incoming, progress))
    })
    .await?
}

/// One allocation for a response whose length is known.
fn make_room(tail: &mut Vec<u8>, head_length: usize, announced: Option<u64>) {
    let length = announced.and_then(|a| usize::try_from(a).ok()).map_or(0, |a| a.saturating_add(head_length));
    if length <= IN_MEMORY && length > tail.len() {
        tail.reserve_exact(length - tail.len());
    }
}
