//! Runs of words with capitals, cut where a title or a role stands between them: `Mayor Giorgos Kaminis` is a role and a name.

use super::fold::is_first_name;
use super::learn::lower_into;
use super::lists::{Class, Words};
use crate::offline::prose::{Joint, Shape, Token};

/// Longer runs are headlines.
const LONGEST_RUN: usize = 8;
/// Longer names are none.
const LONGEST_NAME: usize = 80;
/// `van der`, `de la`
const MOST_PARTICLES: usize = 2;

/// A part of a run that may be a name, as places among the tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub first: usize,
    /// Belongs to it.
    pub last: usize,
    /// How much speaks for a person: what was cut off before it.
    pub person: u32,
}

impl Run {
    /// As written, with one space between its words.
    pub(super) fn name(&self, text: &str, all: &[Token]) -> Option<String> {
        let mut name = String::new();
        let mut before: Option<&Token> = None;
        for token in all.get(self.first..=self.last)? {
            if let Some(before) = before {
                // `People's Republic`, `Côte d'Ivoire`
                name.push_str(text.get(before.core..before.to)?);
                name.push_str(if token.joint == Joint::Tight {
                    text.get(before.to..token.from)?
                } else {
                    " "
                });
            }
            name.push_str(token.core(text));
            if token.shape == Shape::Initial {
                name.push('.');
            }
            before = Some(token);
        }
        let letters = name.chars().filter(|c| c.is_alphabetic()).count();
        (letters > 1 && name.len() <= LONGEST_NAME).then_some(name)
    }
}

pub(super) fn runs(text: &str, all: &[Token], words: &Words) -> Vec<Run> {
    let mut found = Vec::new();
    let mut lower = String::new();
    let mut classes = Vec::new();
    let mut at = 0;
    while at < all.len() {
        let last = run_end(text, all, at, words, &mut lower);
        if let Some(last) = last {
            classes.clear();
            for token in all.get(at..=last).unwrap_or_default() {
                lower_into(token.core(text), &mut lower);
                classes.push(words.class(&lower));
            }
            if last - at < LONGEST_RUN {
                cut(text, all, at, &classes, &mut found);
            }
        }
        at = last.unwrap_or(at) + 1;
    }
    found
}

/// Where the run that begins here ends.
fn run_end(text: &str, all: &[Token], first: usize, words: &Words, lower: &mut String) -> Option<usize> {
    if !all.get(first)?.shape.is_raised() {
        return None;
    }
    lower_into(all.get(first)?.core(text), lower);
    let begins_organisation = words.class(lower).is(Class::ORGANISATION);
    let (mut last, mut at, mut particles) = (first, first + 1, 0);
    while let Some(token) = all.get(at).filter(|token| token.goes_on()) {
        if token.shape.is_raised() {
            if all.get(at - 1).is_some_and(|before| before.core < before.to) && particles == 0 {
                // `Samaras's New Democracy` are two, `King's College` is one.
                lower_into(token.core(text), lower);
                if !words.class(lower).is(Class::ORGANISATION.or(Class::PLACE)) {
                    break;
                }
            }
            (last, particles) = (at, 0);
        } else {
            lower_into(token.core(text), lower);
            let class = words.class(lower);
            // `Bank of England`: something is of something; a person is seldom.
            let second = particles > 0
                && matches!(lower.as_str(), "the" | "der" | "den" | "la" | "las" | "los" | "het");
            // `Centre for Research` is one, `Juliet for Broadway` are two.
            let purpose = matches!(lower.as_str(), "for" | "für" | "pour" | "para" | "per" | "voor");
            let of = class.is(Class::OF) && last == first && (!purpose || begins_organisation);
            let joins = class.is(Class::PARTICLE) || of || second;
            if token.shape != Shape::Lower || !joins || particles == MOST_PARTICLES {
                break;
            }
            particles += 1;
        }
        at += 1;
    }
    Some(last)
}

/// Cuts a run into the names in it.
fn cut(text: &str, all: &[Token], first: usize, classes: &[Class], found: &mut Vec<Run>) {
    let title = Class::HONORIFIC.or(Class::ROLE);
    let is_organisation = classes.len() > 1
        && classes.iter().any(|class| class.is(Class::ORGANISATION))
        && !classes.iter().any(|class| class.is(Class::HONORIFIC));
    let mut from = 0;
    let mut person = 0;
    for (at, class) in classes.iter().enumerate() {
        // `Martin Luther King` is no king.
        let surname = at + 1 == classes.len()
            && at > from
            && all.get(first + from).is_some_and(|token| is_first_name(token.core(text)));
        if class.is(title) && !is_organisation && !surname {
            push(all, first, from, at, person, classes, found);
            person = if class.is(Class::HONORIFIC) { 2 } else { 1 };
            from = at + 1;
        }
    }
    push(all, first, from, classes.len(), person, classes, found);
}

/// What is between two places of a run, without what is no part of a name at its ends.
fn push(
    all: &[Token],
    run: usize,
    mut from: usize,
    mut to: usize,
    person: u32,
    classes: &[Class],
    found: &mut Vec<Run>,
) {
    let of = |at: usize| classes.get(at).copied().unwrap_or_default();
    let token = |at: usize| all.get(run + at);
    let loose = |at: usize| {
        let class = of(at);
        let small = token(at).is_some_and(|t| t.shape == Shape::Lower);
        let upper = token(at).is_some_and(|t| t.shape == Shape::Upper);
        small || class.is(Class::ORDINARY) || class.is(Class::STOP.or(Class::ARTICLE)) && !upper
    };
    while from < to && loose(from) {
        from += 1;
    }
    while from < to && (loose(to - 1) || to - from > 1 && of(to - 1).is(Class::DEMONYM)) {
        to -= 1;
    }
    let empty = (from..to)
        .all(|at| of(at).is(Class::DEMONYM) || token(at).is_some_and(|t| t.shape == Shape::Initial));
    if from < to && !empty {
        found.push(Run { first: run + from, last: run + to - 1, person });
    }
}
