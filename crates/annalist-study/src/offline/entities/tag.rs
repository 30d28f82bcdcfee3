//! Finds entities in a writing: whole words by one automaton, and surnames that stand for somebody whose full name the writing has.

use super::Entity;
use super::fold::{is_first_name, key};
use super::learn::{Map, lower_into, raises_nouns};
use super::lists::{Class, Words};
use super::merge::ends;
use crate::offline::prose::{Shape, Token, tokens};

const FULL: f32 = 1.0;
const SURNAME_OF_SOMEBODY_NAMED: f32 = 0.9;
const SURNAME_ALONE: f32 = 0.6;
const FIRST_NAME_OF_SOMEBODY_NAMED: f32 = 0.5;

/// What Korean writes behind a name without a space, and what it calls people by between both.
const PARTICLES: [&str; 28] = [
    "",
    "은",
    "는",
    "이",
    "가",
    "을",
    "를",
    "의",
    "에",
    "와",
    "과",
    "도",
    "만",
    "로",
    "으로",
    "에게",
    "에서",
    "에게서",
    "에게는",
    "에서는",
    "한테",
    "께서",
    "부터",
    "까지",
    "처럼",
    "보다",
    "이라는",
    "라는",
];
const CALLED_BY: [&str; 2] = ["씨", "님"];

/// An entity at a place of a text; a number beyond all entities stands for one of several [namesakes](Tagger::namesakes).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    pub entity: u32,
    pub sentence: u32,
    /// Where it begins.
    pub from: usize,
    pub to: usize,
    pub confidence: f32,
}

/// Finds the entities of one archive.
#[derive(Debug, Default)]
pub(crate) struct Tagger {
    nodes: Vec<Node>,
    /// First and last word of people's names, by entity.
    ends: Vec<Option<(u64, u64)>>,
    /// Words that people are called by, if nothing else is said.
    parts: Map<u64, ()>,
    /// Surnames that several people have, with their place among `namesakes`.
    shared: Map<u64, u32>,
    namesakes: Vec<Vec<u32>>,
}

#[derive(Debug, Default)]
struct Node {
    next: Map<u64, u32>,
    entity: Option<u32>,
    /// Written in capitals only, so that `WHO` is not who.
    upper: bool,
    /// Written without a capital.
    lower: bool,
    /// Several people are called so.
    ambiguous: bool,
}

/// What a writing said so far.
#[derive(Debug, Default)]
pub(crate) struct Said {
    tokens: Vec<Token>,
    /// Full names, in the order they occur.
    people: Vec<u32>,
    buffer: String,
}

/// Words that stand for an entity, or may stand for somebody.
struct Found {
    first: usize,
    last: usize,
    entity: Option<u32>,
    ambiguous: bool,
}

/// A text with its words.
#[derive(Clone, Copy)]
struct Read<'a> {
    text: &'a str,
    all: &'a [Token],
    words: &'static Words,
    /// Whether nouns have a capital.
    nouns: bool,
}

impl Tagger {
    pub(crate) fn new(entities: &[Entity]) -> Tagger {
        let mut tagger = Tagger { nodes: vec![Node::default()], ..Tagger::default() };
        for (at, entity) in (0_u32..).zip(entities) {
            for spelling in std::iter::once(&entity.name).chain(&entity.aliases) {
                tagger.add(at, spelling);
            }
            let ends = ends(entity);
            tagger.parts.extend(ends.into_iter().flat_map(|(first, last)| [(first, ()), (last, ())]));
            tagger.ends.push(ends);
        }
        tagger.share();
        tagger
    }

    /// Finds the people who cannot be told apart by their surname.
    fn share(&mut self) {
        let mut people: Map<u64, Vec<u32>> = Map::default();
        for (entity, ends) in (0..).zip(&self.ends) {
            if let Some((_, last)) = ends {
                people.entry(*last).or_default().push(entity);
            }
        }
        let root = self.nodes.first().map(|root| &root.next);
        let is_shared = |surname: &u64| {
            let node = root.and_then(|next| self.nodes.get(*next.get(surname)? as usize));
            node.is_some_and(|node| node.ambiguous)
        };
        let mut people: Vec<(u64, Vec<u32>)> =
            people.into_iter().filter(|(surname, _)| is_shared(surname)).collect();
        people.sort_unstable();
        for (at, (surname, namesakes)) in (0..).zip(people) {
            self.shared.insert(surname, at);
            self.namesakes.push(namesakes);
        }
    }

