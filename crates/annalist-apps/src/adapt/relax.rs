//! Relaxed expressions: a condition left out, a tag, an attribute or a value replaced by one that the page has. Those with the fewest
//! changes come first; of these, what others of the same kind of application use, then what is called as such things are called.

use std::collections::HashSet;

use annalist_read::tree::{NodeId, Tree};

use super::search::below;
use crate::xpath::{Axis, NodeTest, Operator, Path, Predicate, Step, Test, Value};

/// What is tried at most for one expression.
const MOST_CANDIDATES: usize = 200;
/// Elements whose names are looked at, and the names of one of them: real pages have fewer.
const MOST_NODES: usize = 4_000;
const MOST_WORDS: usize = 8;

/// A relaxed path and how far it is from the one it came from.
#[derive(Clone, Debug)]
pub(super) struct Relaxed {
    pub path: Path,
    pub changes: u32,
    /// More than one change in one step: what is tried last.
    pub is_worst_case: bool,
    /// How it is liked: 0 for what others use or what is called much as before, 1 for what is called as such things are, 2 for anything else.
    pub dislike: u32,
}

/// How a name that the page has would be liked.
pub(super) struct Taste<'k> {
    /// Steps that other applications of the same general type have for the same purpose.
    pub known: &'k HashSet<Step>,
    /// Words that such places are customarily named with.
    pub customary: &'k [&'static str],
}

/// Relaxations of a path whose elements are below some nodes: only the last element's step is changed, what stands before it may
/// be left out. The order is that in which they are tried.
pub(super) fn relaxations(tree: &Tree, within: &[NodeId], path: &Path, taste: &Taste<'_>) -> Vec<Relaxed> {
    let (steps, last) = path.split();
    let Some((target, before)) = steps.split_last() else { return Vec::new() };
    let mut seen: HashSet<Step> = HashSet::new();
    let mut found: Vec<Relaxed> = on_the_way(tree, within, path);
    let mut nodes: Vec<NodeId> = within.iter().flat_map(|node| below(tree, *node)).take(MOST_NODES).collect();
    nodes.sort_unstable();
    nodes.dedup();
    for node in nodes {
        for step in steps_for(tree, node) {
            if !seen.insert(step.clone()) {
                continue;
            }
            let changes = distance(target, &step);
            let is_kin = is_kin(target, &step);
            let is_known = taste
                .known
                .iter()
                .any(|known| known.test == step.test && known.predicates == step.predicates);
            let dislike =
                if is_kin || is_known { 0 } else { 2 - u32::from(is_customary(&step, taste.customary)) };
            let mut alone = Path { steps: vec![step.clone()] };
            alone.steps.extend(last.cloned());
            if changes > 0 || !before.is_empty() {
                let left_out = before.len() as u32;
                found.push(Relaxed {
                    path: alone,
                    changes: changes + left_out,
                    is_worst_case: changes > 1,
                    dislike,
                });
            }
            if !before.is_empty() && changes > 0 {
                let mut whole = Path { steps: before.to_vec() };
                whole.steps.push(Step { axis: target.axis, ..step });
                whole.steps.extend(last.cloned());
                found.push(Relaxed { path: whole, changes, is_worst_case: changes > 1, dislike });
            }
        }
    }
    found.sort_by_key(|relaxed| {
        (relaxed.is_worst_case && relaxed.dislike > 0, relaxed.dislike, relaxed.changes)
    });
    found.truncate(MOST_CANDIDATES);
    found
}

/// One step before the last is changed: what it was called may be called much alike now, or nothing.
fn on_the_way(tree: &Tree, within: &[NodeId], path: &Path) -> Vec<Relaxed> {
    let (steps, _) = path.split();
    let mut found = Vec::new();
    for (place, step) in steps.iter().enumerate().take(steps.len().saturating_sub(1)) {
        if step.predicates.is_empty() {
            continue;
        }
        let mut instead: Vec<(Step, u32)> = Vec::new();
        for node in within.iter().flat_map(|node| below(tree, *node)).take(MOST_NODES) {
            for other in steps_for(tree, node) {
                let other = Step { axis: step.axis, ..other };
                if is_kin(step, &other) && other != *step && !instead.iter().any(|(known, _)| *known == other)
                {
                    instead.push((other, 0));
                }
            }
        }
        instead.push((Step { test: step.test.clone(), predicates: Vec::new(), axis: step.axis }, 1));
        for (other, dislike) in instead {
            let mut changed = path.clone();
            if let Some(slot) = changed.steps.get_mut(place) {
                *slot = other;
            }
            found.push(Relaxed { path: changed, changes: 1, is_worst_case: false, dislike });
        }
    }
    found
}

