//! All expressions of a catalogue as one automaton, run once over a page: steps that begin alike are one state, and
//! which conditions an element fulfils is looked up by the element's attributes, not tried one by one. What a page
//! costs does not grow with the number of expressions, only with how much of them it fulfils.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use annalist_read::tree::{Element, LocalName, NodeId, Step as Walk, Tree};

use crate::xpath::{NodeTest, Predicate, Step};

mod build;
mod hasher;
pub(crate) mod holds;
pub(crate) mod select;

pub use build::Builder;
use build::Conditions;
use hasher::Quick;
pub use select::{Spot, select};

/// For keys that nobody can choose to collide.
pub(crate) type Map<K, V> = HashMap<K, V, BuildHasherDefault<Quick>>;

/// A point on the way through an expression; reached at elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State(u32);

const START: State = State(0);

/// Where the paths of an expression end, and what is taken from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    ends: Vec<(State, Option<Step>)>,
}

impl Pattern {
    /// The states at which it has found its elements.
    pub fn states(&self) -> impl Iterator<Item = State> + '_ {
        self.ends.iter().map(|(state, _)| *state)
    }
}

/// A number for a condition on an attribute; 0 is none.
type Atom = u32;
const NO_ATOM: Atom = 0;
/// A number for a tag; 0 is any.
type Tag = u32;
const ANY_TAG: Tag = 0;

/// A step from one state to the next.
#[derive(Clone, Debug)]
struct Transition {
    tag: Tag,
    /// A condition that must hold.
    atom: Atom,
    /// What the atom does not say.
    rest: Vec<Predicate>,
    test: NodeTest,
    to: State,
}

/// What leads on from a state.
#[derive(Clone, Debug, Default)]
struct Ways {
    below: Steps,
    child: Steps,
}

/// Steps in the order of their tags and atoms, which lie close together: they are asked at every element.
#[derive(Clone, Debug, Default)]
struct Steps {
    keys: Vec<(Tag, Atom)>,
    all: Vec<Transition>,
    /// The atoms of those that take any tag, and the tags of the others: most elements have none of them.
    any_tag: Signs,
    tags: Signs,
}

/// Numbers, a bit for many of them.
#[derive(Clone, Copy, Debug, Default)]
struct Signs(u64);

impl Signs {
    fn add(&mut self, number: u32) {
        self.0 |= 1 << (number % u64::BITS);
    }

    fn of(numbers: &[u32]) -> Signs {
        let mut signs = Signs::default();
        numbers.iter().for_each(|number| signs.add(*number));
        signs
    }

    fn may_share(self, other: Signs) -> bool {
        self.0 & other.0 != 0
    }
}

impl Steps {
    fn new(mut all: Vec<Transition>) -> Steps {
        let key = |transition: &Transition| (transition.tag, transition.atom);
        all.sort_by_key(key);
        let keys: Vec<(Tag, Atom)> = all.iter().map(key).collect();
        let (mut any_tag, mut tags) = (Signs::default(), Signs::default());
        for (tag, atom) in &keys {
            match *tag {
                ANY_TAG => any_tag.add(*atom),
                tag => tags.add(tag),
            }
        }
        Steps { keys, all, any_tag, tags }
    }

    /// Those for a tag and for elements that fulfil these conditions.
    fn each(&self, tag: Tag, atoms: &[Atom], signs: Signs, reach: &mut impl FnMut(&Transition)) {
        if self.any_tag.may_share(signs) {
            self.each_of(ANY_TAG, atoms, reach);
        }
        if tag != ANY_TAG && self.tags.may_share(Signs::of(&[tag])) {
            self.each_of(tag, atoms, reach);
        }
    }

