//! A bucket's texts on disk: files that only grow, in which each text may point back to an earlier one of the same
//! link. What the texts say is in `record.rs`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use annalist_disk::{Disk, DiskFile};

use crate::codec::{Put, Take};
use crate::error::FrontierError;

const MAGIC: &[u8; 4] = b"ANTX";
const VERSION: u32 = 1;
const HEAD: u64 = 8;
/// Positions are a file's number and an offset in it.
const OFFSET_BITS: u32 = 40;
/// Six bytes hold a position, so there are so many files to a bucket.
const MOST_FILES: usize = 256;
const HAS_EARLIER: u32 = 1 << 31;
const BUFFER: usize = 1 << 20;
/// Most texts are shorter, so one read is enough.
const FIRST_READ: u64 = 320;

pub(crate) fn file_name(bucket: usize, number: usize) -> String {
    format!("text-{bucket:02}-{number:03}")
}

/// One text file, for reading.
#[derive(Clone, Debug)]
pub(crate) struct TextFile {
    file: Arc<dyn DiskFile>,
    pub(crate) length: u64,
}

/// The text files of a bucket, for reading.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    pub(crate) files: Vec<TextFile>,
}

impl Texts {
    pub(crate) fn open(
        disk: &dyn Disk,
        dir: &Path,
        bucket: usize,
        lengths: &[u64],
    ) -> Result<Texts, FrontierError> {
        let mut files = Vec::new();
        for (number, length) in lengths.iter().enumerate() {
            let file = reader(disk, dir, bucket, number)?;
            check_head(file.as_ref())?;
            files.push(TextFile { file, length: *length });
        }
        Ok(Texts { files })
    }

    /// The text at a position, and the position of the one before it (0 = none).
    pub(crate) fn read(&self, position: u64) -> Result<(Vec<u8>, u64), FrontierError> {
        let damaged = || FrontierError::damaged("text log", "a position is out of bounds");
        let offset = position & ((1 << OFFSET_BITS) - 1);
        let number = usize::try_from(position >> OFFSET_BITS).map_err(|_| damaged())?;
        let text = self.files.get(number).ok_or_else(damaged)?;
        let left = text.length.checked_sub(offset).ok_or_else(damaged)?;
        let mut bytes = vec![0; left.min(FIRST_READ) as usize];
        text.file.read_at(offset, &mut bytes).map_err(FrontierError::io("read a text"))?;
        let malformed = || FrontierError::malformed("text log");
        let mut take = Take::new(&bytes);
        let head = take.u32().map_err(malformed())?;
        let earlier = if head & HAS_EARLIER == 0 { 0 } else { take.u64().map_err(malformed())? };
        let start = if head & HAS_EARLIER == 0 { 4 } else { 12 };
        let end = start + (head & !HAS_EARLIER) as usize;
        if end as u64 > left {
            return Err(FrontierError::damaged("text log", "a text is longer than its file"));
        }
        let had = bytes.len();
        bytes.resize(end, 0);
        if had < end {
            let more = bytes.get_mut(had..).unwrap_or_default();
            text.file.read_at(offset + had as u64, more).map_err(FrontierError::io("read a text"))?;
        }
        bytes.drain(..start);
        Ok((bytes, earlier))
    }
}

fn check_head(file: &dyn DiskFile) -> Result<(), FrontierError> {
    let mut head = [0; HEAD as usize];
    file.read_at(0, &mut head).map_err(FrontierError::io("read a text log"))?;
    let malformed = || FrontierError::malformed("text log");
    let mut take = Take::new(&head);
    if take.take(MAGIC.len()).map_err(malformed())? != MAGIC {
        return Err(FrontierError::damaged("text log", "it is something else"));
    }
    match take.u32().map_err(malformed())? {
        VERSION => Ok(()),
        found => Err(FrontierError::Version { file: "text log".to_owned(), found, known: VERSION }),
    }
}

fn reader(
    disk: &dyn Disk,
    dir: &Path,
    bucket: usize,
    number: usize,
) -> Result<Arc<dyn DiskFile>, FrontierError> {
    let file =
        disk.open(&dir.join(file_name(bucket, number))).map_err(FrontierError::io("open a text log"))?;
    Ok(Arc::from(file))
}

