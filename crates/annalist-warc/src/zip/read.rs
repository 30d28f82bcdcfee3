//! The list of a ZIP file's entries, ours and everybody else's, and where each of them lies.

use std::io::{self, Read, Seek, SeekFrom};

use super::{
    CENTRAL_HEAD, CENTRAL_HEAD_BYTES, END, END_64, END_BYTES, EXTRA_64, IN_EXTRA, LOCAL_HEAD,
    LOCAL_HEAD_BYTES, LOCATOR_64, LOCATOR_64_BYTES,
};

/// Behind the end of the list may be a comment of this length.
const LONGEST_COMMENT: u64 = 65_535;
/// A list longer than this is not one of a web archive.
const LONGEST_LIST: u64 = 256 << 20;
const END_64_BYTES: usize = 56;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ZipEntry {
    pub(crate) name: String,
    pub(crate) method: Method,
    /// Where its bytes begin in the file.
    pub(crate) start: u64,
    /// As stored.
    pub(crate) stored: u64,
    /// When unpacked.
    pub(crate) length: u64,
    pub(crate) crc: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Stored,
    Deflated,
    Other,
}

/// All entries, in the order of the list; folders are left out.
pub(crate) fn read_entries<R: Read + Seek>(file: &mut R) -> io::Result<Vec<ZipEntry>> {
    let file_length = file.seek(SeekFrom::End(0))?;
    let (start, length) = find_list(file, file_length)?;
    if length > LONGEST_LIST || start.checked_add(length).is_none_or(|end| end > file_length) {
        return Err(broken("its list of entries is not where it says"));
    }
    let list = read_at(file, start, length)?;
    let mut rest = list.as_slice();
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let (entry, head_at, after) =
            central_entry(rest).ok_or_else(|| broken("its list of entries is broken"))?;
        rest = after;
        if !entry.name.ends_with('/') {
            let start = bytes_start(file, head_at)?;
            if start.checked_add(entry.stored).is_none_or(|end| end > file_length) {
                return Err(broken(&format!("{} reaches past the end", entry.name)));
            }
            entries.push(ZipEntry { start, ..entry });
        }
    }
    Ok(entries)
}

/// Start and length of the list.
fn find_list<R: Read + Seek>(file: &mut R, file_length: u64) -> io::Result<(u64, u64)> {
    let not_there = || broken("the end of a ZIP file is missing: cut short, or no ZIP file");
    let tail_length = file_length.min(LONGEST_COMMENT + (END_BYTES + LOCATOR_64_BYTES) as u64);
    let tail = read_at(file, file_length - tail_length, tail_length)?;
    let end = tail.windows(END_BYTES).rposition(|end| end.starts_with(&END)).ok_or_else(not_there)?;
    let field = |at: usize| u32_at(&tail, end + at).map(u64::from).ok_or_else(not_there);
    let (length, start) = (field(12)?, field(16)?);
    let is_large = start == u64::from(IN_EXTRA)
        || length == u64::from(IN_EXTRA)
        || u16_at(&tail, end + 10) == Some(u16::MAX);
    let locator = end.checked_sub(LOCATOR_64_BYTES).and_then(|at| tail.get(at..end));
    match locator.filter(|locator| is_large && locator.starts_with(&LOCATOR_64)) {
        Some(locator) => {
            let at = u64_at(locator, 8).ok_or_else(not_there)?;
            let end_64 = read_at(file, at, END_64_BYTES as u64)?;
            if !end_64.starts_with(&END_64) {
                return Err(not_there());
            }
            let (Some(length), Some(start)) = (u64_at(&end_64, 40), u64_at(&end_64, 48)) else {
                return Err(not_there());
            };
            Ok((start, length))
        }
        None => Ok((start, length)),
    }
}

/// An entry of the list, where its own head is, and what follows in the list.
fn central_entry(list: &[u8]) -> Option<(ZipEntry, u64, &[u8])> {
    if !list.starts_with(&CENTRAL_HEAD) {
        return None;
    }
    let part = |from: usize, length: u16| list.get(from..from + usize::from(length));
    let (name_length, extra_length, comment_length) =
        (u16_at(list, 28)?, u16_at(list, 30)?, u16_at(list, 32)?);
    let name = part(CENTRAL_HEAD_BYTES, name_length)?;
    let extra_at = CENTRAL_HEAD_BYTES + usize::from(name_length);
    let extra = part(extra_at, extra_length)?;
    let after = list.get(extra_at + usize::from(extra_length) + usize::from(comment_length)..)?;
    let mut large = extra_64(extra);
    let mut number = |short: u32| {
        if short != IN_EXTRA {
            return Some(u64::from(short));
        }
        let number = u64_at(large, 0)?;
        large = large.get(8..)?;
        Some(number)
    };
    let length = number(u32_at(list, 24)?)?;
    let stored = number(u32_at(list, 20)?)?;
    let head_at = number(u32_at(list, 42)?)?;
    let method = match u16_at(list, 10)? {
        0 => Method::Stored,
        8 => Method::Deflated,
        _ => Method::Other,
    };
    let name = String::from_utf8_lossy(name).into_owned();
    Some((ZipEntry { name, method, start: 0, stored, length, crc: u32_at(list, 16)? }, head_at, after))
}

/// What the extra fields say beyond four gigabytes.
fn extra_64(mut extra: &[u8]) -> &[u8] {
    while let (Some(id), Some(length)) = (u16_at(extra, 0), u16_at(extra, 2)) {
        let (value, after) = extra[4..].split_at_checked(usize::from(length)).unwrap_or((&[], &[]));
        if id == EXTRA_64 {
            return value;
        }
        extra = after;
    }
    &[]
}

fn bytes_start<R: Read + Seek>(file: &mut R, head_at: u64) -> io::Result<u64> {
    let head = read_at(file, head_at, LOCAL_HEAD_BYTES)?;
    let (Some(name), Some(extra)) = (u16_at(&head, 26), u16_at(&head, 28)) else {
        return Err(broken("the head of an entry is broken"));
    };
    if !head.starts_with(&LOCAL_HEAD) {
        return Err(broken("an entry is not where the list says"));
    }
    Ok(head_at + LOCAL_HEAD_BYTES + u64::from(name) + u64::from(extra))
}

fn read_at<R: Read + Seek>(file: &mut R, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == length { Ok(bytes) } else { Err(broken("it ends too soon")) }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

fn broken(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("no ZIP file that can be read: {why}"))
}
