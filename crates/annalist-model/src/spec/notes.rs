//! Collecting mistakes while a spec is read, so that all of them are told at once. What is a mistake is decided by
//! the readers in `value.rs`, `seeds.rs` and `parse.rs`.

use std::cell::{Ref, RefCell};

use super::Mistake;

/// The mistakes and warnings of one spec, and where its lines begin.
pub(super) struct Notes {
    line_starts: Vec<usize>,
    mistakes: RefCell<Vec<Mistake>>,
    warnings: RefCell<Vec<Mistake>>,
}

impl Notes {
    pub(super) fn new(text: &str) -> Notes {
        let after_breaks = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1);
        Notes {
            line_starts: std::iter::once(0).chain(after_breaks).collect(),
            mistakes: RefCell::new(Vec::new()),
            warnings: RefCell::new(Vec::new()),
        }
    }

    /// The line, from 1, that holds the byte at `offset`.
    pub(super) fn line_at(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= offset)
    }

    pub(super) fn mistake(&self, line: usize, key: &str, message: impl Into<String>) {
        note(&self.mistakes, line, key, message.into());
    }

    pub(super) fn warning(&self, line: usize, key: &str, message: impl Into<String>) {
        note(&self.warnings, line, key, message.into());
    }

    pub(super) fn mistakes(&self) -> Ref<'_, Vec<Mistake>> {
        self.mistakes.borrow()
    }

    /// Mistakes and warnings in the order of the spec's lines.
    pub(super) fn into_parts(self) -> (Vec<Mistake>, Vec<Mistake>) {
        let mut mistakes = self.mistakes.into_inner();
        let mut warnings = self.warnings.into_inner();
        mistakes.sort_by_key(|m| m.line);
        warnings.sort_by_key(|m| m.line);
        (mistakes, warnings)
    }
}

fn note(list: &RefCell<Vec<Mistake>>, line: usize, key: &str, message: String) {
    list.borrow_mut().push(Mistake { line, key: key.to_owned(), message });
}

/// `, did you mean "pages"?` when one of the known words is close to what was written; nothing otherwise.
pub(super) fn did_you_mean<'w>(written: &str, known: impl Iterator<Item = &'w str>) -> String {
    let plain = |word: &str| word.to_lowercase().replace('-', "_");
    let written = plain(written);
    let furthest = (written.chars().count() / 3).clamp(1, 3);
    let nearest = known.map(|word| (distance(&written, &plain(word)), word)).min();
    match nearest {
        Some((steps, word)) if steps <= furthest => format!(", did you mean {word:?}?"),
        _ => String::new(),
    }
}

/// How many letters must be put in, taken out, replaced or swapped with their neighbour to turn one word into the other.
fn distance(one: &str, other: &str) -> usize {
    let one: Vec<char> = one.chars().collect();
    let other: Vec<char> = other.chars().collect();
    let mut above: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for i in 0..one.len() {
        let mut next = vec![i + 1];
        for j in 0..other.len() {
            let replaced = row[j] + usize::from(one[i] != other[j]);
            let mut least = replaced.min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && one[i] == other[j - 1] && one[i - 1] == other[j] {
                least = least.min(above[j - 1] + 1);
            }
            next.push(least);
        }
        above = std::mem::replace(&mut row, next);
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::{Notes, did_you_mean, distance};

    #[test]
    fn a_byte_is_found_on_its_line() {
        let notes = Notes::new("a\nbc\n\nd");
        assert_eq!([0, 1, 2, 4, 5, 6].map(|at| notes.line_at(at)), [1, 1, 2, 2, 3, 4]);
    }

    #[test]
    fn the_distance_counts_changed_letters() {
        assert_eq!(distance("pages", "pages"), 0);
        assert_eq!(distance("pges", "pages"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("hots", "host"), 1);
        assert_eq!(distance("", "host"), 4);
    }

    #[test]
    fn only_a_near_word_is_suggested() {
        let known = ["min_delay", "max_delay"];
        assert_eq!(did_you_mean("min-dealy", known.into_iter()), ", did you mean \"min_delay\"?");
        assert_eq!(did_you_mean("colour", known.into_iter()), "");
    }
}
