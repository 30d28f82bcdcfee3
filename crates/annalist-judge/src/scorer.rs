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
