//! Where the index is kept: tantivy's directory, with a commit that is on the disk when it returns.
//!
//! Tantivy syncs each file of a segment when it is whole and the directory before it renames the new `meta.json` into place,
//! so `meta.json` never names what is not there. It does not sync the directory after that: the rename, and with it the
//! commit, may be lost, and then the removal of older segments may come before it. Here the directory is synced after the rename.
//!
//! A folder that may only be read is read without tantivy's lock, which is a file to be written.
//!
//! Where writing fails on a thread of its own, tantivy says that it failed, not why: that is kept here.

use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tantivy::Directory;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, DirectoryLock, FileHandle, Lock, META_LOCK, TerminatingWrite, WatchCallback, WatchHandle,
    WritePtr,
};

#[derive(Clone, Debug)]
pub(super) struct Synced<D> {
    directory: D,
    fault: Fault,
}

/// Why writing failed, the first time.
#[derive(Clone, Debug, Default)]
pub(super) struct Fault(Arc<Mutex<Option<io::Error>>>);

impl Fault {
    fn note<T>(&self, done: io::Result<T>) -> io::Result<T> {
        if let Err(e) = &done
            && e.kind() != io::ErrorKind::Interrupted
        {
            let known = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
            known.get_or_insert_with(|| io::Error::new(e.kind(), e.to_string()));
        }
        done
    }

    pub(super) fn take(&self) -> Option<io::Error> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl<D> Synced<D> {
    pub(super) fn new(directory: D) -> Synced<D> {
        Synced { directory, fault: Fault::default() }
    }

    pub(super) fn fault(&self) -> Fault {
        self.fault.clone()
    }
}

fn is_read_only(e: &io::Error) -> bool {
    matches!(e.kind(), io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied)
}

struct Written {
    file: WritePtr,
    fault: Fault,
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        self.fault.note(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.file.flush();
        self.fault.note(flushed)
    }
}

impl TerminatingWrite for Written {
    fn terminate_ref(&mut self, token: AntiCallToken) -> io::Result<()> {
        let ended = self.file.terminate_ref(token);
        self.fault.note(ended)
    }
}

impl<D: Directory + Clone> Directory for Synced<D> {
    fn atomic_write(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        self.fault.note(self.directory.atomic_write(path, content))?;
        self.fault.note(self.directory.sync_directory())
    }

    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.directory.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.directory.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.directory.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        match self.directory.open_write(path) {
            Ok(file) => {
                let written = Written { file, fault: self.fault.clone() };
                Ok(io::BufWriter::new(Box::new(written)))
            }
            Err(OpenWriteError::IoError { io_error, filepath }) => {
                let _ = self.fault.note::<()>(Err(io::Error::new(io_error.kind(), io_error.to_string())));
                Err(OpenWriteError::IoError { io_error, filepath })
            }
            Err(other) => Err(other),
        }
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.directory.atomic_read(path)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.directory.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        match self.directory.acquire_lock(lock) {
            // Who may only read can neither make the lock's file nor take anything away.
            Err(LockError::IoError(e)) if lock.filepath == META_LOCK.filepath && is_read_only(&e) => {
                Ok(DirectoryLock::from(Box::new(())))
            }
            other => other,
        }
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.directory.watch(callback)
    }
}
