//! When a crawl has had enough: pages, bytes, time, in all and per seed. What one site may have is decided at its
//! lease, in `turn.rs`.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use annalist_model::Time;
use annalist_model::spec::{Limits, Seed, Spec};

use crate::counters::Counters;

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

impl Ending {
    /// Why, in words.
    pub fn told(self) -> &'static str {
        match self {
            Ending::Complete => "nothing is left to fetch",
            Ending::PageLimit => "the page limit is reached",
            Ending::SizeLimit => "the size limit is reached",
            Ending::TimeLimit => "the time limit is reached",
            Ending::Interrupted => "it was told to stop",
            Ending::DiskFull => "it was told to stop while the disk was full",
        }
    }
}

/// Counts visits as they begin, so that no limit is passed by those under way.
#[derive(Debug)]
pub struct Budget {
    bounds: Bounds,
    began: Time,
    begun: AtomicU64,
    /// Begun and not ended: they may still give their page back.
    under_way: AtomicU64,
    received: AtomicU64,
    seeds: RwLock<Vec<SeedBudget>>,
    /// Visits begun on each site, where sites have limits.
    sites: Mutex<HashMap<u64, u64>>,
}

/// When more sites than this have begun, they are counted anew from what is acknowledged.
const MANY_SITES: usize = 1_000_000;

/// Limits that may change while a crawl runs; the largest number stands for none.
#[derive(Debug)]
struct Bounds {
    pages: AtomicU64,
    size_bytes: AtomicU64,
    ends: AtomicU64,
}

impl Bounds {
    fn new() -> Bounds {
        let none = || AtomicU64::new(u64::MAX);
        Bounds { pages: none(), size_bytes: none(), ends: none() }
    }

    /// Time counts from `began` on.
    fn set(&self, pages: Option<u64>, size_bytes: Option<u64>, time: Option<Duration>, began: Time) {
        self.pages.store(pages.unwrap_or(u64::MAX), Ordering::SeqCst);
        self.size_bytes.store(size_bytes.unwrap_or(u64::MAX), Ordering::SeqCst);
        let ends = time.map_or(u64::MAX, |limit| began.plus(limit).millis());
        self.ends.store(ends, Ordering::SeqCst);
    }

    fn pages(&self) -> u64 {
        self.pages.load(Ordering::SeqCst)
    }

    fn is_over(&self, now: Time) -> bool {
        now.millis() >= self.ends.load(Ordering::SeqCst)
    }

    fn is_full(&self, received: u64) -> bool {
        received >= self.size_bytes.load(Ordering::SeqCst)
    }
}

#[derive(Debug)]
struct SeedBudget {
    bounds: Bounds,
    begun: AtomicU64,
    received: AtomicU64,
}

/// What earlier runs of the same crawl acknowledged.
#[derive(Debug, Default)]
pub struct Before {
    pub pages: u64,
    pub bytes: u64,
    /// Pages and bytes by the seed's number.
    pub by_seed: Vec<(u64, u64)>,
}

impl Before {
    pub fn of(counters: &Counters, spec: &Spec) -> Before {
        let of = |counts: &BTreeMap<u32, u64>, seed: u32| counts.get(&seed).copied().unwrap_or_default();
        let by_seed = (0u32..)
            .take(spec.seeds.len())
            .map(|seed| (of(&counters.by_seed, seed), of(&counters.bytes_by_seed, seed)));
        Before { pages: counters.pages, bytes: counters.bytes, by_seed: by_seed.collect() }
    }
}

/// What came of asking for one more visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowance {
    Granted,
    /// The link's seed has had its share; others may go on.
    SeedSpent {
        why: &'static str,
    },
    /// The whole crawl has had its share.
    Spent,
}

impl Budget {
    /// The budget of a run that begins now.
    pub fn new(limits: &Limits, seeds: &[Seed], before: &Before, now: Time) -> Budget {
        let seed_budget = |n: usize| {
            let (pages, bytes) = before.by_seed.get(n).copied().unwrap_or_default();
            SeedBudget::new(pages, bytes)
        };
        let budget = Budget {
            bounds: Bounds::new(),
            began: now,
            begun: AtomicU64::new(before.pages),
            under_way: AtomicU64::new(0),
            received: AtomicU64::new(before.bytes),
            seeds: RwLock::new((0..seeds.len()).map(seed_budget).collect()),
            sites: Mutex::default(),
        };
        budget.change(limits, seeds);
        budget
    }

