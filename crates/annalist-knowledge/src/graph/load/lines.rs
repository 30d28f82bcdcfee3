//! N-Triples and N-Quads, where every line stands alone: a mistake in one is none in the next. The parser does not know
//! where to go on behind a quote that is not closed, so it is given what has mistakes line by line.

use std::io::Read;

use oxrdfio::{RdfParser, RdfSyntaxError};

use super::{LoadError, Telling};

/// So much is parsed at once as long as there is no mistake in it.
const BLOCK_BYTES: usize = 1 << 20;
/// A line that is longer is not read.
const LONGEST: usize = 16 << 20;

pub(super) fn load(
    mut input: impl Read,
    parser: &RdfParser,
    telling: &mut Telling<'_>,
) -> Result<(), LoadError> {
    let mut text = Vec::new();
    // Lines before the text.
    let mut line = 0;
    let mut skipping = false;
    loop {
        let count = input.by_ref().take(BLOCK_BYTES as u64).read_to_end(&mut text)?;
        let is_all = count < BLOCK_BYTES;
        if skipping {
            let length = line_length(&text);
            skipping = !ends_line(text.get(..length).unwrap_or_default());
            line += u64::from(!skipping);
            text.drain(..length);
        }
        let end = if is_all { text.len() } else { whole_lines(&text) };
        let block = text.get(..end).unwrap_or_default();
        read_block(block, line, parser, telling)?;
        line += line_ends(block);
        text.drain(..end);
        if is_all {
            return Ok(());
        }
        if text.len() > LONGEST {
            telling.mistake(line + 1, format!("a line is longer than {} MB", LONGEST >> 20));
            skipping = true;
            text.clear();
        }
    }
}

fn read_block(
    block: &[u8],
    before: u64,
    parser: &RdfParser,
    telling: &mut Telling<'_>,
) -> Result<(), LoadError> {
    for (told, quad) in (0..).zip(parser.clone().for_slice(block)) {
        let Ok(quad) = quad else { return line_by_line(block, before, told, parser, telling) };
        telling.quad(quad)?;
    }
    Ok(())
}

/// The first statements of the block are told already.
fn line_by_line(
    block: &[u8],
    before: u64,
    mut told: u64,
    parser: &RdfParser,
    telling: &mut Telling<'_>,
) -> Result<(), LoadError> {
    let (mut rest, mut number) = (block, before);
    while let Some(line) = rest.get(..line_length(rest)).filter(|line| !line.is_empty()) {
        rest = rest.get(line.len()..).unwrap_or_default();
        number += 1;
        let mut is_bad = false;
        for quad in parser.clone().for_slice(line) {
            match quad {
                Ok(_) if told > 0 => told -= 1,
                Ok(quad) => telling.quad(quad)?,
                // What follows in the line follows from it.
                Err(_) if is_bad => {}
                Err(error) => {
                    is_bad = true;
                    telling.mistake(number, in_line(&error));
                }
            }
        }
    }
    Ok(())
}

/// What is wrong and where in its line; the parser takes every line for the first.
fn in_line(error: &RdfSyntaxError) -> String {
    let text = error.to_string();
    let message = text.split_once(": ").map_or(text.as_str(), |(_, message)| message);
    let column = error.location().map_or(0, |place| place.start.column + 1);
    format!("column {column}: {message}")
}

/// Of the first line, with its end.
fn line_length(text: &[u8]) -> usize {
    match text.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
        None => text.len(),
        Some(end) if text.get(end..).is_some_and(|rest| rest.starts_with(b"\r\n")) => end + 2,
        Some(end) => end + 1,
    }
}

fn ends_line(text: &[u8]) -> bool {
    matches!(text.last(), Some(b'\n' | b'\r'))
}

/// Of all lines whose end is there. A carriage return at the end of the text may be half of an end.
fn whole_lines(text: &[u8]) -> usize {
    let last = |end: u8, text: &[u8]| text.iter().rposition(|byte| *byte == end).map(|place| place + 1);
    let but_one = text.get(..text.len().saturating_sub(1)).unwrap_or_default();
    last(b'\n', text).or_else(|| last(b'\r', but_one)).unwrap_or(0)
}

fn line_ends(text: &[u8]) -> u64 {
    let mut count = 0;
    let mut before = 0;
    for byte in text {
        count += u64::from(*byte == b'\r' || (*byte == b'\n' && before != b'\r'));
        before = *byte;
    }
    count
}
