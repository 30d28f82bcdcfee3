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

#[cfg(test)]
mod tests {
    use super::value;
    use crate::reading::LinkReading;
    use crate::signals::stand::{Stand, link};

    #[test]
    fn addresses_of_a_shape_are_worth_what_others_of_that_shape_were() {
        let mut stand = Stand::default();
        stand.page(0.5, &[LinkReading { pattern: 7, ..link(1) }, LinkReading { pattern: 8, ..link(2) }]);
        assert_eq!(stand.value(value, 1), None, "none was seen");
        stand.ledger.patterns.entry(7).or_default().add(1.0, 5.0);
        assert_eq!(stand.value(value, 1), Some((1.0 + stand.ledger.mean()) / 2.0));
        assert_eq!(stand.value(value, 2), None);
    }
}
