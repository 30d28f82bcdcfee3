//! WARC files on this machine with one index of all their captures. The indexes beside them are made use of.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annalist_model::CanonicalUrl;
use annalist_warc::{
    CdxLine, Fault, Hole, Sorted, Sorter, index_name, index_path, on_threads, stored_bytes, surt_key, unshare,
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

/// WARC files and what is in them.
#[derive(Debug)]
pub(super) struct Files {
    paths: Vec<PathBuf>,
    /// What was made of files whose records have no offsets, by their numbers.
    unshared: HashMap<usize, PathBuf>,
    /// By our own keys; the file's number is its name.
    lines: Sorted,
    pub(super) damaged: Vec<(PathBuf, Hole)>,
}

/// What one thread found.
struct Found {
    sorter: Sorter,
    damaged: Vec<(PathBuf, Hole)>,
    /// Files whose records share their members, and where they have places of their own.
    unshared: Vec<(usize, PathBuf)>,
    failed: io::Result<()>,
}

impl Files {
    /// By the CDXJ beside a file, or in the folder `indexes` beside its own, if it is not older than the file; by reading
    /// the file else.
    pub(super) fn open(paths: Vec<PathBuf>, scratch: &Path) -> io::Result<Files> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let own = || Found {
            sorter: Sorter::new(scratch, MEMORY_BYTES / threads),
            damaged: Vec::new(),
            unshared: Vec::new(),
            failed: Ok(()),
        };
        let found = on_threads(&paths, threads, &own, &|found: &mut Found, number, path| {
            if found.failed.is_ok() {
                found.failed = found.take(number, path, scratch);
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
        Ok(Files { paths, unshared, lines: Sorter::searchable(sorters)?, damaged })
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

    pub(super) fn path(&self, name: &str) -> Option<PathBuf> {
        match name.strip_prefix(UNSHARED) {
            Some(number) => self.unshared.get(&number.parse().ok()?).cloned(),
            None => self.paths.get(name.parse::<usize>().ok()?).cloned(),
        }
    }
}

impl Found {
    fn take(&mut self, number: usize, path: &Path, scratch: &Path) -> io::Result<()> {
        let mut pushed = Ok(());
        let mut take = |line: CdxLine| {
            if pushed.is_ok() {
                let filename = number.to_string();
                pushed = self.sorter.push(&CdxLine { key: key(&line.url), filename, ..line });
            }
        };
        if !lines_beside(path, &mut take)? {
            // A file that is not there is a mistake; one that is damaged gives what it can.
            File::open(path).map_err(|e| named(path, &e))?;
            let indexed = index_path(path, "", &mut take, &mut |_| ()).map_err(|e| named(path, &e))?;
            let (shared, holes): (Vec<_>, Vec<_>) =
                indexed.holes.into_iter().partition(|hole| matches!(hole.error.fault, Fault::NotAddressable));
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
        index_path(&own, &filename, &mut take, &mut |_| ()).map_err(|e| named(&own, &e))?;
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
fn lines_beside(path: &Path, take: &mut dyn FnMut(CdxLine)) -> io::Result<bool> {
    let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else { return Ok(false) };
    let name = name.to_string_lossy();
    let index = index_name(&name);
    let made = fs::metadata(path).and_then(|metadata| metadata.modified()).map_err(|e| named(path, &e))?;
    for folder in [dir.to_owned(), dir.join("../indexes")] {
        let index = folder.join(&index);
        let is_fresh = index.metadata().and_then(|m| m.modified()).is_ok_and(|at| at >= made);
        if !is_fresh {
            continue;
        }
        let mut any = false;
        for line in BufReader::new(File::open(&index)?).lines() {
            if let Some(line) = CdxLine::parse(&line?).filter(|line| line.filename == name) {
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
pub(super) fn stored(path: &Path, place: &Place, spool: &Arc<Spool>) -> Result<StoredRecord, NotThere> {
    let (bytes, member) = stored_bytes(path, place.offset, place.length)
        .and_then(|stored| {
            let bytes = StoredBytes::read(stored.bytes, spool)?;
            // Nothing in it but the record and the line ends behind it.
            let member = stored.member.filter(|(_, unpacked)| *unpacked == bytes.length() + 4);
            Ok((bytes, member.map(|(member, _)| member)))
        })
        .map_err(|e| NotThere::Unreadable(format!("{} at byte {}: {e}", path.display(), place.offset)))?;
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(StoredRecord { file, offset: place.offset, bytes, member })
}
