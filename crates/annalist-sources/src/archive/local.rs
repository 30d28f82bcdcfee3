//! WARC files on this machine, alone or in WACZ files, with one index of all their captures. The indexes beside them are made use of.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annalist_model::CanonicalUrl;
use annalist_warc::{
    CdxLine, Ending, Fault, Framing, Hole, ReadError, Reader, Section, Sorted, Sorter, WarcFile, index_name,
    index_warc, on_threads, surt_key, unshare,
};

use super::NotThere;
use super::response::is_being_written;
use super::snapshot::Place;
use super::stored::{StoredBytes, StoredRecord};
use crate::spool::Spool;

/// The lines of the index are held in memory up to this; then they are in a file.
const MEMORY_BYTES: usize = 64 << 20;
/// What the number of a file begins with whose records were given places of their own.
const UNSHARED: &str = "unshared-";
/// Longer members are not kept as they are: they would have to be in memory.
const MOST_MEMBER_BYTES: u64 = 4 << 20;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

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
    /// Files whose records share their members, by number, and where they have places of their own.
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
            let indexed = match index_warc(file, "", &mut take, &mut |_| ()) {
                Ok(indexed) => indexed,
                // One file of many that nobody may read, say: the others count.
                Err(e) => {
                    let hole = Hole { bytes: 0..file.length, error: ReadError::new(0, Fault::Io(e)) };
                    self.damaged.push((path.clone(), hole));
                    return pushed;
                }
            };
            let (shared, holes): (Vec<_>, Vec<_>) =
                indexed.holes.into_iter().partition(|hole| matches!(hole.error.fault, Fault::NotAddressable));
            let holes = holes.into_iter().filter(|hole| !is_being_written(path, hole));
            if shared.is_empty() {
                self.damaged.extend(holes.map(|hole| (path.to_owned(), hole)));
            } else {
                self.unshare(number, file, scratch)?;
            }
        }
        pushed
    }
}

impl Found {
    /// Indexes records that lie in one compressed stream, with places of their own.
    fn unshare(&mut self, number: usize, file: &WarcFile, scratch: &Path) -> io::Result<()> {
        let path = scratch.join(format!("unshared-{number}.gz"));
        let holes = unshare(file, &path).map_err(|e| named(&file.path, &e))?;
        self.damaged.extend(holes.into_iter().map(|hole| (file.path.clone(), hole)));
        let length = path.metadata()?.len();
        let own = WarcFile { path, name: file.name.clone(), offset: 0, length };
        let mut pushed = Ok(());
        let filename = format!("{UNSHARED}{number}");
        let mut take = |line: CdxLine| {
            if pushed.is_ok() {
                pushed = self.sorter.push(&CdxLine { key: key(&line.url), ..line });
            }
        };
        index_warc(&own, &filename, &mut take, &mut |_| ()).map_err(|e| named(&own.path, &e))?;
        self.unshared.push((number, own));
        pushed
    }
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
    let Some(dir) = path.parent().filter(|_| path.ends_with(name)) else { return Ok(false) };
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
    let member = place.length.and_then(|length| member_of(&section, place.offset, length));
    if let Some(member) = member
        && let Some(bytes) = alone_in(&member, spool)
    {
        let (file, offset) = (file.name.clone(), place.offset);
        return Ok(StoredRecord { file, offset, bytes, member: Some(member) });
    }
    let bytes = record_of(&mut section.records_at(place.offset), spool).map_err(unreadable)?;
    Ok(StoredRecord { file: file.name.clone(), offset: place.offset, bytes, member: None })
}

/// The gzip member at an offset, if there is one of that length that is not too long to be held.
fn member_of(section: &Section, offset: u64, length: u64) -> Option<Vec<u8>> {
    if length > MOST_MEMBER_BYTES {
        return None;
    }
    let mut member = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    section.part(offset, length).read_to_end(&mut member).ok()?;
    (member.len() as u64 == length && member.starts_with(&GZIP_MAGIC)).then_some(member)
}

/// The record in a member, if there is nothing else in it.
fn alone_in(member: &[u8], spool: &Arc<Spool>) -> Option<StoredBytes> {
    let mut reader = Reader::new(Cursor::new(member));
    let mut record = reader.next_record().ok()??;
    let bytes = StoredBytes::read(&mut record, spool).ok()?;
    let span = record.finish().ok()?;
    let alone = span.framing == Framing::Alone && span.ending == Ending::Regular;
    (alone && span.length == member.len() as u64).then_some(bytes)
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
