//! The terms of an archive, language by language: in how many writings each occurs, and how people write it.
//!
//! Memory is bounded: terms that stay rare are forgotten on the way when there are too many.

use std::collections::BTreeMap;

use annalist_judge::text::{IdMap, Terms};

use super::lent::{Lent, StemSet};
use super::{Corpus, CorpusError, StudyWatch};

/// Different terms that are counted at a time, all languages together.
const MOST_COUNTED: usize = 4_000_000;
/// Terms that are kept of a language, the most frequent.
const MOST_KEPT: usize = 200_000;
/// Terms in fewer writings tell nothing about several.
const FEWEST_WRITINGS: u32 = 3;

#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// By ISO 639-1 code, empty for what could not be told.
    pub languages: BTreeMap<String, Words>,
}

/// The terms of one language.
#[derive(Clone, Debug, Default)]
pub struct Words {
    pub writings: u32,
    /// The most frequent first.
    pub terms: Vec<Term>,
    places: IdMap<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    pub stem: Box<str>,
    /// As most write it.
    pub surface: Box<str>,
    pub writings: u32,
}

impl Term {
    pub fn is_pair(&self) -> bool {
        self.stem.contains(' ')
    }

    pub fn is_number(&self) -> bool {
        !self.stem.chars().any(char::is_alphabetic)
    }
}

impl Words {
    /// The number of a term in `terms`, by its id.
    pub fn place(&self, id: u64) -> Option<u32> {
        self.places.get(&id).copied()
    }

    pub fn get(&self, place: u32) -> Option<&Term> {
        self.terms.get(place as usize)
    }

    /// How much a term says: the logarithm of how many writings there are for each that has it.
    pub fn idf(&self, place: u32) -> f32 {
        self.says(self.get(place).map_or(1, |term| term.writings.max(1)))
    }

    /// The same for a term that is not among them, at least.
    pub fn idf_of_others(&self) -> f32 {
        let is_cut = self.terms.len() >= MOST_KEPT;
        let most = self.terms.last().filter(|_| is_cut).map_or(FEWEST_WRITINGS - 1, |term| term.writings);
        self.says(most)
    }

    fn says(&self, with: u32) -> f32 {
        (self.writings.max(with) as f32 / with as f32).ln()
    }
}

impl Vocabulary {
    pub fn of(corpus: &Corpus, watch: &dyn StudyWatch) -> Result<Vocabulary, CorpusError> {
        Vocabulary::of_all(std::slice::from_ref(corpus), watch)
    }

    /// That of several archives together.
    pub fn of_all(corpora: &[Corpus], watch: &dyn StudyWatch) -> Result<Vocabulary, CorpusError> {
        watch.begin("counting words", corpora.iter().map(Corpus::len).sum());
        let lent = Lent::default();
        let mut languages: BTreeMap<String, (u32, Tally)> = BTreeMap::new();
        for corpus in corpora {
            corpus.fold(
                || (lent.take(), BTreeMap::<String, (u32, Tally)>::new()),
                |(stems, counted), writing| {
                    let (writings, tally) = match counted.get_mut(writing.code()) {
                        Some(known) => known,
                        None => counted.entry(writing.code().to_owned()).or_default(),
                    };
                    *writings += 1;
                    count(&writing.matter(), writing.code(), stems, tally);
                },
                |(stems, counted)| {
                    lent.give_back(stems);
                    for (code, (writings, tally)) in counted {
                        let all = languages.entry(code).or_default();
                        all.0 += writings;
                        all.1.join(tally);
                    }
                    let room = MOST_COUNTED / languages.len().max(1);
                    languages.values_mut().for_each(|(_, tally)| tally.shrink(room));
                },
                watch,
            )?;
        }
        let words = |(code, (writings, tally)): (String, (u32, Tally))| (code, tally.into_words(writings));
        Ok(Vocabulary { languages: languages.into_iter().map(words).collect() })
    }

