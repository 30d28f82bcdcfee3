//! The archive source: what was archived as a web to walk. Indexes tell where the captures of an address are; a fetch
//! reads the record of one.
//!
//! Not here: which snapshot is wanted, reading pages, and following redirects, which are links of their own as on the
//! live web.

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use annalist_model::CanonicalUrl;
use annalist_warc::{CdxLine, Hole, Reader};

use crate::spool::Spool;
use opening::Archive;
use revisit::Referred;
use snapshot::settled;

mod answer;
mod asking;
mod local;
mod opening;
mod response;
mod revisit;
mod server;
mod shelf;
mod snapshot;
mod stored;

pub use asking::Remote;
pub(crate) use asking::drop_block;
pub use opening::ArchiveSettings;
pub use response::{Archived, is_being_written, responses};
pub use snapshot::Snapshot;
pub use stored::{StoredBytes, StoredRecord};

/// What servers call a page that people read.
const DOCUMENTS: [&str; 3] = ["text/html", "application/xhtml+xml", "text/plain"];

/// Several archives as one. Clones share everything.
#[derive(Clone, Debug)]
pub struct ArchiveSource {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    archives: Vec<Archive>,
    notes: Vec<String>,
    documents: OnceLock<Vec<CanonicalUrl>>,
    /// Of a body, when it is unpacked.
    most_bytes: u64,
    spool: Arc<Spool>,
}

/// Why an archive gives nothing for an address.
#[derive(Debug, thiserror::Error)]
pub enum NotThere {
    #[error("not in the archive")]
    Missing,
    #[error("its record cannot be read: {0}")]
    Unreadable(String),
    /// Whether it is there is not known.
    #[error("a server of the archive gave no answer: {0}")]
    Unanswered(String),
}

/// A snapshot with what it is made of.
#[derive(Debug)]
pub struct Fetched {
    pub snapshot: Snapshot,
    /// The record as it is stored.
    pub record: StoredRecord,
    /// The record that the body came from, when the snapshot is a revisit.
    pub payload_of: Option<StoredRecord>,
    /// The response in it; of a revisit, its own head, if it has one, with the body it refers to.
    pub archived: Archived,
}

impl ArchiveSource {
    /// WARC files, and folders of them, are indexed: by the CDXJ beside a file, or in the folder `indexes` beside its own,
    /// if it is not older than the file; by reading the file else. Index files are searched where they lie. Bodies are
    /// cut at `most_bytes`.
    pub fn open(paths: &[PathBuf], most_bytes: u64) -> io::Result<ArchiveSource> {
        ArchiveSource::with(&ArchiveSettings::local(paths.to_vec(), most_bytes))
    }

    pub fn with(settings: &ArchiveSettings) -> io::Result<ArchiveSource> {
        let spool = Arc::new(Spool::open(settings.scratch.clone())?);
        let (archives, notes) = opening::open(settings)?;
        let most_bytes = settings.most_bytes;
        let inner = Inner { archives, notes, documents: OnceLock::new(), most_bytes, spool };
        Ok(ArchiveSource { inner: Arc::new(inner) })
    }

    /// All snapshots of an address, of all archives, oldest first, none twice (same time and digest). At least one.
    pub async fn snapshots(&self, url: &CanonicalUrl) -> Result<Vec<Snapshot>, NotThere> {
        // What is at hand is found sooner than another thread is woken.
        if self.inner.archives.iter().all(|archive| !matches!(archive, Archive::Server(_))) {
            return self.inner.look_up(url);
        }
        let (inner, url) = (Arc::clone(&self.inner), url.clone());
        on_blocking_thread(move || inner.look_up(&url)).await
    }

    /// The record of a snapshot as it is stored, and the response in it.
    pub async fn fetch(&self, snapshot: &Snapshot) -> Result<Fetched, NotThere> {
        let (inner, snapshot) = (Arc::clone(&self.inner), snapshot.clone());
        on_blocking_thread(move || inner.read(snapshot)).await
    }

    /// [`ArchiveSource::snapshots`] for who is on a thread of its own: one that runs no
    /// tasks.
    pub fn look_up(&self, url: &CanonicalUrl) -> Result<Vec<Snapshot>, NotThere> {
        self.inner.look_up(url)
    }

    /// [`ArchiveSource::fetch`] for who is on a thread of its own: one that runs no tasks.
    pub fn read(&self, snapshot: &Snapshot) -> Result<Fetched, NotThere> {
        self.inner.read(snapshot.clone())
    }

    /// What the archive has of an address: the newest answer, else the newest redirect, else the newest error.
    pub fn newest(&self, url: &CanonicalUrl) -> Result<Archived, NotThere> {
        self.inner.newest(url)
    }

    /// Whether it was answered with success.
    pub fn has(&self, url: &CanonicalUrl) -> bool {
        self.inner.of_address(url).is_ok_and(|found| found.iter().any(Snapshot::is_success))
    }

    /// Addresses that were answered with something people read, sorted. A robots.txt is for others.
    pub fn documents(&self) -> &[CanonicalUrl] {
        // What an index that cannot be read to its end has before that counts.
        self.inner.documents.get_or_init(|| self.inner.documents().unwrap_or_default())
    }

