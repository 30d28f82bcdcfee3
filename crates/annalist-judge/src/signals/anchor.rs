//! The words of the link itself.

use super::{Known, at_most};

/// How near the best of its anchors is to the topic. "Click here" has no words that say anything and tells nothing.
pub(super) fn value(known: &Known<'_>) -> Option<f32> {
    known.link.anchor.map(at_most)
}
