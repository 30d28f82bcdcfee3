//! What somebody wrote: the unit that every analysis works on.

use serde::{Deserialize, Serialize};

use super::Day;

/// A post, comment, article, or the matter of a page that is none of these. Each once, however often it was captured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Writing {
    /// Its name in the graph: its own address, or that of its page with the object's id behind `#`.
    pub id: String,
    /// The capture it was taken from, `urn:uuid:…`.
    pub record: String,
    /// The address of its page.
    pub url: String,
    /// Pay-level domain.
    pub site: String,
    /// `post`, `comment`, `article`, `page`.
    pub kind: String,
    pub author: Option<String>,
    pub author_url: Option<String>,
    /// First moment of when it was published, milliseconds since 1970 or, below zero, before; absent where nothing tells.
    pub published: Option<i64>,
    /// When it was captured, milliseconds since 1970.
    pub captured: u64,
    /// ISO 639-1
    pub language: Option<String>,
    pub title: Option<String>,
    /// Plain text, a line for each block.
    pub text: String,
    /// The id of the writing it answers or belongs to.
    pub parent: Option<String>,
    /// The address of the thread it stands in.
    pub thread: Option<String>,
    pub quotes: Vec<String>,
    /// Addresses that the text links to.
    pub links: Vec<String>,
    /// The words of those links that repeat what another page is called, as far as can be seen: a phrase, not a word or a name.
    pub anchors: Vec<String>,
    pub tags: Vec<String>,
    /// How relevant its page was found, from 0 to 1.
    pub relevance: Option<f32>,
    /// Tells near duplicates: few bits differ.
    pub simhash: u64,
}

impl Writing {
    /// The day it was published. Where nothing tells there is none: the day of a capture says when somebody came by.
    pub fn day(&self) -> Option<Day> {
        self.published.map(Day::of_millis)
    }
}