/// Appends texts to a bucket's newest file. After an error a new file is begun: what a failed sync lost cannot be
/// written again in the same place.
#[derive(Debug)]
pub(crate) struct TextWriter {
    bucket: usize,
    dir: PathBuf,
    texts: Texts,
    file: Option<Box<dyn DiskFile>>,
    /// How much of the newest file is known to be on the disk.
    durable: u64,
    buffer: Vec<u8>,
}

impl TextWriter {
    /// Cuts off what a merge wrote that never came to count.
    pub(crate) fn open(
        disk: &dyn Disk,
        dir: &Path,
        bucket: usize,
        lengths: &[u64],
    ) -> Result<TextWriter, FrontierError> {
        let texts = Texts::open(disk, dir, bucket, lengths)?;
        let mut file = None;
        if let Some(length) = lengths.last() {
            let path = dir.join(file_name(bucket, lengths.len() - 1));
            let mut newest = disk.open(&path).map_err(FrontierError::io("open a text log"))?;
            if newest.length() < *length {
                return Err(FrontierError::damaged("text log", "the file is too short"));
            }
            newest.truncate(*length).map_err(FrontierError::io("cut a text log"))?;
            file = Some(newest);
        }
        let durable = lengths.last().copied().unwrap_or(0);
        Ok(TextWriter { bucket, dir: dir.to_owned(), texts, file, durable, buffer: Vec::new() })
    }

    pub(crate) fn texts(&self) -> &Texts {
        &self.texts
    }

    /// Makes sure there is a file to append to.
    pub(crate) fn begin(&mut self, disk: &dyn Disk) -> Result<(), FrontierError> {
        self.buffer.clear();
        if self.file.is_some() {
            return Ok(());
        }
        let number = self.texts.files.len();
        if number >= MOST_FILES {
            return Err(FrontierError::damaged("text log", "too many files after too many errors"));
        }
        let path = self.dir.join(file_name(self.bucket, number));
        // Left over from a merge that failed before it counted.
        match disk.remove(&path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(FrontierError::io("remove a text log")(e));
            }
            _ => {}
        }
        let mut file = disk.create(&path).map_err(FrontierError::io("create a text log"))?;
        let mut head = MAGIC.to_vec();
        head.put_u32(VERSION);
        file.append(&head).map_err(FrontierError::io("write a text log"))?;
        self.texts.files.push(TextFile { file: reader(disk, &self.dir, self.bucket, number)?, length: HEAD });
        self.file = Some(file);
        self.durable = 0;
        Ok(())
    }

    /// Leaves the newest file as it was when it was last known to be whole.
    fn give_up_file(&mut self) {
        self.file = None;
        if self.durable == 0 {
            self.texts.files.pop();
        } else if let Some(text) = self.texts.files.last_mut() {
            text.length = self.durable;
        }
    }

    /// The position at which the text can be read once `finish` was called.
    pub(crate) fn append(&mut self, earlier: u64, body: &[u8]) -> Result<u64, FrontierError> {
        let length = u32::try_from(body.len()).ok().filter(|l| l & HAS_EARLIER == 0);
        let length = length.ok_or_else(|| FrontierError::damaged("text log", "a text is too long"))?;
        let number = self.texts.files.len().saturating_sub(1) as u64;
        let offset = self.texts.files.last().map_or(0, |t| t.length) + self.buffer.len() as u64;
        if offset >> OFFSET_BITS != 0 {
            return Err(FrontierError::damaged("text log", "the file is too long"));
        }
        if earlier == 0 {
            self.buffer.put_u32(length);
        } else {
            self.buffer.put_u32(length | HAS_EARLIER);
            self.buffer.put_u64(earlier);
        }
        self.buffer.put(body);
        if self.buffer.len() >= BUFFER {
            self.flush()?;
        }
        Ok(number << OFFSET_BITS | offset)
    }

    fn flush(&mut self) -> Result<(), FrontierError> {
        let (Some(file), Some(text)) = (&mut self.file, self.texts.files.last_mut()) else { return Ok(()) };
        if let Err(e) = file.append(&self.buffer) {
            self.give_up_file();
            return Err(FrontierError::io("write a text log")(e));
        }
        text.length += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Everything appended is on the disk after this.
    pub(crate) fn finish(&mut self) -> Result<(), FrontierError> {
        self.flush()?;
        if let Some(file) = &mut self.file
            && let Err(e) = file.sync()
        {
            self.give_up_file();
            return Err(FrontierError::io("sync a text log")(e));
        }
        self.durable = self.texts.files.last().map_or(0, |text| text.length);
        Ok(())
    }
}
