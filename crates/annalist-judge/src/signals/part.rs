//! The part of the page that the link stands in: a section under a heading, a menu, a footer.

use super::{Known, at_most};

pub(super) fn value(known: &Known<'_>) -> Option<f32> {
    known.link.part.map(at_most)
}
