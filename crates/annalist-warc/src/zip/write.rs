//! Entries go to a file one after the other, each as long as it turns out to be.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::os::unix::fs::FileExt;

use flate2::Crc;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::{CENTRAL_HEAD, END, END_64, EXTRA_64, IN_EXTRA, LOCAL_HEAD, LOCATOR_64, NAME_IS_UTF8};
use crate::digest::{Digest, DigestKind, Hasher};

const BUFFER_BYTES: usize = 256 * 1024;
/// ZIP 4.5, which knows lengths beyond four gigabytes, and a Unix maker, whose file modes are believed.
const VERSION: u16 = 45;
const MADE_BY: u16 = 3 << 8 | VERSION;
const FILE_MODE: u32 = 0o100_644 << 16;

/// How long an entry may get, which decides where its length is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// Below four gigabytes.
    Small,
    Large,
}

/// Writes a ZIP file from where its file stands.
#[derive(Debug)]
pub(crate) struct ZipWriter {
    out: BufWriter<File>,
    offset: u64,
    /// Date and time as DOS had them.
    moment: [u8; 4],
    ended: Vec<Written>,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    name: String,
    room: Room,
    head_at: u64,
    start: u64,
    crc: Crc,
    hasher: Hasher,
}

#[derive(Debug)]
struct Written {
    name: String,
    room: Room,
    head_at: u64,
    length: u64,
    crc: u32,
}

/// What an entry turned out to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored {
    pub(crate) length: u64,
    pub(crate) sha256: Digest,
}

impl ZipWriter {
    pub(crate) fn new(mut file: File, at_ms: u64) -> io::Result<ZipWriter> {
        let offset = file.stream_position()?;
        let out = BufWriter::with_capacity(BUFFER_BYTES, file);
        Ok(ZipWriter { out, offset, moment: dos_moment(at_ms), ended: Vec::new(), open: None })
    }

    /// Starts an entry; `write` adds to it until `end`.
    pub(crate) fn begin(&mut self, name: &str, room: Room) -> io::Result<()> {
        let head_at = self.offset;
        let head = self.local_head(name, room, 0, 0);
        self.put(&head)?;
        self.open = Some(Open {
            name: name.to_owned(),
            room,
            head_at,
            start: self.offset,
            crc: Crc::new(),
            hasher: Hasher::new(DigestKind::Sha256),
        });
        Ok(())
    }

    /// How much of the open entry is written.
    pub(crate) fn length(&self) -> u64 {
        self.open.as_ref().map_or(0, |open| self.offset - open.start)
    }

    /// Where the open entry begins in the file.
    pub(crate) fn start(&self) -> u64 {
        self.open.as_ref().map_or(self.offset, |open| open.start)
    }

    /// Ends the entry. Its head, written before its length was known, is put right.
    pub(crate) fn end(&mut self) -> io::Result<Stored> {
        let length = self.length();
        let open = self.open.take().ok_or_else(|| io::Error::other("no entry was begun"))?;
        if open.room == Room::Small && length >= u64::from(IN_EXTRA) {
            return Err(io::Error::other("an entry has grown beyond four gigabytes"));
        }
        let crc = open.crc.sum();
        self.out.flush()?;
        let head = self.local_head(&open.name, open.room, crc, length);
        self.out.get_ref().write_all_at(&head, open.head_at)?;
        self.ended.push(Written { name: open.name, room: open.room, head_at: open.head_at, length, crc });
        Ok(Stored { length, sha256: open.hasher.finish() })
    }

    /// Writes the list of entries and hands back the file, not synced yet.
    pub(crate) fn finish(mut self) -> io::Result<File> {
        let start = self.offset;
        let entries = std::mem::take(&mut self.ended);
        for entry in &entries {
            let head = self.central_head(entry);
            self.put(&head)?;
        }
        let (length, count) = (self.offset - start, entries.len() as u64);
        let small = |number: u64| u32::try_from(number).unwrap_or(IN_EXTRA);
        let few = u16::try_from(count).unwrap_or(u16::MAX);
        let mut end = Vec::new();
        if small(start) == IN_EXTRA || small(length) == IN_EXTRA || few == u16::MAX {
            let end_64_at = self.offset;
            end.extend(END_64);
            end.extend(44_u64.to_le_bytes());
            end.extend(MADE_BY.to_le_bytes());
            end.extend(VERSION.to_le_bytes());
            end.extend([0; 8]);
            for number in [count, count, length, start] {
                end.extend(number.to_le_bytes());
            }
            end.extend(LOCATOR_64);
            end.extend([0; 4]);
            end.extend(end_64_at.to_le_bytes());
            end.extend(1_u32.to_le_bytes());
        }
        end.extend(END);
        end.extend([0; 4]);
        end.extend(few.to_le_bytes());
        end.extend(few.to_le_bytes());
        end.extend(small(length).to_le_bytes());
        end.extend(small(start).to_le_bytes());
        end.extend([0; 2]);
        self.put(&end)?;
        self.out.into_inner().map_err(io::IntoInnerError::into_error)
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.offset += bytes.len() as u64;
        Ok(())
    }

