//! The words of a text that say something, one after the other, each as a number with its weight and its place.

use crate::text::terms::Stems;
use crate::text::tokens::{Spacing, Tokens};

/// A word that is no stop word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Word {
    /// Of its stem.
    pub id: u64,
    /// How much it says: its inverse document frequency.
    pub idf: f32,
    /// Where it stands in the text, as written there.
    pub from: usize,
    pub to: usize,
    /// Whether the word before it, and nothing but stop words and spaces, stands before it.
    pub joined: bool,
    /// Whether it stands directly after it.
    pub adjacent: bool,
}

/// Calls `each` with every word of the text.
pub fn words(text: &str, stems: &mut Stems, mut each: impl FnMut(Word)) {
    let mut tokens = Tokens::new(text);
    let (mut joined, mut adjacent) = (false, false);
    while let Some(token) = tokens.next_token() {
        joined &= token.follows;
        adjacent &= token.follows;
        let Some((id, idf)) = stems.weighed(token.word) else {
            adjacent = false;
            continue;
        };
        // Pairs of characters overlap: each is a phrase already.
        let is_spaced = token.spacing == Spacing::Spaced;
        each(Word { id, idf, from: token.from, to: token.to, joined, adjacent: adjacent && is_spaced });
        (joined, adjacent) = (true, is_spaced);
    }
}

/// The number of two words side by side.
pub fn pair(one: u64, other: u64) -> u64 {
    one.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(23) ^ other
}

#[cfg(test)]
mod tests {
    use super::{Word, pair, words};
    use crate::text::{Language, Stems};

    fn of(text: &str) -> Vec<(String, Word)> {
        let mut found = Vec::new();
        words(text, &mut Stems::new(Language::of("en")), |w| found.push((text[w.from..w.to].to_owned(), w)));
        found
    }

    #[test]
    fn words_come_in_order_without_those_that_say_nothing() {
        let found = of("The Bank of England. Elections elected");
        let said: Vec<_> = found.iter().map(|(word, w)| (word.as_str(), w.joined, w.adjacent)).collect();
        assert_eq!(
            said,
            [
                ("Bank", false, false),
                ("England", true, false),
                ("Elections", false, false),
                ("elected", true, true)
            ]
        );
        assert_eq!(found[2].1.id, found[3].1.id);
        assert!(found.iter().all(|(_, word)| word.idf > 0.0));
    }

    #[test]
    fn a_pair_is_not_its_reverse() {
        assert_ne!(pair(1, 2), pair(2, 1));
        assert_ne!(pair(0, 2), 2);
    }
}
