//! What became of the other links of the pages that mention the link, above all of those beside it.

use super::Known;

/// The mean over its mentions, drawn towards the crawl's.
pub(super) fn value(known: &Known<'_>) -> Option<f32> {
    known.drawn_mean(known.link.mentions().filter_map(|at| known.ledger.expected(at)))
}
