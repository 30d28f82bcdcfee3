//! Which files count, and how much of the journal they include. Replaced as a whole, so that it is always either the
//! old truth or the new.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use annalist_disk::Disk;
use xxhash_rust::xxh3::xxh3_64;

use crate::codec::{Malformed, Put, Take};
use crate::error::FrontierError;
use crate::settings::BUCKETS;

const MAGIC: &[u8; 4] = b"ANMF";
const VERSION: u32 = 1;
pub(crate) const FILE_NAME: &str = "manifest";

/// Small named values of the engine.
pub(crate) type Notes = BTreeMap<String, Vec<u8>>;

/// How the last process that wrote here ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Cleanly,
    /// Or it is still at work.
    Unknown,
}

/// What counts of one bucket.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct BucketFiles {
    /// Number of its run; 0 = none yet.
    pub(crate) run: u64,
    /// How much counts of each of its text files.
    pub(crate) texts: Vec<u64>,
    /// Journal position up to which the run holds everything.
    pub(crate) mark: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub(crate) ended: Ended,
    /// When the frontier was last opened after an end nobody prepared, in milliseconds; 0 = never.
    pub(crate) restarted: u64,
    pub(crate) buckets: Vec<BucketFiles>,
    pub(crate) notes: Notes,
    /// Journal position up to which the notes are in here.
    pub(crate) notes_mark: u64,
    /// First sequence number not used before the oldest mark.
    pub(crate) sequence: u64,
    pub(crate) next_run: u64,
}

impl Default for Manifest {
    fn default() -> Self {
        Manifest {
            ended: Ended::Unknown,
            restarted: 0,
            buckets: vec![BucketFiles::default(); BUCKETS],
            notes: Notes::new(),
            notes_mark: 0,
            sequence: 1,
            next_run: 1,
        }
    }
}

impl Manifest {
    /// `None` where there is no frontier yet.
    pub(crate) fn read(disk: &dyn Disk, dir: &Path) -> Result<Option<Manifest>, FrontierError> {
        let bytes = match disk.read(&dir.join(FILE_NAME)) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(FrontierError::io("read the manifest")(e)),
        };
        let Some((body, checksum)) = bytes.split_last_chunk::<8>() else {
            return Err(FrontierError::damaged(FILE_NAME, "it is too short"));
        };
        if xxh3_64(body).to_le_bytes() != *checksum {
            return Err(FrontierError::damaged(FILE_NAME, "it has the wrong checksum"));
        }
        let malformed = || FrontierError::malformed(FILE_NAME);
        let mut take = Take::new(body);
        if take.take(4).map_err(malformed())? != MAGIC {
            return Err(FrontierError::damaged(FILE_NAME, "it is something else"));
        }
        let found = take.u32().map_err(malformed())?;
        if found != VERSION {
            return Err(FrontierError::Version { file: FILE_NAME.to_owned(), found, known: VERSION });
        }
        Manifest::fields(&mut take).map(Some).map_err(malformed())
    }

    fn fields(take: &mut Take<'_>) -> Result<Manifest, Malformed> {
        let ended = if take.u8()? == 0 { Ended::Cleanly } else { Ended::Unknown };
        let restarted = take.u64()?;
        let (notes_mark, sequence, next_run) = (take.u64()?, take.u64()?, take.u64()?);
        if take.short()? != BUCKETS as u64 {
            return Err(Malformed);
        }
        let mut buckets = Vec::with_capacity(BUCKETS);
        for _ in 0..BUCKETS {
            let (run, mark) = (take.u64()?, take.u64()?);
            let mut texts = Vec::new();
            for _ in 0..take.short()? {
                texts.push(take.u64()?);
            }
            buckets.push(BucketFiles { run, texts, mark });
        }
        let mut notes = Notes::new();
        for _ in 0..take.short()? {
            let name = take.text()?.to_owned();
            notes.insert(name, take.bytes()?.to_owned());
        }
        Ok(Manifest { ended, restarted, buckets, notes, notes_mark, sequence, next_run })
    }

    pub(crate) fn write(&self, disk: &dyn Disk, dir: &Path) -> Result<(), FrontierError> {
        let mut bytes = MAGIC.to_vec();
        bytes.put_u32(VERSION);
        bytes.put_u8(u8::from(self.ended == Ended::Unknown));
        bytes.put_u64(self.restarted);
        bytes.put_u64(self.notes_mark);
        bytes.put_u64(self.sequence);
        bytes.put_u64(self.next_run);
        bytes.put_short(self.buckets.len() as u64);
        for bucket in &self.buckets {
            bytes.put_u64(bucket.run);
            bytes.put_u64(bucket.mark);
            bytes.put_short(bucket.texts.len() as u64);
            for length in &bucket.texts {
                bytes.put_u64(*length);
            }
        }
        bytes.put_short(self.notes.len() as u64);
        for (name, value) in &self.notes {
            bytes.put_text(name);
            bytes.put_bytes(value);
        }
        let checksum = xxh3_64(&bytes);
        bytes.put_u64(checksum);
        disk.replace(&dir.join(FILE_NAME), &bytes).map_err(FrontierError::io("write the manifest"))
    }

    /// Journal position that every part of the store has passed.
    pub(crate) fn oldest_mark(&self) -> u64 {
        self.buckets.iter().map(|bucket| bucket.mark).fold(self.notes_mark, u64::min)
    }
}
