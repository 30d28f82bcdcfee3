//! An expression for places that are known: the simplest that finds them, and as little else as can be.

use annalist_read::tree::{NodeId, Tree};

use super::relax::steps_for;
use super::search::find_path;
use crate::xpath::{Axis, NodeTest, Path, Step};

/// For one place in each of some contexts: the first thing it finds in each must be that place.
pub(super) fn first_in_each(tree: &Tree, places: &[(NodeId, NodeId)]) -> Option<Path> {
    let (context, wanted) = *places.first()?;
    if places.iter().all(|(context, wanted)| context == wanted) {
        return Some(Path::default());
    }
    candidates(tree, wanted, context).into_iter().find(|path| {
        places.iter().all(|(context, wanted)| {
            find_path(tree, *context, path).first().is_some_and(|spot| spot.node == *wanted)
        })
    })
}

/// For all of some places in a page; of those that find them all, the one that finds least else.
pub(super) fn all_of(tree: &Tree, wanted: &[NodeId]) -> Option<Path> {
    let first = *wanted.first()?;
    let mut best: Option<(usize, Path)> = None;
    for path in candidates(tree, first, NodeId::ROOT) {
        let found = find_path(tree, NodeId::ROOT, &path);
        let finds_all = wanted.iter().all(|node| found.iter().any(|spot| spot.node == *node));
        // Places inside of the places would be objects of their own.
        let more = found.len().saturating_sub(wanted.len());
        if finds_all && best.as_ref().is_none_or(|(least, _)| more < *least) {
            best = Some((more, path));
        }
    }
    best.map(|(_, path)| path)
}

/// Ways to name a node: by itself, then together with what is around it.
fn candidates(tree: &Tree, node: NodeId, context: NodeId) -> Vec<Path> {
    let own = steps_for(tree, node);
    let mut paths: Vec<Path> = Vec::new();
    let has_name = |step: &Step| !step.predicates.is_empty();
    paths.extend(own.iter().filter(|step| has_name(step)).map(|step| Path { steps: vec![step.clone()] }));
    let mut outer = tree.parent(node);
    let mut levels = 0;
    while let Some(parent) = outer.filter(|parent| *parent != context && levels < 3) {
        for step in steps_for(tree, parent).into_iter().filter(has_name) {
            for own in &own {
                let below = Step { axis: if levels == 0 { Axis::Child } else { Axis::Below }, ..own.clone() };
                paths.push(Path { steps: vec![step.clone(), below] });
            }
        }
        outer = tree.parent(parent);
        levels += 1;
    }
    // The tag alone comes last: it says little.
    paths.extend(own.iter().filter(|step| !has_name(step)).map(|step| Path { steps: vec![step.clone()] }));
    paths.retain(|path| {
        !matches!(path.steps.first(), Some(Step { test: NodeTest::Tag(tag), predicates, .. })
            if predicates.is_empty() && path.steps.len() == 1 && matches!(tag.as_str(), "html" | "body"))
    });
    paths
}
