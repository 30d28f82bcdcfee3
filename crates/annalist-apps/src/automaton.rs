//! All expressions of a catalogue as one automaton, run once over a page: steps that begin alike are one state, and
//! which conditions an element fulfils is looked up by the element's attributes, not tried one by one. What a page
//! costs does not grow with the number of expressions, only with how much of them it fulfils.

use std::collections::HashMap;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use annalist_read::tree::{Element, NodeId, Step as Walk, Tree};

use crate::xpath::{Axis, Expression, NodeTest, Operator, Path, Predicate, Step, Test, Value};

pub(crate) mod holds;
pub(crate) mod select;

pub use select::{Spot, select};

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

#[derive(Clone, Debug)]
struct Transition {
    from: State,
    axis: Axis,
    to: State,
    /// What the atom it was found by does not say.
    rest: Vec<Predicate>,
    test: NodeTest,
}

/// Expressions on their way into an automaton.
#[derive(Debug, Default)]
pub struct Builder {
    /// Steps that lead on from a state; the same step leads to the same state.
    steps: HashMap<(State, Step), State>,
    order: Vec<(State, Step, State)>,
    states: u32,
    ends: HashMap<State, ()>,
}

impl Builder {
    pub fn add(&mut self, expression: &Expression) -> Pattern {
        let ends = expression.paths.iter().map(|path| self.add_path(path)).collect();
        Pattern { ends }
    }

    fn add_path(&mut self, path: &Path) -> (State, Option<Step>) {
        let (steps, last) = path.split();
        let mut state = START;
        for step in steps {
            let key = (state, step.clone());
            let next = self.steps.get(&key).copied().unwrap_or_else(|| {
                self.states += 1;
                let next = State(self.states);
                self.order.push((key.0, key.1.clone(), next));
                self.steps.insert(key, next);
                next
            });
            state = next;
        }
        self.ends.insert(state, ());
        (state, last.cloned())
    }

    pub fn build(self) -> Automaton {
        let mut attributes: HashMap<String, Conditions> = HashMap::new();
        let mut tags: HashMap<String, Tag> = HashMap::new();
        let mut atoms = 0;
        let mut transitions: HashMap<(Tag, Atom), Vec<Transition>> = HashMap::new();
        for (from, step, to) in self.order {
            let tag = match &step.test {
                NodeTest::Tag(name) => {
                    let next = tags.len() as Tag + 1;
                    *tags.entry(name.clone()).or_insert(next)
                }
                _ => ANY_TAG,
            };
            let mut rest = step.predicates;
            let atom = match key_of(&rest) {
                Some(place) => match rest.get(place) {
                    Some(Predicate::Is(Test { value: Value::Attribute(name), operator })) => {
                        let atom = attributes.entry(name.clone()).or_default().intern(operator, &mut atoms);
                        rest.remove(place);
                        atom
                    }
                    _ => NO_ATOM,
                },
                None => NO_ATOM,
            };
            let transition = Transition { from, axis: step.axis, to, rest, test: step.test };
            transitions.entry((tag, atom)).or_default().push(transition);
        }
        for conditions in attributes.values_mut() {
            conditions.compile();
        }
        let mut is_end = vec![false; self.states as usize + 1];
        for state in self.ends.keys() {
            if let Some(end) = is_end.get_mut(state.0 as usize) {
                *end = true;
            }
        }
        Automaton { attributes, tags, transitions, is_end }
    }
}

/// The condition that an element is looked up by: the most telling one. Those behind a count cannot be taken out, since
/// the count is of those that fit before it.
fn key_of(predicates: &[Predicate]) -> Option<usize> {
    let counted = |predicate: &&Predicate| matches!(predicate, Predicate::Position(_) | Predicate::Last);
    if predicates.iter().any(|predicate| counted(&predicate)) {
        return None;
    }
    let telling = |predicate: &Predicate| match predicate {
        Predicate::Is(Test { value: Value::Attribute(_), operator }) => match operator {
            Operator::Equals(_) => Some(4),
            Operator::Has(word) if is_word(word) => Some(3),
            Operator::StartsWith(text) | Operator::Contains(text) if text.is_empty() => None,
            Operator::StartsWith(_) => Some(2),
            Operator::Contains(_) => Some(1),
            Operator::Exists => Some(0),
            Operator::Has(_) => None,
        },
        _ => None,
    };
    let mut best = None;
    for (place, predicate) in predicates.iter().enumerate() {
        if let Some(rank) = telling(predicate)
            && best.is_none_or(|(_, most)| rank > most)
        {
            best = Some((place, rank));
        }
    }
    best.map(|(place, _)| place)
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && !text.contains(|c: char| c.is_ascii_whitespace())
}

/// All conditions on one attribute.
#[derive(Debug, Default)]
struct Conditions {
    exists: Option<Atom>,
    equal: HashMap<String, Atom>,
    words: HashMap<String, Atom>,
    /// Those that a value contains or begins with.
    pieces: HashMap<(String, bool), Atom>,
    finder: Option<(AhoCorasick, Vec<(Atom, bool)>)>,
}

