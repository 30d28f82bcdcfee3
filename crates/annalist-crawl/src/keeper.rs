//! The keeper: one thread that writes captures to the archive and acknowledges visits, many at a time.
//!
//! A capture is written as soon as it comes (`record`). A visit is acknowledged (`finish`) when its records are
//! complete in the WARC file, the file is synced, and one synced journal frame holds its outcome, place, digest and
//! links; only then do counters, logs and frontier know of it. At most 64 visits or 200 ms make one group.
//!
//! Which records a capture becomes is in `record.rs`; what a full disk or a failed sync does is in `keeper/room.rs`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use annalist_frontier::{Change, LeaseId};
use annalist_model::spec::Spec;
use annalist_model::{Capture, Link, Outcome, Score, Time, Unusable, UrlKey};
use annalist_sources::{Lookup, SlowLane};
use annalist_warc::{Packing, Record};
use tokio::sync::oneshot;

use crate::logs::Severity;
use crate::record::{Exchanged, settle_digest};
use crate::scope::Scope;

mod archive;
mod group;
mod room;
#[cfg(test)]
mod tests;

pub use archive::{Archive, COUNTERS_NOTE, INTERRUPTED_NOTE, Pending, Run, WARC_NOTE, WIDENED_NOTE};
pub use group::{Group, Kept};
pub(crate) use room::PAUSE;

/// Names a capture between its recording and its acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub(crate) u64);

/// How a visit ended, as the keeper acknowledges it.
#[derive(Debug)]
pub struct Finished {
    pub link: Link,
    pub via: Option<String>,
    pub ended: Ended,
    /// Links found, rests, retries: what the frontier has to know.
    pub changes: Vec<Change>,
    pub counts: Counts,
    /// The turn that ends with this visit: what the page embeds is leased next, so the site is free only when the
    /// frontier knows of it.
    pub release: Option<Release>,
}

/// A lease to be given back when a visit is acknowledged.
#[derive(Debug)]
pub struct Release {
    pub lease: LeaseId,
    pub until: Time,
    pub visited: Vec<UrlKey>,
}

/// Whether a capture counts against the budgets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    AsPage,
    /// robots.txt: kept and logged, but nobody asked for it.
    AsPrerequisite,
}

#[derive(Debug)]
pub enum Ended {
    Captured(Box<Captured>),
    /// It will be tried again; the change that says when is among the changes.
    Retrying {
        status: i32,
        reason: String,
        started: Time,
    },
    /// Not asked for after all: others come first.
    PutBack,
    /// Not fetched, or never answered: for good.
    Refused {
        status: i32,
        outcome: Outcome,
        started: Time,
    },
}

