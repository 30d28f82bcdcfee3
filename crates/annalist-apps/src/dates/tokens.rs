//! A text as numbers, words and marks. What they mean is said by `day`, `clock` and `relative`.

use std::ops::Range;

/// More are not looked at.
const MOST: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// Whitespace stands before it.
    pub(super) spaced: bool,
    /// Where it begins and ends in the text.
    place: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Number {
        value: u64,
        digits: usize,
    },
    /// In lower case.
    Word {
        word: String,
        is_upper: bool,
    },
    Mark(char),
}

#[derive(Clone, Debug)]
pub(super) struct Tokens(Vec<Token>);

impl Tokens {
    pub(super) fn of(text: &str) -> Tokens {
        let mut tokens = Vec::new();
        let mut rest = text;
        let mut spaced = false;
        while let Some(first) = rest.chars().next() {
            if tokens.len() >= MOST {
                break;
            }
            let after_number =
                matches!(tokens.last(), Some(Token { kind: Kind::Number { .. }, .. })) && !spaced;
            let length = if first.is_whitespace() || is_invisible(first) {
                spaced |= first.is_whitespace();
                rest = &rest[first.len_utf8()..];
                continue;
            } else if digit(first).is_some() {
                run(rest, |c| digit(c).is_some())
            } else if is_counter(first) && (after_number || spaced) && ends_counter(rest, first) {
                first.len_utf8()
            } else if is_letter(first) {
                word_length(rest)
            } else {
                first.len_utf8()
            };
            let (written, behind) = rest.split_at(length);
            let from = text.len() - rest.len();
            let place = from..from + length;
            tokens.push(Token { kind: kind(written, first), spaced, place });
            rest = behind;
            spaced = false;
        }
        Tokens(tokens)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The value and how many digits it is written with.
    pub(super) fn number(&self, at: usize) -> Option<(u64, usize)> {
        match &self.0.get(at)?.kind {
            Kind::Number { value, digits } => Some((*value, *digits)),
            _ => None,
        }
    }

    pub(super) fn word(&self, at: usize) -> Option<&str> {
        match &self.0.get(at)?.kind {
            Kind::Word { word, .. } => Some(word),
            _ => None,
        }
    }

    /// The word, if it is written in capitals.
    pub(super) fn capitals(&self, at: usize) -> Option<&str> {
        match &self.0.get(at)?.kind {
            Kind::Word { word, is_upper: true } => Some(word),
            _ => None,
        }
    }

    pub(super) fn mark(&self, at: usize) -> Option<char> {
        match self.0.get(at)?.kind {
            Kind::Mark(mark) => Some(mark),
            _ => None,
        }
    }

    pub(super) fn is_mark(&self, at: usize, mark: char) -> bool {
        self.mark(at) == Some(mark)
    }

    /// Where some of them stand in the text.
    pub(super) fn stand(&self, tokens: &Range<usize>) -> Range<usize> {
        let from = self.0.get(tokens.start).map_or(0, |token| token.place.start);
        let until = tokens.end.checked_sub(1).and_then(|last| self.0.get(last));
        from..until.map_or(from, |token| token.place.end)
    }

    pub(super) fn is_spaced(&self, at: usize) -> bool {
        self.0.get(at).is_none_or(|token| token.spaced)
    }
}

fn kind(written: &str, first: char) -> Kind {
    if digit(first).is_some() {
        let digits = written.chars().count();
        let value = written
            .chars()
            .filter_map(digit)
            .try_fold(0_u64, |value, digit| value.checked_mul(10)?.checked_add(u64::from(digit)));
        return Kind::Number { value: value.unwrap_or(u64::MAX), digits };
    }
    if is_letter(first) && !(is_counter(first) && written.chars().count() == 1) {
        // Accents may be characters of their own; the tables know names without them too.
        let word = written.chars().flat_map(char::to_lowercase).filter(|c| !is_accent(*c)).collect();
        return Kind::Word { word, is_upper: written.chars().all(|c| !c.is_lowercase()) };
    }
    Kind::Mark(first)
}

/// What stands beside each other in two elements is written as one: `PressDecember`.
fn word_length(text: &str) -> usize {
    let mut was_lower = false;
    let ends = |c: char| {
        let ends = !is_letter(c) || (was_lower && c.is_uppercase());
        was_lower = c.is_lowercase();
        ends
    };
    text.find(ends).unwrap_or(text.len())
}

fn run(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|c| !belongs(c)).unwrap_or(text.len())
}

/// Digits as phones and forms of many countries write them.
fn digit(c: char) -> Option<u32> {
    let code = u32::from(c);
    for zero in [0x30, 0xFF10, 0x0660, 0x06F0, 0x0966] {
        if (zero..zero + 10).contains(&code) {
            return Some(code - zero);
        }
    }
    None
}

fn is_letter(c: char) -> bool {
    c.is_alphabetic() || is_accent(c)
}

fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// What stands behind numbers of dates in Chinese, Japanese and Korean.
fn is_counter(c: char) -> bool {
    matches!(
        c,
        '年' | '月'
            | '日'
            | '號'
            | '号'
            | '時'
            | '时'
            | '點'
            | '点'
            | '分'
            | '秒'
            | '년'
            | '월'
            | '일'
            | '시'
            | '분'
            | '초'
    )
}

/// `時` counts hours, `時間` spans of them.
fn ends_counter(rest: &str, first: char) -> bool {
    let next = rest.chars().nth(1);
    !matches!((first, next), (_, Some('间' | '間' | '간' | '前' | '전' | '钟' | '鐘')))
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{feff}' | '\u{2060}' | '\u{ad}')
}
