//! Where the WARC files are that an index names.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use annalist_warc::warc_files_under;

use super::local::named;

#[derive(Debug)]
pub(super) struct Shelf {
    /// Looked through for the name as the index has it, and for its last part.
    folders: Vec<PathBuf>,
    /// All files under the folders that were given for this.
    given: Vec<PathBuf>,
    known: Mutex<HashMap<String, Option<PathBuf>>>,
}

impl Shelf {
    /// Beside the index, one folder up, in the folders `archive` there, and under those that are given.
    pub(super) fn of(index: &Path, given: &[PathBuf]) -> io::Result<Shelf> {
        let dir = index.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let near = ["", "..", "archive", "../archive", "../../archive"];
        Ok(Shelf { folders: near.map(|part| dir.join(part)).to_vec(), ..Shelf::given(given)? })
    }

    /// Under the folders that are given, and nowhere else.
    pub(super) fn given(folders: &[PathBuf]) -> io::Result<Shelf> {
        let mut given = Vec::new();
        for folder in folders {
            given.extend(warc_files_under(folder).map_err(|e| named(folder, &e))?);
        }
        Ok(Shelf { folders: Vec::new(), given, known: Mutex::default() })
    }

    pub(super) fn find(&self, name: &str) -> Option<PathBuf> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(name.to_owned()).or_insert_with(|| self.look_for(name)).clone()
    }

    fn look_for(&self, name: &str) -> Option<PathBuf> {
        let name = name.strip_prefix("file://").unwrap_or(name);
        let last = Path::new(name).file_name()?;
        // Two files of one name are told apart by their folders.
        let given = self.given.iter().filter(|path| path.file_name() == Some(last));
        let given = given.min_by_key(|path| !path.ends_with(name)).cloned();
        let beside = self.folders.iter().flat_map(|dir| [dir.join(name), dir.join(last)]);
        given.or_else(|| beside.into_iter().find(|path| path.is_file()))
    }
}
