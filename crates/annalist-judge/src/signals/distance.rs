//! How many irrelevant pages lie between the link and the last relevant one: the way through a tunnel.

use super::Known;

pub(super) fn value(known: &Known<'_>) -> Option<f32> {
    Some(known.tunnel_decay.powi(i32::from(known.link.distance)))
}
