//! What is one thing to its reader may stand in two elements that follow each other and are called the same: a body with an
//! advertisement's place in it, a post whose head and text have a frame each.

use std::collections::HashMap;

use annalist_read::tree::{NodeId, Tree};

use super::{Found, Values};
use crate::catalogue::Field;

/// Whether an element follows another with nothing in between, and is of its kind.
pub(super) fn goes_on(tree: &Tree, one: NodeId, next: NodeId) -> bool {
    let kind = |node| {
        let element = tree.element(node)?;
        Some((element.name(), element.attribute("class")))
    };
    before(tree, next) == Some(one) && kind(one).is_some() && kind(one) == kind(next)
}

/// The element before another, where there are only spaces between them.
fn before(tree: &Tree, node: NodeId) -> Option<NodeId> {
    let mut before = tree.previous_sibling(node);
    while let Some(node) = before {
        if tree.element(node).is_some() {
            return Some(node);
        }
        if tree.text(node).is_some_and(|text| !text.trim().is_empty()) {
            return None;
        }
        before = tree.previous_sibling(node);
    }
    None
}

/// Puts together the values of objects that are parts of one. Gives for each object the one that it is a part of.
pub(super) fn join(found: &Found, tree: &Tree, values: &mut [Values]) -> Vec<Option<usize>> {
    let mut parts: Vec<Option<usize>> = vec![None; values.len()];
    // Of each plan, whether its first object has a head. Where it has none, heads may follow their texts, and all would be mixed up.
    let mut begins: HashMap<usize, bool> = HashMap::new();
    for (place, (node, kind)) in found.places.iter().enumerate() {
        let (head, tail) = values.split_at_mut(place);
        let Some(part) = tail.first_mut() else { continue };
        let is_headed =
            *begins.entry(*kind).or_insert_with(|| HEAD.iter().any(|field| part.of.contains_key(field)));
        let neighbour = before(tree, *node)
            .filter(|before| is_headed && goes_on(tree, *before, *node))
            .and_then(|before| found.by_node.get(&before).copied());
        // One inside of another is another one, unless they have the same number.
        let is_same = |outer: &usize| head.get(*outer).is_some_and(|outer| is_same(outer, part));
        let whole = neighbour
            .or_else(|| found.enclosing(tree, *node).filter(is_same))
            .filter(|whole| found.kind(*whole) == Some(*kind))
            // Of three, the third is a part of the first.
            .map(|whole| parts.get(whole).copied().flatten().unwrap_or(whole));
        let Some((whole, first)) = whole.and_then(|whole| Some((whole, head.get_mut(whole)?))) else {
            continue;
        };
        if is_part(first, part) {
            first.take(part);
            if let Some(part) = parts.get_mut(place) {
                *part = Some(whole);
            }
        }
    }
    parts
}

/// What stands at the head of a post.
const HEAD: [Field; 2] = [Field::Author, Field::Date];

/// Where both are numbered, the number tells whether two are one; else each has what the other has not, and nothing is left to say.
fn is_part(whole: &Values, part: &Values) -> bool {
    let is_in = |values: &Values, field: &Field| values.of.contains_key(field);
    match (whole.of.get(&Field::Id), part.of.get(&Field::Id)) {
        (Some(_), Some(_)) => is_same(whole, part),
        (None, Some(_)) => false,
        (_, None) => HEAD.iter().all(|field| is_in(whole, field) != is_in(part, field)),
    }
}

/// Whether two have the same number. What is called the same everywhere is no number, nor is what different people wrote one thing.
fn is_same(one: &Values, other: &Values) -> bool {
    let number = |values: &Values| {
        values.of.get(&Field::Id)?.first().filter(|id| id.contains(|c: char| c.is_ascii_digit())).cloned()
    };
    let agree = |field: &Field| match (one.of.get(field), other.of.get(field)) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    };
    number(one).is_some() && number(one) == number(other) && HEAD.iter().all(agree)
}

impl Values {
    /// Takes over what another has: what it lacks itself, and the rest of the body.
    fn take(&mut self, part: &mut Values) {
        for (field, values) in std::mem::take(&mut part.of) {
            let own = self.of.entry(field).or_default();
            match own.first_mut() {
                Some(body) if field == Field::Body => {
                    for more in values {
                        body.push('\n');
                        body.push_str(&more);
                    }
                }
                Some(_) if !field.is_list() => {}
                _ => own.extend(values),
            }
        }
    }
}
