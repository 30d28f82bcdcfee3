//! What was lifted out of pages the last time: a few pages of each level of each host, so that a changed template is noticed
//! and learned when they are visited again. The archive has all of it; this is only what adaptation needs at hand.

use std::collections::{HashMap, VecDeque};
use std::path::Path;

use annalist_model::Object;
use serde::{Deserialize, Serialize};

/// Pages of one level of a host.
const OF_PLACE: usize = 12;
/// Pages in all.
const MOST_PAGES: usize = 3_000;
/// Objects of one page, and their words.
const MOST_OBJECTS: usize = 30;
const LONGEST_BODY: usize = 10_000;

/// See the module.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    pages: HashMap<String, Vec<Object>>,
    /// The addresses of each level of a host, the oldest first.
    places: HashMap<String, VecDeque<String>>,
    /// Whether it has changed since it was written down.
    #[serde(skip)]
    pub(crate) is_new: bool,
}

impl Memory {
    pub fn of(&self, url: &str) -> Option<Vec<Object>> {
        self.pages.get(url).cloned()
    }

    /// `place`: a level of a host.
    pub fn keep(&mut self, place: &str, url: &str, objects: &[Object]) {
        let objects: Vec<Object> = objects
            .iter()
            .filter(|object| object.body.len() <= LONGEST_BODY)
            .take(MOST_OBJECTS)
            .cloned()
            .collect();
        let is_known = self.pages.contains_key(url);
        if objects.is_empty() || (!is_known && self.pages.len() >= MOST_PAGES) {
            return;
        }
        if !is_known {
            let members = self.places.entry(place.to_owned()).or_default();
            if members.len() >= OF_PLACE {
                // The first pages are the seeds and what they show: those come again.
                return;
            }
            members.push_back(url.to_owned());
        }
        self.is_new |= self.pages.get(url) != Some(&objects);
        self.pages.insert(url.to_owned(), objects);
    }

    /// Nothing, where there is nothing to be read.
    pub fn load(path: &Path) -> Memory {
        let bytes = std::fs::read(path).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// As it is written down, if it has changed since it was the last time.
    pub fn news(&mut self) -> Option<Vec<u8>> {
        std::mem::take(&mut self.is_new).then(|| serde_json::to_vec(self).ok()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use annalist_model::Object;

    use super::{Memory, OF_PLACE};

    fn object(body: &str) -> Vec<Object> {
        vec![Object { kind: "post".to_owned(), body: body.to_owned(), ..Object::default() }]
    }

    #[test]
    fn a_few_pages_of_each_level_are_remembered_and_their_last_state_is_kept() {
        let mut memory = Memory::default();
        for number in 0..100 {
            memory.keep("a.test post", &format!("http://a.test/{number}"), &object("old"));
        }
        memory.keep("a.test post", "http://a.test/0", &object("new"));
        memory.keep("b.test post", "http://b.test/", &object("other"));
        assert_eq!(memory.pages.len(), OF_PLACE + 1);
        assert_eq!(memory.of("http://a.test/0"), Some(object("new")));
        assert_eq!(memory.of("http://a.test/99"), None);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("objects.json");
        std::fs::write(&path, memory.news().unwrap()).unwrap();
        memory.keep("b.test post", "http://b.test/", &object("other"));
        assert_eq!(memory.news(), None);
        assert_eq!(Memory::load(&path).of("http://b.test/"), Some(object("other")));
        std::fs::write(&path, "no JSON").unwrap();
        assert!(Memory::load(&path).pages.is_empty());
    }
}
