//! The best links of one site, in order. The others wait on disk.

use crate::rank::Rank;

/// Best last. Every queued link of the site that is neither here, nor set aside, nor in doubt ranks below the worst one
/// here. A link may stand here under a rank it had before: it is asked when its turn comes.
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

    /// Takes a rank in, and the worst out where there are too many; says whether any was left out. The place of the
    /// worst is freed first, so that a full head needs no more memory.
    pub(crate) fn insert(&mut self, rank: Rank, limit: usize) -> bool {
        let Err(place) = self.ranks.binary_search(&rank) else { return false };
        let excess = (self.ranks.len() + 1).saturating_sub(limit);
        if excess > place {
            self.ranks.drain(..excess - 1);
            return true;
        }
        self.ranks.drain(..excess);
        self.ranks.insert(place - excess, rank);
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

#[cfg(test)]
mod tests {
    use annalist_model::UrlKey;
    use annalist_model::spec::Order;

    use super::Head;
    use crate::entry::{Entry, Kind};
    use crate::rank::{Rank, Ranking};

    fn rank(value: u8) -> Rank {
        let mut entry = Entry::new(UrlKey { site: 1, url: u64::from(value) }, Kind::Queued);
        entry.value = f32::from(value);
        Ranking { order: Order::BestFirst }.rank(&entry)
    }

    #[test]
    fn a_head_keeps_the_best_whatever_the_limit_was_before() {
        for newcomer in [0, 3, 9] {
            let mut head = Head::default();
            for value in [5, 1, 7, 2, 8, 4, 6] {
                assert!(!head.insert(rank(value), 7));
            }
            assert!(head.insert(rank(newcomer), 3));
            let kept: Vec<Rank> = std::iter::from_fn(|| head.pop()).collect();
            let expected = if newcomer == 9 { [9, 8, 7] } else { [8, 7, 6] };
            assert_eq!(kept, expected.map(rank));
        }
    }

    #[test]
    fn a_rank_is_taken_out_by_itself_or_by_its_url() {
        let mut head = Head::of(vec![rank(1), rank(2), rank(3)]);
        assert!(head.remove(&rank(2)) && !head.remove(&rank(2)));
        assert!(head.remove_url(1) && !head.holds(1));
        assert_eq!((head.len(), head.best(), head.worst()), (1, Some(&rank(3)), Some(&rank(3))));
    }
}
