//! The bytes of an archive file, plain or member by member out of gzip or Zstandard, with the offset of each in the file.
//! What the bytes mean is read elsewhere.

use std::fmt;
use std::io::{self, BufRead, Read, Seek, SeekFrom};

use crate::fault::{Fault, ReadError};
use crate::unpack::{Compression, MemberState, Unpacker};

mod members;

use members::is_skippable;

/// A file's bytes after decompression. Ends at the end of every member, until asked for the next.
pub(crate) struct Source<R> {
    input: R,
    /// How much of the file was used: where in it `input` stands.
    offset: u64,
    member_start: u64,
    coding: Coding,
    /// Made when they are first needed, and kept: a file of false starts would need one for each of them.
    inflater: Option<Box<Unpacker>>,
    frames: Option<Box<Unpacker>>,
    /// What the frames of a Zstandard file were made with; empty if they were made without.
    dictionary: Vec<u8>,
    /// Bytes that were looked at beyond what was ready at once.
    peeked: Vec<u8>,
}

/// How the bytes from here on are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Unknown,
    Known(Compression),
}

pub(crate) const PLAIN: Coding = Coding::Known(Compression::None);

pub(crate) const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
pub(crate) const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The skippable frame that holds a dictionary, by the convention of `.warc.zst` files.
pub(crate) const DICTIONARY_MAGIC: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];
impl<R> fmt::Debug for Source<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("offset", &self.offset).finish_non_exhaustive()
    }
}

impl<R: BufRead + Seek> Source<R> {
    /// `offset` is where in the file `input` stands.
    pub(crate) fn new(input: R, offset: u64) -> Source<R> {
        Source {
            input,
            offset,
            member_start: offset,
            coding: Coding::Unknown,
            inflater: None,
            frames: None,
            dictionary: Vec::new(),
            peeked: Vec::new(),
        }
    }

    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Where the current member starts; in plain files, where `mark_plain` was last called.
    pub(crate) fn member_start(&self) -> u64 {
        self.member_start
    }

    pub(crate) fn mark_plain(&mut self) {
        if !self.is_packed() {
            self.member_start = self.offset;
        }
    }

    pub(crate) fn is_packed(&self) -> bool {
        self.compression() != Compression::None
    }

    pub(crate) fn compression(&self) -> Compression {
        match self.coding {
            Coding::Known(compression) => compression,
            Coding::Unknown => Compression::None,
        }
    }

    fn unpacker(&self) -> Option<&Unpacker> {
        match self.compression() {
            Compression::None => None,
            Compression::Gzip => self.inflater.as_deref(),
            Compression::Zstd => self.frames.as_deref(),
        }
    }

    fn unpacker_mut(&mut self) -> Option<&mut Unpacker> {
        match self.compression() {
            Compression::None => None,
            Compression::Gzip => self.inflater.as_deref_mut(),
            Compression::Zstd => self.frames.as_deref_mut(),
        }
    }

    /// Whether all of the current member was read and found whole.
    pub(crate) fn member_has_ended(&self) -> bool {
        self.unpacker().is_some_and(|unpacker| unpacker.state() == MemberState::Ended)
    }

    /// Goes to a place in the file, where a member or a record may start.
    pub(crate) fn go_to(&mut self, offset: u64, coding: Coding) -> Result<(), ReadError> {
        // Within what is buffered, where it can be: a file of false starts would be read again for each of them.
        let far = || io::Error::other("the file is too long");
        let way = i128::from(offset) - i128::from(self.offset);
        let gone = i64::try_from(way).map_err(|_| far()).and_then(|way| self.input.seek_relative(way));
        gone.map_err(|e| self.io(e))?;
        (self.offset, self.member_start) = (offset, offset);
        self.coding = coding;
        if let Some(unpacker) = self.unpacker_mut() {
            unpacker.end();
        }
        Ok(())
    }

    /// The length of the file, or how much of it is known. What comes after this is at another place.
    pub(crate) fn go_to_end(&mut self) -> u64 {
        self.offset = self.input.seek(SeekFrom::End(0)).unwrap_or(self.offset);
        self.coding = PLAIN;
        self.offset
    }

    fn io(&self, error: io::Error) -> ReadError {
        ReadError::new(self.offset, Fault::Io(error))
    }

