//! The pages that mention the link, as a whole.

use super::Known;

/// Their mean relevance, drawn towards the crawl's.
pub(super) fn value(known: &Known<'_>) -> Option<f32> {
    let pages = known.link.mentions().filter_map(|(page, _)| known.ledger.page(page));
    known.drawn_mean(pages.map(|page| page.relevance))
}

#[cfg(test)]
mod tests {
    use super::value;
    use crate::signals::stand::{Stand, link};

    #[test]
    fn links_of_relevant_pages_are_worth_more_and_many_mentions_say_more_than_one() {
        let mut stand = Stand::default();
        stand.page(1.0, &[link(1), link(3)]);
        stand.page(0.0, &[link(2)]);
        stand.page(1.0, &[link(3)]);
        let [one, poor, twice] = [1, 2, 3].map(|url| stand.value(value, url).unwrap());
        assert!(poor < stand.ledger.mean() && stand.ledger.mean() < one && one < twice);
    }
}
