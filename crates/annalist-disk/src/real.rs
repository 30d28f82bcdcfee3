//! The machine's own file system.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::{Disk, DiskFile};

#[derive(Clone, Copy, Debug, Default)]
pub struct RealDisk;

#[derive(Debug)]
struct RealFile {
    file: File,
    length: u64,
}

impl Disk for RealDisk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        Ok(Box::new(RealFile { file, length: 0 }))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let file = match OpenOptions::new().read(true).write(true).open(path) {
            // Who may only read can still read.
            Err(e)
                if matches!(
                    e.kind(),
                    io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
                ) =>
            {
                std::fs::File::open(path)?
            }
            opened => opened?,
        };
        let length = file.metadata()?.len();
        Ok(Box::new(RealFile { file, length }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        let entries = match std::fs::read_dir(dir) {
            Ok(entries) => entries,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(e),
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry?;
            if entry.file_type()?.is_file()
                && let Ok(name) = entry.file_name().into_string()
            {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    fn create_dir_all(&self, dir: &Path) -> io::Result<()> {
        std::fs::create_dir_all(dir)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        File::open(dir)?.sync_all()
    }

    fn free_bytes(&self, dir: &Path) -> io::Result<u64> {
        let stat = rustix::fs::statvfs(dir)?;
        Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
    }
}

impl DiskFile for RealFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all_at(bytes, self.length)?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(buffer, offset)
    }

    fn length(&self) -> u64 {
        self.length
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)?;
        self.length = length;
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }
}

#[cfg(test)]
mod tests {
    use super::RealDisk;
    use crate::Disk;

    #[test]
    fn what_was_appended_is_read_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        let mut file = RealDisk.create(&path).unwrap();
        file.append(b"hello ").unwrap();
        file.append(b"world").unwrap();
        file.truncate(8).unwrap();
        file.append(b"!").unwrap();
        file.sync().unwrap();
        assert_eq!(RealDisk.read(&path).unwrap(), b"hello wo!");
        assert!(RealDisk.create(&path).is_err());
        assert_eq!(RealDisk.list(dir.path()).unwrap(), ["a"]);
        assert!(RealDisk.free_bytes(dir.path()).unwrap() > 0);
    }

    #[test]
    fn a_replaced_file_holds_the_new_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("manifest");
        RealDisk.replace(&path, b"one").unwrap();
        RealDisk.replace(&path, b"two").unwrap();
        assert_eq!(RealDisk.read(&path).unwrap(), b"two");
        assert_eq!(RealDisk.list(dir.path()).unwrap(), ["manifest"]);
    }
}