impl Conditions {
    fn intern(&mut self, operator: &Operator, atoms: &mut Atom) -> Atom {
        let slot = match operator {
            Operator::Exists => self.exists.get_or_insert(NO_ATOM),
            Operator::Equals(text) => self.equal.entry(text.clone()).or_default(),
            Operator::Has(text) => self.words.entry(text.clone()).or_default(),
            Operator::Contains(text) => self.pieces.entry((text.clone(), false)).or_default(),
            Operator::StartsWith(text) => self.pieces.entry((text.clone(), true)).or_default(),
        };
        if *slot == NO_ATOM {
            *atoms += 1;
            *slot = *atoms;
        }
        *slot
    }

    fn compile(&mut self) {
        if self.pieces.is_empty() {
            return;
        }
        let pieces: Vec<_> = self.pieces.iter().collect();
        let finder = AhoCorasickBuilder::new()
            .match_kind(MatchKind::Standard)
            .build(pieces.iter().map(|((text, _), _)| text));
        // Only too many patterns can fail, more than a catalogue can hold.
        self.finder = finder
            .ok()
            .map(|finder| (finder, pieces.iter().map(|((_, begins), atom)| (**atom, *begins)).collect()));
    }

    fn each_true(&self, value: &str, found: &mut Vec<Atom>) {
        found.extend(self.exists);
        found.extend(self.equal.get(value));
        if !self.words.is_empty() {
            found.extend(value.split_ascii_whitespace().filter_map(|word| self.words.get(word)));
        }
        if let Some((finder, atoms)) = &self.finder {
            for hit in finder.find_overlapping_iter(value) {
                if let Some((atom, begins)) = atoms.get(hit.pattern().as_usize())
                    && (!begins || hit.start() == 0)
                {
                    found.push(*atom);
                }
            }
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
    attributes: HashMap<String, Conditions>,
    tags: HashMap<String, Tag>,
    transitions: HashMap<(Tag, Atom), Vec<Transition>>,
    is_end: Vec<bool>,
}

/// Which elements each expression has found.
#[derive(Debug, Default)]
pub struct Matches {
    found: HashMap<State, Vec<NodeId>>,
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
            open: vec![0; self.is_end.len()],
            reached: Vec::new(),
            frames: Vec::new(),
            atoms: Vec::new(),
            matches: Matches::default(),
        };
        if let Some(start) = run.open.get_mut(0) {
            *start = 1;
        }
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
}

struct Run<'a> {
    automaton: &'a Automaton,
    /// How many elements around this place have reached each state.
    open: Vec<u32>,
    /// The states reached at each open element, one after the other; `frames` says where each element's begin.
    reached: Vec<State>,
    frames: Vec<usize>,
    atoms: Vec<Atom>,
    matches: Matches,
}

impl Run<'_> {
    fn enter(&mut self, tree: &Tree, node: NodeId, element: Element<'_>) {
        self.atoms.clear();
        self.atoms.push(NO_ATOM);
        for (name, value) in element.attributes() {
            if let Some(conditions) = self.automaton.attributes.get(&**name) {
                conditions.each_true(value, &mut self.atoms);
            }
        }
        let parent = self.frames.last().copied();
        let (first, until) = (parent.unwrap_or(0), self.reached.len());
        for atom in std::mem::take(&mut self.atoms) {
            for tag in self.tags(element.name()) {
                let Some(transitions) = self.automaton.transitions.get(&(tag, atom)) else { continue };
                for transition in transitions {
                    let is_open = match transition.axis {
                        Axis::Below => {
                            self.open.get(transition.from.0 as usize).is_some_and(|open| *open > 0)
                        }
                        Axis::Child if transition.from == START => parent.is_none(),
                        Axis::Child => self
                            .reached
                            .get(first..until)
                            .is_some_and(|states| states.contains(&transition.from)),
                    };
                    let is_new =
                        || !self.reached.get(until..).is_some_and(|now| now.contains(&transition.to));
                    if is_open && is_new() && holds::all(tree, node, &transition.test, &transition.rest) {
                        self.reached.push(transition.to);
                    }
                }
            }
        }
        for place in until..self.reached.len() {
            let Some(state) = self.reached.get(place).copied() else { break };
            if self.automaton.is_end.get(state.0 as usize) == Some(&true) {
                self.matches.found.entry(state).or_default().push(node);
            }
            if let Some(open) = self.open.get_mut(state.0 as usize) {
                *open += 1;
            }
        }
        self.frames.push(until);
    }

    fn leave(&mut self) {
        let from = self.frames.pop().unwrap_or(0);
        for state in self.reached.drain(from.min(self.reached.len())..) {
            if let Some(open) = self.open.get_mut(state.0 as usize) {
                *open -= 1;
            }
        }
    }

    fn look_beside(&mut self, element: &Beside) {
        let mut atoms = vec![NO_ATOM];
        for (name, value) in &element.attributes {
            if let Some(conditions) = self.automaton.attributes.get(*name) {
                conditions.each_true(value, &mut atoms);
            }
        }
        for atom in atoms {
            for tag in self.tags(element.tag) {
                for transition in self.automaton.transitions.get(&(tag, atom)).into_iter().flatten() {
                    if transition.from == START && holds::all_beside(element, &transition.rest) {
                        self.matches.beside.push((transition.to, element.clone()));
                    }
                }
            }
        }
    }

    fn tags(&self, name: &str) -> impl Iterator<Item = Tag> + use<> {
        let own = self.automaton.tags.get(name).copied();
        own.into_iter().chain([ANY_TAG])
    }
}

#[cfg(test)]
mod tests;
