//! Records go to disk and stay there.
//!
//! - All records of one `append` lie side by side in one file, or none of them is there.
//! - What was appended counts only after `sync` said so. The caller stores the positions that `sync` returns before
//!   it acknowledges anything; `recover` asks for them after a crash.
//! - From then on the index of the open file has them too.
//! - After a failed sync the file is finished: cut to what is surely on disk, closed, and never written again.
//!
//! Not here: what a record says (`record.rs`) and the repair at the start (`recover.rs`).

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annalist_disk::{Disk, DiskFile};
use uuid::Uuid;

use crate::cdx::{CdxLine, CdxLines};
use crate::digest::DigestKind;
use crate::file_name::{OPEN_SUFFIX, file_name, index_name, serial_of};
use crate::index::write_index;
use crate::open_index::{OpenIndex, open_index_path, remove_if_there};
use crate::pack::{PackError, Packer, Packing, Tail};
use crate::record::{Record, RecordId, RecordType};
use crate::recover::{SealError, seal};

/// Owned by the writer and by `recover`.
#[derive(Clone, Debug)]
pub struct WriterSettings {
    /// Where the WARC files go.
    pub dir: PathBuf,
    /// Where their indexes go.
    pub index_dir: PathBuf,
    pub prefix: String,
    pub host: String,
    /// A file that has grown to this length is closed, and the next one opened.
    pub roll_bytes: u64,
    /// The same when the index lines of a file take this much memory.
    pub index_bytes: usize,
    /// Of gzip: 1 (fast) to 12 (small).
    pub level: u8,
    pub digest: DigestKind,
    /// Fields of the warcinfo record that starts every file.
    pub warcinfo: Vec<(String, String)>,
}

impl WriterSettings {
    pub fn new(dir: &Path, index_dir: &Path, prefix: &str, host: &str) -> WriterSettings {
        WriterSettings {
            dir: dir.to_owned(),
            index_dir: index_dir.to_owned(),
            prefix: prefix.to_owned(),
            host: host.to_owned(),
            roll_bytes: 1_000_000_000,
            index_bytes: 64 << 20,
            level: 6,
            digest: DigestKind::Sha1,
            warcinfo: Vec::new(),
        }
    }

    pub(crate) fn packing(&self) -> Packing {
        Packing { level: self.level, digest: self.digest }
    }

    pub(crate) fn open_path(&self, name: &str) -> PathBuf {
        self.dir.join(format!("{name}{OPEN_SUFFIX}"))
    }
}

/// Where a record lies. `file` is the final name, without `.open`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    pub id: RecordId,
    pub file: String,
    pub offset: u64,
    /// As stored, compressed.
    pub length: u64,
}

/// Up to where an open file is surely on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    pub file: String,
    pub end: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Nothing of the call was kept. Try again when there is room.
    #[error("no room on the disk for {path}")]
    Full { path: PathBuf, source: io::Error },
    /// Records of this file from `kept` on are gone, and so is everything the call should have added. Append them again:
    /// they go to another file.
    #[error("{file} could not be made durable; it ends at byte {kept}")]
    SyncFailed { file: String, kept: u64, source: io::Error },
    /// Nothing of the call was kept.
    #[error("cannot write {path}")]
    Io { path: PathBuf, source: io::Error },
    /// Nothing of the call was kept. Trying again will not help: drop the record.
    #[error("the block in {path} cannot be read")]
    Spool { path: PathBuf, source: io::Error },
}

impl WriteError {
    pub(crate) fn at(path: &Path, source: io::Error) -> WriteError {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => WriteError::Full { path, source },
            _ => WriteError::Io { path, source },
        }
    }

    pub(crate) fn of(fault: PackError, path: &Path) -> WriteError {
        match fault {
            PackError::Disk(source) => WriteError::at(path, source),
            PackError::Spool(path, source) => WriteError::Spool { path, source },
        }
    }

    /// Whether a record that was appended before the error has to be appended again.
    pub fn lost(&self, written: &Written) -> bool {
        matches!(self, WriteError::SyncFailed { file, kept, .. }
            if *file == written.file && written.offset >= *kept)
    }

    pub fn is_full(&self) -> bool {
        matches!(self, WriteError::Full { .. })
    }
}

/// Gives every record of the writer's own its name.
type MakeUuid = Box<dyn FnMut() -> Uuid + Send>;

/// Appends records to WARC files, one gzip member each.
pub struct Writer {
    disk: Arc<dyn Disk>,
    settings: WriterSettings,
    make_uuid: MakeUuid,
    packer: Packer,
    buffer: Vec<u8>,
    current: Option<OpenFile>,
    next_serial: Option<u32>,
    /// Finished after a failed sync, but not yet closed: they keep `.open` and their place in every answer of `sync`.
    left_open: Vec<Position>,
    /// Whether names in the folder changed since it was last synced.
    names_changed: bool,
}