#[derive(Debug)]
pub struct Captured {
    pub ticket: Ticket,
    pub status: u16,
    pub mime: String,
    pub bytes: u64,
    pub started: Time,
    pub elapsed: Duration,
    pub payload_digest: String,
    /// Asked to come back later: kept, but the link has not had its outcome.
    pub retry: Option<String>,
    /// Another snapshot of the same address follows in the same group.
    pub is_followed: bool,
    pub truncated: Option<&'static str>,
    /// What the page is worth, where there is a topic.
    pub score: Option<Score>,
    /// What it is written in, and what made it, where that is known.
    pub language: Option<String>,
    pub application: Option<String>,
    /// Fields of the metadata record.
    pub metadata: Vec<(&'static str, String)>,
    /// What was written on the page, as JSON.
    pub objects: Option<Vec<u8>>,
    /// What else there is to say of it in `crawl.log`.
    pub notes: Vec<String>,
    /// What it names that is no link.
    pub unusable: Unusable,
}

/// Why the keeper did not keep something.
#[derive(Clone, Debug, thiserror::Error)]
pub enum KeepError {
    /// The archive cannot be written any more; the crawl is ending.
    #[error("the archive is closed: {0}")]
    Closed(String),
    /// This capture's bytes cannot be had any more; others are not affected.
    #[error("the capture is lost: {0}")]
    Lost(String),
}

enum Message {
    Record(Box<Exchanged>, oneshot::Sender<Result<Ticket, KeepError>>),
    LookedUp(Lookup, Time),
    /// Visits that are acknowledged together, or not at all.
    Finish(Vec<Finished>),
    Event(Severity, &'static str, String),
    /// Another spec counts: seeds may have been added, and limits may allow more.
    Changed(Arc<Spec>, Arc<Scope>, Vec<Change>),
    /// What came of addresses that were handed over; an answer when it is durable.
    Injected(Vec<Change>, oneshot::Sender<()>),
    /// Acknowledge everything, log what is left out for a limit's sake, and close the files.
    Close(Option<&'static str>),
    /// Cut the files to what was acknowledged.
    Abandon,
}

/// How the rest of the crawl speaks to the keeper.
#[derive(Clone, Debug)]
pub struct KeeperHandle {
    messages: Sender<Message>,
    unacknowledged: Arc<AtomicUsize>,
    /// Where large responses are packed.
    lane: SlowLane,
    salt: u64,
    packing: Packing,
}

/// Responses up to this length are packed by whoever fetched them; longer ones are left to other threads.
const PACKED_AT_ONCE: u64 = 64 << 10;

impl KeeperHandle {
    /// Writes the exchanged bytes, or the records of another archive that hold them. They count when the visit is
    /// acknowledged.
    pub async fn record(&self, capture: &mut Capture, copies: Vec<Record>) -> Result<Ticket, KeepError> {
        let coded = capture.head.all("transfer-encoding").next().is_some();
        let exchanged = Exchanged { copies, ..Exchanged::take(capture) };
        let exchanged =
            if exchanged.copies.is_empty() { self.prepare(exchanged, coded).await? } else { exchanged };
        capture.payload_digest.clone_from(&exchanged.payload_digest);
        capture.payload_length = exchanged.payload_length;
        let (reply, ticket) = oneshot::channel();
        self.send(Message::Record(Box::new(exchanged), reply))?;
        ticket.await.unwrap_or_else(|_| Err(closed()))
    }

    /// What tells this crawl's record ids from others', and how its records are packed.
    pub fn packing(&self) -> (u64, Packing) {
        (self.salt, self.packing)
    }

    /// Everything that takes long is done before the keeper's turn: he has to serve everybody.
    async fn prepare(&self, mut exchanged: Exchanged, coded: bool) -> Result<Exchanged, KeepError> {
        let (salt, packing) = (self.salt, self.packing);
        let (large, short) = (exchanged.is_large(), exchanged.length() <= PACKED_AT_ONCE);
        let work = move || {
            if coded {
                settle_digest(&mut exchanged);
            }
            exchanged.pack(salt, packing);
            exchanged
        };
        let done = match (large, short) {
            (true, _) => self.lane.run(work).await,
            (false, true) => Ok(work()),
            (false, false) => tokio::task::spawn_blocking(work).await.map_err(std::io::Error::from),
        };
        done.map_err(|fault| KeepError::Lost(fault.to_string()))
    }

    /// Writes what DNS said at that moment. Nobody waits for it: a look-up that is lost is made again by the next run.
    pub fn looked_up(&self, lookup: Lookup, at: Time) {
        let _ = self.send(Message::LookedUp(lookup, at));
    }

    /// Hands visits over for acknowledgement, all of them at once.
    pub fn finish(&self, finished: Vec<Finished>) -> Result<(), KeepError> {
        self.unacknowledged.fetch_add(finished.len(), Ordering::SeqCst);
        self.send(Message::Finish(finished))
    }

    pub fn event(&self, severity: Severity, subsystem: &'static str, message: impl Into<String>) {
        // An event that cannot be logged any more has nobody left to read it.
        let _ = self.send(Message::Event(severity, subsystem, message.into()));
    }

    /// Another spec counts from now on; by it, links are worth something else or due at another time.
    pub fn changed(&self, spec: Arc<Spec>, scope: Arc<Scope>, changes: Vec<Change>) {
        let _ = self.send(Message::Changed(spec, scope, changes));
    }

    /// Hands over what came of injected addresses, now; ready when it is durable and the frontier knows.
    pub fn injected(&self, changes: Vec<Change>) -> impl Future<Output = Result<(), KeepError>> + use<> {
        let (reply, done) = oneshot::channel();
        let sent = self.send(Message::Injected(changes, reply));
        async move {
            sent?;
            done.await.map_err(|_| closed())
        }
    }

    /// `limit`: the limit that ended the crawl, if one did.
    pub fn close(&self, limit: Option<&'static str>) {
        let _ = self.send(Message::Close(limit));
    }

    pub fn abandon(&self) {
        let _ = self.send(Message::Abandon);
    }

    /// Visits handed over and not acknowledged yet.
    pub fn unacknowledged(&self) -> usize {
        self.unacknowledged.load(Ordering::SeqCst)
    }

    fn send(&self, message: Message) -> Result<(), KeepError> {
        self.messages.send(message).map_err(|_| closed())
    }
}

fn closed() -> KeepError {
    KeepError::Closed("the keeper has ended".to_owned())
}

/// How long the keeper waits for more visits before it acknowledges those it has.
const QUIET: Duration = Duration::from_millis(1);
const LONGEST_WAIT: Duration = Duration::from_millis(200);
const LARGEST_GROUP: usize = 64;

/// Starts the keeper's thread. It ends when it is closed or abandoned, or when the archive cannot be written.
pub fn start(
    archive: Archive,
    lane: SlowLane,
) -> std::io::Result<(KeeperHandle, JoinHandle<Result<Archive, KeepError>>)> {
    let (messages, inbox) = channel();
    let unacknowledged = Arc::new(AtomicUsize::new(0));
    let (salt, packing) = (archive.salt, archive.writer.packing());
    let handle = KeeperHandle { messages, unacknowledged: Arc::clone(&unacknowledged), lane, salt, packing };
    let thread = std::thread::Builder::new()
        .name("keeper".to_owned())
        .spawn(move || keep(archive, &inbox, &unacknowledged))?;
    Ok((handle, thread))
}

fn keep(
    mut archive: Archive,
    inbox: &Receiver<Message>,
    waiting: &AtomicUsize,
) -> Result<Archive, KeepError> {
    let mut group = Group::default();
    let mut since = Instant::now();
    loop {
        let message = if group.is_empty() {
            inbox.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            inbox.recv_timeout(QUIET)
        };
        let quiet = match message {
            Ok(Message::Record(exchanged, reply)) => {
                let kept = archive.record(*exchanged);
                let failure = kept.as_ref().err().cloned();
                let _ = reply.send(kept);
                if let Some(failure @ KeepError::Closed(_)) = failure {
                    return Err(failure);
                }
                false
            }
            Ok(Message::LookedUp(lookup, at)) => {
                archive.looked_up(lookup, at)?;
                false
            }
            Ok(Message::Finish(finished)) => {
                if group.is_empty() {
                    since = Instant::now();
                }
                finished.into_iter().for_each(|visit| group.add(visit));
                false
            }
            Ok(Message::Event(severity, subsystem, message)) => {
                archive.event(severity, subsystem, &message);
                false
            }
            Ok(Message::Changed(spec, scope, changes)) => {
                // Visits that ended before may say when a seed or a site is due by the spec of before.
                if !group.is_empty() {
                    acknowledge(&mut archive, &mut group, waiting)?;
                }
                archive.change(&spec, &scope, changes)?;
                false
            }
            Ok(Message::Injected(changes, done)) => {
                archive.inject(changes)?;
                let _ = done.send(());
                false
            }
            Ok(Message::Close(limit)) => {
                acknowledge(&mut archive, &mut group, waiting)?;
                archive.settle(limit)?;
                archive.close()?;
                return Ok(archive);
            }
            Ok(Message::Abandon) | Err(RecvTimeoutError::Disconnected) => {
                archive.abandon()?;
                return Ok(archive);
            }
            Err(RecvTimeoutError::Timeout) => true,
        };
        let due = quiet || group.len() >= LARGEST_GROUP || since.elapsed() >= LONGEST_WAIT;
        if due && !group.is_empty() {
            acknowledge(&mut archive, &mut group, waiting)?;
        }
    }
}

fn acknowledge(archive: &mut Archive, group: &mut Group, waiting: &AtomicUsize) -> Result<(), KeepError> {
    let visits = group.len();
    archive.acknowledge(std::mem::take(group))?;
    waiting.fetch_sub(visits, Ordering::SeqCst);
    archive.announce();
    Ok(())
}
