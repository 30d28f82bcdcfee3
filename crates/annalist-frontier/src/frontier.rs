//! The frontier in memory: its parts and its counts. What it can be asked to do stands in the files beside.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use annalist_model::spec::Update;
use annalist_model::{SkipReason, Time, UrlKey};

use crate::agenda::Agenda;
use crate::bucket::Bucket;
use crate::error::FrontierError;
use crate::excerpt::Excerpts;
use crate::hash::{Map, Set};
use crate::lease::Held;
use crate::manifest::Notes;
use crate::passes::Arrival;
use crate::pending::Pending;
use crate::rank::Ranking;
use crate::settings::{BUCKETS, Settings, bucket_of};
use crate::worker::Worker;

/// Which link is next, and when its site may be asked. Made by [`crate::open`].
#[derive(Debug)]
pub struct Frontier {
    pub(crate) settings: Settings,
    pub(crate) update: Update,
    pub(crate) ranking: Ranking,
    pub(crate) buckets: Vec<Bucket>,
    pub(crate) agenda: Agenda,
    /// By site: one at a time.
    pub(crate) leases: Map<u64, Held>,
    pub(crate) expiries: BinaryHeap<Reverse<(Time, u64, u64)>>,
    pub(crate) next_lease: u64,
    /// Visited, and the outcome not committed yet: not to be leased again.
    pub(crate) announced: Set<UrlKey>,
    pub(crate) notes: Notes,
    /// Journal position and sequence number after what was applied.
    pub(crate) position: u64,
    pub(crate) sequence: u64,
    pub(crate) worker: Worker,
    /// The worker has a job.
    pub(crate) at_work: bool,
    /// What passes found, not taken in yet.
    pub(crate) arrivals: VecDeque<Arrival>,
    /// The latest moment anyone told.
    pub(crate) now: Time,
    /// When the last process did not end well: nothing is known of what it asked last.
    pub(crate) restarted: Option<Time>,
    pub(crate) trouble: Option<(Time, FrontierError)>,
    pub(crate) broken: bool,
    /// Look-ups on disk that are left for mentions of this transaction.
    pub(crate) lookups_left: u32,
    /// Mentions in doubt, of all sites.
    pub(crate) doubts: usize,
    pub(crate) stamps: u32,
    /// Queued links when a pass last ended.
    pub(crate) queued: u64,
    pub(crate) loaded_sites: usize,
    pub(crate) ready_sites: usize,
    pub(crate) waiting_sites: usize,
}

/// How many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Counts {
    /// Links that wait for their turn, leased ones and those of closed sites included.
    pub queued: u64,
    /// Links that are leased.
    pub leased: u64,
    /// Links visited, whose outcome is not committed yet.
    pub announced: u64,
    pub done: u64,
    pub refused: u64,
    /// Mentions in memory: whether their links are new is known after the next merge.
    pub unchecked: u64,
    pub sites: u64,
    pub closed_sites: u64,
    /// Sites that could be leased now.
    pub ready_sites: u64,
    /// Sites that wait for a time.
    pub waiting_sites: u64,
}

/// What one site came to so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SiteCounts {
    /// Of pages: robots.txt is none.
    pub captures: u64,
    pub bytes: u64,
    /// Links known to wait; only counted while the site is in memory.
    pub queued: u64,
    pub closed: Option<SkipReason>,
}

impl Frontier {
    pub(crate) fn new(
        settings: Settings,
        worker: Worker,
        excerpts: Option<Arc<Excerpts>>,
        now: Time,
    ) -> Frontier {
        let pending = Pending::new(excerpts);
        Frontier {
            update: settings.combining(),
            ranking: Ranking { order: settings.order },
            buckets: (0..BUCKETS).map(|_| Bucket::new(pending.sibling())).collect(),
            agenda: Agenda::new(settings.site_order),
            leases: Map::default(),
            expiries: BinaryHeap::new(),
            next_lease: 1,
            announced: Set::default(),
            notes: Notes::new(),
            position: 0,
            sequence: 1,
            worker,
            at_work: false,
            arrivals: VecDeque::new(),
            now,
            restarted: None,
            trouble: None,
            broken: false,
            lookups_left: 0,
            doubts: 0,
            stamps: 0,
            queued: 0,
            loaded_sites: 0,
            ready_sites: 0,
            waiting_sites: 0,
            settings,
        }
    }

