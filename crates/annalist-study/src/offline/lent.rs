//! Stems that are learned once and lent to whoever goes over a block of writings; what of a writing is gone over.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use annalist_judge::text::{Language, Stems};
use annalist_model::link::shortened;

use super::Writing;

/// What stands behind says the same again.
const LONGEST_TEXT: usize = 100_000;

/// Sets of stems that nobody uses at the moment.
#[derive(Debug, Default)]
pub(crate) struct Lent {
    idle: Mutex<Vec<StemSet>>,
}

impl Lent {
    pub(crate) fn take(&self) -> StemSet {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    pub(crate) fn give_back(&self, set: StemSet) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(set);
    }
}

/// The stems of all languages met so far.
#[derive(Debug, Default)]
pub(crate) struct StemSet(HashMap<String, Stems>);

impl StemSet {
    pub(crate) fn of(&mut self, code: &str) -> &mut Stems {
        if !self.0.contains_key(code) {
            self.0.insert(code.to_owned(), Stems::new(Language::of(code)));
        }
        self.0.entry(code.to_owned()).or_insert_with(|| Stems::new(Language::of(code)))
    }
}

impl Writing {
    /// The code of its language, empty where it could not be told.
    pub(crate) fn code(&self) -> &str {
        self.language.as_deref().unwrap_or_default()
    }

    /// The text without what its links repeat: that is the word of the pages they lead to.
    pub(crate) fn own_text(&self) -> String {
        let mut text = shortened(&self.text, LONGEST_TEXT).to_owned();
        for anchor in &self.anchors {
            if let Some(at) = text.find(anchor.as_str()) {
                text.replace_range(at..at + anchor.len(), " ");
            }
        }
        text
    }

    /// Title and text, as far as they are gone over.
    pub(crate) fn matter(&self) -> String {
        let text = shortened(&self.text, LONGEST_TEXT);
        match self.title.as_deref().map(str::trim) {
            Some(title) if !title.is_empty() && !text.trim_start().starts_with(title) => {
                format!("{}\n{text}", shortened(title, LONGEST_TEXT))
            }
            _ => text.to_owned(),
        }
    }
}
