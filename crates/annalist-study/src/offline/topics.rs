//! What the writings of an archive are about: groups of them that share words, each with a label that people can read, and
//! how they come and go.

use serde::Serialize;

use super::Month;

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Topics {
    /// The largest first.
    pub topics: Vec<Topic>,
    /// The number of a writing in the corpus, that of the topic, and how well it fits, from 0 to 1. In the order of writings;
    /// a writing may have several topics, the best first, or none.
    pub memberships: Vec<(u32, u32, f32)>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Topic {
    /// The first terms: `election, exit poll, parliament`
    pub label: String,
    /// ISO 639-1; empty where it could not be told. Words of different languages have nothing in common to be grouped by.
    pub language: String,
    /// As people write them, those that tell it from other topics best first, with how well they do.
    pub terms: Vec<(String, f32)>,
    /// Whose first topic it is.
    pub writings: u32,
    /// Of those with a date of publication.
    pub months: Vec<(Month, u32)>,
    pub course: Course,
    /// How alike its writings are compared with all writings of the language: from 0 to 1.
    pub confidence: f32,
}

/// Whether a topic has a larger share of the later half of the writings than of the earlier half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Course {
    Rising,
    Falling,
    #[default]
    Steady,
}
