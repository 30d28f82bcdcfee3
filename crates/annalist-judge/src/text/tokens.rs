//! The words of a text, in the order they stand there, in lower case. What they mean, and in which language, is not
//! known here.
//!
//! Scripts without spaces (Han, kana, Thai, Lao, Khmer, Myanmar) give every pair of neighbouring characters: a search for
//! words would need a dictionary of each language, and pairs find the same documents.

use crate::text::script::{ASCII, Role, role};

/// Walks over the words of a text. A word is lent until the next is asked for: most are slices of the text, the
/// others stand in one buffer.
#[derive(Debug)]
pub struct Tokens<'t> {
    text: &'t str,
    /// Where the search for the next word goes on.
    at: usize,
    lower: String,
    /// The characters of the last pair of a script without spaces; the second of them begins the next.
    pair: Option<Pair>,
}

#[derive(Clone, Copy, Debug)]
struct Pair {
    second: usize,
    end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub word: &'a str,
    /// Where it stands in the text, as written there.
    pub from: usize,
    pub to: usize,
    /// Whether there is nothing but spaces or hyphens between it and the word before.
    pub follows: bool,
    pub spacing: Spacing,
}

/// How the script of a word sets words apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// A word is a word.
    Spaced,
    /// A "word" is two neighbouring characters, or one that has no neighbour.
    Unspaced,
}

/// Articles and prepositions that lose their vowel are at most this long: `l'`, `qu'`.
const LONGEST_ELISION: usize = 2;
/// What stands behind one is a word of its own; what stands behind other apostrophes is an ending: `we'll`.
const SHORTEST_AFTER_ELISION: usize = 3;

/// Of each byte whether it is an ASCII letter or digit, and whether a capital.
const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        let letter = byte as u8;
        if letter.is_ascii_alphanumeric() {
            kinds[byte] = if letter.is_ascii_uppercase() { LETTER | UPPER } else { LETTER };
        }
        byte += 1;
    }
    kinds
};
const LETTER: u8 = 1;
const UPPER: u8 = 2;

impl<'t> Tokens<'t> {
    pub fn new(text: &'t str) -> Tokens<'t> {
        Tokens { text, at: 0, lower: String::new(), pair: None }
    }

    /// The next word, or `None` at the end.
    pub fn next_token(&mut self) -> Option<Token<'_>> {
        if let Some(pair) = self.pair.take()
            && let Some(end) = self.character_end(pair.end)
        {
            return Some(self.pair_of(pair.second, pair.end, end, true));
        }
        // At the start there is nothing to follow.
        let mut follows = self.at > 0;
        loop {
            let (role, length) = self.role_at(self.at)?;
            match role {
                Role::Letter => return Some(self.word(follows)),
                Role::Unspaced | Role::UnspacedMark => {
                    let from = self.at;
                    let second = self.character_end(from).unwrap_or(from + length);
                    return Some(match self.character_end(second) {
                        Some(end) => self.pair_of(from, second, end, follows),
                        None => {
                            self.at = second;
                            self.unspaced(from, second, follows)
                        }
                    });
                }
                Role::Gap | Role::Mark | Role::Silent => self.at += length,
                Role::Apostrophe | Role::Break => {
                    self.at += length;
                    follows = false;
                }
            }
        }
    }

    fn role_at(&self, at: usize) -> Option<(Role, usize)> {
        let byte = *self.text.as_bytes().get(at)?;
        if let Some(role) = ASCII.get(usize::from(byte)) {
            return Some((*role, 1));
        }
        let c = self.text.get(at..)?.chars().next()?;
        Some((role(c), c.len_utf8()))
    }

    fn slice(&self, from: usize, to: usize) -> &str {
        self.text.get(from..to).unwrap_or_default()
    }
}

/// Scripts without spaces.
impl Tokens<'_> {
    /// Where the character at a place ends, with the marks it carries; `None` if there is no character of these scripts.
    pub(super) fn character_end(&self, at: usize) -> Option<usize> {
        let (role, length) = self.role_at(at)?;
        if !matches!(role, Role::Unspaced | Role::UnspacedMark) {
            return None;
        }
        let mut end = at + length;
        while let Some((Role::UnspacedMark, length)) = self.role_at(end) {
            end += length;
        }
        Some(end)
    }

    fn pair_of(&mut self, from: usize, second: usize, end: usize, follows: bool) -> Token<'_> {
        self.pair = Some(Pair { second, end });
        self.at = end;
        self.unspaced(from, end, follows)
    }

    fn unspaced(&self, from: usize, to: usize, follows: bool) -> Token<'_> {
        Token { word: self.slice(from, to), from, to, follows, spacing: Spacing::Unspaced }
    }
}

/// Scripts with spaces.
impl Tokens<'_> {
    /// The word that begins here.
    fn word(&mut self, follows: bool) -> Token<'_> {
        let (text, from) = (self.text, self.at);
        let rest = text.as_bytes().get(from..).unwrap_or_default();
        // This loop sees every byte of every text.
        let mut seen = 0;
        let length = rest.iter().position(|byte| {
            let kind = KINDS.get(usize::from(*byte)).copied().unwrap_or_default();
            seen |= kind;
            kind == 0
        });
        let length = length.unwrap_or(rest.len());
        let mut to = from + length;
        let mut word = text.get(from..to).unwrap_or_default();
        if matches!(rest.get(length), Some(b'\'' | 0x80..)) {
            to = self.lower_with_care(from);
            word = &self.lower;
        } else if seen & UPPER != 0 {
            self.lower.clear();
            self.lower.push_str(word);
            self.lower.make_ascii_lowercase();
            word = &self.lower;
        }
        self.at = to;
        Token { word, from, to, follows, spacing: Spacing::Spaced }
    }

    /// Puts a word that is not of ASCII letters alone into the buffer, and says where it ends.
    fn lower_with_care(&mut self, from: usize) -> usize {
        self.lower.clear();
        let mut end = from;
        while let Some((role, length)) = self.role_at(end) {
            match role {
                Role::Letter | Role::Mark => {
                    let written = self.text.get(end..end + length).unwrap_or_default();
                    written.chars().for_each(|c| push_lower(&mut self.lower, c));
                }
                Role::Silent => {}
                Role::Apostrophe if self.goes_on_after(end + length) => self.lower.push('\''),
                _ => break,
            }
            end += length;
        }
        // A Greek word that was shouted ends in the wrong letter otherwise.
        if self.lower.ends_with('σ') {
            self.lower.pop();
            self.lower.push('ς');
        }
        end
    }

    /// Whether the word so far and what stands behind the apostrophe are one word: `don't`, not `l'homme`.
    fn goes_on_after(&self, mut at: usize) -> bool {
        let mut letters = 0;
        while let Some((role, length)) = self.role_at(at) {
            match role {
                Role::Letter => letters += 1,
                Role::Mark | Role::Silent if letters > 0 => {}
                _ => break,
            }
            at += length;
        }
        let before = self.lower.as_str();
        let is_elided = before.bytes().all(|b| b.is_ascii_alphabetic())
            && (before.len() <= LONGEST_ELISION || before.ends_with("ll"));
        letters > 0 && !(is_elided && letters >= SHORTEST_AFTER_ELISION)
    }
}

fn push_lower(lower: &mut String, c: char) {
    match c {
        // Its lower case in Unicode is an i with a second dot.
        'İ' => lower.push('i'),
        _ if c.is_lowercase() => lower.push(c),
        _ => lower.extend(c.to_lowercase()),
    }
}

#[cfg(test)]
#[path = "tokens_tests.rs"]
mod tests;
