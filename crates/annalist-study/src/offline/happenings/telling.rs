//! What is said about a happening: its title in the words of those who report it, and its days as they name them.

use std::collections::{BTreeMap, HashMap, HashSet};

use annalist_model::link::shortened;

use super::bursts::Burst;
use super::features::{Feature, repeated, terms};
use super::mentioned;
use crate::offline::lent::{Lent, StemSet};
use crate::offline::{Corpus, CorpusError, Day, Vocabulary, Writing};

const BEGINNING: usize = 4000;
const SHORTEST_TITLE: usize = 8;
const LONGEST_TITLE: usize = 160;
/// A title that is longer than this by as much again is half as good.
const GOOD_LENGTH: f64 = 60.0;
/// What pages put between their title and the name of their site.
const BETWEEN: [&str; 7] = [" | ", " – ", " - ", " — ", " :: ", " « ", " » "];
/// Days that reports name further from their own are of something else.
const NEAR_DAYS: i32 = 60;
/// Of what the most named day has: another day near it belongs to it.
const ALSO: f64 = 0.5;
const ALSO_WITHIN: i32 = 10;
/// Of the reports, that must name its days.
const ENOUGH: f64 = 0.2;
/// Of those who mention it, that must be about it.
const REPORTED: f64 = 0.5;
/// A sentence is taken where no title tells anything.
const SENTENCE: f64 = 0.1;

/// What a text is about stands here, or more than once.
const LEAD: usize = 400;

/// What is being found out about one happening.
#[derive(Debug, Default)]
pub(super) struct Tale {
    pub(super) title: String,
    title_score: f64,
    /// First and last day, and how much speaks for them.
    votes: BTreeMap<(Day, Day), f64>,
    weight: f64,
    /// Of those who not only mention it.
    about: f64,
    /// What tells it, and how much.
    telling: HashMap<Feature, f64>,
}

/// What one writing says.
struct Said {
    titles: Vec<(String, Vec<Feature>, f64)>,
    days: Vec<(Day, Day)>,
    about: HashSet<Feature>,
}

impl Tale {
    pub(super) fn new<'b>(bursts: impl Iterator<Item = &'b Burst>) -> Tale {
        Tale { telling: bursts.map(|burst| (burst.feature, burst.strength)).collect(), ..Tale::default() }
    }

    fn take(&mut self, said: &Said, weight: f64) {
        self.weight += weight;
        if self.telling.keys().any(|feature| said.about.contains(feature)) {
            self.about += weight;
        }
        for span in &said.days {
            *self.votes.entry(*span).or_default() += weight;
        }
        for (title, features, worth) in &said.titles {
            let tells: f64 = features.iter().filter_map(|feature| self.telling.get(feature)).sum();
            let length = title.chars().count() as f64;
            let score =
                tells * worth * weight.sqrt() * GOOD_LENGTH / (GOOD_LENGTH + (length - GOOD_LENGTH).max(0.0));
            // A title that tells nothing is still better than none.
            let score = score + 0.001 * worth * weight;
            if score > self.title_score {
                self.title_score = score;
                self.title.clone_from(title);
            }
        }
    }

    /// Whether enough of those who mention it are about it. The title of a page that others link to is mentioned by many.
    pub(super) fn is_reported(&self) -> bool {
        self.about >= REPORTED * self.weight
    }

    /// Its days, where enough reports name them.
    pub(super) fn days(&self) -> Option<(Day, Day)> {
        // A span speaks for its days too.
        let support = |day: Day| -> f64 {
            self.votes
                .iter()
                .filter(|((from, until), _)| *from <= day && day <= *until)
                .map(|(_, votes)| *votes)
                .sum()
        };
        let ends = self.votes.keys().flat_map(|(from, until)| [*from, *until]);
        let (best, most) =
            ends.map(|day| (day, support(day))).fold(None, |best: Option<(Day, f64)>, next| match best {
                Some(best) if best.1 >= next.1 => Some(best),
                _ => Some(next),
            })?;
        if most < ENOUGH * self.weight {
            return None;
        }
        let is_of_it = |day: Day| (day.0 - best.0).abs() <= ALSO_WITHIN && support(day) >= ALSO * most;
        let ends =
            || self.votes.keys().flat_map(|(from, until)| [*from, *until]).filter(|day| is_of_it(*day));
        Some((ends().min().unwrap_or(best), ends().max().unwrap_or(best)))
    }
}

/// Reads the writings that report something: `reporting` has, by the writing's number, which tales and with what weight.
pub(super) fn tell(
    corpus: &Corpus,
    vocabulary: &Vocabulary,
    tales: &mut [Tale],
    reporting: &HashMap<u32, Vec<(usize, f64)>>,
    done: &(dyn Fn(u64) + Sync),
) -> Result<(), CorpusError> {
    let lent = Lent::default();
    let mut number = 0;
    corpus.fold(
        || (lent.take(), Vec::new()),
        |(stems, said): &mut (StemSet, Vec<Said>), writing| said.push(say(&writing, vocabulary, stems)),
        |(stems, said)| {
            lent.give_back(stems);
            for said in said {
                for (tale, weight) in reporting.get(&number).map(Vec::as_slice).unwrap_or_default() {
                    if let Some(tale) = tales.get_mut(*tale) {
                        tale.take(&said, *weight);
                    }
                }
                number += 1;
            }
        },
        done,
    )
}

fn say(writing: &Writing, vocabulary: &Vocabulary, stems: &mut StemSet) -> Said {
    let code = writing.code();
    let day = writing.published.map(|_| Day::of(writing.time()));
    let text = shortened(&writing.text, BEGINNING);
    let title = writing.title.as_deref().unwrap_or_default().trim();
    let mut titles = Vec::new();
    let mut candidates: Vec<(&str, f64)> = parts(title).into_iter().map(|part| (part, 1.0)).collect();
    candidates.extend(sentences(text).take(4).map(|sentence| (sentence, SENTENCE)));
    for (part, worth) in candidates {
        if (SHORTEST_TITLE..=LONGEST_TITLE).contains(&part.len()) {
            titles.push((part.to_owned(), terms(part, code, vocabulary, stems), worth));
        }
    }
    let is_near = |(from, until): &(Day, Day)| {
        day.is_none_or(|day| (day.0 - from.0).abs() <= NEAR_DAYS && (day.0 - until.0).abs() <= NEAR_DAYS)
    };
    let mut days: Vec<(Day, Day)> =
        mentioned::days(text, code == "en", day).into_iter().filter(is_near).collect();
    days.extend(mentioned::days(title, code == "en", day).into_iter().filter(is_near));
    days.sort_unstable();
    days.dedup();
    let mut about: HashSet<Feature> = repeated(text, code, 2, vocabulary, stems).into_iter().collect();
    about.extend(terms(shortened(text, LEAD), code, vocabulary, stems));
    about.extend(terms(title, code, vocabulary, stems));
    Said { titles, days, about }
}

/// A title with and without the name of the site.
fn parts(title: &str) -> Vec<&str> {
    let mut parts = vec![title];
    for between in BETWEEN {
        parts = parts.into_iter().flat_map(|part| part.split(between)).collect();
    }
    parts.into_iter().map(str::trim).collect()
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', '!', '?'])
        .flat_map(|line| line.split(". "))
        .map(|sentence| sentence.trim().trim_end_matches('.'))
        .filter(|sentence| sentence.len() >= SHORTEST_TITLE)
}
