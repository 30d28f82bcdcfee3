//! WARC files on this machine, alone or in WACZ files, with one index of all their captures. The indexes beside them are
//! made use of.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annalist_model::CanonicalUrl;
use annalist_warc::{
    CdxLine, Fault, Hole, Reader, Section, Sorted, Sorter, WarcFile, index_name, index_warc, on_threads,
    surt_key, unpacked_member, unshare,
};

use super::NotThere;
use super::response::is_being_written;
use super::snapshot::Place;
use super::stored::{StoredBytes, StoredRecord};
use crate::spool::Spool;

/// The lines of the index are held in memory up to this; then they are in a file.
const MEMORY_BYTES: usize = 64 << 20;
/// Shorter members are unpacked in one go, and handed out as they are.
const WHOLE_BYTES: u64 = 4 << 20;
/// What the number of a file begins with whose records were given places of their own.
const UNSHARED: &str = "unshared-";

/// WARC files and what is in them.
#[derive(Debug)]
pub(super) struct Files {
    files: Vec<WarcFile>,
    /// What was made of files whose records have no offsets, by their numbers.
    unshared: HashMap<usize, WarcFile>,
    /// By our own keys; the file's number is its name.
    lines: Sorted,
    pub(super) damaged: Vec<(PathBuf, Hole)>,
}

/// What one thread found.
struct Found {
    sorter: Sorter,
    damaged: Vec<(PathBuf, Hole)>,
    /// Files whose records share their members, and where they have places of their own.
    unshared: Vec<(usize, WarcFile)>,
    failed: io::Result<()>,
}

impl Files {
    /// By the CDXJ beside a file, or in the folder `indexes` beside its own, if it is not older than the file; by reading
    /// the file else.
    pub(super) fn open(paths: &[PathBuf], scratch: &Path) -> io::Result<Files> {
        let mut files = Vec::new();
        for path in paths {
            files.append(&mut WarcFile::all_of(path).map_err(|e| named(path, &e))?);
        }
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let own = || Found {
            sorter: Sorter::new(scratch, MEMORY_BYTES / threads),
            damaged: Vec::new(),
            unshared: Vec::new(),
            failed: Ok(()),
        };
        let found = on_threads(&files, threads, &own, &|found: &mut Found, number, file| {
            if found.failed.is_ok() {
                found.failed = found.take(number, file, scratch);
            }
        });
        let (mut sorters, mut damaged, mut unshared) = (Vec::new(), Vec::new(), HashMap::new());
        for mut one in found {
            one.failed?;
            damaged.append(&mut one.damaged);
            unshared.extend(one.unshared);
            sorters.push(one.sorter);
        }
        damaged.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(Files { files, unshared, lines: Sorter::searchable(sorters)?, damaged })
    }

    pub(super) fn lines(&self, url: &str, take: &mut dyn FnMut(CdxLine)) -> io::Result<()> {
        let start = format!("{} ", surt_key(url));
        self.lines.starting_with(start.as_bytes(), &mut |line| parse(line).into_iter().for_each(&mut *take))
    }

    pub(super) fn each(&self, take: &mut dyn FnMut(CdxLine)) -> io::Result<()> {
        self.lines.each(&mut |line| {
            parse(line).into_iter().for_each(&mut *take);
            true
        })
    }

    pub(super) fn file(&self, name: &str) -> Option<WarcFile> {
        match name.strip_prefix(UNSHARED) {
            Some(number) => self.unshared.get(&number.parse().ok()?).cloned(),
            None => self.files.get(name.parse::<usize>().ok()?).cloned(),
        }
    }
}

impl Found {
    fn take(&mut self, number: usize, file: &WarcFile, scratch: &Path) -> io::Result<()> {
        let path = &file.path;
        let mut pushed = Ok(());
        let mut take = |line: CdxLine| {
            if pushed.is_ok() {
                let filename = number.to_string();
                pushed = self.sorter.push(&CdxLine { key: key(&line.url), filename, ..line });
            }
        };
        if !lines_beside(file, &mut take)? {
            let indexed = index_warc(file, "", &mut take, &mut |_| ()).map_err(|e| named(path, &e))?;
            let is_shared = |hole: &Hole| matches!(hole.error.fault, Fault::NotAddressable) && is_alone(file);
            let (shared, holes): (Vec<_>, Vec<_>) = indexed.holes.into_iter().partition(is_shared);
            let holes = holes.into_iter().filter(|hole| !is_being_written(path, hole));
            self.damaged.extend(holes.map(|hole| (path.to_owned(), hole)));
            if !shared.is_empty() {
                self.unshare(number, path, scratch)?;
            }
        }
        pushed
    }
}

