//! Records out of WARC files, one after the other or at an offset, with blocks of any size as streams.
//!
//! Reads WARC 0.17 to 1.1: one gzip member per record, one for the whole file, or none. What is wrong with a file is an
//! error with an offset; whether a file is as it should be in every respect is asked in `verify/`.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use crate::fields::{Fields, is_token};
use crate::ready::read_ready;
use crate::source::{Fault, ReadError, Source};

/// Some writers put whole JSON documents into a field.
const MAX_HEAD_BYTES: usize = 1 << 20;
const INPUT_BUFFER_BYTES: usize = 64 * 1024;
const TERMINATOR: &[u8; 4] = b"\r\n\r\n";

/// Reads the records of one file.
#[derive(Debug)]
pub struct Reader<R> {
    source: Source<R>,
    state: State,
    /// Of the record under way, or of the last one.
    offset: u64,
    framing: Framing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before a record, or before a gzip member that may hold one.
    Between,
    /// At the first byte of a gzip member.
    AtMember,
    /// This many bytes of a record's block are left.
    InBlock(u64),
    /// Something is wrong with this record: `skip_broken` may go on after its member.
    Broken,
    /// Nothing after this can be found again.
    Lost,
}

/// Where a record is in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub offset: u64,
    /// As stored, so compressed if the file is.
    pub length: u64,
    pub framing: Framing,
}

/// How a record lies in its gzip members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// One member of its own, or a plain file: the record can be read from its offset.
    Alone,
    /// Its member holds other records too.
    Shared,
    /// It is spread over several members.
    Spread,
}

/// A record whose head was read. Its block is read from it, as far as one likes.
#[derive(Debug)]
pub struct BlockRecord<'a, R> {
    reader: &'a mut Reader<R>,
    pub offset: u64,
    /// The head as it stands in the file, with the empty line that ends it: whoever copies a record copies this.
    pub head: Vec<u8>,
    /// What stands after `WARC/`.
    pub version: String,
    pub fields: Fields,
    pub content_length: u64,
    /// How the lines of the head ended.
    pub line_ends: LineEnds,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnds {
    CrLf,
    /// At least one line ended with LF alone.
    BareLf,
}

struct Head {
    bytes: Vec<u8>,
    version: String,
    fields: Fields,
    content_length: u64,
    line_ends: LineEnds,
}

impl Reader<BufReader<File>> {
    pub fn open(path: &Path) -> io::Result<Reader<BufReader<File>>> {
        Reader::open_at(path, 0)
    }

    /// To read the record that starts at an offset, as an index line gives it.
    pub fn open_at(path: &Path, offset: u64) -> io::Result<Reader<BufReader<File>>> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(offset))?;
        Ok(Reader::starting_at(BufReader::with_capacity(INPUT_BUFFER_BYTES, file), offset))
    }
}

impl<R: BufRead> Reader<R> {
    pub fn new(input: R) -> Reader<R> {
        Reader::starting_at(input, 0)
    }

    /// `offset` is where in its file the input starts.
    pub(crate) fn starting_at(input: R, offset: u64) -> Reader<R> {
        let source = Source::new(input, offset);
        Reader { source, state: State::Between, offset, framing: Framing::Alone }
    }

