//! What each language brings to the society: its people, places and organisations, and the sentences said about them.
//! The words themselves are in `tongues/`; how they become texts is in `compose.rs`.
//!
//! Slots of a sentence: `{a}` `{b}` `{c}` people, `{o}` the organisation, `{x}` whom an opinion is about, each with the
//! article its language wants; as capitals where they are objects. `{p}` `{q}` places, `{t}` `{u}` words of the topic,
//! `{d}` a day, `{D}` with its year, `{e}` what happened, `{g}` a word of praise, `{h}` one of blame.

use super::tongues::{ENGLISH, FRENCH, GERMAN, GREEK};
use crate::words::Language;

/// A made-up person.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figure {
    pub(crate) given: &'static str,
    pub(crate) family: &'static str,
    pub(crate) woman: bool,
    /// `Dr` and the like; empty for most.
    pub(crate) title: &'static str,
    /// What friends say for the whole name; empty for most.
    pub(crate) alias: &'static str,
    /// The family name from some day on; empty for most.
    pub(crate) later: &'static str,
}

pub(crate) const fn woman(given: &'static str, family: &'static str) -> Figure {
    Figure { given, family, woman: true, title: "", alias: "", later: "" }
}

pub(crate) const fn man(given: &'static str, family: &'static str) -> Figure {
    Figure { given, family, woman: false, title: "", alias: "", later: "" }
}

impl Figure {
    pub(crate) const fn title(self, title: &'static str) -> Figure {
        Figure { title, ..self }
    }

    pub(crate) const fn alias(self, alias: &'static str) -> Figure {
        Figure { alias, ..self }
    }

    pub(crate) const fn later(self, later: &'static str) -> Figure {
        Figure { later, ..self }
    }
}

/// A made-up organisation. Its acronym is empty where it has none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    pub(crate) name: &'static str,
    pub(crate) acronym: &'static str,
    /// Whether an article stands before it.
    pub(crate) article: bool,
    /// Name and acronym from some day on; empty for most.
    pub(crate) later: (&'static str, &'static str),
}

pub(crate) const fn body(name: &'static str, acronym: &'static str) -> Body {
    Body { name, acronym, article: true, later: ("", "") }
}

impl Body {
    pub(crate) const fn bare(self) -> Body {
        Body { article: false, ..self }
    }

    pub(crate) const fn later(self, name: &'static str, acronym: &'static str) -> Body {
        Body { later: (name, acronym), ..self }
    }
}

/// People who appear together, with their organisation and places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Circle {
    pub(crate) topic: usize,
    pub(crate) people: [Figure; 3],
    pub(crate) body: Body,
    pub(crate) places: [&'static str; 2],
}

/// Something that happens: how it is called, for how many days, whether it is known beforehand, and what is said of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occasion {
    pub(crate) title: &'static str,
    pub(crate) days: u64,
    pub(crate) announced: bool,
    pub(crate) sentences: &'static [&'static str],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Tongue {
    pub(crate) circles: &'static [Circle],
    pub(crate) occasions: &'static [Occasion],
    pub(crate) months: [&'static str; 12],
    /// `{day} {month}` with what stands between.
    pub(crate) day_mark: &'static str,
    /// Before a family name: of a man, of a woman.
    pub(crate) manners: [&'static str; 2],
    /// Headings of pages about a circle.
    pub(crate) headings: &'static [&'static str],
    /// Neutral, with words of the topic.
    pub(crate) topical: &'static [&'static str],
    /// What may stand at the end of a neutral sentence, so that few are alike.
    pub(crate) tails: &'static [&'static str],
    /// Neutral, with capitals that are no names.
    pub(crate) plain: &'static [&'static str],
    /// Neutral, about the people of a circle.
    pub(crate) about: &'static [&'static str],
    /// The organisation has another name now: `{old}`.
    pub(crate) formerly: &'static str,
    /// `m/f` where the language tells them apart.
    pub(crate) praise: &'static [&'static str],
    pub(crate) blame: &'static [&'static str],
    pub(crate) positive: &'static [&'static str],
    pub(crate) negative: &'static [&'static str],
    pub(crate) neutral: &'static [&'static str],
    /// Without anybody they are about.
    pub(crate) glad: &'static [&'static str],
    pub(crate) sad: &'static [&'static str],
    /// Who is quoted stands before it.
    pub(crate) wrote: &'static str,
}

impl Tongue {
    pub(crate) fn of(language: Language) -> &'static Tongue {
        match language {
            Language::English => &ENGLISH,
            Language::German => &GERMAN,
            Language::French => &FRENCH,
            Language::Greek => &GREEK,
        }
    }
}
