//! What is made of an archive and can be made again: a store that grows with it and knows how far it got.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::document::Document;

/// How far a store has followed the archive. Files are known by their names, without their folder and without `.open`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Of each WARC file, up to which byte: every capture before is in the store.
    pub files: BTreeMap<String, u64>,
    /// Captures behind that byte that are in the store too: one before them waits for what is said about it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub beyond: BTreeMap<String, BTreeSet<u64>>,
}

impl Mark {
    pub fn of(&self, file: &str) -> u64 {
        self.files.get(file).copied().unwrap_or_default()
    }

    /// Whether the capture that stands there is in the store.
    pub fn has(&self, file: &str, offset: u64) -> bool {
        offset < self.of(file) || self.beyond.get(file).is_some_and(|offsets| offsets.contains(&offset))
    }

    /// What either has: a store that was ahead stays there.
    pub fn or(&self, other: &Mark) -> Mark {
        let mut files = self.files.clone();
        for (file, offset) in &other.files {
            let new = files.entry(file.clone()).or_default();
            *new = (*new).max(*offset);
        }
        let mut both = Mark { files, beyond: BTreeMap::new() };
        let all = self.beyond.iter().chain(&other.beyond);
        for (file, offset) in
            all.flat_map(|(file, offsets)| offsets.iter().map(move |offset| (file, *offset)))
        {
            both.note(file, offset);
        }
        both
    }

    /// The capture that stands there is in the store.
    pub fn note(&mut self, file: &str, offset: u64) {
        if offset >= self.of(file) {
            self.beyond.entry(file.to_owned()).or_default().insert(offset);
        }
    }
}

/// A store made of documents.
pub trait Derived {
    /// How far it got, durably.
    fn mark(&self) -> &Mark;
    /// Takes a document, which may wait in memory until the next commit. The same document again changes nothing.
    fn add(&mut self, document: &Document) -> Result<(), DerivedError>;
    /// Makes everything that was added durable together with the mark: after a power cut both are there, or neither.
    fn commit(&mut self, mark: &Mark) -> Result<(), DerivedError>;
}

#[derive(Debug, thiserror::Error)]
pub enum DerivedError {
    #[error("{what}: {source}")]
    Io { what: String, source: std::io::Error },
    #[error("{0}")]
    Damaged(String),
    #[error(transparent)]
    Remote(#[from] crate::remote::Fault),
}
