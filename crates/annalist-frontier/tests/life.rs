//! The life of a link, step by step.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails where it stands")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use annalist_disk::SimDisk;
use annalist_frontier::{
    Change, Frontier, Journal, Merging, Place, Purpose, Settings, State, Transaction, Urgency, host_key,
    open, read_only,
};
use annalist_model::spec::{Order, SiteOrder, Update};
use annalist_model::{CanonicalUrl, Link, Outcome, SkipReason, Time, UrlKey};

const DIR: &str = "/frontier";

struct Fixture {
    disk: SimDisk,
    settings: Settings,
    frontier: Frontier,
    journal: Journal,
}

impl Fixture {
    fn new(settings: Settings) -> Fixture {
        let disk = SimDisk::new();
        let (frontier, journal) = opened(&disk, &settings, at(0));
        Fixture { disk, settings, frontier, journal }
    }

    fn commit(&mut self, changes: Vec<Change>) {
        let committed = self.journal.commit(&Transaction { changes }).unwrap();
        self.frontier.apply(committed).unwrap();
    }

    fn reopen(&mut self, now: Time) {
        (self.frontier, self.journal) = opened(&self.disk, &self.settings, now);
    }

    fn close_and_reopen(&mut self, now: Time) {
        let fresh = SimDisk::new();
        let (other, _) = opened(&fresh, &self.settings, now);
        std::mem::replace(&mut self.frontier, other).close(&mut self.journal).unwrap();
        self.reopen(now);
    }

    /// The URLs of the next lease, which is released at once.
    fn next_urls(&mut self, now: Time) -> Vec<String> {
        let Some(lease) = self.frontier.next(now).unwrap() else { return Vec::new() };
        let keys: Vec<UrlKey> = lease.links.iter().map(|link| link.key).collect();
        self.frontier.release(lease.id, now, &keys).unwrap();
        lease.links.iter().map(|link| link.link.url.to_string()).collect()
    }
}

fn opened(disk: &SimDisk, settings: &Settings, now: Time) -> (Frontier, Journal) {
    open(Arc::new(disk.clone()), Path::new(DIR), settings.clone(), now).unwrap()
}

fn settings() -> Settings {
    Settings {
        memory_bytes: 1 << 20,
        links_per_turn: 2,
        lease_time: Duration::from_secs(60),
        default_delay: Duration::from_secs(5),
        merging: Merging::Inline,
        ..Settings::default()
    }
}

fn at(seconds: u64) -> Time {
    Time::from_millis(1_700_000_000_000 + seconds * 1000)
}

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).unwrap()
}

fn key(text: &str) -> UrlKey {
    url(text).key()
}

fn found(text: &str, value: f32) -> Change {
    Change::Discovered { link: Link::seed(url(text), 0), value, urgency: Urgency::Normal }
}

fn done(text: &str, digest: &str) -> Change {
    Change::Done {
        key: key(text),
        outcome: Outcome::Captured { status: 200 },
        place: Some(Place { file: "a.warc.gz".to_owned(), offset: 10, length: 20 }),
        digest: Some(digest.to_owned()),
        at: at(1),
        bytes: 100,
        purpose: Purpose::Page,
    }
}

#[test]
fn the_best_links_of_a_site_come_first() {
    let mut f = Fixture::new(settings());
    f.commit(vec![
        found("http://a.test/1", 0.1),
        found("http://a.test/3", 0.3),
        found("http://a.test/2", 0.2),
    ]);
    assert_eq!(f.next_urls(at(0)), ["http://a.test/3", "http://a.test/2"]);
    assert_eq!(f.next_urls(at(0)), ["http://a.test/1"]);
    assert_eq!(f.next_urls(at(0)), Vec::<String>::new());
}

#[test]
fn what_a_page_embeds_comes_before_all_other_links_of_its_site() {
    let mut f = Fixture::new(settings());
    let image = Change::Discovered {
        link: Link::seed(url("http://a.test/i.png"), 0),
        value: 0.0,
        urgency: Urgency::Urgent,
    };
    f.commit(vec![found("http://a.test/1", 0.9), image]);
    assert_eq!(f.next_urls(at(0)), ["http://a.test/i.png", "http://a.test/1"]);
}

