//! What a budget is spent on: with a topic and a limit of pages or bytes, what is worth little is left for later while much
//! better links wait, even if its site is idle and theirs rest. Without such a limit nothing is lost by fetching what can
//! be fetched.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use annalist_frontier::{Lease, LeasedLink, Urgency};
use annalist_model::Time;
use annalist_model::spec::Spec;

use crate::stages::Stages;

/// Links worth less than this part of the best that waits are left for later. In an archive that costs no more than a
/// moment: no site rests.
const SELECTIVITY: f32 = 0.7;
const SELECTIVITY_IN_ARCHIVES: f32 = 0.9;
/// For this long at most nothing is fetched for the sake of better links, or for two of a server's shortest rests.
const LONGEST: Duration = Duration::from_secs(5);
/// How long a site waits that is left for later.
const BETWEEN: Duration = Duration::from_millis(50);
const BETWEEN_IN_ARCHIVES: Duration = Duration::from_millis(5);
/// How seldom the best link is looked for: all sites are asked.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);
const BETWEEN_LOOKS_IN_ARCHIVES: Duration = Duration::from_millis(10);

#[derive(Debug, Default)]
pub struct Choice {
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// The best value of all waiting links, and when it was looked for.
    best: f32,
    looked: Time,
    /// When a lease was last taken, and what its best link was worth.
    took: Time,
    taken: f32,
}

impl Choice {
    /// Whether a lease is not worth a part of the budget for now.
    pub fn is_beneath(&self, lease: &Lease, stages: &Stages, now: Time) -> bool {
        if stages.judging.is_none() || !has_budget(&stages.spec()) {
            return false;
        }
        let Some(first) = lease.links.first() else { return false };
        if first.urgency == Urgency::Urgent || first.link.via.is_none() {
            return false;
        }
        let patience = stages.spec().politeness.min_delay.saturating_mul(2).max(LONGEST);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let (selectivity, between) = match stages.archive {
            Some(_) => (SELECTIVITY_IN_ARCHIVES, BETWEEN_LOOKS_IN_ARCHIVES),
            None => (SELECTIVITY, BETWEEN_LOOKS),
        };
        // What is under way may lead to better links.
        if stages.archive.is_some() && first.value < SELECTIVITY * seen.taken && is_under_way(stages) {
            return true;
        }
        if now.since(seen.looked) >= between {
            seen.looked = now;
            seen.best = stages.frontier().best_value(now.plus(patience)).unwrap_or(0.0);
        }
        first.value < selectivity * seen.best && now.since(seen.took) < patience
    }

    pub fn took(&self, lease: &Lease, now: Time) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.took = now;
        seen.taken = lease.links.first().map_or(0.0, |first| first.value);
    }
}

/// How long a site waits that is left for later.
pub fn rest(stages: &Stages) -> Duration {
    if stages.archive.is_some() { BETWEEN_IN_ARCHIVES } else { BETWEEN }
}

/// Of the links of a turn in an archive, those that are worth nearly as much as the best of them: the others have time.
pub fn worthwhile(mut links: Vec<LeasedLink>, stages: &Stages) -> Vec<LeasedLink> {
    if stages.judging.is_some() && has_budget(&stages.spec()) {
        let best = links.iter().map(|leased| leased.value).fold(0.0, f32::max);
        links.retain(|leased| {
            leased.urgency == Urgency::Urgent || leased.value >= SELECTIVITY_IN_ARCHIVES * best
        });
    }
    links
}

/// Whether links are still to be found by visits that have begun.
fn is_under_way(stages: &Stages) -> bool {
    stages.turns_under_way() > 0 || stages.keeper.unacknowledged() > 0
}

fn has_budget(spec: &Spec) -> bool {
    spec.limits.pages.is_some() || spec.limits.size_bytes.is_some()
}
