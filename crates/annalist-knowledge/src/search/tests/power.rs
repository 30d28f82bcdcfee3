//! A power cut at any moment leaves the mark and the documents of one commit, whole.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    AntiCallToken, DirectoryLock, FileHandle, Lock, OwnedBytes, RamDirectory, TerminatingWrite,
    WatchCallback, WatchHandle, WritePtr,
};
use tantivy::{Directory, Index};

use super::super::directory::Synced;
use super::super::fields::tokenizers;
use super::super::write::mark_of;
use super::super::{Search, SearchSettings};
use super::{mark, page};
use crate::derived::{Derived, DerivedError};

type Files = BTreeMap<PathBuf, Arc<Vec<u8>>>;

/// A disk that remembers what a cut would have left after each step: names as of the last sync of the directory, and of the changes
/// since then any one.
#[derive(Clone, Debug, Default)]
struct Disk(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    files: Files,
    durable: Files,
    /// Since the directory was synced; nothing stands for a removal.
    changes: Vec<(PathBuf, Option<Arc<Vec<u8>>>)>,
    cuts: Vec<Files>,
    is_full: bool,
    is_read_only: bool,
}

fn apply(files: &mut Files, (path, content): &(PathBuf, Option<Arc<Vec<u8>>>)) {
    match content {
        Some(content) => files.insert(path.clone(), Arc::clone(content)),
        None => files.remove(path),
    };
}

impl State {
    fn change(&mut self, path: &Path, content: Option<Arc<Vec<u8>>>) {
        let change = (path.to_owned(), content);
        apply(&mut self.files, &change);
        self.changes.push(change);
        self.cuts.push(self.durable.clone());
        for change in &self.changes {
            let mut cut = self.durable.clone();
            apply(&mut cut, change);
            self.cuts.push(cut);
        }
    }
}

struct Written {
    path: PathBuf,
    bytes: Vec<u8>,
    disk: Disk,
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.disk.0.lock().unwrap().is_full {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The file is synced here; before, it is there and empty.
impl TerminatingWrite for Written {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        let content = Arc::new(std::mem::take(&mut self.bytes));
        self.disk.0.lock().unwrap().change(&self.path, Some(content));
        Ok(())
    }
}

impl Directory for Disk {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        Ok(Arc::new(OwnedBytes::new(self.atomic_read(path)?)))
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        let mut state = self.0.lock().unwrap();
        if !state.files.contains_key(path) {
            return Err(DeleteError::FileDoesNotExist(path.to_owned()));
        }
        state.change(path, None);
        Ok(())
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        Ok(self.0.lock().unwrap().files.contains_key(path))
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.0.lock().unwrap().change(path, Some(Arc::default()));
        let written = Written { path: path.to_owned(), bytes: Vec::new(), disk: self.clone() };
        Ok(io::BufWriter::new(Box::new(written)))
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        let state = self.0.lock().unwrap();
        let content =
            state.files.get(path).ok_or_else(|| OpenReadError::FileDoesNotExist(path.to_owned()))?;
        Ok(content.to_vec())
    }

    fn atomic_write(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        self.0.lock().unwrap().change(path, Some(Arc::new(content.to_vec())));
        Ok(())
    }

    fn sync_directory(&self) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        for change in std::mem::take(&mut state.changes) {
            apply(&mut state.durable, &change);
        }
        let durable = state.durable.clone();
        state.cuts.push(durable);
        Ok(())
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        if self.0.lock().unwrap().is_read_only {
            return Err(LockError::wrap_io_error(io::ErrorKind::ReadOnlyFilesystem.into()));
        }
        RamDirectory::create().acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        RamDirectory::create().watch(callback)
    }
}

/// What is found after a cut: the offset of the mark, and how many documents there are.
fn after_cut(files: &Files) -> Option<(u64, u64)> {
    let disk = Disk::default();
    disk.0.lock().unwrap().files = files.clone();
    if !disk.exists(Path::new("meta.json")).unwrap() {
        return None;
    }
    let mut index = Index::open(disk).unwrap();
    index.set_tokenizers(tokenizers());
    let mark = mark_of(&index).unwrap();
    Some((mark.of("a.warc.gz"), index.reader().unwrap().searcher().num_docs()))
}

#[test]
fn after_a_power_cut_the_mark_and_the_documents_agree() {
    let disk = Disk::default();
    let settings = SearchSettings { memory: 20 << 20, threads: 1 };
    let mut search = Search::open_in(Synced::new(disk.clone()), settings).unwrap();
    let mut acknowledged = Vec::new();
    for number in 1..=12 {
        search.add(&page(number, &format!("http://a.test/{number}"), "en", "the euro crisis")).unwrap();
        if number % 3 == 0 {
            // Again: then there are documents and files to be removed.
            search.add(&page(1, "http://a.test/1", "en", "the euro crisis, again")).unwrap();
        }
        search.commit(&mark(number * 1000 + 1)).unwrap();
        acknowledged.push((disk.0.lock().unwrap().cuts.len(), number));
    }
    search.finish().unwrap();
    let cuts = std::mem::take(&mut disk.0.lock().unwrap().cuts);
    let mut last = 0;
    for (step, cut) in cuts.iter().enumerate() {
        let known = acknowledged.iter().rfind(|(cuts, _)| *cuts <= step).map_or(0, |(_, number)| *number);
        let Some((offset, documents)) = after_cut(cut) else {
            assert_eq!(known, 0, "the index is gone");
            continue;
        };
        assert_eq!(offset / 1000, documents, "the mark and the documents, step {step}");
        assert!(documents >= known, "{known} were acknowledged, {documents} are there, step {step}");
        last = documents;
    }
    assert_eq!(last, 12);
}

#[test]
fn a_full_disk_is_told_as_such() {
    let disk = Disk::default();
    let settings = SearchSettings { memory: 20 << 20, threads: 1 };
    let mut search = Search::open_in(Synced::new(disk.clone()), settings).unwrap();
    search.add(&page(1, "http://a.test/1", "en", "first")).unwrap();
    search.commit(&mark(1001)).unwrap();
    disk.0.lock().unwrap().is_full = true;
    let fault = search
        .add(&page(2, "http://a.test/2", "en", "second"))
        .and_then(|()| search.commit(&mark(2001)))
        .unwrap_err();
    let DerivedError::Io { source, .. } = &fault else { panic!("{fault}") };
    assert_eq!(source.kind(), io::ErrorKind::StorageFull, "{fault}");
    drop(search);
    disk.0.lock().unwrap().is_full = false;
    let files = disk.0.lock().unwrap().files.clone();
    assert_eq!(after_cut(&files), Some((1001, 1)));
}

#[test]
fn a_disk_that_may_only_be_read_is_asked_and_not_written() {
    let disk = Disk::default();
    let settings = SearchSettings { memory: 20 << 20, threads: 1 };
    let mut search = Search::open_in(Synced::new(disk.clone()), settings).unwrap();
    search.add(&page(1, "http://a.test/1", "en", "first")).unwrap();
    search.commit(&mark(1001)).unwrap();
    drop(search);
    disk.0.lock().unwrap().is_read_only = true;
    let index = Index::open(Synced::new(disk.clone())).unwrap();
    assert_eq!(index.reader().unwrap().searcher().num_docs(), 1);
    assert!(Search::open_in(Synced::new(disk), settings).is_err());
}
