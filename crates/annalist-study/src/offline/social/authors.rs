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
    by_url: HashMap<String, Vec<AuthorNumber>>,
    by_name: HashMap<(String, String), AuthorNumber>,
}

impl Authors {
    /// The author of a writing, who is counted.
    pub(super) fn meet(&mut self, by: &Byline, at: Option<Day>) -> AuthorNumber {
        let key = (by.site.clone(), by.name.to_lowercase());
        let url = by.url.as_ref();
        let known = match url {
            Some(url) => self.at(url, &by.name).or_else(|| {
                // Met before without the page about them.
                let known = self.by_name.get(&key).copied();
                known.filter(|number| {
                    self.list.get(*number as usize).is_some_and(|author| author.url.is_none())
                })
            }),
            None => self.by_name.get(&key).copied(),
        };
        let number = known.unwrap_or_else(|| {
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
                let same = self.by_url.entry(url.clone()).or_default();
                if !same.contains(&number) {
                    same.push(number);
                }
            }
        }
        number
    }

    /// One who was met.
    pub(super) fn find(&self, by: &Byline) -> Option<AuthorNumber> {
        let of_url = by.url.as_ref().and_then(|url| self.at(url, &by.name));
        of_url.or_else(|| self.by_name.get(&(by.site.clone(), by.name.to_lowercase())).copied())
    }

    /// Who is known by a page and may be called so. A page about all who write for a site is about several.
    fn at(&self, url: &str, name: &str) -> Option<AuthorNumber> {
        let there = self.by_url.get(url).into_iter().flatten().copied();
        there.into_iter().find(|number| may_be_one(self.name(*number), name))
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

/// Whether two names may be those of one person: they share a word, or are written alike (`jdoe`, `J. Doe`).
fn may_be_one(one: &str, other: &str) -> bool {
    let words = |name: &str| -> Vec<String> {
        let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 1);
        words.map(str::to_lowercase).collect()
    };
    let letters =
        |name: &str| name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    let (ones, others) = (words(one), words(other));
    ones.iter().any(|word| others.contains(word))
        || letters(one).contains(&letters(other))
        || letters(other).contains(&letters(one))
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
