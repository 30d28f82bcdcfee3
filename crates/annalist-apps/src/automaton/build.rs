//! From expressions to an automaton: which steps are one, and by which condition each is found.

use std::collections::HashMap;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};

use annalist_read::tree::LocalName;

use super::{ANY_TAG, Atom, Automaton, Map, NO_ATOM, Pattern, START, State, Steps, Tag, Transition, Ways};
use crate::xpath::{Axis, Expression, NodeTest, Operator, Path, Predicate, Step, Test, Value};

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
        let mut attributes: Map<LocalName, Conditions> = Map::default();
        let mut tags: Map<LocalName, Tag> = Map::default();
        let mut atoms = 0;
        let mut start = [Map::default(), Map::default()];
        let mut ways = vec![(Vec::new(), Vec::new()); self.states as usize + 1];
        let crowds = crowds(&self.order);
        for (from, step, to) in self.order {
            let tag = match &step.test {
                NodeTest::Tag(name) => {
                    let next = tags.len() as Tag + 1;
                    *tags.entry(LocalName::from(name.as_str())).or_insert(next)
                }
                _ => ANY_TAG,
            };
            let key = key_of(&step.predicates, &|test| crowds.get(&(from, test)).copied().unwrap_or(0));
            let mut rest = step.predicates;
            let key = key.filter(|place| *place < rest.len()).map(|place| rest.remove(place));
            let atom = match &key {
                Some(Predicate::Is(Test { value: Value::Attribute(name), operator })) => {
                    attributes.entry(LocalName::from(name.as_str())).or_default().intern(operator, &mut atoms)
                }
                _ => NO_ATOM,
            };
            let transition = Transition { tag, atom, rest, test: step.test, to };
            let [anywhere, at_top] = &mut start;
            match (from, step.axis, ways.get_mut(from.0 as usize)) {
                (START, Axis::Below, _) => {
                    anywhere.entry((tag, atom)).or_insert_with(Vec::new).push(transition);
                }
                (START, Axis::Child, _) => {
                    at_top.entry((tag, atom)).or_insert_with(Vec::new).push(transition);
                }
                (_, Axis::Below, Some((below, _))) => below.push(transition),
                (_, Axis::Child, Some((_, child))) => child.push(transition),
                (_, _, None) => {}
            }
        }
        let made = |(below, child)| Ways { below: Steps::new(below), child: Steps::new(child) };
        let ways = ways.into_iter().map(made).collect();
        for conditions in attributes.values_mut() {
            conditions.compile();
        }
        let mut is_end = vec![false; self.states as usize + 1];
        for state in self.ends.keys() {
            if let Some(end) = is_end.get_mut(state.0 as usize) {
                *end = true;
            }
        }
        let [anywhere, at_top] = start;
        Automaton { attributes, tags, anywhere, at_top, ways, is_end }
    }
}

/// How many steps from a state ask for each condition.
fn crowds(order: &[(State, Step, State)]) -> HashMap<(State, Test), u32> {
    let mut crowds: HashMap<(State, Test), u32> = HashMap::new();
    for (from, step, _) in order {
        for predicate in &step.predicates {
            if let Predicate::Is(test) = predicate {
                *crowds.entry((*from, test.clone())).or_default() += 1;
            }
        }
    }
    crowds
}

/// The condition that an element is looked up by: the most telling one, unless many share it; of `@name='generator'` and what the
/// generator is called, the second. Those behind a count cannot be taken out, since the count is of those that fit before it.
fn key_of(predicates: &[Predicate], crowd: &dyn Fn(Test) -> u32) -> Option<usize> {
    const CROWD: u32 = 8;
    let counted = |predicate: &&Predicate| matches!(predicate, Predicate::Position(_) | Predicate::Last);
    if predicates.iter().any(|predicate| counted(&predicate)) {
        return None;
    }
    let telling = |predicate: &Predicate| match predicate {
        Predicate::Is(test @ Test { value: Value::Attribute(_), operator }) => {
            let rank = match operator {
                Operator::Equals(_) => 4,
                Operator::Has(word) if is_word(word) => 3,
                Operator::StartsWith(text) | Operator::Contains(text) if text.is_empty() => return None,
                Operator::StartsWith(_) => 2,
                Operator::Contains(_) => 1,
                Operator::Exists => 0,
                Operator::Has(_) => return None,
            };
            Some((rank > 0, crowd(test.clone()) <= CROWD, rank))
        }
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
pub(super) struct Conditions {
    exists: Option<Atom>,
    equal: Map<String, Atom>,
    words: Map<String, Atom>,
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

    pub(super) fn each_true(&self, value: &str, found: &mut Vec<Atom>) {
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
