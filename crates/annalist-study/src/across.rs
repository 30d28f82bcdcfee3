//! What several crawls show together that none shows alone: names that changed (`names`), words that belong together more or
//! less as time goes by (`associations`), and what is new since the last crawl (`news`).
//!
//! Corpora are given in the order of their crawls; what was captured by several of them counts once.

mod associations;
mod names;
mod news;

use std::collections::HashSet;

use xxhash_rust::xxh3::xxh3_64;

use crate::offline::Corpus;
pub use associations::{Association, Strength, associations};
pub use names::{Renaming, renamings};
pub use news::{News, Place, news};

/// Remembers which writings were met, by their ids.
#[derive(Debug, Default)]
struct Met(HashSet<u64>);

impl Met {
    /// Whether it is met for the first time.
    fn is_new(&mut self, id: u64) -> bool {
        self.0.insert(id)
    }
}

/// How many writings they have, each counted as often as it was captured.
fn all(corpora: &[Corpus]) -> u64 {
    corpora.iter().map(Corpus::len).sum()
}

fn key(id: &str) -> u64 {
    xxh3_64(id.as_bytes())
}

#[cfg(test)]
mod tests;
