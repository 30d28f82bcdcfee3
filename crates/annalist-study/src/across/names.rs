//! Names that changed: one falls silent when another begins, and the same names and words stand around both.
//!
//! - `archive`: names that end or begin while the archive goes on, and pairs of them that meet in time beside the same names
//! - `around`: the words around both, and writings that have both, perhaps with words that say it: "formerly"

mod archive;
mod around;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde::Serialize;

use super::all;
use crate::offline::{Corpus, CorpusError, Day, Named, StudyWatch, Vocabulary};
use archive::{Archive, Neighbours, Pair};
use around::Around;

/// Somebody or something that was called otherwise from some time on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Renaming {
    pub before: String,
    pub after: String,
    /// The last day before the change with the old name alone, and the first with the new one: it changed in between.
    pub old_until: Day,
    pub new_from: Day,
    /// How alike what is written around both names is, from 0 to 1.
    pub context: f32,
    /// In how many writings both stand together, and in how many of them words say that one became the other.
    pub together: u32,
    pub said: u32,
    pub confidence: f32,
    /// Names and words that go with both.
    pub shared: Vec<String>,
    /// Writings that have both, or else the last with the old name and the first with the new one, by their ids.
    pub evidence: Vec<String>,
}

const MOST_SHARED: usize = 8;
const MOST_EVIDENCE: usize = 5;
const LEAST_CONFIDENCE: f32 = 0.4;
/// How much the names around both count, beside the words: everybody uses the same words about anybody.
const NAMES: f32 = 0.75;
/// Two that are named together in half of the writings of the rarer one are two.
const APART: f32 = 2.0;
/// Of `Pair::sharp`: two out of three that are as sharp are no chance.
const SHARP: f32 = 6.0;

/// Finds names that gave way to others. `named` has the names of each corpus, with the same numbers in all of them.
pub fn renamings(
    corpora: &[Corpus],
    named: &[Named],
    vocabulary: &Vocabulary,
    watch: &dyn StudyWatch,
) -> Result<Vec<Renaming>, CorpusError> {
    let Some(names) = named.first().map(|named| named.names.as_slice()) else { return Ok(Vec::new()) };
    watch.begin("when names were written", all(corpora));
    let archive = Archive::of(corpora, named, watch)?;
    let mut neighbours = Neighbours::new(&archive, names);
    let pairs = archive.pairs(&mut neighbours, names, watch)?;
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    let candidates: BTreeSet<u32> = pairs.iter().flat_map(|pair| [pair.before, pair.after]).collect();
    watch.begin("what stands around names", all(corpora));
    let around = Around::of(corpora, vocabulary, &archive, &candidates, names, watch)?;
    let mut found: Vec<(Pair, Renaming)> = Vec::new();
    for pair in pairs {
        if watch.is_stopped() {
            return Err(CorpusError::Stopped);
        }
        let renaming = renaming(&pair, &around, &neighbours, &archive, vocabulary, names);
        found.extend(renaming.map(|renaming| (pair, renaming)));
    }
    found.sort_by(|one, other| {
        let (one, other) = (&one.1, &other.1);
        other
            .confidence
            .total_cmp(&one.confidence)
            .then_with(|| one.before.cmp(&other.before))
            .then_with(|| one.after.cmp(&other.after))
    });
    Ok(best(found))
}

/// Each name gives way to one, and takes the place of one; parts of names that changed are no changes of their own.
fn best(found: Vec<(Pair, Renaming)>) -> Vec<Renaming> {
    let (mut old, mut new) = (HashSet::new(), HashSet::new());
    let mut kept: Vec<Renaming> = Vec::new();
    for (pair, renaming) in found {
        let is_part = |part: &str, whole: &str| {
            let (part, whole) = (part.to_lowercase(), whole.to_lowercase());
            whole
                .split(' ')
                .any(|word| part.split(' ').any(|other| other == word && word.chars().count() > 3))
        };
        let is_told = kept
            .iter()
            .any(|known| is_part(&renaming.before, &known.before) && is_part(&renaming.after, &known.after));
        if !is_told && !old.contains(&pair.before) && !new.contains(&pair.after) {
            old.insert(pair.before);
            new.insert(pair.after);
            kept.push(renaming);
        }
    }
    kept
}

