//! Whatever happens, and in whatever order, the frontier does what a plain map would do; it only does it on disk.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails where it stands")]

mod reference;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use annalist_disk::SimDisk;
use annalist_frontier::{
    Change, Frontier, Journal, Lease, Merging, Purpose, Settings, Transaction, Urgency, host_key, open,
};
use annalist_model::spec::{Order, SiteOrder, Update};
use annalist_model::{Link, Outcome, SkipReason, Time, UrlKey};
use proptest::prelude::*;
use reference::{Reference, RowState, found, url};

const DIR: &str = "/frontier";
const DELAY: Duration = Duration::from_secs(2);
const SITES: usize = 3;

#[derive(Clone, Debug)]
enum Step {
    Discover(Vec<(usize, usize, usize, u8, bool)>),
    Refuse(usize, usize, usize),
    Value(usize, usize, usize, u8),
    RestHost(usize, usize, u64),
    Close(usize),
    Open(usize),
    Requeue(usize, usize, usize),
    /// Time passes, and a lease is asked for.
    Lease(u64),
    /// The oldest lease ends; for each link: done, tried again after some seconds, not visited, or done and to be visited
    /// again.
    Release(Vec<u8>, u64),
    /// What was visited is committed.
    Commit,
    Checkpoint,
    Crash,
    Close1,
}

fn step(pages: usize) -> impl Strategy<Value = Step> {
    let link = move || (0..SITES, 0..2usize, 0..pages);
    let mention = (0..SITES, 0..2usize, 0..pages, 0..8u8, prop::bool::weighted(0.1));
    prop_oneof![
        6 => prop::collection::vec(mention, 1..20).prop_map(Step::Discover),
        1 => link().prop_map(|(s, h, p)| Step::Refuse(s, h, p)),
        2 => (link(), 0..8u8).prop_map(|((s, h, p), v)| Step::Value(s, h, p, v)),
        1 => (0..SITES, 0..2usize, 1..20u64).prop_map(|(s, h, t)| Step::RestHost(s, h, t)),
        1 => (0..8usize).prop_map(Step::Close),
        2 => (0..SITES).prop_map(Step::Open),
        2 => link().prop_map(|(s, h, p)| Step::Requeue(s, h, p)),
        8 => (0..4u64).prop_map(Step::Lease),
        6 => (prop::collection::vec(0..5u8, 4), 0..5u64).prop_map(|(c, t)| Step::Release(c, t)),
        3 => Just(Step::Commit),
        1 => Just(Step::Checkpoint),
        1 => Just(Step::Crash),
        1 => Just(Step::Close1),
    ]
}

fn orders() -> impl Strategy<Value = (Order, Update, SiteOrder)> {
    let order = prop_oneof![
        4 => Just(Order::BestFirst),
        1 => Just(Order::BreadthFirst),
        1 => Just(Order::InDegree),
        1 => Just(Order::Opic),
    ];
    let update =
        prop::sample::select(vec![Update::First, Update::Last, Update::Max, Update::Sum, Update::Avg]);
    let site = prop::sample::select(vec![SiteOrder::RoundRobin, SiteOrder::BestLink, SiteOrder::Largest]);
    (order, update, site)
}

struct World {
    disk: SimDisk,
    settings: Settings,
    frontier: Option<Frontier>,
    journal: Journal,
    reference: Reference,
    now: Time,
    restarted: Option<Time>,
    leases: Vec<Lease>,
    visited: Vec<Change>,
    /// A site has more rows than are read in passing.
    large: bool,
}

impl World {
    fn new((order, update, site_order): (Order, Update, SiteOrder), merging: Merging) -> World {
        let settings = Settings {
            memory_bytes: 8 << 10,
            order,
            update,
            site_order,
            links_per_turn: 3,
            lease_time: Duration::from_secs(1_000_000),
            default_delay: DELAY,
            merging,
        };
        let disk = SimDisk::new();
        let now = Time::from_millis(1_700_000_000_000);
        let (frontier, journal) =
            open(Arc::new(disk.clone()), Path::new(DIR), settings.clone(), now).unwrap();
        World {
            disk,
            settings,
            frontier: Some(frontier),
            journal,
            reference: Reference::new(order, update),
            now,
            restarted: None,
            leases: Vec::new(),
            visited: Vec::new(),
            large: false,
        }
    }

    fn fill_site(&mut self, pages: usize) {
        self.large = true;
        for page in 0..pages {
            let link = |host| {
                found(url(0, host, page), (page * 7 % 16) as f32 / 8.0, Urgency::Normal, (page % 4) as u16)
            };
            self.commit(vec![link(0), link(1)]);
        }
    }

    fn frontier(&mut self) -> &mut Frontier {
        self.frontier.as_mut().unwrap()
    }