#[test]
fn a_visited_link_is_not_leased_again_though_its_outcome_is_committed_late() {
    let mut f = Fixture::new(settings());
    f.commit(vec![found("http://a.test/1", 0.5)]);
    assert_eq!(f.next_urls(at(0)), ["http://a.test/1"]);
    f.commit(vec![found("http://a.test/1", 0.9)]);
    assert!(f.next_urls(at(1)).is_empty());
    assert!(!f.frontier.exhausted());
    f.commit(vec![done("http://a.test/1", "sha1:X")]);
    assert!(f.next_urls(at(2)).is_empty());
    assert!(f.frontier.exhausted());
    assert_eq!(f.frontier.counts().done, 1);
}

#[test]
fn an_unvisited_link_of_a_released_lease_goes_back() {
    let mut f = Fixture::new(settings());
    f.commit(vec![found("http://a.test/1", 0.5), found("http://a.test/2", 0.4)]);
    let lease = f.frontier.next(at(0)).unwrap().unwrap();
    f.frontier.release(lease.id, at(0), &[key("http://a.test/1")]).unwrap();
    assert_eq!(f.next_urls(at(0)), ["http://a.test/2"]);
}

#[test]
fn a_lease_that_nobody_releases_gives_its_links_back_and_a_late_visit_counts() {
    let mut f = Fixture::new(settings());
    f.commit(vec![found("http://a.test/1", 0.5)]);
    let lease = f.frontier.next(at(0)).unwrap().unwrap();
    assert!(f.frontier.next(at(59)).unwrap().is_none());
    assert_eq!(f.frontier.next_ready_at(), Some(at(60)));
    let again = f.frontier.next(at(60)).unwrap().unwrap();
    assert_eq!(again.links.len(), 1);
    f.frontier.release(again.id, at(60), &[]).unwrap();
    f.frontier.release(lease.id, at(60), &[key("http://a.test/1")]).unwrap();
    assert!(f.frontier.next(at(61)).unwrap().is_none());
}

#[test]
fn a_site_is_left_alone_until_its_rest_is_over() {
    let mut f = Fixture::new(settings());
    let site = key("http://a.test/1").site;
    f.commit(vec![
        found("http://a.test/1", 0.5),
        found("http://a.test/2", 0.4),
        found("http://a.test/3", 0.3),
    ]);
    let lease = f.frontier.next(at(0)).unwrap().unwrap();
    assert!(f.frontier.next(at(1)).unwrap().is_none(), "leased twice");
    let keys: Vec<UrlKey> = lease.links.iter().map(|link| link.key).collect();
    f.frontier.release(lease.id, at(10), &keys).unwrap();
    f.commit(vec![Change::SiteRests { site, until: at(4), delay: Duration::from_secs(4) }]);
    assert!(f.frontier.next(at(9)).unwrap().is_none(), "a late commit shortened the rest");
    assert_eq!(f.frontier.next_ready_at(), Some(at(10)));
    assert!(f.frontier.next(at(10)).unwrap().is_some());
}

#[test]
fn links_of_a_resting_host_wait_while_the_others_of_its_site_go_on() {
    let mut f = Fixture::new(settings());
    f.commit(vec![found("http://x.a.test/1", 0.9), found("http://y.a.test/1", 0.1)]);
    let site = key("http://x.a.test/1").site;
    assert_eq!(site, key("http://y.a.test/1").site);
    f.commit(vec![Change::HostRests { site, host: host_key("http://x.a.test"), until: at(20) }]);
    assert_eq!(f.next_urls(at(0)), ["http://y.a.test/1"]);
    assert!(f.next_urls(at(19)).is_empty());
    assert_eq!(f.frontier.next_ready_at(), Some(at(20)));
    assert_eq!(f.next_urls(at(20)), ["http://x.a.test/1"]);
}

