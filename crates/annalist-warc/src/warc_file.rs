//! A WARC file wherever it lies: on its own, or inside a WACZ file. What is in it is read by `read.rs`.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::read::Reader;
use crate::wacz::Wacz;

const INPUT_BUFFER_BYTES: usize = 64 * 1024;
const WACZ_EXTENSION: &str = ".wacz";

/// Where the bytes of a WARC file are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarcFile {
    /// The file on the disk: itself, or the WACZ file that holds it.
    pub path: PathBuf,
    /// Its own name, without folders.
    pub name: String,
    /// Its first byte in `path`.
    pub offset: u64,
    pub length: u64,
}

/// A part of an open file, read from its beginning to its end.
#[derive(Clone, Debug)]
pub struct Section {
    file: Arc<File>,
    /// Its first byte.
    start: u64,
    at: u64,
    end: u64,
}

/// Whether a name is that of a WACZ file.
pub fn is_wacz_name(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(WACZ_EXTENSION)
}

impl WarcFile {
    /// The file itself, or all that a WACZ file holds.
    pub fn all_of(path: &Path) -> io::Result<Vec<WarcFile>> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if is_wacz_name(&name) {
            return Wacz::open(path)?.warc_files();
        }
        let length = path.metadata()?.len();
        Ok(vec![WarcFile { path: path.to_owned(), name, offset: 0, length }])
    }

    pub fn open(&self) -> io::Result<Section> {
        let file = Arc::new(File::open(&self.path)?);
        Ok(Section::of(&file, self.offset, self.length))
    }

    /// How messages name it.
    pub fn shown(&self) -> String {
        let path = self.path.display();
        if self.path.file_name().is_some_and(|name| *name == *self.name) {
            path.to_string()
        } else {
            format!("{path}: {}", self.name)
        }
    }
}

impl Section {
    pub(crate) fn of(file: &Arc<File>, offset: u64, length: u64) -> Section {
        Section { file: Arc::clone(file), start: offset, at: offset, end: offset.saturating_add(length) }
    }

    /// The records from an offset on, counted from the start of the section.
    pub fn records_at(&self, offset: u64) -> Reader<BufReader<Section>> {
        let section = Section { at: self.end.min(self.at.saturating_add(offset)), ..self.clone() };
        Reader::starting_at(BufReader::with_capacity(INPUT_BUFFER_BYTES, section), offset)
    }

    /// A part of the section.
    pub fn part(&self, offset: u64, length: u64) -> Section {
        let at = self.end.min(self.at.saturating_add(offset));
        Section { file: Arc::clone(&self.file), start: at, at, end: self.end.min(at.saturating_add(length)) }
    }
}

impl Read for Section {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end - self.at).unwrap_or(usize::MAX);
        let wanted = buffer.len().min(left);
        let read = self.file.read_at(&mut buffer[..wanted], self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

/// Counted from the start of the section.
impl Seek for Section {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let length = self.end - self.start;
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::End(way) => length.checked_add_signed(way),
            SeekFrom::Current(way) => (self.at - self.start).checked_add_signed(way),
        };
        let place = place.ok_or(io::ErrorKind::InvalidInput)?.min(length);
        self.at = self.start + place;
        Ok(place)
    }
}
