//! The one mention whose neighbours did best: one good list outweighs many menus.

use super::Known;

pub(super) fn value(known: &Known<'_>) -> Option<f32> {
    known.link.mentions().filter_map(|at| known.ledger.expected(at)).max_by(f32::total_cmp)
}
