//! How many irrelevant pages lie between the link and the last relevant one: the way through a tunnel.

use super::Known;

pub(super) fn value(known: &Known<'_>) -> Option<f32> {
    Some(known.tunnel_decay.powi(i32::from(known.link.distance)))
}

#[cfg(test)]
mod tests {
    use super::value;
    use crate::signals::stand::{Stand, key, link};

    #[test]
    fn each_irrelevant_page_on_the_way_takes_something_off() {
        let mut stand = Stand::default();
        let far = stand.ledger.add(key(100), 0.0, 2, 1);
        stand.ledger.mention((far, 0), &link(1));
        assert_eq!(stand.value(value, 1), Some(0.7 * 0.7));
        let near = stand.ledger.add(key(101), 1.0, 0, 1);
        stand.ledger.mention((near, 0), &link(1));
        assert_eq!(stand.value(value, 1), Some(1.0), "the nearest way counts");
    }
}
