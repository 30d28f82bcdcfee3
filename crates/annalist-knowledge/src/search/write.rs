//! The index, growing with the archive. How it is asked is in `ask.rs`.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tantivy::directory::MmapDirectory;
use tantivy::query::TermQuery;
use tantivy::schema::{IndexRecordOption, Value};
use tantivy::{Directory, Index, IndexWriter, ReloadPolicy, TantivyDocument, Term};

use super::damage::caught;
use super::directory::{Fault, Synced};
use super::entry::{Annotations, Entry};
use super::fields::{Fields, VERSION, number_of, tokenizers};
use super::merging::Merging;
use crate::derived::{Derived, DerivedError, Mark};
use crate::document::Document;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchSettings {
    /// Bytes that words and texts may take until they are written.
    pub memory: usize,
    /// Threads that make the index, besides the one that adds documents.
    pub threads: usize,
}

impl Default for SearchSettings {
    fn default() -> SearchSettings {
        SearchSettings { memory: 128 << 20, threads: 1 }
    }
}

/// Tantivy takes no less for a thread.
const LEAST_MEMORY: usize = 16 << 20;
const MOST_THREADS: usize = 8;
/// Of the memory, how much may be texts that wait for a thread.
const WAITING_SHARE: usize = 4;
/// Threads that are gone take nothing any more; adding then says so.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// The words of the archive's pages and objects.
pub struct Search {
    index: Index,
    writer: IndexWriter<Waiting>,
    fields: Fields,
    mark: Mark,
    /// Captures added since the last commit: several may stand in one place, packed together.
    added: HashSet<(String, u64, String)>,
    /// Whether the files were found to be as they were written.
    is_whole: bool,
    fault: Fault,
    queue: Arc<Queue>,
}

/// What a commit says of itself.
#[derive(Serialize, Deserialize)]
struct Payload {
    version: u32,
    mark: Mark,
}

impl Search {
    /// Opens the index of a folder, or begins one. One that is damaged or of another version is begun anew: its mark says so.
    pub fn open(folder: &Path, settings: SearchSettings) -> Result<Search, DerivedError> {
        let io = |source| DerivedError::Io { what: folder.display().to_string(), source };
        std::fs::create_dir_all(folder).map_err(io)?;
        if let Some(parent) = folder.parent() {
            std::fs::File::open(parent).and_then(|parent| parent.sync_all()).map_err(io)?;
        }
        let directory = |folder: &Path| match MmapDirectory::open(folder) {
            Ok(directory) => Ok(Synced::new(directory)),
            Err(e) => Err(io(std::io::Error::other(e))),
        };
        match Search::open_in(directory(folder)?, settings) {
            Err(DerivedError::Damaged(what)) => {
                tracing::warn!(what, folder = %folder.display(), "the search index is begun anew");
                empty(folder).map_err(io)?;
                Search::open_in(directory(folder)?, settings)
            }
            other => other,
        }
    }

    pub(super) fn open_in<D: Directory + Clone>(
        directory: Synced<D>,
        settings: SearchSettings,
    ) -> Result<Search, DerivedError> {
        let (fields, schema) = Fields::new();
        let fault = directory.fault();
        let directory: Box<dyn Directory> = Box::new(directory);
        let index = Index::builder()
            .schema(schema)
            .tokenizers(tokenizers())
            .open_or_create(directory)
            .map_err(unopened)?;
        let mark = mark_of(&index)?;
        let threads = settings.threads.clamp(1, MOST_THREADS);
        let waiting = settings.memory / WAITING_SHARE;
        let memory = (settings.memory - waiting).max(threads * LEAST_MEMORY);
        let writer =
            index.writer_with_num_threads(threads, memory).map_err(|e| failed("the search index", e))?;
        writer.set_merge_policy(Box::new(Merging));
        let queue = Arc::new(Queue { most: waiting.max(1 << 20), ..Queue::default() });
        Ok(Search { index, writer, fields, mark, added: HashSet::new(), is_whole: false, fault, queue })
    }

