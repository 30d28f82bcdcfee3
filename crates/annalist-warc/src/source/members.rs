//! How members begin: gzip heads, Zstandard frames and the dictionary they were made with.

use std::io::{self, BufRead, Read, Seek};

use super::{DICTIONARY_MAGIC, GZIP_MAGIC, PLAIN, Source, ZSTD_MAGIC};
use crate::fault::{Fault, ReadError};
use crate::unpack::Unpacker;

/// File names and comments in gzip heads are not longer in earnest.
const MOST_NAME_BYTES: u64 = 16 * 1024;
const MOST_DICTIONARY_BYTES: u64 = 64 << 20;

pub(super) fn is_skippable(magic: [u8; 4]) -> bool {
    magic[0] & 0xf0 == 0x50 && magic[1..] == DICTIONARY_MAGIC[1..]
}

impl<R: BufRead + Seek> Source<R> {
    pub(super) fn use_dictionary(&mut self) -> Result<(), ReadError> {
        let unpacker =
            Unpacker::zstd(&self.dictionary).map_err(|fault| ReadError::new(self.member_start, fault))?;
        self.frames = Some(Box::new(unpacker));
        Ok(())
    }

    /// Who starts in the middle of a Zstandard file needs what stands at its start.
    pub(super) fn find_dictionary(&mut self) -> Result<(), ReadError> {
        let here = self.offset;
        if here == 0 || self.frames.is_some() {
            return Ok(());
        }
        self.go_to(0, PLAIN)?;
        let mut magic = [0; 4];
        if self.read_exact(&mut magic).is_ok() && magic == DICTIONARY_MAGIC {
            self.read_dictionary()?;
        }
        self.go_to(here, PLAIN)
    }

    fn read_dictionary(&mut self) -> Result<(), ReadError> {
        let mut length = [0; 4];
        self.read_exact(&mut length)?;
        let length = u64::from(u32::from_le_bytes(length));
        let start = self.offset;
        let bad = |what: &str| ReadError::new(start, Fault::BadZstd(what.to_owned()));
        if length > MOST_DICTIONARY_BYTES {
            return Err(bad("the dictionary is too large"));
        }
        let mut stored = Vec::new();
        let read = (&mut self.input).take(length).read_to_end(&mut stored).map_err(|e| self.io(e))?;
        self.offset += read as u64;
        if (read as u64) < length {
            return Err(ReadError::new(self.offset, Fault::CutShort));
        }
        let dictionary = if stored.starts_with(&ZSTD_MAGIC) {
            let mut unpacked = Vec::new();
            let decoder = zstd::Decoder::with_buffer(stored.as_slice());
            let decoded = decoder.and_then(|d| d.take(MOST_DICTIONARY_BYTES).read_to_end(&mut unpacked));
            decoded.map_err(|e| bad(&format!("its dictionary: {e}")))?;
            unpacked
        } else {
            stored
        };
        if self.frames.is_none() || dictionary != self.dictionary {
            self.dictionary = dictionary;
            self.use_dictionary()?;
        }
        Ok(())
    }

    pub(super) fn read_gzip_head(&mut self) -> Result<(), ReadError> {
        const HEADER_CRC: u8 = 2;
        const EXTRA: u8 = 4;
        const NAME: u8 = 8;
        const COMMENT: u8 = 16;
        let start = self.offset;
        let bad = |what: &str| ReadError::new(start, Fault::BadGzip(what.to_owned()));
        let mut head = [0; 2];
        self.read_exact(&mut head)?;
        if head != GZIP_MAGIC {
            return Err(bad("no gzip member starts here"));
        }
        let mut rest = [0; 8];
        self.read_exact(&mut rest)?;
        let [method, flags, ..] = rest;
        if method != 8 || flags & 0xe0 != 0 {
            return Err(bad("an unknown method or flag"));
        }
        if flags & EXTRA != 0 {
            let mut length = [0; 2];
            self.read_exact(&mut length)?;
            self.skip(u64::from(u16::from_le_bytes(length)))?;
        }
        for flag in [NAME, COMMENT] {
            if flags & flag != 0 && !self.skip_zero_ended()? {
                return Err(bad("a name without end"));
            }
        }
        if flags & HEADER_CRC != 0 {
            self.skip(2)?;
        }
        Ok(())
    }

    /// Over skippable frames, up to and with the magic number of one that holds something. `false` at the file's end.
    pub(super) fn read_frame_head(&mut self) -> Result<bool, ReadError> {
        loop {
            let start = self.offset;
            let mut magic = [0; 4];
            self.read_exact(&mut magic)?;
            if magic == ZSTD_MAGIC {
                self.member_start = start;
                return Ok(true);
            }
            if !is_skippable(magic) {
                let fault = Fault::BadZstd("no frame starts here".to_owned());
                return Err(ReadError::new(start, fault));
            }
            if magic == DICTIONARY_MAGIC {
                self.read_dictionary()?;
            } else {
                let mut length = [0; 4];
                self.read_exact(&mut length)?;
                self.skip(u64::from(u32::from_le_bytes(length)))?;
            }
            if self.input.fill_buf().map_err(|e| ReadError::new(start, Fault::Io(e)))?.is_empty() {
                return Ok(false);
            }
        }
    }

    fn skip_zero_ended(&mut self) -> Result<bool, ReadError> {
        let mut name = Vec::new();
        let read =
            (&mut self.input).take(MOST_NAME_BYTES).read_until(0, &mut name).map_err(|e| self.io(e))?;
        self.offset += read as u64;
        if name.last() != Some(&0) && (read as u64) < MOST_NAME_BYTES {
            return Err(ReadError::new(self.offset, Fault::CutShort));
        }
        Ok(name.last() == Some(&0))
    }

    /// Skips stored bytes.
    fn skip(&mut self, amount: u64) -> Result<(), ReadError> {
        let skipped =
            io::copy(&mut (&mut self.input).take(amount), &mut io::sink()).map_err(|e| self.io(e))?;
        self.offset += skipped;
        if skipped < amount { Err(ReadError::new(self.offset, Fault::CutShort)) } else { Ok(()) }
    }

    /// Reads stored bytes, not decompressed ones.
    pub(super) fn read_exact(&mut self, buffer: &mut [u8]) -> Result<(), ReadError> {
        match self.input.read_exact(buffer) {
            Ok(()) => {
                self.offset += buffer.len() as u64;
                Ok(())
            }
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => {
                // Where the input stands after a read that failed is not said.
                let end = self.input.stream_position().map_err(|e| self.io(e))?;
                self.offset = end;
                Err(ReadError::new(self.offset, Fault::CutShort))
            }
            Err(e) => Err(self.io(e)),
        }
    }
}
