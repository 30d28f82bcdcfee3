//! Relevant pages that mention the link; those of late count more.

use super::Known;
use crate::ledger::half_life;

/// So many make it half of what it can be.
const HALFWAY: f32 = 2.0;

pub(super) fn value(known: &Known<'_>) -> Option<f32> {
    let now = known.ledger.judged();
    let momentum = known.link.momentum(now, half_life(now));
    Some(momentum / (momentum + HALFWAY))
}
