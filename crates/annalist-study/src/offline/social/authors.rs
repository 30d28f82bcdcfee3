//! Who is the same author as whom: by the page about them, or by name and site.

use std::collections::HashMap;

use super::{Author, Counts};
use crate::offline::{Day, Writing};

pub(super) type AuthorNumber = u32;

/// The name alone is not much: others may have it too.
const BY_URL: f32 = 0.95;
const BY_NAME: f32 = 0.75;

/// Names that many applications put where they do not know.
const NOBODY: [&str; 8] = ["anonymous", "guest", "admin", "unknown", "gast", "anonym", "invité", "ανώνυμος"];

#[derive(Default)]
pub(super) struct Authors {
    list: Vec<Author>,
    by_url: HashMap<String, AuthorNumber>,
    by_name: HashMap<(String, String), AuthorNumber>,
}

impl Authors {
    /// The author of a writing, who is counted.
    pub(super) fn meet(&mut self, by: &Byline, at: Option<Day>) -> AuthorNumber {
        let key = (by.site.clone(), by.name.to_lowercase());
        let url = by.url.as_ref();
        let known = match url {
            Some(url) => self.by_url.get(url).or_else(|| {
                // Met before without the page about them.
                self.by_name.get(&key).filter(|number| {
                    self.list.get(**number as usize).is_some_and(|author| author.url.is_none())
                })
            }),
            None => self.by_name.get(&key),
        };
        let number = known.copied().unwrap_or_else(|| {
            self.list.push(Author {
                name: by.name.clone(),
                site: by.site.clone(),
                url: None,
                writings: 0,
                first: None,
                last: None,
                gave: Counts::default(),
                received: Counts::default(),
                influence: 0.0,
                confidence: BY_NAME,
            });
            (self.list.len() - 1) as AuthorNumber
        });
        self.by_name.entry(key).or_insert(number);
        if let Some(author) = self.list.get_mut(number as usize) {
            author.writings += 1;
            author.first = author.first.into_iter().chain(at).min();
            author.last = author.last.max(at);
            if let Some(url) = url {
                author.url.get_or_insert_with(|| url.clone());
                author.confidence = BY_URL;
                self.by_url.insert(url.clone(), number);
            }
        }
        number
    }

    /// One who was met.
    pub(super) fn find(&self, by: &Byline) -> Option<AuthorNumber> {
        let of_url = by.url.as_ref().and_then(|url| self.by_url.get(url));
        of_url.or_else(|| self.by_name.get(&(by.site.clone(), by.name.to_lowercase()))).copied()
    }

    pub(super) fn list(&self) -> &[Author] {
        &self.list
    }

    pub(super) fn name(&self, number: AuthorNumber) -> &str {
        self.list.get(number as usize).map(|author| author.name.as_str()).unwrap_or_default()
    }

    pub(super) fn into_list(self) -> Vec<Author> {
        self.list
    }
}

/// Who a writing says it is by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Byline {
    site: String,
    name: String,
    url: Option<String>,
}

impl Byline {
    pub(super) fn of(writing: &Writing) -> Option<Byline> {
        let name = writing.author.as_deref().unwrap_or_default();
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        if name.is_empty() || NOBODY.contains(&name.to_lowercase().as_str()) {
            return None;
        }
        let url = writing.author_url.clone().filter(|url| !url.is_empty());
        Some(Byline { site: writing.site.clone(), name, url })
    }
}
