//! A number of 64 bits for a text, of which few bits differ where few words do.

use annalist_judge::text::Tokens;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Texts whose numbers differ in no more bits are near duplicates.
pub const NEAR: u32 = 3;

/// Shorter texts are alike by chance, or because people are short of words: they have no number.
const FEWEST_WORDS: usize = 16;

/// Of the text's words and of pairs of neighbours among them; 0 for texts too short to tell.
pub fn simhash(text: &str) -> u64 {
    let mut tokens = Tokens::new(text);
    let mut votes = [0i32; 64];
    let (mut words, mut before) = (0, 0);
    while let Some(token) = tokens.next_token() {
        // With the word before as the seed: the order of words counts.
        let pair = xxh3_64_with_seed(token.word.as_bytes(), before);
        for (bit, vote) in votes.iter_mut().enumerate() {
            *vote += i32::from((pair >> bit) as u8 & 1) * 2 - 1;
        }
        before = xxh3_64_with_seed(token.word.as_bytes(), 0);
        words += 1;
    }
    if words < FEWEST_WORDS {
        return 0;
    }
    let number = votes.iter().enumerate().fold(0, |number, (bit, vote)| number | u64::from(*vote > 0) << bit);
    number.max(1)
}

/// Whether two texts are near duplicates, by their numbers.
pub fn is_near(one: u64, other: u64) -> bool {
    one != 0 && other != 0 && (one ^ other).count_ones() <= NEAR
}

#[cfg(test)]
mod tests {
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
    fn short_texts_are_never_near() {
        assert!(!is_near(simhash("Thank you!"), simhash("Thank you!")));
    }
}