    pub fn language(&self, code: &str) -> Option<&Words> {
        self.languages.get(code)
    }
}

fn count(text: &str, code: &str, stems: &mut StemSet, tally: &mut Tally) {
    for term in Terms::of(text, stems.of(code)).iter() {
        tally.add(term.id, term.stem, term.surface);
    }
}

/// Counts what is too much to be kept; what stays rare is forgotten.
#[derive(Debug, Default)]
pub(super) struct Tally {
    seen: IdMap<Seen>,
    floor: u32,
}

#[derive(Debug)]
struct Seen {
    writings: u32,
    stem: Box<str>,
    surface: Box<str>,
    /// How many more had this surface than others: what most have wins.
    votes: u32,
}

impl Seen {
    fn vote(&mut self, surface: &str, votes: u32) {
        if *self.surface == *surface {
            self.votes += votes;
        } else if self.votes >= votes {
            self.votes -= votes;
        } else {
            self.votes = votes - self.votes;
            self.surface = surface.into();
        }
    }
}

impl Tally {
    pub(super) fn add(&mut self, id: u64, stem: &str, surface: &str) {
        self.seen
            .entry(id)
            .and_modify(|seen| {
                seen.writings += 1;
                seen.vote(surface, 1);
            })
            .or_insert_with(|| Seen { writings: 1, stem: stem.into(), surface: surface.into(), votes: 1 });
    }

    pub(super) fn join(&mut self, other: Tally) {
        for (id, new) in other.seen {
            match self.seen.get_mut(&id) {
                Some(seen) => {
                    seen.writings += new.writings;
                    seen.vote(&new.surface, new.votes);
                }
                None => {
                    self.seen.insert(id, new);
                }
            }
        }
    }

    pub(super) fn shrink(&mut self, most: usize) {
        while self.seen.len() > most {
            self.floor += 1;
            let floor = self.floor;
            self.seen.retain(|_, seen| seen.writings > floor);
        }
    }

    pub(super) fn into_words(self, writings: u32) -> Words {
        let mut kept: Vec<(u64, Seen)> =
            self.seen.into_iter().filter(|(_, seen)| seen.writings >= FEWEST_WRITINGS).collect();
        kept.sort_unstable_by(|one, other| other.1.writings.cmp(&one.1.writings).then(one.0.cmp(&other.0)));
        kept.truncate(MOST_KEPT);
        let mut words = Words { writings, ..Words::default() };
        for (place, (id, Seen { writings, stem, surface, .. })) in (0..).zip(kept) {
            words.places.insert(id, place);
            words.terms.push(Term { stem, surface, writings });
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::{Tally, Vocabulary};
    use crate::offline::{Corpus, Writing};

    #[test]
    fn a_term_is_shown_as_most_write_it_and_rare_ones_are_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let texts =
            ["Elections are near", "an election", "the election", "more elections", "our election; a comet"];
        let writings = texts.map(|text| Writing {
            text: text.to_owned(),
            language: Some("en".to_owned()),
            ..Writing::default()
        });
        let corpus = Corpus::write(&dir.path().join("w"), writings.into_iter()).unwrap();
        let vocabulary = Vocabulary::of(&corpus, &()).unwrap();
        let words = vocabulary.language("en").unwrap();
        assert_eq!(words.writings, 5);
        let shown: Vec<_> = words.terms.iter().map(|term| (&*term.surface, term.writings)).collect();
        assert_eq!(shown, [("election", 5)]);
        assert_eq!(words.place(annalist_judge::text::id("elect")), Some(0));
    }

    #[test]
    fn what_stays_rare_is_forgotten_when_there_is_too_much() {
        let mut tally = Tally::default();
        for n in 0..100 {
            tally.add(n, "rare", "rare");
            tally.add(1000, "often", "often");
        }
        tally.shrink(50);
        assert_eq!(tally.seen.len(), 1);
        assert_eq!(tally.seen[&1000].writings, 100);
    }
}