    fn difference(&self) -> Option<String> {
        self.reference.difference(self.frontier.as_ref().unwrap())
    }

    fn commit(&mut self, changes: Vec<Change>) {
        let committed = self.journal.commit(&Transaction { changes: changes.clone() }).unwrap();
        self.frontier().apply(committed).unwrap();
        self.reference.apply(&changes);
    }

    fn later(&self, seconds: u64) -> Time {
        self.now.plus(Duration::from_secs(seconds))
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Discover(links) => {
                let change = |(s, h, p, v, urgent): &(usize, usize, usize, u8, bool)| {
                    let urgency = if *urgent { Urgency::Urgent } else { Urgency::Normal };
                    found(url(*s, *h, *p), f32::from(*v) / 8.0, urgency, (*p % 4) as u16)
                };
                self.commit(links.iter().map(change).collect());
            }
            Step::Refuse(s, h, p) => {
                let link = Link { depth: (*p % 4) as u16, ..Link::seed(url(*s, *h, *p), 0) };
                self.commit(vec![Change::Refused {
                    link,
                    reason: SkipReason::Excluded,
                    detail: "x".to_owned(),
                }]);
            }
            Step::Value(s, h, p, v) => {
                self.commit(vec![Change::Valued { key: url(*s, *h, *p).key(), value: f32::from(*v) / 8.0 }]);
            }
            Step::RestHost(s, h, t) => {
                let host = url(*s, *h, 0);
                let until = self.later(*t);
                self.commit(vec![Change::HostRests {
                    site: host.key().site,
                    host: host_key(host.host()),
                    until,
                }]);
            }
            Step::Close(s) if *s < SITES => {
                let site = url(*s, 0, 0).key().site;
                self.commit(vec![Change::SiteClosed { site, reason: SkipReason::SiteBudget }]);
            }
            Step::Close(_) => {}
            Step::Open(s) => self.commit(vec![Change::SiteOpened { site: url(*s, 0, 0).key().site }]),
            Step::Requeue(s, h, p) => {
                let (key, not_before) = (url(*s, *h, *p).key(), Time::default());
                self.commit(vec![Change::Again { key, not_before, reason: "allowed again".to_owned() }]);
            }
            Step::Lease(seconds) => {
                self.now = self.later(*seconds);
                self.lease();
            }
            Step::Release(choices, seconds) => self.release(choices, *seconds),
            Step::Commit => {
                let changes = std::mem::take(&mut self.visited);
                self.commit(changes);
            }
            Step::Checkpoint => self.frontier().checkpoint().unwrap(),
            Step::Crash => {
                self.frontier = None;
                self.restarted = Some(self.now);
                for site in self.reference.sites.values_mut() {
                    site.rest = site.committed_rest;
                }
                self.reopen();
            }
            Step::Close1 => {
                self.frontier.take().unwrap().close(&mut self.journal).unwrap();
                for site in self.reference.sites.values_mut() {
                    site.committed_rest = site.rest;
                }
                self.reopen();
            }
        }
    }

    fn reopen(&mut self) {
        self.leases.clear();
        self.visited.clear();
        self.reference.out.clear();
        let disk = Arc::new(self.disk.clone());
        let (frontier, journal) = open(disk, Path::new(DIR), self.settings.clone(), self.now).unwrap();
        (self.frontier, self.journal) = (Some(frontier), journal);
        if let Some(difference) = self.difference() {
            panic!("after opening: {difference}");
        }
    }

    /// When a site may be asked.
    fn rest(&self, site: u64) -> Time {
        let row = self.reference.sites.get(&site).cloned().unwrap_or_default();
        let floor = self.restarted.map_or(Time::default(), |at| at.plus(DELAY.max(row.delay)));
        row.rest.max(floor)
    }

    fn may_be_asked(&self, site: u64) -> bool {
        let closed = self.reference.sites.get(&site).is_some_and(|row| row.closed);
        !closed && self.rest(site) <= self.now && self.leases.iter().all(|lease| lease.site != site)
    }

    fn lease(&mut self) {
        let now = self.now;
        let mut lease = None;
        // Looking on disk may take some calls.
        for _ in 0..1_000 {
            lease = self.frontier().next(now).unwrap();
            let soon =
                self.frontier().next_ready_at().is_some_and(|at| at <= now.plus(Duration::from_millis(5)));
            if lease.is_some() || !soon {
                break;
            }
            if self.settings.merging == Merging::Background {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        let Some(lease) = lease else {
            for s in 0..SITES {
                let site = url(s, 0, 0).key().site;
                let eligible = self.reference.eligible(site, now);
                assert!(eligible.is_empty() || !self.may_be_asked(site), "site {s} has {eligible:?}");
            }
            return;
        };
        assert!(self.may_be_asked(lease.site), "site {} was asked early", lease.site);
        let mut eligible = self.reference.eligible(lease.site, now);
        eligible.sort_by(|a, b| self.reference.rank(b).partial_cmp(&self.reference.rank(a)).unwrap());
        let leased: Vec<UrlKey> = lease.links.iter().map(|link| link.key).collect();
        for link in &lease.links {
            assert!(eligible.contains(&link.key), "{:?} is not to be leased", link.link.url);
            assert_eq!(link.tries, self.reference.rows[&link.key].tries);
        }
        // A turn gives up where too many links of a resting host stand before the others; and where the rest of a
        // large site has to be looked for, it gives what it has.
        let resting = self.reference.hosts.iter().any(|((s, _), until)| *s == lease.site && *until > now);
        let expected = if resting || self.large { leased.len() } else { eligible.len().min(3) };
        let best = &eligible[..expected];
        // Averages are rounded differently here and there.
        if self.reference.update == Update::Avg && self.reference.order == Order::BestFirst {
            let measure = |keys: &[UrlKey]| -> Vec<(bool, i64)> {
                let rank = |key| self.reference.rank(key);
                keys.iter().map(|key| (rank(key).0, (rank(key).1 * 1e3).round() as i64)).collect()
            };
            let close = |(a, b): (&(bool, i64), &(bool, i64))| a.0 == b.0 && (a.1 - b.1).abs() <= 1;
            let (given, due) = (measure(&leased), measure(best));
            assert!(given.len() == due.len() && given.iter().zip(&due).all(close), "{given:?} not {due:?}");
        } else {
            assert_eq!(leased, best, "not the best");
        }
        self.reference.out.extend(leased);
        self.leases.push(lease);
    }

    fn release(&mut self, choices: &[u8], seconds: u64) {
        if self.leases.is_empty() {
            return;
        }
        let lease = self.leases.remove(0);
        let until = self.later(seconds);
        let mut visited = Vec::new();
        for (link, choice) in lease.links.iter().zip(choices) {
            let key = link.key;
            match choice {
                0 | 1 | 4 => {
                    self.visited.push(Change::Done {
                        key,
                        outcome: Outcome::Captured { status: 200 },
                        place: None,
                        digest: Some(format!("sha1:{}", key.url % 30)),
                        at: self.now,
                        bytes: 5,
                        purpose: Purpose::Page,
                    });
                    if *choice == 4 {
                        let not_before = self.later(6);
                        self.visited.push(Change::Again { key, not_before, reason: "news".to_owned() });
                    }
                }
                2 => {
                    let tries = link.tries + 1;
                    let not_before = self.later(4);
                    self.visited.push(Change::Retry { key, not_before, tries, reason: "slow".to_owned() });
                }
                _ => {
                    self.reference.out.remove(&key);
                    continue;
                }
            }
            visited.push(key);
        }
        self.frontier().release(lease.id, until, &visited).unwrap();
        let site = self.reference.sites.entry(lease.site).or_default();
        site.rest = site.rest.max(until);
        self.visited.push(Change::SiteRests { site: lease.site, until, delay: DELAY });
    }

    fn finish(mut self) {
        let changes = std::mem::take(&mut self.visited);
        self.commit(changes);
        if let Some(difference) = self.difference() {
            panic!("at the end: {difference}");
        }
        self.frontier().checkpoint().unwrap();
        if let Some(difference) = self.difference() {
            panic!("after the last merge: {difference}");
        }
        let counts = self.frontier().counts();
        let (queued, done, refused) = self.reference.counts();
        assert_eq!(
            (counts.queued, counts.done, counts.refused),
            (queued as u64, done as u64, refused as u64)
        );
        let mut waiting = Vec::new();
        self.frontier().each_waiting(&mut |known| waiting.push(known.key)).unwrap();
        waiting.sort_unstable();
        let rows = self.reference.rows.iter();
        let expected: Vec<UrlKey> =
            rows.filter(|(_, r)| r.state == RowState::Queued).map(|(k, _)| *k).collect();
        assert_eq!(waiting, expected);
    }
}

fn live(mut world: World, steps: &[Step]) {
    for step in steps {
        world.take(step);
    }
    world.finish();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn the_frontier_does_what_a_plain_map_would(
        orders in orders(),
        steps in prop::collection::vec(step(25), 1..80),
    ) {
        live(World::new(orders, Merging::Inline), &steps);
    }

    #[test]
    fn so_it_does_with_sites_that_are_too_large_to_be_read_in_passing(
        orders in orders(),
        steps in prop::collection::vec(step(150), 1..60),
    ) {
        let mut world = World::new(orders, Merging::Inline);
        world.fill_site(150);
        live(world, &steps);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn so_it_does_while_another_thread_merges(
        orders in orders(),
        steps in prop::collection::vec(step(150), 1..60),
    ) {
        let mut world = World::new(orders, Merging::Background);
        world.fill_site(150);
        live(world, &steps);
    }
}

/// Leases until nothing is left; every link exactly once.
fn lease_all(frontier: &mut Frontier, journal: &mut Journal, mut now: Time) -> Vec<(UrlKey, f32)> {
    let mut order = Vec::new();
    let mut idle = 0;
    while idle < 5_000 {
        now = now.plus(Duration::from_millis(1));
        let Some(lease) = frontier.next(now).unwrap() else {
            idle += 1;
            if frontier.exhausted() {
                break;
            }
            // The merging thread has to have its turn too.
            std::thread::sleep(Duration::from_millis(u64::from(idle > 10)));
            continue;
        };
        idle = 0;
        let keys: Vec<UrlKey> = lease.links.iter().map(|link| link.key).collect();
        frontier.release(lease.id, now, &keys).unwrap();
        let done = |key: &UrlKey| Change::Done {
            key: *key,
            outcome: Outcome::Captured { status: 200 },
            place: None,
            digest: None,
            at: now,
            bytes: 1,
            purpose: Purpose::Page,
        };
        let committed = journal.commit(&Transaction { changes: keys.iter().map(done).collect() }).unwrap();
        frontier.apply(committed).unwrap();
        order.extend(lease.links.iter().map(|link| (link.key, link.value)));
    }
    order
}

fn filled(sites: usize, pages: usize, merging: Merging) -> (SimDisk, Settings, Frontier, Journal) {
    let settings = Settings {
        memory_bytes: 256 << 10,
        default_delay: Duration::ZERO,
        links_per_turn: 50,
        merging,
        ..Settings::default()
    };
    let disk = SimDisk::new();
    let (mut frontier, mut journal) =
        open(Arc::new(disk.clone()), Path::new(DIR), settings.clone(), Time::from_millis(0)).unwrap();
    let mut links: Vec<(usize, usize)> = (0..pages).flat_map(|p| (0..sites).map(move |s| (s, p))).collect();
    links.sort_by_key(|(s, p)| (s * 31 + p * 7919) % 10_007);
    for piece in links.chunks(500) {
        let change = |(s, p): &(usize, usize)| {
            found(url(*s, 0, *p), ((p * 7919) % 4096) as f32 / 4096.0, Urgency::Normal, 0)
        };
        let committed = journal.commit(&Transaction { changes: piece.iter().map(change).collect() }).unwrap();
        frontier.apply(committed).unwrap();
        while merging == Merging::Background && frontier.crowded() {
            std::thread::yield_now();
            if let Some(lease) = frontier.next(Time::from_millis(0)).unwrap() {
                frontier.release(lease.id, Time::from_millis(0), &[]).unwrap();
            }
        }
    }
    (disk, settings, frontier, journal)
}

#[test]
fn a_site_with_more_links_than_fit_into_memory_gives_them_best_first() {
    let (_, _, mut frontier, mut journal) = filled(1, 20_000, Merging::Inline);
    // Mentions that were not looked up come into the order with a merge.
    frontier.checkpoint().unwrap();
    let order = lease_all(&mut frontier, &mut journal, Time::from_millis(1));
    assert_eq!(order.len(), 20_000);
    let wrong = order.windows(2).position(|pair| pair[0].1 < pair[1].1);
    assert_eq!(wrong.map(|at| (at, &order[at..at + 2])), None);
    assert!(frontier.exhausted());
}

#[test]
fn more_sites_than_fit_into_memory_all_have_their_turn_and_no_link_is_leased_twice() {
    for merging in [Merging::Inline, Merging::Background] {
        let (disk, settings, frontier, journal) = filled(2_000, 4, merging);
        drop((frontier, journal));
        let (mut frontier, mut journal) =
            open(Arc::new(disk), Path::new(DIR), settings, Time::from_millis(1)).unwrap();
        let mut order: Vec<UrlKey> = lease_all(&mut frontier, &mut journal, Time::from_millis(1))
            .iter()
            .map(|(key, _)| *key)
            .collect();
        assert!(frontier.exhausted(), "{merging:?}: {} leased, {:?}", order.len(), frontier.counts());
        order.sort_unstable();
        let leased = order.len();
        order.dedup();
        assert_eq!((leased, order.len()), (8_000, 8_000), "{merging:?}");
    }
}

#[test]
fn sites_that_found_no_room_in_memory_are_leased_though_nothing_was_merged_yet() {
    for merging in [Merging::Inline, Merging::Background] {
        let (_, _, mut frontier, mut journal) = filled(450, 1, merging);
        let order = lease_all(&mut frontier, &mut journal, Time::from_millis(1));
        assert!(frontier.exhausted(), "{merging:?}: {} leased, {:?}", order.len(), frontier.counts());
        assert_eq!(order.len(), 450, "{merging:?}");
    }
}
