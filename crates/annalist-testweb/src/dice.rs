//! Choices that are the same on every run: numbers drawn from a key, never from a clock or the system.

/// A stream of numbers that depends on its key alone. Equal keys give equal streams on every machine.
#[derive(Clone, Debug)]
pub(crate) struct Dice {
    state: u64,
}

impl Dice {
    /// Each part of the key is mixed in: `Dice::new(&[seed, host, page, PURPOSE])`.
    pub(crate) fn new(key: &[u64]) -> Dice {
        let mut state = 0x9e37_79b9_7f4a_7c15;
        for part in key {
            state = mix(state ^ part.wrapping_mul(0xd6e8_feb8_6659_fd93));
        }
        Dice { state }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.state)
    }

    /// A number below `limit`; 0 where the limit is 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        // Multiply and shift: no division on the hot path, and even enough for test pages.
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }

    /// True with the given probability.
    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// A number in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number below `limit`, small ones far more often: word frequencies fall in this way.
    pub(crate) fn skewed(&mut self, limit: usize) -> usize {
        let unit = self.unit();
        ((unit * unit * limit as f64) as usize).min(limit.saturating_sub(1))
    }

    /// One of the choices, or none where there are none.
    pub(crate) fn pick<'a, T>(&mut self, choices: &'a [T]) -> Option<&'a T> {
        choices.get(self.below(choices.len()))
    }
}

/// The finisher of splitmix64.
fn mix(mut value: u64) -> u64 {
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::Dice;

    #[test]
    fn equal_keys_give_equal_streams_and_other_keys_others() {
        let draw = |key: &[u64]| {
            let mut dice = Dice::new(key);
            (0..8).map(|_| dice.next()).collect::<Vec<_>>()
        };
        assert_eq!(draw(&[1, 2, 3]), draw(&[1, 2, 3]));
        assert_ne!(draw(&[1, 2, 3]), draw(&[1, 3, 2]));
        assert_ne!(draw(&[1]), draw(&[1, 0]));
    }

    #[test]
    fn a_limit_is_never_reached() {
        let mut dice = Dice::new(&[7]);
        for limit in [1, 2, 3, 100] {
            assert!((0..1000).all(|_| dice.below(limit) < limit && dice.skewed(limit) < limit));
        }
        assert_eq!(dice.below(0), 0);
        assert_eq!(dice.skewed(0), 0);
    }
}
