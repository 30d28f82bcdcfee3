//! Runs that are ahead of the journal while it is read back.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails where it stands")]

mod reference;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use annalist_disk::{Disk, SimDisk};
use annalist_frontier::{Frontier, Journal, Merging, Settings, Transaction, Urgency, open};
use annalist_model::Time;
use reference::{found, url};

const DIR: &str = "/frontier";
const SMALL_SITES: usize = 40;
const SMALL: usize = 4;
const LARGE: usize = 200;

fn opened(disk: &SimDisk, memory_bytes: u64) -> (Frontier, Journal) {
    let settings = Settings {
        memory_bytes,
        default_delay: Duration::ZERO,
        merging: Merging::Inline,
        ..Settings::default()
    };
    open(Arc::new(disk.clone()), Path::new(DIR), settings, Time::from_millis(1)).unwrap()
}

fn runs(disk: &SimDisk) -> Vec<String> {
    let names = disk.list(Path::new(DIR)).unwrap();
    names.into_iter().filter(|name| name.starts_with("run-")).collect()
}

/// A start that has little memory merges small sites while it is early in the journal. The run of the large site holds
/// what comes later, and has to be known to hold it: a second such start would count it twice.
#[test]
fn a_run_that_is_ahead_of_the_journal_stays_ahead_when_a_start_merges_others() {
    let disk = SimDisk::new();
    let (mut frontier, mut journal) = opened(&disk, 64 << 10);
    let mut commit = |site: usize, pages: usize| {
        let links = (0..pages).map(|page| found(url(site, 0, page), 0.5, Urgency::Normal, 0));
        frontier.apply(journal.commit(&Transaction { changes: links.collect() }).unwrap()).unwrap();
    };
    for site in 1..=SMALL_SITES {
        commit(site, SMALL);
    }
    assert!(runs(&disk).is_empty(), "merged before the large site came");
    while runs(&disk).is_empty() {
        commit(0, LARGE);
    }
    let expected = frontier.lookup(url(0, 0, 0).key()).unwrap().unwrap().times_seen;
    let merged = runs(&disk);
    drop((frontier, journal));
    for start in 1..=3 {
        let (frontier, _) = opened(&disk, 8 << 10);
        assert_ne!(runs(&disk), merged, "the start merged nothing");
        for page in 0..LARGE {
            let known = frontier.lookup(url(0, 0, page).key()).unwrap().unwrap();
            assert_eq!(known.times_seen, expected, "start {start}, page {page}");
        }
        for (site, page) in (1..=SMALL_SITES).flat_map(|site| (0..SMALL).map(move |page| (site, page))) {
            let known = frontier.lookup(url(site, 0, page).key()).unwrap().unwrap();
            assert_eq!(known.times_seen, 1, "start {start}, site {site}, page {page}");
        }
    }
}

/// What is in the runs is not read again: a start takes as long as what came since the last merge, and damage before it
/// takes nothing away.
#[test]
fn the_journal_is_read_from_where_the_runs_end() {
    let disk = SimDisk::new();
    let (mut frontier, mut journal) = opened(&disk, 1 << 20);
    let mut commit = |frontier: &mut Frontier, site: usize| {
        let changes = vec![found(url(site, 0, 0), 0.5, Urgency::Normal, 0)];
        frontier.apply(journal.commit(&Transaction { changes }).unwrap()).unwrap();
    };
    for site in 0..300 {
        commit(&mut frontier, site);
    }
    frontier.checkpoint().unwrap();
    commit(&mut frontier, 300);
    drop(frontier);
    let segment = Path::new(DIR).join("journal-0000000001");
    let mut bytes = disk.read(&segment).unwrap();
    // In the first frame, behind the heads of segment and frame.
    bytes[60] ^= 1;
    disk.replace(&segment, &bytes).unwrap();
    let (frontier, _) = opened(&disk, 1 << 20);
    for site in 0..=300 {
        let known = frontier.lookup(url(site, 0, 0).key()).unwrap();
        assert_eq!(known.unwrap().times_seen, 1, "site {site}");
    }
}
