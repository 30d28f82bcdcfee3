//! How the archive's authors feel about what they write about: the sentiment of writings, and of what they say about an
//! entity.
//!
//! Not here: which entities there are (`entities`), how results are kept.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Opinion {
    /// From -1, against, to 1, for.
    pub value: f32,
    /// From 0 to 1: the more words tell, and the less they contradict each other, the higher.
    pub confidence: f32,
}

/// What was said about an entity in one month.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Month {
    pub entity: u32,
    pub year: i16,
    pub month: i8,
    /// Of the values, each weighed with its confidence.
    pub mean: f32,
    /// Writings with an opinion about the entity.
    pub count: u32,
}

/// What [`opinions`] finds. Writings and entities are given by their places. Where no word tells of an opinion there is
/// none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Opinions {
    pub writings: Vec<(u32, Opinion)>,
    /// Of a writing about an entity.
    pub entities: Vec<(u32, u32, Opinion)>,
    /// By entity, then by month.
    pub months: Vec<Month>,
}
