//! What is made of an archive and can be made again: a store that grows with it and knows how far it got.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::document::Document;

/// How far a store has followed the archive: of each WARC file, without its folder and without `.open`, up to which byte.
/// Everything before is in the store, nothing behind it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Mark {
    pub files: BTreeMap<String, u64>,
}

impl Mark {
    pub fn of(&self, file: &str) -> u64 {
        self.files.get(file).copied().unwrap_or_default()
    }

    pub fn is_ahead_of(&self, other: &Mark) -> bool {
        self.files.iter().any(|(file, offset)| *offset > other.of(file))
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
}
