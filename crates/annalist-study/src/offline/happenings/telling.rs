//! What is said about a happening: its title in the words of those who report it, and its days as they name them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use annalist_judge::text::id;
use annalist_model::link::shortened;

use super::bursts::Burst;
use super::features::{Feature, lead, repeated, terms};
use super::mentioned::{self, Told};
use crate::offline::lent::{Lent, StemSet};
use crate::offline::{Corpus, CorpusError, Day, StudyWatch, Vocabulary, Writing};

const BEGINNING: usize = 4000;
const SHORTEST_TITLE: usize = 8;
const LONGEST_TITLE: usize = 160;
/// A title that is longer than this by as much again is half as good.
const GOOD_LENGTH: f64 = 60.0;
/// What pages put between their title and the name of their site.
const BETWEEN: [&str; 7] = [" | ", " – ", " - ", " — ", " :: ", " « ", " » "];
const ANSWER: [&str; 8] = ["re", "aw", "wg", "fwd", "fw", "ré", "tr", "απ"];
/// Days that reports name further from their own are of something else.
const NEAR_DAYS: i32 = 60;
/// Of what the most named day has: another day near it belongs to it.
const ALSO: f64 = 0.5;
const ALSO_WITHIN: i32 = 10;
/// What lasts longer is no happening.
const LONGEST_DAYS: i32 = 45;
/// Of the reports, that must name its days.
const ENOUGH: f64 = 0.2;
/// Of those who mention it, that must be about it.
const REPORTED: f64 = 0.5;
/// A sentence is taken where no title tells anything.
const SENTENCE: f64 = 0.1;

/// What is being found out about one happening.
#[derive(Debug, Default)]
pub(super) struct Tale {
    /// What it may be called, and how well. A title that several have speaks for itself.
    titles: BTreeMap<String, f64>,
    /// First and last day, and how much speaks for them.
    votes: BTreeMap<(Day, Day), f64>,
    /// Which site names them.
    named: BTreeSet<(u64, (Day, Day))>,
    /// Last days, and lengths in days, where that is all that is said.
    ends: BTreeMap<Day, f64>,
    lengths: BTreeMap<i32, f64>,
    weight: f64,
    /// Of those who not only mention it.
    about: f64,
    /// What tells it, and how much.
    telling: HashMap<Feature, f64>,
}

/// What one writing says.
struct Said {
    site: u64,
    titles: Vec<(String, Vec<Feature>, f64)>,
    days: Told,
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
        for span in &said.days.spans {
            *self.votes.entry(*span).or_default() += weight;
            self.named.insert((said.site, *span));
        }
        said.days.ends.iter().for_each(|day| *self.ends.entry(*day).or_default() += weight);
        said.days.lengths.iter().for_each(|days| *self.lengths.entry(*days).or_default() += weight);
        for (title, features, worth) in &said.titles {
            let tells: f64 = features.iter().filter_map(|feature| self.telling.get(feature)).sum();
            let length = title.chars().count() as f64;
            let score =
                tells * worth * weight.sqrt() * GOOD_LENGTH / (GOOD_LENGTH + (length - GOOD_LENGTH).max(0.0));
            // A title that tells nothing is still better than none.
            let score = score + 0.001 * worth * weight;
            let known = self.titles.entry(title.clone()).or_default();
            *known = if *worth > SENTENCE { *known + score } else { known.max(score) };
        }
    }

    pub(super) fn title(&self) -> String {
        let best = self.titles.iter().max_by(|one, other| one.1.total_cmp(other.1).then(other.0.cmp(one.0)));
        best.map(|(title, _)| title.clone()).unwrap_or_default()
    }

    /// Whether enough of those who mention it are about it. The title of a page that others link to is mentioned by many.
    pub(super) fn is_reported(&self) -> bool {
        self.about >= REPORTED * self.weight
    }

    /// How many sites name one of its days.
    pub(super) fn sites_naming(&self, (first, last): (Day, Day)) -> usize {
        let of_it = self.named.iter().filter(|(_, (from, until))| *from <= last && first <= *until);
        of_it.map(|(site, _)| site).collect::<BTreeSet<_>>().len()
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
        let (from, until) = (ends().min().unwrap_or(best), ends().max().unwrap_or(best));
        Some((from, self.last_day(from).map_or(until, |last| last.max(until))))
    }

    /// Its last day, where enough of the reports say it. All of them say when it began, and some until when it goes on.
    fn last_day(&self, first: Day) -> Option<Day> {
        let mut votes: BTreeMap<Day, f64> = BTreeMap::new();
        let spans = self.votes.iter().filter(|((from, _), _)| *from == first);
        let lengths = self.lengths.iter().map(|(days, weight)| (first.plus(days - 1), weight));
        let said = spans
            .map(|((_, until), weight)| (*until, weight))
            .chain(self.ends.iter().map(|(end, weight)| (*end, weight)))
            .chain(lengths);
        for (last, weight) in said.filter(|(last, _)| (1..=LONGEST_DAYS).contains(&(last.0 - first.0))) {
            *votes.entry(last).or_default() += weight;
        }
        let (last, weight) = votes.into_iter().max_by(|one, other| one.1.total_cmp(&other.1))?;
        (weight >= ENOUGH * self.weight).then_some(last)
    }
}

