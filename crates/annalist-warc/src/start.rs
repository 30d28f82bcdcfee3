//! Where a record may start: at a place where one is expected, or anywhere in what follows a damaged one.

use std::io::{BufRead, Seek};

use crate::arc::{ArcLine, MOST_LINE_BYTES};
use crate::fault::ReadError;
use crate::source::{DICTIONARY_MAGIC, GZIP_MAGIC, Source, ZSTD_MAGIC};
use crate::unpack::Compression;

/// Which format a record is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Warc,
    Arc,
}

/// A version line, `WARC/1.0` with its end, is not longer.
const VERSION_LINE_BYTES: usize = 24;

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    heads: bool,
    gzip: bool,
    zstd: bool,
}

impl Wanted {
    /// Heads of records that are not compressed, or no longer.
    pub(crate) const HEADS: Wanted = Wanted { heads: true, gzip: false, zstd: false };
    pub(crate) const MEMBERS: Wanted = Wanted { heads: false, gzip: true, zstd: true };
    pub(crate) const ANY: Wanted = Wanted { heads: true, gzip: true, zstd: true };

    /// What starts a record in a file that is compressed like this.
    pub(crate) fn of(compression: Compression) -> Wanted {
        match compression {
            Compression::None => Wanted::HEADS,
            Compression::Gzip => Wanted { heads: false, gzip: true, zstd: false },
            Compression::Zstd => Wanted { heads: false, gzip: false, zstd: true },
        }
    }

    pub(crate) fn others(self) -> Wanted {
        Wanted { heads: !self.heads, gzip: !self.gzip, zstd: !self.zstd }
    }

    fn first_byte(self, byte: u8) -> bool {
        match byte {
            b'W' | b'w' | b'\n' => self.heads,
            0x1f => self.gzip,
            0x28 | 0x5d => self.zstd,
            _ => false,
        }
    }
}

impl<R: BufRead + Seek> Source<R> {
    /// The format of the record that starts right here, if one does.
    pub(crate) fn starts_record(&mut self) -> Result<Option<Format>, ReadError> {
        if starts_warc(self.peek(VERSION_LINE_BYTES)?) {
            return Ok(Some(Format::Warc));
        }
        let line = ArcLine::parse(self.peek_line()?);
        Ok(line.filter(|line| line.start == 0).map(|_| Format::Arc))
    }

    /// Goes on until something begins like a record, and stays in front of it. `None` at the end, or at `limit`.
    pub(crate) fn find_start(&mut self, wanted: Wanted, limit: u64) -> Result<Option<u64>, ReadError> {
        loop {
            let ready = self.fill()?;
            if ready.is_empty() {
                return Ok(None);
            }
            let length = ready.len();
            let Some(at) = ready.iter().position(|byte| wanted.first_byte(*byte)) else {
                self.consume(length);
                continue;
            };
            let byte = ready[at];
            self.consume(at);
            if self.offset() >= limit {
                return Ok(None);
            }
            let found = match byte {
                b'\n' => {
                    self.consume(1);
                    let start = ArcLine::parse(self.peek_line()?).map(|line| line.start);
                    self.use_up(start.unwrap_or(0))?;
                    start.is_some()
                }
                b'W' | b'w' => starts_warc(self.peek(VERSION_LINE_BYTES)?),
                _ => starts_member(self.peek(4)?),
            };
            if found {
                return Ok(Some(self.offset()));
            }
            if byte != b'\n' {
                // What was looked at may have to be fetched again.
                self.use_up(1)?;
            }
        }
    }

    /// The line that starts here, without its end; nothing if it is too long for a record's.
    pub(crate) fn peek_line(&mut self) -> Result<&[u8], ReadError> {
        let mut amount = 256;
        loop {
            let ready = self.peek(amount)?;
            let (length, end) = (ready.len(), ready.iter().position(|b| *b == b'\n'));
            if let Some(end) = end {
                return Ok(&self.peek(amount)?[..end]);
            }
            if length < amount || amount >= MOST_LINE_BYTES {
                return Ok(&[]);
            }
            amount = (amount * 8).min(MOST_LINE_BYTES);
        }
    }
}

/// `WARC/1.0` and the end of the line. Case is what some writers got wrong.
fn starts_warc(text: &[u8]) -> bool {
    let Some((name, rest)) = text.split_at_checked(5) else { return false };
    let version = rest.split(|b| *b == b'\n').next().filter(|line| line.len() < rest.len());
    let version = version.unwrap_or_default().trim_ascii();
    name.eq_ignore_ascii_case(b"WARC/")
        && version.first().is_some_and(u8::is_ascii_digit)
        && version.iter().all(|b| b.is_ascii_digit() || *b == b'.')
}

fn starts_member(bytes: &[u8]) -> bool {
    const DEFLATE: u8 = 8;
    match *bytes {
        [a, b, method, flags] if [a, b] == GZIP_MAGIC => method == DEFLATE && flags & 0xe0 == 0,
        [_, _, _, _] => bytes == ZSTD_MAGIC || bytes == DICTIONARY_MAGIC,
        _ => false,
    }
}