    /// Starts the next member. `false` at the end of the file. The one before has to be at its end.
    pub(crate) fn next_member(&mut self) -> Result<bool, ReadError> {
        let offset = self.offset;
        if self.input.fill_buf().map_err(|e| ReadError::new(offset, Fault::Io(e)))?.is_empty() {
            return Ok(false);
        }
        self.member_start = self.offset;
        if self.coding == Coding::Unknown {
            self.coding = Coding::Known(self.recognise()?);
        }
        let begun = match self.compression() {
            Compression::None => return Ok(true),
            Compression::Gzip => self.read_gzip_head().map(|()| true),
            Compression::Zstd => self.read_frame_head(),
        };
        if matches!(begun, Ok(true))
            && let Some(unpacker) = self.unpacker_mut()
        {
            unpacker.restart();
            if unpacker.compression() == Compression::Zstd {
                unpacker.unpack(&ZSTD_MAGIC).map_err(|fault| ReadError::new(offset, fault))?;
            }
        }
        begun
    }

    /// By the first bytes: names lie.
    fn recognise(&mut self) -> Result<Compression, ReadError> {
        self.coding = PLAIN;
        let start = self.peek(4)?;
        let magic: [u8; 4] = start.try_into().unwrap_or_default();
        // One byte is enough for gzip: no record starts with it, and a file cut after it is still a cut gzip file.
        if start.first() == Some(&GZIP_MAGIC[0]) {
            self.inflater.get_or_insert_with(|| Box::new(Unpacker::gzip()));
            return Ok(Compression::Gzip);
        }
        if magic != ZSTD_MAGIC && !is_skippable(magic) {
            return Ok(Compression::None);
        }
        self.find_dictionary()?;
        if self.frames.is_none() {
            self.use_dictionary()?;
        }
        Ok(Compression::Zstd)
    }

    /// Bytes that are ready; none at the end of the member or of a plain file.
    pub(crate) fn fill(&mut self) -> Result<&[u8], ReadError> {
        if self.coding == PLAIN {
            let offset = self.offset;
            return self.input.fill_buf().map_err(|e| ReadError::new(offset, Fault::Io(e)));
        }
        self.unpack_until(1)?;
        if let Some(unpacker) = self.unpacker()
            && unpacker.ready().is_empty()
            && unpacker.state() == MemberState::Trailer
        {
            let expected = unpacker.trailer();
            let mut trailer = [0; 8];
            self.read_exact(&mut trailer)?;
            if trailer != expected {
                return Err(ReadError::new(self.member_start, Fault::BadChecksum));
            }
            if let Some(unpacker) = self.unpacker_mut() {
                unpacker.end();
            }
        }
        Ok(self.unpacker().map_or(&[], Unpacker::ready))
    }

    /// The next bytes of the member or the plain file, of which nothing is used: as many as asked for, or all there are.
    pub(crate) fn peek(&mut self, amount: usize) -> Result<&[u8], ReadError> {
        if self.coding != PLAIN {
            self.unpack_until(amount)?;
            let ready = self.fill()?;
            return Ok(&ready[..ready.len().min(amount)]);
        }
        let offset = self.offset;
        let failed = |e| ReadError::new(offset, Fault::Io(e));
        if self.input.fill_buf().map_err(failed)?.len() >= amount {
            return Ok(&self.input.fill_buf().map_err(failed)?[..amount]);
        }
        self.peeked.clear();
        let read = (&mut self.input).take(amount as u64).read_to_end(&mut self.peeked).map_err(failed)?;
        let back = i64::try_from(read).unwrap_or(i64::MAX);
        self.input.seek_relative(-back).map_err(failed)?;
        Ok(&self.peeked)
    }

    /// Decompresses until that many bytes are ready, or all of the member is.
    fn unpack_until(&mut self, amount: usize) -> Result<(), ReadError> {
        let unpacker = match self.compression() {
            Compression::None => None,
            Compression::Gzip => self.inflater.as_deref_mut(),
            Compression::Zstd => self.frames.as_deref_mut(),
        };
        let Some(unpacker) = unpacker else { return Ok(()) };
        while unpacker.ready().len() < amount && unpacker.state() == MemberState::Body {
            let input = self.input.fill_buf().map_err(|e| ReadError::new(self.offset, Fault::Io(e)))?;
            let used = unpacker.unpack(input).map_err(|fault| ReadError::new(self.offset, fault))?;
            self.input.consume(used);
            self.offset += used as u64;
        }
        Ok(())
    }

    pub(crate) fn consume(&mut self, amount: usize) {
        match self.unpacker_mut() {
            Some(unpacker) => unpacker.consume(amount),
            None => {
                self.input.consume(amount);
                self.offset += amount as u64;
            }
        }
    }

    /// Consumes bytes that were looked at.
    pub(crate) fn use_up(&mut self, amount: usize) -> Result<(), ReadError> {
        let mut left = amount;
        while left > 0 {
            let ready = self.fill()?.len().min(left);
            if ready == 0 {
                break;
            }
            self.consume(ready);
            left -= ready;
        }
        Ok(())
    }
}
