//! From signals to one number. A weighted mean with the archivist's weights, or a regression that begins with them and learns
//! from what every fetched link turned out to be: a signal that misleads loses its weight by itself.

use crate::signals::{COUNT, Known, SIGNALS};

/// The signals of one link; none where one has nothing to say.
pub type Values = [Option<f32>; COUNT];
type Row = [f32; COUNT];

/// How many links it takes to change a weight's mind halfway, roughly.
const PRIOR_STRENGTH: f32 = 200.0;
/// How fast what is usual follows what is seen.
const USUAL_RATE: f32 = 0.02;

/// How signals become a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Manner {
    /// The weights adapt while crawling.
    #[default]
    Learned,
    /// They stay as they are: the weighted mean of what has something to say.
    Weighted,
}

#[derive(Clone, Debug)]
pub struct Scorer {
    manner: Manner,
    /// What the archivist said of each signal: 1 leaves it as it is, 0 turns it off.
    emphasis: Row,
    weights: Row,
    usual: Row,
    /// How sure the weights are: the inverse of what was seen.
    covariance: [Row; COUNT],
    seen: u32,
}

impl Scorer {
    /// `emphasis`: how much each signal is to count, in their order; 1 is the default.
    pub fn new(manner: Manner, emphasis: [f32; COUNT]) -> Scorer {
        let mut scorer = Scorer {
            manner,
            emphasis,
            weights: [0.0; COUNT],
            usual: [0.0; COUNT],
            covariance: [[0.0; COUNT]; COUNT],
            seen: 0,
        };
        for (at, signal) in SIGNALS.iter().enumerate() {
            scorer.weights[at] = signal.weight * emphasis[at];
            scorer.usual[at] = signal.usual;
            // What is turned off stays so.
            scorer.covariance[at][at] = if emphasis[at] > 0.0 { 10.0 / PRIOR_STRENGTH } else { 0.0 };
        }
        scorer
    }

    /// Other emphasis from now on. A signal keeps what it has learned, so many times as strong as the archivist now wants it;
    /// one that was turned off, or on again, begins anew.
    pub fn change(&mut self, manner: Manner, emphasis: [f32; COUNT]) {
        let fresh = Scorer::new(manner, emphasis);
        for at in 0..COUNT {
            let (old, new) = (self.emphasis[at], emphasis[at]);
            if old > 0.0 && new > 0.0 {
                self.weights[at] *= new / old;
                continue;
            }
            self.weights[at] = fresh.weights[at];
            for other in 0..COUNT {
                self.covariance[at][other] = 0.0;
                self.covariance[other][at] = 0.0;
            }
            self.covariance[at][at] = fresh.covariance[at][at];
        }
        (self.manner, self.emphasis) = (manner, emphasis);
    }

    pub fn values(known: &Known<'_>) -> Values {
        let mut values = [None; COUNT];
        for (value, signal) in values.iter_mut().zip(&SIGNALS) {
            *value = (signal.value)(known);
        }
        values
    }

    /// The value of a link in [0, 1], higher for better ones. `mean`: the crawl's mean relevance.
    pub fn score(&self, values: &Values, mean: f32) -> f32 {
        match self.manner {
            Manner::Learned => squashed(self.expected(&self.features(values), mean)),
            Manner::Weighted => {
                let (mut sum, mut all) = (0.0, 0.0);
                for (value, weight) in values.iter().zip(&self.emphasis) {
                    if let Some(value) = value {
                        sum += weight * value.clamp(0.0, 1.0);
                        all += weight;
                    }
                }
                if all > 0.0 { sum / all } else { mean }
            }
        }
    }

    /// What each signal adds to the value; of a learned value, before it is brought into [0, 1].
    pub fn parts(&self, values: &Values) -> Row {
        let weights = self.weights();
        let shares: Row = match self.manner {
            Manner::Learned => self.features(values),
            Manner::Weighted => {
                let spoken = values.iter().zip(&weights).filter(|(value, _)| value.is_some());
                let all: f32 = spoken.map(|(_, weight)| weight).sum();
                values.map(|value| {
                    value.map_or(0.0, |value| value.clamp(0.0, 1.0) / all.max(f32::MIN_POSITIVE))
                })
            }
        };
        let mut parts = [0.0; COUNT];
        for (part, (share, weight)) in parts.iter_mut().zip(shares.iter().zip(&weights)) {
            *part = share * weight;
        }
        parts
    }

    /// A link turned out to be so relevant.
    pub fn learn(&mut self, values: &Values, mean: f32, relevance: f32) {
        if self.manner == Manner::Weighted {
            return;
        }
        let features = self.features(values);
        let surprise = relevance - self.expected(&features, mean);
        let mut gain = [0.0; COUNT];
        for (gain, row) in gain.iter_mut().zip(&self.covariance) {
            *gain = dot(row, &features);
        }
        let certainty = 1.0 + dot(&gain, &features);
        for (weight, gain) in self.weights.iter_mut().zip(&gain) {
            *weight += gain * surprise / certainty;
        }
        for (row, one) in self.covariance.iter_mut().zip(&gain) {
            for (cell, other) in row.iter_mut().zip(&gain) {
                *cell -= one * other / certainty;
            }
        }
        self.seen += 1;
        let rate = USUAL_RATE.max(1.0 / (self.seen as f32 + 10.0));
        for (usual, value) in self.usual.iter_mut().zip(values) {
            if let Some(value) = value {
                *usual += rate * (value - *usual);
            }
        }
    }

    /// What each signal weighs now.
    pub fn weights(&self) -> Row {
        match self.manner {
            Manner::Learned => self.weights,
            Manner::Weighted => self.emphasis,
        }
    }

