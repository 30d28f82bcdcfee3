//! What to call a topic: the words and phrases that its writings have and others have not, as people write them.

use super::sorting::{Group, Sorted};
use crate::offline::{Term, Vocabulary};

const TERMS: usize = 12;
const TERMS_OF_A_LABEL: usize = 4;
/// Fewer of a topic's writings with a term: it is about one of them.
const SMALLEST_SHARE: f32 = 0.05;
/// A phrase says more than one of its words, if it has this share of what the word tells.
const PHRASE: f32 = 0.6;

/// The best terms first.
pub(super) fn terms(group: &Group, sorted: &Sorted, vocabulary: &Vocabulary) -> Vec<(String, f32)> {
    let nothing = (0, Vec::new());
    let (all, counts) = sorted.with_term.get(&group.language).unwrap_or(&nothing);
    let Some(words) = vocabulary.language(&group.language) else { return Vec::new() };
    let (inside, outside) = (group.writings.max(1) as f32, (all - group.writings) as f32);
    let mut scored: Vec<(&Term, f32)> = group
        .with_term
        .iter()
        .filter_map(|(place, with)| {
            let term = words.get(*place).filter(|term| is_readable(term))?;
            let elsewhere = counts.get(*place as usize).copied().unwrap_or_default() - with;
            let share = *with as f32 / inside;
            let other = (elsewhere as f32 + 0.5) / (outside + 1.0);
            let telling = share * (share / other).ln();
            (*with > 1 && share >= SMALLEST_SHARE && telling > 0.0).then_some((term, telling))
        })
        .collect();
    scored.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.stem.cmp(&other.0.stem)));
    scored.truncate(20 * TERMS);
    chosen(&scored).into_iter().map(|(term, telling)| (term.surface.to_string(), telling)).collect()
}

fn is_readable(term: &Term) -> bool {
    term.surface.chars().nth(1).is_some()
        && term.stem.split(' ').all(|word| word.chars().any(char::is_alphabetic))
}

/// Phrases in place of their words, and nothing twice.
fn chosen<'v>(scored: &[(&'v Term, f32)]) -> Vec<(&'v Term, f32)> {
    let mut chosen: Vec<(&Term, f32)> = Vec::new();
    for (term, telling) in scored {
        if chosen.len() >= TERMS {
            break;
        }
        let phrase = scored.iter().find(|(pair, of_pair)| {
            pair.is_pair() && !term.is_pair() && has(pair, term) && *of_pair >= PHRASE * telling
        });
        let (term, telling) = phrase.map_or((*term, *telling), |(pair, _)| (*pair, *telling));
        if !chosen.iter().any(|(known, _)| has(known, term) || has(term, known)) {
            chosen.push((term, telling));
        }
    }
    chosen
}

/// Whether one has a word of the other, or the same.
fn has(one: &Term, other: &Term) -> bool {
    one.stem.split(' ').any(|word| other.stem.split(' ').any(|more| more == word))
}

pub(super) fn label(terms: &[(String, f32)]) -> String {
    let first: Vec<&str> = terms.iter().take(TERMS_OF_A_LABEL).map(|(term, _)| term.as_str()).collect();
    first.join(", ")
}
