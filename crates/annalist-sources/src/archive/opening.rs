//! Which archives a source consists of: what people name becomes files, indexes and servers.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annalist_warc::{CdxLine, Index, indexes_in, is_index_name, warc_files_under};

use super::local::{Files, Shelf, stored};
use super::snapshot::Place;
use super::{NotThere, StoredRecord};
use crate::spool::Spool;

/// What a source is made of.
#[derive(Clone, Debug)]
pub struct ArchiveSettings {
    /// WARC files, folders of them, index files, and folders of these.
    pub paths: Vec<PathBuf>,
    /// Where the WARC files are that indexes name, when they are not near the index.
    pub warcs: Vec<PathBuf>,
    /// Bodies are cut here.
    pub most_bytes: u64,
    /// Where large records, and indexes that have to be sorted, are kept for the while.
    pub scratch: PathBuf,
}

/// One archive.
#[derive(Debug)]
pub(super) enum Archive {
    Files(Files),
    Index { name: String, index: Box<Index>, shelf: Shelf },
}

impl Archive {
    pub(super) fn lines(&self, url: &str, take: &mut dyn FnMut(CdxLine)) -> Result<(), NotThere> {
        let failed = |name: &str, e: io::Error| NotThere::Unreadable(format!("the index {name}: {e}"));
        match self {
            Archive::Files(files) => files.lines(url, take).map_err(|e| failed("of the files", e)),
            Archive::Index { name, index, .. } => {
                index.captures(url).map_err(|e| failed(name, e))?.into_iter().for_each(take);
                Ok(())
            }
        }
    }

    /// Every capture, where they can be listed.
    pub(super) fn each(&self, take: &mut dyn FnMut(CdxLine)) -> io::Result<()> {
        match self {
            Archive::Files(files) => files.each(take),
            Archive::Index { index, .. } => index.each(take),
        }
    }

    pub(super) fn stored(&self, place: &Place, spool: &Arc<Spool>) -> Result<StoredRecord, NotThere> {
        let path = match self {
            Archive::Files(files) => files.path(&place.file),
            Archive::Index { shelf, .. } => shelf.find(&place.file),
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
    let (mut warcs, mut indexes) = (Vec::new(), Vec::new());
    for path in &settings.paths {
        if path.is_dir() {
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
    Ok((archives, notes))
}

fn open_index(path: &Path, settings: &ArchiveSettings) -> io::Result<Archive> {
    let index = Box::new(Index::open(path, &settings.scratch)?);
    let shelf = Shelf::of(path, &settings.warcs)?;
    Ok(Archive::Index { name: path.display().to_string(), index, shelf })
}
