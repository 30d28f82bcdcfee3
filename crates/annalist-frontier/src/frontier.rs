//! The frontier in memory: its parts, its counts, and how a site gets its place in the agenda. What it can be asked to
//! do stands in the files beside.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

use annalist_model::spec::{SiteOrder, Update};
use annalist_model::{SkipReason, Time, UrlKey};

use crate::agenda::{Agenda, Ticket, Weight};
use crate::bucket::Bucket;
use crate::entry::{Entry, SiteRow};
use crate::error::FrontierError;
use crate::hash::{Map, Set};
use crate::lease::Held;
use crate::manifest::Notes;
use crate::merge::head_limit;
use crate::passes::Arrival;
use crate::rank::Ranking;
use crate::settings::{BUCKETS, Settings, bucket_of};
use crate::site::{Phase, Site};
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
    pub(crate) stamps: u32,
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
    pub captures: u64,
    pub bytes: u64,
    /// Links known to wait; only counted while the site is in memory.
    pub queued: u64,
    pub closed: Option<SkipReason>,
}

impl Frontier {
    pub(crate) fn new(settings: Settings, worker: Worker, now: Time) -> Frontier {
        Frontier {
            update: settings.combining(),
            ranking: Ranking { order: settings.order },
            buckets: (0..BUCKETS).map(|_| Bucket::default()).collect(),
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
            stamps: 0,
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

    /// Nothing is leased, visited, ready, waiting or still to be found: only new discoveries bring new leases.
    pub fn exhausted(&self) -> bool {
        let quiet = |b: &Bucket| b.unchecked() == 0 && b.cold_from.is_none() && b.wanted.is_empty();
        self.leases.is_empty()
            && self.announced.is_empty()
            && self.ready_sites == 0
            && self.waiting_sites == 0
            && !self.at_work
            && self.arrivals.is_empty()
            && self.buckets.iter().all(quiet)
    }

    /// When the next site may be asked, for whoever got nothing from `next`. A moment that is over means: ask again
    /// soon, the frontier is looking on disk.
    pub fn next_ready_at(&self) -> Option<Time> {
        const SOON: Duration = Duration::from_millis(5);
        let quiet = |b: &Bucket| b.unchecked() == 0 && b.cold_from.is_none() && b.wanted.is_empty();
        if self.ready_sites > 0 {
            return Some(self.now);
        }
        if self.at_work || !self.arrivals.is_empty() || !self.buckets.iter().all(quiet) {
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

    pub(crate) fn site_row(&self, site: u64) -> Result<Option<SiteRow>, FrontierError> {
        let row = self.buckets[bucket_of(site)].peek(self.update, SiteRow::key(site))?;
        Ok(row.as_ref().map(SiteRow::of))
    }

    pub(crate) fn site_mut(&mut self, site: u64) -> Option<&mut Site> {
        self.buckets[bucket_of(site)].sites.get_mut(&site)
    }

    /// Leased, or visited and not committed: not to be given out again.
    pub(crate) fn is_out(&self, key: UrlKey) -> bool {
        self.announced.contains(&key)
            || self.leases.get(&key.site).is_some_and(|held| held.urls.contains(&key.url))
    }

    /// How many links a site's head may hold; fewer when there are many sites.
    pub(crate) fn head_limit(&self, queued: u64) -> usize {
        head_limit(self.least_head(), queued)
    }

    pub(crate) fn least_head(&self) -> usize {
        (self.settings.head_links() / self.loaded_sites.max(1)).clamp(8, 64)
    }

    /// Brings a site into memory; `false` when there is no room for another.
    pub(crate) fn load(&mut self, site: u64) -> Result<bool, FrontierError> {
        let (update, most) = (self.update, self.settings.bucket_sites());
        let bucket = &mut self.buckets[bucket_of(site)];
        if bucket.sites.contains_key(&site) {
            return Ok(true);
        }
        if bucket.sites.len() >= most {
            self.shed(bucket_of(site), most);
        }
        let bucket = &mut self.buckets[bucket_of(site)];
        if bucket.sites.len() >= most {
            bucket.cold_from.get_or_insert(0);
            return Ok(false);
        }
        let row = bucket.resolve(update, SiteRow::key(site))?;
        let known = SiteRow::default();
        let row = match row {
            Some(row) => SiteRow::of(&row),
            None => {
                bucket.replace(None, known.entry(site), None);
                known
            }
        };
        let mut fresh = Site::new(row, self.rest_of(&row));
        let bucket = &mut self.buckets[bucket_of(site)];
        // Other links of it may be anywhere: the first refill finds out.
        fresh.more =
            bucket.run.is_some() || bucket.frozen.is_some() || bucket.pending.of_site(site).nth(1).is_some();
        bucket.sites.insert(site, fresh);
        self.loaded_sites += 1;
        Ok(true)
    }

    /// Lets sites go that have nothing to do, then, if need be, some that have: they come back with a later pass.
    fn shed(&mut self, bucket: usize, most: usize) {
        let now = self.now;
        let bucket = &mut self.buckets[bucket];
        let free = |site: &Site| {
            site.phase != Phase::Busy && site.announced == 0 && site.rest <= now && !site.wanted
        };
        let idle = bucket.sites.values().filter(|site| free(site) && site.phase == Phase::Idle).count();
        let mut excess = (bucket.sites.len() - idle).saturating_sub(most - most / 4);
        if bucket.sites.len() - idle < most {
            excess = 0;
        }
        let mut gone = Vec::new();
        bucket.sites.retain(|_, site| {
            let goes = free(site) && (site.phase == Phase::Idle || excess > 0);
            if goes {
                excess -= usize::from(site.phase != Phase::Idle);
                gone.push(site.phase);
            }
            !goes
        });
        if gone.iter().any(|phase| *phase != Phase::Idle) {
            bucket.cold_from.get_or_insert(0);
        }
        self.loaded_sites -= gone.len();
        for phase in gone {
            self.count_phase(phase, Phase::Idle);
        }
    }

    /// What the site's own rest and a restart that nobody prepared for demand.
    pub(crate) fn rest_of(&self, row: &SiteRow) -> Time {
        let Some(restarted) = self.restarted else { return row.until };
        let delay = Duration::from_millis(u64::from(row.delay_millis)).max(self.settings.default_delay);
        row.until.max(restarted.plus(delay))
    }

    /// Takes a queued link to its place in memory: the head of its site, or aside.
    pub(crate) fn offer(&mut self, entry: &Entry) -> Result<(), FrontierError> {
        let site = entry.key.site;
        if self.is_out(entry.key) || !self.load(site)? {
            return Ok(());
        }
        let rank = self.ranking.rank(entry);
        let (now, least) = (self.now, self.least_head());
        let Some(loaded) = self.site_mut(site) else { return Ok(()) };
        match entry.not_before() {
            Some(time) if time > now => loaded.set_aside(time, rank),
            _ => loaded.offer(rank, head_limit(least, loaded.queued)),
        }
        self.wake(site);
        Ok(())
    }

    /// As `offer`, for a link that may stand in the head under another rank.
    pub(crate) fn offer_again(&mut self, entry: &Entry) -> Result<(), FrontierError> {
        if let Some(site) = self.site_mut(entry.key.site) {
            site.remove(entry.key.url);
        }
        self.offer(entry)
    }

    /// Gives a site its place in the agenda, by what it has to do and when.
    pub(crate) fn wake(&mut self, key: u64) {
        let (now, order) = (self.now, self.settings.site_order);
        let Some(site) = self.buckets[bucket_of(key)].sites.get_mut(&key) else { return };
        if site.phase == Phase::Busy {
            return;
        }
        let (phase, until) = match site.due() {
            None => (Phase::Idle, Time::default()),
            Some(due) if due <= now => (Phase::Ready, Time::default()),
            Some(due) => (Phase::Waiting, due),
        };
        let weight = weight(order, site);
        let grown = weight > site.weight && phase == Phase::Ready && weighs_more(order, weight, site.weight);
        if phase == site.phase && until == site.waits && !grown {
            return;
        }
        self.stamps = self.stamps.wrapping_add(1);
        site.stamp = self.stamps;
        (site.waits, site.weight) = (until, weight);
        let ticket = Ticket { site: key, stamp: site.stamp };
        let before = std::mem::replace(&mut site.phase, phase);
        self.count_phase(before, phase);
        match phase {
            Phase::Ready => self.agenda.ready(ticket, weight),
            Phase::Waiting => self.agenda.wait(ticket, until),
            Phase::Idle | Phase::Busy => {}
        }
    }

    /// Changes a site's phase without a ticket.
    pub(crate) fn set_phase(&mut self, key: u64, phase: Phase) {
        self.stamps = self.stamps.wrapping_add(1);
        let stamp = self.stamps;
        let Some(site) = self.site_mut(key) else { return };
        site.stamp = stamp;
        let before = std::mem::replace(&mut site.phase, phase);
        self.count_phase(before, phase);
    }

    fn count_phase(&mut self, before: Phase, after: Phase) {
        for (phase, up) in [(before, false), (after, true)] {
            let count = match phase {
                Phase::Ready => &mut self.ready_sites,
                Phase::Waiting => &mut self.waiting_sites,
                Phase::Idle | Phase::Busy => continue,
            };
            *count = if up { *count + 1 } else { count.saturating_sub(1) };
        }
    }

    /// Whether a ticket still counts.
    pub(crate) fn is_valid(&self, ticket: Ticket) -> bool {
        let site = self.buckets[bucket_of(ticket.site)].sites.get(&ticket.site);
        site.is_some_and(|site| site.stamp == ticket.stamp)
    }

    /// Void tickets may not pile up.
    pub(crate) fn tidy_agenda(&mut self) {
        if self.agenda.len() > 4 * (self.ready_sites + self.waiting_sites) + 1024 {
            let mut agenda = std::mem::replace(&mut self.agenda, Agenda::new(self.settings.site_order));
            agenda.keep(|ticket| self.is_valid(ticket));
            self.agenda = agenda;
        }
    }
}

fn weight(order: SiteOrder, site: &Site) -> Weight {
    match order {
        SiteOrder::RoundRobin => (0, 0),
        // Unknown until it is refilled, which happens when its turn comes.
        SiteOrder::BestLink if site.head.is_empty() => (u64::MAX, 0),
        SiteOrder::BestLink => site.head.best().map_or((0, 0), |rank| rank.weight()),
        SiteOrder::Largest => (site.queued, 0),
    }
}

/// Whether a site that is ready needs a better place. Sizes change with every link: small steps are not worth a ticket.
fn weighs_more(order: SiteOrder, now: Weight, then: Weight) -> bool {
    match order {
        SiteOrder::RoundRobin => false,
        SiteOrder::BestLink => true,
        SiteOrder::Largest => now.0 > then.0 + then.0 / 8,
    }
}
