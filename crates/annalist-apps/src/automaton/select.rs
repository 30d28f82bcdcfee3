//! What a pattern has found: elements, and what stands at their ends: attributes and text.

use annalist_read::tree::{NodeId, Step as Walk, Tree};

use super::{Matches, Pattern, holds};
use crate::xpath::{Axis, NodeTest, Predicate, Step, Test, Value};

/// A place that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot<'t> {
    /// The element, or the text node; for an attribute its element.
    pub node: NodeId,
    /// The attribute's value, if it is one.
    pub attribute: Option<&'t str>,
}

/// All places a pattern has found, in the page's order.
pub fn select<'t>(tree: &'t Tree, matches: &Matches, pattern: &Pattern) -> Vec<Spot<'t>> {
    let mut spots = Vec::new();
    for (state, last) in &pattern.ends {
        for node in matches.nodes(*state) {
            match last {
                None => spots.push(Spot { node: *node, attribute: None }),
                Some(step) => end(tree, *node, step, &mut spots),
            }
        }
    }
    if pattern.ends.len() > 1 {
        spots.sort_by_key(|spot| spot.node);
        spots.dedup();
    }
    spots
}

pub(crate) fn end<'t>(tree: &'t Tree, node: NodeId, step: &Step, spots: &mut Vec<Spot<'t>>) {
    match step.axis {
        Axis::Child => end_at(tree, node, step, spots),
        Axis::Below => {
            end_at(tree, node, step, spots);
            for walked in tree.walk(node) {
                if let Walk::Enter(below) = walked
                    && tree.element(below).is_some()
                {
                    end_at(tree, below, step, spots);
                }
            }
        }
    }
}

/// The attributes, or the text children, of one element.
fn end_at<'t>(tree: &'t Tree, node: NodeId, step: &Step, spots: &mut Vec<Spot<'t>>) {
    let mut here: Vec<Spot<'t>> = match &step.test {
        NodeTest::Text => {
            let texts = tree.children(node).filter(|child| tree.text(*child).is_some());
            texts.map(|node| Spot { node, attribute: None }).collect()
        }
        NodeTest::Attribute(name) => {
            let value = tree.element(node).and_then(|element| element.attribute(name));
            value.map(|value| Spot { node, attribute: Some(value) }).into_iter().collect()
        }
        NodeTest::AnyAttribute => {
            let attributes = tree.element(node).into_iter().flat_map(|element| element.attributes());
            attributes.map(|(_, value)| Spot { node, attribute: Some(value) }).collect()
        }
        NodeTest::Tag(_) | NodeTest::AnyTag => Vec::new(),
    };
    for predicate in &step.predicates {
        let count = here.len();
        let mut place = 0;
        here.retain(|spot| {
            place += 1;
            match predicate {
                Predicate::Is(test) => holds_at(tree, spot, test),
                Predicate::IsNot(test) => !holds_at(tree, spot, test),
                Predicate::Position(number) => place == *number as usize,
                Predicate::Last => place == count,
            }
        });
    }
    spots.append(&mut here);
}

/// Attributes and text have neither attributes nor children, only what they say.
fn holds_at(tree: &Tree, spot: &Spot<'_>, test: &Test) -> bool {
    match (&test.value, spot.attribute) {
        (Value::Own, Some(value)) => test.operator.holds(value),
        (Value::Own, None) => test.operator.holds(&holds::string_value(tree, spot.node)),
        _ => false,
    }
}
