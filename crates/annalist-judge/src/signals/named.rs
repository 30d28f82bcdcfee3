//! People, places and things of the topic that are named at the link.

use super::Known;

/// 1 in its words, less in the text around it, nothing elsewhere.
pub(super) fn value(known: &Known<'_>) -> Option<f32> {
    known.names_are_sought.then(|| known.link.named.unwrap_or(0.0))
}