    fn each_of(&self, tag: Tag, atoms: &[Atom], reach: &mut impl FnMut(&Transition)) {
        /// So many are looked through sooner than looked up.
        const FEW: usize = 12;
        let from = self.keys.partition_point(|key| key.0 < tag);
        let keys = self.keys.get(from..).unwrap_or_default();
        let all = self.all.get(from..).unwrap_or_default();
        if keys.get(FEW).is_none_or(|key| key.0 != tag) {
            for (key, step) in keys.iter().zip(all).take_while(|(key, _)| key.0 == tag) {
                if key.1 == NO_ATOM || atoms.contains(&key.1) {
                    reach(step);
                }
            }
            return;
        }
        for atom in atoms {
            let first = keys.partition_point(|key| *key < (tag, *atom));
            let alike = keys.iter().zip(all).skip(first);
            alike.take_while(|(key, _)| **key == (tag, *atom)).for_each(|(_, step)| reach(step));
        }
    }
}

/// An element that is not in the page: what the response says beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beside {
    pub tag: &'static str,
    pub attributes: Vec<(&'static str, String)>,
}

/// See [`Builder`].
#[derive(Debug)]
pub struct Automaton {
    attributes: Map<LocalName, Conditions>,
    tags: Map<LocalName, Tag>,
    /// The first steps of expressions: there are many, so they are looked up by what an element is.
    anywhere: Map<(Tag, Atom), Vec<Transition>>,
    at_top: Map<(Tag, Atom), Vec<Transition>>,
    /// The further steps: few of them are ever under way.
    ways: Vec<Ways>,
    is_end: Vec<bool>,
}

/// Which elements each expression has found.
#[derive(Debug, Default)]
pub struct Matches {
    found: Map<State, Vec<NodeId>>,
    /// States reached beside the page, where there are no nodes.
    beside: Vec<(State, Beside)>,
    /// The place of each node, where their numbers do not say it: in markup that was repaired.
    order: Option<HashMap<NodeId, usize>>,
}

impl Matches {
    /// In the page's order.
    pub fn nodes(&self, state: State) -> &[NodeId] {
        self.found.get(&state).map_or(&[], Vec::as_slice)
    }

    /// All states that were reached, in the page or beside it.
    pub fn states(&self) -> impl Iterator<Item = State> + '_ {
        self.found.keys().copied().chain(self.beside.iter().map(|(state, _)| *state))
    }

    /// What nodes are sorted by to be in the page's order.
    pub(crate) fn place(&self, node: NodeId) -> (usize, NodeId) {
        let place = self.order.as_ref().and_then(|order| order.get(&node).copied());
        (place.unwrap_or(0), node)
    }

    /// Whether a pattern has found anything.
    pub fn holds(&self, pattern: &Pattern, tree: &Tree) -> bool {
        let beside = |state: &State, last: &Option<Step>| {
            let reached = self.beside.iter().filter(|(other, _)| other == state);
            reached
                .map(|(_, element)| element)
                .any(|element| last.as_ref().is_none_or(|last| select::ends_beside(element, last)))
        };
        pattern
            .ends
            .iter()
            .any(|(state, last)| beside(state, last) || (last.is_none() && !self.nodes(*state).is_empty()))
            || !select(tree, self, pattern).is_empty()
    }
}

impl Automaton {
    /// Runs over what is beside the page, then over the page.
    pub fn run(&self, tree: &Tree, beside: &[Beside]) -> Matches {
        let mut run = Run {
            automaton: self,
            open: Vec::new(),
            reached: Vec::new(),
            frames: Vec::new(),
            atoms: Vec::new(),
            now: Vec::new(),
            matches: Matches::default(),
        };
        run.matches.found.insert(START, vec![NodeId::ROOT]);
        for element in beside {
            run.look_beside(element);
        }
        let (mut last, mut is_in_order) = (NodeId::ROOT, true);
        for step in tree.walk(NodeId::ROOT) {
            match step {
                Walk::Enter(node) => {
                    is_in_order &= node > last;
                    last = node;
                    if let Some(element) = tree.element(node) {
                        run.enter(tree, node, element);
                    }
                }
                Walk::Leave(node) if tree.element(node).is_some() => run.leave(),
                Walk::Leave(_) => {}
            }
        }
        if !is_in_order {
            let entered = tree.walk(NodeId::ROOT).filter_map(|step| match step {
                Walk::Enter(node) => Some(node),
                Walk::Leave(_) => None,
            });
            run.matches.order = Some(entered.enumerate().map(|(place, node)| (node, place + 1)).collect());
        }
        run.matches
    }

