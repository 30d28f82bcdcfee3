//! The first way through the archive: which words are written with a capital where no sentence begins, which runs of them recur,
//! and what stands around them. Which of these are names is decided in `decide.rs`.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

use super::fold::is_first_name;
use super::lists::{Class, Words};
use super::marks::Modelled;
use super::runs::{Run, runs};
use crate::offline::Writing;
use crate::offline::prose::{Joint, Shape, Token, tokens};

pub(super) type Map<K, V> = HashMap<K, V, BuildHasherDefault<Hasher>>;
/// The same order in every run: nothing may depend on chance.
pub(super) type Hasher = Xxh3Default;

/// Beyond these, what occurred once is forgotten.
const MOST_WORDS: usize = 4_000_000;
const MOST_NAMES: usize = 1_500_000;
/// A human being's age, given behind the name.
const AGES: std::ops::RangeInclusive<u32> = 14..=105;

/// How a word is written where its case tells.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WordCount {
    pub lower: u32,
    pub raised: u32,
    /// How often it begins a sentence, where nothing tells.
    pub begins: u32,
    /// Of those with a capital, how many have an article before them.
    pub articles: u32,
}

/// A run of words with capitals.
#[derive(Clone, Debug, Default)]
pub(super) struct NameCount {
    pub writings: u32,
    pub count: u32,
    /// How often its case tells.
    pub telling: u32,
    pub person: u32,
    pub place: u32,
    pub articles: u32,
    /// How often in languages where every noun has a capital.
    pub in_nouns: u32,
    /// One bit for each of 64 groups of surroundings: menus repeat themselves, writers do not.
    pub contexts: u64,
    /// What the model makes of it.
    pub modelled: Modelled,
    /// Where it was read first.
    language: [u8; 2],
    /// The writing that was counted last.
    seen: u64,
}

impl NameCount {
    pub(super) fn words(&self) -> &'static Words {
        Words::of(std::str::from_utf8(&self.language).unwrap_or_default())
    }

    fn add(&mut self, other: &NameCount) {
        self.writings += other.writings;
        self.count += other.count;
        self.telling += other.telling;
        self.person += other.person;
        self.place += other.place;
        self.articles += other.articles;
        self.in_nouns += other.in_nouns;
        self.contexts |= other.contexts;
        self.modelled.add(other.modelled);
        if self.language == [0; 2] {
            self.language = other.language;
        }
    }
}

/// What was learned of some or all writings.
#[derive(Debug, Default)]
pub(super) struct Learned {
    words: Map<u64, WordCount>,
    pub names: Map<Box<str>, NameCount>,
    /// A name and the letters in brackets behind it.
    pub acronyms: Map<(Box<str>, Box<str>), u32>,
    writings: u64,
    tokens: Vec<Token>,
    lower: String,
}

/// Whether every noun has a capital.
pub(super) fn raises_nouns(language: &str) -> bool {
    matches!(language, "de" | "lb")
}

fn word_id(lower: &str, nouns: bool) -> u64 {
    xxh3_64(lower.as_bytes()) ^ if nouns { 0x5bd1_e995_7b93_11c7 } else { 0 }
}

impl Learned {
    pub(super) fn take(&mut self, writing: &Writing) {
        self.writings += 1;
        let language = writing.language.as_deref().unwrap_or("en");
        if let Some(title) = &writing.title {
            self.read(title, language);
        }
        self.read(&writing.text, language);
    }

    fn read(&mut self, text: &str, language: &str) {
        let mut all = std::mem::take(&mut self.tokens);
        tokens(text, &mut all);
        let words = Words::of(language);
        self.count_words(text, &all, words, raises_nouns(language));
        for run in runs(text, &all, words) {
            self.count_name(text, &all, &run, language);
        }
        self.tokens = all;
    }

    fn count_words(&mut self, text: &str, all: &[Token], words: &Words, nouns: bool) {
        let mut after_article = false;
        for token in all {
            let is_raised = token.shape.is_raised();
            if token.tells && (is_raised || token.shape == Shape::Lower) {
                lower_into(token.core(text), &mut self.lower);
                let count = self.words.entry(word_id(&self.lower, nouns)).or_default();
                if is_raised {
                    count.raised += 1;
                    count.articles += u32::from(after_article && token.goes_on());
                } else {
                    count.lower += 1;
                }
            } else if is_raised && token.joint == Joint::Sentence {
                lower_into(token.core(text), &mut self.lower);
                self.words.entry(word_id(&self.lower, nouns)).or_default().begins += 1;
            }
            after_article = token.shape == Shape::Lower && {
                let word = token.core(text);
                // Adjectives in front of a noun end like this in German.
                words.class(word).is(Class::ARTICLE)
                    || nouns && ["en", "er", "es", "em"].iter().any(|e| word.ends_with(e))
            };
        }
    }