#[test]
fn a_link_to_be_tried_again_waits_for_its_time() {
    let mut f = Fixture::new(settings());
    f.commit(vec![found("http://a.test/1", 0.5)]);
    f.next_urls(at(0));
    let one = key("http://a.test/1");
    f.commit(vec![Change::Retry { key: one, not_before: at(30), tries: 1, reason: "reset".to_owned() }]);
    assert!(f.next_urls(at(29)).is_empty());
    assert_eq!(f.frontier.next_ready_at(), Some(at(30)));
    let known = f.frontier.lookup(one).unwrap().unwrap();
    assert_eq!(known.state, State::Queued { not_before: Some(at(30)) });
    assert_eq!((known.tries, known.retries.as_slice()), (1, ["reset".to_owned()].as_slice()));
    assert_eq!(f.next_urls(at(30)), ["http://a.test/1"]);
}

#[test]
fn a_link_that_had_its_outcome_can_be_visited_again() {
    let mut f = Fixture::new(settings());
    f.commit(vec![found("http://a.test/1", 0.5)]);
    let one = key("http://a.test/1");
    for round in 0..3 {
        let due = 60 * round;
        assert!(round == 0 || f.next_urls(at(due - 1)).is_empty(), "round {round}");
        assert_eq!(f.next_urls(at(due)), ["http://a.test/1"], "round {round}");
        let again = Change::Again { key: one, not_before: at(due + 60), reason: "every minute".to_owned() };
        f.commit(vec![done("http://a.test/1", "sha1:X"), again]);
        assert!(!f.frontier.exhausted());
        assert_eq!((f.frontier.counts().queued, f.frontier.counts().done), (1, 0));
        let known = f.frontier.lookup(one).unwrap().unwrap();
        assert_eq!(known.state, State::Queued { not_before: Some(at(due + 60)) });
        assert!(matches!(known.earlier, Some(State::Done { .. })));
        match round {
            0 => f.reopen(at(due + 1)),
            1 => f.close_and_reopen(at(due + 1)),
            _ => {}
        }
    }
    f.commit(vec![Change::Again { key: key("http://b.test/"), not_before: at(0), reason: String::new() }]);
    assert!(f.frontier.lookup(key("http://b.test/")).unwrap().is_none(), "it never had an outcome");
}

#[test]
fn what_was_blacklisted_once_waits_never_again_whatever_ends_after_it() {
    let mut f = Fixture::new(settings());
    f.commit(vec![found("http://a.test/1", 0.5), found("http://a.test/2", 0.5)]);
    let [one, two] = ["http://a.test/1", "http://a.test/2"].map(key);
    let lease = f.frontier.next(at(0)).unwrap().unwrap();
    assert_eq!(lease.links.len(), 2);
    let outcome = Outcome::Skipped { reason: SkipReason::Blacklisted, detail: "somebody".to_owned() };
    let (place, digest, purpose) = (None, None, Purpose::Prerequisite);
    let barred = |key| Change::Done {
        key,
        outcome: outcome.clone(),
        place: place.clone(),
        digest: digest.clone(),
        at: at(1),
        bytes: 0,
        purpose,
    };
    f.commit(vec![barred(one), barred(two)]);
    assert!(!f.frontier.is_leased(one));
    // One visit was under way and brought a page, the other has to be tried again.
    let again = |key| Change::Again { key, not_before: at(2), reason: "every second".to_owned() };
    let retry = |key| Change::Retry { key, not_before: at(2), tries: 1, reason: "reset".to_owned() };
    f.commit(vec![done("http://a.test/1", "sha1:X"), again(one), retry(two)]);
    f.frontier.release(lease.id, at(2), &[one, two]).unwrap();
    for round in 0..4 {
        f.commit(vec![found("http://a.test/1", 0.9), again(one), again(two), retry(one), retry(two)]);
        assert!(f.next_urls(at(100 * (round + 1))).is_empty(), "round {round}");
        assert!(f.frontier.exhausted());
        assert_eq!((f.frontier.counts().queued, f.frontier.counts().done), (0, 2));
        for key in [one, two] {
            assert!(f.frontier.is_blacklisted(key).unwrap());
            let State::Done { outcome: told, .. } = f.frontier.lookup(key).unwrap().unwrap().state else {
                panic!("{key:?} waits")
            };
            assert_eq!(told, outcome, "round {round}");
        }
        match round {
            0 => f.frontier.checkpoint().unwrap(),
            1 => f.reopen(at(150)),
            _ => f.close_and_reopen(at(250)),
        }
    }
    assert!(!f.frontier.is_blacklisted(key("http://a.test/3")).unwrap());
}

