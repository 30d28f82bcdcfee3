//! Records out of archive files, one after the other or at an offset, with blocks of any size as streams.
//!
//! Reads WARC 0.17 to 1.1 and ARC: one gzip member or Zstandard frame per record, one for the whole file, or none. What is
//! wrong with a file is an error with an offset, after which `resume.rs` finds the next record; whether a file is as it
//! should be in every respect is asked in `verify/`.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use crate::fault::{Fault, ReadError};
use crate::fields::Fields;
use crate::head::{Head, LineEnds};
use crate::ready::read_ready;
use crate::resume::Rewinds;
use crate::source::Source;
use crate::start::Format;
use crate::unpack::Compression;

const INPUT_BUFFER_BYTES: usize = 64 * 1024;

/// Reads the records of one file.
#[derive(Debug)]
pub struct Reader<R> {
    pub(crate) source: Source<R>,
    pub(crate) state: State,
    /// Of the record under way, or of the last one.
    pub(crate) offset: u64,
    pub(crate) framing: Framing,
    format: Format,
    ending: Ending,
    /// What was wrong in the middle of a block.
    broken_by: Option<ReadError>,
    /// Up to here the file is whole: after a fault, the next record is looked for from here on.
    pub(crate) sound_until: u64,
    /// How the file is compressed, once a record was read to its end.
    pub(crate) known: Option<Compression>,
    /// The file has members with more than one record in them.
    pub(crate) shares: bool,
    pub(crate) rewinds: Rewinds,
}

#[derive(Debug)]
pub(crate) enum State {
    /// Before a record, or before a member that may hold one.
    Between,
    /// After a head that was found behind a damaged place.
    Found(Box<Head>),
    /// This many bytes of a record's block are left.
    InBlock(u64),
    /// Something is wrong with this record: `skip_broken` goes on after it.
    Broken,
    /// There is nothing more in the file.
    AtEnd,
}

/// Where a record is in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub offset: u64,
    /// As stored, so compressed if the file is.
    pub length: u64,
    pub framing: Framing,
    pub ending: Ending,
}

/// How a record lies in its compressed members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// One member of its own, or a plain file: the record can be read from its offset.
    Alone,
    /// Its member holds other records too.
    Shared,
    /// It is spread over several members.
    Spread,
}

/// Whether a record is delimited as its format says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Regular,
    /// Line ends are missing behind the block, or there are more than belong there.
    Irregular,
}

/// A record whose head was read. Its block is read from it, as far as one likes.
#[derive(Debug)]
pub struct BlockRecord<'a, R> {
    reader: &'a mut Reader<R>,
    pub offset: u64,
    /// The head as it stands in the file, with the empty line that ends it: whoever copies a record copies this.
    pub head: Vec<u8>,
    /// ARC records say what they have to say in the fields of WARC.
    pub format: Format,
    /// What stands after `WARC/`.
    pub version: String,
    pub fields: Fields,
    pub content_length: u64,
    /// How the lines of the head ended.
    pub line_ends: LineEnds,
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

impl<R: BufRead + Seek> Reader<R> {
    /// Reads `input`, which stands at its start.
    pub fn new(input: R) -> Reader<R> {
        Reader::starting_at(input, 0)
    }

    /// `offset` is where in its file the input starts.
    pub(crate) fn starting_at(input: R, offset: u64) -> Reader<R> {
        Reader {
            source: Source::new(input, offset),
            state: State::Between,
            offset,
            framing: Framing::Alone,
            format: Format::Warc,
            ending: Ending::Regular,
            broken_by: None,
            sound_until: offset,
            known: None,
            shares: false,
            rewinds: Rewinds::default(),
        }
    }

