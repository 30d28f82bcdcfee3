//! What the archivist says of such addresses; else what pages were like whose addresses have the same shape: the same
//! host and folder.

use super::Known;

const PRIOR: f32 = 5.0;

pub(super) fn value(known: &Known<'_>) -> Option<f32> {
    if known.link.told.is_some() {
        return known.link.told;
    }
    let tally = known.ledger.patterns.get(&known.link.pattern)?;
    Some(tally.mean(known.ledger.mean(), PRIOR))
}
