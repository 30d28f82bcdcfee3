//! Scores change while their links wait on disk, far more of them than are looked up one by one; the next lease of every
//! site knows.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails where it stands")]

mod reference;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use annalist_disk::{Dice, SimDisk};
use annalist_frontier::{Change, Frontier, Merging, Settings, Transaction, Urgency, open};
use annalist_model::spec::{Order, Update};
use annalist_model::{Time, UrlKey};
use reference::{Reference, found, url};

const SITES: usize = 12;

/// The larger the number, the smaller the site.
fn pages(site: usize) -> u64 {
    4_000 / (site as u64 + 1)
}

fn after_changes_every_lease_is_right(order: Order, update: Update, by_setting: bool) {
    let settings = Settings {
        memory_bytes: 128 << 10,
        order,
        update,
        links_per_turn: 4,
        default_delay: Duration::ZERO,
        merging: Merging::Inline,
        ..Settings::default()
    };
    let now = Time::from_millis(1);
    let disk = Arc::new(SimDisk::new());
    let (mut frontier, mut journal) = open(disk, Path::new("/frontier"), settings, now).unwrap();
    let mut reference = Reference::new(order, update);
    let mut dice = Dice::new(3);
    let mut commit = |frontier: &mut Frontier, changes: Vec<Change>| {
        reference.apply(&changes);
        frontier.apply(journal.commit(&Transaction { changes }).unwrap()).unwrap();
    };
    let mut score = || dice.below(1 << 10) as f32 / 1024.0;
    for site in 0..SITES {
        let all: Vec<u64> = (0..pages(site)).collect();
        for piece in all.chunks(500) {
            let change = |page: &u64| found(url(site, 0, *page as usize), score(), Urgency::Normal, 0);
            commit(&mut frontier, piece.iter().map(change).collect());
        }
    }
    // Every site's best links are in memory, the others on disk only.
    frontier.checkpoint().unwrap();
    for _ in 0..20 * SITES {
        if let Some(lease) = frontier.next(now).unwrap() {
            frontier.release(lease.id, now, &[]).unwrap();
        }
    }
    let mut pick = Dice::new(4);
    for _ in 0..4 {
        let changes = (0..1_000).map(|_| {
            let site = pick.below(SITES as u64) as usize;
            let link = url(site, 0, pick.below(pages(site)) as usize);
            let value = score();
            if by_setting {
                Change::Valued { key: link.key(), value }
            } else {
                found(link, value, Urgency::Normal, 0)
            }
        });
        commit(&mut frontier, changes.collect());
    }
    let mut leased = 0;
    // Nothing is released: each site is leased once. Looking on disk may take some calls.
    for _ in 0..200 {
        let Some(lease) = frontier.next(now).unwrap() else { continue };
        leased += 1;
        let mut links = reference.eligible(lease.site, now);
        links.sort_by(|a, b| reference.rank(b).partial_cmp(&reference.rank(a)).unwrap());
        let given: Vec<UrlKey> = lease.links.iter().map(|link| link.key).collect();
        if update == Update::Avg {
            // Rounded differently here and there.
            for (link, best) in lease.links.iter().zip(&links) {
                assert!((link.value - reference.rows[best].value).abs() < 1e-3, "{:?}", link.link.url);
            }
        } else {
            assert_eq!(given, links[..given.len()], "{order:?} {update:?} {by_setting}");
        }
    }
    assert_eq!(leased, SITES);
}

#[test]
fn a_thousand_links_found_again_at_once_are_in_the_next_leases() {
    for update in [Update::First, Update::Last, Update::Max, Update::Sum, Update::Avg] {
        after_changes_every_lease_is_right(Order::BestFirst, update, false);
    }
    for order in [Order::Opic, Order::InDegree] {
        after_changes_every_lease_is_right(order, Update::Max, false);
    }
}

#[test]
fn a_thousand_scores_set_at_once_are_in_the_next_leases() {
    for update in [Update::First, Update::Last, Update::Max, Update::Sum, Update::Avg] {
        after_changes_every_lease_is_right(Order::BestFirst, update, true);
    }
}
