//! The pages that mention the link, as a whole.

use super::Known;

/// Their mean relevance, drawn towards the crawl's.
pub(super) fn value(known: &Known<'_>) -> Option<f32> {
    let pages = known.link.mentions().filter_map(|(page, _)| known.ledger.page(page));
    known.drawn_mean(pages.map(|page| page.relevance))
}
