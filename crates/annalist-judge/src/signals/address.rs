//! The words in the link's address.

use super::{Known, at_most};

pub(super) fn value(known: &Known<'_>) -> Option<f32> {
    known.link.address.map(at_most)
}
