//! Syncs fail: of WARC files, of the journal, of runs, of folders.

use annalist_disk::{Dice, Fault, SimDisk};

use super::life::Crawl;

const VISITS: u64 = 12;

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
