//! Nothing that was committed is lost: to power cuts at any operation, to a full disk, to a failing fsync.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use std::collections::{BTreeMap, HashMap};
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

use annalist_disk::{Dice, Disk, Fault, SimDisk};
use annalist_warc::{
    Block, CdxLines, Reader, Record, WriteError, Writer, Written, index_reader, recover, verify_reader,
};
use support::{DIR, INDEX_DIR, START_MS, html_capture, ids, indexed_captures, read_all, settings};
use uuid::Uuid;

const CAPTURES: usize = 24;
const ROLL_BYTES: u64 = 5_000;

/// A crawl as far as the writer sees one: it appends, syncs, and remembers what it committed.
struct Crawl {
    disk: SimDisk,
    writer: Writer,
    dice: Dice,
    make_id: Box<dyn FnMut() -> Uuid>,
    pending: Vec<(Vec<Record>, Vec<Written>)>,
    /// What the crawl's own store would hold.
    committed_ends: HashMap<String, u64>,
    committed_blocks: BTreeMap<String, Vec<u8>>,
    /// Whether somebody looks captures up while it runs.
    watched: bool,
}

/// What to do about an error.
enum Answer {
    GoOn,
    PowerIsGone,
}

impl Crawl {
    fn new(disk: &SimDisk, seed: u64) -> Crawl {
        Crawl {
            disk: disk.clone(),
            writer: Writer::new(Arc::new(disk.clone()), settings(ROLL_BYTES), ids(seed)),
            dice: Dice::new(seed),
            make_id: Box::new(ids(seed ^ 0xABCD)),
            pending: Vec::new(),
            committed_ends: HashMap::new(),
            committed_blocks: BTreeMap::new(),
            watched: false,
        }
    }

    /// Runs until all captures are committed and the last file is closed, or the power goes.
    fn run(&mut self) {
        for number in 0..CAPTURES {
            let text = "word ".repeat(self.dice.below(120) as usize) + &self.dice.roll().to_string();
            let records = html_capture(&format!("http://a.test/{number}"), &text, &mut self.make_id);
            if !self.append(records) || (self.dice.below(3) == 0 && !self.commit()) {
                return;
            }
        }
        if !self.commit() {
            return;
        }
        for _ in 0..10 {
            match self.writer.close() {
                Ok(()) => return,
                Err(error) => {
                    if matches!(self.answer(error), Answer::PowerIsGone) {
                        return;
                    }
                }
            }
        }
        unreachable!("the last file cannot be closed");
    }

