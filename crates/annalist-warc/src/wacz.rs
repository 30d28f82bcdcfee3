//! WACZ 1.1.1: web archives as one file that can be read where it lies, a ZIP file of WARC files, index, list of pages and
//! a list of all these with their digests. Read here; written in `wacz/write.rs`, judged in `verify/wacz.rs`.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::bufread::{DeflateDecoder, MultiGzDecoder};

use crate::verify::is_warc_name;
use crate::warc_file::{Section, WarcFile};
use crate::zip::{Method, ZipEntry, read_entries};

mod write;

pub use write::{About, WaczWriter};

const VERSION: &str = "1.1.1";
pub(crate) const ARCHIVE: &str = "archive/";
pub(crate) const INDEXES: &str = "indexes/";
pub(crate) const PACKAGE: &str = "datapackage.json";
pub(crate) const PACKAGE_DIGEST: &str = "datapackage-digest.json";
pub(crate) const PAGES: &str = "pages/pages.jsonl";
const INDEX: &str = "indexes/index.cdx.gz";
pub(crate) const INDEX_NAME: &str = "index.cdx.gz";
const INDEX_OF_INDEX: &str = "indexes/index.idx";
pub(crate) const PAGES_FORMAT: &str = "json-pages-1.0";

/// A WACZ file whose list of entries was read.
#[derive(Debug)]
pub struct Wacz {
    path: PathBuf,
    file: Arc<File>,
    pub(crate) entries: Vec<ZipEntry>,
}

impl Wacz {
    pub fn open(path: &Path) -> io::Result<Wacz> {
        let mut file = File::open(path)?;
        let entries = read_entries(&mut file)?;
        Ok(Wacz { path: path.to_owned(), file: Arc::new(file), entries })
    }

    /// The WARC files inside, in the order of their names.
    pub fn warc_files(&self) -> io::Result<Vec<WarcFile>> {
        let mut files = Vec::new();
        for entry in self.entries.iter().filter(|entry| entry.name.starts_with(ARCHIVE)) {
            let name = entry.name.rsplit('/').next().unwrap_or_default().to_owned();
            if !is_warc_name(&name) {
                continue;
            }
            if entry.method != Method::Stored {
                let why =
                    format!("{} is compressed inside {}: unpack it first", entry.name, self.path.display());
                return Err(io::Error::new(io::ErrorKind::InvalidData, why));
            }
            files.push(WarcFile { path: self.path.clone(), name, offset: entry.start, length: entry.stored });
        }
        files.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(files)
    }

    /// Every line of its indexes, file after file; each is sorted for itself.
    pub fn each_index_line(&self, take: &mut dyn FnMut(&str)) -> io::Result<()> {
        let is_index =
            |name: &str| [".cdx", ".cdx.gz", ".cdxj", ".cdxj.gz"].iter().any(|end| name.ends_with(end));
        for entry in
            self.entries.iter().filter(|entry| entry.name.starts_with(INDEXES) && is_index(&entry.name))
        {
            let mut lines: Box<dyn BufRead> = self.read(entry);
            if entry.name.ends_with(".gz") {
                lines = Box::new(BufReader::new(MultiGzDecoder::new(lines)));
            }
            each_line(lines, &mut |line| take(&String::from_utf8_lossy(line)))?;
        }
        Ok(())
    }

    pub(crate) fn entry(&self, name: &str) -> Option<&ZipEntry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// The bytes of an entry, unpacked.
    pub(crate) fn read(&self, entry: &ZipEntry) -> Box<dyn BufRead> {
        let stored = BufReader::new(Section::of(&self.file, entry.start, entry.stored));
        match entry.method {
            Method::Deflated => Box::new(BufReader::new(DeflateDecoder::new(stored))),
            Method::Stored | Method::Other => Box::new(stored),
        }
    }

    /// A part of an entry that is stored as it is.
    pub(crate) fn part(&self, entry: &ZipEntry, offset: u64, length: u64) -> Section {
        Section::of(&self.file, entry.start.saturating_add(offset), length)
    }

    /// A small entry, whole.
    pub(crate) fn read_small(&self, name: &str) -> io::Result<Vec<u8>> {
        const LARGEST: u64 = 256 << 20;
        let entry = self.entry(name).ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "is missing"))?;
        let mut bytes = Vec::new();
        self.read(entry).take(LARGEST).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// Every line without its end. A file without line ends is not held in memory as one.
pub(crate) fn each_line(mut input: impl BufRead, take: &mut dyn FnMut(&[u8])) -> io::Result<()> {
    const LONGEST: u64 = 16 << 20;
    let mut line = Vec::new();
    while (&mut input).take(LONGEST).read_until(b'\n', &mut line)? > 0 {
        if line.len() as u64 == LONGEST {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a line has no end"));
        }
        take(line.strip_suffix(b"\n").unwrap_or(&line));
        line.clear();
    }
    Ok(())
}
