//! What several crawls show together that none shows alone: names that changed, words that belong together more or less as
//! time goes by, and what is new.

use serde::Serialize;

use crate::offline::{Day, Month};

/// Somebody or something that was called otherwise from some time on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Renaming {
    pub before: String,
    pub after: String,
    /// When the one name gave way to the other.
    pub changed: Day,
    /// How alike what is written around both names is, from 0 to 1.
    pub context: f32,
    /// In how many writings both stand together, and in how many of them words say that one became the other.
    pub together: u32,
    pub said: u32,
    pub confidence: f32,
    /// Words and names that go with both.
    pub shared: Vec<String>,
    /// Writings that have both, or else the last with the old name and the first with the new one, by their ids.
    pub evidence: Vec<String>,
}

/// How strongly two terms belong together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Association {
    pub one: String,
    pub other: String,
    /// Over all time.
    pub strength: Strength,
    pub months: Vec<(Month, Strength)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Strength {
    /// Writings with the one, with the other, with both.
    pub one: u32,
    pub other: u32,
    pub both: u32,
    pub writings: u32,
    /// Pointwise mutual information, normalised: 1 where one is never without the other, 0 where they meet by chance, -1 where
    /// never.
    pub npmi: f32,
    /// Log-likelihood ratio: above 11 it is chance once in a thousand times.
    pub likelihood: f32,
}

/// What the last crawl has that those before had not.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct News {
    /// Ids of writings.
    pub new: Vec<String>,
    pub changed: Vec<String>,
    /// In the crawl before and not in the last: gone, or not visited.
    pub gone: Vec<String>,
    /// Names that no crawl before had, and in how many writings they are.
    pub names: Vec<(String, u32)>,
    /// Terms with a larger share of the writings than before: share before, share now; the most certain first.
    pub risen: Vec<(String, f32, f32)>,
}
