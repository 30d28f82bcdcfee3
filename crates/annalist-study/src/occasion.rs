//! An event as a collection specification has it, for comparison with the judge: the topical relevance of Gossen, Risse and
//! Demidova, which is the cosine of terms (words and pairs of them) weighed by how often a text has them and how rare they
//! are, those of the keywords counting more.

use std::collections::{HashMap, HashSet};

use annalist_judge::event::{Damping, combined, temporal};
use annalist_judge::text::{Frequencies, Stems, Terms};
use annalist_model::spec::{Event, RelevanceKind};

use crate::library::Document;

/// How much a term counts that is a keyword, or a part of one.
const WHOLE: f32 = 2.0;
const PART: f32 = 1.5;

/// A term of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Weighed {
    id: u64,
    weight: f32,
    /// What keywords make of it.
    boost: f32,
}

#[derive(Debug, Default)]
pub(crate) struct Keywords {
    whole: HashSet<String>,
    parts: HashSet<String>,
}

impl Keywords {
    pub(crate) fn new(keywords: &[String], stems: &mut Stems) -> Keywords {
        let mut found = Keywords::default();
        for keyword in keywords {
            let terms = Terms::of(keyword, stems);
            let words: Vec<&str> =
                terms.iter().map(|term| term.stem).filter(|stem| !stem.contains(' ')).collect();
            found.whole.insert(words.join(" "));
            found.parts.extend(words.into_iter().map(str::to_owned));
        }
        found
    }

    fn boost(&self, stem: &str) -> f32 {
        match () {
            () if self.whole.contains(stem) => WHOLE,
            () if stem.split(' ').any(|word| self.parts.contains(word)) => PART,
            () => 1.0,
        }
    }

    /// The terms of a text.
    pub(crate) fn weighed(&self, text: &str, stems: &mut Stems, frequencies: &Frequencies) -> Vec<Weighed> {
        let terms = Terms::of(text, stems);
        let weighed = terms.iter().map(|term| Weighed {
            id: term.id,
            weight: term.count as f32 * frequencies.idf(term.stem),
            boost: self.boost(term.stem),
        });
        weighed.collect()
    }
}

/// What a collection is about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// Of length one.
    terms: HashMap<u64, f32>,
    boosted: bool,
}

impl Scope {
    /// By reference documents; with keywords or without.
    pub(crate) fn of<'a>(documents: impl IntoIterator<Item = &'a [Weighed]>, boosted: bool) -> Scope {
        let mut scope = Scope { terms: HashMap::new(), boosted };
        for term in documents.into_iter().flatten() {
            *scope.terms.entry(term.id).or_default() += scope.weight(term);
        }
        // In the same order in every run, for the last digits.
        let mut squares: Vec<(u64, f32)> =
            scope.terms.iter().map(|(id, weight)| (*id, weight * weight)).collect();
        squares.sort_unstable_by_key(|(id, _)| *id);
        let length = squares.iter().map(|(_, square)| square).sum::<f32>().sqrt();
        if length > 0.0 {
            scope.terms.values_mut().for_each(|weight| *weight /= length);
        }
        scope
    }

    pub(crate) fn relevance(&self, terms: &[Weighed]) -> f32 {
        let (mut common, mut square) = (0.0, 0.0);
        for term in terms {
            let weight = self.weight(term);
            common += weight * self.terms.get(&term.id).copied().unwrap_or(0.0);
            square += weight * weight;
        }
        if square > 0.0 { common / square.sqrt() } else { 0.0 }
    }

    fn weight(&self, term: &Weighed) -> f32 {
        term.weight * if self.boosted { term.boost } else { 1.0 }
    }
}

/// What is looked for, and how that is measured.
#[derive(Clone, Debug)]
pub(crate) struct Occasion {
    pub(crate) event: Event,
    pub(crate) scope: Scope,
}

impl Occasion {
    /// What content and time make of a page together.
    pub(crate) fn relevance(&self, kind: RelevanceKind, document: &Document) -> f32 {
        let (content, time) = self.parts(document);
        combined(kind, self.event.weight as f32, content, time)
    }

    /// The topical relevance of a page, and that with its time.
    pub(crate) fn measured(&self, document: &Document) -> (f32, f32) {
        let (content, time) = self.parts(document);
        (content, Damping::default().relevance(content, time))
    }

    fn parts(&self, document: &Document) -> (f32, f32) {
        let time = document.time.map_or(0.0, |time| temporal(&self.event, time));
        (self.scope.relevance(&document.terms), time)
    }
}

#[cfg(test)]
mod tests {
    use annalist_judge::text::{Frequencies, Language, Stems};

    use super::{Keywords, Scope, Weighed};

    fn terms(keywords: &[&str], text: &str) -> Vec<Weighed> {
        let mut stems = Stems::new(Language::of("en"));
        let keywords: Vec<String> = keywords.iter().map(|word| (*word).to_owned()).collect();
        Keywords::new(&keywords, &mut stems).weighed(text, &mut stems, Frequencies::of("en"))
    }

    #[test]
    fn a_document_like_the_reference_is_as_relevant_as_can_be_and_one_without_its_words_not_at_all() {
        let text = "The eruption of the volcano in Iceland closed airports";
        let scope = Scope::of([terms(&[], text).as_slice()], true);
        assert!((scope.relevance(&terms(&[], text)) - 1.0).abs() < 1e-5);
        assert_eq!(scope.relevance(&terms(&[], "bread, butter, wine")), 0.0);
        let pair = scope.relevance(&terms(&[], "closed airports"));
        assert!(
            pair > scope.relevance(&terms(&[], "airports. closed")),
            "a pair says more than two words: {pair}"
        );
        assert_eq!(Scope::of([], true).relevance(&terms(&[], text)), 0.0);
    }

    #[test]
    fn keywords_draw_the_relevance_to_them() {
        const KEYWORDS: [&str; 2] = ["volcano", "ash cloud"];
        let reference = "The volcano and its ash cloud: airports, passengers, trains";
        let near = |boosted, text| {
            Scope::of([terms(&KEYWORDS, reference).as_slice()], boosted).relevance(&terms(&KEYWORDS, text))
        };
        for text in ["volcano cooks", "the ash cloud of cooks"] {
            assert!(near(true, text) > near(false, text), "{text}");
        }
        assert!(near(true, "airports, passengers, trains") < near(false, "airports, passengers, trains"));
        let boosts = |text| terms(&KEYWORDS, text).iter().map(|term| term.boost).collect::<Vec<_>>();
        assert_eq!(boosts("volcano"), [2.0]);
        assert_eq!(
            boosts("ash clouds"),
            [1.5, 1.5, 2.0],
            "the words alone are parts; the pair is the keyword"
        );
        assert_eq!(boosts("cooks"), [1.0]);
    }
}