/// Reads the writings that report something: `reporting` has, by the writing's number, which tales and with what weight.
pub(super) fn tell(
    corpus: &Corpus,
    vocabulary: &Vocabulary,
    tales: &mut [Tale],
    reporting: &HashMap<u32, Vec<(usize, f64)>>,
    watch: &dyn StudyWatch,
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
        watch,
    )
}

fn say(writing: &Writing, vocabulary: &Vocabulary, stems: &mut StemSet) -> Said {
    let code = writing.code();
    let day = writing.day();
    let text = writing.own_text();
    let text = shortened(&text, BEGINNING);
    let title = writing.title.as_deref().unwrap_or_default().trim();
    let mut titles = Vec::new();
    let mut candidates: Vec<(&str, f64)> = parts(title).into_iter().map(|part| (part, 1.0)).collect();
    candidates.extend(sentences(text).take(4).map(|sentence| (sentence, SENTENCE)));
    for (part, worth) in candidates {
        if (SHORTEST_TITLE..=LONGEST_TITLE).contains(&part.len()) {
            titles.push((part.to_owned(), terms(part, code, vocabulary, stems), worth));
        }
    }
    let is_near = |other: Day| day.is_none_or(|day| (day.0 - other.0).abs() <= NEAR_DAYS);
    let mut days = mentioned::days(text, code == "en", day);
    days.extend(mentioned::days(title, code == "en", day));
    days.retain(is_near);
    days.dedup();
    let mut about: HashSet<Feature> = repeated(text, code, 2, vocabulary, stems).into_iter().collect();
    about.extend(terms(lead(text), code, vocabulary, stems));
    about.extend(terms(title, code, vocabulary, stems));
    Said { site: id(&writing.site), titles, days, about }
}

/// A title with and without the name of the site.
fn parts(title: &str) -> Vec<&str> {
    let mut parts = vec![title];
    for between in BETWEEN {
        parts = parts.into_iter().flat_map(|part| part.split(between)).collect();
    }
    parts.into_iter().map(|part| without_answer(part.trim())).collect()
}

/// What answers put before the title of what they answer, again and again.
fn without_answer(title: &str) -> &str {
    match title.split_once(':') {
        Some((mark, rest)) if ANSWER.contains(&mark.trim().to_lowercase().as_str()) => {
            without_answer(rest.trim_start())
        }
        _ => title,
    }
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', '!', '?'])
        .flat_map(|line| line.split(". "))
        .map(|sentence| sentence.trim().trim_end_matches('.'))
        .filter(|sentence| sentence.len() >= SHORTEST_TITLE)
}