/// The ways in which one step can name an element: by each word of its class, by its id, by the properties it declares, by its tag.
pub(super) fn steps_for(tree: &Tree, node: NodeId) -> Vec<Step> {
    let Some(element) = tree.element(node) else { return Vec::new() };
    let tag = NodeTest::Tag(element.name().to_string());
    let step = |test: Option<Test>| Step {
        axis: Axis::Below,
        test: tag.clone(),
        predicates: test.map(Predicate::Is).into_iter().collect(),
    };
    let with = |name: &str, operator: Operator| {
        step(Some(Test { value: Value::Attribute(name.to_owned()), operator }))
    };
    let mut steps = Vec::new();
    for (name, value) in element.attributes() {
        match &**name {
            "class" => {
                let words = value.split_ascii_whitespace().filter(|word| is_name(word)).take(MOST_WORDS);
                steps.extend(words.map(|word| with("class", Operator::Has(word.to_owned()))));
            }
            "id" | "name" if is_quotable(value) && !value.is_empty() => {
                let stem = value.trim_end_matches(|c: char| c.is_ascii_digit());
                if stem.len() < value.len() && !stem.is_empty() {
                    steps.push(with(name, Operator::StartsWith(stem.to_owned())));
                } else if stem.len() == value.len() {
                    steps.push(with(name, Operator::Equals(value.to_owned())));
                }
            }
            "itemprop" | "rel" | "property" | "role" => {
                let words = value.split_ascii_whitespace().filter(|word| is_name(word)).take(MOST_WORDS);
                steps.extend(words.map(|word| with(name, Operator::Has(word.to_owned()))));
            }
            _ => {}
        }
    }
    steps.push(step(None));
    steps
}

/// A class that names a kind of thing, not one thing: no number in it.
fn is_name(word: &str) -> bool {
    is_quotable(word) && !word.bytes().any(|byte| byte.is_ascii_digit())
}

fn is_quotable(text: &str) -> bool {
    !(text.contains('\'') && text.contains('"'))
}

/// How many changes make one step of another.
fn distance(one: &Step, other: &Step) -> u32 {
    let tag = u32::from(one.test != other.test);
    let kept = one.predicates.iter().filter(|predicate| other.predicates.contains(predicate)).count();
    // What is replaced is one change, what is left out or added is another.
    let lost = one.predicates.len() - kept;
    let added = other.predicates.len() - kept;
    tag + lost.max(added) as u32
}

/// Whether a name has a part of the name it stands for: `post-title` and `mypost-title`.
fn is_kin(before: &Step, now: &Step) -> bool {
    const LEAST: usize = 4;
    let names = |step: &Step| literals(step).map(str::to_lowercase).collect::<Vec<_>>();
    let (before, now) = (names(before), names(now));
    let long = |name: &&String| name.len() >= LEAST;
    before.iter().filter(long).any(|old| {
        now.iter().filter(long).any(|new| new.contains(old.as_str()) || old.contains(new.as_str()))
    })
}

fn literals(step: &Step) -> impl Iterator<Item = &str> {
    step.predicates.iter().filter_map(|predicate| match predicate {
        Predicate::Is(Test { operator, .. }) => match operator {
            Operator::Has(text)
            | Operator::Equals(text)
            | Operator::StartsWith(text)
            | Operator::Contains(text) => Some(text.as_str()),
            Operator::Exists => None,
        },
        _ => None,
    })
}

/// Whether a part of a name is a customary word: long ones may be part of a longer word, `fn` may not.
fn is_customary(step: &Step, words: &[&str]) -> bool {
    const LONG: usize = 6;
    literals(step).any(|name| {
        let name = name.to_lowercase();
        let mut parts = name.split(|c: char| !c.is_alphanumeric());
        parts
            .any(|part| words.iter().any(|word| part == *word || (word.len() >= LONG && part.contains(word))))
    })
}
