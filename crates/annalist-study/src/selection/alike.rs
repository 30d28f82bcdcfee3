//! Which pages nearly repeat others.

use annalist_knowledge::search::Firsts;

use super::candidate::Candidate;

/// For each candidate the first one that it is nearly the same as, if there is one before it.
pub fn originals(candidates: &[Candidate]) -> Vec<Option<usize>> {
    let mut firsts = Firsts::default();
    let original = |(number, candidate): (usize, &Candidate)| {
        let original = firsts.like(candidate.simhash);
        if original.is_none() {
            // Only firsts are compared with: a group has one name.
            firsts.add(candidate.simhash, number);
        }
        original
    };
    candidates.iter().enumerate().map(original).collect()
}

#[cfg(test)]
mod tests {
    use annalist_knowledge::search::simhash;

    use super::originals;
    use crate::selection::Candidate;

    fn page(text: &str) -> Candidate {
        Candidate { simhash: simhash(text), ..Candidate::default() }
    }

    fn text(from: usize, changed: usize) -> String {
        let word = |n| if n == changed { "other".to_owned() } else { format!("word{}", n * 7 % 1009) };
        (from..from + 4000).map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_page_with_a_word_changed_is_alike_and_others_are_not() {
        let other = text(0, 9999).replace("word1", "thing");
        let pages = [
            page(&text(0, 9999)),
            page(&other),
            page(&text(0, 200)),
            page(&text(0, 100)),
            page("x"),
            page("x"),
        ];
        assert_eq!(originals(&pages), [None, None, Some(0), Some(0), None, None]);
    }
}
