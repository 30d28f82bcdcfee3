//! The journal: what was committed, in order, until the runs hold it too. Reading it back is in `replay.rs`.
//!
//! A position is a number of bytes since the journal's beginning, whatever segments were begun and removed since. A
//! segment counts up to where the next one begins: what stands there of a failed write is never read.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use annalist_disk::{Disk, DiskFile};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::change::{Batch, FRAME_HEAD, Transaction};
use crate::codec::{Malformed, Put, Take};
use crate::error::FrontierError;

const MAGIC: &[u8; 4] = b"ANJR";
/// Version 2 can say that a site is open again and a link queued again, version 3 that a site's rest is over sooner; what
/// earlier ones say is the same.
const VERSION: u32 = 3;
/// Magic, version, position of the first frame, checksum.
pub(crate) const SEGMENT_HEAD: usize = 24;
const SEGMENT_BYTES: u64 = 64 << 20;

pub(crate) fn file_name(serial: u64) -> String {
    format!("journal-{serial:010}")
}

pub(crate) fn serial_of(name: &str) -> Option<u64> {
    name.strip_prefix("journal-")?.parse().ok()
}

/// One file of the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) serial: u64,
    /// Position of its first frame.
    pub(crate) start: u64,
}

/// The segments that exist, oldest first. The journal adds, merging removes.
pub(crate) type Segments = Arc<Mutex<Vec<Segment>>>;

/// A transaction that is on the disk: hand it to [`crate::Frontier::apply`].
#[derive(Debug)]
#[must_use = "what was committed has to be applied"]
pub struct Committed {
    pub(crate) batch: Batch,
    /// Position after its frame.
    pub(crate) position: u64,
    /// Sequence number of its first change.
    pub(crate) sequence: u64,
}

impl Committed {
    /// Position of its frame.
    pub(crate) fn start(&self) -> u64 {
        self.position - self.batch.bytes.len() as u64
    }

    /// Bytes of the journal up to and with this transaction.
    pub fn position(&self) -> u64 {
        self.position
    }
}

/// Belongs to the one thread that commits.
#[derive(Debug)]
pub struct Journal {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    segments: Segments,
    /// `None` when the next commit has to begin a new segment.
    file: Option<Box<dyn DiskFile>>,
    next_serial: u64,
    position: u64,
    sequence: u64,
    segment_bytes: u64,
}

impl Journal {
    pub(crate) fn new(
        disk: Arc<dyn Disk>,
        dir: &Path,
        segments: Segments,
        next_serial: u64,
        (position, sequence): (u64, u64),
    ) -> Journal {
        Journal {
            disk,
            dir: dir.to_owned(),
            segments,
            file: None,
            next_serial,
            position,
            sequence,
            segment_bytes: SEGMENT_BYTES,
        }
    }

    /// Encodes, appends and syncs. After an error nothing of it counts, and the same transaction can be tried again.
    pub fn commit(&mut self, transaction: &Transaction) -> Result<Committed, FrontierError> {
        self.commit_batch(Batch::from(transaction))
    }

    /// As `commit`, for changes that were encoded already.
    pub fn commit_batch(&mut self, mut batch: Batch) -> Result<Committed, FrontierError> {
        seal(&mut batch, self.position, self.sequence)?;
        // A failed sync leaves a file that no later sync can mend; one new file gets a second chance.
        let position = match self.append(&batch) {
            Err(Unwritten::Unsynced(_)) => self.append(&batch),
            other => other,
        }
        .map_err(Unwritten::into_error)?;
        let sequence = self.sequence;
        self.position = position;
        self.sequence += u64::from(batch.count);
        Ok(Committed { batch, position, sequence })
    }

    fn append(&mut self, batch: &Batch) -> Result<u64, Unwritten> {
        let mut file = match self.file.take() {
            Some(file) if file.length() < self.segment_bytes => file,
            _ => self.begin_segment()?,
        };
        let before = file.length();
        if let Err(e) = file.append(&batch.bytes) {
            // Cut back, the file is as good as before; if that fails too it is left, and a new one begun.
            if file.truncate(before).is_ok() {
                self.file = Some(file);
            }
            return Err(Unwritten::Other(FrontierError::io("write the journal")(e)));
        }
        if let Err(e) = file.sync() {
            // Should the frame have reached the disk all the same, nobody was told: better it is gone.
            let _ = file.truncate(before);
            return Err(Unwritten::Unsynced(FrontierError::io("sync the journal")(e)));
        }
        self.file = Some(file);
        Ok(self.position + batch.bytes.len() as u64)
    }

