//! WARC files on this machine with one index of all their captures. The indexes beside them are made use of.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annalist_model::CanonicalUrl;
use annalist_warc::{
    CdxLine, Hole, Sorted, Sorter, index_name, index_path, on_threads, stored_bytes, surt_key,
};

use super::NotThere;
use super::response::is_being_written;
use super::snapshot::Place;
use super::stored::{StoredBytes, StoredRecord};
use crate::spool::Spool;

/// The lines of the index are held in memory up to this; then they are in a file.
const MEMORY_BYTES: usize = 64 << 20;

/// WARC files and what is in them.
#[derive(Debug)]
pub(super) struct Files {
    paths: Vec<PathBuf>,
    /// By our own keys; the file's number is its name.
    lines: Sorted,
    pub(super) damaged: Vec<(PathBuf, Hole)>,
}

/// What one thread found.
struct Found {
    sorter: Sorter,
    damaged: Vec<(PathBuf, Hole)>,
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
            failed: Ok(()),
        };
        let found = on_threads(&paths, threads, &own, &|found: &mut Found, number, path| {
            if found.failed.is_ok() {
                found.failed = found.take(number, path);
            }
        });
        let (mut sorters, mut damaged) = (Vec::new(), Vec::new());
        for mut one in found {
            one.failed?;
            damaged.append(&mut one.damaged);
            sorters.push(one.sorter);
        }
        damaged.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(Files { paths, lines: Sorter::searchable(sorters)?, damaged })
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
        self.paths.get(name.parse::<usize>().ok()?).cloned()
    }
}

impl Found {
    fn take(&mut self, number: usize, path: &Path) -> io::Result<()> {
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
            let holes = indexed.holes.into_iter().filter(|hole| !is_being_written(path, hole));
            self.damaged.extend(holes.map(|hole| (path.to_owned(), hole)));
        }
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
    let bytes = stored_bytes(path, place.offset, place.length)
        .and_then(|input| StoredBytes::read(input, spool))
        .map_err(|e| NotThere::Unreadable(format!("{} at byte {}: {e}", path.display(), place.offset)))?;
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(StoredRecord { file, offset: place.offset, bytes })
}
