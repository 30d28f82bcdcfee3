//! The words in the link's address.

use super::{Known, at_most};

pub(super) fn value(known: &Known<'_>) -> Option<f32> {
    known.link.address.map(at_most)
}

#[cfg(test)]
mod tests {
    use super::value;
    use crate::reading::LinkReading;
    use crate::signals::stand::{Stand, link};

    #[test]
    fn the_words_of_an_address_count_by_their_nearness() {
        let mut stand = Stand::default();
        stand.page(0.5, &[LinkReading { address: Some(0.7), ..link(1) }, link(2)]);
        stand.page(0.5, &[LinkReading { address: Some(9.0), ..link(3) }]);
        assert_eq!(stand.value(value, 1), Some(0.7));
        assert_eq!(stand.value(value, 2), None, "an address of numbers says nothing");
        assert_eq!(stand.value(value, 3), Some(2.0), "short texts are near by chance");
    }
}
