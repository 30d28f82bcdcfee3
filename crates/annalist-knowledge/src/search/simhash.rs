//! A number of 64 bits for a text, of which few bits differ where few words do.

use std::collections::HashMap;

use annalist_judge::text::Tokens;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Texts whose numbers differ in no more bits are near duplicates.
const NEAR: u32 = 3;
/// Of one band more than bits may differ, one is the same.
const BANDS: u32 = NEAR + 1;
const BAND_BITS: u32 = u64::BITS / BANDS;

/// Shorter texts are alike by chance, or because people are short of words: they have no number.
const FEWEST_WORDS: u64 = 16;

/// Of the text's words and of pairs of neighbours among them; 0 for texts too short to tell.
pub fn simhash(text: &str) -> u64 {
    let mut tokens = Tokens::new(text);
    let mut votes = Votes::default();
    let (mut words, mut before) = (0, 0);
    while let Some(token) = tokens.next_token() {
        // With the word before as the seed: the order of words counts.
        let pair = xxh3_64_with_seed(token.word.as_bytes(), before);
        votes.add(pair);
        before = xxh3_64_with_seed(token.word.as_bytes(), 0);
        words += 1;
    }
    if words < FEWEST_WORDS {
        return 0;
    }
    votes.of_more_than(words / 2).max(1)
}

/// How many numbers have each of the 64 bits. A column of bits is a count, its lowest bit in the first word, so that a
/// number is added to all 64 counts at once.
#[derive(Default)]
struct Votes([u64; 32]);

impl Votes {
    fn add(&mut self, number: u64) {
        let mut carried = number;
        for digits in &mut self.0 {
            if carried == 0 {
                break;
            }
            (*digits, carried) = (*digits ^ carried, *digits & carried);
        }
    }

    fn of_more_than(&self, least: u64) -> u64 {
        (0..64).fold(0, |number, bit| {
            let count = self.0.iter().rev().fold(0, |count, digits| count << 1 | digits >> bit & 1);
            number | u64::from(count > least) << bit
        })
    }
}

/// Whether two texts are near duplicates, by their numbers.
pub fn is_near(one: u64, other: u64) -> bool {
    one != 0 && other != 0 && (one ^ other).count_ones() <= NEAR
}

/// Texts that others are compared with, by the bands of their numbers.
#[derive(Debug, Default)]
pub struct Firsts {
    by_band: HashMap<(u32, u64), Vec<(u64, usize)>>,
}

impl Firsts {
    pub fn add(&mut self, simhash: u64, number: usize) {
        if simhash != 0 {
            bands(simhash).for_each(|band| self.by_band.entry(band).or_default().push((simhash, number)));
        }
    }

    /// The one with the lowest number among those that a text is nearly the same as.
    pub fn like(&self, simhash: u64) -> Option<usize> {
        let alike = bands(simhash).filter_map(|band| self.by_band.get(&band)).flatten();
        alike.filter(|(other, _)| is_near(*other, simhash)).map(|(_, number)| *number).min()
    }
}

fn bands(simhash: u64) -> impl Iterator<Item = (u32, u64)> {
    (0..BANDS).map(move |band| (band, simhash >> (BAND_BITS * band) & ((1 << BAND_BITS) - 1)))
}

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::xxh3_64_with_seed;

    use super::{Firsts, is_near, simhash};

    #[test]
    fn the_first_of_those_that_are_near_is_found_by_any_band_that_is_the_same() {
        let numbers: Vec<u64> = (1..2000u64).map(|n| xxh3_64_with_seed(&(n / 4).to_le_bytes(), 0)).collect();
        // Every number comes up to four times, with some bits of it changed.
        let changed =
            |n: usize| numbers[n] ^ (1 << (n * 7 % 64)) ^ (1 << (n * 13 % 64)) ^ (n as u64 & 1) << 5;
        let mut firsts = Firsts::default();
        let mut all: Vec<(u64, usize)> = Vec::new();
        let mut alike = 0;
        for number in 0..numbers.len() {
            let simhash = changed(number);
            let expected = all.iter().find(|(other, _)| is_near(*other, simhash)).map(|(_, first)| *first);
            assert_eq!(firsts.like(simhash), expected);
            alike += usize::from(expected.is_some());
            firsts.add(simhash, number);
            all.push((simhash, number));
        }
        assert!(alike > 100 && alike < numbers.len() / 2 + numbers.len() / 3);
        firsts.add(0, 0);
        assert_eq!(firsts.like(0), None);
    }

    #[test]
    fn a_changed_word_in_a_long_text_is_near_and_another_text_is_not() {
        let text = |seed: u32| (0..600).map(|n| format!("word{} ", (n * seed) % 997)).collect::<String>();
        let (one, other) = (text(31), text(57));
        let changed = one.replacen("word0 ", "something else ", 1);
        assert!(is_near(simhash(&one), simhash(&changed)));
        assert!(!is_near(simhash(&one), simhash(&other)));
    }

    #[test]
    fn each_bit_is_what_most_words_have() {
        for words in [16, 17, 100, 1023] {
            let text: Vec<_> = (0..words).map(|n| format!("w{}", n * n % 77)).collect();
            let (mut votes, mut before) = ([0; 64], 0);
            for word in &text {
                let pair = xxh3_64_with_seed(word.as_bytes(), before);
                votes
                    .iter_mut()
                    .enumerate()
                    .for_each(|(bit, vote)| *vote += (pair >> bit & 1) as i32 * 2 - 1);
                before = xxh3_64_with_seed(word.as_bytes(), 0);
            }
            let number = (0..64).fold(0, |number, bit| number | u64::from(votes[bit] > 0) << bit);
            assert_eq!(simhash(&text.join(" ")), number);
        }
    }

    #[test]
    fn short_texts_are_never_near() {
        assert!(!is_near(simhash("Thank you!"), simhash("Thank you!")));
    }
}