impl Found {
    /// Indexes records that lie in one compressed stream, with places of their own.
    fn unshare(&mut self, number: usize, path: &Path, scratch: &Path) -> io::Result<()> {
        let own = scratch.join(format!("unshared-{number}.gz"));
        unshare(path, &own).map_err(|e| named(path, &e))?;
        let mut pushed = Ok(());
        let filename = format!("{UNSHARED}{number}");
        let mut take = |line: CdxLine| {
            if pushed.is_ok() {
                pushed = self.sorter.push(&CdxLine { key: key(&line.url), ..line });
            }
        };
        for file in WarcFile::all_of(&own)? {
            index_warc(&file, &filename, &mut take, &mut |_| ()).map_err(|e| named(&own, &e))?;
            self.unshared.push((number, file));
        }
        pushed
    }
}

/// Whether it is a file of its own, and not part of a WACZ file.
fn is_alone(file: &WarcFile) -> bool {
    file.path.ends_with(&file.name)
}

/// Under our own spelling of an address, since it is asked for by that.
fn key(url: &str) -> String {
    CanonicalUrl::parse(url).map_or_else(|_| surt_key(url), |url| surt_key(url.as_str()))
}

fn parse(line: &[u8]) -> Option<CdxLine> {
    CdxLine::parse(&String::from_utf8_lossy(line))
}

pub(super) fn named(path: &Path, e: &io::Error) -> io::Error {
    io::Error::new(e.kind(), format!("{}: {e}", path.display()))
}

/// The lines about a file in the index that was made with it, if there is one with any.
fn lines_beside(file: &WarcFile, take: &mut dyn FnMut(CdxLine)) -> io::Result<bool> {
    let WarcFile { path, name, .. } = file;
    let Some(dir) = path.parent().filter(|_| is_alone(file)) else { return Ok(false) };
    let index = index_name(name);
    let made = fs::metadata(path).and_then(|metadata| metadata.modified()).map_err(|e| named(path, &e))?;
    for folder in [dir.to_owned(), dir.join("../indexes")] {
        let index = folder.join(&index);
        let is_fresh = index.metadata().and_then(|m| m.modified()).is_ok_and(|at| at >= made);
        if !is_fresh {
            continue;
        }
        let mut any = false;
        for line in BufReader::new(File::open(&index)?).lines() {
            if let Some(line) = CdxLine::parse(&line?).filter(|line| line.filename == *name) {
                any = true;
                take(line);
            }
        }
        if any {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The record at a place in a file.
pub(super) fn stored(file: &WarcFile, place: &Place, spool: &Arc<Spool>) -> Result<StoredRecord, NotThere> {
    let unreadable =
        |why: String| NotThere::Unreadable(format!("{} at byte {}: {why}", file.shown(), place.offset));
    let section = file.open().map_err(|e| unreadable(e.to_string()))?;
    let whole = place.length.filter(|length| *length <= WHOLE_BYTES);
    let (bytes, member) = match whole.and_then(|length| whole_member(&section, place.offset, length)) {
        Some((member, unpacked)) => {
            let length = unpacked.len() as u64;
            let bytes = record_of(&mut Reader::new(Cursor::new(unpacked)), spool).map_err(unreadable)?;
            // Nothing in it but the record and the line ends behind it.
            let member = (length == bytes.length() + 4).then_some(member);
            (bytes, member)
        }
        None => (record_of(&mut section.records_at(place.offset), spool).map_err(unreadable)?, None),
    };
    Ok(StoredRecord { file: file.name.clone(), offset: place.offset, bytes, member })
}

/// A gzip member that lies where an index says, and what is in it.
fn whole_member(section: &Section, offset: u64, length: u64) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut member = Vec::with_capacity(usize::try_from(length).ok()?);
    section.part(offset, length).read_to_end(&mut member).ok()?;
    let unpacked = unpacked_member(&member)?;
    Some((member, unpacked))
}

/// The record that a reader stands at.
pub(super) fn record_of<R: BufRead + Seek>(
    reader: &mut Reader<R>,
    spool: &Arc<Spool>,
) -> Result<StoredBytes, String> {
    let record = reader.next_record().map_err(|e| e.fault.to_string())?;
    let mut record = record.ok_or("no record begins there")?;
    StoredBytes::read(&mut record, spool).map_err(|e| e.to_string())
}