    /// From now on these limits count; seeds are those it has, in their order, and perhaps more.
    pub fn change(&self, limits: &Limits, seeds: &[Seed]) {
        self.bounds.set(limits.pages, limits.size_bytes, limits.time, self.began);
        let mut own = self.seeds.write().unwrap_or_else(PoisonError::into_inner);
        for (n, seed) in seeds.iter().enumerate() {
            if n >= own.len() {
                own.push(SeedBudget::new(0, 0));
            }
            own[n].bounds.set(seed.pages, seed.size_bytes, seed.time, self.began);
        }
        self.sites.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn seeds(&self) -> RwLockReadGuard<'_, Vec<SeedBudget>> {
        self.seeds.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// One more visit for a descendant of that seed.
    pub fn begin(&self, seed: u32, now: Time) -> Allowance {
        if let Some(why) = self.seeds().get(seed as usize).and_then(|own| own.begin(now)) {
            return Allowance::SeedSpent { why };
        }
        if add_within(&self.begun, self.bounds.pages()) {
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
        if let Some(own) = self.seeds().get(seed as usize) {
            own.begun.fetch_sub(1, Ordering::Relaxed);
        }
    }

    pub fn received(&self, seed: u32, bytes: u64) {
        self.received.fetch_add(bytes, Ordering::Relaxed);
        if let Some(own) = self.seeds().get(seed as usize) {
            own.received.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// The limit that is reached, if one is.
    pub fn reached(&self, now: Time) -> Option<Ending> {
        if self.bounds.is_over(now) {
            return Some(Ending::TimeLimit);
        }
        if self.bounds.is_full(self.received.load(Ordering::Relaxed)) {
            return Some(Ending::SizeLimit);
        }
        let spent = self.is_spent() && self.under_way.load(Ordering::SeqCst) == 0;
        spent.then_some(Ending::PageLimit)
    }

    /// No further visit may begin, though those under way may still make room for one.
    pub fn is_spent(&self) -> bool {
        self.begun.load(Ordering::SeqCst) >= self.bounds.pages()
    }
}

impl SeedBudget {
    fn new(pages: u64, bytes: u64) -> SeedBudget {
        let (begun, received) = (AtomicU64::new(pages), AtomicU64::new(bytes));
        SeedBudget { bounds: Bounds::new(), begun, received }
    }

    /// One more visit, or why there can be none.
    fn begin(&self, now: Time) -> Option<&'static str> {
        if self.bounds.is_over(now) {
            return Some("its seed's time limit is reached");
        }
        if self.bounds.is_full(self.received.load(Ordering::Relaxed)) {
            return Some("its seed's size limit is reached");
        }
        (!add_within(&self.begun, self.bounds.pages())).then_some("its seed's page limit is reached")
    }
}

fn add_within(counter: &AtomicU64, limit: u64) -> bool {
    counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| (n < limit).then_some(n + 1)).is_ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use annalist_model::spec::{Limits, Seed};
    use annalist_model::{CanonicalUrl, Time};

    use super::{Allowance, Before, Budget, Ending};

    const NOW: Time = Time::from_millis(1);

    fn seed(pages: Option<u64>) -> Seed {
        Seed { pages, ..Seed::new(CanonicalUrl::parse("http://a.test/").unwrap()) }
    }

    fn is_spent(allowance: Allowance, limit: &str) -> bool {
        matches!(allowance, Allowance::SeedSpent { why } if why.contains(limit))
    }

    #[test]
    fn no_more_visits_begin_than_pages_are_allowed() {
        let limits = Limits { pages: Some(3), ..Limits::default() };
        let budget = Budget::new(&limits, &[seed(Some(2)), seed(None)], &Before::default(), NOW);
        assert_eq!(budget.begin(0, NOW), Allowance::Granted);
        assert_eq!(budget.begin(0, NOW), Allowance::Granted);
        assert!(is_spent(budget.begin(0, NOW), "page limit"));
        assert_eq!(budget.reached(NOW), None);
        assert_eq!(budget.begin(1, NOW), Allowance::Granted);
        assert_eq!(budget.begin(1, NOW), Allowance::Spent);
        assert_eq!(budget.reached(NOW), None, "three are under way");
        budget.give_back(0);
        assert_eq!(budget.begin(0, NOW), Allowance::Granted);
        for _ in 0..3 {
            budget.done();
        }
        assert_eq!(budget.reached(NOW), Some(Ending::PageLimit));
    }

    #[test]
    fn a_seed_may_have_its_own_share_of_bytes_and_time() {
        let seeds = [
            Seed { size_bytes: Some(100), ..seed(None) },
            Seed { time: Some(Duration::from_millis(5)), ..seed(None) },
        ];
        let before = Before { by_seed: vec![(7, 60)], ..Before::default() };
        let budget = Budget::new(&Limits::default(), &seeds, &before, NOW);
        assert_eq!(budget.begin(0, NOW), Allowance::Granted);
        budget.received(0, 40);
        assert!(is_spent(budget.begin(0, NOW), "size limit"));
        assert_eq!(budget.begin(1, NOW), Allowance::Granted);
        assert!(is_spent(budget.begin(1, Time::from_millis(6)), "time limit"));
        assert_eq!(budget.reached(Time::from_millis(6)), None, "the others go on");
    }

    #[test]
    fn earlier_runs_count() {
        let limits = Limits {
            pages: Some(3),
            size_bytes: Some(100),
            time: Some(Duration::from_millis(9)),
            ..Limits::default()
        };
        let before = Before { pages: 3, bytes: 99, by_seed: Vec::new() };
        let budget = Budget::new(&limits, &[], &before, NOW);
        assert_eq!(budget.begin(7, NOW), Allowance::Spent);
        budget.received(7, 1);
        assert_eq!(budget.reached(NOW), Some(Ending::SizeLimit));
        assert_eq!(budget.reached(Time::from_millis(10)), Some(Ending::TimeLimit));
    }
}
