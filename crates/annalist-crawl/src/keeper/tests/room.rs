//! The disk runs full: the crawl waits, says why, and goes on by itself or ends when it is told to.

use std::path::Path;
use std::time::Duration;

use annalist_disk::{Dice, Disk, Fault, SimDisk};

use super::life::{ARCHIVE, Crawl};
use crate::keeper::KeepError;

const VISITS: u64 = 20;
const SEED: u64 = 6;
/// Longer than anybody waits for a test.
const FOR_EVER: Duration = Duration::from_secs(3600);

fn used(disk: &SimDisk) -> u64 {
    u64::MAX / 2 - disk.free_bytes(Path::new(ARCHIVE)).unwrap()
}

/// How full the disk is when a crawl has begun, and when it has ended.
fn sizes() -> (u64, u64) {
    let disk = SimDisk::new();
    let mut crawl = Crawl::new(SEED);
    let mut archive = crawl.open(&disk).unwrap();
    let before = used(&disk);
    crawl.live_to_the_end(&mut archive, VISITS).unwrap();
    (before, used(&disk))
}

#[test]
fn a_crawl_goes_on_by_itself_when_there_is_room_again() {
    let (before, after) = sizes();
    let mut waited = 0;
    for room in (before..after).step_by(397) {
        let context = format!("room {room}");
        let disk = SimDisk::new();
        let mut crawl = Crawl::new(SEED);
        let mut archive = crawl.open(&disk).unwrap();
        disk.set_faults(&[Fault::RoomUntil { bytes: room, refusals: 1 + room % 9 }]);
        crawl.live_to_the_end(&mut archive, VISITS).unwrap_or_else(|e| panic!("{context}: {e}"));
        waited += u32::from(used(&disk) < u64::MAX / 4);
        assert_eq!(archive.board.read().trouble, None, "{context}");
        drop(archive);
        let found = disk.after_power_cut(&mut Dice::new(room));
        crawl.ledger.assert_nothing_else(&found, &context);
        crawl.assert_kept(&found, &context);
    }
    assert!(waited > 30, "the disk ran full only {waited} times");
}

#[test]
fn a_stop_on_a_full_disk_ends_the_crawl_with_everything_acknowledged_kept() {
    let (before, after) = sizes();
    for room in (before..after / 2).step_by(397) {
        let context = format!("room {room}");
        let disk = SimDisk::new();
        let mut crawl = Crawl::new(SEED);
        let mut archive = crawl.open(&disk).unwrap();
        disk.set_faults(&[Fault::Room(room)]);
        archive.stop.press();
        let ended = crawl.live_to_the_end(&mut archive, VISITS);
        assert!(matches!(ended, Err(KeepError::Closed(_))), "{context}: {ended:?}");
        drop(archive);
        disk.set_faults(&[]);
        // The process ended, or the power went: either way the next start finds it all.
        let found = if room % 2 == 0 { disk } else { disk.after_power_cut(&mut Dice::new(room)) };
        crawl.assert_kept(&found, &context);
        let mut archive = crawl.open(&found).unwrap();
        crawl.live_to_the_end(&mut archive, VISITS).unwrap();
        drop(archive);
        crawl.assert_kept(&found, &context);
    }
}

#[test]
fn a_crawl_that_waits_for_room_says_why_and_notices_the_stop() {
    let (before, _) = sizes();
    let disk = SimDisk::new();
    let mut crawl = Crawl::new(SEED);
    let mut archive = crawl.open(&disk).unwrap();
    archive.pause = FOR_EVER;
    disk.set_faults(&[Fault::Room(before + 3_000)]);
    let (board, stop) = (archive.board.clone(), archive.stop.clone());
    let watcher = std::thread::spawn(move || {
        while board.read().trouble.is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        stop.press();
        board.read().trouble
    });
    let ended = crawl.live_to_the_end(&mut archive, VISITS);
    assert!(matches!(ended, Err(KeepError::Closed(_))), "{ended:?}");
    assert!(watcher.join().unwrap().unwrap().contains("room"));
    disk.set_faults(&[]);
    drop(archive);
    crawl.assert_kept(&disk, "stopped while waiting");
}
