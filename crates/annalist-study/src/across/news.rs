//! What is new since the last crawl.

use std::collections::{HashMap, HashSet};

use annalist_model::Time;
use serde::{Serialize, Serializer};

use super::associations::Strength;
use super::{all, key};
use crate::offline::{Corpus, CorpusError, Named, StudyWatch, Vocabulary, Writing};

/// What the last crawl has that those before had not.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct News {
    pub new: Vec<Place>,
    pub changed: Vec<Place>,
    /// In the crawl before and not in the last: gone, or not visited.
    pub gone: Vec<Place>,
    /// Names that no crawl before had, and in how many writings they are.
    pub names: Vec<(String, u32)>,
    /// Terms with a larger share of the writings than before: share before, share now; the most certain first.
    pub risen: Vec<(String, f32, f32)>,
}

/// Where a writing stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    /// The address of its page.
    pub page: String,
    pub title: Option<String>,
    /// When the crawls captured it first.
    #[serde(serialize_with = "in_words")]
    pub first_captured: Time,
    /// Its name in the graph.
    pub id: String,
}

fn in_words<S: Serializer>(time: &Time, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&time.rfc3339())
}

/// Bits of two texts that are still the same.
const SAME_BITS: u32 = 3;
const FEWEST_WRITINGS: u32 = 3;
const MOST_NAMES: usize = 100;
const MOST_TERMS: usize = 100;
const LEAST_LIKELIHOOD: f32 = 10.8;

/// Compares the last crawl with those before it.
pub fn news(corpora: &[Corpus], named: &[Named], watch: &dyn StudyWatch) -> Result<News, CorpusError> {
    let Some((last, before)) = corpora.split_last() else { return Ok(News::default()) };
    watch.begin("comparing writings", all(corpora));
    let mut known: HashMap<u64, (Text, Time)> = HashMap::new();
    for corpus in before {
        writings(corpus, watch, |(place, text)| {
            let before = known.get(&key(&place.id));
            let first = before.map_or(place.first_captured, |(_, first)| place.first_captured.min(*first));
            known.insert(key(&place.id), (text, first));
        })?;
    }
    let mut news = News::default();
    let mut present = HashSet::new();
    writings(last, watch, |(place, text)| {
        present.insert(key(&place.id));
        match known.get(&key(&place.id)) {
            None => news.new.push(place),
            Some((before, first)) if !before.is_same(text) => {
                news.changed.push(Place { first_captured: *first, ..place });
            }
            Some(_) => {}
        }
    })?;
    if let Some(previous) = before.last() {
        writings(previous, watch, |(place, _)| {
            if !present.contains(&key(&place.id)) {
                let first = known.get(&key(&place.id)).map_or(place.first_captured, |(_, first)| *first);
                news.gone.push(Place { first_captured: first, ..place });
            }
        })?;
    }
    news.names = new_names(named);
    news.risen = risen(&Vocabulary::of_all(before, watch)?, &Vocabulary::of(last, watch)?);
    Ok(news)
}

#[derive(Clone, Copy)]
struct Text {
    simhash: u64,
    exact: u64,
}

impl Text {
    fn of(writing: &Writing) -> Text {
        Text { simhash: writing.simhash, exact: key(&writing.text) }
    }

    fn is_same(self, other: Text) -> bool {
        let has_both = self.simhash != 0 && other.simhash != 0;
        self.exact == other.exact || (has_both && (self.simhash ^ other.simhash).count_ones() <= SAME_BITS)
    }
}

fn writings(
    corpus: &Corpus,
    watch: &dyn StudyWatch,
    mut take: impl FnMut((Place, Text)) + Send,
) -> Result<(), CorpusError> {
    let one = |some: &mut Vec<(Place, Text)>, writing: Writing| {
        let text = Text::of(&writing);
        let first_captured = Time::from_millis(writing.captured);
        some.push((Place { page: writing.url, title: writing.title, first_captured, id: writing.id }, text));
    };
    corpus.fold(Vec::new, one, |some| some.into_iter().for_each(&mut take), watch)
}

/// Names of the last crawl that those before had not, the most frequent first.
fn new_names(named: &[Named]) -> Vec<(String, u32)> {
    let Some((last, before)) = named.split_last() else { return Vec::new() };
    let old: HashSet<String> = before
        .iter()
        .flat_map(|named| named.mentions.iter().filter_map(|(_, name)| named.names.get(*name as usize)))
        .map(|name| name.to_lowercase())
        .collect();
    let mut counts = vec![0_u32; last.names.len()];
    for (_, name) in &last.mentions {
        if let Some(count) = counts.get_mut(*name as usize) {
            *count += 1;
        }
    }
    let mut new: Vec<(String, u32)> = last
        .names
        .iter()
        .zip(counts)
        .filter(|(name, count)| *count >= FEWEST_WRITINGS && !old.contains(&name.to_lowercase()))
        .map(|(name, count)| (name.clone(), count))
        .collect();
    new.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
    new.truncate(MOST_NAMES);
    new
}

/// Terms that more writings have than before.
fn risen(before: &Vocabulary, now: &Vocabulary) -> Vec<(String, f32, f32)> {
    let mut found: Vec<(f32, (String, f32, f32))> = Vec::new();
    for (code, words) in &now.languages {
        let Some(old) = before.language(code) else { continue };
        for term in words.terms.iter().filter(|term| !term.is_number() && term.writings >= FEWEST_WRITINGS) {
            let place = old.place(annalist_judge::text::id(&term.stem));
            let with = place.and_then(|place| old.get(place)).map_or(0, |term| term.writings);
            let all = words.writings + old.writings;
            let strength = Strength::of(words.writings, term.writings + with, term.writings, all);
            let share = |with: u32, all: u32| with as f32 / all.max(1) as f32;
            let (was, is) = (share(with, old.writings), share(term.writings, words.writings));
            if is > was && strength.likelihood >= LEAST_LIKELIHOOD {
                found.push((strength.likelihood, (term.surface.to_string(), was, is)));
            }
        }
    }
    found.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.0.cmp(&other.1.0)));
    found.truncate(MOST_TERMS);
    found.into_iter().map(|(_, term)| term).collect()
}