struct OpenFile {
    name: String,
    path: PathBuf,
    file: Box<dyn DiskFile>,
    /// After the last whole append.
    end: u64,
    /// Surely on disk, under a name that surely is.
    synced: u64,
    lines: CdxLines,
    index: OpenIndex,
    /// There may be bytes after `end`: they have to be cut off before the next append.
    torn: bool,
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let current = self.current.as_ref().map(|open| (&open.name, open.end));
        f.debug_struct("Writer")
            .field("dir", &self.settings.dir)
            .field("current", &current)
            .finish_non_exhaustive()
    }
}

impl Writer {
    /// No file is made before the first append.
    pub fn new(
        disk: Arc<dyn Disk>,
        settings: WriterSettings,
        make_uuid: impl FnMut() -> Uuid + Send + 'static,
    ) -> Writer {
        let packer = Packer::new(settings.packing());
        Writer {
            disk,
            settings,
            make_uuid: Box::new(make_uuid),
            packer,
            buffer: Vec::new(),
            current: None,
            next_serial: None,
            left_open: Vec::new(),
            names_changed: false,
        }
    }

    /// For those who pack records before they hand them over.
    pub fn packing(&self) -> Packing {
        self.settings.packing()
    }

    /// Writes records side by side into one file. `at_ms` names and dates a new file, if one is needed.
    pub fn append(&mut self, records: &[Record], at_ms: u64) -> Result<Vec<Written>, WriteError> {
        let full = |open: &OpenFile, settings: &WriterSettings| {
            open.end >= settings.roll_bytes || open.lines.bytes() >= settings.index_bytes
        };
        if self.current.as_ref().is_some_and(|open| full(open, &self.settings)) {
            self.close_current()?;
        }
        if self.current.is_none() {
            self.open_next(at_ms)?;
        }
        let Some(open) = &mut self.current else { return Ok(Vec::new()) };
        open.mend()?;
        open.put(records, &mut self.packer, &mut self.buffer)
    }

    /// Makes everything appended so far durable. Returns where each open file now ends for good.
    pub fn sync(&mut self) -> Result<Vec<Position>, WriteError> {
        self.sync_current()?;
        match &mut self.current {
            Some(open) => open.index.catch_up(self.disk.as_ref(), &open.lines)?,
            None => self.sync_names()?,
        }
        let mut positions = self.left_open.clone();
        positions.extend(self.current.as_ref().map(OpenFile::position));
        Ok(positions)
    }

    /// Ends the current file: durable, indexed, under its final name. The next append opens another one.
    pub fn close(&mut self) -> Result<(), WriteError> {
        self.close_current()?;
        self.close_left_open()?;
        self.sync_names()
    }

    fn open_next(&mut self, at_ms: u64) -> Result<(), WriteError> {
        let WriterSettings { dir, index_dir, prefix, host, .. } = &self.settings;
        if self.next_serial.is_none() {
            for dir in [dir, index_dir] {
                self.disk.create_dir_all(dir).map_err(|e| WriteError::at(dir, e))?;
            }
            let names = self.disk.list(dir).map_err(|e| WriteError::at(dir, e))?;
            let last = names.iter().filter_map(|name| serial_of(name)).max();
            self.next_serial = Some(last.map_or(0, |serial| serial.wrapping_add(1)));
        }
        loop {
            let serial = self.next_serial.unwrap_or_default();
            self.next_serial = Some(serial.wrapping_add(1));
            let name = file_name(prefix, at_ms, serial, host);
            let path = self.settings.open_path(&name);
            let file = match self.disk.create(&path) {
                Ok(file) => file,
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(e) => return Err(WriteError::at(&path, e)),
            };
            self.names_changed = true;
            return self.start_file(name, path, file, at_ms);
        }
    }

    fn start_file(
        &mut self,
        name: String,
        path: PathBuf,
        file: Box<dyn DiskFile>,
        at_ms: u64,
    ) -> Result<(), WriteError> {
        let id = RecordId::new((self.make_uuid)());
        let warcinfo = Record::warcinfo(id, at_ms, &name, &self.settings.warcinfo);
        let index = OpenIndex::new(&self.settings.index_dir, &name);
        let lines = CdxLines::default();
        let mut open = OpenFile { name, path, file, end: 0, synced: 0, lines, index, torn: false };
        if let Err(error) = open.put(&[warcinfo], &mut self.packer, &mut self.buffer) {
            // If it stays, the next start removes it: nothing in it was ever committed.
            let _ = self.disk.remove(&open.path);
            return Err(error);
        }
        self.current = Some(open);
        Ok(())
    }

