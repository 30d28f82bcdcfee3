//! The definition: what the spec says of the topic, and what its reference pages taught. A file that people read and
//! correct.
//!
//! - `learn`: from reference pages and keywords to a definition
//! - `write`, `read`: the file, `definition.toml`; every mistake in it is told with line and key
//! - `codes`: which languages there are
//!
//! Not here: fetching reference pages, opening files.

mod codes;
mod learn;
mod read;
mod write;

pub use learn::Unlearnable;

use crate::judge::Sought;
use crate::names::{Name, Names};
use crate::text::ids::IdMap;
use crate::text::{Language, Stems, words};
use crate::topic::Topic;

/// The language of a topic that does not tell its own.
const DEFAULT_LANGUAGE: &str = "en";

/// What a collection is about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Definition {
    pub name: String,
    /// The first is taken for pages that do not tell theirs.
    pub languages: Vec<String>,
    /// Of the spec.
    pub keywords: Vec<String>,
    /// How many reference pages taught it, and how many others say what is usual.
    pub references: u32,
    pub background: u32,
    /// How near a typical page of the topic is to it: a cosine.
    pub typical: f32,
    /// Words as people write them, each with its weight in [0, 1]; the strongest first.
    pub terms: Vec<(String, f32)>,
    /// The same of two words side by side.
    pub phrases: Vec<(String, f32)>,
    pub entities: Vec<KnownEntity>,
}

/// A person, place or thing of the topic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownEntity {
    pub name: String,
    pub aliases: Vec<String>,
    /// How often the reference pages name it.
    pub seen: u32,
}

impl Definition {
    /// The language of pages that do not tell theirs.
    pub fn language(&self) -> &str {
        self.languages.first().map_or(DEFAULT_LANGUAGE, String::as_str)
    }

    /// The terms as numbers, in the stems of all its languages.
    pub fn topic(&self) -> Topic {
        let length = length(&self.terms);
        let mut weights: IdMap<f32> = IdMap::default();
        for stems in &mut self.stems() {
            for (term, weight) in self.terms.iter().filter(|(_, weight)| *weight > 0.0) {
                words(term, stems, |word| {
                    if word.is_term() {
                        let known = weights.entry(word.id).or_default();
                        *known = known.max(weight / length);
                    }
                });
            }
        }
        Topic::of_terms(weights, self.typical)
    }

    /// Whether names are looked for, and whether they are all there is.
    pub fn sought(&self) -> Sought {
        match (self.entities.is_empty(), self.keywords.is_empty() && self.references == 0) {
            (false, true) => Sought::Alone,
            _ if self.names().is_empty() => Sought::No,
            _ => Sought::Yes,
        }
    }

    /// What is looked for by its name: entities, and what only two or more words together say.
    pub fn names(&self) -> Names {
        let entities = self.entities.iter().map(|entity| Name {
            name: entity.name.clone(),
            spellings: std::iter::once(&entity.name).chain(&entity.aliases).cloned().collect(),
        });
        let is_several = |keyword: &&String| keyword.split_whitespace().nth(1).is_some();
        let phrases = self.phrases.iter().filter(|(_, weight)| *weight > 0.0).map(|(phrase, _)| phrase);
        let several = self.keywords.iter().filter(is_several).chain(phrases);
        let mut names: Vec<Name> = entities.collect();
        for phrase in several {
            let lower = phrase.to_lowercase();
            if !names.iter().any(|name| name.spellings.iter().any(|known| known.to_lowercase() == lower)) {
                names.push(Name { name: phrase.clone(), spellings: vec![phrase.clone()] });
            }
        }
        Names::new(names)
    }

    /// The languages that nothing is known of but their names: words have no stems there and all weigh alike.
    pub fn unlisted_languages(&self) -> impl Iterator<Item = &str> {
        let is_listed = |code: &&str| crate::text::Frequencies::of(code).knows_words();
        self.languages.iter().map(String::as_str).filter(move |code| !is_listed(code))
    }

    fn stems(&self) -> Vec<Stems> {
        let codes = self.languages.iter().map(String::as_str);
        let of = |code: &str| Stems::new(Language::of(code));
        if self.languages.is_empty() { vec![of(DEFAULT_LANGUAGE)] } else { codes.map(of).collect() }
    }
}

/// Whether there is a language with that ISO 639-1 code.
pub fn is_language(code: &str) -> bool {
    codes::CODES.split_ascii_whitespace().any(|known| known == code)
}

fn length(terms: &[(String, f32)]) -> f32 {
    terms.iter().map(|(_, weight)| weight * weight).sum::<f32>().sqrt().max(f32::MIN_POSITIVE)
}

/// The strongest first, then by name: the order of the file.
fn sort(terms: &mut [(String, f32)]) {
    terms.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
}