    /// What takes documents out reads the whole index, on threads where a panic ends the program.
    fn ensure_whole(&mut self) -> Result<(), DerivedError> {
        if self.is_whole {
            return Ok(());
        }
        let told = |why: String| {
            let told = format!("the search index is damaged ({why}): `annalist rebuild` makes it again");
            DerivedError::Damaged(told)
        };
        let checked = caught(|| self.index.validate_checksum()).map_err(told)?;
        let bad = checked.map_err(|e| told(e.to_string()))?;
        if let Some(file) = bad.iter().min() {
            return Err(told(file.display().to_string()));
        }
        self.is_whole = true;
        Ok(())
    }

    fn put(&mut self, entry: Entry) -> Result<(), DerivedError> {
        let document = entry.into_document(&self.fields).map_err(|e| DerivedError::Damaged(e.to_string()))?;
        let document = self.queue.wait_with(document);
        let fault = &self.fault;
        let added = self.writer.add_document(document);
        added.map(drop).map_err(|e| unwritten("adding to the search index", fault, e))
    }

    fn commit_with(&mut self, mark: &Mark) -> Result<(), DerivedError> {
        let why = self.fault.clone();
        let fault = |e| unwritten("committing the search index", &why, e);
        let payload = Payload { version: VERSION, mark: mark.clone() };
        let payload = serde_json::to_string(&payload).map_err(|e| DerivedError::Damaged(e.to_string()))?;
        let mut prepared = self.writer.prepare_commit().map_err(fault)?;
        prepared.set_payload(&payload);
        prepared.commit().map_err(fault)?;
        self.mark = mark.clone();
        self.added.clear();
        Ok(())
    }

    /// Gives writings, by their keys, what a study found out about them, in one commit; all captures of each. The others
    /// keep what they have. Nothing may wait for a commit.
    pub fn annotate(
        &mut self,
        annotations: impl Iterator<Item = (String, Annotations)>,
    ) -> Result<u64, DerivedError> {
        if !self.added.is_empty() {
            return Err(DerivedError::Damaged("commit what was added before annotating".to_owned()));
        }
        self.ensure_whole()?;
        let why = self.fault.clone();
        let fault = |e| unwritten("annotating the search index", &why, e);
        let reader =
            self.index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into().map_err(fault)?;
        let searcher = tantivy::IndexReader::searcher(&reader);
        let mut changed = 0;
        for (key, found) in annotations {
            let term = Term::from_field_u64(self.fields.key_id, number_of(&key));
            let query = TermQuery::new(term.clone(), IndexRecordOption::Basic);
            let mut entries = Vec::new();
            for address in searcher.search(&query, &tantivy::collector::DocSetCollector).map_err(fault)? {
                let document: TantivyDocument = searcher.doc(address).map_err(fault)?;
                entries.extend(Entry::from_document(&document, &self.fields));
            }
            if entries.iter().all(|entry| entry.key != key || entry.annotations == found) {
                continue;
            }
            self.writer.delete_term(term);
            for entry in entries {
                // Another with the same number keeps what it has.
                let is_meant = entry.key == key;
                let annotations = if is_meant { found.clone() } else { entry.annotations.clone() };
                self.put(Entry { annotations, ..entry })?;
                changed += u64::from(is_meant);
            }
        }
        let mark = self.mark.clone();
        self.commit_with(&mark)?;
        Ok(changed)
    }

    /// Waits until the index is in as few pieces as it will be.
    pub fn finish(self) -> Result<(), DerivedError> {
        let fault = self.fault;
        self.writer.wait_merging_threads().map_err(|e| unwritten("the search index", &fault, e))
    }
}

impl Derived for Search {
    fn mark(&self) -> &Mark {
        &self.mark
    }

    fn add(&mut self, document: &Document) -> Result<(), DerivedError> {
        let is_known = self.mark.may_have(&document.file, document.offset);
        let place = (document.file.clone(), document.offset, document.record.clone());
        if !self.added.insert(place) || is_known {
            self.ensure_whole()?;
            let record = number_of(&document.record);
            self.writer.delete_term(Term::from_field_u64(self.fields.record_id, record));
        }
        Entry::all_of(document).into_iter().try_for_each(|entry| self.put(entry))
    }