fn renaming(
    pair: &Pair,
    around: &Around,
    neighbours: &Neighbours<'_>,
    archive: &Archive,
    vocabulary: &Vocabulary,
    names: &[String],
) -> Option<Renaming> {
    let name = |number: u32| names.get(number as usize).cloned();
    let (before, after) = (name(pair.before)?, name(pair.after)?);
    let (old, new) = (archive.with(pair.before), archive.with(pair.after));
    let both = archive.with_both(pair.before, pair.after);
    let said = around.saying(&both, &before.to_lowercase(), &after.to_lowercase());
    let (words, of_words) = around.words(pair, archive, vocabulary, names);
    let context = NAMES * pair.names + (1.0 - NAMES) * words;
    let told = 1.0 - 0.4_f32.powi(i32::try_from(said.len()).unwrap_or(i32::MAX));
    let apart = 1.0 - APART * both.len() as f32 / old.len().min(new.len()).max(1) as f32;
    let apart = if said.is_empty() { apart.clamp(0.0, 1.0) } else { 1.0 };
    let sharp = 1.0 - (-pair.sharp / SHARP).exp();
    let confidence = pair.fits * pair.fits * apart * sharp * (1.0 - (1.0 - context) * (1.0 - told));
    if confidence < LEAST_CONFIDENCE {
        return None;
    }
    let mut shared = neighbours.shared(pair);
    shared.truncate(MOST_SHARED / 2);
    let is_new = |word: &String| !shared.iter().any(|name| name.contains(word.as_str()));
    let of_words: Vec<String> =
        of_words.into_iter().filter(is_new).take(MOST_SHARED - shared.len()).collect();
    shared.extend(of_words);
    let count = |some: &[u32]| u32::try_from(some.len()).unwrap_or(u32::MAX);
    let evidence: BTreeSet<u32> = if both.is_empty() {
        old.last().into_iter().chain(new.first()).copied().collect()
    } else {
        said.iter().chain(&both).copied().take(MOST_EVIDENCE).collect()
    };
    Some(Renaming {
        before,
        after,
        old_until: pair.old_until,
        new_from: pair.new_from,
        context,
        together: count(&both),
        said: count(&said),
        confidence,
        shared,
        evidence: evidence.into_iter().filter_map(|writing| around.id(writing)).collect(),
    })
}

/// What the two names consist of, in small letters.
fn own_words(pair: [u32; 2], names: &[String]) -> HashSet<String> {
    let names = pair.into_iter().filter_map(|name| names.get(name as usize));
    names.flat_map(|name| name.split(' ').map(str::to_lowercase).collect::<Vec<_>>()).collect()
}

/// Whether it is a part of the names themselves.
fn is_of(shown: &str, own: &HashSet<String>) -> bool {
    shown.split(' ').all(|word| own.contains(&word.to_lowercase()))
}

/// How much it says that something stands in `count` of the `total` writings with a name, and in `of_all` of `all` writings: the
/// share, times how much larger it is than anywhere (the logarithm). What is as frequent anywhere says nothing.
fn weight(count: u32, total: usize, of_all: usize, all: usize) -> f32 {
    let share = count as f32 / total.max(1) as f32;
    let anywhere = of_all.max(1) as f32 / all.max(1) as f32;
    share * (share / anywhere).ln().max(0.0)
}

fn cosine<K: Ord>(one: &BTreeMap<K, f32>, other: &BTreeMap<K, f32>) -> f32 {
    let length = |some: &BTreeMap<K, f32>| some.values().map(|weight| weight * weight).sum::<f32>().sqrt();
    let dot: f32 = one.iter().filter_map(|(key, weight)| Some(weight * other.get(key)?)).sum();
    dot / (length(one) * length(other)).max(f32::MIN_POSITIVE)
}

/// What both have, the most telling first.
fn shared<K: Ord + Copy>(one: &BTreeMap<K, f32>, other: &BTreeMap<K, f32>) -> Vec<K> {
    let mut products: Vec<(K, f32)> =
        one.iter().filter_map(|(key, weight)| Some((*key, weight * other.get(key)?))).collect();
    products.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    products.into_iter().map(|(key, _)| key).collect()
}
