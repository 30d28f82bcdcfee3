//! The way through the WARC files: which is read from where, how far each really was, and what is given up.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annalist_warc::{Framing, OPEN_SUFFIX, ReadError, Reader};

use super::files::{is_of_the_disk, looks, opened};
use super::pairing::{Pairing, Position, Raw, is_capture};
use super::{BATCH, BATCH_BYTES, Batch, Extent, FollowSettings, plain_name};
use crate::derived::{Damage, Mark};

/// A file on the way.
struct Leg {
    path: Arc<Path>,
    name: String,
    /// How much of it may be read, and how much was.
    until: u64,
    reached: u64,
    /// From where it is to be read again, when its turn comes; and whether that is under way.
    again: Option<u64>,
    is_heard_again: bool,
    /// The disk did not give it.
    is_unread: bool,
    /// It was read as far as it may be, and nothing of it is damaged.
    has_ended: bool,
    /// From where on it is damaged, and how it looks.
    damaged_from: Option<u64>,
    seen: String,
    /// It was damaged, looks different now, and is being read again.
    is_retried: bool,
    /// A capture in it was seen for the first time.
    is_fresh: bool,
    /// A capture in it was handed over: the crawl knows of it.
    is_known: bool,
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
    /// The last record's offset, and how many before it have the same.
    last: (u64, u64),
    /// Records of the open file share members. Who reads on from inside of one, or looks there for a capture that waits,
    /// finds nothing: no mark is set before its end.
    shares: bool,
    pairing: Pairing,
    /// Captures that were told without something that could not be read.
    torn: BTreeSet<Position>,
    /// Where the last record stands that was read.
    told_at: u64,
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
            let damage = before.damaged.get(&name).cloned().unwrap_or_default();
            Leg {
                damaged_from: before.damaged.contains_key(&name).then_some(damage.from),
                seen: damage.seen,
                is_retried: false,
                path,
                name,
                until: extent.until,
                reached,
                again,
                is_heard_again: false,
                is_unread: false,
                has_ended: false,
                is_fresh: false,
                is_known: reached > 0,
            }
        };
        Walk {
            legs: extents.into_iter().map(leg).collect(),
            settings,
            left_waiting: before.waiting.clone(),
            before,
            marks,
            next: 0,
            open: None,
            last: (0, 0),
            shares: false,
            pairing: Pairing::default(),
            torn: BTreeSet::new(),
            told_at: 0,
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
                        if let Some(leg) = self.legs.get_mut(number) {
                            leg.has_ended = leg.damaged_from.is_none();
                            (leg.is_retried, leg.is_heard_again) = (false, false);
                        }
                        self.pairing.flush(&mut done);
                        // What the next file might say about them is not waited for: nobody could read them again.
                        if std::mem::take(&mut self.shares) && !self.settings.awaits_metadata {
                            self.pairing.flush_all(&mut done);
                        }
                        self.are_known(&captures);
                        self.give_up();
                    }
                    Step::Unread => {
                        self.legs.get_mut(number).into_iter().for_each(|leg| leg.is_unread = true);
                        self.pairing.flush(&mut done);
                    }
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
        self.are_known(&captures);
        let mark = if self.shares { None } else { Some(self.mark()) };
        Some(Batch { captures, mark, bytes })
    }

    fn are_known(&mut self, captures: &[Raw]) {
        for raw in captures {
            self.legs.get_mut(raw.at.0).into_iter().for_each(|leg| leg.is_known = true);
        }
    }

    /// Opens the next file, and reads its captures again that were waiting.
    fn enter(&mut self, done: &mut dyn FnMut(Raw)) {
        let number = self.next;
        self.next += 1;
        self.decide_from_where(number);
        self.look_for_mending(number);
        let Some(Leg { path, name, reached, .. }) = self.legs.get(number) else { return };
        let (path, name, reached) = (Arc::clone(path), name.clone(), *reached);
        match opened(&path, reached) {
            Ok(reader) => {
                let waiting = self.left_waiting.get(&name).cloned().unwrap_or_default();
                for offset in waiting.into_iter().filter(|offset| *offset < reached) {
                    match self.wait_again(number, &path, offset, done) {
                        Err(fault) if is_of_the_disk(&fault) => {
                            self.tell_unread(&path, offset, &fault);
                            continue;
                        }
                        Ok(true) => {}
                        Ok(false) | Err(_) => self.is_damaged(number, offset),
                    }
                    self.is_seen(&name, offset);
                }
                self.open = Some((number, reader));
                self.last = (u64::MAX, 0);
            }
            // Its neighbours can be read. One that was open may be finished by now, and has another name.
            Err(fault) if !path.to_string_lossy().ends_with(OPEN_SUFFIX) => {
                self.legs.get_mut(number).into_iter().for_each(|leg| leg.is_unread = true);
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
        let waits = |leg: &Leg| self.marks.iter().any(|mark| mark.waiting.contains_key(&leg.name));
        let is_in_vain =
            before.any(|leg| self.left_waiting.contains_key(&leg.name) || leg.is_unread && waits(leg));
        if let Some(leg) = self.legs.get_mut(number) {
            if is_in_vain {
                leg.again.get_or_insert(leg.reached);
            } else if let Some(again) = leg.again.take() {
                leg.reached = leg.reached.min(again);
                leg.is_heard_again = true;
            }
        }
    }

    fn wait_again(
        &mut self,
        number: usize,
        path: &Arc<Path>,
        offset: u64,
        done: &mut dyn FnMut(Raw),
    ) -> Result<bool, ReadError> {
        let mut reader = Reader::open_at(path, offset).map_err(|e| ReadError::new(offset, e.into()))?;
        if let Some(record) = reader.next_record()?
            && is_capture(&record.fields)
        {
            self.pairing.take(record, path, (number, 0), false, done)?;
            return Ok(true);
        }
        Ok(false)
    }

    /// A file that was damaged is read again from there when it has changed; one that grows, when it is finished.
    fn look_for_mending(&mut self, number: usize) {
        let Some(leg) = self.legs.get_mut(number) else { return };
        let is_final = leg.until == u64::MAX || self.settings.over.has(&leg.name);
        let seen = if is_final { looks(&leg.path) } else { String::new() };
        if let Some(from) = leg.damaged_from.filter(|_| is_final && seen != leg.seen) {
            (leg.damaged_from, leg.is_retried) = (None, true);
            self.before.mended = true;
            leg.reached = leg.reached.min(from);
        }
        leg.seen = seen;
    }

    /// What waited for the next record is to be read again, too.
    fn is_damaged(&mut self, number: usize, from: u64) {
        let waiting = self.pairing.waiting().filter(|at| at.0 == number).map(|at| at.1);
        let from = waiting.fold(from, u64::min);
        // Its own file is whole: it is told without what was written on it, and once more when that can be read.
        let torn = self.pairing.midway().filter(|at| at.0 != number);
        let from = if torn.is_some() { from.min(self.told_at) } else { from };
        if let Some(leg) = self.legs.get_mut(number) {
            leg.damaged_from = Some(leg.damaged_from.map_or(from, |before| before.min(from)));
        }
        self.torn.extend(torn);
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
                let is_new = is_capture(&record.fields) && !is_known;
                self.last = (offset, if self.last.0 == offset { self.last.1 + 1 } else { 0 });
                let taken = self.pairing.take(record, &path, (number, self.last.1), is_known, done);
                if taken.is_ok() {
                    self.told_at = offset;
                }
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
            Ok(span) => {
                self.shares |= span.framing != Framing::Alone;
                Step::To(span.offset + span.length)
            }
            Err(error) if is_of_the_disk(&error) => {
                self.tell_unread(&path, reached, &error);
                Step::Unread
            }
            Err(error) => {
                let bytes = reader.skip_broken();
                self.is_damaged(number, bytes.start);
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
        let given_up = self.pairing.forget(|number| {
            let Some(leg) = legs.get(number).filter(|leg| leg.has_ended) else { return false };
            let mut behind = legs.iter().skip(number + 1).take(settings.patience);
            if settings.over.has(&leg.name) {
                behind.take_while(|leg| settings.over.has(&leg.name)).all(|leg| leg.has_ended)
            } else {
                let all = behind.len() == settings.patience;
                all && behind.all(|leg| leg.has_ended && leg.until == u64::MAX)
            }
        });
        // Of a file that the crawl wrote, it says something.
        let mut foreign: BTreeMap<usize, u64> = BTreeMap::new();
        for (number, ..) in given_up {
            *foreign.entry(number).or_default() += 1;
        }
        for (number, captures) in foreign {
            let Some(leg) = self.legs.get(number).filter(|leg| !leg.is_known) else { continue };
            self.holes.push(format!(
                "{}: its captures ({captures}) are left out, for this crawl says nothing about them: an archive of others \
                 is read where it has a folder of its own",
                leg.path.display()
            ));
        }
    }

    /// How far everything is in captures that were handed over, or wait.
    fn mark(&self) -> Mark {
        let mut mark = Mark { waiting: self.left_waiting.clone(), ..self.before.clone() };
        for Leg { name, reached, again, is_heard_again, damaged_from, seen, is_retried, .. } in &self.legs {
            if *reached > mark.of(name) {
                mark.files.insert(name.clone(), *reached);
            }
            mark.damaged.remove(name);
            let seen = if *is_retried { String::new() } else { seen.clone() };
            let reached_again = is_retried.then_some(*reached);
            if let Some(from) = damaged_from.iter().copied().chain(reached_again).min() {
                mark.damaged.insert(name.clone(), Damage { from, seen });
            }
            mark.again.remove(name);
            // For a store that is ahead of the others, too.
            let ahead =
                self.marks.iter().map(|mark| mark.of(name)).filter(|_| again.is_some() || *is_heard_again);
            let furthest = ahead.fold(mark.of(name), u64::max);
            let again = again.map_or(*reached, |again| again.min(*reached));
            if again < furthest {
                mark.again.insert(name.clone(), again);
            }
        }
        for (number, offset, _) in self.pairing.waiting().chain(self.torn.iter().copied()) {
            self.legs.get(number).into_iter().for_each(|leg| mark.wait(&leg.name, offset));
        }
        mark.mended &= !mark.waiting.is_empty();
        mark
    }
}
