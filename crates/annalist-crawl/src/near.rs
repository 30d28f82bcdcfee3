//! Whether two texts are nearly the same: by the share of three words in a row that both have.

use std::collections::HashSet;

use xxhash_rust::xxh3::xxh3_64;

/// Words in a row.
const ROW: usize = 3;
/// Texts that share at least this part of all rows of either are near duplicates.
const NEAR: f64 = 0.9;

/// The rows of words in a text.
#[derive(Debug)]
pub struct Shingles {
    rows: HashSet<u64>,
}

impl Shingles {
    pub fn of(text: &str) -> Shingles {
        let words: Vec<u64> = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(|word| xxh3_64(word.as_bytes()))
            .collect();
        let row = |window: &[u64]| window.iter().fold(0u64, |row, word| row.rotate_left(21) ^ word);
        let rows = match words.len() {
            0..ROW => words.iter().copied().collect(),
            _ => words.windows(ROW).map(row).collect(),
        };
        Shingles { rows }
    }

    pub fn is_near(&self, other: &Shingles) -> bool {
        let both = self.rows.intersection(&other.rows).count();
        let either = self.rows.len() + other.rows.len() - both;
        both as f64 >= NEAR * either as f64
    }
}

#[cfg(test)]
mod tests {
    use super::Shingles;

    fn text(changed: Option<usize>) -> String {
        let word = |n| if Some(n) == changed { "another".to_owned() } else { format!("word{n}") };
        (0..100).map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_text_with_one_word_changed_is_near_and_one_with_half_of_them_is_not() {
        let whole = Shingles::of(&text(None));
        assert!(whole.is_near(&Shingles::of(&text(Some(50)))));
        let half = format!("{} other matters", &text(None)[..350]);
        assert!(!whole.is_near(&Shingles::of(&half)));
        assert!(!whole.is_near(&Shingles::of("")));
    }
}
