//! Damaged files lose the damaged records and nothing else: ten thousand of them, made by the same dice every time.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test that cannot go on has failed")]

mod support;

use std::collections::BTreeSet;
use std::io::{Cursor, Read};
use std::ops::{ControlFlow, Range};

use annalist_disk::Dice;
use annalist_warc::{Hole, Reader};
use support::samples::{Sample, Variant, samples};

const FILES: u64 = 10_000;
const VARIANTS: [Variant; 8] = Variant::ALL;

/// A file made of pieces of samples, some of them changed.
struct Damaged {
    bytes: Vec<u8>,
    /// Records none of whose bytes were touched: where they are now, and what they hold.
    intact: Vec<(Range<usize>, String)>,
    /// One stream for all records: what is behind a damaged place cannot be had.
    whole: bool,
    /// What all records need.
    dictionary: Range<usize>,
}

impl Damaged {
    fn of(sample: &Sample) -> Damaged {
        let intact = sample.records.iter().map(|(at, name)| (at.clone(), name.clone())).collect();
        Damaged {
            bytes: sample.bytes.clone(),
            intact,
            whole: sample.variant.is_whole(),
            dictionary: sample.dictionary.clone(),
        }
    }

    /// What a fault at a place takes with it.
    fn touch(&mut self, place: Range<usize>) {
        let whole = self.whole || place.start < self.dictionary.end;
        self.intact.retain(|(at, _)| {
            let apart = at.end <= place.start || place.end <= at.start;
            apart && !(whole && at.end > place.start)
        });
    }

    fn flip(&mut self, dice: &mut Dice) {
        let at = below(dice, self.bytes.len());
        self.bytes[at] ^= 1 << below(dice, 8);
        self.touch(at..at + 1);
    }

    fn overwrite(&mut self, dice: &mut Dice) {
        let at = below(dice, self.bytes.len());
        let end = (at + 1 + below(dice, 300)).min(self.bytes.len());
        for byte in &mut self.bytes[at..end] {
            *byte = u8::try_from(dice.roll() & 0xff).unwrap();
        }
        self.touch(at..end);
    }

    /// Takes bytes out of the middle.
    fn cut_out(&mut self, dice: &mut Dice) {
        let at = below(dice, self.bytes.len());
        let end = (at + 1 + below(dice, 2_000)).min(self.bytes.len());
        self.touch(at..end);
        self.bytes.drain(at..end);
        for (range, _) in &mut self.intact {
            if range.start >= end {
                *range = range.start - (end - at)..range.end - (end - at);
            }
        }
    }

    fn cut_off(&mut self, dice: &mut Dice) {
        let at = 1 + below(dice, self.bytes.len() - 1);
        self.touch(at..self.bytes.len());
        self.bytes.truncate(at);
    }

    /// The beginning of this one and the rest of another.
    fn splice(&mut self, other: &Sample, dice: &mut Dice) {
        let at = below(dice, self.bytes.len());
        let from = below(dice, other.bytes.len());
        self.touch(at..self.bytes.len().max(at + 1));
        self.bytes.truncate(at);
        self.bytes.extend_from_slice(&other.bytes[from..]);
        if !self.whole && at >= self.dictionary.end {
            let rest = other.records.iter().filter(|(range, _)| range.start >= from);
            self.intact.extend(
                rest.map(|(range, name)| (range.start - from + at..range.end - from + at, name.clone())),
            );
        }
    }
}

/// That it ends at all is what is tested: there is hardly a record to be found.
fn assert_read(bytes: &[u8]) {
    let (_, holes) = read(bytes);
    assert!(!holes.is_empty());
}

const LARGE: usize = 2 << 20;

fn repeated(piece: &[u8]) -> Vec<u8> {
    piece.iter().copied().cycle().take(LARGE).collect()
}

#[test]
fn a_large_file_of_nothing_but_starts_of_records_is_read_to_its_end() {
    assert_read(&repeated(b"WARC/1.0\r\n"));
    assert_read(&repeated(b"WARC/1.0\r\nContent-Length: 9999999999\r\n\r\n"));
    assert_read(&repeated(b"WARC/1.0\r\nContent-Length: 5000001\r\n\r\n\n"));
    assert_read(&repeated(b"http://a.test/ 192.0.2.7 20080430204825 text/html 5000001\nx"));
}