#[test]
fn a_refused_link_is_queued_when_another_way_leads_to_it() {
    let mut f = Fixture::new(settings());
    let link = Link::seed(url("http://a.test/1"), 0);
    let refused = Change::Refused { link, reason: SkipReason::OutOfScope, detail: "seed 0".to_owned() };
    f.commit(vec![refused.clone(), refused]);
    let known = f.frontier.lookup(key("http://a.test/1")).unwrap().unwrap();
    assert_eq!(known.state, State::Refused { reason: SkipReason::OutOfScope, detail: "seed 0".to_owned() });
    assert_eq!((known.times_seen, f.frontier.counts().refused), (2, 1));
    f.frontier.checkpoint().unwrap();
    f.commit(vec![found("http://a.test/1", 0.5)]);
    assert_eq!(f.next_urls(at(0)), ["http://a.test/1"]);
    assert_eq!(f.frontier.counts().refused, 0);
}

#[test]
fn nothing_of_a_closed_site_is_leased() {
    let mut f = Fixture::new(settings());
    f.commit(vec![found("http://a.test/1", 0.5)]);
    let site = key("http://a.test/1").site;
    f.commit(vec![Change::SiteClosed { site, reason: SkipReason::SiteBudget }]);
    assert!(f.next_urls(at(0)).is_empty());
    assert!(f.frontier.exhausted());
    f.close_and_reopen(at(1));
    assert!(f.next_urls(at(100)).is_empty());
    assert!(f.frontier.exhausted());
    assert_eq!(f.frontier.site_counts(site).unwrap().closed, Some(SkipReason::SiteBudget));
}

#[test]
fn after_an_unclean_restart_every_site_rests_and_after_a_clean_one_none_does() {
    let mut f = Fixture::new(settings());
    f.commit(vec![found("http://a.test/1", 0.5), found("http://b.test/1", 0.5)]);
    let slow = key("http://b.test/1").site;
    f.commit(vec![Change::SiteRests { site: slow, until: at(0), delay: Duration::from_secs(30) }]);
    f.reopen(at(100));
    assert!(f.next_urls(at(104)).is_empty());
    assert_eq!(f.next_urls(at(105)), ["http://a.test/1"]);
    assert!(f.next_urls(at(129)).is_empty());
    assert_eq!(f.next_urls(at(130)), ["http://b.test/1"]);
    f.commit(vec![found("http://a.test/2", 0.5)]);
    f.close_and_reopen(at(200));
    assert_eq!(f.next_urls(at(200)).len() + f.next_urls(at(200)).len(), 3);
}

#[test]
fn a_rest_may_be_over_sooner_and_later_words_of_before_are_no_longer_kept() {
    let mut f = Fixture::new(settings());
    f.commit(vec![
        found("http://a.test/1", 0.5),
        found("http://a.test/2", 0.5),
        found("http://a.test/3", 0.5),
    ]);
    let site = key("http://a.test/1").site;
    let lease = f.frontier.next(at(0)).unwrap().unwrap();
    f.commit(vec![Change::SiteRests { site, until: at(600), delay: Duration::from_secs(600) }]);
    f.frontier.release(lease.id, at(600), &[]).unwrap();
    assert!(f.next_urls(at(10)).is_empty());
    assert_eq!(f.frontier.next_ready_at(), Some(at(600)));
    f.commit(vec![Change::SiteRestsAnew { site, until: at(12), delay: Duration::from_secs(2) }]);
    assert_eq!(f.frontier.next_ready_at(), Some(at(12)));
    assert!(f.next_urls(at(11)).is_empty());
    assert_eq!(f.next_urls(at(12)).len(), 2);
    f.commit(vec![Change::SiteRests { site, until: at(14), delay: Duration::from_secs(2) }]);
    assert_eq!(f.frontier.next_ready_at(), Some(at(14)));
    f.close_and_reopen(at(14));
    assert!(!f.next_urls(at(14)).is_empty());
}

