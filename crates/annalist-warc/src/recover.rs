//! What is done with the files a crash left behind, before anything new is written: every open file is cut to what was
//! committed, indexed and closed. Their indexes go first: they may know of more than that.

use std::collections::BTreeSet;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use annalist_disk::{Disk, DiskFile};

use crate::cdx::CdxLines;
use crate::fault::{Fault, ReadError};
use crate::file_name::{closed_name, index_name, is_warc};
use crate::index::{index_reader, write_index};
use crate::open_index::{open_index_path, remove_if_there};
use crate::read::Reader;
use crate::writer::{WriteError, WriterSettings};

/// What was found and done.
#[derive(Debug, Default)]
pub struct RecoverReport {
    /// Files that were cut to their committed length and closed.
    pub closed: Vec<String>,
    /// Files without anything committed.
    pub removed: Vec<String>,
    /// Bytes that were never committed and are gone.
    pub cut_bytes: u64,
    /// Closed files whose index had to be made again.
    pub indexed: Vec<String>,
    /// Files whose committed part cannot be read. They are left as they are, with `.open` behind their name.
    pub damaged: Vec<Damaged>,
}

#[derive(Debug)]
pub struct Damaged {
    pub file: String,
    pub committed: u64,
    pub error: ReadError,
}

pub(crate) enum SealError {
    Write(WriteError),
    Damaged(Damaged),
}

impl From<WriteError> for SealError {
    fn from(error: WriteError) -> SealError {
        SealError::Write(error)
    }
}

/// Closes what a crash left open. `committed` tells, for the final name of a file, up to where it was acknowledged.
///
/// Running it again changes nothing.
pub fn recover(
    disk: &dyn Disk,
    settings: &WriterSettings,
    committed: &dyn Fn(&str) -> Option<u64>,
) -> Result<RecoverReport, WriteError> {
    let WriterSettings { dir, index_dir, .. } = settings;
    let mut report = RecoverReport::default();
    let names = disk.list(dir).map_err(|e| WriteError::at(dir, e))?;
    let closed: BTreeSet<&str> = names.iter().map(String::as_str).filter(|name| is_warc(name)).collect();
    let open: BTreeSet<&str> = names.iter().filter_map(|name| closed_name(name)).collect();
    remove_early_indexes(disk, index_dir, &mut open.difference(&closed).copied())?;
    for name in open.iter().copied() {
        let path = settings.open_path(name);
        let failed = |e| WriteError::at(&path, e);
        match committed(name).filter(|end| *end > 0) {
            // The rename was done, but the old name came back with the power.
            _ if closed.contains(name) => disk.remove(&path).map_err(failed)?,
            None => {
                report.cut_bytes += disk.open(&path).map_err(failed)?.length();
                disk.remove(&path).map_err(failed)?;
                report.removed.push(name.to_owned());
            }
            Some(end) => {
                let length = disk.open(&path).map_err(failed)?.length();
                match seal(disk, settings, name, end) {
                    Ok(()) => {
                        report.cut_bytes += length.saturating_sub(end);
                        report.closed.push(name.to_owned());
                    }
                    Err(SealError::Damaged(damaged)) => report.damaged.push(damaged),
                    Err(SealError::Write(error)) => return Err(error),
                }
            }
        }
    }
    if !open.is_empty() {
        disk.sync_dir(dir).map_err(|e| WriteError::at(dir, e))?;
    }
    complete_indexes(disk, settings, &closed, &mut report)?;
    Ok(report)
}

