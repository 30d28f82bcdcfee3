//! Means over the crawls of a policy, and how much chance is in them.

use crate::policy::Policy;
use crate::simulate::{Found, Row};

/// A mean with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    pub value: f64,
    /// By how much the mean over topics differs from repeat to repeat, divided by the root of their number; `None` for
    /// one repeat.
    pub error: Option<f64>,
}

/// What a policy came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Means {
    pub harvest: Mean,
    pub recall: Mean,
    pub similarity: Mean,
    pub covered: Option<Mean>,
}

impl Found {
    pub fn means(&self, policy: Policy) -> Means {
        let covered = self.rows.iter().any(|row| row.covered.is_some());
        Means {
            harvest: self.mean(policy, |row| row.harvest),
            recall: self.mean(policy, |row| row.recall),
            similarity: self.mean(policy, |row| row.similarity),
            covered: covered.then(|| self.mean(policy, |row| row.covered.unwrap_or_default())),
        }
    }

    /// What no policy can harvest more than.
    pub fn bound(&self) -> f64 {
        mean(self.rows.iter().map(|row| row.bound))
    }

    pub(crate) fn harvest_of(&self, policy: Policy, topic: &str) -> f64 {
        mean(self.rows.iter().filter(|row| row.policy == policy && row.topic == topic).map(|row| row.harvest))
    }

    fn mean(&self, policy: Policy, measure: impl Fn(&Row) -> f64) -> Mean {
        let of_repeat = |repeat: u32| {
            let rows = self.rows.iter().filter(|row| row.policy == policy && row.repeat == repeat);
            mean(rows.map(&measure))
        };
        let repeats: Vec<f64> = (0..self.repeats).map(of_repeat).collect();
        let value = mean(repeats.iter().copied());
        let count = repeats.len() as f64;
        let squares: f64 = repeats.iter().map(|repeat| (repeat - value).powi(2)).sum();
        let error = (repeats.len() > 1).then(|| (squares / (count - 1.0) / count).sqrt());
        Mean { value, error }
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}
