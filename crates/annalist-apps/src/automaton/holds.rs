//! Whether a condition holds at one element, looked up in the tree.

use annalist_read::tree::{NodeId, Step, Tree};

use super::Beside;
use crate::xpath::{NodeTest, Operator, Predicate, Test, Value};

/// Whether all conditions hold, in their order: a count is of those that fulfil what stands before it.
pub(crate) fn all(tree: &Tree, node: NodeId, test: &NodeTest, predicates: &[Predicate]) -> bool {
    (0..predicates.len()).all(|place| {
        let (before, rest) = predicates.split_at(place);
        match rest.first() {
            Some(Predicate::Is(test)) => holds(tree, node, test),
            Some(Predicate::IsNot(test)) => !holds(tree, node, test),
            Some(Predicate::Position(number)) => {
                let earlier = siblings_before(tree, node).filter(|other| fits(tree, *other, test, before));
                earlier.take(*number as usize).count() + 1 == *number as usize
            }
            Some(Predicate::Last) => !siblings_after(tree, node).any(|other| fits(tree, other, test, before)),
            None => true,
        }
    })
}

fn fits(tree: &Tree, node: NodeId, test: &NodeTest, predicates: &[Predicate]) -> bool {
    let Some(element) = tree.element(node) else { return false };
    let is_kind = match test {
        NodeTest::Tag(tag) => **element.name() == **tag,
        _ => true,
    };
    is_kind && all(tree, node, test, predicates)
}

fn siblings_before(tree: &Tree, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    std::iter::successors(tree.previous_sibling(node), |node| tree.previous_sibling(*node))
}

fn siblings_after(tree: &Tree, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    std::iter::successors(tree.next_sibling(node), |node| tree.next_sibling(*node))
}

pub(super) fn holds(tree: &Tree, node: NodeId, test: &Test) -> bool {
    match &test.value {
        Value::Attribute(name) => {
            let value = tree.element(node).and_then(|element| element.attribute(name));
            value.is_some_and(|value| test.operator.holds(value))
        }
        Value::Child(name) => tree.children(node).any(|child| {
            tree.element(child).is_some_and(|element| **element.name() == **name)
                && (test.operator == Operator::Exists || test.operator.holds(&string_value(tree, child)))
        }),
        Value::Own => test.operator.holds(&string_value(tree, node)),
    }
}

/// Only what is said of attributes can hold where there is no tree.
pub(super) fn all_beside(element: &Beside, predicates: &[Predicate]) -> bool {
    let holds = |test: &Test| match &test.value {
        Value::Attribute(name) => {
            let mut values = element.attributes.iter().filter(|(other, _)| other == name);
            values.any(|(_, value)| test.operator.holds(value))
        }
        _ => false,
    };
    predicates.iter().all(|predicate| match predicate {
        Predicate::Is(test) => holds(test),
        Predicate::IsNot(test) => !holds(test),
        Predicate::Position(_) | Predicate::Last => false,
    })
}

/// Of a longer text, or of more nodes, only the beginning is asked: elements that stand in each other would all be read to
/// their common end.
const MOST_BYTES: usize = 128 << 10;
const MOST_STEPS: usize = 16 << 10;

/// The text of a node with all below it, white space folded: what a person would compare with.
pub(crate) fn string_value(tree: &Tree, node: NodeId) -> String {
    let mut text = String::new();
    let below = tree.walk(node).take(MOST_STEPS).filter_map(|step| match step {
        Step::Enter(below) => tree.text(below),
        Step::Leave(_) => None,
    });
    for piece in tree.text(node).into_iter().chain(below) {
        text.extend(piece.chars().take(MOST_BYTES));
        if text.len() >= MOST_BYTES {
            break;
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