    /// The head before an entry. Readers that find no extra field in the list expect none here, so there is one only where
    /// the list has one too.
    fn local_head(&self, name: &str, room: Room, crc: u32, length: u64) -> Vec<u8> {
        let mut head = Vec::from(LOCAL_HEAD);
        head.extend(VERSION.to_le_bytes());
        self.common(&mut head, crc, short(room, length), name);
        let large = lengths(room, length);
        head.extend(if large.is_empty() { 0_u16 } else { 20 }.to_le_bytes());
        head.extend(name.as_bytes());
        if !large.is_empty() {
            head.extend(EXTRA_64.to_le_bytes());
            head.extend(16_u16.to_le_bytes());
            head.extend(large);
        }
        head
    }

    fn central_head(&self, entry: &Written) -> Vec<u8> {
        let mut large = lengths(entry.room, entry.length);
        let near = u32::try_from(entry.head_at).unwrap_or(IN_EXTRA);
        if near == IN_EXTRA {
            large.extend(entry.head_at.to_le_bytes());
        }
        // At most 24 bytes.
        let large_bytes = large.len() as u16;
        let mut head = Vec::from(CENTRAL_HEAD);
        head.extend(MADE_BY.to_le_bytes());
        head.extend(VERSION.to_le_bytes());
        self.common(&mut head, entry.crc, short(entry.room, entry.length), &entry.name);
        head.extend(if large.is_empty() { 0 } else { large_bytes + 4 }.to_le_bytes());
        // No comment, the first disk, nothing about the content.
        head.extend([0; 6]);
        head.extend(FILE_MODE.to_le_bytes());
        head.extend(near.to_le_bytes());
        head.extend(entry.name.as_bytes());
        if !large.is_empty() {
            head.extend(EXTRA_64.to_le_bytes());
            head.extend(large_bytes.to_le_bytes());
            head.extend(large);
        }
        head
    }

    /// What both kinds of heads have between the versions and the length of the extra field.
    fn common(&self, head: &mut Vec<u8>, crc: u32, length: u32, name: &str) {
        head.extend(NAME_IS_UTF8.to_le_bytes());
        // Stored.
        head.extend([0; 2]);
        head.extend(self.moment);
        head.extend(crc.to_le_bytes());
        head.extend(length.to_le_bytes());
        head.extend(length.to_le_bytes());
        head.extend((name.len() as u16).to_le_bytes());
    }
}

impl Write for ZipWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.put(bytes)?;
        if let Some(open) = &mut self.open {
            open.crc.update(bytes);
            open.hasher.update(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A length as the head itself has it.
fn short(room: Room, length: u64) -> u32 {
    match room {
        Room::Small => u32::try_from(length).unwrap_or(IN_EXTRA),
        Room::Large => IN_EXTRA,
    }
}

/// What the extra field says of it, stored and unpacked.
fn lengths(room: Room, length: u64) -> Vec<u8> {
    match room {
        Room::Small => Vec::new(),
        Room::Large => [length.to_le_bytes(), length.to_le_bytes()].concat(),
    }
}

/// Two seconds are DOS's smallest unit, 1980 its first year.
fn dos_moment(at_ms: u64) -> [u8; 4] {
    let at =
        i64::try_from(at_ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok()).unwrap_or_default();
    let at = at.to_zoned(TimeZone::UTC);
    let year = u32::from((at.year() - 1980).clamp(0, 127).unsigned_abs());
    let part = |number: i8| u32::from(number.unsigned_abs());
    let date = year << 9 | part(at.month()) << 5 | part(at.day());
    let time = part(at.hour()) << 11 | part(at.minute()) << 5 | (part(at.second()) / 2);
    (date << 16 | time).to_le_bytes()
}
