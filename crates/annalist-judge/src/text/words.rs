//! The words of a text, one after the other, each as a number with its weight and its place.

use crate::text::terms::Stems;
use crate::text::tokens::{Spacing, Tokens};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Word {
    /// Of its stem.
    pub id: u64,
    /// How much it says: its inverse document frequency; 0 for stop words.
    pub idf: f32,
    /// Where it stands in the text, as written there.
    pub from: usize,
    pub to: usize,
    /// Whether it stands directly after the word before.
    pub follows: bool,
    /// Whether that makes a phrase of two words that both say something.
    pub in_phrase: bool,
}

impl Word {
    /// Whether it says something.
    pub fn is_term(&self) -> bool {
        self.idf > 0.0
    }
}

/// Calls `each` with every word of the text.
pub fn words(text: &str, stems: &mut Stems, mut each: impl FnMut(Word)) {
    let mut tokens = Tokens::new(text);
    let mut after_term = false;
    while let Some(token) = tokens.next_token() {
        let (id, idf) = stems.weighed(token.word);
        // Pairs of characters overlap: each is a phrase already.
        let is_term = idf > 0.0 && token.spacing == Spacing::Spaced;
        let in_phrase = after_term && is_term && token.follows;
        each(Word { id, idf, from: token.from, to: token.to, follows: token.follows, in_phrase });
        after_term = is_term;
    }
}

/// The number of two words side by side.
pub fn pair(one: u64, other: u64) -> u64 {
    one.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(23) >> 1 ^ other
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
    fn words_come_in_order_and_phrases_are_of_those_that_say_something() {
        let found = of("The Bank of England. Elections elected");
        let said: Vec<_> = found.iter().map(|(word, w)| (word.as_str(), w.is_term(), w.in_phrase)).collect();
        assert_eq!(
            said,
            [
                ("The", false, false),
                ("Bank", true, false),
                ("of", false, false),
                ("England", true, false),
                ("Elections", true, false),
                ("elected", true, true)
            ]
        );
        assert_eq!(found[4].1.id, found[5].1.id);
        assert!(found[3].1.follows && !found[4].1.follows);
    }

    #[test]
    fn a_pair_is_not_its_reverse() {
        assert_ne!(pair(1, 2), pair(2, 1));
        assert_ne!(pair(0, 2), 2);
    }
}
