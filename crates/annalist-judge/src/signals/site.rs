//! How the link's site has done so far.

use super::Known;

const PRIOR: f32 = 5.0;

pub(super) fn value(known: &Known<'_>) -> Option<f32> {
    let tally = known.ledger.sites.get(&known.key.site)?;
    Some(tally.mean(known.ledger.mean(), PRIOR))
}
