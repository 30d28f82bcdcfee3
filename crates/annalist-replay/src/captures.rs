//! Where the captures of a job are: by its indexes, by those of files that are still being written, and by reading files that
//! have none. Nothing is written, and only what is committed is seen.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use annalist_model::Canonicaliser;
use annalist_warc::{
    CdxLine, Index, OPEN_SUFFIX, index_file, index_name, indexes_in, surt_key, warc_files_under,
};

/// The index of one job. Looks again before each answer: a crawl may be running.
#[derive(Debug)]
pub(crate) struct Captures {
    archive: PathBuf,
    indexes: PathBuf,
    /// How those who captured spelled addresses.
    spelling: Canonicaliser,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// By the paths of what they were made of.
    lists: BTreeMap<PathBuf, List>,
    /// WARC files by their final names.
    files: BTreeMap<String, PathBuf>,
}

#[derive(Debug)]
struct List {
    lines: Lines,
    /// To see that a file has changed.
    length: u64,
    modified: Option<SystemTime>,
}

#[derive(Debug)]
enum Lines {
    /// Searched where it lies.
    Stored(Box<Index>),
    /// In bytewise order.
    Held(BTreeSet<String>),
}

impl Captures {
    /// Of a job directory, or of a folder of WARC files.
    pub(crate) fn open(job: &Path, spelling: Canonicaliser) -> io::Result<Captures> {
        let archive = job.join("archive");
        let archive = if archive.is_dir() { archive } else { job.to_owned() };
        // A folder that cannot be read is told of at once.
        fs::read_dir(&archive)?;
        Ok(Captures { archive, indexes: job.join("indexes"), spelling, known: Mutex::default() })
    }

    /// What is listed under the key of an address, oldest first; where nothing is, under that of the address as the crawl
    /// spelled it, which is the one it asked for.
    pub(crate) fn of_url(&self, url: &str) -> io::Result<Vec<CdxLine>> {
        let found = self.listed_under(url)?;
        match self.spelled(url).filter(|_| found.is_empty()) {
            Some(spelled) => self.listed_under(&spelled),
            None => Ok(found),
        }
    }

    /// The key that has the captures of an address.
    pub(crate) fn key_of(&self, url: &str) -> io::Result<String> {
        let spelled = if self.listed_under(url)?.is_empty() { self.spelled(url) } else { None };
        Ok(surt_key(spelled.as_deref().unwrap_or(url)))
    }

    /// An address as the crawl spelled it, where it is one.
    pub(crate) fn spelled(&self, url: &str) -> Option<String> {
        Some(self.spelling.parse_typed(url).ok()?.as_str().to_owned())
    }

    fn listed_under(&self, url: &str) -> io::Result<Vec<CdxLine>> {
        let key = surt_key(url);
        let mut found = Vec::new();
        self.each_list(&mut |lines| match lines {
            Lines::Stored(index) => {
                found.extend(index.captures(url)?);
                Ok(())
            }
            Lines::Held(_) => lines.starting_with(&format!("{key} "), &mut |line| found.push(line)),
        })?;
        found.sort_by(|a, b| {
            (&a.timestamp, &a.url, &a.filename, a.offset).cmp(&(&b.timestamp, &b.url, &b.filename, b.offset))
        });
        found.dedup();
        Ok(found)
    }

    /// Hands over the lines of each list that begin so, each list's in bytewise order.
    pub(crate) fn starting_with(&self, start: &str, take: &mut dyn FnMut(CdxLine)) -> io::Result<()> {
        self.each_list(&mut |lines| lines.starting_with(start, take))
    }

    /// Where a file is that an index names. It may be closed meanwhile, or still open.
    pub(crate) fn file(&self, name: &str) -> Option<PathBuf> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let path = known.files.get(name)?.clone();
        if path.exists() {
            return Some(path);
        }
        let text = path.to_string_lossy();
        let other =
            text.strip_suffix(OPEN_SUFFIX).map_or_else(|| format!("{text}{OPEN_SUFFIX}"), str::to_owned);
        Some(PathBuf::from(other)).filter(|path| path.exists())
    }

    fn each_list(&self, take: &mut dyn FnMut(&Lines) -> io::Result<()>) -> io::Result<()> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.refresh(&self.archive, &self.indexes)?;
        known.lists.values().try_for_each(|list| take(&list.lines))
    }
}