    /// How far each signal is from what is usual.
    fn features(&self, values: &Values) -> Row {
        let mut features = [0.0; COUNT];
        for (feature, (value, usual)) in features.iter_mut().zip(values.iter().zip(&self.usual)) {
            *feature = value.map_or(0.0, |value| value - usual);
        }
        features
    }

    fn expected(&self, features: &Row, mean: f32) -> f32 {
        mean + dot(features, &self.weights)
    }
}

fn dot(one: &Row, other: &Row) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// Into [0, 1], in the same order.
fn squashed(value: f32) -> f32 {
    1.0 / (1.0 + (-2.0 * (value - 0.5)).exp())
}

#[cfg(test)]
mod tests {
    use super::{Manner, Scorer, Values};
    use crate::signals::{COUNT, SIGNALS};

    fn place(name: &str) -> usize {
        SIGNALS.iter().position(|signal| signal.name == name).unwrap()
    }

    fn told(signals: &[(&str, f32)]) -> Values {
        let mut values = [None; COUNT];
        for (name, value) in signals {
            values[place(name)] = Some(*value);
        }
        values
    }

    /// Numbers in [0, 1) without an order.
    fn chance(number: u32) -> f32 {
        (xxhash_rust::xxh3::xxh3_64(&number.to_le_bytes()) >> 40) as f32 / (1 << 24) as f32
    }

    fn truth(number: u32) -> f32 {
        f32::from(u8::from(chance(number + 100_000) > 0.5))
    }

    /// After 500 links whose anchors say `anchor` of what they lead to.
    fn taught(anchor: impl Fn(u32, f32) -> f32) -> Scorer {
        let mut scorer = Scorer::new(Manner::Learned, [1.0; COUNT]);
        for number in 0..500 {
            let values = told(&[("anchor", anchor(number, truth(number))), ("siblings", chance(number + 7))]);
            scorer.learn(&values, 0.5, truth(number));
        }
        scorer
    }

    #[test]
    fn anchors_that_tell_the_truth_gain_weight_and_those_that_lie_lose_it() {
        let at = place("anchor");
        let before = Scorer::new(Manner::Learned, [1.0; COUNT]).weights()[at];
        let honest = taught(|_, truth| truth).weights()[at];
        let liars = taught(|_, truth| 1.0 - truth).weights()[at];
        assert!(honest > before + 0.5, "{before} {honest}");
        assert!(liars < before - 0.5, "{before} {liars}");
    }

    #[test]
    fn a_signal_that_says_nothing_loses_its_weight_by_itself() {
        let mut emphasis = [1.0; COUNT];
        emphasis[place("anchor")] = 40.0;
        let mut scorer = Scorer::new(Manner::Learned, emphasis);
        let before = scorer.weights()[place("anchor")];
        for number in 0..500 {
            scorer.learn(&told(&[("anchor", chance(number))]), 0.5, truth(number));
        }
        let after = scorer.weights()[place("anchor")];
        assert!(before > 0.7 && after.abs() < 0.5 * before, "{before} {after}");
    }

    #[test]
    fn what_was_learned_decides_which_of_two_links_is_better() {
        let (good, bad) = (told(&[("anchor", 1.0)]), told(&[("anchor", 0.0)]));
        let honest = taught(|_, truth| truth);
        assert!(honest.score(&good, 0.5) > 0.6 && honest.score(&bad, 0.5) < 0.4);
        let liars = taught(|_, truth| 1.0 - truth);
        assert!(liars.score(&good, 0.5) < liars.score(&bad, 0.5));
    }

    #[test]
    fn a_link_of_which_nothing_is_known_is_worth_the_mean() {
        let scorer = Scorer::new(Manner::Learned, [1.0; COUNT]);
        assert_eq!(scorer.score(&[None; COUNT], 0.5), 0.5);
        assert_eq!(Scorer::new(Manner::Weighted, [1.0; COUNT]).score(&[None; COUNT], 0.3), 0.3);
    }

    #[test]
    fn fixed_weights_make_a_mean_of_what_has_something_to_say_and_learn_nothing() {
        let mut emphasis = [1.0; COUNT];
        emphasis[place("anchor")] = 3.0;
        let mut scorer = Scorer::new(Manner::Weighted, emphasis);
        let values = told(&[("anchor", 1.0), ("page", 0.0)]);
        assert_eq!(scorer.score(&values, 0.5), 0.75);
        assert_eq!(scorer.score(&told(&[("anchor", 2.0)]), 0.5), 1.0, "no signal counts more than wholly");
        scorer.learn(&values, 0.5, 0.0);
        assert_eq!(scorer.score(&values, 0.5), 0.75);
    }

    #[test]
    fn a_signal_that_is_turned_off_stays_so() {
        let mut emphasis = [1.0; COUNT];
        emphasis[place("anchor")] = 0.0;
        let mut scorer = Scorer::new(Manner::Learned, emphasis);
        for number in 0..100 {
            scorer.learn(&told(&[("anchor", truth(number))]), 0.5, truth(number));
        }
        assert_eq!(scorer.weights()[place("anchor")], 0.0);
    }

    #[test]
    fn the_parts_of_a_value_add_up_to_it() {
        let scorer = taught(|_, truth| truth);
        let values = told(&[("anchor", 0.9), ("siblings", 0.2)]);
        let sum: f32 = 0.4 + scorer.parts(&values).iter().sum::<f32>();
        assert!((super::squashed(sum) - scorer.score(&values, 0.4)).abs() < 1e-6);
    }
}