    /// The people whom a span may be about that is of no entity but of one of them.
    pub(crate) fn namesakes(&self, entity: u32) -> Option<&[u32]> {
        let place = (entity as usize).checked_sub(self.ends.len())?;
        self.namesakes.get(place).map(Vec::as_slice)
    }

    /// Whether the surname of a person is somebody else's too.
    pub(crate) fn has_namesakes(&self, entity: u32) -> bool {
        self.ends_of(entity).is_some_and(|(_, last)| self.shared.contains_key(&last))
    }

    fn add(&mut self, entity: u32, spelling: &str) {
        let (mut all, mut buffer) = (Vec::new(), String::new());
        tokens(spelling, &mut all);
        let mut at = 0;
        for token in &all {
            let fresh = self.nodes.len() as u32;
            let Some(node) = self.nodes.get_mut(at) else { return };
            let next = *node.next.entry(key(token.core(spelling), &mut buffer)).or_insert(fresh);
            if next == fresh {
                self.nodes.push(Node::default());
            }
            at = next as usize;
        }
        let shape = all.first().map(|token| token.shape);
        if let Some(node) = self.nodes.get_mut(at).filter(|_| at > 0) {
            match node.entity {
                Some(other) => node.ambiguous |= other != entity && all.len() == 1,
                None => node.entity = Some(entity),
            }
            node.upper = all.len() == 1 && shape == Some(Shape::Upper);
            node.lower = shape == Some(Shape::Lower);
        }
    }

    /// The entities of a text, in order. `said` is what the same writing said before, its title for one.
    pub(crate) fn tag(&self, text: &str, language: &str, said: &mut Said) -> Vec<Span> {
        let mut all = std::mem::take(&mut said.tokens);
        tokens(text, &mut all);
        let read = Read { text, all: &all, words: Words::of(language), nouns: raises_nouns(language) };
        let found = self.look(read, &mut said.buffer);
        let full = |found: &Found| {
            found.entity.filter(|entity| found.last > found.first && self.ends_of(*entity).is_some())
        };
        let later: Vec<u32> = found.iter().filter_map(full).collect();
        let mut spans = Vec::with_capacity(found.len());
        for found in &found {
            let meant = match full(found) {
                Some(person) => {
                    said.people.push(person);
                    Some((person, FULL))
                }
                None if found.last > found.first => found.entity.map(|entity| (entity, FULL)),
                None => self.meant(read, found, said, &later),
            };
            if let (Some((entity, confidence)), Some(token), Some(last)) =
                (meant, all.get(found.first), all.get(found.last))
            {
                let (sentence, from, to) = (token.sentence, token.from, last.core);
                spans.push(Span { entity, sentence, from, to, confidence });
            }
        }
        said.tokens = all;
        spans
    }

    fn ends_of(&self, entity: u32) -> Option<(u64, u64)> {
        self.ends.get(entity as usize).copied().flatten()
    }

