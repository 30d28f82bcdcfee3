//! Which of two links of a site comes first.

use annalist_model::Time;
use annalist_model::spec::{Order, Update};

use crate::agenda::Weight;
use crate::entry::Entry;

/// Of an [`ordered`] number: set for values that are not negative.
const SIGN: u32 = 1 << 31;
/// In a rank's first number.
const URGENT: u64 = 1 << 32;

/// A link's place among the links of its site: the greater comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank {
    /// Urgency, then what the order sorts by.
    first: u64,
    /// The older the greater.
    age: u64,
    pub(crate) url: u64,
}

impl Rank {
    pub(crate) fn turn(&self) -> u64 {
        u64::MAX - self.age
    }

    /// For a link that was tried before: when it may be tried again.
    pub(crate) fn not_before(&self) -> Time {
        Time::from_millis(self.turn())
    }

    /// The value it was ranked by, where values order.
    pub(crate) fn value(&self) -> f32 {
        let ordered = self.first as u32;
        f32::from_bits(if ordered & SIGN == 0 { !ordered } else { ordered ^ SIGN })
    }

    /// The order among sites, where the best link decides.
    pub(crate) fn weight(&self) -> Weight {
        (self.first, self.age)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranking {
    pub(crate) order: Order,
}

impl Ranking {
    pub(crate) fn rank(self, entry: &Entry) -> Rank {
        let by = match self.order {
            Order::BestFirst | Order::Opic => ordered(entry.value),
            Order::InDegree => entry.count,
            Order::BreadthFirst => u32::from(u16::MAX - entry.depth),
        };
        let first = if entry.is_urgent() { URGENT } else { 0 } | u64::from(by);
        Rank { first, age: u64::MAX - entry.turn, url: entry.key.url }
    }
}

/// More than any link weighs.
pub(crate) const MOST: Weight = (u64::MAX, u64::MAX);

impl Ranking {
    /// What a link weighs at most once a mention counts, when so far it stands in a head with these ends, or below it.
    pub(crate) fn most(self, update: Update, mention: &Entry, worst: &Rank, best: &Rank) -> Weight {
        let adds = match self.order {
            Order::BestFirst => update == Update::Sum,
            Order::Opic | Order::InDegree => true,
            Order::BreadthFirst => false,
        };
        // Whether and how much the link had before is on disk.
        if adds || mention.is_urgent() {
            return MOST;
        }
        let urgent = (worst.first | best.first) & URGENT;
        (self.rank(mention).first | urgent, u64::MAX)
    }
}

/// A number that sorts as the value does.
fn ordered(value: f32) -> u32 {
    // Zero has two spellings.
    let bits = (value + 0.0).to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

#[cfg(test)]
mod tests {
    use super::ordered;

    #[test]
    fn values_sort_as_numbers_do() {
        let sorted = [f32::MIN, -1.0, -1e-30, 0.0, 1e-30, 0.5, 1.0, f32::MAX];
        assert!(sorted.windows(2).all(|pair| ordered(pair[0]) < ordered(pair[1])));
        assert_eq!(ordered(-0.0), ordered(0.0));
    }
}
