//! The one small layer through which WARC files and the frontier write, so that what it promises can be tested.
//!
//! - [`RealDisk`] is the machine's own file system.
//! - [`SimDisk`] lives in memory and forgets, at a power cut, whatever was not synced; it can run full and its
//!   fsync can fail.
//!
//! Files only grow at their end, are cut back, renamed and removed: nothing stored here is changed in place.
//!
//! Not here: what the files hold. Reading archives that were made elsewhere needs none of this.

use std::fmt::Debug;
use std::io;
use std::path::Path;

mod real;
mod sim;

pub use real::RealDisk;
pub use sim::{Dice, Fault, SimDisk};

/// A file system, real or simulated.
pub trait Disk: Send + Sync + Debug {
    /// A new, empty file; an error if there is one of that name.
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// An existing file, for reading and growing.
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
    /// Replaces what `to` was. Durable after `sync_dir`.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Names of the files in a folder, sorted. An absent folder is empty.
    fn list(&self, dir: &Path) -> io::Result<Vec<String>>;
    fn create_dir_all(&self, dir: &Path) -> io::Result<()>;
    /// Makes creations, renames and removals in a folder durable.
    fn sync_dir(&self, dir: &Path) -> io::Result<()>;
    /// Room left for this user.
    fn free_bytes(&self, dir: &Path) -> io::Result<u64>;

    /// The whole file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let file = self.open(path)?;
        let length = usize::try_from(file.length()).map_err(io::Error::other)?;
        let mut bytes = vec![0; length];
        file.read_at(0, &mut bytes)?;
        Ok(bytes)
    }

    /// Writes a small file so that, whatever happens, it holds either the old or the new bytes.
    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let fresh = path.with_extension("new");
        // Left over when an earlier attempt was interrupted.
        match self.remove(&fresh) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        let mut file = self.create(&fresh)?;
        file.append(bytes)?;
        file.sync()?;
        self.rename(&fresh, path)?;
        match path.parent() {
            Some(dir) => self.sync_dir(dir),
            None => Ok(()),
        }
    }
}

/// An open file that grows at its end.
pub trait DiskFile: Send + Sync + Debug {
    /// After an error the end is unknown: `truncate` to a known length before the next append.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Fills the whole buffer or fails with `UnexpectedEof`.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
    fn length(&self) -> u64;
    fn truncate(&mut self, length: u64) -> io::Result<()>;
    /// fdatasync. After an error the unsynced bytes may be lost for good, even if a later sync succeeds.
    fn sync(&mut self) -> io::Result<()>;
}
