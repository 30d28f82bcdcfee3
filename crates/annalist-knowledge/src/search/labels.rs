//! The labels of a column over all pieces of all indexes that are asked. Each piece numbers its own, in their order; here
//! they get numbers in common, so that the counts of all pieces add up and nothing need be guessed.

use std::cmp::Reverse;

use tantivy::columnar::StrColumn;
use tantivy::error::DataCorruption;
use tantivy::{Searcher, TantivyError};

use super::answer::LabelCount;

/// No piece of an index has so many; the number comes from a file, which may be damaged.
const MOST_LABELS: usize = 1 << 28;

pub(super) struct Labels {
    pieces: Vec<Option<Piece>>,
    /// Of all pieces.
    number: usize,
}

struct Piece {
    column: StrColumn,
    /// The common number of each label, in their order.
    numbers: Vec<u32>,
}

impl Labels {
    pub(super) fn of(searchers: &[Searcher], column: &str) -> Result<Labels, TantivyError> {
        let mut pieces = Vec::new();
        for segment in searchers.iter().flat_map(Searcher::segment_readers) {
            let column = segment.fast_fields().str(column)?;
            if column.as_ref().is_some_and(|column| column.num_terms() > MOST_LABELS) {
                return Err(DataCorruption::comment_only("a column with too many labels").into());
            }
            pieces
                .push(column.map(|column| Piece { numbers: Vec::with_capacity(column.num_terms()), column }));
        }
        let number = number_all(&mut pieces)?;
        Ok(Labels { pieces, number })
    }

    /// The column of a piece; none where no document has a label.
    pub(super) fn piece(&self, number: usize) -> Option<&StrColumn> {
        Some(&self.pieces.get(number)?.as_ref()?.column)
    }

    /// The most frequent, equally frequent ones in their own order. The counts are of each piece, by its own numbers.
    pub(super) fn most_frequent<'c>(
        &self,
        counts: impl Iterator<Item = &'c [u32]>,
        most: usize,
    ) -> std::io::Result<Vec<LabelCount>> {
        let mut all = vec![0u64; self.number];
        for (piece, counts) in self.pieces.iter().zip(counts) {
            let numbers = piece.as_ref().map_or(&[][..], |piece| &piece.numbers);
            for (number, count) in numbers.iter().zip(counts).filter(|(_, count)| **count > 0) {
                if let Some(sum) = all.get_mut(*number as usize) {
                    *sum += u64::from(*count);
                }
            }
        }
        let mut frequent: Vec<_> = (0u32..)
            .zip(all)
            .filter(|(_, count)| *count > 0)
            .map(|(number, count)| (Reverse(count), number))
            .collect();
        if most < frequent.len() {
            frequent.select_nth_unstable(most);
            frequent.truncate(most);
        }
        frequent.sort_unstable();
        frequent
            .into_iter()
            .map(|(Reverse(count), number)| Ok(LabelCount { label: self.name(number)?, count }))
            .collect()
    }

    fn name(&self, number: u32) -> std::io::Result<String> {
        let mut name = Vec::new();
        for piece in self.pieces.iter().flatten() {
            if let Ok(ord) = piece.numbers.binary_search(&number) {
                piece.column.dictionary().ord_to_term(ord as u64, &mut name)?;
                break;
            }
        }
        Ok(String::from_utf8_lossy(&name).into_owned())
    }
}

/// Walks through all dictionaries side by side, and says how many different labels there are.
fn number_all(pieces: &mut [Option<Piece>]) -> std::io::Result<usize> {
    let mut walks = Vec::new();
    for Piece { column, numbers } in pieces.iter_mut().flatten() {
        let mut labels = column.dictionary().stream()?;
        if labels.advance() {
            walks.push((labels, numbers));
        }
    }
    let mut number = 0u32;
    let mut least = Vec::new();
    while let Some(label) = walks.iter().map(|(labels, _)| labels.key()).min() {
        least.clear();
        least.extend_from_slice(label);
        walks.retain_mut(|(labels, numbers)| {
            if labels.key() != least.as_slice() {
                return true;
            }
            numbers.push(number);
            labels.advance()
        });
        number = number.checked_add(1).ok_or_else(|| std::io::Error::other("too many labels"))?;
    }
    Ok(number as usize)
}