    fn commit(&mut self, mark: &Mark) -> Result<(), DerivedError> {
        if self.added.is_empty() && *mark == self.mark {
            return Ok(());
        }
        self.commit_with(mark)
    }
}

impl std::fmt::Debug for Search {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Search").field("mark", &self.mark).finish_non_exhaustive()
    }
}

pub(super) fn mark_of(index: &Index) -> Result<Mark, DerivedError> {
    let Some(payload) = index.load_metas().map_err(damaged)?.payload else { return Ok(Mark::default()) };
    match serde_json::from_str(&payload) {
        Ok(Payload { version: VERSION, mark }) => Ok(mark),
        Ok(other) => Err(DerivedError::Damaged(format!("the search index is of version {}", other.version))),
        Err(e) => Err(damaged(e)),
    }
}

/// Takes away what an index is made of; what is not tantivy's stays.
fn empty(folder: &Path) -> std::io::Result<()> {
    for file in std::fs::read_dir(folder)? {
        let path = file?.path();
        if path.is_file() {
            std::fs::remove_file(path)?;
        }
    }
    Ok(())
}

fn damaged(e: impl std::fmt::Display) -> DerivedError {
    DerivedError::Damaged(format!("the search index cannot be read: {e}"))
}

/// A disk that fails says nothing of the index.
fn unopened(e: tantivy::TantivyError) -> DerivedError {
    use tantivy::TantivyError as Fault;
    match e {
        Fault::IoError(_) | Fault::OpenDirectoryError(_) | Fault::LockFailure(..) => {
            failed("the search index", e)
        }
        other => damaged(other),
    }
}

/// With the reason, where writing had one.
fn unwritten(what: &str, fault: &Fault, e: tantivy::TantivyError) -> DerivedError {
    match fault.take() {
        Some(source) => DerivedError::Io { what: what.to_owned(), source },
        None => failed(what, e),
    }
}

fn failed(what: &str, e: tantivy::TantivyError) -> DerivedError {
    // A full disk is still told as one.
    let kind = match &e {
        tantivy::TantivyError::IoError(source) => source.kind(),
        _ => std::io::ErrorKind::Other,
    };
    DerivedError::Io { what: what.to_owned(), source: std::io::Error::new(kind, e) }
}

/// How much text waits for a thread: tantivy itself counts documents, however long.
#[derive(Debug, Default)]
struct Queue {
    most: usize,
    bytes: Mutex<usize>,
    fewer: Condvar,
}

impl Queue {
    fn wait_with(self: &Arc<Queue>, document: TantivyDocument) -> Waiting {
        let bytes = document.field_values().map(|(_, value)| value.as_str().map_or(16, str::len)).sum();
        let waiting = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        // One that is larger than all may wait alone.
        let (mut waiting, _) = self
            .fewer
            .wait_timeout_while(waiting, LONGEST_WAIT, |waiting| *waiting > 0 && *waiting + bytes > self.most)
            .unwrap_or_else(PoisonError::into_inner);
        *waiting += bytes;
        Waiting { document, bytes, queue: Arc::clone(self) }
    }
}

/// A document until it is indexed.
#[derive(Debug)]
struct Waiting {
    document: TantivyDocument,
    bytes: usize,
    queue: Arc<Queue>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        *self.queue.bytes.lock().unwrap_or_else(PoisonError::into_inner) -= self.bytes;
        self.queue.fewer.notify_one();
    }
}

impl tantivy::schema::Document for Waiting {
    type Value<'a> = <TantivyDocument as tantivy::schema::Document>::Value<'a>;
    type FieldsValuesIter<'a> = <TantivyDocument as tantivy::schema::Document>::FieldsValuesIter<'a>;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        self.document.iter_fields_and_values()
    }
}