impl Known {
    fn refresh(&mut self, archive: &Path, indexes: &Path) -> io::Result<()> {
        self.files.clear();
        for path in warc_files_under(archive)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let name = name.strip_suffix(OPEN_SUFFIX).unwrap_or(&name).to_owned();
            self.files.insert(name, path);
        }
        let stored = if indexes.is_dir() { indexes_in(indexes)? } else { Vec::new() };
        let mut there: BTreeSet<PathBuf> = stored.into_iter().collect();
        // An index that is of no one file is of all of them.
        let mut common = there.clone();
        let mut unlisted = Vec::new();
        for (name, path) in &self.files {
            let index = indexes.join(index_name(name));
            let open = indexes.join(format!("{}{OPEN_SUFFIX}", index_name(name)));
            if there.contains(&index) {
                common.remove(&index);
            } else if open.is_file() {
                there.insert(open);
            } else {
                unlisted.push(path.clone());
            }
        }
        if common.is_empty() {
            there.extend(unlisted);
        }
        self.lists.retain(|path, _| there.contains(path));
        there.iter().try_for_each(|path| self.take_up(path))
    }

    fn take_up(&mut self, path: &Path) -> io::Result<()> {
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            // Closed at this moment: seen under its new name next time.
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(e) => return Err(e),
        };
        let (length, modified) = (metadata.len(), metadata.modified().ok());
        let name = path.to_string_lossy();
        let is_open_index = name.ends_with(&format!(".cdxj{OPEN_SUFFIX}"));
        let before = self.lists.remove(path);
        let list = match before {
            Some(list) if list.length == length && list.modified == modified => list,
            Some(List { lines: Lines::Held(lines), length: read, .. }) if is_open_index && read <= length => {
                grown(path, lines, read)?
            }
            _ if is_open_index => grown(path, BTreeSet::new(), 0)?,
            _ if annalist_warc::is_warc_name(&name) => {
                // What cannot be read of it is not shown; the rest is.
                let (lines, _) = index_file(path)?;
                let name = name.rsplit('/').next().unwrap_or_default();
                let closed = name.strip_suffix(OPEN_SUFFIX).unwrap_or(name);
                let held = lines.sorted().filter_map(CdxLine::parse);
                let held = held.map(|line| CdxLine { filename: closed.to_owned(), ..line }.to_string());
                List { lines: Lines::Held(held.collect()), length, modified }
            }
            _ => List {
                lines: Lines::Stored(Box::new(Index::open(path, &std::env::temp_dir())?)),
                length,
                modified,
            },
        };
        self.lists.insert(path.to_owned(), list);
        Ok(())
    }
}

/// Adds the whole lines behind what was read of an index that grows.
fn grown(path: &Path, mut lines: BTreeSet<String>, read: u64) -> io::Result<List> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(read))?;
    let mut fresh = Vec::new();
    file.read_to_end(&mut fresh)?;
    let whole = fresh.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
    let text = String::from_utf8_lossy(fresh.get(..whole).unwrap_or_default());
    lines.extend(text.lines().map(str::to_owned));
    // Read again as far as lines were whole, so its time says nothing.
    Ok(List { lines: Lines::Held(lines), length: read + whole as u64, modified: None })
}

impl Lines {
    fn starting_with(&self, start: &str, take: &mut dyn FnMut(CdxLine)) -> io::Result<()> {
        match self {
            Lines::Stored(index) => index.starting_with(start, take),
            Lines::Held(lines) => {
                let range = lines.range::<str, _>((Bound::Included(start), Bound::Unbounded));
                range
                    .take_while(|line| line.starts_with(start))
                    .filter_map(|line| CdxLine::parse(line))
                    .for_each(take);
                Ok(())
            }
        }
    }
}
