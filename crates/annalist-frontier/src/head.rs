//! The best links of one site, in order. The others wait on disk.

use crate::rank::Rank;

/// Best last. Every queued link of the site that is neither here nor set aside ranks below the worst one here, or was
/// only mentioned so far.
#[derive(Debug, Default)]
pub(crate) struct Head {
    ranks: Vec<Rank>,
}

impl Head {
    /// From ranks whose best is last.
    pub(crate) fn of(ranks: Vec<Rank>) -> Head {
        Head { ranks }
    }

    pub(crate) fn len(&self) -> usize {
        self.ranks.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ranks.is_empty()
    }

    pub(crate) fn best(&self) -> Option<&Rank> {
        self.ranks.last()
    }

    pub(crate) fn worst(&self) -> Option<&Rank> {
        self.ranks.first()
    }

    pub(crate) fn pop(&mut self) -> Option<Rank> {
        self.ranks.pop()
    }

    pub(crate) fn insert(&mut self, rank: Rank) {
        if let Err(place) = self.ranks.binary_search(&rank) {
            self.ranks.insert(place, rank);
        }
    }

    /// Takes out the worst while there are too many; says whether any went.
    pub(crate) fn shorten(&mut self, limit: usize) -> bool {
        let excess = self.ranks.len().saturating_sub(limit);
        self.ranks.drain(..excess);
        excess > 0
    }

    pub(crate) fn remove(&mut self, rank: &Rank) -> bool {
        match self.ranks.binary_search(rank) {
            Ok(place) => {
                self.ranks.remove(place);
                true
            }
            Err(_) => false,
        }
    }

    /// For a link whose rank is not known: a head is short enough to be walked.
    pub(crate) fn remove_url(&mut self, url: u64) -> bool {
        match self.ranks.iter().position(|rank| rank.url == url) {
            Some(place) => {
                self.ranks.remove(place);
                true
            }
            None => false,
        }
    }

    pub(crate) fn holds(&self, url: u64) -> bool {
        self.ranks.iter().any(|rank| rank.url == url)
    }
}
