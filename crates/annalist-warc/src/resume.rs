//! Reading on after a damaged place: which bytes are lost, and where the next record starts.
//!
//! The next record is looked for right behind the start of the damaged one, since its length may be what is damaged and
//! intact records may lie where its block should be.

use std::fmt;
use std::io::{BufRead, Seek};
use std::ops::{ControlFlow, Range};

use crate::fault::ReadError;
use crate::head::Head;
use crate::read::{BlockRecord, Framing, Reader, State};
use crate::source::{Coding, PLAIN};
use crate::start::Wanted;
use crate::unpack::Compression;

/// Going back is free up to this much, and beyond that up to so many times the bytes that were read.
const FREE_REWIND_BYTES: u64 = 1 << 20;
const REWIND_FACTOR: u64 = 4;
/// In a file whose beginning is damaged, the first member that is not starts within so many bytes.
const MOST_BEFORE_MEMBER: u64 = 1 << 20;

/// Bytes of a file that are in no record that could be read.
#[derive(Debug)]
pub struct Hole {
    pub bytes: Range<u64>,
    /// What was wrong first.
    pub error: ReadError,
}

impl fmt::Display for Hole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { start, end } = self.bytes;
        write!(f, "bytes {start} to {end} are lost: {}", self.error.fault)
    }
}

/// Keeps a file that is full of false starts from being read over and over.
#[derive(Debug, Default)]
pub(crate) struct Rewinds {
    gone_back: u64,
    furthest: u64,
}

impl Rewinds {
    /// Where to go on from: `back` if that can be afforded, `here` otherwise.
    fn afford(&mut self, back: u64, here: u64) -> u64 {
        self.furthest = self.furthest.max(here);
        let way = here.saturating_sub(back);
        if self.gone_back + way > FREE_REWIND_BYTES + REWIND_FACTOR * self.furthest {
            return here;
        }
        self.gone_back += way;
        back
    }
}

/// Whether who takes records wants more of them.
pub type Taken = Result<ControlFlow<()>, ReadError>;

impl<R: BufRead + Seek> Reader<R> {
    /// Hands over every record that can be read, as far as each is wanted, and returns what was lost.
    pub fn each_record(
        &mut self,
        take: &mut dyn FnMut(BlockRecord<'_, R>) -> Result<(), ReadError>,
    ) -> Vec<Hole> {
        self.each_record_while(&mut |record| take(record).map(ControlFlow::Continue))
    }

    /// The same, until somebody has seen enough.
    pub fn each_record_while(&mut self, take: &mut dyn FnMut(BlockRecord<'_, R>) -> Taken) -> Vec<Hole> {
        let mut holes: Vec<Hole> = Vec::new();
        loop {
            let result = match self.next_record() {
                Ok(Some(record)) => take(record),
                Ok(None) => return holes,
                Err(error) => Err(error),
            };
            if let Ok(ControlFlow::Break(())) = result {
                return holes;
            }
            if let Err(error) = result {
                let bytes = self.skip_broken();
                match holes.last_mut() {
                    Some(last) if last.bytes.end >= bytes.start => last.bytes.end = bytes.end,
                    _ => holes.push(Hole { bytes, error }),
                }
            }
        }
    }

    /// After an error: goes to the next place where a record starts, or to the end of the file. Returns the bytes that
    /// are lost.
    pub fn skip_broken(&mut self) -> Range<u64> {
        if let State::Between | State::InBlock(_) = self.state {
            // The caller found the fault, and this record is not to be read on.
            self.state = State::Broken;
        }
        if !matches!(self.state, State::Broken) {
            return self.offset..self.offset;
        }
        let start = self.offset;
        // Where the file itself cannot be read, there is nothing to go on with.
        let found = self.find_head().unwrap_or_default();
        let end = match found {
            Some(head) => {
                self.state = State::Found(Box::new(head));
                // Within a member there are no offsets: somewhere in what was used of the file so far.
                if self.framing == Framing::Shared { self.source.offset() } else { self.offset }
            }
            None => {
                self.state = State::AtEnd;
                self.source.go_to_end()
            }
        };
        start..end.max(start)
    }

    /// The next head that can be read.
    fn find_head(&mut self) -> Result<Option<Head>, ReadError> {
        if self.shares && self.source.is_packed() {
            // Records have no members of their own: the next one may start in this one.
            while let Ok(Some(offset)) = self.source.find_start(Wanted::HEADS, u64::MAX) {
                if let Ok(head) = Head::read(&mut self.source, offset) {
                    self.framing = Framing::Shared;
                    self.offset = self.source.member_start();
                    return Ok(Some(head));
                }
            }
            if self.source.member_has_ended() {
                self.sound_until = self.source.offset();
            }
        }
        let from = self.rewinds.afford(self.sound_until, self.source.offset());
        if let Some(compression) = self.known {
            return self.find_head_of(Wanted::of(compression), from, u64::MAX);
        }
        // Nothing was read yet. Heads show in compressed bytes too, here and there: members come first.
        let (first, limit) = match self.source.compression() {
            Compression::None => (Wanted::MEMBERS, from + MOST_BEFORE_MEMBER),
            packed => (Wanted::of(packed), u64::MAX),
        };
        match self.find_head_of(first, from, limit)? {
            None if limit == u64::MAX => self.find_head_of(first.others(), from, u64::MAX),
            None => self.find_head_of(Wanted::ANY, from, u64::MAX),
            found => Ok(found),
        }
    }

    fn find_head_of(&mut self, wanted: Wanted, from: u64, limit: u64) -> Result<Option<Head>, ReadError> {
        let mut from = from;
        loop {
            self.source.go_to(from, PLAIN)?;
            let Some(start) = self.source.find_start(wanted, limit)? else { return Ok(None) };
            self.source.go_to(start, self.known.map_or(Coding::Unknown, Coding::Known))?;
            if let Ok(Some(head)) = self.begin() {
                return Ok(Some(head));
            }
            from = self.rewinds.afford(start + 1, self.source.offset().max(start + 1));
        }
    }

    /// Whether records start inside the one that was just read to its end, in a plain file: its length is wrong then, and
    /// it ends where one of them does only by chance.
    pub(crate) fn has_swallowed(&mut self) -> Result<bool, ReadError> {
        let end = self.source.offset();
        let mut from = self.rewinds.afford(self.offset + 1, end);
        loop {
            self.source.go_to(from, PLAIN)?;
            let start = self.source.find_start(Wanted::HEADS, end)?.filter(|start| *start < end);
            let Some(start) = start else { break };
            if Head::read(&mut self.source, start).is_ok() {
                return Ok(true);
            }
            from = self.rewinds.afford(start + 1, self.source.offset().max(start + 1));
        }
        self.source.go_to(end, PLAIN)?;
        Ok(false)
    }
}
