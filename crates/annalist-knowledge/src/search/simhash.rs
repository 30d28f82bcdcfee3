//! A number of 64 bits for a text, of which few bits differ where few words do.

use annalist_judge::text::Tokens;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Texts whose numbers differ in no more bits are near duplicates.
pub const NEAR: u32 = 3;

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

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::xxh3_64_with_seed;

    use super::{is_near, simhash};

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
