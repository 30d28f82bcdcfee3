//! Expressions found one by one, from any place on: for those that are only being tried. What is known already is found by the
//! automaton, all at once.

use annalist_read::tree::{NodeId, Step as Walk, Tree};

use crate::automaton::Spot;
use crate::automaton::holds;
use crate::automaton::select::ends;
use crate::xpath::{Axis, Expression, NodeTest, Path, Step};

/// What an expression finds below a node, in the page's order.
pub(super) fn find<'t>(tree: &'t Tree, from: NodeId, expression: &Expression) -> Vec<Spot<'t>> {
    let mut spots: Vec<Spot<'t>> =
        expression.paths.iter().flat_map(|path| find_path(tree, from, path)).collect();
    if expression.paths.len() > 1 {
        spots.sort_by_key(|spot| spot.node);
        spots.dedup();
    }
    spots
}

pub(super) fn find_path<'t>(tree: &'t Tree, from: NodeId, path: &Path) -> Vec<Spot<'t>> {
    let (steps, last) = path.split();
    let mut at = vec![from];
    for step in steps {
        let mut next: Vec<NodeId> = Vec::new();
        for node in at {
            next.extend(one_step(tree, node, step));
        }
        next.sort_unstable();
        next.dedup();
        at = next;
    }
    match last {
        None => at.into_iter().map(|node| Spot { node, attribute: None }).collect(),
        Some(step) => {
            let mut spots = Vec::new();
            ends(tree, &at, step, &mut spots);
            spots.into_iter().map(|(spot, _)| spot).collect()
        }
    }
}

fn one_step(tree: &Tree, node: NodeId, step: &Step) -> Vec<NodeId> {
    let fits = |other: &NodeId| {
        let Some(element) = tree.element(*other) else { return false };
        let is_kind = match &step.test {
            NodeTest::Tag(tag) => **element.name() == **tag,
            _ => true,
        };
        is_kind && holds::all(tree, *other, &step.test, &step.predicates)
    };
    match step.axis {
        Axis::Child => tree.children(node).filter(fits).collect(),
        Axis::Below => below(tree, node).filter(fits).collect(),
    }
}

/// Every element below a node.
pub(super) fn below(tree: &Tree, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    tree.walk(node).filter_map(move |step| match step {
        Walk::Enter(node) if tree.element(node).is_some() => Some(node),
        _ => None,
    })
}

/// Whether a node is another one, or inside of it.
pub(super) fn is_within(tree: &Tree, node: NodeId, outer: NodeId) -> bool {
    std::iter::successors(Some(node), |node| tree.parent(*node)).any(|node| node == outer)
}

/// The node and those around it, the innermost first.
pub(super) fn around(tree: &Tree, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    std::iter::successors(Some(node), |node| tree.parent(*node))
}
