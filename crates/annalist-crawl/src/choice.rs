//! What a budget is spent on: with a topic and a limit of pages or bytes, what is worth little is left for later while much
//! better links wait, even if its site is idle and theirs rest. Without such a limit nothing is lost by fetching what can
//! be fetched.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use annalist_frontier::{Lease, Urgency};
use annalist_model::Time;
use annalist_model::spec::Spec;

use crate::stages::Stages;

/// Links worth less than this part of the best that waits are left for later.
const SELECTIVITY: f32 = 0.7;
/// For this long at most nothing is fetched for the sake of better links, or for two of a server's shortest rests.
const LONGEST: Duration = Duration::from_secs(5);
/// How long a site waits that is left for later.
pub const BETWEEN: Duration = Duration::from_millis(50);
/// How seldom the best link is looked for: all sites are asked.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

#[derive(Debug, Default)]
pub struct Choice {
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// The best value of all waiting links, and when it was looked for.
    best: f32,
    looked: Time,
    /// When a lease was last taken.
    took: Time,
}

impl Choice {
    /// Whether a lease is not worth a part of the budget for now.
    pub fn is_beneath(&self, lease: &Lease, stages: &Stages, now: Time) -> bool {
        if stages.judging.is_none() || !has_budget(&stages.spec) {
            return false;
        }
        let Some(first) = lease.links.first() else { return false };
        if first.urgency == Urgency::Urgent || first.link.via.is_none() {
            return false;
        }
        let patience = stages.spec.politeness.min_delay.saturating_mul(2).max(LONGEST);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if now.since(seen.looked) >= BETWEEN_LOOKS {
            seen.looked = now;
            seen.best = stages.frontier().best_value(now.plus(patience)).unwrap_or(0.0);
        }
        first.value < SELECTIVITY * seen.best && now.since(seen.took) < patience
    }

    pub fn took(&self, now: Time) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).took = now;
    }
}

fn has_budget(spec: &Spec) -> bool {
    spec.limits.pages.is_some() || spec.limits.size_bytes.is_some()
}
