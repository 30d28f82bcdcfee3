//! Every writing of the corpus to its topics, and what is counted on the way.

use std::collections::BTreeMap;

use annalist_judge::text::Terms;

use super::Course;
use super::clusters::{Clusters, best};
use super::vectors::{Sample, vector, without};
use crate::offline::lent::Lent;
use crate::offline::{Corpus, CorpusError, Day, Month, StudyWatch, Vocabulary};

/// A writing belongs to a topic that it is at least this much like, compared with what the topic's own are on average.
const FITS: f32 = 0.5;
/// And to others that it is nearly as much like as the first.
const NEARLY: f32 = 0.8;
const MOST_TOPICS_OF_A_WRITING: usize = 3;
/// A change of share is told when it is this many times what chance makes of it, and this large.
const CERTAIN: f64 = 2.6;
const LARGE: f64 = 1.3;

#[derive(Debug, Default)]
pub(super) struct Sorted {
    /// All clusters of all languages, one after the other.
    pub(super) groups: Vec<Group>,
    /// Of writings to `groups`.
    pub(super) memberships: Vec<(u32, u32, f32)>,
    /// All writings with a topic, and with a date, month by month and by language.
    months: BTreeMap<(String, Month), u32>,
    /// By language: in how many writings with a topic each term is.
    pub(super) with_term: BTreeMap<String, (u32, Vec<u32>)>,
}

#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) language: String,
    pub(super) writings: u32,
    pub(super) months: BTreeMap<Month, u32>,
    /// In how many of its writings each term is, by its number in the vocabulary.
    pub(super) with_term: BTreeMap<u32, u32>,
}

/// A writing and where it belongs.
struct Placed {
    code: usize,
    topics: Vec<(u32, f32)>,
    month: Option<Month>,
    terms: Vec<u32>,
}

impl Sorted {
    pub(super) fn of(
        corpus: &Corpus,
        vocabulary: &Vocabulary,
        samples: &[Sample],
        groups: &[Clusters],
        watch: &dyn StudyWatch,
    ) -> Result<Sorted, CorpusError> {
        let mut sorted = Sorted::default();
        let mut first = Vec::new();
        for (sample, clusters) in samples.iter().zip(groups) {
            first.push(u32::try_from(sorted.groups.len()).unwrap_or(u32::MAX));
            let fresh = || Group { language: sample.language.clone(), ..Group::default() };
            sorted.groups.extend(clusters.clusters.iter().map(|_| fresh()));
        }
        let lent = Lent::default();
        let mut number = 0;
        corpus.fold(
            || (lent.take(), Vec::new()),
            |(stems, placed), writing| {
                let code = writing.code();
                let known = samples.iter().position(|sample| sample.language == code);
                let of_language =
                    known.and_then(|at| Some((at, samples.get(at)?, groups.get(at)?, first.get(at)?)));
                let (Some((at, sample, clusters, first)), Some(words)) =
                    (of_language, vocabulary.language(code))
                else {
                    placed.push(None);
                    return;
                };
                let mut vector = vector(&writing, words, stems);
                without(&mut vector, &writing.site, &sample.own);
                let topics =
                    fitting(clusters, &vector).into_iter().map(|(n, s)| (first + n, s)).collect::<Vec<_>>();
                let mut terms = Vec::new();
                if !topics.is_empty() {
                    let matter = writing.matter();
                    terms.extend(
                        Terms::of(&matter, stems.of(code)).iter().filter_map(|term| words.place(term.id)),
                    );
                }
                let month = writing.day().map(Day::month);
                placed.push(Some(Placed { code: at, topics, month, terms }));
            },
            |(stems, placed): (_, Vec<Option<Placed>>)| {
                lent.give_back(stems);
                for placed in placed {
                    if let Some(placed) = placed {
                        sorted.take(number, &placed, samples);
                    }
                    number += 1;
                }
            },
            watch,
        )?;
        Ok(sorted)
    }

    fn take(&mut self, writing: u32, placed: &Placed, samples: &[Sample]) {
        let Some((topic, _)) = placed.topics.first() else { return };
        let Some(language) = samples.get(placed.code).map(|sample| sample.language.as_str()) else { return };
        self.memberships.extend(placed.topics.iter().map(|(topic, strength)| (writing, *topic, *strength)));
        if !self.with_term.contains_key(language) {
            self.with_term.insert(language.to_owned(), (0, Vec::new()));
        }
        if let Some((writings, counts)) = self.with_term.get_mut(language) {
            *writings += 1;
            for term in &placed.terms {
                let place = *term as usize;
                if counts.len() <= place {
                    counts.resize(place + 1, 0);
                }
                if let Some(count) = counts.get_mut(place) {
                    *count += 1;
                }
            }
        }
        if let Some(month) = placed.month {
            *self.months.entry((language.to_owned(), month)).or_default() += 1;
        }
        if let Some(group) = self.groups.get_mut(*topic as usize) {
            group.writings += 1;
            placed.terms.iter().for_each(|term| *group.with_term.entry(*term).or_default() += 1);
            if let Some(month) = placed.month {
                *group.months.entry(month).or_default() += 1;
            }
        }
    }

    /// How a topic's share of the later half of the writings compares with that of the earlier half.
    pub(super) fn course(&self, group: &Group) -> Course {
        let all = || self.months.iter().filter(|((language, _), _)| *language == group.language);
        let total: u64 = all().map(|(_, count)| u64::from(*count)).sum();
        let (mut early, mut late) = ((0.0, 0.0), (0.0, 0.0));
        let mut passed = 0;
        for ((_, month), count) in all() {
            let half = if 2 * passed < total { &mut early } else { &mut late };
            half.0 += f64::from(group.months.get(month).copied().unwrap_or_default());
            half.1 += f64::from(*count);
            passed += u64::from(*count);
        }
        if early.1 < 1.0 || late.1 < 1.0 {
            return Course::Steady;
        }
        let (before, after) = (early.0 / early.1, late.0 / late.1);
        let share = (early.0 + late.0) / (early.1 + late.1);
        let chance = (share * (1.0 - share) * (1.0 / early.1 + 1.0 / late.1)).sqrt();
        let certain = (after - before).abs() > CERTAIN * chance;
        match certain {
            true if after > LARGE * before => Course::Rising,
            true if before > LARGE * after => Course::Falling,
            _ => Course::Steady,
        }
    }
}

/// The clusters that a vector fits, by their numbers, the best first, and how well.
fn fitting(clusters: &Clusters, vector: &super::vectors::Vector) -> Vec<(u32, f32)> {
    let mut likeness = Vec::new();
    clusters.likeness(vector, &mut likeness);
    let Some((_, most)) = best(&likeness) else { return Vec::new() };
    let mut fitting: Vec<(u32, f32, f32)> = (0..)
        .zip(likeness.iter().zip(&clusters.clusters))
        .filter(|(_, (likeness, cluster))| {
            **likeness >= FITS * cluster.likeness && **likeness >= NEARLY * most
        })
        .map(|(number, (likeness, cluster))| {
            (number, *likeness, (likeness / cluster.likeness.max(f32::MIN_POSITIVE)).min(1.0))
        })
        .collect();
    fitting.sort_by(|one, other| other.1.total_cmp(&one.1));
    fitting.truncate(MOST_TOPICS_OF_A_WRITING);
    fitting.into_iter().map(|(number, _, strength)| (number, strength)).collect()
}