/// Closes one open file at `end`, which must be the end of a record. The caller syncs the folder.
pub(crate) fn seal(
    disk: &dyn Disk,
    settings: &WriterSettings,
    name: &str,
    end: u64,
) -> Result<(), SealError> {
    let path = settings.open_path(name);
    let failed = |e| WriteError::at(&path, e);
    let mut file = disk.open(&path).map_err(failed)?;
    if file.length() > end {
        file.truncate(end).map_err(failed)?;
    }
    file.sync().map_err(failed)?;
    let lines = match index_disk_file(file, name, end) {
        Ok(lines) => lines,
        Err(ReadError { fault: Fault::Io(e), .. }) => return Err(failed(e).into()),
        Err(error) => {
            return Err(SealError::Damaged(Damaged { file: name.to_owned(), committed: end, error }));
        }
    };
    let index_dir = &settings.index_dir;
    disk.create_dir_all(index_dir).map_err(|e| WriteError::at(index_dir, e))?;
    write_index(disk, &index_dir.join(index_name(name)), &lines)?;
    let open_index = open_index_path(index_dir, name);
    remove_if_there(disk, &open_index).map_err(|e| WriteError::at(&open_index, e))?;
    disk.rename(&path, &settings.dir.join(name)).map_err(failed)?;
    Ok(())
}

/// Indexes are derived: one that is missing is made again from its file.
fn complete_indexes(
    disk: &dyn Disk,
    settings: &WriterSettings,
    closed: &BTreeSet<&str>,
    report: &mut RecoverReport,
) -> Result<(), WriteError> {
    let WriterSettings { dir, index_dir, .. } = settings;
    let indexes = disk.list(index_dir).map_err(|e| WriteError::at(index_dir, e))?;
    let missing = closed.iter().copied().filter(|name| indexes.binary_search(&index_name(name)).is_err());
    for name in missing {
        let path = dir.join(name);
        let file = disk.open(&path).map_err(|e| WriteError::at(&path, e))?;
        let length = file.length();
        match index_disk_file(file, name, length) {
            Ok(lines) => {
                disk.create_dir_all(index_dir).map_err(|e| WriteError::at(index_dir, e))?;
                write_index(disk, &index_dir.join(index_name(name)), &lines)?;
                report.indexed.push(name.to_owned());
            }
            Err(error) => report.damaged.push(Damaged { file: name.to_owned(), committed: length, error }),
        }
    }
    Ok(())
}

fn index_disk_file(file: Box<dyn DiskFile>, name: &str, end: u64) -> Result<CdxLines, ReadError> {
    let mut lines = CdxLines::default();
    let input = BufReader::with_capacity(64 * 1024, DiskReader { file, position: 0 });
    let mut reader = Reader::new(input);
    let indexed = index_reader(&mut reader, name, &mut |line| lines.push(&line));
    match indexed.holes.into_iter().next() {
        Some(hole) => Err(hole.error),
        None if indexed.end == end => Ok(lines),
        None => Err(ReadError::new(indexed.end, Fault::CutShort)),
    }
}

/// Indexes of files that are not closed, half-written ones too. They are gone for good before any file is cut.
fn remove_early_indexes(
    disk: &dyn Disk,
    index_dir: &Path,
    open: &mut dyn Iterator<Item = &str>,
) -> Result<(), WriteError> {
    let failed = |e| WriteError::at(index_dir, e);
    let of_open_files: BTreeSet<String> = open.map(index_name).collect();
    let mut early = disk.list(index_dir).map_err(failed)?;
    early.retain(|name| {
        name.ends_with(".cdxj.new") || name.ends_with(".cdxj.open") || of_open_files.contains(name)
    });
    for name in &early {
        disk.remove(&index_dir.join(name)).map_err(failed)?;
    }
    if early.is_empty() { Ok(()) } else { disk.sync_dir(index_dir).map_err(failed) }
}

struct DiskReader {
    file: Box<dyn DiskFile>,
    position: u64,
}

impl Read for DiskReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.file.length().saturating_sub(self.position);
        let amount = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        self.file.read_at(self.position, &mut buffer[..amount])?;
        self.position += amount as u64;
        Ok(amount)
    }
}

impl Seek for DiskReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::End(way) => self.file.length().checked_add_signed(way),
            SeekFrom::Current(way) => self.position.checked_add_signed(way),
        };
        self.position = place.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}