    fn count_name(&mut self, text: &str, all: &[Token], run: &Run, language: &str) {
        let (words, nouns) = (Words::of(language), raises_nouns(language));
        let Some(name) = run.name(text, all) else { return };
        let (before, after) = (run.first.checked_sub(1).and_then(|at| all.get(at)), all.get(run.last + 1));
        let first = all.get(run.first);
        let joined = first.is_some_and(Token::goes_on);
        let class_of = |token: Option<&Token>, lower: &mut String| {
            token.map_or(Class::default(), |token| {
                lower_into(token.core(text), lower);
                words.class(lower)
            })
        };
        let class_before = if joined { class_of(before, &mut self.lower) } else { Class::default() };
        let mut context = 0;
        for token in all.get(run.first.saturating_sub(2)..run.first).unwrap_or_default() {
            if first.is_some_and(|first| first.sentence == token.sentence) {
                context = xxh3_64(token.core(text).as_bytes()) ^ u64::rotate_left(context, 9);
            }
        }
        let follows = after.is_some_and(|token| token.joint == Joint::Space);
        let class_after = class_of(after.filter(|_| follows), &mut self.lower);
        context ^= if follows { xxh3_64(self.lower.as_bytes()).rotate_left(7) } else { 2 };

        let mut person = run.person;
        person += u32::from(class_before.is(Class::SAYING) || class_after.is(Class::SAYING));
        person += u32::from(class_before.is(Class::ROLE.or(Class::HONORIFIC)));
        if let Some(behind) = after.filter(|token| token.joint == Joint::Comma) {
            let age = behind.core(text).parse().is_ok_and(|age: u32| AGES.contains(&age));
            let next = all.get(run.last + 2).filter(|token| token.goes_on());
            let role = [Some(behind), next].into_iter().any(|token| {
                token.is_some_and(|t| t.shape == Shape::Lower)
                    && class_of(token, &mut self.lower).is(Class::ROLE)
            });
            person += u32::from(age) + u32::from(role);
        }
        let mut place = u32::from(class_before.is(Class::WHERE));
        if class_before.is(Class::OF.or(Class::PARTICLE)) {
            // `the town of X`, `der Bürgermeister von X`
            let what = run
                .first
                .checked_sub(2)
                .and_then(|at| all.get(at))
                .filter(|t| t.shape == Shape::Lower || nouns);
            let class = class_of(what, &mut self.lower);
            place += 2 * u32::from(class.is(Class::PLACE))
                + u32::from(self.lower == "mayor" || self.lower == "bürgermeister");
        }
        let telling = first.is_some_and(|token| token.tells);
        if !telling && run.last > run.first && !is_first_name(name.split(' ').next().unwrap_or_default()) {
            // Nobody knows whether the first word belongs to it.
            person = 0;
        }
        if let Some(letters) = after.filter(|t| t.joint == Joint::Bracket && t.shape == Shape::Upper)
            && text.get(letters.to..).is_some_and(|rest| rest.starts_with([')', ']', ',', ';']))
        {
            *self.acronyms.entry((name.as_str().into(), letters.core(text).into())).or_default() += 1;
        }
        let seen = self.writings;
        let count = self.name(&name, language);
        if count.seen != seen {
            count.seen = seen;
            count.writings += 1;
        }
        count.count += 1;
        count.telling += u32::from(telling);
        count.person += person;
        count.place += place;
        count.articles += u32::from(class_before.is(Class::ARTICLE));
        count.in_nouns += u32::from(nouns);
        count.contexts |= u64::from(telling) << (context % 64);
    }

    /// What is known of a name.
    pub(super) fn name(&mut self, name: &str, language: &str) -> &mut NameCount {
        let language = language.as_bytes().first_chunk().copied().unwrap_or_default();
        self.names.entry(name.into()).or_insert_with(|| NameCount { language, ..NameCount::default() })
    }

    /// Takes what was learned of the writings behind these.
    pub(super) fn join(&mut self, other: Learned) {
        for (id, count) in other.words {
            let known = self.words.entry(id).or_default();
            known.lower += count.lower;
            known.raised += count.raised;
            known.begins += count.begins;
            known.articles += count.articles;
        }
        for (name, count) in other.names {
            self.names.entry(name).or_default().add(&count);
        }
        for (pair, count) in other.acronyms {
            *self.acronyms.entry(pair).or_default() += count;
        }
        self.writings += other.writings;
        self.forget();
    }

    fn forget(&mut self) {
        let mut least = 1;
        while self.words.len() > MOST_WORDS {
            self.words.retain(|_, count| count.lower + count.raised + count.begins > least);
            least += 1;
        }
        let mut least = 1;
        while self.names.len() > MOST_NAMES {
            self.names.retain(|_, count| count.count + count.person + count.modelled.times > least);
            least += 1;
        }
    }

    /// How a word, as written in a name, is written in the archive: in languages where nouns have capitals, or in the others.
    pub(super) fn word(&self, word: &str, nouns: bool) -> WordCount {
        let mut lower = String::new();
        lower_into(word, &mut lower);
        self.words.get(&word_id(&lower, nouns)).copied().unwrap_or_default()
    }
}

pub(super) fn lower_into(word: &str, lower: &mut String) {
    lower.clear();
    if word.is_ascii() {
        lower.push_str(word);
        lower.make_ascii_lowercase();
    } else {
        lower.extend(word.chars().flat_map(char::to_lowercase));
    }
}
