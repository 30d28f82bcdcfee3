//! Relevant pages that mention the link; those of late count more.

use super::Known;
use crate::ledger::half_life;

/// So many make it half of what it can be.
const HALFWAY: f32 = 2.0;

pub(super) fn value(known: &Known<'_>) -> Option<f32> {
    let now = known.ledger.judged();
    let momentum = known.link.momentum(now, half_life(now));
    Some(momentum / (momentum + HALFWAY))
}

#[cfg(test)]
mod tests {
    use super::value;
    use crate::signals::stand::{Stand, link};

    #[test]
    fn relevant_pages_that_mention_it_count_and_of_late_above_all() {
        let mut stand = Stand::default();
        stand.page(1.0, &[link(1)]);
        stand.page(0.0, &[link(2)]);
        let [once, never] = [1, 2].map(|url| stand.value(value, url).unwrap());
        assert!(once > 0.3 && never == 0.0);
        for _ in 0..200 {
            stand.page(0.0, &[]);
        }
        let later = stand.value(value, 1).unwrap();
        assert!(later < once / 2.0 && later > 0.0, "{once} {later}");
        stand.page(1.0, &[link(1)]);
        assert!(stand.value(value, 1).unwrap() > once);
    }
}