    fn append(&mut self, records: Vec<Record>) -> bool {
        let mut todo = vec![records];
        while let Some(records) = todo.pop() {
            match self.writer.append(&records, START_MS) {
                Ok(written) => self.pending.push((records, written)),
                Err(error) => {
                    todo.push(records);
                    todo.extend(self.take_lost(&error));
                    if matches!(self.answer(error), Answer::PowerIsGone) {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn commit(&mut self) -> bool {
        loop {
            match self.writer.sync() {
                Ok(positions) => {
                    self.committed_ends.extend(positions.into_iter().map(|at| (at.file, at.end)));
                    for (record, _) in
                        self.pending.drain(..).flat_map(|(records, places)| records.into_iter().zip(places))
                    {
                        let Block::Memory(pieces) = record.block() else { unreachable!() };
                        self.committed_blocks.insert(record.id().to_string(), pieces.concat());
                    }
                    if self.watched {
                        self.assert_indexed();
                    }
                    return true;
                }
                Err(error) => {
                    let lost = self.take_lost(&error);
                    if matches!(self.answer(error), Answer::PowerIsGone) {
                        return false;
                    }
                    for records in lost {
                        if !self.append(records) {
                            return false;
                        }
                    }
                }
            }
        }
    }

    /// While the crawl runs: every committed capture is in an index.
    fn assert_indexed(&self) {
        let indexed = indexed_captures(&self.disk, "while it runs");
        let responses = self.committed_blocks.iter().filter(|(_, block)| block.starts_with(b"HTTP/"));
        for (id, _) in responses {
            assert!(indexed.contains(id), "{id} was committed and is in no index");
        }
    }

    fn take_lost(&mut self, error: &WriteError) -> Vec<Vec<Record>> {
        let pending = std::mem::take(&mut self.pending);
        let (lost, kept) =
            pending.into_iter().partition(|(_, places): &(_, Vec<Written>)| error.lost(&places[0]));
        self.pending = kept;
        lost.into_iter().map(|(records, _)| records).collect()
    }

    fn answer(&mut self, error: WriteError) -> Answer {
        if self.disk.create_dir_all(Path::new(DIR)).is_err() {
            return Answer::PowerIsGone;
        }
        if error.is_full() {
            // Somebody makes room.
            self.disk.set_faults(&[]);
        }
        Answer::GoOn
    }

    fn recover(&self, disk: &SimDisk) -> Result<annalist_warc::RecoverReport, WriteError> {
        recover(disk, &settings(ROLL_BYTES), &|name| self.committed_ends.get(name).copied())
    }

    /// Every file is closed, clean and indexed, no id is there twice, and every committed record is there.
    fn assert_all_there(&self, disk: &SimDisk, context: &str) {
        let mut found = BTreeMap::new();
        for name in disk.list(Path::new(DIR)).unwrap() {
            assert!(name.ends_with(".warc.gz"), "{context}: {name} is still there");
            let bytes = disk.read(&Path::new(DIR).join(&name)).unwrap();
            let report = verify_reader(Cursor::new(bytes.as_slice()));
            assert!(report.is_clean(), "{context}: {name}: {:?}", report.problems);
            let mut lines = CdxLines::default();
            index_reader(&mut Reader::new(Cursor::new(bytes.as_slice())), &name, &mut |line| {
                lines.push(&line);
            });
            let index = disk.read(&Path::new(INDEX_DIR).join(name.replace(".warc.gz", ".cdxj"))).unwrap();
            assert_eq!(String::from_utf8(index).unwrap(), lines.sorted().collect::<String>(), "{context}");
            for (fields, block) in read_all(&bytes) {
                let id = fields.get("WARC-Record-ID").unwrap().to_owned();
                assert!(found.insert(id, block).is_none(), "{context}: an id is there twice");
            }
        }
        for (id, block) in &self.committed_blocks {
            assert_eq!(found.get(id), Some(block), "{context}: {id} was committed");
        }
    }
}

fn operations_of_a_whole_crawl(seed: u64) -> u64 {
    let disk = SimDisk::new();
    Crawl::new(&disk, seed).run();
    disk.operations()
}

#[test]
fn a_crawl_without_faults_rolls_over_and_leaves_closed_files() {
    let disk = SimDisk::new();
    let mut crawl = Crawl::new(&disk, 1);
    crawl.watched = true;
    crawl.run();
    assert_eq!(crawl.committed_blocks.len(), CAPTURES * 3);
    assert!(disk.list(Path::new(DIR)).unwrap().len() > 2);
    crawl.assert_all_there(&disk, "no fault");
}

#[test]
fn nothing_committed_is_lost_in_a_thousand_power_cuts() {
    let operations: Vec<u64> = (0..10).map(operations_of_a_whole_crawl).collect();
    for seed in 0..1_200 {
        let mut dice = Dice::new(seed ^ 0x5EED);
        let cut = dice.below(operations[seed as usize % operations.len()]);
        let disk = SimDisk::new().with_faults(&[Fault::CutAt(cut)]);
        let mut crawl = Crawl::new(&disk, seed % 10);
        crawl.run();
        let mut found = disk.after_power_cut(&mut dice);
        let context = format!("seed {seed}, cut at {cut}");
        indexed_captures(&found, &context);
        // The power may go again while the damage is repaired.
        for _ in 0..dice.below(3) {
            found.set_faults(&[Fault::CutAt(found.operations() + dice.below(30))]);
            let _ = crawl.recover(&found);
            found = found.after_power_cut(&mut dice);
            indexed_captures(&found, &context);
        }
        found.set_faults(&[]);
        let report = crawl.recover(&found).unwrap();
        assert!(report.damaged.is_empty(), "{context}: {:?}", report.damaged);
        crawl.assert_all_there(&found, &context);
        let indexes = found.list(Path::new(INDEX_DIR)).unwrap();
        assert!(indexes.iter().all(|name| name.ends_with(".cdxj")), "{context}: {indexes:?}");
        let again = crawl.recover(&found).unwrap();
        assert!(again.closed.is_empty() && again.removed.is_empty() && again.indexed.is_empty(), "{context}");
        crawl.assert_all_there(&found.after_power_cut(&mut dice), &context);
    }
}

#[test]
fn a_closed_file_keeps_its_final_name_through_a_power_cut() {
    let disk = SimDisk::new();
    let mut crawl = Crawl::new(&disk, 6);
    crawl.run();
    for seed in 0..20 {
        crawl.assert_all_there(&disk.after_power_cut(&mut Dice::new(seed)), "after close");
    }
}

#[test]
fn a_crawl_goes_on_after_recovery_with_names_of_its_own() {
    for seed in 0..50 {
        let disk = SimDisk::new().with_faults(&[Fault::CutAt(10 + seed * 3)]);
        let mut crawl = Crawl::new(&disk, seed);
        crawl.run();
        let found = disk.after_power_cut(&mut Dice::new(seed));
        crawl.recover(&found).unwrap();
        let mut next = Crawl::new(&found, seed + 1_000);
        next.run();
        assert_eq!(next.committed_blocks.len(), CAPTURES * 3);
        next.committed_blocks.append(&mut crawl.committed_blocks);
        next.assert_all_there(&found, "second crawl");
    }
}

#[test]
fn a_failing_fsync_at_any_operation_loses_and_repeats_nothing() {
    let operations = operations_of_a_whole_crawl(3);
    for at in 0..operations {
        let disk = SimDisk::new().with_faults(&[Fault::SyncFailsAt(at)]);
        let mut crawl = Crawl::new(&disk, 3);
        crawl.run();
        assert_eq!(crawl.committed_blocks.len(), CAPTURES * 3, "fsync {at}");
        let found = disk.after_power_cut(&mut Dice::new(at));
        crawl.recover(&found).unwrap();
        crawl.assert_all_there(&found, &format!("fsync {at}"));
    }
}

#[test]
fn a_power_cut_after_failing_fsyncs_loses_nothing_committed() {
    let operations = operations_of_a_whole_crawl(4);
    for seed in 0..400 {
        let mut dice = Dice::new(seed);
        let fails = dice.below(operations);
        let faults = [
            Fault::SyncFailsAt(fails),
            Fault::SyncFailsAt(fails + dice.below(8)),
            Fault::CutAt(fails + dice.below(40)),
        ];
        let disk = SimDisk::new().with_faults(&faults);
        let mut crawl = Crawl::new(&disk, 4);
        crawl.run();
        let found = disk.after_power_cut(&mut dice);
        indexed_captures(&found, &format!("seed {seed}"));
        let report = crawl.recover(&found).unwrap();
        assert!(report.damaged.is_empty(), "seed {seed}: {:?}", report.damaged);
        crawl.assert_all_there(&found, &format!("seed {seed}"));
    }
}

#[test]
fn a_disk_that_runs_full_at_any_byte_loses_and_repeats_nothing() {
    let mut full_seen = 0;
    for room in (0..32_000).step_by(61) {
        let disk = SimDisk::new().with_faults(&[Fault::Room(room)]);
        let mut crawl = Crawl::new(&disk, 5);
        crawl.watched = room % 610 == 0;
        crawl.run();
        full_seen += usize::from(disk.free_bytes(Path::new(DIR)).unwrap() > 1 << 40);
        assert_eq!(crawl.committed_blocks.len(), CAPTURES * 3, "room {room}");
        crawl.assert_all_there(&disk, &format!("room {room}"));
    }
    assert!(full_seen > 200, "the disk ran full only {full_seen} times");
}

#[test]
fn a_full_disk_is_told_apart_from_other_errors_and_keeps_nothing_of_the_call() {
    let disk = SimDisk::new();
    let mut writer = Writer::new(Arc::new(disk.clone()), settings(u64::MAX), ids(1));
    let mut make_id = ids(2);
    writer.append(&html_capture("http://a.test/1", "one", &mut make_id), START_MS).unwrap();
    let before = writer.sync().unwrap();
    disk.set_faults(&[Fault::Room(before[0].end + 100)]);
    let records = html_capture("http://a.test/2", "two", &mut make_id);
    assert!(writer.append(&records, START_MS).unwrap_err().is_full());
    disk.set_faults(&[]);
    assert_eq!(writer.sync().unwrap(), before);
    let written = writer.append(&records, START_MS).unwrap();
    assert_eq!(written[0].offset, before[0].end);
}

#[test]
fn a_file_whose_committed_part_is_damaged_is_reported_and_left_alone() {
    let disk = SimDisk::new();
    let mut writer = Writer::new(Arc::new(disk.clone()), settings(u64::MAX), ids(1));
    writer.append(&html_capture("http://a.test/1", "one", &mut ids(2)), START_MS).unwrap();
    let end = writer.sync().unwrap()[0].end;
    let report = recover(&disk, &settings(1), &|_| Some(end + 1)).unwrap();
    assert_eq!(report.damaged.len(), 1);
    assert!(disk.list(Path::new(DIR)).unwrap()[0].ends_with(".open"));
}

#[test]
fn a_file_that_could_not_be_closed_stays_in_every_answer_until_it_is() {
    let disk = SimDisk::new();
    let mut writer = Writer::new(Arc::new(disk.clone()), settings(u64::MAX), ids(1));
    let mut make_id = ids(2);
    writer.append(&html_capture("http://a.test/1", "one", &mut make_id), START_MS).unwrap();
    let kept = writer.sync().unwrap().remove(0);
    let records = html_capture("http://a.test/2", "two", &mut make_id);
    let written = writer.append(&records, START_MS).unwrap();
    // The fsync fails, and there is no room for the index that closing needs.
    disk.set_faults(&[Fault::SyncFailsAt(0), Fault::Room(1)]);
    let error = writer.sync().unwrap_err();
    assert!(written.iter().all(|place| error.lost(place)));
    disk.set_faults(&[]);
    let again = writer.append(&records, START_MS).unwrap();
    assert_ne!(again[0].file, kept.file);
    let positions = writer.sync().unwrap();
    assert_eq!(positions.len(), 2);
    assert_eq!(positions[0], kept);
    writer.close().unwrap();
    assert_eq!(writer.sync().unwrap(), []);
    assert_eq!(disk.list(Path::new(DIR)).unwrap(), [kept.file, again[0].file.clone()]);
}

#[test]
fn an_open_file_has_an_index_of_what_was_synced_and_of_nothing_else() {
    let disk = SimDisk::new();
    let mut writer = Writer::new(Arc::new(disk.clone()), settings(u64::MAX), ids(1));
    let mut make_id = ids(2);
    let first = html_capture("http://a.test/1", "one", &mut make_id);
    let second = html_capture("http://a.test/2", "two", &mut make_id);
    writer.append(&first, START_MS).unwrap();
    assert!(indexed_captures(&disk, "before the sync").is_empty());
    writer.sync().unwrap();
    writer.append(&second, START_MS).unwrap();
    assert_eq!(indexed_captures(&disk, "one synced"), [first[0].id().to_string()]);
    // No room for the index: the sync says so, and its next try goes on where this one stopped.
    let used = 1 << 20;
    disk.set_faults(&[Fault::Room(used)]);
    let free = disk.free_bytes(Path::new(DIR)).unwrap();
    disk.set_faults(&[Fault::Room(used - free + 10)]);
    assert!(writer.sync().unwrap_err().is_full());
    assert_eq!(indexed_captures(&disk, "half a line"), [first[0].id().to_string()]);
    disk.set_faults(&[]);
    writer.sync().unwrap();
    let both = [first[0].id().to_string(), second[0].id().to_string()];
    assert_eq!(indexed_captures(&disk, "both synced"), both);
    writer.close().unwrap();
    assert!(disk.list(Path::new(INDEX_DIR)).unwrap().iter().all(|name| name.ends_with(".cdxj")));
    assert_eq!(indexed_captures(&disk, "closed"), both);
}
