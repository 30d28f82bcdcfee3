//! The data of VALUES: terms in a row. The parser reads them one after the other, so that there may be any number of them,
//! and none of the signs in them joins or nests anything.

use super::{address_length, behind_string, line_end};

const KEYWORD: &[u8] = b"VALUES";

/// What comes after VALUES and all of its data, if that is what begins here. `before` is what stands before it.
pub fn behind_values(before: u8, rest: &[u8]) -> Option<&[u8]> {
    let (word, rest) = rest.split_at_checked(KEYWORD.len())?;
    if !word.eq_ignore_ascii_case(KEYWORD) || is_of_name(before) {
        return None;
    }
    behind_data(behind_variables(behind_space(rest))?)
}

/// What a name may have in it, and what may stand before one: behind it there is no keyword.
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"_-.:%?$@\\".contains(&byte)
}

fn behind_space(mut rest: &[u8]) -> &[u8] {
    while let Some((byte, behind)) = rest.split_first() {
        rest = match byte {
            b' ' | b'\t' | b'\n' | b'\r' => behind,
            b'#' => behind.get(line_end(behind)..).unwrap_or_default(),
            _ => break,
        };
    }
    rest
}

/// What comes after the variables and the bracket behind them.
fn behind_variables(rest: &[u8]) -> Option<&[u8]> {
    let behind = match rest.strip_prefix(b"(") {
        None => behind_variable(rest)?,
        Some(mut rest) => loop {
            rest = behind_space(rest);
            match rest.strip_prefix(b")") {
                Some(behind) => break behind,
                None => rest = behind_variable(rest)?,
            }
        },
    };
    behind_space(behind).strip_prefix(b"{")
}

fn behind_variable(rest: &[u8]) -> Option<&[u8]> {
    let name = rest.strip_prefix(b"?").or_else(|| rest.strip_prefix(b"$"))?;
    let is_of_variable = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii() || *byte == b'_';
    let end = name.iter().position(|byte| !is_of_variable(byte)).unwrap_or(name.len());
    if end == 0 { None } else { name.get(end..) }
}

/// What comes after the terms and the bracket behind them; none where something else than terms and rows of them is there.
fn behind_data(mut rest: &[u8]) -> Option<&[u8]> {
    let mut in_row = false;
    loop {
        rest = behind_space(rest);
        let (byte, behind) = rest.split_first()?;
        rest = match byte {
            b'}' if !in_row => return Some(behind),
            b'(' if !in_row => {
                in_row = true;
                behind
            }
            b')' if in_row => {
                in_row = false;
                behind
            }
            b'"' | b'\'' => behind_literal(*byte, behind)?,
            b'<' => behind_address(behind)?,
            _ => behind_name(rest)?,
        };
    }
}

/// A text, with its language or type.
fn behind_literal(quote: u8, behind: &[u8]) -> Option<&[u8]> {
    let behind = behind_string(quote, behind);
    if let Some(language) = behind.strip_prefix(b"@") {
        return behind_name(language);
    }
    let Some(kind) = behind_space(behind).strip_prefix(b"^^") else { return Some(behind) };
    let kind = behind_space(kind);
    kind.strip_prefix(b"<").map_or_else(|| behind_name(kind), behind_address)
}

fn behind_address(behind: &[u8]) -> Option<&[u8]> {
    behind.get(address_length(behind)? + 1..)
}

/// A name with its prefix, a number, a language or a word.
fn behind_name(rest: &[u8]) -> Option<&[u8]> {
    let mut end = 0;
    while let Some(byte) = rest.get(end) {
        match byte {
            // In a name some signs are written like this.
            b'\\' => end += 2,
            b'+' | b'_' | b'-' | b'.' | b':' | b'%' => end += 1,
            byte if byte.is_ascii_alphanumeric() || !byte.is_ascii() => end += 1,
            _ => break,
        }
    }
    if end == 0 { None } else { rest.get(end..) }
}
