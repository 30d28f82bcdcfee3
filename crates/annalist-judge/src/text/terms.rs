//! How often which terms occur in a text. A term is a stem, or two stems of words that stand side by side.

use std::sync::Arc;

use crate::text::ids::{IdMap, id};
use crate::text::tokens::{Spacing, Tokens};
use crate::text::{Frequencies, Language};

/// Longer ones are no words.
const LONGEST_WORD: usize = 64;
/// Texts repeat their words; more than these are forgotten and found again.
const MOST_REMEMBERED: usize = 100_000;

/// A text without end gets no more room in advance.
const MOST_EXPECTED: usize = 10_000;
/// Of text, for each different term in it.
const BYTES_FOR_A_TERM: usize = 12;

/// The stems of one language, remembered: stemming takes longer than all the rest.
#[derive(Clone, Debug)]
pub struct Stems {
    language: &'static Language,
    /// Where they are not the language's.
    frequencies: Option<Arc<Frequencies>>,
    remembered: IdMap<Stem>,
}

#[derive(Clone, Debug)]
struct Stem {
    id: u64,
    /// Empty for words that are no terms.
    text: Box<str>,
    idf: f32,
}

impl Stems {
    pub fn new(language: &'static Language) -> Stems {
        Stems { language, frequencies: None, remembered: IdMap::default() }
    }

    /// With weights of one's own.
    pub fn weighing(language: &'static Language, frequencies: Arc<Frequencies>) -> Stems {
        Stems { frequencies: Some(frequencies), ..Stems::new(language) }
    }

    fn of(&mut self, word: &str) -> &Stem {
        if self.remembered.len() > MOST_REMEMBERED {
            self.remembered.clear();
        }
        let language = self.language;
        let frequencies = self.frequencies.as_deref().unwrap_or(&language.frequencies);
        self.remembered.entry(id(word)).or_insert_with(|| {
            // A letter or digit alone is a bullet, an initial or what is left of an article.
            let is_term = word.len() > 1 && word.len() <= LONGEST_WORD && !language.is_stop_word(word);
            let text = if is_term { language.stem(word) } else { String::new() };
            let idf = if text.is_empty() { 0.0 } else { frequencies.idf(&text) };
            Stem { id: id(if text.is_empty() { word } else { &text }), text: text.into(), idf }
        })
    }

    /// The stem of a word, in lower case; none for words that are no terms.
    pub fn stem(&mut self, word: &str) -> Option<&str> {
        Some(&*self.of(word).text).filter(|stem| !stem.is_empty())
    }

    /// The number and the weight of a word's stem; words that are no terms weigh nothing.
    pub(super) fn weighed(&mut self, word: &str) -> (u64, f32) {
        let stem = self.of(word);
        (stem.id, stem.idf)
    }
}

/// The terms of one text, in the order they first occur.
#[derive(Debug)]
pub struct Terms<'t> {
    text: &'t str,
    /// All stems, one after the other.
    stems: String,
    counted: Vec<Counted>,
    places: IdMap<usize>,
}

#[derive(Debug)]
struct Counted {
    id: u64,
    count: u32,
    stem: (usize, usize),
    first: (usize, usize),
}

/// A term of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term<'a> {
    /// The same for the same stems, in every run.
    pub id: u64,
    pub count: u32,
    pub stem: &'a str,
    /// As the text has it where it first occurs.
    pub surface: &'a str,
}

