//! The archive source: WARC files as a web to walk. An index tells where each address is; a fetch reads its record.
//!
//! Not here: reading pages, and following redirects, which are links of their own as on the live web.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use annalist_model::{CanonicalUrl, UrlKey};
use annalist_warc::{CdxLine, Hole, Reader, index_name, index_reader};

mod response;

pub use response::{Archived, is_being_written, responses};

/// What servers call a page that people read.
const DOCUMENTS: [&str; 3] = ["text/html", "application/xhtml+xml", "text/plain"];
/// What a CDXJ line calls a capture whose payload is stored with another.
const REVISIT: &str = "warc/revisit";

/// WARC files with an index, held in memory.
#[derive(Debug, Default)]
pub struct ArchiveSource {
    files: Vec<PathBuf>,
    places: HashMap<UrlKey, Place>,
    documents: Vec<CanonicalUrl>,
    damaged: Vec<(PathBuf, Hole)>,
    /// Of a body, when it is unpacked.
    most_bytes: u64,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    file: usize,
    offset: u64,
    status: u16,
    /// Fourteen digits.
    at: u64,
}

impl Place {
    fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// An answer before a redirect before an error; the newest of them.
    fn standing(&self) -> (u8, u64) {
        let class = match self.status {
            200..300 => 2,
            300..400 => 1,
            _ => 0,
        };
        (class, self.at)
    }
}

/// Why an archive gives nothing for an address.
#[derive(Debug, thiserror::Error)]
pub enum NotThere {
    #[error("not in the archive")]
    Missing,
    #[error("its record cannot be read: {0}")]
    Unreadable(String),
}

/// Captures as they are found, before it is known which of an address counts.
#[derive(Default)]
struct Found {
    /// With whether it is a document.
    captures: Vec<(CanonicalUrl, Place, bool)>,
    revisits: Vec<(CanonicalUrl, String)>,
    by_digest: HashMap<String, (Place, bool)>,
}

impl ArchiveSource {
    /// Indexes files: by the CDXJ beside a file, or in the folder `indexes` beside its own, if it is not older than the
    /// file; by reading the file else. Bodies are cut at `most_bytes`.
    pub fn open(files: &[PathBuf], most_bytes: u64) -> io::Result<ArchiveSource> {
        let mut source = ArchiveSource { files: files.to_vec(), most_bytes, ..ArchiveSource::default() };
        let mut found = Found::default();
        for (number, path) in files.iter().enumerate() {
            if let Some(lines) = lines_beside(path)? {
                lines.into_iter().for_each(|line| found.take(number, line));
                continue;
            }
            let mut reader = Reader::open(path)?;
            let indexed = index_reader(&mut reader, "", &mut |line| found.take(number, line));
            let holes = indexed.holes.into_iter().filter(|hole| !is_being_written(path, hole));
            source.damaged.extend(holes.map(|hole| (path.clone(), hole)));
        }
        source.settle(found);
        Ok(source)
    }

    fn settle(&mut self, found: Found) {
        let Found { mut captures, revisits, by_digest } = found;
        let payloads = revisits.into_iter().filter_map(|(url, digest)| {
            let (place, document) = by_digest.get(&digest)?;
            Some((url, *place, *document))
        });
        captures.extend(payloads);
        let mut documents = Vec::new();
        for (url, place, document) in captures {
            let known = self.places.get(&url.key());
            if known.is_none_or(|known| known.standing() <= place.standing()) {
                self.places.insert(url.key(), place);
            }
            if document {
                documents.push(url);
            }
        }
        documents.sort_unstable();
        documents.dedup();
        self.documents = documents;
    }

    /// Addresses that were answered with something people read, sorted. A robots.txt is for others.
    pub fn documents(&self) -> &[CanonicalUrl] {
        &self.documents
    }

    /// Whether it was answered with success.
    pub fn has(&self, url: &CanonicalUrl) -> bool {
        self.places.get(&url.key()).is_some_and(Place::is_success)
    }

    /// What could not be read of the files.
    pub fn damaged(&self) -> &[(PathBuf, Hole)] {
        &self.damaged
    }

    /// What the archive has of an address: the newest answer, else the newest redirect, else the newest error.
    pub fn fetch(&self, url: &CanonicalUrl) -> Result<Archived, NotThere> {
        let place = self.places.get(&url.key()).ok_or(NotThere::Missing)?;
        let path = self.files.get(place.file).ok_or(NotThere::Missing)?;
        let unreadable = |why: String| NotThere::Unreadable(format!("{} {why}", path.display()));
        let mut reader =
            Reader::open_at(path, place.offset).map_err(|e| unreadable(format!("cannot be read: {e}")))?;
        let record = reader.next_record().map_err(|e| unreadable(e.to_string()))?;
        let archived = record.and_then(|mut record| Archived::read(&mut record, self.most_bytes));
        match archived {
            // The payload of a revisit is under the address it was first captured from.
            Some(archived) if archived.head.status == place.status => {
                Ok(Archived { url: url.clone(), ..archived })
            }
            _ => Err(unreadable(format!(
                "has no such answer at byte {}: its index is of another file",
                place.offset
            ))),
        }
    }
}

impl Found {
    fn take(&mut self, file: usize, line: CdxLine) {
        let Ok(url) = CanonicalUrl::parse(&line.url) else { return };
        if line.mime == REVISIT {
            self.revisits.extend(line.digest.map(|digest| (url, digest)));
            return;
        }
        let Some(status) = line.status.and_then(|status| status.parse().ok()) else { return };
        let place = Place { file, offset: line.offset, status, at: line.timestamp.parse().unwrap_or(0) };
        let named = DOCUMENTS.contains(&line.mime.to_ascii_lowercase().as_str());
        let document = place.is_success() && named && url.path() != "/robots.txt";
        if let Some(digest) = line.digest.filter(|_| place.is_success()) {
            self.by_digest.insert(digest, (place, document));
        }
        self.captures.push((url, place, document));
    }
}

/// The lines about a file in the index that was made with it, if there is one.
fn lines_beside(path: &Path) -> io::Result<Option<Vec<CdxLine>>> {
    let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else { return Ok(None) };
    let name = name.to_string_lossy();
    let index = index_name(&name);
    let made = std::fs::metadata(path)?.modified()?;
    for folder in [dir.to_owned(), dir.join("../indexes")] {
        let index = folder.join(&index);
        let is_fresh = index.metadata().and_then(|m| m.modified()).is_ok_and(|at| at >= made);
        if !is_fresh {
            continue;
        }
        let mut lines = Vec::new();
        for line in BufReader::new(File::open(&index)?).lines() {
            lines.extend(CdxLine::parse(&line?).filter(|line| line.filename == name));
        }
        if !lines.is_empty() {
            return Ok(Some(lines));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
