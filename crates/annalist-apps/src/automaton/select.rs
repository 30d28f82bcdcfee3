//! What a pattern has found: elements, and what stands at their ends: attributes and text.

use annalist_read::tree::{NodeId, Step as Walk, Tree};

use super::{Beside, Matches, Pattern, holds};
use crate::xpath::{Axis, NodeTest, Predicate, Step, Test, Value};

/// A place that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot<'t> {
    /// The element, or the text node; for an attribute its element.
    pub node: NodeId,
    /// The attribute's value, if it is one.
    pub attribute: Option<&'t str>,
}

/// With its number among the attributes of its element, 0 where it is none: two of them may have the same value.
pub(crate) type Numbered<'t> = (Spot<'t>, usize);

/// All places a pattern has found, each once, in the page's order.
pub fn select<'t>(tree: &'t Tree, matches: &Matches, pattern: &Pattern) -> Vec<Spot<'t>> {
    let mut spots: Vec<Numbered<'t>> = Vec::new();
    for (state, last) in &pattern.ends {
        let nodes = matches.nodes(*state);
        match last {
            None => spots.extend(nodes.iter().map(|node| (Spot { node: *node, attribute: None }, 0))),
            Some(step) => ends(tree, nodes, step, &mut spots),
        }
    }
    spots.sort_by_key(|(spot, number)| (matches.place(spot.node), *number));
    spots.dedup_by_key(|(spot, number)| (spot.node, *number));
    spots.into_iter().map(|(spot, _)| spot).collect()
}

pub(crate) fn ends<'t>(tree: &'t Tree, nodes: &[NodeId], step: &Step, spots: &mut Vec<Numbered<'t>>) {
    // What is below an element that was walked through is done: nodes come in the page's order.
    let mut walked = None;
    for node in nodes {
        if walked.is_some_and(|top| is_inside(tree, *node, top)) {
            continue;
        }
        end_at(tree, *node, step, spots);
        if step.axis == Axis::Below {
            walked = Some(*node);
            for walked in tree.walk(*node) {
                if let Walk::Enter(below) = walked
                    && tree.element(below).is_some()
                {
                    end_at(tree, below, step, spots);
                }
            }
        }
    }
}

fn is_inside(tree: &Tree, node: NodeId, top: NodeId) -> bool {
    std::iter::successors(Some(node), |node| tree.parent(*node)).any(|around| around == top)
}

/// The attributes, or the text children, of one element.
fn end_at<'t>(tree: &'t Tree, node: NodeId, step: &Step, spots: &mut Vec<Numbered<'t>>) {
    let mut here: Vec<Numbered<'t>> = match &step.test {
        NodeTest::Text => {
            let texts = tree.children(node).filter(|child| tree.text(*child).is_some());
            texts.map(|node| (Spot { node, attribute: None }, 0)).collect()
        }
        test => {
            let attributes = tree.element(node).into_iter().flat_map(|element| element.attributes());
            let named = attributes.enumerate().filter(|(_, (name, _))| is_named(test, name));
            named.map(|(number, (_, value))| (Spot { node, attribute: Some(value) }, number + 1)).collect()
        }
    };
    keep(&mut here, &step.predicates, |(spot, _), test| match spot.attribute {
        Some(value) => test.operator.holds(value),
        None => test.operator.holds(&holds::string_value(tree, spot.node)),
    });
    spots.append(&mut here);
}

/// Whether anything stands at the end of an element that is not in the page.
pub(super) fn ends_beside(element: &Beside, step: &Step) -> bool {
    let mut here: Vec<&str> = element
        .attributes
        .iter()
        .filter(|(name, _)| is_named(&step.test, name))
        .map(|(_, value)| value.as_str())
        .collect();
    keep(&mut here, &step.predicates, |value, test| test.operator.holds(value));
    !here.is_empty()
}

fn is_named(test: &NodeTest, name: &str) -> bool {
    match test {
        NodeTest::Attribute(wanted) => wanted == name,
        NodeTest::AnyAttribute => true,
        NodeTest::Text | NodeTest::Tag(_) | NodeTest::AnyTag => false,
    }
}

/// Attributes and text have neither attributes nor children, only what they say.
fn keep<T>(here: &mut Vec<T>, predicates: &[Predicate], says: impl Fn(&T, &Test) -> bool) {
    let holds = |one: &T, test: &Test| test.value == Value::Own && says(one, test);
    for predicate in predicates {
        let count = here.len();
        let mut place = 0;
        here.retain(|one| {
            place += 1;
            match predicate {
                Predicate::Is(test) => holds(one, test),
                Predicate::IsNot(test) => !holds(one, test),
                Predicate::Position(number) => place == *number as usize,
                Predicate::Last => place == count,
            }
        });
    }
}
