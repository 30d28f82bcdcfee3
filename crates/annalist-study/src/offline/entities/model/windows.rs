//! Texts in parts that a model can take: whole sentences where they fit, and where one does not, parts that overlap, so that no word
//! is judged without the words around it.

use std::ops::Range;

use super::pieces::Piece;

/// Pieces that are read at once, and those of them that are judged here and not in the windows beside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub read: Range<usize>,
    pub kept: Range<usize>,
}

/// The windows of a text, of at most `most` pieces each; every piece is kept in exactly one.
pub(super) fn windows(text: &str, pieces: &[Piece], most: usize) -> Vec<Window> {
    let overlap = most / 4;
    let mut all: Vec<Window> = Vec::new();
    let (mut start, mut kept) = (0, 0);
    while kept < pieces.len() {
        let full = start + most;
        if full >= pieces.len() {
            all.push(Window { read: start..pieces.len(), kept: kept..pieces.len() });
            break;
        }
        let ended = (start + most / 2..=full).rev().find(|at| *at > kept && ends_before(text, pieces, *at));
        if let Some(end) = ended {
            all.push(Window { read: start..end, kept: kept..end });
            (start, kept) = (end, end);
            continue;
        }
        // Half of what both read is judged by each. A word is not cut, unless it is as long as all of it.
        let middle = full - overlap / 2;
        let end = (full - overlap..=middle)
            .rev()
            .find(|at| *at > kept && pieces.get(*at).is_some_and(|piece| piece.begins))
            .unwrap_or(middle);
        all.push(Window { read: start..full, kept: kept..end });
        kept = end;
        start = end.saturating_sub(overlap / 2).max(start + 1);
    }
    all
}

/// Whether a sentence or a line ends before a piece.
fn ends_before(text: &str, pieces: &[Piece], at: usize) -> bool {
    let (Some(before), Some(after)) = (at.checked_sub(1).and_then(|at| pieces.get(at)), pieces.get(at))
    else {
        return false;
    };
    let gap = text.get(before.to..after.from).unwrap_or_default();
    let last = text.get(..before.to).and_then(|text| text.chars().next_back());
    let ideographic = matches!(last, Some('。' | '！' | '？'));
    gap.contains('\n')
        || ideographic
        || !gap.is_empty() && matches!(last, Some('.' | '!' | '?' | '…' | '؟' | '।' | ';'))
}

#[cfg(test)]
mod tests {
    use super::super::normal::Normal;
    use super::super::pieces::Pieces;
    use super::windows;

    fn kept(text: &str, most: usize) -> Vec<(usize, usize)> {
        let pieces = Pieces::of(&["a", "b", "."], Normal::default()).cut(text);
        let all = windows(text, &pieces, most);
        let mut next = 0;
        for window in &all {
            assert!(window.kept.start == next && window.kept.end > next, "{all:?}");
            assert!(window.read.len() <= most, "{all:?}");
            assert!(window.read.start <= window.kept.start && window.kept.end <= window.read.end, "{all:?}");
            next = window.kept.end;
        }
        assert_eq!(next, pieces.len());
        all.iter().map(|window| (window.kept.start, window.kept.end)).collect()
    }

    #[test]
    fn windows_end_where_sentences_do() {
        assert_eq!(kept("a a a . b b . a a", 8), [(0, 7), (7, 9)]);
        assert_eq!(kept("a a a\nb b\na a a a", 8), [(0, 5), (5, 9)]);
        assert_eq!(kept("", 8), []);
    }

    #[test]
    fn long_sentences_are_read_in_parts_that_overlap() {
        assert_eq!(kept(&"a ".repeat(20), 8), [(0, 7), (7, 13), (13, 20)]);
        for most in 6..20 {
            kept(&"ab a ".repeat(100), most);
        }
    }
}
