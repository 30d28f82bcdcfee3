//! What was learned of each site, until it has held on several pages. Then it is a description of that site, which extends the
//! one of its application.

use std::collections::HashMap;

use super::{Lesson, site_description, to_xml};
use crate::catalogue::Description;

/// Pages on which a lesson must have held, the first one included.
const HOLDS: u32 = 3;
/// Pages of one level that are tried in vain before nothing more is tried there.
const VAIN: u32 = 6;
/// Lessons of one level that take each other's place before nothing more is learned there.
const FICKLE: u32 = 12;
/// Sites remembered.
const MOST_SITES: usize = 10_000;

/// How a lesson stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It may be an accident of one page.
    Tentative,
    /// It has just held often enough.
    Proven,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Notebook {
    entries: HashMap<Key, Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    host: String,
    application: String,
    level: String,
}

#[derive(Debug, Default)]
struct Entry {
    lesson: Option<Lesson>,
    held: u32,
    in_vain: u32,
    /// Lessons that took the place of others.
    replaced: u32,
    /// Types of objects that the rules have found there.
    working: Vec<String>,
}

impl Notebook {
    /// Whether it is worth trying to learn more on that level of a site.
    pub fn is_hopeful(&self, host: &str, application: &str, level: Option<&str>) -> bool {
        self.entries
            .get(&key(host, application, level))
            .is_none_or(|entry| entry.in_vain < VAIN && entry.replaced < FICKLE)
    }

    /// What was learned there so far.
    pub fn lesson(&self, host: &str, application: &str, level: Option<&str>) -> Option<&Lesson> {
        self.entries.get(&key(host, application, level))?.lesson.as_ref()
    }

    /// A lesson from one page. The same one again proves it; another one takes its place.
    pub fn learn(&mut self, looked_for: Option<&str>, lesson: Lesson) -> Standing {
        if self.entries.len() >= MOST_SITES {
            self.entries.retain(|_, entry| entry.held >= HOLDS);
        }
        let entry = self.entries.entry(key(&lesson.host, &lesson.application, looked_for)).or_default();
        let is_same = entry.lesson.as_ref().is_some_and(|known| same_rules(known, &lesson));
        entry.held = if is_same { entry.held + 1 } else { 1 };
        if !is_same {
            entry.replaced += u32::from(entry.lesson.is_some());
            entry.lesson = Some(lesson);
        }
        if entry.held == HOLDS { Standing::Proven } else { Standing::Tentative }
    }

    /// The rules have found objects of a type: where they find none, there are none.
    pub fn works(&mut self, host: &str, application: &str, level: Option<&str>, kind: &str) {
        let entry = self.entries.entry(key(host, application, level)).or_default();
        if !entry.working.iter().any(|known| known == kind) {
            entry.working.push(kind.to_owned());
        }
    }

    pub fn is_working(&self, host: &str, application: &str, level: Option<&str>, kind: &str) -> bool {
        let entry = self.entries.get(&key(host, application, level));
        entry.is_some_and(|entry| entry.working.iter().any(|known| known == kind))
    }

    /// A page on which nothing could be learned.
    pub fn in_vain(&mut self, host: &str, application: &str, level: Option<&str>) {
        self.entries.entry(key(host, application, level)).or_default().in_vain += 1;
    }

    /// The description of a site by what has proved true there, with its text for a file.
    pub fn site(&self, host: &str, application: &str) -> Option<(Description, String)> {
        let mut proven: Vec<(&Lesson, u32)> = self
            .entries
            .iter()
            .filter(|(key, entry)| key.host == host && key.application == application && entry.held >= HOLDS)
            .filter_map(|(_, entry)| Some((entry.lesson.as_ref()?, entry.held)))
            .collect();
        proven.sort_by(|one, other| one.0.level.cmp(&other.0.level));
        let lessons: Vec<&Lesson> = proven.iter().map(|(lesson, _)| *lesson).collect();
        let description = site_description(&lessons)?;
        let text = to_xml(&description, &lessons);
        Some((description, text))
    }
}

fn key(host: &str, application: &str, level: Option<&str>) -> Key {
    Key {
        host: host.to_owned(),
        application: application.to_owned(),
        level: level.unwrap_or_default().to_owned(),
    }
}

fn same_rules(one: &Lesson, other: &Lesson) -> bool {
    let told = |lesson: &Lesson| -> Vec<(String, String)> {
        lesson.changes.iter().map(|change| (change.what.clone(), change.now.clone())).collect()
    };
    one.level == other.level && told(one) == told(other)
}