#[test]
fn a_large_file_of_nothing_but_starts_of_members_is_read_to_its_end() {
    assert_read(&repeated(&[0x1f, 0x8b, 8, 0]));
    assert_read(&repeated(&[0x1f, 0x8b, 8]));
    assert_read(&repeated(&[0x28, 0xb5, 0x2f, 0xfd]));
    assert_read(&repeated(&[0x5d, 0x2a, 0x4d, 0x18, 1, 0, 0, 0]));
    // Each member goes on through all that follow it, and says that it holds a record.
    let head = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x00\xff\xff\x00\x00WARC/1.0\r\nX: ";
    assert_read(&repeated(head));
}

fn below(dice: &mut Dice, limit: usize) -> usize {
    usize::try_from(dice.below(limit as u64)).unwrap()
}

fn damaged(number: u64, samples: &[Sample]) -> (Variant, Damaged) {
    let mut dice = Dice::new(number);
    let variant = VARIANTS[below(&mut dice, VARIANTS.len())];
    let alike: Vec<&Sample> = samples.iter().filter(|sample| sample.variant == variant).collect();
    let mut file = Damaged::of(alike[below(&mut dice, alike.len())]);
    for _ in 0..1 + dice.below(3) {
        if file.bytes.len() < 2 {
            break;
        }
        match dice.below(5) {
            0 => file.flip(&mut dice),
            1 => file.overwrite(&mut dice),
            2 => file.cut_out(&mut dice),
            3 => file.cut_off(&mut dice),
            _ => file.splice(alike[below(&mut dice, alike.len())], &mut dice),
        }
    }
    (variant, file)
}

/// The names of the records that can be read, and what cannot.
fn read(bytes: &[u8]) -> (BTreeSet<String>, Vec<Hole>) {
    let mut names = BTreeSet::new();
    let holes = Reader::new(Cursor::new(bytes)).each_record(&mut |mut record| {
        let mut block = Vec::new();
        let read = record.read_to_end(&mut block);
        record.finish()?;
        read.unwrap();
        names.insert(support::samples::name_in(&block));
        Ok(())
    });
    (names, holes)
}

#[test]
fn damaged_files_lose_the_damaged_records_and_nothing_else() {
    let samples = samples();
    let (mut intact, mut found) = (0, 0);
    let mut by_variant = [(0, 0); VARIANTS.len()];
    let mut missed = Vec::new();
    for number in 0..FILES {
        let (variant, file) = damaged(number, &samples);
        let (names, holes) = read(&file.bytes);
        for hole in &holes {
            assert!(
                hole.bytes.start <= hole.bytes.end && hole.bytes.end <= file.bytes.len() as u64,
                "{hole}"
            );
        }
        let place = VARIANTS.iter().position(|other| *other == variant).unwrap();
        for (range, name) in &file.intact {
            intact += 1;
            by_variant[place].0 += 1;
            if names.contains(name) {
                found += 1;
                by_variant[place].1 += 1;
            } else {
                missed.push(format!("file {number} ({variant:?}): {name} at {range:?}"));
            }
        }
    }
    let share = f64::from(found) / f64::from(intact);
    println!("{found} of {intact} intact records were read, {:.4} %", share * 100.0);
    for (variant, (intact, found)) in VARIANTS.iter().zip(by_variant) {
        println!("  {variant:?}: {found} of {intact}");
    }
    missed.iter().take(20).for_each(|line| println!("  {line}"));
    assert!(share >= 0.999, "{share}");
    assert!(intact > 50_000, "{intact} are too few to tell");
}

#[test]
fn a_file_is_read_until_somebody_has_seen_enough() {
    let record = "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.test/\r\n\
                  WARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\n\
                  Content-Length: 1\r\n\r\nx\r\n\r\n";
    let bytes = record.repeat(3);
    for enough in 1..=3 {
        let mut seen = 0;
        let holes = Reader::new(Cursor::new(bytes.as_bytes())).each_record_while(&mut |record| {
            record.finish()?;
            seen += 1;
            Ok(if seen == enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        });
        assert!(holes.is_empty(), "{holes:?}");
        assert_eq!(seen, enough);
    }
}
