//! The power goes, at any operation of anything, again and again.

use annalist_disk::{Dice, Fault, SimDisk};

use super::life::Crawl;

const VISITS: u64 = 20;
const RUNS: u64 = 270;
const LIVES: u64 = 3;

/// How many operations a life takes that nothing ends.
fn operations_of_a_life(seed: u64) -> u64 {
    let disk = SimDisk::new();
    let mut crawl = Crawl::new(seed);
    let mut archive = crawl.open(&disk).unwrap();
    crawl.live(&mut archive, VISITS).unwrap();
    disk.operations()
}

#[test]
fn what_was_acknowledged_outlives_a_thousand_power_cuts() {
    let longest = (0..8).map(operations_of_a_life).max().unwrap();
    let mut cuts = 0;
    let mut acknowledged = 0;
    for seed in 0..RUNS {
        let mut dice = Dice::new(seed ^ 0x00C0_FFEE);
        let mut crawl = Crawl::new(seed);
        let mut disk = SimDisk::new();
        for life in 0..LIVES {
            let at = dice.below(longest);
            disk.set_faults(&[Fault::CutAt(disk.operations() + at)]);
            if let Ok(mut archive) = crawl.open(&disk) {
                // Without power nothing is worth waiting for.
                archive.stop.press();
                let _ = crawl.live(&mut archive, VISITS);
            }
            disk = disk.after_power_cut(&mut dice);
            cuts += 1;
            // The power may go again while the damage is repaired.
            while dice.below(4) == 0 {
                disk.set_faults(&[Fault::CutAt(disk.operations() + dice.below(40))]);
                let _ = crawl.open(&disk);
                disk = disk.after_power_cut(&mut dice);
                cuts += 1;
            }
            crawl.assert_kept(&disk, &format!("seed {seed}, life {life}, cut at {at} of {longest}"));
        }
        acknowledged += crawl.ledger.visits();
    }
    assert!(cuts >= 1_000, "only {cuts} cuts");
    assert!(acknowledged as u64 > RUNS * VISITS / 2, "only {acknowledged} visits were acknowledged");
}
