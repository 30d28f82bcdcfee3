//! The text around the link.

use super::{Known, at_most};

/// How near the best of the lines it stands in is to the topic.
pub(super) fn value(known: &Known<'_>) -> Option<f32> {
    known.link.context.map(at_most)
}
