//! Image candidates: the addresses in a `srcset` attribute, by the rules of the HTML standard. Which one a
//! browser would choose does not matter: an archive keeps them all.

/// The addresses, as written, in order.
pub fn candidates(srcset: &str) -> Candidates<'_> {
    Candidates { rest: srcset }
}

/// See [`candidates`].
pub struct Candidates<'s> {
    rest: &'s str,
}

impl<'s> Iterator for Candidates<'s> {
    type Item = &'s str;

    fn next(&mut self) -> Option<&'s str> {
        self.rest = self.rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
        if self.rest.is_empty() {
            return None;
        }
        let end = self.rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(self.rest.len());
        let (url, rest) = self.rest.split_at(end);
        let bare = url.trim_end_matches(',');
        self.rest = if bare.len() < url.len() { rest } else { after_descriptors(rest) };
        Some(bare)
    }
}

/// Descriptors end at a comma outside brackets.
fn after_descriptors(text: &str) -> &str {
    let mut inside = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => inside = true,
            b')' => inside = false,
            b',' if !inside => return &text[at + 1..],
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::candidates;
    use proptest::prelude::*;

    #[test]
    fn candidates_are_split_as_the_standard_says() {
        for (srcset, expected) in [
            ("a.png", vec!["a.png"]),
            ("a.png 1x, b.png 2x", vec!["a.png", "b.png"]),
            ("a.png 100w,b.png 200w", vec!["a.png", "b.png"]),
            ("a.png, b.png", vec!["a.png", "b.png"]),
            (" ,, a.png 1x ,\n b.png 2x ,", vec!["a.png", "b.png"]),
            ("c_fill,w_300/a.png 300w, b.png", vec!["c_fill,w_300/a.png", "b.png"]),
            ("data:image/png;base64,AA== 1x, b.png 2x", vec!["data:image/png;base64,AA==", "b.png"]),
            ("a.png (x, y) 1x, b.png", vec!["a.png", "b.png"]),
            ("a.png,b.png", vec!["a.png,b.png"]),
            ("", vec![]),
        ] {
            assert_eq!(candidates(srcset).collect::<Vec<_>>(), expected, "{srcset}");
        }
    }

    proptest! {
        #[test]
        fn no_candidate_is_empty_or_has_a_space(srcset in "[a,b( )x1\n\u{fc}]{0,60}") {
            for url in candidates(&srcset) {
                prop_assert!(!url.is_empty() && !url.contains(|c: char| c.is_ascii_whitespace()));
            }
        }
    }
}