    fn ways(&self, state: State) -> Option<&Ways> {
        self.ways.get(state.0 as usize)
    }

    /// A tag that no expression names fits those that take any.
    fn tag(&self, name: &LocalName) -> Tag {
        self.tags.get(name).copied().unwrap_or(ANY_TAG)
    }
}

struct Run<'a> {
    automaton: &'a Automaton,
    /// The states that elements around this place have reached and something may follow below, each once.
    open: Vec<State>,
    /// The states reached at each open element, one after the other; `frames` says where each element's begin, here and in
    /// `open`.
    reached: Vec<State>,
    frames: Vec<(usize, usize)>,
    /// The conditions that the element fulfils.
    atoms: Vec<Atom>,
    /// The states reached at the element.
    now: Vec<State>,
    matches: Matches,
}

impl Run<'_> {
    fn enter(&mut self, tree: &Tree, node: NodeId, element: Element<'_>) {
        let automaton = self.automaton;
        self.atoms.clear();
        self.atoms.push(NO_ATOM);
        for (name, value) in element.attributes() {
            if let Some(conditions) = automaton.attributes.get(name) {
                conditions.each_true(value, &mut self.atoms);
            }
        }
        let tag = automaton.tag(element.name());
        let signs = Signs::of(&self.atoms);
        let mut now = std::mem::take(&mut self.now);
        now.clear();
        let mut reach = |transition: &Transition| {
            if !now.contains(&transition.to) && holds::all(tree, node, &transition.test, &transition.rest) {
                now.push(transition.to);
            }
        };
        self.first_steps(&automaton.anywhere, tag, &mut reach);
        match self.frames.last() {
            None => self.first_steps(&automaton.at_top, tag, &mut reach),
            Some((from, _)) => {
                for state in self.reached.get(*from..).unwrap_or_default() {
                    if let Some(ways) = automaton.ways(*state) {
                        ways.child.each(tag, &self.atoms, signs, &mut reach);
                    }
                }
            }
        }
        for state in &self.open {
            if let Some(ways) = automaton.ways(*state) {
                ways.below.each(tag, &self.atoms, signs, &mut reach);
            }
        }
        self.frames.push((self.reached.len(), self.open.len()));
        for state in &now {
            if automaton.is_end.get(state.0 as usize) == Some(&true) {
                self.matches.found.entry(*state).or_default().push(node);
            }
            if automaton.ways(*state).is_some_and(|ways| !ways.below.all.is_empty())
                && !self.open.contains(state)
            {
                self.open.push(*state);
            }
        }
        self.reached.extend_from_slice(&now);
        self.now = now;
    }

    fn first_steps(
        &self,
        steps: &Map<(Tag, Atom), Vec<Transition>>,
        tag: Tag,
        reach: &mut impl FnMut(&Transition),
    ) {
        if steps.is_empty() {
            return;
        }
        for atom in &self.atoms {
            steps.get(&(ANY_TAG, *atom)).into_iter().flatten().for_each(&mut *reach);
            if tag != ANY_TAG {
                steps.get(&(tag, *atom)).into_iter().flatten().for_each(&mut *reach);
            }
        }
    }

    fn leave(&mut self) {
        let (reached, open) = self.frames.pop().unwrap_or_default();
        self.reached.truncate(reached);
        self.open.truncate(open);
    }

    fn look_beside(&mut self, element: &Beside) {
        self.atoms.clear();
        self.atoms.push(NO_ATOM);
        for (name, value) in &element.attributes {
            if let Some(conditions) = self.automaton.attributes.get(&LocalName::from(*name)) {
                conditions.each_true(value, &mut self.atoms);
            }
        }
        let tag = self.automaton.tag(&LocalName::from(element.tag));
        let mut found = Vec::new();
        let mut reach = |transition: &Transition| {
            if holds::all_beside(element, &transition.rest) {
                found.push((transition.to, element.clone()));
            }
        };
        self.first_steps(&self.automaton.anywhere, tag, &mut reach);
        self.first_steps(&self.automaton.at_top, tag, &mut reach);
        self.matches.beside.append(&mut found);
    }
}

#[cfg(test)]
mod tests;
