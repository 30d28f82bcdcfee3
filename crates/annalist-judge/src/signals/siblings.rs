//! What became of the other links of the pages that mention the link, above all of those beside it.

use super::Known;

/// The mean over its mentions, drawn towards the crawl's.
pub(super) fn value(known: &Known<'_>) -> Option<f32> {
    known.drawn_mean(known.link.mentions().filter_map(|at| known.ledger.expected(at)))
}

#[cfg(test)]
mod tests {
    use super::value;
    use crate::signals::stand::{Stand, link};

    #[test]
    fn what_became_of_the_links_beside_it_counts_most() {
        let mut stand = Stand::default();
        let links: Vec<_> = (0..20).map(link).collect();
        let page = stand.page(0.5, &links);
        let before = stand.value(value, 2);
        stand.ledger.credit((page, 1), 1.0);
        let [beside, far] = [2, 19].map(|url| stand.value(value, url));
        assert!(beside > far && far > before, "{beside:?} {far:?} {before:?}");
        stand.ledger.credit((page, 3), 0.0);
        stand.ledger.credit((page, 4), 0.0);
        assert!(stand.value(value, 2) < beside);
    }
}
