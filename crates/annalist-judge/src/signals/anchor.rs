//! The words of the link itself.

use super::{Known, at_most};

/// How near the best of its anchors is to the topic. "Click here" has no words that say anything and tells nothing.
pub(super) fn value(known: &Known<'_>) -> Option<f32> {
    known.link.anchor.map(at_most)
}

#[cfg(test)]
mod tests {
    use super::value;
    use crate::reading::LinkReading;
    use crate::signals::stand::{Stand, link};

    #[test]
    fn the_best_of_its_anchors_counts_and_click_here_is_none() {
        let mut stand = Stand::default();
        for anchor in [Some(0.2), Some(0.8), None] {
            stand.page(0.5, &[LinkReading { anchor, ..link(1) }]);
        }
        stand.page(0.5, &[link(2)]);
        assert_eq!((stand.value(value, 1), stand.value(value, 2)), (Some(0.8), None));
    }
}
