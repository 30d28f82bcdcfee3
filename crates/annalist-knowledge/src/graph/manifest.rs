//! The small file that says which runs make up a layer, replaced as a whole, with the mark of who writes it.

use std::io;
use std::path::Path;

use annalist_disk::Disk;
use xxhash_rust::xxh3::xxh3_64;

use super::codec::{Reader, put, put_bytes};
use super::error::GraphError;

pub const NAME: &str = "manifest";
/// How the names of runs end.
pub const ENDING: &str = "run";
const MAGIC: &[u8] = b"ANLAYER";
const VERSION: u8 = 1;
const SUM: usize = 8;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// How far the writer got; what it means is the writer's.
    pub mark: Vec<u8>,
    /// The number of the next run: a name is never used twice.
    pub next: u64,
    pub runs: Vec<u64>,
}

impl Manifest {
    /// `None` where nothing was ever committed.
    pub fn read(disk: &dyn Disk, dir: &Path) -> Result<Option<Manifest>, GraphError> {
        let path = dir.join(NAME);
        let bytes = match disk.read(&path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(GraphError::io(&path))?,
        };
        if bytes.get(..MAGIC.len()) == Some(MAGIC) && bytes.get(MAGIC.len()).is_some_and(|v| *v > VERSION) {
            return Err(GraphError::Newer(path.display().to_string()));
        }
        decode(&bytes).map(Some).ok_or_else(|| GraphError::damaged(&path))
    }

    pub fn write(&self, disk: &dyn Disk, dir: &Path) -> Result<(), GraphError> {
        let mut bytes = MAGIC.to_vec();
        bytes.push(VERSION);
        put_bytes(&mut bytes, &self.mark);
        put(&mut bytes, self.next);
        put(&mut bytes, self.runs.len() as u64);
        self.runs.iter().for_each(|run| put(&mut bytes, *run));
        bytes.extend_from_slice(&xxh3_64(&bytes).to_le_bytes());
        let path = dir.join(NAME);
        disk.replace(&path, &bytes).map_err(GraphError::io(&path))
    }
}

fn decode(bytes: &[u8]) -> Option<Manifest> {
    let (bytes, sum) = bytes.split_at_checked(bytes.len().checked_sub(SUM)?)?;
    if xxh3_64(bytes).to_le_bytes() != sum {
        return None;
    }
    let mut reader = Reader(bytes);
    if reader.take(MAGIC.len())? != MAGIC || reader.byte()? != VERSION {
        return None;
    }
    let mut manifest =
        Manifest { mark: reader.bytes()?.to_vec(), next: reader.number()?, ..Manifest::default() };
    for _ in 0..reader.number()? {
        manifest.runs.push(reader.number()?);
    }
    reader.0.is_empty().then_some(manifest)
}

/// The name of a run's file.
pub fn run_name(number: u64) -> String {
    format!("{number:08}.{ENDING}")
}