    /// The next record, or `None` at the end. Whatever was left of the one before is skipped and checked.
    ///
    /// After an error there are no more records, unless `skip_broken` finds a place to go on from.
    pub fn next_record(&mut self) -> Result<Option<BlockRecord<'_, R>>, ReadError> {
        if matches!(self.state, State::InBlock(_)) {
            self.end_block()?;
        }
        self.framing = Framing::Alone;
        match self.state {
            State::Broken | State::Lost => return Ok(None),
            State::Between | State::InBlock(_) => {
                let inside_member = !self.broken_unless(|reader| Ok(reader.source.fill()?.is_empty()))?;
                if !inside_member && !self.next_member()? {
                    self.state = State::Between;
                    return Ok(None);
                }
                if inside_member && self.source.is_gzip() {
                    self.framing = Framing::Shared;
                }
            }
            State::AtMember => {}
        }
        self.source.mark_plain();
        self.offset = self.source.member_start();
        let offset = self.offset;
        let Head { bytes: head, version, fields, content_length, line_ends } =
            self.broken_unless(Reader::read_head)?;
        self.state = State::InBlock(content_length);
        Ok(Some(BlockRecord { reader: self, offset, head, version, fields, content_length, line_ends }))
    }

    /// After an error: goes to the start of the next gzip member. `false` if the rest of the file is lost.
    pub fn skip_broken(&mut self) -> bool {
        match self.state {
            State::Broken if self.source.is_gzip() && self.source.skip_member().is_ok() => {
                self.state = State::Between;
                true
            }
            State::Between | State::AtMember => true,
            _ => {
                self.state = State::Lost;
                false
            }
        }
    }

    /// Whether the file is compressed; known after the first record.
    pub fn is_gzip(&self) -> bool {
        self.source.is_gzip()
    }

    fn broken_unless<T>(
        &mut self,
        step: impl FnOnce(&mut Reader<R>) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        let result = step(self);
        if result.is_err() && !matches!(self.state, State::AtMember | State::Lost) {
            self.state = State::Broken;
        }
        result
    }

    fn next_member(&mut self) -> Result<bool, ReadError> {
        let result = self.source.next_member();
        self.state = if result.is_ok() { State::AtMember } else { State::Lost };
        result
    }

    fn read_head(&mut self) -> Result<Head, ReadError> {
        self.state = State::Broken;
        let mut lines = HeadLines {
            budget: MAX_HEAD_BYTES,
            line_ends: LineEnds::CrLf,
            line: Vec::new(),
            bytes: Vec::new(),
        };
        let first = lines.next(&mut self.source)?;
        let Some(version) = first.strip_prefix("WARC/").map(|v| v.trim().to_owned()) else {
            return Err(self.fault(Fault::NotARecord));
        };
        let mut fields = Fields::new();
        loop {
            let line = lines.next(&mut self.source)?;
            if line.is_empty() {
                break;
            }
            if line.starts_with([' ', '\t']) && fields.extend_last(line.trim()) {
                continue;
            }
            let Some((name, value)) = line.split_once(':').filter(|(name, _)| is_name(name)) else {
                return Err(self.fault(Fault::BadField(line.chars().take(80).collect())));
            };
            fields.push_read(name.trim_end().to_owned(), value.trim().to_owned());
        }
        let length = fields.get("Content-Length").filter(|v| v.bytes().all(|b| b.is_ascii_digit()));
        let Some(content_length) = length.and_then(|v| v.parse().ok()) else {
            return Err(self.fault(Fault::NoLength));
        };
        Ok(Head { bytes: lines.bytes, version, fields, content_length, line_ends: lines.line_ends })
    }

    fn fault(&self, fault: Fault) -> ReadError {
        ReadError::new(self.offset, fault)
    }

    /// Bytes of the block that are ready; none at its end.
    fn fill_block(&mut self) -> Result<&[u8], ReadError> {
        let State::InBlock(left) = self.state else { return Ok(&[]) };
        if left == 0 {
            return Ok(&[]);
        }
        self.broken_unless(Reader::reach_block_bytes)?;
        let ready = self.source.fill()?;
        let usable = usize::try_from(left).unwrap_or(usize::MAX).min(ready.len());
        Ok(&ready[..usable])
    }

    /// Goes over the ends of gzip members until there is a byte of the block.
    fn reach_block_bytes(&mut self) -> Result<(), ReadError> {
        let before = self.state;
        while self.source.fill()?.is_empty() {
            if !self.next_member()? {
                self.state = State::Broken;
                return Err(ReadError::new(self.source.offset(), Fault::CutShort));
            }
            // A record starts here: the one before promised more bytes than it has.
            if self.source.continues_with(b"WARC/")? {
                return Err(ReadError::new(self.offset, Fault::LengthPastMember));
            }
            self.framing = Framing::Spread;
            self.state = before;
        }
        Ok(())
    }

    fn consume_block(&mut self, amount: usize) {
        if let State::InBlock(left) = &mut self.state {
            *left = left.saturating_sub(amount as u64);
            self.source.consume(amount);
        }
    }

    fn end_block(&mut self) -> Result<Span, ReadError> {
        loop {
            let ready = self.fill_block()?.len();
            if ready == 0 {
                break;
            }
            self.consume_block(ready);
        }
        self.broken_unless(Reader::read_terminator)?;
        let more_in_member = self.broken_unless(|reader| Ok(!reader.source.fill()?.is_empty()))?;
        if more_in_member && self.source.is_gzip() {
            self.framing = Framing::Shared;
        }
        self.state = State::Between;
        let length = self.source.offset() - self.offset;
        Ok(Span { offset: self.offset, length, framing: self.framing })
    }

    fn read_terminator(&mut self) -> Result<(), ReadError> {
        for expected in TERMINATOR {
            if self.source.fill()?.first() != Some(expected) {
                return Err(self.fault(Fault::NoTerminator));
            }
            self.source.consume(1);
        }
        Ok(())
    }
}

