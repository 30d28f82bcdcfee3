//! What is made of an archive and can be made again: a store that grows with it and knows how far it got.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::document::Document;

/// How far a store has followed the archive. Files are known by their names, without their folder and without `.open`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Of each WARC file, up to which byte it was read: every capture before is in the store, but for those that wait.
    pub files: BTreeMap<String, u64>,
    /// Captures before that byte that wait for what is said about them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub waiting: BTreeMap<String, BTreeSet<u64>>,
    /// Files that are to be read again from a byte on: they may say something about captures of a file that could not be read
    /// when they were read.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub again: BTreeMap<String, u64>,
    /// Files that are damaged.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub damaged: BTreeMap<String, Damage>,
    /// Some of them were read again: captures that wait may be in the store all the same.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mended: bool,
}

/// What is damaged may be mended: a file is read again when it is not the one any more that was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Damage {
    /// The captures from this byte on count as not read, though many of them are in the store.
    pub from: u64,
    /// How the file looked; empty where it is to be read again in any case.
    pub seen: String,
}

impl Mark {
    pub fn of(&self, file: &str) -> u64 {
        self.files.get(file).copied().unwrap_or_default()
    }

    /// Whether the capture that stands there is in the store, with all that is said about it.
    pub fn has(&self, file: &str, offset: u64) -> bool {
        offset < self.of(file)
            && !self.waiting.get(file).is_some_and(|offsets| offsets.contains(&offset))
            && self.damaged.get(file).is_none_or(|damage| offset < damage.from)
    }

    /// Whether it may be there, and perhaps without something.
    pub fn may_have(&self, file: &str, offset: u64) -> bool {
        self.has(file, offset) || offset < self.of(file) && (self.mended || !self.damaged.is_empty())
    }

    /// The mark of a store that was taken along on a way that led here: where it was ahead, it stays there.
    pub fn after(&self, before: &Mark) -> Mark {
        let mut files = self.files.clone();
        for (file, offset) in &before.files {
            let new = files.entry(file.clone()).or_default();
            *new = (*new).max(*offset);
        }
        let (again, damaged) = (self.again.clone(), self.damaged.clone());
        let mut both = Mark { files, waiting: BTreeMap::new(), again, damaged, mended: self.mended };
        for (file, offset) in self.all_waiting().chain(before.all_waiting()) {
            if !self.has(file, offset) && !before.has(file, offset) {
                both.wait(file, offset);
            }
        }
        both
    }

    /// What every one of several stores has.
    pub fn common(marks: &[Mark]) -> Mark {
        let Some((first, others)) = marks.split_first() else { return Mark::default() };
        let least = |(file, offset): (&String, &u64)| {
            (file.clone(), others.iter().map(|mark| mark.of(file)).fold(*offset, u64::min))
        };
        let mut common = Mark { files: first.files.iter().map(least).collect(), ..Mark::default() };
        for mark in marks {
            common.mended |= mark.mended;
            for (file, offset) in mark.all_waiting() {
                if offset < common.of(file) {
                    common.wait(file, offset);
                }
            }
            for (file, from) in &mark.again {
                let new = common.again.entry(file.clone()).or_insert(*from);
                *new = (*new).min(*from);
            }
            for (file, damage) in &mark.damaged {
                let new = common.damaged.entry(file.clone()).or_insert_with(|| damage.clone());
                new.from = new.from.min(damage.from);
                if new.seen != damage.seen {
                    new.seen.clear();
                }
            }
        }
        common
    }

    pub(crate) fn all_waiting(&self) -> impl Iterator<Item = (&str, u64)> {
        self.waiting
            .iter()
            .flat_map(|(file, offsets)| offsets.iter().map(move |offset| (file.as_str(), *offset)))
    }

    /// The capture that stands there waits for what is said about it.
    pub fn wait(&mut self, file: &str, offset: u64) {
        self.waiting.entry(file.to_owned()).or_default().insert(offset);
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
