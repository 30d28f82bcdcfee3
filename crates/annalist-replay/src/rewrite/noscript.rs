//! `<noscript>` and `</noscript>` are taken out of a stream of markup, what stands between them stays.
//!
//! Where scripts do not run, browsers read what is inside as markup; where they do, as text. Without the tags there is but one
//! reading, ours is the browser's, and pictures that wait for a script show in the form made for those who have none.

#[derive(Debug, Default)]
pub(super) struct WithoutNoscript {
    /// What may be the beginning of a tag.
    held: Vec<u8>,
    /// Inside of a tag that goes.
    in_tag: bool,
}

impl WithoutNoscript {
    /// Gives what stays of a piece.
    pub(super) fn pass(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        self.held.extend_from_slice(piece);
        let held = std::mem::take(&mut self.held);
        let mut rest = held.as_slice();
        while !rest.is_empty() {
            if self.in_tag {
                let Some(end) = rest.iter().position(|b| *b == b'>') else { return };
                self.in_tag = false;
                rest = &rest[end + 1..];
                continue;
            }
            let start = rest.iter().position(|b| *b == b'<').unwrap_or(rest.len());
            out.extend_from_slice(&rest[..start]);
            rest = &rest[start..];
            match begins(rest) {
                Some(true) => self.in_tag = true,
                Some(false) => {
                    let step = rest.len().min(1);
                    out.extend_from_slice(&rest[..step]);
                    rest = &rest[step..];
                }
                None => {
                    self.held = rest.to_vec();
                    return;
                }
            }
        }
    }

    /// What was held back and is the end.
    pub(super) fn finish(self) -> Vec<u8> {
        if self.in_tag { Vec::new() } else { self.held }
    }
}

/// Whether such a tag begins here; `None` while that is open.
fn begins(text: &[u8]) -> Option<bool> {
    for word in [&b"<noscript"[..], b"</noscript"] {
        let same = text.len().min(word.len());
        if !text[..same].eq_ignore_ascii_case(&word[..same]) {
            continue;
        }
        let ends = |after: &u8| matches!(after, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' | b'/' | b'>');
        return text.get(word.len()).map(ends);
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::WithoutNoscript;

    #[test]
    fn tags_go_and_what_they_hold_stays_however_the_markup_is_cut() {
        for (markup, expected) in [
            ("a<noscript><img></noscript>b", "a<img>b"),
            ("<NoScript class='x'>y</NOSCRIPT >z", "yz"),
            ("<noscripts></no><nos<noscript>", "<noscripts></no><nos"),
            ("<noscript", "<noscript"),
            ("x<", "x<"),
            ("<noscript unclosed", ""),
            ("", ""),
        ] {
            for size in 1..=markup.len().max(1) {
                let (mut filter, mut out) = (WithoutNoscript::default(), Vec::new());
                markup.as_bytes().chunks(size).for_each(|piece| filter.pass(piece, &mut out));
                out.extend(filter.finish());
                assert_eq!(String::from_utf8(out).unwrap(), expected, "{markup} in pieces of {size}");
            }
        }
    }
}