fn is_name(name: &str) -> bool {
    let name = name.trim_end();
    !name.is_empty() && name.bytes().all(is_token)
}

struct HeadLines {
    budget: usize,
    line_ends: LineEnds,
    line: Vec<u8>,
    /// All lines so far, with their ends.
    bytes: Vec<u8>,
}

impl HeadLines {
    /// The next line without its end. Bytes that are no UTF-8 are replaced.
    fn next<R: BufRead>(&mut self, source: &mut Source<R>) -> Result<std::borrow::Cow<'_, str>, ReadError> {
        self.line.clear();
        while self.line.last() != Some(&b'\n') {
            let offset = source.offset();
            let (gzip, start) = (source.is_gzip(), source.member_start());
            let ready = source.fill()?;
            if ready.is_empty() {
                let fault = if gzip { Fault::HeadAcrossMembers } else { Fault::CutShort };
                return Err(ReadError::new(offset, fault));
            }
            let used = ready.iter().position(|b| *b == b'\n').map_or(ready.len(), |at| at + 1);
            if used > self.budget {
                return Err(ReadError::new(start, Fault::HeadTooLong(MAX_HEAD_BYTES)));
            }
            self.budget -= used;
            self.line.extend_from_slice(&ready[..used]);
            source.consume(used);
        }
        self.bytes.extend_from_slice(&self.line);
        self.line.pop();
        if self.line.last() == Some(&b'\r') {
            self.line.pop();
        } else {
            self.line_ends = LineEnds::BareLf;
        }
        Ok(String::from_utf8_lossy(&self.line))
    }
}

impl<R: BufRead> BlockRecord<'_, R> {
    /// The value of `WARC-Type`, or nothing.
    pub fn kind(&self) -> &str {
        self.fields.get("WARC-Type").unwrap_or_default()
    }

    /// Skips what is left of the block, checks the record's end, and says where it lies.
    pub fn finish(self) -> Result<Span, ReadError> {
        self.reader.end_block()
    }

    /// The whole block, if it is no longer than `limit`, and otherwise its beginning.
    pub fn read_block(&mut self, limit: u64) -> Result<Vec<u8>, ReadError> {
        let mut block = Vec::new();
        let read = self.by_ref().take(limit).read_to_end(&mut block);
        read.map_err(|e| ReadError::from_io(e, self.offset))?;
        Ok(block)
    }
}

impl<R: BufRead> Read for BlockRecord<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        read_ready(self, buffer)
    }
}

impl<R: BufRead> BufRead for BlockRecord<'_, R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_block().map_err(ReadError::into_io)
    }

    fn consume(&mut self, amount: usize) {
        self.reader.consume_block(amount);
    }
}
