//! The one mention whose neighbours did best: one good list outweighs many menus.

use super::Known;

pub(super) fn value(known: &Known<'_>) -> Option<f32> {
    known.link.mentions().filter_map(|at| known.ledger.expected(at)).max_by(f32::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::value;
    use crate::signals::stand::{Stand, link};

    #[test]
    fn one_good_list_outweighs_many_menus() {
        let mut stand = Stand::default();
        for page in 0..5 {
            let menu = stand.page(0.5, &[link(100 + page), link(1)]);
            stand.ledger.credit((menu, 0), 0.0);
        }
        let before = stand.value(value, 1).unwrap();
        let list = stand.page(0.5, &[link(200), link(1)]);
        stand.ledger.credit((list, 0), 1.0);
        assert!(stand.value(value, 1).unwrap() > before + 0.1);
        assert_eq!(stand.value(value, 1), stand.ledger.expected((list, 1)));
    }
}
