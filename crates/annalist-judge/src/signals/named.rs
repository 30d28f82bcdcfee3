//! People, places and things of the topic that are named at the link.

use super::Known;

/// 1 in its words, less in the text around it, nothing elsewhere.
pub(super) fn value(known: &Known<'_>) -> Option<f32> {
    known.names_are_sought.then(|| known.link.named.unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::value;
    use crate::reading::LinkReading;
    use crate::signals::stand::{Stand, link};

    #[test]
    fn a_name_counts_where_names_are_sought() {
        let mut stand = Stand::default();
        stand.page(0.5, &[LinkReading { named: Some(0.5), ..link(1) }, link(2)]);
        assert_eq!(stand.value(value, 1), None, "nobody is looked for");
        stand.names_are_sought = true;
        assert_eq!((stand.value(value, 1), stand.value(value, 2)), (Some(0.5), Some(0.0)));
    }
}
