//! The head of a record, WARC or ARC, as the reader finds it.

use std::borrow::Cow;
use std::io::{BufRead, Seek};

use crate::arc::ArcLine;
use crate::fault::{Fault, ReadError};
use crate::fields::{Fields, is_token};
use crate::source::Source;
use crate::start::Format;

/// Some writers put whole JSON documents into a field.
const MAX_HEAD_BYTES: usize = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnds {
    CrLf,
    /// At least one line ended with LF alone.
    BareLf,
}

#[derive(Debug)]
pub(crate) struct Head {
    /// As it stands in the file.
    pub(crate) bytes: Vec<u8>,
    pub(crate) format: Format,
    pub(crate) version: String,
    pub(crate) fields: Fields,
    pub(crate) content_length: u64,
    pub(crate) line_ends: LineEnds,
}

impl Head {
    /// Reads the head that starts here. `offset` is where its record starts, for what is said about a fault.
    pub(crate) fn read<R: BufRead + Seek>(source: &mut Source<R>, offset: u64) -> Result<Head, ReadError> {
        let name = source.peek(5)?;
        if !name.eq_ignore_ascii_case(b"WARC/") && !b"WARC/".starts_with(&name.to_ascii_uppercase()) {
            return read_arc(source, offset);
        }
        let (line, bytes) = (Vec::new(), Vec::new());
        let mut lines = HeadLines { budget: MAX_HEAD_BYTES, line_ends: LineEnds::CrLf, line, bytes };
        let version = lines.next(source)?.get(5..).unwrap_or_default().trim().to_owned();
        let mut fields = Fields::new();
        loop {
            let line = lines.next(source)?;
            if line.is_empty() {
                break;
            }
            if line.starts_with([' ', '\t']) && fields.extend_last(line.trim()) {
                continue;
            }
            let Some((name, value)) = line.split_once(':').filter(|(name, _)| is_name(name)) else {
                return Err(ReadError::new(offset, Fault::BadField(line.chars().take(80).collect())));
            };
            fields.push_read(name.trim_end().to_owned(), value.trim().to_owned());
        }
        let length = fields.get("Content-Length").filter(|v| v.bytes().all(|b| b.is_ascii_digit()));
        let Some(content_length) = length.and_then(|v| v.parse().ok()) else {
            return Err(ReadError::new(offset, Fault::NoLength));
        };
        let HeadLines { bytes, line_ends, .. } = lines;
        Ok(Head { bytes, format: Format::Warc, version, fields, content_length, line_ends })
    }
}

fn read_arc<R: BufRead + Seek>(source: &mut Source<R>, offset: u64) -> Result<Head, ReadError> {
    let line = source.peek_line()?;
    let used = line.len() + 1;
    let Some(line) = ArcLine::parse(line).filter(|line| line.start == 0) else {
        return Err(ReadError::new(offset, Fault::NotARecord));
    };
    let (fields, content_length) = (line.fields(), line.length);
    let bytes = source.peek(used)?.to_vec();
    source.use_up(used)?;
    let version = "1".to_owned();
    Ok(Head { bytes, format: Format::Arc, version, fields, content_length, line_ends: LineEnds::CrLf })
}

/// Where a file was compressed in pieces, a head may go on in the next member.
fn go_on<R: BufRead + Seek>(source: &mut Source<R>) -> Result<(), ReadError> {
    let (offset, start) = (source.offset(), source.member_start());
    if !source.is_packed() || !source.next_member()? {
        return Err(ReadError::new(offset, Fault::CutShort));
    }
    match source.starts_record()? {
        Some(_) => Err(ReadError::new(start, Fault::HeadAcrossMembers)),
        None => Ok(()),
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
    fn next<R: BufRead + Seek>(&mut self, source: &mut Source<R>) -> Result<Cow<'_, str>, ReadError> {
        self.line.clear();
        while self.line.last() != Some(&b'\n') {
            let start = source.member_start();
            if source.fill()?.is_empty() {
                go_on(source)?;
                continue;
            }
            let ready = source.fill()?;
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
