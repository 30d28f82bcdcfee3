//! Reading a table of a spec by the definitions of its keys, and writing it back. Each key is defined once, in
//! `keys/`: its name, what it looks like, what it means, how it is read and how it is written.

use toml::de::DeTable;

use super::notes::{Notes, did_you_mean};
use super::shape::Shape;
use super::value::Value;

/// One key of a table that fills a `T`.
pub(super) struct Key<T: 'static> {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    /// One line for documentation.
    pub(super) meaning: &'static str,
    pub(super) read: fn(&mut T, &Value<'_>),
    pub(super) write: fn(&T) -> Written,
}

/// A key's value in TOML.
pub(super) enum Written {
    Absent,
    /// What stands right of `=`.
    Value(String),
    /// Tables of their own, which must stand after all plain keys.
    Tables(String),
}

/// Stores what was read, if it could be.
pub(super) fn set<T>(place: &mut T, read: Option<T>) {
    if let Some(value) = read {
        *place = value;
    }
}

pub(super) struct Table<'v> {
    entries: &'v DeTable<'v>,
    /// `politeness`; empty for the root.
    path: String,
    line: usize,
    notes: &'v Notes,
}

impl<'v> Table<'v> {
    pub(super) fn new(entries: &'v DeTable<'v>, path: String, line: usize, notes: &'v Notes) -> Table<'v> {
        Table { entries, path, line, notes }
    }

    pub(super) fn line(&self) -> usize {
        self.line
    }

    pub(super) fn notes(&self) -> &'v Notes {
        self.notes
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// Where the key's value stands; the table's own line when it has no such key.
    pub(super) fn line_of(&self, name: &str) -> usize {
        self.entries.get(name).map_or(self.line, |value| self.notes.line_at(value.span().start))
    }

    pub(super) fn key_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    pub(super) fn value(&self, name: &str, shape: Shape) -> Option<Value<'v>> {
        let value = self.entries.get(name)?;
        Some(Value::new(value, self.key_of(name), shape, self.notes))
    }

    /// Every key with its value: for tables whose keys are not ours to define.
    pub(super) fn each(&self, shape: Shape) -> impl Iterator<Item = (&'v str, Value<'v>)> + '_ {
        self.entries.iter().map(move |(name, value)| {
            let name: &str = name.get_ref();
            (name, Value::new(value, self.key_of(name), shape, self.notes))
        })
    }

    /// Reads every key of the table into `into`.
    pub(super) fn read<T>(&self, keys: &[Key<T>], into: &mut T) {
        self.read_beside(keys, &[], into);
    }

    /// The same, where `beside` names entries that somebody else reads.
    pub(super) fn read_beside<T>(&self, keys: &[Key<T>], beside: &[&str], into: &mut T) {
        for (name, value) in self.entries {
            let written: &str = name.get_ref();
            if let Some(key) = keys.iter().find(|key| key.name == written) {
                (key.read)(into, &Value::new(value, self.key_of(written), key.shape, self.notes));
            } else if !beside.contains(&written) {
                let known = keys.iter().map(|key| key.name).chain(beside.iter().copied());
                self.unknown(written, self.notes.line_at(name.span().start), known);
            }
        }
    }

    fn unknown<'k>(&self, written: &str, line: usize, known: impl Iterator<Item = &'k str>) {
        let mut hint = did_you_mean(written, known);
        if hint.is_empty() {
            let elsewhere = super::keys().into_iter().find(|doc| doc.name == written);
            hint = match elsewhere {
                Some(doc) if doc.section.is_empty() => {
                    ", it belongs at the top, before any [table]".to_owned()
                }
                Some(doc) => format!(", it belongs in {}", doc.section),
                None => String::new(),
            };
        }
        self.notes.mistake(line, &self.key_of(written), format!("unknown key{hint}"));
    }
}

/// The table's keys with their values, one a line; what is absent is named in a comment.
pub(super) fn written<T>(keys: &[Key<T>], from: &T) -> String {
    let mut lines = String::new();
    let mut tables = String::new();
    for key in keys {
        match (key.write)(from) {
            Written::Absent => lines.push_str(&format!("# {} is not set\n", key.name)),
            Written::Value(value) => lines.push_str(&format!("{} = {value}\n", key.name)),
            Written::Tables(text) => tables.push_str(&text),
        }
    }
    lines + &tables
}
