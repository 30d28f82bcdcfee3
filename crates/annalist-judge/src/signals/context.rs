//! The text around the link.

use super::{Known, at_most};

/// How near the best of the lines it stands in is to the topic.
pub(super) fn value(known: &Known<'_>) -> Option<f32> {
    known.link.context.map(at_most)
}

#[cfg(test)]
mod tests {
    use super::value;
    use crate::reading::LinkReading;
    use crate::signals::stand::{Stand, link};

    #[test]
    fn the_best_line_it_stands_in_counts() {
        let mut stand = Stand::default();
        for context in [Some(0.1), Some(0.6), Some(0.3)] {
            stand.page(0.5, &[LinkReading { context, ..link(1) }]);
        }
        stand.page(0.5, &[link(2)]);
        assert_eq!((stand.value(value, 1), stand.value(value, 2)), (Some(0.6), None));
    }
}
