//! The index of a WARC file that is still being written: `NAME.cdxj.open`, one line for every capture that is surely in
//! the file, in the order they came. Sorted and under its final name, `NAME.cdxj`, once the file is closed (`index.rs`).
//!
//! It is written after the WARC file was synced and is never synced itself: no line points to bytes that a power cut can
//! take, and whatever of it is lost, the next start makes the index again from the file.

use std::io;
use std::path::{Path, PathBuf};

use annalist_disk::{Disk, DiskFile};

use crate::cdx::CdxLines;
use crate::file_name::{OPEN_SUFFIX, index_name};
use crate::writer::WriteError;

#[derive(Debug)]
pub(crate) struct OpenIndex {
    path: PathBuf,
    /// Made with the first lines.
    file: Option<Box<dyn DiskFile>>,
    /// How much of the lines' text is in it.
    written: usize,
    /// There may be bytes after that: they have to be cut off first.
    torn: bool,
}

impl OpenIndex {
    pub(crate) fn new(index_dir: &Path, warc_name: &str) -> OpenIndex {
        OpenIndex { path: open_index_path(index_dir, warc_name), file: None, written: 0, torn: false }
    }

    /// Adds the lines it does not have yet. All of them must be about bytes that are on disk.
    pub(crate) fn catch_up(&mut self, disk: &dyn Disk, lines: &CdxLines) -> Result<(), WriteError> {
        let fresh = lines.text_from(self.written);
        if fresh.is_empty() {
            return Ok(());
        }
        self.append(disk, fresh.as_bytes()).map_err(|e| WriteError::at(&self.path, e))?;
        self.written += fresh.len();
        Ok(())
    }

    fn append(&mut self, disk: &dyn Disk, bytes: &[u8]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                remove_if_there(disk, &self.path)?;
                self.file.insert(disk.create(&self.path)?)
            }
        };
        if self.torn {
            file.truncate(self.written as u64)?;
        }
        self.torn = true;
        file.append(bytes)?;
        self.torn = false;
        Ok(())
    }
}

pub(crate) fn open_index_path(index_dir: &Path, warc_name: &str) -> PathBuf {
    index_dir.join(format!("{}{OPEN_SUFFIX}", index_name(warc_name)))
}

pub(crate) fn remove_if_there(disk: &dyn Disk, path: &Path) -> io::Result<()> {
    match disk.remove(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}
