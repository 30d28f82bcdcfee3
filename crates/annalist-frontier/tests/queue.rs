//! What people see of a queue, while a frontier is at work and while it rests.

#![allow(clippy::unwrap_used, reason = "a test fails where it stands")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use annalist_disk::SimDisk;
use annalist_frontier::{
    Change, Merging, Purpose, Settings, SiteQueues, Transaction, Urgency, open, read_only,
};
use annalist_model::{CanonicalUrl, Link, Outcome, Time};

const DIR: &str = "/frontier";

fn discovered(url: &str, value: f32) -> Change {
    let link = Link::injected(CanonicalUrl::parse(url).unwrap());
    Change::Discovered { link, value, urgency: Urgency::Normal }
}

fn done(url: &str) -> Change {
    let key = CanonicalUrl::parse(url).unwrap().key();
    let outcome = Outcome::Captured { status: 200 };
    let (place, digest, purpose) = (None, None, Purpose::Page);
    Change::Done { key, outcome, place, digest, at: Time::default(), bytes: 7, purpose }
}

/// Site, links, best link and its value.
fn told(queues: &SiteQueues) -> Vec<(String, u64, String, f32)> {
    let one = |site: &annalist_frontier::SiteQueue| {
        let url = site.example.clone().unwrap();
        (url.site().to_owned(), site.queued, url.path().to_owned(), site.best.unwrap())
    };
    queues.part.iter().map(one).collect()
}

#[test]
fn a_queue_is_seen_by_site_at_work_and_at_rest_whether_it_is_merged_or_not() {
    let disk = SimDisk::new();
    let settings = Settings { merging: Merging::Inline, ..Settings::default() };
    let now = Time::from_millis(1_700_000_000_000);
    let (mut frontier, mut journal) =
        open(Arc::new(disk.clone()), Path::new(DIR), settings.clone(), now).unwrap();
    let mut changes = vec![discovered("http://one.test/a", 0.5), discovered("http://gone.test/", 0.5)];
    changes.extend((0..5).map(|n| discovered(&format!("http://many.test/{n}"), n as f32 / 10.0)));
    let committed = journal.commit(&Transaction { changes }).unwrap();
    frontier.apply(committed).unwrap();
    frontier.checkpoint().unwrap();
    // Over what is on disk: one more, one of them captured, one mentioned again, one site without anything left.
    let changes = vec![
        discovered("http://one.test/b", 0.9),
        done("http://many.test/4"),
        discovered("http://many.test/4", 0.9),
        discovered("http://many.test/0", 0.7),
        done("http://gone.test/"),
    ];
    let committed = journal.commit(&Transaction { changes }).unwrap();
    frontier.apply(committed).unwrap();
    let expected =
        [("many.test".to_owned(), 4, "/0".to_owned(), 0.7), ("one.test".to_owned(), 2, "/b".to_owned(), 0.9)];
    assert_eq!(told(&frontier.all_sites_that_wait(0, 10).unwrap()), expected);
    let rests = || read_only(Arc::new(disk.clone()), Path::new(DIR), settings.clone()).unwrap();
    assert_eq!(told(&rests().all_sites_that_wait(0, 10).unwrap()), expected);
    frontier.close(&mut journal).unwrap();
    let rests = rests();
    assert_eq!(told(&rests.all_sites_that_wait(0, 10).unwrap()), expected);
    let second = rests.all_sites_that_wait(1, 1).unwrap();
    assert_eq!((second.total, told(&second)), (2, expected[1..].to_vec()));
    assert_eq!(rests.all_sites_that_wait(0, 1).unwrap().part[0].captures, 1);
}

#[test]
fn a_site_has_its_name_while_its_links_are_fetched_or_wait_for_another_try() {
    let disk = Arc::new(SimDisk::new());
    let settings = Settings { merging: Merging::Inline, ..Settings::default() };
    let now = Time::from_millis(1_700_000_000_000);
    let (mut frontier, mut journal) = open(disk, Path::new(DIR), settings, now).unwrap();
    let changes = vec![discovered("http://one.test/a", 0.5)];
    frontier.apply(journal.commit(&Transaction { changes }).unwrap()).unwrap();
    let only = |frontier: &annalist_frontier::Frontier| {
        let site = frontier.busiest_sites(0, 10).part.remove(0);
        (site.name.unwrap(), site.example.map(|url| url.as_str().to_owned()))
    };
    let (name, url) = ("one.test".to_owned(), Some("http://one.test/a".to_owned()));
    assert_eq!(only(&frontier).0, name, "just found");

    let lease = frontier.next(now).unwrap().unwrap();
    assert_eq!(only(&frontier), (name.clone(), None), "leased");
    frontier.checkpoint().unwrap();
    let key = lease.links[0].key;
    frontier.release(lease.id, now, &[key]).unwrap();
    assert_eq!(only(&frontier), (name.clone(), None), "visited, and on disk alone");

    let not_before = now.plus(Duration::from_secs(60));
    let changes = vec![Change::Retry { key, tries: 1, not_before, reason: "no answer".to_owned() }];
    frontier.apply(journal.commit(&Transaction { changes }).unwrap()).unwrap();
    assert_eq!(only(&frontier), (name, url), "to be tried again");
}
