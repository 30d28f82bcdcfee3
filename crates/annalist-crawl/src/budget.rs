//! When a crawl has had enough: pages, bytes, time, in all and per seed. What one site may have is decided at its
//! lease, in `turn.rs`.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use annalist_model::Time;
use annalist_model::spec::{Limits, Seed};

/// Why a crawl ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing is left to fetch.
    Complete,
    PageLimit,
    SizeLimit,
    TimeLimit,
    /// Somebody asked it to stop.
    Interrupted,
    /// Asked to stop while the disk was full.
    DiskFull,
}

/// Counts visits as they begin, so that no limit is passed by those under way.
#[derive(Debug)]
pub struct Budget {
    pages: Option<u64>,
    size_bytes: Option<u64>,
    ends: Option<Time>,
    begun: AtomicU64,
    /// Begun and not ended: they may still give their page back.
    under_way: AtomicU64,
    received: AtomicU64,
    seeds: Vec<SeedBudget>,
    /// Visits begun on each site, where sites have limits.
    sites: Mutex<HashMap<u64, u64>>,
}

/// When more sites than this have begun, they are counted anew from what is acknowledged.
const MANY_SITES: usize = 1_000_000;

#[derive(Debug)]
struct SeedBudget {
    pages: Option<u64>,
    begun: AtomicU64,
}

/// What came of asking for one more visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowance {
    Granted,
    /// The link's seed has had its share; others may go on.
    SeedSpent,
    /// The whole crawl has had its share.
    Spent,
}

impl Budget {
    /// `pages_before`, `bytes_before` and `by_seed`: what earlier runs of the same crawl acknowledged.
    pub fn new(
        limits: &Limits,
        seeds: &[Seed],
        pages_before: u64,
        bytes_before: u64,
        by_seed: &[u64],
        ends: Option<Time>,
    ) -> Budget {
        let seed_budget = |(n, seed): (usize, &Seed)| SeedBudget {
            pages: seed.pages,
            begun: AtomicU64::new(by_seed.get(n).copied().unwrap_or(0)),
        };
        Budget {
            pages: limits.pages,
            size_bytes: limits.size_bytes,
            ends,
            begun: AtomicU64::new(pages_before),
            under_way: AtomicU64::new(0),
            received: AtomicU64::new(bytes_before),
            seeds: seeds.iter().enumerate().map(seed_budget).collect(),
            sites: Mutex::default(),
        }
    }

    /// One more visit for a descendant of that seed.
    pub fn begin(&self, seed: u32) -> Allowance {
        if let Some(own) = self.seeds.get(seed as usize)
            && !add_within(&own.begun, own.pages)
        {
            return Allowance::SeedSpent;
        }
        if add_within(&self.begun, self.pages) {
            self.under_way.fetch_add(1, Ordering::SeqCst);
            return Allowance::Granted;
        }
        self.seed_back(seed);
        Allowance::Spent
    }

    /// One more visit on a site that may have `limit`; `captures` of it are acknowledged.
    pub fn begin_on_site(&self, site: u64, captures: u64, limit: u64) -> bool {
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        if sites.len() >= MANY_SITES {
            sites.clear();
        }
        let begun = sites.entry(site).or_insert(captures);
        if *begun >= limit {
            return false;
        }
        *begun += 1;
        true
    }

    /// A visit on a site that brought nothing. Sites without limits are not counted.
    pub fn give_back_on_site(&self, site: u64) {
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(begun) = sites.get_mut(&site) {
            *begun = begun.saturating_sub(1);
        }
    }

    /// A visit brought its capture.
    pub fn done(&self) {
        self.under_way.fetch_sub(1, Ordering::SeqCst);
    }

    /// A visit that brought no capture does not count.
    pub fn give_back(&self, seed: u32) {
        self.begun.fetch_sub(1, Ordering::SeqCst);
        self.under_way.fetch_sub(1, Ordering::SeqCst);
        self.seed_back(seed);
    }

    fn seed_back(&self, seed: u32) {
        if let Some(own) = self.seeds.get(seed as usize) {
            own.begun.fetch_sub(1, Ordering::Relaxed);
        }
    }

    pub fn received(&self, bytes: u64) {
        self.received.fetch_add(bytes, Ordering::Relaxed);
    }

    /// The limit that is reached, if one is.
    pub fn reached(&self, now: Time) -> Option<Ending> {
        if self.ends.is_some_and(|ends| now >= ends) {
            return Some(Ending::TimeLimit);
        }
        if self.size_bytes.is_some_and(|limit| self.received.load(Ordering::Relaxed) >= limit) {
            return Some(Ending::SizeLimit);
        }
        let spent = self.is_spent() && self.under_way.load(Ordering::SeqCst) == 0;
        spent.then_some(Ending::PageLimit)
    }

    /// No further visit may begin, though those under way may still make room for one.
    pub fn is_spent(&self) -> bool {
        self.pages.is_some_and(|limit| self.begun.load(Ordering::SeqCst) >= limit)
    }
}

fn add_within(counter: &AtomicU64, limit: Option<u64>) -> bool {
    let limit = limit.unwrap_or(u64::MAX);
    counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| (n < limit).then_some(n + 1)).is_ok()
}

#[cfg(test)]
mod tests {
    use annalist_model::spec::{Limits, ScopeKind, Seed};
    use annalist_model::{CanonicalUrl, Score, Time};

    use super::{Allowance, Budget, Ending};

    fn seed(pages: Option<u64>) -> Seed {
        let url = CanonicalUrl::parse("http://a.test/").unwrap();
        Seed { url, scope: ScopeKind::Host, depth: None, pages, score: Score::ONE }
    }

    #[test]
    fn no_more_visits_begin_than_pages_are_allowed() {
        let limits = Limits { pages: Some(3), ..Limits::default() };
        let budget = Budget::new(&limits, &[seed(Some(2)), seed(None)], 0, 0, &[], None);
        assert_eq!(budget.begin(0), Allowance::Granted);
        assert_eq!(budget.begin(0), Allowance::Granted);
        assert_eq!(budget.begin(0), Allowance::SeedSpent);
        assert_eq!(budget.reached(Time::from_millis(1)), None);
        assert_eq!(budget.begin(1), Allowance::Granted);
        assert_eq!(budget.begin(1), Allowance::Spent);
        assert_eq!(budget.reached(Time::from_millis(1)), None, "three are under way");
        budget.give_back(0);
        assert_eq!(budget.begin(0), Allowance::Granted);
        for _ in 0..3 {
            budget.done();
        }
        assert_eq!(budget.reached(Time::from_millis(1)), Some(Ending::PageLimit));
    }

    #[test]
    fn earlier_runs_count() {
        let limits = Limits { pages: Some(3), size_bytes: Some(100), ..Limits::default() };
        let budget = Budget::new(&limits, &[], 3, 99, &[], Some(Time::from_millis(10)));
        assert_eq!(budget.begin(7), Allowance::Spent);
        budget.received(1);
        assert_eq!(budget.reached(Time::from_millis(1)), Some(Ending::SizeLimit));
        assert_eq!(budget.reached(Time::from_millis(10)), Some(Ending::TimeLimit));
    }
}