    fn sync_current(&mut self) -> Result<(), WriteError> {
        let Some(open) = &mut self.current else { return Ok(()) };
        open.mend()?;
        if open.synced == open.end && !self.names_changed {
            return Ok(());
        }
        let mut result = open.file.sync();
        if result.is_ok() && self.names_changed {
            result = self.disk.sync_dir(&self.settings.dir);
        }
        match result {
            Ok(()) => {
                self.names_changed = false;
                open.synced = open.end;
                Ok(())
            }
            Err(source) => Err(self.give_up_current(source)),
        }
    }

    fn sync_names(&mut self) -> Result<(), WriteError> {
        if self.names_changed {
            let dir = &self.settings.dir;
            self.disk.sync_dir(dir).map_err(|e| WriteError::at(dir, e))?;
            self.names_changed = false;
        }
        Ok(())
    }

    /// After a failed sync nobody knows what is on disk beyond the last good one.
    fn give_up_current(&mut self, source: io::Error) -> WriteError {
        let (file, kept) = match self.current.take() {
            Some(open) => (open.name, open.synced),
            None => (String::new(), 0),
        };
        if kept > 0 {
            self.left_open.push(Position { file: file.clone(), end: kept });
            // What cannot be closed now stays open, and is closed at the end or by the next start.
            let _ = self.close_left_open();
        } else if self.disk.remove(&self.settings.open_path(&file)).is_ok() {
            self.names_changed = true;
        }
        WriteError::SyncFailed { file, kept, source }
    }

    fn close_left_open(&mut self) -> Result<(), WriteError> {
        let mut result = Ok(());
        for position in std::mem::take(&mut self.left_open) {
            match seal(self.disk.as_ref(), &self.settings, &position.file, position.end) {
                Ok(()) => self.names_changed = true,
                Err(error) => {
                    result = Err(match error {
                        SealError::Write(error) => error,
                        SealError::Damaged(damaged) => WriteError::at(
                            &self.settings.open_path(&position.file),
                            io::Error::other(damaged.error),
                        ),
                    });
                    self.left_open.push(position);
                }
            }
        }
        result
    }

    /// The index first, then the name: a file under its final name always has one.
    fn close_current(&mut self) -> Result<(), WriteError> {
        self.sync_current()?;
        let Some(open) = &self.current else { return Ok(()) };
        let WriterSettings { dir, index_dir, .. } = &self.settings;
        write_index(self.disk.as_ref(), &index_dir.join(index_name(&open.name)), &open.lines)?;
        let open_index = open_index_path(index_dir, &open.name);
        remove_if_there(self.disk.as_ref(), &open_index).map_err(|e| WriteError::at(&open_index, e))?;
        self.disk.rename(&open.path, &dir.join(&open.name)).map_err(|e| WriteError::at(&open.path, e))?;
        // Before the next record is acknowledged, `sync_current` makes the new name durable too.
        self.names_changed = true;
        self.current = None;
        Ok(())
    }
}

impl OpenFile {
    fn position(&self) -> Position {
        Position { file: self.name.clone(), end: self.synced }
    }

    fn mend(&mut self) -> Result<(), WriteError> {
        if self.torn {
            self.file.truncate(self.end).map_err(|e| WriteError::at(&self.path, e))?;
            self.torn = false;
        }
        Ok(())
    }

    /// All records or none: on an error the file is cut back to where it ended.
    fn put(
        &mut self,
        records: &[Record],
        packer: &mut Packer,
        buffer: &mut Vec<u8>,
    ) -> Result<Vec<Written>, WriteError> {
        let lines_before = self.lines.len();
        let result = self.write_records(records, packer, buffer);
        match result {
            Ok((written, end)) => {
                self.end = end;
                Ok(written)
            }
            Err(error) => {
                self.lines.truncate(lines_before);
                self.torn = true;
                // Tried again before the next append if it fails here.
                let _ = self.mend();
                Err(WriteError::of(error, &self.path))
            }
        }
    }

    fn write_records(
        &mut self,
        records: &[Record],
        packer: &mut Packer,
        buffer: &mut Vec<u8>,
    ) -> Result<(Vec<Written>, u64), PackError> {
        let mut tail = Tail::new(self.file.as_mut(), buffer, self.end);
        let mut all = Vec::with_capacity(records.len());
        for record in records {
            let offset = tail.end();
            let learned = packer.pack(record, &mut tail)?;
            let length = tail.end() - offset;
            let has_payload = record.kind() != RecordType::Revisit;
            let own_digest = has_payload.then(|| learned.payload_digest.to_string());
            let line = CdxLine::describe(record.fields(), learned.head.as_ref(), own_digest.as_deref());
            if let Some(line) = line {
                self.lines.push(&CdxLine { offset, length, filename: self.name.clone(), ..line });
            }
            all.push(Written { id: record.id(), file: self.name.clone(), offset, length });
        }
        Ok((all, tail.finish().map_err(PackError::Disk)?))
    }
}
