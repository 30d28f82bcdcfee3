//! What the writings of an archive are about: groups of them that share words, each with a label that people can read, and
//! how they come and go.
//!
//! - `vectors`: a writing as weighted words; `clusters`: groups of such vectors
//! - `sorting`: every writing to its group, counted; `labels`: what to call a group
//!
//! Each language for itself: words of different languages have nothing in common to be grouped by.

mod clusters;
mod labels;
mod sorting;
mod vectors;

use serde::{Deserialize, Serialize};

use super::{Corpus, CorpusError, Month, StudyWatch, Vocabulary};
use clusters::Clusters;
use sorting::Sorted;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Topics {
    /// The largest first.
    pub topics: Vec<Topic>,
    /// The number of a writing in the corpus, that of the topic, and how well it fits, from 0 to 1. In the order of writings;
    /// a writing may have several topics, the best first, or none.
    pub memberships: Vec<(u32, u32, f32)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Topic {
    /// The first terms: `election, exit poll, parliament`
    pub label: String,
    /// ISO 639-1; empty where it could not be told.
    pub language: String,
    /// As people write them, those that tell it from other topics best first, with how well they do.
    pub terms: Vec<(String, f32)>,
    /// Whose first topic it is.
    pub writings: u32,
    /// Of those with a date of publication; the others are in none.
    pub months: Vec<(Month, u32)>,
    pub course: Course,
    /// How alike its writings are compared with all writings of the language: from 0 to 1.
    pub confidence: f32,
}

impl Topic {
    /// How many of its writings have no date.
    pub fn undated(&self) -> u32 {
        self.writings.saturating_sub(self.months.iter().map(|(_, count)| count).sum())
    }
}

/// Whether a topic has a larger share of the later half of the writings than of the earlier half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Course {
    Rising,
    Falling,
    #[default]
    Steady,
}

/// Finds the topics of a corpus whose terms were counted.
pub fn topics(
    corpus: &Corpus,
    vocabulary: &Vocabulary,
    watch: &dyn StudyWatch,
) -> Result<Topics, CorpusError> {
    watch.begin("topics: choosing writings", corpus.len());
    let samples = vectors::samples(corpus, vocabulary, watch)?;
    let groups: Vec<Clusters> = samples.iter().map(|sample| Clusters::of(sample, watch)).collect();
    watch.begin("topics: sorting writings", corpus.len());
    let sorted = Sorted::of(corpus, vocabulary, &samples, &groups, watch)?;
    let found: Vec<Topic> = sorted
        .groups
        .iter()
        .zip(groups.iter().flat_map(|group| &group.clusters))
        .map(|(group, cluster)| {
            let terms = labels::terms(group, &sorted, vocabulary);
            Topic {
                label: labels::label(&terms),
                language: group.language.clone(),
                terms,
                writings: group.writings,
                months: group.months.iter().map(|(month, count)| (*month, *count)).collect(),
                course: sorted.course(group),
                confidence: cluster.confidence,
            }
        })
        .collect();
    Ok(by_size(found, sorted.memberships))
}

/// The largest first; those that nothing fits, or nothing can be said about, are left out.
fn by_size(found: Vec<Topic>, memberships: Vec<(u32, u32, f32)>) -> Topics {
    let mut order: Vec<usize> = (0..found.len())
        .filter(|n| found.get(*n).is_some_and(|topic| topic.writings > 1 && !topic.terms.is_empty()))
        .collect();
    order.sort_by_key(|n| found.get(*n).map(|topic| std::cmp::Reverse(topic.writings)));
    let mut places = vec![None; found.len()];
    for (place, old) in (0..).zip(&order) {
        if let Some(slot) = places.get_mut(*old) {
            *slot = Some(place);
        }
    }
    let place = |old: u32| places.get(old as usize).copied().flatten();
    let memberships = memberships
        .into_iter()
        .filter_map(|(writing, topic, strength)| Some((writing, place(topic)?, strength)))
        .collect();
    let mut found: Vec<Option<Topic>> = found.into_iter().map(Some).collect();
    let topics = order.into_iter().filter_map(|n| found.get_mut(n).and_then(Option::take)).collect();
    Topics { topics, memberships }
}

#[cfg(test)]
mod tests;
