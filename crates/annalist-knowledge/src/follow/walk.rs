//! The way through the WARC files: which is read from where, how far each really was, and what is given up.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annalist_warc::{Fault, OPEN_SUFFIX, ReadError, Reader};

use super::pairing::{Pairing, Raw, is_capture};
use super::{BATCH, BATCH_BYTES, Batch, Extent, FollowSettings, plain_name};
use crate::derived::Mark;

/// A file on the way.
struct Leg {
    path: Arc<Path>,
    name: String,
    /// How much of it may be read, and how much was.
    until: u64,
    reached: u64,
    /// From where it is to be read again, when its turn comes.
    again: Option<u64>,
    /// It was read as far as it may be, but for places that are damaged for good.
    has_ended: bool,
    /// A capture in it was seen for the first time.
    is_fresh: bool,
}

/// What became of a step through a file.
enum Step {
    /// Up to here it was read.
    To(u64),
    End,
    /// The disk does not give the rest. The next time it may.
    Unread,
}

pub(super) struct Walk {
    legs: Vec<Leg>,
    settings: FollowSettings,
    /// Where it began.
    before: Mark,
    /// What each store has.
    marks: Vec<Mark>,
    /// Captures that waited when it began, and were not read again yet.
    left_waiting: BTreeMap<String, BTreeSet<u64>>,
    /// Which file is next, and the number of the one that is open.
    next: usize,
    open: Option<(usize, Reader<BufReader<File>>)>,
    pairing: Pairing,
    pub holes: Vec<String>,
    pub is_at_end: bool,
    pub fault: Option<(PathBuf, io::Error)>,
}

impl Walk {
    pub fn new(extents: Vec<Extent>, marks: Vec<Mark>, settings: FollowSettings) -> Walk {
        let before = Mark::common(&marks);
        let leg = |extent: Extent| {
            let name = plain_name(&extent.path);
            let (reached, again) = (before.of(&name), before.again.get(&name).copied());
            let path = Arc::from(extent.path.as_path());
            Leg { path, name, until: extent.until, reached, again, has_ended: false, is_fresh: false }
        };
        Walk {
            legs: extents.into_iter().map(leg).collect(),
            settings,
            left_waiting: before.waiting.clone(),
            before,
            marks,
            next: 0,
            open: None,
            pairing: Pairing::default(),
            holes: Vec::new(),
            is_at_end: false,
            fault: None,
        }
    }

    /// The next captures of which everything was seen. The last batch may be empty: it carries the mark.
    pub fn next_batch(&mut self) -> Option<Batch<Raw>> {
        if self.is_at_end || self.fault.is_some() {
            return None;
        }
        let mut captures: Vec<Raw> = Vec::new();
        let (mut held, mut bytes) = (0, 0);
        while captures.len() < BATCH && held < BATCH_BYTES || self.pairing.is_midway() {
            let mut done = |raw: Raw| {
                held += raw.block.as_ref().map_or(0, Vec::len);
                captures.push(raw);
            };
            if let Some((number, mut reader)) = self.open.take() {
                match self.step(number, &mut reader, &mut done) {
                    Step::To(end) => {
                        bytes += self.reach(number, end);
                        self.open = Some((number, reader));
                        if !self.settings.awaits_metadata {
                            self.pairing.flush_old(&mut done);
                        }
                    }
                    Step::End => {
                        self.legs.get_mut(number).into_iter().for_each(|leg| leg.has_ended = true);
                        self.pairing.flush(&mut done);
                        self.give_up();
                    }
                    Step::Unread => self.pairing.flush(&mut done),
                }
            } else if self.next < self.legs.len() {
                self.enter(&mut done);
                if self.fault.is_some() {
                    return None;
                }
            } else {
                if !self.settings.awaits_metadata {
                    self.pairing.flush_all(&mut done);
                }
                self.is_at_end = true;
                break;
            }
        }
        Some(Batch { captures, mark: self.mark(), bytes })
    }

    /// Opens the next file, and reads its captures again that were waiting.
    fn enter(&mut self, done: &mut dyn FnMut(Raw)) {
        let number = self.next;
        self.next += 1;
        self.decide_from_where(number);
        let Some(Leg { path, name, reached, .. }) = self.legs.get(number) else { return };
        let (path, name, reached) = (Arc::clone(path), name.clone(), *reached);
        match opened(&path, reached) {
            Ok(reader) => {
                let waiting = self.left_waiting.get(&name).cloned().unwrap_or_default();
                for offset in waiting.into_iter().filter(|offset| *offset < reached) {
                    match self.wait_again(number, &path, offset, done) {
                        Err(fault) if is_of_the_disk(&fault) => self.tell_unread(&path, offset, &fault),
                        _ => self.is_seen(&name, offset),
                    }
                }
                self.open = Some((number, reader));
            }
            // Its neighbours can be read. One that was open may be finished by now, and has another name.
            Err(fault) if !path.to_string_lossy().ends_with(OPEN_SUFFIX) => {
                self.tell_unread(&path, reached, &fault);
            }
            Err(fault) => self.fault = Some((path.to_path_buf(), fault)),
        }
    }

    /// A file that says something about captures of another one which could not be read is read again when that one can be,
    /// and not before.
    fn decide_from_where(&mut self, number: usize) {
        let first = number.saturating_sub(self.settings.patience);
        let mut before = self.legs.iter().take(number).skip(first);
        let is_in_vain = before.any(|leg| self.left_waiting.contains_key(&leg.name));
        if let Some(leg) = self.legs.get_mut(number) {
            if is_in_vain {
                leg.again.get_or_insert(leg.reached);
            } else if let Some(again) = leg.again.take() {
                leg.reached = leg.reached.min(again);
            }
        }
    }