#[test]
fn a_rest_that_was_only_released_outlives_a_clean_end() {
    let mut f = Fixture::new(settings());
    f.commit(vec![
        found("http://a.test/1", 0.5),
        found("http://a.test/2", 0.5),
        found("http://a.test/3", 0.5),
    ]);
    let lease = f.frontier.next(at(0)).unwrap().unwrap();
    f.frontier.release(lease.id, at(50), &[]).unwrap();
    f.close_and_reopen(at(1));
    assert!(f.next_urls(at(49)).is_empty());
    assert_eq!(f.next_urls(at(50)).len(), 2);
}

#[test]
fn the_first_capture_of_a_payload_is_found_by_its_digest() {
    let mut f = Fixture::new(settings());
    f.commit(vec![found("http://a.test/1", 0.5), found("http://b.test/1", 0.5)]);
    f.commit(vec![done("http://a.test/1", "sha1:X")]);
    f.commit(vec![done("http://b.test/1", "sha1:X")]);
    for _ in 0..2 {
        let original = f.frontier.place_of_digest("sha1:X").unwrap().unwrap();
        assert_eq!((original.url.as_str(), original.at), ("http://a.test/1", at(1)));
        assert_eq!(original.place.unwrap().file, "a.warc.gz");
        assert_eq!(f.frontier.place_of_digest("sha1:Y").unwrap(), None);
        f.frontier.checkpoint().unwrap();
        f.reopen(at(1));
    }
    let site = f.frontier.site_counts(key("http://a.test/1").site).unwrap();
    assert_eq!((site.captures, site.bytes), (1, 100));
}

#[test]
fn a_score_can_be_set_at_any_time_in_memory_and_on_disk() {
    let mut f = Fixture::new(settings());
    f.commit((0..10).map(|n| found(&format!("http://a.test/{n}"), 0.5)).collect());
    f.frontier.checkpoint().unwrap();
    f.commit(vec![Change::Valued { key: key("http://a.test/7"), value: 0.9 }]);
    f.commit(vec![Change::Valued { key: key("http://a.test/0"), value: 0.1 }]);
    assert_eq!(f.next_urls(at(0)), ["http://a.test/7", "http://a.test/1"]);
    assert_eq!(f.frontier.lookup(key("http://a.test/0")).unwrap().unwrap().value, 0.1);
}

#[test]
fn each_update_function_combines_scores_before_and_after_a_merge() {
    for (update, expected) in [
        (Update::First, 0.25),
        (Update::Last, 0.5),
        (Update::Max, 1.0),
        (Update::Sum, 1.75),
        (Update::Avg, 1.75 / 3.0),
    ] {
        for merged_after in 0..3 {
            let mut f = Fixture::new(Settings { update, ..settings() });
            for (n, value) in [0.25, 1.0, 0.5].into_iter().enumerate() {
                f.commit(vec![found("http://a.test/", value)]);
                if n == merged_after {
                    f.frontier.checkpoint().unwrap();
                }
            }
            let known = f.frontier.lookup(key("http://a.test/")).unwrap().unwrap();
            assert!((known.value - expected).abs() < 1e-6, "{update:?} {merged_after}: {}", known.value);
            assert_eq!(known.times_seen, 3);
        }
    }
}