    /// What could not be read of the files.
    pub fn damaged(&self) -> &[(PathBuf, Hole)] {
        let files = self.inner.archives.iter().find_map(|archive| match archive {
            Archive::Files(files) => Some(files.damaged.as_slice()),
            Archive::Index { .. } | Archive::Server(_) => None,
        });
        files.unwrap_or_default()
    }

    /// What is not as it should be with the indexes, and does no harm.
    pub fn notes(&self) -> &[String] {
        &self.inner.notes
    }
}

impl Inner {
    fn look_up(&self, url: &CanonicalUrl) -> Result<Vec<Snapshot>, NotThere> {
        let mut found = Vec::new();
        for (number, archive) in self.archives.iter().enumerate() {
            found.append(&mut archive.snapshots(url, number)?);
        }
        let found = settled(url, found);
        if found.is_empty() { Err(NotThere::Missing) } else { Ok(found) }
    }

    fn read(&self, snapshot: Snapshot) -> Result<Fetched, NotThere> {
        let archive = self.archives.get(snapshot.place.archive).ok_or(NotThere::Missing)?;
        let record = archive.stored(&snapshot, &self.spool)?;
        let unreadable = |why: &str| {
            let offset = record.offset;
            NotThere::Unreadable(format!("{} at byte {offset}: {why}", record.file))
        };
        let mut reader = Reader::new(record.bytes.open().map_err(|e| unreadable(&e.to_string()))?);
        let mut block = match reader.next_record() {
            Ok(Some(block)) => block,
            Ok(None) => return Err(unreadable("no record begins there")),
            Err(fault) => return Err(unreadable(&fault.fault.to_string())),
        };
        let target = block.fields.get("WARC-Target-URI").map(|uri| uri.trim_matches(['<', '>']));
        if target.and_then(|uri| CanonicalUrl::parse(uri).ok()).as_ref() != Some(&snapshot.url) {
            return Err(unreadable("this is the record of another address: the index is of another file"));
        }
        if block.kind() != "revisit" {
            let archived = Archived::read(&mut block, self.most_bytes);
            let archived = archived.ok_or_else(|| unreadable("not a response that can be read"))?;
            drop(reader);
            return Ok(Fetched { snapshot, record, payload_of: None, archived });
        }
        let referred = Referred::by(&mut block, &snapshot);
        drop(reader);
        let original = self.look_up(&referred.url).ok().and_then(|found| referred.choose(found));
        let original =
            original.ok_or_else(|| unreadable("the capture it refers to is not in the archive"))?;
        let payload = self.read(original)?;
        let head = referred.head.unwrap_or(payload.archived.head);
        let archived =
            Archived { url: snapshot.url.clone(), at: snapshot.at, head, body: payload.archived.body };
        Ok(Fetched { snapshot, record, payload_of: Some(payload.record), archived })
    }

    /// Those of the very address.
    fn of_address(&self, url: &CanonicalUrl) -> Result<Vec<Snapshot>, NotThere> {
        let mut found = self.look_up(url)?;
        found.retain(|snapshot| snapshot.url == *url);
        // That of a revisit may be known from another address only, and some indexes have none.
        for unknown in found.iter_mut().filter(|found| found.status.is_none()) {
            unknown.status = self.read(unknown.clone()).ok().map(|found| found.archived.head.status);
        }
        Ok(found)
    }

    fn newest(&self, url: &CanonicalUrl) -> Result<Archived, NotThere> {
        let newest = self.of_address(url)?.into_iter().max_by_key(Snapshot::standing);
        Ok(self.read(newest.ok_or(NotThere::Missing)?)?.archived)
    }

    fn each(&self, take: &mut dyn FnMut(CdxLine)) -> io::Result<()> {
        self.archives.iter().try_for_each(|archive| archive.each(take))
    }

    fn documents(&self) -> io::Result<Vec<CanonicalUrl>> {
        let (mut documents, mut revisits) = (Vec::new(), Vec::new());
        self.each(&mut |line| {
            let Some(snapshot) = Snapshot::of(line, 0) else { return };
            if is_document(&snapshot) {
                documents.push(snapshot.url);
            } else if snapshot.is_revisit {
                revisits.extend(snapshot.digest.map(|digest| (digest, snapshot.url)));
            }
        })?;
        if !revisits.is_empty() {
            let sought: HashSet<&str> = revisits.iter().map(|(digest, _)| digest.as_str()).collect();
            let mut of_documents = HashSet::new();
            self.each(&mut |line| {
                let Some(snapshot) = Snapshot::of(line, 0).filter(is_document) else { return };
                of_documents.extend(snapshot.digest.filter(|digest| sought.contains(digest.as_str())));
            })?;
            let found = revisits.into_iter().filter(|(digest, _)| of_documents.contains(digest));
            documents.extend(found.map(|(_, url)| url));
        }
        documents.sort_unstable();
        documents.dedup();
        Ok(documents)
    }
}

fn is_document(snapshot: &Snapshot) -> bool {
    let named = DOCUMENTS.contains(&snapshot.mime.to_ascii_lowercase().as_str());
    snapshot.is_success() && named && snapshot.url.path() != "/robots.txt"
}

async fn on_blocking_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, NotThere> + Send + 'static,
) -> Result<T, NotThere> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|e| Err(NotThere::Unreadable(format!("reading was given up: {e}"))))
}

#[cfg(test)]
mod tests;