    fn wait_again(
        &mut self,
        number: usize,
        path: &Arc<Path>,
        offset: u64,
        done: &mut dyn FnMut(Raw),
    ) -> Result<(), ReadError> {
        let mut reader = Reader::open_at(path, offset).map_err(|e| ReadError::new(offset, e.into()))?;
        if let Some(record) = reader.next_record()?
            && is_capture(record.kind())
        {
            self.pairing.take(record, path, number, false, done)?;
        }
        Ok(())
    }

    /// Takes one record.
    fn step(
        &mut self,
        number: usize,
        reader: &mut Reader<BufReader<File>>,
        done: &mut dyn FnMut(Raw),
    ) -> Step {
        let Some(leg) = self.legs.get(number).filter(|leg| leg.reached < leg.until) else { return Step::End };
        let (path, reached) = (Arc::clone(&leg.path), leg.reached);
        let taken = match reader.next_record() {
            Ok(Some(record)) if record.offset >= leg.until => return Step::End,
            Ok(Some(record)) => {
                let (name, offset) = (leg.name.clone(), record.offset);
                let is_known =
                    !self.marks.is_empty() && self.marks.iter().all(|mark| mark.has(&name, offset));
                let is_new = is_capture(record.kind()) && !is_known;
                let taken = self.pairing.take(record, &path, number, is_known, done);
                if is_new && taken.is_ok() {
                    self.is_seen(&name, offset);
                    self.hear_again(number);
                }
                taken
            }
            Ok(None) => return Step::End,
            Err(error) => Err(error),
        };
        match taken {
            Ok(end) => Step::To(end),
            Err(error) if is_of_the_disk(&error) => {
                self.tell_unread(&path, reached, &error);
                Step::Unread
            }
            Err(error) => {
                let bytes = reader.skip_broken();
                let (shown, fault) = (path.display(), &error.fault);
                self.holes.push(format!("{shown}: bytes {} to {} are lost: {fault}", bytes.start, bytes.end));
                if bytes.end > bytes.start { Step::To(bytes.end) } else { Step::End }
            }
        }
    }

    fn tell_unread(&mut self, path: &Path, from: u64, fault: &dyn std::fmt::Display) {
        let what = "cannot be read from byte";
        self.holes
            .push(format!("{}: {what} {from} on, and is tried again the next time: {fault}", path.display()));
    }

    /// Returns how many bytes that are.
    fn reach(&mut self, number: usize, end: u64) -> u64 {
        let Some(leg) = self.legs.get_mut(number) else { return 0 };
        let before = leg.reached;
        leg.reached = before.max(end);
        leg.reached - before
    }

    /// A capture that waited when the walk began is looked after by the pairing now, or lost.
    fn is_seen(&mut self, name: &str, offset: u64) {
        if let Some(offsets) = self.left_waiting.get_mut(name) {
            offsets.remove(&offset);
            if offsets.is_empty() {
                self.left_waiting.remove(name);
            }
        }
    }

    /// A file has captures that nobody has seen. Those behind it that were read before, because it could not be, are read
    /// again for what they say about them.
    fn hear_again(&mut self, number: usize) {
        match self.legs.get_mut(number) {
            Some(leg) if !leg.is_fresh => leg.is_fresh = true,
            _ => return,
        }
        let behind = self.legs.iter_mut().skip(number + 1);
        behind.take(self.settings.patience).for_each(|leg| leg.again = Some(0));
    }

    /// Of captures that lie far enough behind, nothing more will be heard.
    fn give_up(&mut self) {
        if !self.settings.awaits_metadata {
            return;
        }
        let (legs, settings) = (&self.legs, &self.settings);
        self.pairing.forget(|number| {
            let Some(leg) = legs.get(number).filter(|leg| leg.has_ended) else { return false };
            let mut behind = legs.iter().skip(number + 1).take(settings.patience);
            if settings.over.has(&leg.name) {
                behind.take_while(|leg| settings.over.has(&leg.name)).all(|leg| leg.has_ended)
            } else {
                let all = behind.len() == settings.patience;
                all && behind.all(|leg| leg.has_ended && leg.until == u64::MAX)
            }
        });
    }

    /// How far everything is in captures that were handed over, or wait.
    fn mark(&self) -> Mark {
        let mut mark = Mark { waiting: self.left_waiting.clone(), ..self.before.clone() };
        for Leg { name, reached, again, .. } in &self.legs {
            if *reached > mark.of(name) {
                mark.files.insert(name.clone(), *reached);
            }
            mark.again.remove(name);
            let again = again.map_or(*reached, |again| again.min(*reached));
            if again < mark.of(name) {
                mark.again.insert(name.clone(), again);
            }
        }
        for (number, offset) in self.pairing.waiting() {
            self.legs.get(number).into_iter().for_each(|leg| mark.wait(&leg.name, offset));
        }
        mark
    }
}

/// What is no file may keep who opens it waiting for ever; a finished file has a record at least.
fn opened(path: &Path, from: u64) -> io::Result<Reader<BufReader<File>>> {
    let found = std::fs::metadata(path)?;
    if !found.is_file() && !found.is_dir() {
        return Err(io::Error::other("it is no file"));
    }
    if found.len() == 0 && !path.to_string_lossy().ends_with(OPEN_SUFFIX) {
        return Err(io::Error::other("it is empty"));
    }
    Reader::open_at(path, from)
}

/// Whether it was the disk that failed, which it may not do again. What is wrong with the bytes themselves stays wrong.
fn is_of_the_disk(error: &ReadError) -> bool {
    let Fault::Io(fault) = &error.fault else { return false };
    !matches!(fault.kind(), ErrorKind::UnexpectedEof | ErrorKind::InvalidData)
}
