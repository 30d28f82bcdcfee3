//! How relevant something is, as a number in [0, 1].

/// A number in [0, 1]; it cannot hold anything else.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Default)]
pub struct Score(f32);

impl Score {
    pub const ZERO: Score = Score(0.0);
    pub const ONE: Score = Score(1.0);

    /// Brings any number into [0, 1]; what is not a number becomes 0.
    pub fn new(value: f32) -> Score {
        if value.is_nan() {
            return Score::ZERO;
        }
        Score(value.clamp(0.0, 1.0))
    }

    pub fn get(self) -> f32 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Score;

    #[test]
    fn a_score_never_leaves_its_interval() {
        assert_eq!(Score::new(f32::NAN).get(), 0.0);
        assert_eq!(Score::new(f32::INFINITY).get(), 1.0);
        assert_eq!(Score::new(-3.0).get(), 0.0);
        assert_eq!(Score::new(0.25).get(), 0.25);
    }
}
