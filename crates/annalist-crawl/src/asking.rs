//! What has to be so just before a request: the server has rested, a visit's place is free, and no other crawl on this
//! machine is asking the same server. Every request gets its leave here.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use annalist_model::{CanonicalUrl, Capture, Time};
use annalist_sources::FetchError;
use tokio::sync::{OwnedSemaphorePermit, SemaphorePermit};

use crate::book::{Entry, Look, Looks};
use crate::clock;
use crate::delay::{rest_after, rules_for};
use crate::logs::Severity;
use crate::rest::Rest;
use crate::stages::{Line, Stages};
use crate::stop::Urge;
use crate::turn::LONGEST_HOLD;

/// A place among the visits in flight: of this crawl, and of all that share the pool.
pub type Room<'a> = (SemaphorePermit<'a>, SemaphorePermit<'a>);

/// Permission for one request over a line.
#[derive(Debug)]
pub struct Leave {
    entry: Option<Entry>,
    /// Until it is over, no other crawl of this process has the server.
    turn: OwnedSemaphorePermit,
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
    url: &CanonicalUrl,
    crawl_delay: Option<Duration>,
    stages: &'a Stages,
) -> Result<(Room<'a>, Leave), NoLeave> {
    let server = line.server();
    let (mut looks, mut wait) = (Looks::default(), None);
    let turn = queue(line, &mut wait, stages).await?;
    // What another crawl owes the server, as the book said last.
    let mut elsewhere = Time::default();
    let mut first = None;
    loop {
        match rest(line, elsewhere, stages).await {
            Rested::Yes if !stages.told.is_paused() => {}
            Rested::Yes | Rested::Stopped => return Err(NoLeave::Stopped),
            Rested::Otherwise => {
                elsewhere = Time::default();
                continue;
            }
        }
        // Not kept while waiting: others have better use for it.
        let (Ok(own), Ok(shared)) = (stages.visits.acquire().await, stages.pool.visits.acquire().await)
        else {
            return Err(NoLeave::Stopped);
        };
        let rules = rules_for(&stages.spec(), url.host_name(), url.site());
        let least_rest = rest_after(&rules.politeness, Duration::ZERO, crawl_delay);
        // What this process knows holds, whether the book can be used or not.
        let look = match stages.owing.rests_until(server, clock::now) {
            Some(until) => Ok(Look::NotBefore(until)),
            None => stages.book.look(server, least_rest, &mut looks, clock::now),
        };
        let entry = match look {
            Ok(Look::NotBefore(until)) => {
                let first = *first.get_or_insert_with(clock::now);
                if until.since(first) > LONGEST_HOLD {
                    line.rest.lengthen(until);
                    return Err(NoLeave::Elsewhere);
                }
                elsewhere = until;
                wait.get_or_insert_with(|| Wait::begin(server, first, stages));
                continue;
            }
            Ok(Look::Yours(entry)) => Some(entry),
            Err(fault) => {
                complain(&fault, stages);
                None
            }
        };
        stages.owing.begin(server, least_rest, clock::now());
        return Ok(((own, shared), Leave { entry, turn, crawl_delay }));
    }
}

/// Waits for the server's turn among the crawls of this process.
async fn queue<'a>(
    line: &mut Line,
    wait: &mut Option<Wait<'a>>,
    stages: &'a Stages,
) -> Result<OwnedSemaphorePermit, NoLeave> {
    let queue = stages.pool.queues.of(line.server());
    if let Ok(turn) = Arc::clone(&queue).try_acquire_owned() {
        return Ok(turn);
    }
    *wait = Some(Wait::begin(line.server(), clock::now(), stages));
    let turn = queue.acquire_owned();
    tokio::pin!(turn);
    loop {
        let otherwise = stages.pool.shorter_rests.notified();
        tokio::pin!(otherwise);
        otherwise.as_mut().enable();
        // Who has the turn may be waiting for a rest that this crawl owes the server no more.
        line.shorten_rest(stages);
        tokio::select! {
            turn = &mut turn => return turn.map_err(|_| NoLeave::Stopped),
            () = otherwise => {}
            () = stages.stop.reached(Urge::Finish) => return Err(NoLeave::Stopped),
        }
    }
}

enum Rested {
    Yes,
    /// Some rest may have become shorter.
    Otherwise,
    Stopped,
}

/// Waits until the server has rested, by the delays of now, and longer where another crawl owes it that.
async fn rest(line: &mut Line, elsewhere: Time, stages: &Stages) -> Rested {
    let otherwise = stages.pool.shorter_rests.notified();
    tokio::pin!(otherwise);
    // Before looking: a change in between is not missed.
    otherwise.as_mut().enable();
    line.shorten_rest(stages);
    let until = line.rest.until(&stages.spec()).max(elsewhere);
    tokio::select! {
        () = clock::sleep_until(until) => Rested::Yes,
        () = otherwise => Rested::Otherwise,
        () = stages.stop.reached(Urge::Finish) => Rested::Stopped,
    }
}

impl Line {
    /// One request. The server rests from its end on.
    pub async fn fetch(
        &mut self,
        url: &CanonicalUrl,
        via: Option<&str>,
        leave: Leave,
        stages: &Stages,
    ) -> Result<Capture, FetchError> {
        let begun = clock::now();
        let fetched = stages.web.fetch(url, self.address, &mut self.connection, via, begun).await;
        let took = clock::elapsed(begun);
        self.rest = Rest::after(url, clock::now(), took, leave.crawl_delay);
        let spec = stages.spec();
        let (until, delay) = (self.rest.until(&spec), self.rest.delay(&spec));
        stages.owing.owe(self.server(), until, delay, clock::now());
        if let Some(entry) = leave.entry {
            match entry.close(until, delay) {
                Ok(()) => stages.book.owe(self.server(), until, clock::now()),
                Err(fault) => complain(&fault, stages),
            }
        }
        drop(leave.turn);
        fetched
    }

    /// The answer says how long the server wants to rest after each request.
    pub fn learn_crawl_delay(&mut self, crawl_delay: Option<Duration>, stages: &Stages) {
        self.rest.with_crawl_delay(crawl_delay);
        let until = self.rest.until(&stages.spec());
        stages.owing.lengthen(self.server(), until, clock::now());
        if let Err(fault) = stages.book.lengthen(self.server(), until, clock::now()) {
            complain(&fault, stages);
        }
    }

    /// Where the delays have become shorter, other crawls need not wait either for what this one owed the server.
    fn shorten_rest(&self, stages: &Stages) {
        let until = self.rest.until(&stages.spec());
        let mut is_shorter = stages.owing.shorten(self.server(), until);
        match stages.book.shorten(self.server(), until) {
            Ok(in_book) => is_shorter |= in_book,
            Err(fault) => complain(&fault, stages),
        }
        if is_shorter {
            stages.pool.shorter_rests.notify_waiters();
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
