//! Which pages nearly repeat others.

use std::collections::HashMap;

use annalist_knowledge::search::{NEAR, is_near};

use super::candidate::Candidate;

/// Of one band more than bits may differ, one is the same.
const BANDS: u32 = NEAR + 1;
const BAND_BITS: u32 = u64::BITS / BANDS;

/// For each candidate the first one that it is nearly the same as, if there is one before it.
pub fn originals(candidates: &[Candidate]) -> Vec<Option<usize>> {
    let mut seen: HashMap<(u32, u64), Vec<usize>> = HashMap::new();
    let mut originals: Vec<Option<usize>> = Vec::with_capacity(candidates.len());
    for (number, candidate) in candidates.iter().enumerate() {
        let is_like = |other: &&usize| {
            candidates.get(**other).is_some_and(|other| is_near(candidate.simhash, other.simhash))
        };
        let band = |band: u32| (band, candidate.simhash >> (BAND_BITS * band) & ((1 << BAND_BITS) - 1));
        let bands = (0..BANDS).map(band);
        let original = bands.clone().filter_map(|band| seen.get(&band)?.iter().find(is_like).copied()).min();
        if original.is_none() {
            // Only firsts are compared with: a group has one name.
            bands.for_each(|band| seen.entry(band).or_default().push(number));
        }
        originals.push(original);
    }
    originals
}

#[cfg(test)]
mod tests {
    use annalist_knowledge::search::simhash;

    use super::originals;
    use crate::selection::Candidate;

    fn page(text: &str) -> Candidate {
        Candidate { simhash: simhash(text), ..Candidate::default() }
    }

    fn text(from: usize, changed: usize) -> String {
        let word = |n| if n == changed { "other".to_owned() } else { format!("word{}", n * 7 % 1009) };
        (from..from + 4000).map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_page_with_a_word_changed_is_alike_and_others_are_not() {
        let other = text(0, 9999).replace("word1", "thing");
        let pages = [
            page(&text(0, 9999)),
            page(&other),
            page(&text(0, 200)),
            page(&text(0, 100)),
            page("x"),
            page("x"),
        ];
        assert_eq!(originals(&pages), [None, None, Some(0), Some(0), None, None]);
    }
}
