//! How the link's site has done so far.

use super::Known;

const PRIOR: f32 = 5.0;

pub(super) fn value(known: &Known<'_>) -> Option<f32> {
    let tally = known.ledger.sites.get(&known.key.site)?;
    Some(tally.mean(known.ledger.mean(), PRIOR))
}

#[cfg(test)]
mod tests {
    use super::value;
    use crate::signals::stand::{Stand, key, link};

    #[test]
    fn a_site_is_worth_what_its_pages_were() {
        let mut stand = Stand::default();
        stand.page(0.5, &[link(1)]);
        assert_eq!(stand.value(value, 1), None, "none was seen");
        stand.ledger.sites.entry(key(1).site).or_default().add(0.0, 5.0);
        assert_eq!(stand.value(value, 1), Some(stand.ledger.mean() / 2.0));
    }
}
