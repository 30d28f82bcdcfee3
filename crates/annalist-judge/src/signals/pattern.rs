//! What pages were like whose addresses have the same shape: the same host and folder.

use super::Known;

const PRIOR: f32 = 5.0;

pub(super) fn value(known: &Known<'_>) -> Option<f32> {
    let tally = known.ledger.patterns.get(&known.link.pattern)?;
    Some(tally.mean(known.ledger.mean(), PRIOR))
}
