//! Precision and recall of a ranking. Pages with the same number have no order among each other: they count as if each
//! order of them were as likely.

use super::votes::Judged;

/// What a threshold lets through.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub recall: f64,
    pub precision: f64,
}

/// How good the order is that a function gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// Where precision and recall are the same: as many pages as are relevant. None where none is.
    pub break_even: Option<f64>,
    /// The mean of the precisions at each relevant page.
    pub average_precision: f64,
    /// One for each number that pages have, the greatest first.
    pub curve: Vec<Point>,
}

pub(super) fn ranked(rows: &[&Judged], function: &dyn Fn(&Judged) -> f32) -> Ranked {
    let mut valued: Vec<(f32, bool)> = rows.iter().map(|row| (function(row), row.relevant)).collect();
    valued.sort_by(|one, other| other.0.total_cmp(&one.0));
    let relevant = valued.iter().filter(|(_, relevant)| *relevant).count() as f64;
    let (mut taken, mut found, mut precisions) = (0.0, 0.0, 0.0);
    let (mut break_even, mut curve) = (None, Vec::new());
    for alike in valued.chunk_by(|one, other| one.0 == other.0) {
        let (pages, hits) =
            (alike.len() as f64, alike.iter().filter(|(_, relevant)| *relevant).count() as f64);
        if break_even.is_none() && relevant > 0.0 && taken + pages >= relevant {
            break_even = Some((found + (relevant - taken) * hits / pages) / relevant);
        }
        (taken, found) = (taken + pages, found + hits);
        precisions += hits * found / taken;
        curve.push(Point {
            recall: if relevant > 0.0 { found / relevant } else { 0.0 },
            precision: found / taken,
        });
    }
    let average_precision = if relevant > 0.0 { precisions / relevant } else { 0.0 };
    Ranked { break_even, average_precision, curve }
}

#[cfg(test)]
mod tests {
    use super::{Point, ranked};
    use crate::agreement::Judged;

    fn rows(votes: &[(f32, bool)]) -> Vec<Judged> {
        let row = |(content, relevant): &(f32, bool)| Judged {
            event: String::new(),
            content: *content,
            time: 0.0,
            relevant: *relevant,
        };
        votes.iter().map(row).collect()
    }

    #[test]
    fn precision_and_recall_meet_where_as_many_pages_are_taken_as_are_relevant() {
        let rows = rows(&[(0.1, true), (0.9, true), (0.8, false), (0.7, true), (0.2, false)]);
        let found = ranked(&rows.iter().collect::<Vec<_>>(), &|row| row.content);
        assert_eq!(found.break_even, Some(2.0 / 3.0));
        assert_eq!(found.curve[0], Point { recall: 1.0 / 3.0, precision: 1.0 });
        assert_eq!(found.curve.last(), Some(&Point { recall: 1.0, precision: 0.6 }));
        assert!((found.average_precision - (1.0 + 2.0 / 3.0 + 0.6) / 3.0).abs() < 1e-9);
    }

    #[test]
    fn pages_with_the_same_number_count_as_on_average() {
        let rows = rows(&[(0.5, true), (0.5, false), (0.5, true), (0.5, false)]);
        let found = ranked(&rows.iter().collect::<Vec<_>>(), &|row| row.content);
        assert_eq!(found.break_even, Some(0.5));
        assert_eq!(ranked(&[], &|row| row.content).break_even, None);
    }
}