impl<'t> Terms<'t> {
    pub fn of(text: &'t str, stems: &mut Stems) -> Terms<'t> {
        // About as many as texts have: growing bit by bit would take longer than counting.
        let likely = (text.len() / BYTES_FOR_A_TERM).min(MOST_EXPECTED);
        let mut terms = Terms {
            text,
            stems: String::with_capacity(likely * BYTES_FOR_A_TERM / 2),
            counted: Vec::with_capacity(likely),
            places: IdMap::with_capacity_and_hasher(likely, Default::default()),
        };
        let mut tokens = Tokens::new(text);
        let mut before = String::new();
        let mut before_from = 0;
        while let Some(token) = tokens.next_token() {
            let stem = stems.of(token.word);
            if stem.text.is_empty() {
                before.clear();
                continue;
            }
            terms.count(stem.id, &stem.text, (token.from, token.to));
            if token.spacing == Spacing::Unspaced {
                // Already a pair.
                before.clear();
                continue;
            }
            if token.follows && !before.is_empty() {
                before.push(' ');
                before.push_str(&stem.text);
                terms.count(id(&before), &before, (before_from, token.to));
            }
            before.clear();
            before.push_str(&stem.text);
            before_from = token.from;
        }
        terms
    }

    fn count(&mut self, id: u64, stem: &str, first: (usize, usize)) {
        let place = *self.places.entry(id).or_insert(self.counted.len());
        if let Some(known) = self.counted.get_mut(place) {
            known.count += 1;
            return;
        }
        let from = self.stems.len();
        self.stems.push_str(stem);
        self.counted.push(Counted { id, count: 1, stem: (from, self.stems.len()), first });
    }

    pub fn iter(&self) -> impl Iterator<Item = Term<'_>> {
        self.counted.iter().map(|Counted { id, count, stem, first }| Term {
            id: *id,
            count: *count,
            stem: self.stems.get(stem.0..stem.1).unwrap_or_default(),
            surface: self.text.get(first.0..first.1).unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Stems, Terms};
    use crate::text::Language;

    fn counted(code: &str, text: &str) -> Vec<(String, u32)> {
        let mut stems = Stems::new(Language::of(code));
        Terms::of(text, &mut stems).iter().map(|term| (term.stem.to_owned(), term.count)).collect()
    }

    #[test]
    fn stems_and_pairs_of_them_are_counted() {
        let text = "Greek elections: the Greek election was called. Elections!";
        let expected = [("greek", 2), ("elect", 3), ("greek elect", 2), ("call", 1)];
        assert_eq!(counted("en", text), expected.map(|(stem, count)| (stem.to_owned(), count)));
    }

    #[test]
    fn words_side_by_side_are_a_pair_and_others_are_not() {
        // A stop word between them, the end of a sentence, the end of a line.
        let text = "bread and butter. cheese\nwine well-known";
        assert!(counted("en", text).iter().all(|(stem, _)| !stem.contains(' ')), "{:?}", counted("en", text));
        assert!(counted("en", "debt-relief").iter().any(|(stem, _)| stem == "debt relief"));
    }

    #[test]
    fn scripts_without_spaces_have_no_pairs_of_pairs() {
        let terms = counted("zh", "希腊危机");
        assert_eq!(terms.iter().map(|(stem, _)| stem.as_str()).collect::<Vec<_>>(), ["希腊", "腊危", "危机"]);
    }

    #[test]
    fn a_term_can_be_shown_as_it_was_written() {
        let mut stems = Stems::new(Language::of("en"));
        let terms = Terms::of("The Policies of Eastern States", &mut stems);
        let shown: Vec<_> = terms.iter().map(|term| term.surface).collect();
        assert_eq!(shown, ["Policies", "Eastern", "States", "Eastern States"]);
    }

    #[test]
    fn what_is_no_word_is_no_term() {
        assert_eq!(counted("en", &format!("x 7 {} it", "a".repeat(65))), []);
    }

    proptest! {
        #[test]
        fn any_text_has_terms_with_stems_and_surfaces(text in any::<String>()) {
            for code in ["en", "el", "tr", "xx"] {
                let mut stems = Stems::new(Language::of(code));
                for term in Terms::of(&text, &mut stems).iter() {
                    prop_assert!(!term.stem.is_empty() && !term.surface.is_empty() && term.count > 0);
                }
            }
        }
    }
}