    /// All words that may be meant for somebody or something.
    fn look(&self, read: Read<'_>, buffer: &mut String) -> Vec<Found> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(token) = read.all.get(at) {
            let next = self.longest(read, at, buffer).or_else(|| {
                let may_be = matches!(token.shape, Shape::Capital | Shape::Upper)
                    && token.tells
                    && self.parts.contains_key(&key(token.core(read.text), buffer));
                may_be.then_some(Found { first: at, last: at, entity: None, ambiguous: true })
            });
            at = next.as_ref().map_or(at, |found| found.last) + 1;
            found.extend(next);
        }
        found
    }

    /// The longest spelling that begins here.
    fn longest(&self, read: Read<'_>, first: usize, buffer: &mut String) -> Option<Found> {
        let begin = read.all.get(first)?;
        let mut node = self.nodes.first()?;
        let mut found = None;
        for (at, token) in read.all.iter().enumerate().skip(first) {
            if at > first && !token.goes_on() {
                break;
            }
            let core = token.core(read.text);
            let mut step = node.next.get(&key(core, buffer));
            if let (None, true, Some(base)) = (step, read.nouns && core.len() > 4, core.strip_suffix('s')) {
                // `Merkels Partei`
                step = node.next.get(&key(base, buffer));
            }
            if step.is_none() && token.shape == Shape::Caseless {
                step = without_particles(core).find_map(|base| node.next.get(&key(base, buffer)));
            }
            let Some(next) = step else { break };
            node = self.nodes.get(*next as usize)?;
            let fits = match begin.shape {
                Shape::Lower => node.lower,
                Shape::Upper | Shape::Caseless | Shape::Unspaced => true,
                _ => !node.upper,
            };
            if node.entity.is_some() && fits {
                found = Some(Found { first, last: at, entity: node.entity, ambiguous: node.ambiguous });
            }
        }
        found
    }

    /// Who is meant by a word alone, and how surely.
    fn meant(&self, read: Read<'_>, found: &Found, said: &mut Said, later: &[u32]) -> Option<(u32, f32)> {
        let token = read.all.get(found.first)?;
        let is_person = found.entity.is_none_or(|entity| self.ends_of(entity).is_some());
        let core = token.core(read.text);
        let form = key(core, &mut said.buffer);
        let base = core.strip_suffix('s').filter(|_| read.nouns && core.len() > 4);
        let base = base.map_or(form, |base| key(base, &mut said.buffer));
        let is_called =
            |entity: &&u32| self.ends_of(**entity).is_some_and(|(_, last)| last == form || last == base);
        let named = said.people.iter().rev().find(is_called).or_else(|| later.iter().find(is_called));
        let alone = !self.is_beside_another(read, found.first);
        if let Some(person) =
            named.filter(|_| alone && (is_person || !read.follows_a_preposition(found.first)))
        {
            return Some((*person, SURNAME_OF_SOMEBODY_NAMED));
        }
        match found.entity.filter(|_| !found.ambiguous) {
            Some(entity) if !is_person => {
                (!read.is_in_an_organisation(found.first)).then_some((entity, FULL))
            }
            Some(entity) => alone.then_some((entity, SURNAME_ALONE)),
            None if let Some(shared) = self.shared.get(&form).or_else(|| self.shared.get(&base)) => {
                alone.then_some((self.ends.len() as u32 + shared, SURNAME_ALONE))
            }
            None => {
                let is_called =
                    |entity: &&u32| self.ends_of(**entity).is_some_and(|(first, _)| first == form);
                let person = said.people.iter().rev().find(is_called).filter(|_| alone)?;
                Some((*person, FIRST_NAME_OF_SOMEBODY_NAMED))
            }
        }
    }

    /// Whether a word with a capital beside it makes another name of it.
    fn is_beside_another(&self, read: Read<'_>, at: usize) -> bool {
        let before = at.checked_sub(1).filter(|_| read.all.get(at).is_some_and(Token::goes_on));
        let after = Some(at + 1).filter(|at| read.all.get(*at).is_some_and(Token::goes_on));
        [before, after].into_iter().flatten().any(|at| read.is_named(at))
    }
}

/// What a Korean word may be without what is written behind it.
fn without_particles(word: &str) -> impl Iterator<Item = &str> {
    let is_korean = word.chars().next().is_some_and(|c| ('\u{ac00}'..='\u{d7a3}').contains(&c));
    let bases =
        PARTICLES.iter().filter(move |_| is_korean).filter_map(|particle| word.strip_suffix(particle));
    bases.flat_map(|base| {
        let called = CALLED_BY.iter().filter_map(|called| base.strip_suffix(called));
        std::iter::once(base).chain(called)
    })
}

impl Read<'_> {
    fn class(&self, at: usize) -> Class {
        let mut lower = String::new();
        lower_into(self.all.get(at).map_or("", |token| token.core(self.text)), &mut lower);
        self.words.class(&lower)
    }

    /// Whether a word is part of a name, and no title.
    fn is_named(&self, at: usize) -> bool {
        let Some(token) = self.all.get(at).filter(|token| token.shape.is_raised()) else { return false };
        let title = Class::ROLE.or(Class::HONORIFIC).or(Class::DEMONYM).or(Class::ORDINARY).or(Class::STOP);
        // Where a sentence begins, and in German, anything has a capital.
        !self.class(at).is(title) && (token.tells && !self.nouns || is_first_name(token.core(self.text)))
    }

    fn follows_a_preposition(&self, at: usize) -> bool {
        at.checked_sub(1).is_some_and(|before| self.class(before).is(Class::WHERE))
    }

    /// Whether the word behind makes an organisation of it that is not known: `Athens University`.
    fn is_in_an_organisation(&self, at: usize) -> bool {
        let next =
            self.all.get(at + 1).is_some_and(|next| next.goes_on() && next.shape.is_raised() && next.tells);
        next && !self.nouns && self.class(at + 1).is(Class::ORGANISATION)
    }
}
