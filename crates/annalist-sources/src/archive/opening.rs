//! Which archives a source consists of: what people name becomes files, indexes and servers.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annalist_model::CanonicalUrl;
use annalist_warc::{CdxLine, Index, indexes_in, is_index_name, warc_files_under};

use super::asking::{Asker, Remote};
use super::local::{Files, stored};
use super::server::{Server, is_web_address};
use super::shelf::Shelf;
use super::snapshot::Snapshot;
use super::{NotThere, StoredRecord};
use crate::spool::Spool;

/// What a source is made of.
#[derive(Clone, Debug)]
pub struct ArchiveSettings {
    /// WARC files, folders of them, index files, folders of these, and the addresses of CDX servers.
    pub paths: Vec<PathBuf>,
    /// Where the WARC files are that indexes name, when they are not near the index: folders, and for servers addresses
    /// of folders or with `{filename}` in them.
    pub warcs: Vec<PathBuf>,
    /// Bodies are cut here.
    pub most_bytes: u64,
    /// Where large records, and indexes that have to be sorted, are kept for the while.
    pub scratch: PathBuf,
    /// How servers are reached, where there are any.
    pub remote: Option<Remote>,
}

impl ArchiveSettings {
    /// For archives on this machine.
    pub fn local(paths: Vec<PathBuf>, most_bytes: u64) -> ArchiveSettings {
        let scratch = std::env::temp_dir();
        ArchiveSettings { paths, warcs: Vec::new(), most_bytes, scratch, remote: None }
    }
}

/// One archive.
#[derive(Debug)]
pub(super) enum Archive {
    Files(Files),
    Index { name: String, index: Box<Index>, shelf: Shelf },
    Server(Box<Server>),
}

impl Archive {
    /// What it has of an address; `number` is its own among the archives.
    pub(super) fn snapshots(&self, url: &CanonicalUrl, number: usize) -> Result<Vec<Snapshot>, NotThere> {
        let failed = |name: &str, e: io::Error| NotThere::Unreadable(format!("the index {name}: {e}"));
        let mut found = Vec::new();
        let mut take = |line| found.extend(Snapshot::of(line, number));
        match self {
            Archive::Files(files) => {
                files.lines(url.as_str(), &mut take).map_err(|e| failed("of the files", e))?;
            }
            Archive::Index { name, index, .. } => {
                index.captures(url.as_str()).map_err(|e| failed(name, e))?.into_iter().for_each(take);
            }
            Archive::Server(server) => return server.snapshots(url, number),
        }
        Ok(found)
    }

    /// Every capture, where they can be listed.
    pub(super) fn each(&self, take: &mut dyn FnMut(CdxLine)) -> io::Result<()> {
        match self {
            Archive::Files(files) => files.each(take),
            Archive::Index { index, .. } => index.each(take),
            Archive::Server(_) => Ok(()),
        }
    }

    pub(super) fn stored(&self, snapshot: &Snapshot, spool: &Arc<Spool>) -> Result<StoredRecord, NotThere> {
        let place = &snapshot.place;
        let path = match self {
            Archive::Files(files) => files.path(&place.file),
            Archive::Index { shelf, .. } => shelf.find(&place.file),
            Archive::Server(server) => return server.stored(snapshot, spool),
        };
        let missing = || {
            NotThere::Unreadable(format!(
                "{} is named by an index and is in no folder that is known",
                place.file
            ))
        };
        stored(&path.ok_or_else(missing)?, place, spool)
    }
}

/// Opens everything that is named; also gives what is not as it should be and does no harm.
pub(super) fn open(settings: &ArchiveSettings) -> io::Result<(Vec<Archive>, Vec<String>)> {
    let (mut warcs, mut indexes, mut servers) = (Vec::new(), Vec::new(), Vec::new());
    for path in &settings.paths {
        if let Some(address) = path.to_str().filter(|text| is_web_address(text)) {
            servers.push(address);
        } else if path.is_dir() {
            let mut files = warc_files_under(path)?;
            if files.is_empty() {
                indexes.extend(indexes_in(path)?);
            }
            warcs.append(&mut files);
        } else if is_index_name(&path.file_name().unwrap_or_default().to_string_lossy()) {
            indexes.push(path.clone());
        } else {
            warcs.push(path.clone());
        }
    }
    let (mut archives, mut notes) = (Vec::new(), Vec::new());
    if !warcs.is_empty() {
        archives.push(Archive::Files(Files::open(warcs, &settings.scratch)?));
    }
    for path in indexes {
        let archive = open_index(&path, settings)
            .map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", path.display())))?;
        if let Archive::Index { name, index, .. } = &archive {
            notes.extend(index.notes().iter().map(|note| format!("{name}: {note}")));
        }
        archives.push(archive);
    }
    if !servers.is_empty() {
        let remote = settings.remote.clone();
        let remote = remote.ok_or_else(|| io::Error::other("servers of archives cannot be asked here"))?;
        // One for all: some may be names of the same server.
        let asker = Arc::new(Asker::new(remote));
        for address in servers {
            let server = Server::new(address, &settings.warcs, Arc::clone(&asker))?;
            archives.push(Archive::Server(Box::new(server)));
        }
    }
    Ok((archives, notes))
}

fn open_index(path: &Path, settings: &ArchiveSettings) -> io::Result<Archive> {
    let index = Box::new(Index::open(path, &settings.scratch)?);
    let is_folder = |path: &&PathBuf| !path.to_str().is_some_and(is_web_address);
    let folders: Vec<PathBuf> = settings.warcs.iter().filter(is_folder).cloned().collect();
    let shelf = Shelf::of(path, &folders)?;
    Ok(Archive::Index { name: path.display().to_string(), index, shelf })
}
