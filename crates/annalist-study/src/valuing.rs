//! What a link is worth, by what is known where it was found.

use annalist_judge::Vector;
use annalist_model::UrlKey;

use crate::aim::Aim;
use crate::library::Document;
use crate::policy::{Base, Policy};

/// The values of the links of a page, in their order.
pub(crate) fn values(policy: Policy, aim: &Aim, document: &Document) -> Vec<f32> {
    if let (Base::Event(kind), Some((looked_for, _))) = (policy.base, &aim.occasion) {
        return vec![rounded(looked_for.relevance(kind, document)); document.links.len()];
    }
    let page = document.vector.dot(&aim.vector);
    let links = document.links.iter().filter_map(|link| Some((link, document.page.links.get(link.place)?)));
    let value = |(link, found): (&crate::library::Followed, &annalist_model::FoundLink)| match policy.base {
        Base::Cosine(_) => mean(page, link.anchor.dot(&aim.vector)),
        Base::Default | Base::Bfs | Base::Event(_) | Base::Oracle => known(policy, aim, found.url.key()),
    };
    links.map(value).collect()
}

/// The value of a link that was found on several pages: cosines with the sum of the pages and the sum of the anchors.
/// `page` is the first of these.
pub(crate) fn value_of_sums(policy: Policy, aim: &Aim, key: UrlKey, page: f32, anchors: &[&Vector]) -> f32 {
    match policy.base {
        Base::Cosine(_) => mean(page, Vector::sum(anchors.iter().copied()).dot(&aim.vector)),
        Base::Default | Base::Bfs | Base::Event(_) | Base::Oracle => known(policy, aim, key),
    }
}

fn mean(page: f32, anchor: f32) -> f32 {
    rounded((page + anchor) / 2.0)
}

/// The last digits depend on the order in which terms were added up, and links that are worth the same should be fetched in
/// the order they were found.
fn rounded(value: f32) -> f32 {
    (value * 1e5).round() / 1e5
}

/// Where texts do not matter.
fn known(policy: Policy, aim: &Aim, key: UrlKey) -> f32 {
    match policy.base {
        Base::Oracle if aim.relevance(key).is_none() => 0.0,
        _ => 1.0,
    }
}
