//! Which of two links of a site comes first.

use annalist_model::Time;
use annalist_model::spec::Order;

use crate::entry::Entry;

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

    pub(crate) fn is_urgent(&self) -> bool {
        self.first >> 32 != 0
    }

    /// The order among sites, where the best link decides.
    pub(crate) fn weight(&self) -> (u64, u64) {
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
        let first = u64::from(entry.is_urgent()) << 32 | u64::from(by);
        Rank { first, age: u64::MAX - entry.turn, url: entry.key.url }
    }
}

/// A number that sorts as the value does.
fn ordered(value: f32) -> u32 {
    // Zero has two spellings.
    let bits = (value + 0.0).to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
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
