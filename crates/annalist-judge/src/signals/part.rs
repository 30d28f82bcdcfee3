//! The part of the page that the link stands in: a section under a heading, a menu, a footer.

use super::{Known, at_most};

pub(super) fn value(known: &Known<'_>) -> Option<f32> {
    known.link.part.map(at_most)
}

#[cfg(test)]
mod tests {
    use super::value;
    use crate::reading::LinkReading;
    use crate::signals::stand::{Stand, link};

    #[test]
    fn the_part_of_the_page_counts_by_its_nearness() {
        let mut stand = Stand::default();
        stand.page(0.5, &[LinkReading { part: Some(0.4), ..link(1) }, link(2)]);
        assert_eq!((stand.value(value, 1), stand.value(value, 2)), (Some(0.4), None));
    }
}