#[test]
fn each_order_sorts_by_its_own_measure() {
    let expected = [
        (Order::BestFirst, ["http://a.test/best", "http://a.test/often"]),
        (Order::InDegree, ["http://a.test/often", "http://a.test/deep"]),
        (Order::BreadthFirst, ["http://a.test/best", "http://a.test/often"]),
        (Order::Opic, ["http://a.test/often", "http://a.test/best"]),
    ];
    for (order, urls) in expected {
        let mut f = Fixture::new(Settings { order, ..settings() });
        let mut deep = Link::seed(url("http://a.test/deep"), 0);
        deep.depth = 3;
        let deep = Change::Discovered { link: deep, value: 0.1, urgency: Urgency::Normal };
        f.commit(vec![deep, found("http://a.test/best", 0.9)]);
        f.commit(vec![found("http://a.test/often", 0.6), found("http://a.test/often", 0.6)]);
        assert_eq!(f.next_urls(at(0)), urls, "{order:?}");
    }
}

#[test]
fn sites_take_turns_or_the_best_or_the_largest_comes_first() {
    let urls = |site_order, n| {
        let mut f = Fixture::new(Settings { site_order, links_per_turn: 1, ..settings() });
        f.commit(vec![
            found("http://a.test/1", 0.1),
            found("http://b.test/1", 0.9),
            found("http://c.test/1", 0.2),
        ]);
        f.commit(vec![
            found("http://c.test/2", 0.2),
            found("http://a.test/2", 0.1),
            found("http://c.test/3", 0.2),
        ]);
        (0..n).flat_map(|_| f.next_urls(at(0))).collect::<Vec<_>>()
    };
    assert_eq!(
        urls(SiteOrder::RoundRobin, 4),
        ["http://a.test/1", "http://b.test/1", "http://c.test/1", "http://a.test/2"]
    );
    assert_eq!(urls(SiteOrder::BestLink, 2), ["http://b.test/1", "http://c.test/1"]);
    assert_eq!(urls(SiteOrder::Largest, 1), ["http://c.test/1"]);
}

#[test]
fn a_reader_sees_what_was_committed_and_writes_nothing() {
    let mut f = Fixture::new(settings());
    f.commit(vec![found("http://a.test/1", 0.5), Change::Note { name: "n".to_owned(), value: vec![7] }]);
    f.frontier.checkpoint().unwrap();
    f.commit(vec![found("http://a.test/2", 0.5)]);
    let before = f.disk.operations();
    let reader = read_only(Arc::new(f.disk.clone()), Path::new(DIR), settings()).unwrap();
    assert!(reader.lookup(key("http://a.test/1")).unwrap().is_some());
    assert!(reader.lookup(key("http://a.test/2")).unwrap().is_some());
    assert!(reader.lookup(key("http://a.test/3")).unwrap().is_none());
    assert_eq!(reader.note("n"), Some([7].as_slice()));
    let mut waiting = Vec::new();
    reader.each_waiting(&mut |known| waiting.push(known.link.as_ref().unwrap().url.to_string())).unwrap();
    waiting.sort();
    assert_eq!(waiting, ["http://a.test/1", "http://a.test/2"]);
    assert!(f.disk.operations() > before);
    f.commit(vec![found("http://a.test/3", 0.5)]);
    f.reopen(at(0));
    assert_eq!(f.frontier.counts().queued, 3);
}

#[test]
fn a_frontier_can_be_handed_to_another_thread() {
    fn is_send<T: Send>() {}
    is_send::<Frontier>();
    is_send::<Journal>();
}

#[test]
fn what_a_page_needs_first_is_no_capture_of_its_site() {
    let mut f = Fixture::new(settings());
    let robots = match done("http://a.test/robots.txt", "sha1:R") {
        Change::Done { key, outcome, place, digest, at, bytes, .. } => {
            Change::Done { key, outcome, place, digest, at, bytes, purpose: Purpose::Prerequisite }
        }
        other => other,
    };
    f.commit(vec![found("http://a.test/robots.txt", 0.0), robots, found("http://a.test/", 1.0)]);
    f.commit(vec![done("http://a.test/", "sha1:X")]);
    for _ in 0..2 {
        let had = f.frontier.site_counts(key("http://a.test/").site).unwrap();
        assert_eq!((had.captures, had.bytes), (1, 200));
        f.frontier.checkpoint().unwrap();
    }
    assert!(f.frontier.place_of_digest("sha1:R").unwrap().is_some());
}