    /// Memory for new links is full: hold back what discovers, until a merge is done. Leasing goes on.
    pub fn crowded(&self) -> bool {
        self.pending_bytes() >= self.settings.pending_bytes()
    }

    /// Why merging does not get on, if it does not: a full disk, say. It is tried again by itself.
    pub fn trouble(&self) -> Option<&FrontierError> {
        self.trouble.as_ref().map(|(_, error)| error)
    }

    pub(crate) fn pending_bytes(&self) -> u64 {
        self.buckets.iter().map(Bucket::memory_bytes).sum()
    }

    pub fn counts(&self) -> Counts {
        let tally = self.buckets.iter().fold(Default::default(), |sum, b: &Bucket| b.tally().plus(sum));
        let count = |n: i64| u64::try_from(n).unwrap_or(0);
        Counts {
            queued: count(tally.queued),
            leased: self.leases.values().map(|held| held.urls.len() as u64).sum(),
            announced: self.announced.len() as u64,
            done: count(tally.done),
            refused: count(tally.refused),
            unchecked: self.buckets.iter().map(Bucket::unchecked).sum(),
            sites: count(tally.sites),
            closed_sites: count(tally.closed),
            ready_sites: self.ready_sites as u64,
            waiting_sites: self.waiting_sites as u64,
        }
    }

    /// The best value of all links whose sites may be asked by then, as far as it is known without the disk. Only where
    /// values order links.
    pub fn best_value(&self, by: Time) -> Option<f32> {
        let sites = self.buckets.iter().flat_map(|bucket| bucket.sites.values());
        let open = sites.filter(|site| site.row.closed.is_none() && site.rest <= by);
        open.filter_map(|site| Some(site.head.best()?.value())).max_by(f32::total_cmp)
    }

    /// Nothing is leased, visited, ready, waiting or still to be found: only new discoveries bring new leases.
    pub fn exhausted(&self) -> bool {
        self.leases.is_empty()
            && self.announced.is_empty()
            && self.ready_sites == 0
            && self.waiting_sites == 0
            && !self.is_looking()
    }

    /// Something may still be found on disk.
    fn is_looking(&self) -> bool {
        let quiet = |b: &Bucket| b.unchecked() == 0 && b.cold_from.is_none() && b.wanted.is_empty();
        self.at_work || !self.arrivals.is_empty() || !self.buckets.iter().all(quiet)
    }

    /// When the next site may be asked, for whoever got nothing from `next`. A moment that is over means: ask again
    /// soon, the frontier is looking on disk.
    pub fn next_ready_at(&self) -> Option<Time> {
        const SOON: Duration = Duration::from_millis(5);
        if self.ready_sites > 0 {
            return Some(self.now);
        }
        if self.is_looking() {
            return Some(self.now.plus(SOON));
        }
        let expiry = self.expiries.peek().map(|Reverse((time, _, _))| *time);
        let site = self.agenda.earliest().map(|(time, _)| time);
        expiry.into_iter().chain(site).min()
    }

    pub fn note(&self, name: &str) -> Option<&[u8]> {
        self.notes.get(name).map(Vec::as_slice)
    }

    pub fn site_counts(&self, site: u64) -> Result<SiteCounts, FrontierError> {
        let bucket = &self.buckets[bucket_of(site)];
        let loaded = bucket.sites.get(&site);
        let row = match loaded {
            Some(loaded) => loaded.row,
            None => self.site_row(site)?.unwrap_or_default(),
        };
        Ok(SiteCounts {
            captures: u64::from(row.captures),
            bytes: row.bytes,
            queued: loaded.map_or(0, |loaded| loaded.queued),
            closed: row.closed,
        })
    }
}
