//! One site in memory: its best links, its rest, its turn. On disk its state is a row like any other.

use std::time::Duration;

use annalist_model::Time;

use crate::agenda::Weight;
use crate::entry::SiteRow;
use crate::head::Head;
use crate::merge::keep_earliest;
use crate::rank::Rank;

/// Links of a site that wait for a time of their own, in memory.
const MOST_ASIDE: usize = 4096;

/// Where a site stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Nothing to do that is known.
    Idle,
    Ready,
    Waiting,
    /// Leased.
    Busy,
}

#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) row: SiteRow,
    /// Not to be asked before; may be later than what the row says, for a release comes before its commit.
    pub(crate) rest: Time,
    pub(crate) head: Head,
    /// Links that have to wait for a time of their own: to be tried again, or of a host that rests.
    pub(crate) aside: Vec<(Time, Rank)>,
    /// The store may hold queued links that are neither in the head nor set aside.
    pub(crate) more: bool,
    /// A pass over the bucket was asked for: the head fills by itself.
    pub(crate) wanted: bool,
    /// More links wait for a time of their own than are set aside.
    pub(crate) overflow: bool,
    /// Links that were mentioned, and may belong into the head for that: looked up before the next lease.
    pub(crate) doubts: Vec<u64>,
    /// What the best of them may weigh.
    pub(crate) promise: Weight,
    /// Queued links, as far as known.
    pub(crate) queued: u64,
    /// Visited links whose outcome is not committed yet.
    pub(crate) announced: u32,
    pub(crate) phase: Phase,
    /// Of its ticket in the agenda.
    pub(crate) stamp: u32,
    /// What it weighed when it got its ticket.
    pub(crate) weight: Weight,
    /// Until when it waits.
    pub(crate) waits: Time,
}

impl Site {
    pub(crate) fn new(row: SiteRow, rest: Time) -> Site {
        Site {
            row,
            rest,
            head: Head::default(),
            aside: Vec::new(),
            more: false,
            wanted: false,
            overflow: false,
            doubts: Vec::new(),
            promise: (0, 0),
            queued: 0,
            announced: 0,
            phase: Phase::Idle,
            stamp: 0,
            weight: (0, 0),
            waits: Time::default(),
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.row.closed.is_some()
    }

    pub(crate) fn delay(&self) -> Duration {
        Duration::from_millis(u64::from(self.row.delay_millis))
    }

    /// When there is something to ask it for; `None` when nothing is known.
    pub(crate) fn due(&self) -> Option<Time> {
        if self.is_closed() {
            return None;
        }
        // A pass that was asked for sees what is in doubt.
        let in_store = if self.more { !self.wanted } else { !self.doubts.is_empty() };
        if !self.head.is_empty() || in_store {
            return Some(self.rest);
        }
        self.aside.iter().map(|(time, _)| *time).min().map(|time| time.max(self.rest))
    }

    pub(crate) fn is_aside(&self, url: u64) -> bool {
        self.aside.iter().any(|(_, rank)| rank.url == url)
    }

    pub(crate) fn remove(&mut self, url: u64) {
        self.head.remove_url(url);
        self.aside.retain(|(_, rank)| rank.url != url);
    }

    /// Takes a queued link into the head if that is its place. Where the store may hold better ones than the worst of
    /// the head, only what beats that one does: the others come with the next refill.
    pub(crate) fn offer(&mut self, rank: Rank, limit: usize) {
        if self.more && self.head.worst().is_none_or(|worst| rank < *worst) {
            return;
        }
        self.more |= self.head.insert(rank, limit);
    }

    /// Sets a link aside until its time; what is too much stays in the store.
    pub(crate) fn set_aside(&mut self, until: Time, rank: Rank) {
        if self.aside.len() >= MOST_ASIDE {
            self.overflow = true;
        } else if !self.is_aside(rank.url) {
            self.aside.push((until, rank));
        }
    }

    /// Sets links aside that are to be tried again and are not here yet, the earliest first.
    pub(crate) fn set_all_aside(&mut self, mut later: Vec<Rank>) {
        let room = MOST_ASIDE.saturating_sub(self.aside.len());
        self.overflow |= later.len() > room;
        keep_earliest(&mut later, room);
        self.aside.extend(later.into_iter().map(|rank| (rank.not_before(), rank)));
    }

    /// Takes out the links whose time has come.
    pub(crate) fn take_due(&mut self, now: Time) -> Vec<u64> {
        if self.aside.iter().all(|(time, _)| *time > now) {
            return Vec::new();
        }
        let (due, waiting): (Vec<_>, Vec<_>) = self.aside.drain(..).partition(|(time, _)| *time <= now);
        self.aside = waiting;
        self.more |= std::mem::take(&mut self.overflow);
        due.into_iter().map(|(_, rank)| rank.url).collect()
    }
}
