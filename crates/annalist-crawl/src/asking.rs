//! What has to be so just before a request: the server has rested, a visit's place is free, and no other crawl on this
//! machine is asking the same server. Every request gets its leave here.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use annalist_model::spec::Politeness;
use annalist_model::{CanonicalUrl, Capture, Time};
use annalist_sources::FetchError;
use tokio::sync::{OwnedSemaphorePermit, SemaphorePermit};

use crate::book::{Entry, Look, Looks};
use crate::clock;
use crate::delay::rest_after;
use crate::logs::Severity;
use crate::stages::{Line, Stages};
use crate::stop::Urge;
use crate::turn::{LONGEST_HOLD, rested};

/// A place among the visits in flight: of this crawl, and of all that share the pool.
pub type Room<'a> = (SemaphorePermit<'a>, SemaphorePermit<'a>);

/// Permission for one request over a line, and how long the server rests after it.
#[derive(Debug)]
pub struct Leave<'a> {
    entry: Option<Entry>,
    /// Until it is over, no other crawl of this process has the server.
    turn: OwnedSemaphorePermit,
    politeness: &'a Politeness,
    crawl_delay: Option<Duration>,
}

/// Why there is no leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoLeave {
    /// Another crawl has the server, or made it rest, for longer than a turn can wait.
    Elsewhere,
    /// The crawl is ending.
    Stopped,
    /// It had its outcome meanwhile: somebody put it on the blacklist, or blocked its site.
    Forbidden,
}

/// Waits for a request's leave, and a place among the visits in flight that it may keep for as long as it needs.
pub async fn leave<'a>(
    line: &mut Line,
    politeness: &'a Politeness,
    crawl_delay: Option<Duration>,
    stages: &'a Stages,
) -> Result<(Room<'a>, Leave<'a>), NoLeave> {
    let server = line.server();
    let least_rest = rest_after(politeness, Duration::ZERO, crawl_delay);
    let (mut looks, mut wait) = (Looks::default(), None);
    let queue = stages.pool.queues.of(server);
    let turn = match Arc::clone(&queue).try_acquire_owned() {
        Ok(turn) => turn,
        Err(_) => {
            wait = Some(Wait::begin(server, clock::now(), stages));
            tokio::select! {
                turn = queue.acquire_owned() => turn.map_err(|_| NoLeave::Stopped)?,
                () = stages.stop.reached(Urge::Finish) => return Err(NoLeave::Stopped),
            }
        }
    };
    loop {
        if !rested(line.rests_until, stages).await || stages.told.is_paused() {
            return Err(NoLeave::Stopped);
        }
        // Not kept while waiting: others have better use for it.
        let (Ok(own), Ok(shared)) = (stages.visits.acquire().await, stages.pool.visits.acquire().await)
        else {
            return Err(NoLeave::Stopped);
        };
        let now = clock::now();
        let entry = match stages.book.look(server, least_rest, &mut looks, now) {
            Ok(Look::NotBefore(until)) => {
                line.rests_until = line.rests_until.max(until);
                let first = looks.first.unwrap_or(now);
                if until.since(first) > LONGEST_HOLD {
                    return Err(NoLeave::Elsewhere);
                }
                wait.get_or_insert_with(|| Wait::begin(server, first, stages));
                continue;
            }
            Ok(Look::Yours(entry)) => Some(entry),
            Err(fault) => {
                complain(&fault, stages);
                None
            }
        };
        return Ok(((own, shared), Leave { entry, turn, politeness, crawl_delay }));
    }
}

impl Line {
    /// One request. The server rests from its end on.
    pub async fn fetch(
        &mut self,
        url: &CanonicalUrl,
        via: Option<&str>,
        leave: Leave<'_>,
        stages: &Stages,
    ) -> Result<Capture, FetchError> {
        let begun = clock::now();
        let fetched = stages.web.fetch(url, self.address, &mut self.connection, via, begun).await;
        self.rest = rest_after(leave.politeness, clock::elapsed(begun), leave.crawl_delay);
        self.rests_until = clock::after(self.rest);
        if let Some(Err(fault)) = leave.entry.map(|entry| entry.close(self.rests_until, self.rest)) {
            complain(&fault, stages);
        }
        drop(leave.turn);
        fetched
    }

    /// The server wants to rest longer than its last request told.
    pub fn lengthen_rest(&mut self, until: Time, stages: &Stages) {
        self.rests_until = self.rests_until.max(until);
        if let Err(fault) = stages.book.lengthen(self.server(), self.rests_until, clock::now()) {
            complain(&fault, stages);
        }
    }
}

fn complain(fault: &io::Error, stages: &Stages) {
    if let Some(complaint) = stages.book.complaint(fault) {
        stages.keeper.event(Severity::Warning, "politeness", complaint);
    }
}

/// A wait for another crawl, for everybody to see while it lasts.
struct Wait<'a> {
    server: IpAddr,
    stages: &'a Stages,
}

impl<'a> Wait<'a> {
    fn begin(server: IpAddr, since: Time, stages: &'a Stages) -> Wait<'a> {
        stages.book.waits_for(server, Some(since));
        Wait { server, stages }
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        self.stages.book.waits_for(self.server, None);
    }
}