    fn begin_segment(&mut self) -> Result<Box<dyn DiskFile>, Unwritten> {
        let serial = self.next_serial;
        self.next_serial += 1;
        let other = |doing| move |e| Unwritten::Other(FrontierError::io(doing)(e));
        let path = self.dir.join(file_name(serial));
        let mut file = self.disk.create(&path).map_err(other("begin a journal segment"))?;
        let made = file
            .append(&segment_head(self.position))
            .and_then(|()| file.sync())
            .and_then(|()| self.disk.sync_dir(&self.dir));
        if let Err(e) = made {
            let _ = self.disk.remove(&path);
            return Err(other("begin a journal segment")(e));
        }
        let mut segments = self.segments.lock().unwrap_or_else(PoisonError::into_inner);
        segments.push(Segment { serial, start: self.position });
        Ok(file)
    }
}

enum Unwritten {
    Unsynced(FrontierError),
    Other(FrontierError),
}

impl Unwritten {
    fn into_error(self) -> FrontierError {
        let (Unwritten::Unsynced(error) | Unwritten::Other(error)) = self;
        error
    }
}

fn segment_head(start: u64) -> Vec<u8> {
    let mut head = MAGIC.to_vec();
    head.put_u32(VERSION);
    head.put_u64(start);
    let checksum = xxh3_64_with_seed(&head, 0);
    head.put_u64(checksum);
    head
}

/// Where a segment's first frame stands; `None` when its head never became durable.
pub(crate) fn read_segment_head(bytes: &[u8]) -> Result<Option<u64>, FrontierError> {
    let read = || {
        let mut take = Take::new(bytes);
        let magic = take.take(4)?;
        let (version, start, checksum) = (take.u32()?, take.u64()?, take.u64()?);
        let whole = xxh3_64_with_seed(bytes.get(..16).unwrap_or_default(), 0) == checksum && magic == MAGIC;
        Ok::<_, Malformed>(whole.then_some((version, start)))
    };
    match read() {
        Ok(Some((1..=VERSION, start))) => Ok(Some(start)),
        Ok(Some((found, _))) => {
            Err(FrontierError::Version { file: "journal".to_owned(), found, known: VERSION })
        }
        Ok(None) | Err(Malformed) => Ok(None),
    }
}

/// Fills in the frame's head. The checksum covers the position too: a frame in the wrong place does not count.
fn seal(batch: &mut Batch, position: u64, sequence: u64) -> Result<(), FrontierError> {
    let Ok(length) = u32::try_from(batch.bytes.len()) else {
        return Err(FrontierError::damaged("journal", "a transaction is too long"));
    };
    let count = batch.count;
    let Some((head, _)) = batch.bytes.split_first_chunk_mut::<FRAME_HEAD>() else {
        return Err(FrontierError::damaged("journal", "a batch has no head"));
    };
    head[0..4].copy_from_slice(&length.to_le_bytes());
    head[4..8].copy_from_slice(&count.to_le_bytes());
    head[16..24].copy_from_slice(&sequence.to_le_bytes());
    let checksum = frame_checksum(&batch.bytes, position);
    if let Some(place) = batch.bytes.get_mut(8..16) {
        place.copy_from_slice(&checksum.to_le_bytes());
    }
    Ok(())
}

/// Of everything after the checksum's own place.
fn frame_checksum(frame: &[u8], position: u64) -> u64 {
    let count = frame.get(4..8).and_then(|b| b.first_chunk::<4>()).map_or(0, |b| u32::from_le_bytes(*b));
    let seed = position.rotate_left(32) ^ u64::from(count);
    xxh3_64_with_seed(frame.get(16..).unwrap_or_default(), seed)
}

/// The frame at the start of `bytes`, if it is whole and belongs to this position.
pub(crate) fn read_frame(bytes: &[u8], position: u64) -> Option<Committed> {
    let mut take = Take::new(bytes);
    let length = take.u32().ok()? as usize;
    let (count, checksum, sequence) = (take.u32().ok()?, take.u64().ok()?, take.u64().ok()?);
    let frame = bytes.get(..length).filter(|frame| frame.len() >= FRAME_HEAD)?;
    if frame_checksum(frame, position) != checksum {
        return None;
    }
    let batch = Batch { bytes: frame.to_vec(), count };
    Some(Committed { batch, position: position + length as u64, sequence })
}
