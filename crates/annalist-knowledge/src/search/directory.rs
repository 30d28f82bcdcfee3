//! Where the index is kept: tantivy's directory, with a commit that is on the disk when it returns.
//!
//! Tantivy syncs each file of a segment when it is whole and the directory before it renames the new `meta.json` into place,
//! so `meta.json` never names what is not there. It does not sync the directory after that: the rename, and with it the
//! commit, may be lost, and then the removal of older segments may come before it. Here the directory is synced after the rename.

use std::io;
use std::path::Path;
use std::sync::Arc;

use tantivy::Directory;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{DirectoryLock, FileHandle, Lock, WatchCallback, WatchHandle, WritePtr};

#[derive(Clone, Debug)]
pub(super) struct Synced<D>(pub D);

impl<D: Directory + Clone> Directory for Synced<D> {
    fn atomic_write(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        self.0.atomic_write(path, content)?;
        self.0.sync_directory()
    }

    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.0.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.0.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.0.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.0.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.0.atomic_read(path)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.0.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.0.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.0.watch(callback)
    }
}
