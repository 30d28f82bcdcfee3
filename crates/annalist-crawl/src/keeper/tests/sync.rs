//! Syncs fail: of WARC files, of the journal, of runs, of folders.

use annalist_disk::{Dice, Fault, SimDisk};
use annalist_frontier::State;
use annalist_model::{Block, Link, Outcome};

use super::life::Crawl;
use super::visits::{CameTo, Visit, url};
use crate::keeper::Group;

const VISITS: u64 = 9;

fn operations_of_a_crawl(seed: u64) -> u64 {
    let disk = SimDisk::new();
    let mut crawl = Crawl::new(seed);
    let mut archive = crawl.open(&disk).unwrap();
    crawl.live_to_the_end(&mut archive, VISITS).unwrap();
    disk.operations()
}

#[test]
fn a_failing_sync_at_any_operation_loses_and_repeats_nothing() {
    let seed = 3;
    for at in 0..operations_of_a_crawl(seed) {
        let context = format!("seed {seed}, sync {at}");
        let disk = SimDisk::new();
        let mut crawl = Crawl::new(seed);
        let mut archive = crawl.open(&disk).unwrap();
        disk.set_faults(&[Fault::SyncFailsAt(at)]);
        crawl.live_to_the_end(&mut archive, VISITS).unwrap_or_else(|e| panic!("{context}: {e}"));
        drop(archive);
        let found = disk.after_power_cut(&mut Dice::new(at));
        crawl.ledger.assert_nothing_else(&found, &context);
        crawl.assert_kept(&found, &context);
    }
}

#[test]
fn a_power_cut_after_failing_syncs_loses_nothing_acknowledged() {
    let operations = operations_of_a_crawl(4);
    for seed in 0..150 {
        let mut dice = Dice::new(seed);
        let fails = dice.below(operations);
        let faults = [
            Fault::SyncFailsAt(fails),
            Fault::SyncFailsAt(fails + dice.below(8)),
            Fault::SyncFailsAt(fails + dice.below(30)),
            Fault::CutAt(fails + dice.below(80)),
        ];
        let disk = SimDisk::new();
        let mut crawl = Crawl::new(4);
        let mut archive = crawl.open(&disk).unwrap();
        disk.set_faults(&faults);
        archive.stop.press();
        let _ = crawl.live_to_the_end(&mut archive, VISITS);
        drop(archive);
        let found = disk.after_power_cut(&mut dice);
        crawl.assert_kept(&found, &format!("seed {seed}, {faults:?}"));
    }
}

#[test]
fn a_sync_that_fails_while_a_crawl_ends_is_overcome_without_waiting() {
    for at in 0..40 {
        let disk = SimDisk::new();
        let mut crawl = Crawl::new(5);
        let mut archive = crawl.open(&disk).unwrap();
        crawl.live(&mut archive, VISITS).unwrap();
        disk.set_faults(&[Fault::SyncFailsAt(disk.operations() + at)]);
        archive.stop.press();
        crawl.live_to_the_end(&mut archive, 3).unwrap_or_else(|e| panic!("sync {at}: {e}"));
        drop(archive);
        crawl.assert_kept(&disk.after_power_cut(&mut Dice::new(at)), &format!("sync {at}"));
    }
}

#[test]
fn a_spooled_response_that_is_gone_when_it_is_needed_again_fails_its_own_visit_alone() {
    let disk = SimDisk::new();
    let mut crawl = Crawl::new(8);
    let mut archive = crawl.open(&disk).unwrap();
    let mut made = |spooled: bool| {
        let is_wanted = |visit: &Visit| match (&visit.fact.came_to, &visit.exchanged) {
            (CameTo::Captured(_), Some(got)) => matches!(got.response, Block::File { .. }) == spooled,
            _ => false,
        };
        let link = Link::seed(url(0, u64::from(spooled)), 0);
        std::iter::repeat_with(|| crawl.web.visit(&link)).find(is_wanted).unwrap()
    };
    let mut group = Group::default();
    for visit in [made(true), made(false)] {
        let ticket = visit.exchanged.map(|exchanged| {
            let spooled = exchanged.spooled();
            let ticket = archive.record(exchanged).unwrap();
            spooled.iter().for_each(|path| std::fs::remove_file(path).unwrap());
            ticket
        });
        group.add(visit.fact.finished(ticket, visit.changes));
    }
    disk.set_faults(&[Fault::SyncFailsAt(disk.operations())]);
    archive.acknowledge(group).unwrap();
    assert_eq!((archive.counters.captures, archive.counters.failed), (1, 1));
    let state_of = |page| archive.frontier().lookup(url(0, page).key()).unwrap().unwrap().state;
    assert!(matches!(state_of(1), State::Done { outcome: Outcome::Skipped { .. }, place: None, .. }));
    assert!(matches!(state_of(0), State::Done { outcome: Outcome::Captured { .. }, place: Some(_), .. }));
}
