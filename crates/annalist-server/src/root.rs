//! The folder that a service has for itself. Two services on one would undo each other's intentions: what one starts, the
//! other finds in use.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

/// No crawl can be called that.
const LOCK: &str = ".service";

/// Held while a service works on a root. The system drops it with the process, however that ends.
#[derive(Debug)]
pub struct RootLock {
    _file: File,
}

impl RootLock {
    /// Makes the root where there is none; `Err(holder)` where another process has it.
    pub fn take(root: &Path) -> io::Result<Result<RootLock, Option<u32>>> {
        std::fs::create_dir_all(root)?;
        let path = root.join(LOCK);
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            let mut text = String::new();
            let read = file.read_to_string(&mut text);
            return Ok(Err(read.ok().and_then(|_| text.trim().parse().ok())));
        }
        // On a full disk nobody is told who has it, which harms nobody.
        let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(Ok(RootLock { _file: file }))
    }
}

#[cfg(test)]
mod tests {
    use super::RootLock;

    #[test]
    fn a_root_is_served_once() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        let lock = RootLock::take(&root).unwrap().unwrap();
        assert_eq!(RootLock::take(&root).unwrap().unwrap_err(), Some(std::process::id()));
        drop(lock);
        assert!(RootLock::take(&root).unwrap().is_ok());
    }
}
