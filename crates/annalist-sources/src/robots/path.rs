//! The paths of robots.txt: patterns with `*` and `$`, and one spelling of percent-encoding for both sides
//! (RFC 9309 2.2.2 and 2.2.3). Which of several matching patterns decides is not known here.

/// A path pattern, cut at its wildcards. The pieces are in one spelling of percent-encoding.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pattern {
    /// What the path begins with.
    start: Box<str>,
    /// What follows in this order, anything between.
    then: Box<[Box<str>]>,
    anchored: bool,
    octets: usize,
}

impl Pattern {
    pub(super) fn parse(written: &[u8]) -> Pattern {
        let (text, anchored) = match written.strip_suffix(b"$") {
            Some(text) => (text, true),
            None => (written, false),
        };
        let mut pieces = text.split(|b| *b == b'*').map(|piece| normalised(piece).into_boxed_str());
        let start = pieces.next().unwrap_or_default();
        // `**` means what `*` means; an empty last piece is kept, because it lets anything end the path.
        let mut then: Vec<Box<str>> = Vec::new();
        for piece in pieces {
            if then.last().is_some_and(|last| last.is_empty()) {
                then.pop();
            }
            then.push(piece);
        }
        let octets = start.len() + then.iter().map(|p| p.len() + 1).sum::<usize>() + usize::from(anchored);
        Pattern { start, then: then.into_boxed_slice(), anchored, octets }
    }

    /// How specific the pattern is.
    pub(super) fn octets(&self) -> usize {
        self.octets
    }

    /// Each piece is sought once, from where the one before it ended: time grows with the path and the pattern,
    /// never with the ways in which wildcards could be filled.
    pub(super) fn matches(&self, target: &str) -> bool {
        let Some(mut rest) = target.strip_prefix(&*self.start) else { return false };
        let Some((last, between)) = self.then.split_last() else {
            return !self.anchored || rest.is_empty();
        };
        for piece in between {
            match rest.find(&**piece) {
                Some(at) => rest = &rest[at + piece.len()..],
                None => return false,
            }
        }
        match self.anchored {
            true => rest.ends_with(&**last),
            false => rest.contains(&**last),
        }
    }
}

/// A request's path and query in the spelling of [`normalised`], with the two special characters taken literally.
pub(super) fn normalised_target(target: &str) -> String {
    let target = target.split('#').next().unwrap_or_default();
    let plain = normalised(target.as_bytes());
    match plain.contains('*') {
        true => plain.replace('*', "%2A"),
        false => plain,
    }
}

/// One spelling: escapes of unreserved characters undone, the others in capitals, everything outside ASCII
/// escaped. `$` is escaped too: at the end of a pattern it has another meaning and is gone by now.
fn normalised(piece: &[u8]) -> String {
    let mut plain = String::with_capacity(piece.len());
    let mut at = 0;
    while at < piece.len() {
        let byte = piece[at];
        let escaped = (byte == b'%').then(|| escape(&piece[at + 1..])).flatten();
        match escaped {
            Some(byte) => {
                push(&mut plain, byte, is_unreserved(byte));
                at += 3;
            }
            None => {
                push(&mut plain, byte, byte.is_ascii_graphic() && byte != b'$');
                at += 1;
            }
        }
    }
    plain
}

fn push(plain: &mut String, byte: u8, as_it_is: bool) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    if as_it_is {
        plain.push(char::from(byte));
    } else {
        plain.push('%');
        plain.push(char::from(DIGITS[usize::from(byte >> 4)]));
        plain.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
}

fn escape(digits: &[u8]) -> Option<u8> {
    let hex = |digit: u8| char::from(digit).to_digit(16).and_then(|d| u8::try_from(d).ok());
    Some(hex(*digits.first()?)? << 4 | hex(*digits.get(1)?)?)
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

#[cfg(test)]
mod tests {
    use super::{Pattern, normalised_target};
    use proptest::prelude::*;

    fn matches(pattern: &str, target: &str) -> bool {
        Pattern::parse(pattern.as_bytes()).matches(&normalised_target(target))
    }

    /// Tries every way of filling the wildcards: slow, and plainly right.
    fn naive(pattern: &[u8], target: &[u8]) -> bool {
        match pattern.split_first() {
            None => true,
            Some((b'$', [])) => target.is_empty(),
            Some((b'*', rest)) => (0..=target.len()).any(|at| naive(rest, &target[at..])),
            Some((byte, rest)) => target.first() == Some(byte) && naive(rest, &target[1..]),
        }
    }

    #[test]
    fn a_pattern_is_a_prefix() {
        assert!(matches("/fish", "/fish.html"));
        assert!(!matches("/fish", "/Fish.asp"));
        assert!(!matches("/fish/", "/fish"));
        assert!(matches("/", "/anything?at=all"));
    }

    #[test]
    fn stars_stand_for_anything_and_a_dollar_for_the_end() {
        assert!(matches("/*.php", "/folder/file.php?p=1"));
        assert!(!matches("/*.php", "/windows.PHP"));
        assert!(matches("/*.php$", "/folder/file.php"));
        assert!(!matches("/*.php$", "/file.php?p=1"));
        assert!(matches("/fish*.php", "/fishheads/catfish.php?p=1"));
        assert!(matches("/a*a$", "/aa"));
        assert!(!matches("/a*a$", "/a"));
        assert!(matches("/$", "/"));
        assert!(!matches("/$", "/a"));
        assert!(matches("*", "/"));
        assert!(matches("/a$b", "/a$bc"));
    }

    #[test]
    fn escapes_are_compared_in_one_spelling() {
        assert!(matches("/foo/bar?baz=http%3A%2F%2Ffoo.bar", "/foo/bar?baz=http%3a%2f%2ffoo.bar"));
        assert!(matches("/foo/bar/ツ", "/foo/bar/%E3%83%84"));
        assert!(matches("/foo/bar/%E3%83%84", "/foo/bar/ツ"));
        assert!(matches("/foo/bar/%62%61%7A", "/foo/bar/baz"));
        assert!(matches("/path/file-with-a-%2A.html", "/path/file-with-a-*.html"));
        assert!(matches("/path/foo-%24", "/path/foo-$"));
        assert!(!matches("/a%2Fb", "/a/b"));
    }

    #[test]
    fn a_pattern_of_many_stars_is_matched_without_trying_all_ways() {
        let pattern = format!("/{}b", "*a".repeat(2000));
        let target = format!("/{}", "a".repeat(4000));
        assert!(!matches(&pattern, &target));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]
        #[test]
        fn the_matcher_agrees_with_trying_every_way(pattern in "[/ab*$]{0,8}", target in "/[ab/]{0,9}") {
            // A dollar inside a pattern is literal, and no target here has one.
            prop_assert_eq!(matches(&pattern, &target), naive(pattern.as_bytes(), target.as_bytes()));
        }

        #[test]
        fn any_pattern_and_any_target_end(pattern in any::<Vec<u8>>(), target in "\\PC{0,60}") {
            let _ = Pattern::parse(&pattern).matches(&normalised_target(&target));
        }

        #[test]
        fn a_target_matches_itself_written_as_a_pattern(target in "/[a-z%0-9é?&=]{0,20}") {
            prop_assert!(matches(&target, &target));
        }
    }
}
