//! Which pages nearly repeat others: by fingerprints of which few bits differ.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use super::candidate::Candidate;

/// Fingerprints that differ in no more bits are those of near duplicates.
const NEAR: u32 = 3;
/// Of four bands, one is the same where no more than three bits differ.
const BANDS: u32 = 4;
/// Shorter texts have too few words to be nearly the same: they are the same or not.
const SHORT: u32 = 50;

/// A bit is set where most words have it set. Single words, and not rows of them: a changed word changes fewer bits.
pub fn fingerprint(text: &str) -> u64 {
    let mut votes = [0i64; 64];
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let hash = xxh3_64(word.as_bytes());
        for (bit, vote) in votes.iter_mut().enumerate() {
            *vote += if hash >> bit & 1 == 1 { 1 } else { -1 };
        }
    }
    votes.iter().enumerate().filter(|(_, vote)| **vote > 0).fold(0, |print, (bit, _)| print | 1 << bit)
}

/// For each candidate the first one that it is nearly the same as, if there is one before it.
pub fn originals(candidates: &[Candidate]) -> Vec<Option<usize>> {
    let mut seen: HashMap<(u32, u64), Vec<usize>> = HashMap::new();
    let mut originals: Vec<Option<usize>> = Vec::with_capacity(candidates.len());
    for (number, candidate) in candidates.iter().enumerate() {
        // Pages without words are like each other in nothing that counts.
        let has_words = candidate.words > 0;
        let is_near = |other: &&usize| {
            candidates.get(**other).is_some_and(|other| {
                let most = if candidate.words < SHORT || other.words < SHORT { 0 } else { NEAR };
                (candidate.fingerprint ^ other.fingerprint).count_ones() <= most
            })
        };
        let bands = (0..BANDS).map(|band| (band, candidate.fingerprint >> (16 * band) & 0xffff));
        let near = bands.clone().filter_map(|band| seen.get(&band)?.iter().find(is_near).copied()).min();
        let original = near.filter(|_| has_words);
        if has_words && original.is_none() {
            // Only firsts are compared with: a group has one name.
            bands.for_each(|band| seen.entry(band).or_default().push(number));
        }
        originals.push(original);
    }
    originals
}

#[cfg(test)]
mod tests {
    use super::{fingerprint, originals};
    use crate::selection::Candidate;

    fn page(text: &str) -> Candidate {
        let words = u32::try_from(text.split_whitespace().count()).unwrap();
        Candidate { fingerprint: fingerprint(text), words, ..Candidate::default() }
    }

    fn text(from: usize, changed: usize) -> String {
        let word = |n| if n == changed { "other".to_owned() } else { format!("word{}", n * 7 % 1009) };
        (from..from + 400).map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_page_with_a_word_changed_is_alike_and_another_is_not() {
        let pages = [page(&text(0, 9999)), page(&text(5000, 9999)), page(&text(0, 200)), page(&text(0, 100))];
        assert_eq!(originals(&pages), [None, None, Some(0), Some(0)]);
    }

    #[test]
    fn short_pages_are_the_same_or_not_and_empty_ones_are_never() {
        let pages = [page("not found"), page("not here"), page("not found"), page(""), page("")];
        assert_eq!(originals(&pages), [None, None, Some(0), None, None]);
    }
}