    /// The next record, or `None` at the end. Whatever was left of the one before is skipped and checked.
    ///
    /// After an error there are no more records, until `skip_broken` has found the next.
    pub fn next_record(&mut self) -> Result<Option<BlockRecord<'_, R>>, ReadError> {
        if matches!(self.state, State::InBlock(_)) {
            self.end_block()?;
        }
        let head = match std::mem::replace(&mut self.state, State::Broken) {
            State::Found(head) => *head,
            State::Between | State::InBlock(_) => match self.begin()? {
                Some(head) => head,
                None => {
                    self.state = State::AtEnd;
                    return Ok(None);
                }
            },
            done @ (State::Broken | State::AtEnd) => {
                self.state = done;
                return Ok(None);
            }
        };
        let Head { bytes: head, format, version, fields, content_length, line_ends } = head;
        self.format = format;
        self.state = State::InBlock(content_length);
        let offset = self.offset;
        Ok(Some(BlockRecord {
            reader: self,
            offset,
            head,
            format,
            version,
            fields,
            content_length,
            line_ends,
        }))
    }

    /// How the file is compressed; known after the first record.
    pub fn compression(&self) -> Compression {
        self.known.unwrap_or(self.source.compression())
    }

    /// Goes to the next record and reads its head. `None` at the end of the file.
    pub(crate) fn begin(&mut self) -> Result<Option<Head>, ReadError> {
        (self.framing, self.ending) = (Framing::Alone, Ending::Regular);
        let mut inside = true;
        while self.source.fill()?.is_empty() {
            (self.offset, inside) = (self.source.offset(), false);
            self.sound_until = self.offset + 1;
            if !self.source.next_member()? {
                return Ok(None);
            }
            self.offset = self.source.member_start();
            self.sound_until = self.offset + 1;
            if self.skip_blank()? > 0 {
                self.ending = Ending::Irregular;
            }
        }
        self.source.mark_plain();
        self.offset = self.source.member_start();
        self.sound_until = self.offset + 1;
        if inside && self.source.is_packed() {
            (self.framing, self.shares) = (Framing::Shared, true);
        }
        let head = Head::read(&mut self.source, self.offset)?;
        if self.source.member_start() != self.offset {
            self.framing = Framing::Spread;
        }
        Ok(Some(head))
    }

    /// Consumes line ends. Returns how many bytes they were.
    fn skip_blank(&mut self) -> Result<u64, ReadError> {
        let mut blank = 0;
        loop {
            let ready = self.source.fill()?;
            let used = ready.iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
            if used == 0 {
                return Ok(blank);
            }
            self.source.consume(used);
            blank += used as u64;
        }
    }

    pub(crate) fn fault(&self, fault: Fault) -> ReadError {
        ReadError::new(self.offset, fault)
    }

    fn broken_unless<T>(
        &mut self,
        step: impl FnOnce(&mut Reader<R>) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        let result = step(self);
        if let Err(error) = &result {
            self.state = State::Broken;
            self.broken_by = Some(error.again());
        }
        result
    }

    /// Bytes of the block that are ready; none at its end.
    pub(crate) fn fill_block(&mut self) -> Result<&[u8], ReadError> {
        let State::InBlock(left) = self.state else { return Ok(&[]) };
        if left == 0 {
            return Ok(&[]);
        }
        self.broken_unless(Reader::reach_block_bytes)?;
        let ready = self.source.fill()?;
        let usable = usize::try_from(left).unwrap_or(usize::MAX).min(ready.len());
        Ok(&ready[..usable])
    }

    /// Goes over the ends of members until there is a byte of the block.
    fn reach_block_bytes(&mut self) -> Result<(), ReadError> {
        while self.source.fill()?.is_empty() {
            if self.source.member_has_ended() {
                self.sound_until = self.source.offset();
            }
            if !self.source.is_packed() || !self.source.next_member()? {
                return Err(ReadError::new(self.source.offset(), Fault::CutShort));
            }
            // A record starts here: the one before promised more bytes than it has.
            if self.source.starts_record()? == Some(self.format) {
                return Err(self.fault(Fault::LengthPastMember));
            }
            self.framing = Framing::Spread;
        }
        Ok(())
    }

    pub(crate) fn consume_block(&mut self, amount: usize) {
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
        if let State::Broken = self.state {
            let again = self.broken_by.as_ref().map(ReadError::again);
            return Err(again.unwrap_or(self.fault(Fault::CutShort)));
        }
        self.broken_unless(Reader::read_ending)?;
        self.state = State::Between;
        self.known = Some(self.source.compression());
        let (offset, framing, ending) = (self.offset, self.framing, self.ending);
        Ok(Span { offset, length: self.source.offset() - offset, framing, ending })
    }

    /// Behind a block come line ends, and behind them the next record or nothing. Some writers forget the line ends and
    /// some write more; what is no end at all is a length that is wrong.
    fn read_ending(&mut self) -> Result<(), ReadError> {
        let expected: &[u8] = match self.format {
            Format::Warc => b"\r\n\r\n",
            Format::Arc => b"\n",
        };
        let ended = self.source.peek(expected.len())? == expected;
        let blank = self.skip_blank()?;
        if !ended || blank != expected.len() as u64 {
            self.ending = Ending::Irregular;
        }
        if self.source.fill()?.is_empty() {
            return Ok(());
        }
        let followed = self.source.starts_record()?.is_some();
        if self.source.is_packed() {
            (self.framing, self.shares) = (Framing::Shared, true);
        } else if ended && !followed && self.has_swallowed()? {
            return Err(self.fault(Fault::NoTerminator));
        }
        if ended || followed { Ok(()) } else { Err(self.fault(Fault::NoTerminator)) }
    }
}

impl<R: BufRead + Seek> BlockRecord<'_, R> {
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

impl<R: BufRead + Seek> Read for BlockRecord<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        read_ready(self, buffer)
    }
}

impl<R: BufRead + Seek> BufRead for BlockRecord<'_, R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_block().map_err(ReadError::into_io)
    }

    fn consume(&mut self, amount: usize) {
        self.reader.consume_block(amount);
    }
}
