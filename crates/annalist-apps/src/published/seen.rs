//! Dates in the visible text: each is weighed by the words before it, what its element is called, and how far the headline is.

use annalist_model::Evidence;
use annalist_read::tree::NodeId;
use jiff::civil::Date;

use super::labels::{self, Label};
use super::place::{Named, Region};
use super::{Clues, FIRST_SEEN, Says};
use crate::dates;

/// How far the rest of a date stands from its year.
const BEFORE: usize = 44;
const BEHIND: usize = 36;
/// A line that is about its date is not longer without it.
const SHORT_LINE: usize = 70;
/// Words further away belong to something else.
const LABEL_REACH: usize = 70;
/// A text with more is a chronicle.
const MOST_SEEN: usize = 150;

pub(super) fn read(clues: &mut Clues<'_>) {
    if let Some(title) = clues.page.title.as_deref() {
        let named = dates::all(title, clues.order);
        named
            .into_iter()
            .for_each(|(moment, _)| clues.add(Evidence::Text, Says::Published, 3.0, moment, FIRST_SEEN));
    }
    let text = clues.page.text.as_str();
    let mut done = 0;
    let mut seen = 0;
    for (from, until) in Years::of(text, i64::from(clues.latest.year())) {
        if from < done || seen >= MOST_SEEN {
            continue;
        }
        let start = floor(text, from.saturating_sub(BEFORE).max(done));
        let end = floor(text, (until + BEHIND).min(text.len()));
        // Behind a short year nothing of the date can follow but its time.
        let is_short = until - from == 2;
        let line = text.get(until..end).and_then(|behind| behind.find('\n')).filter(|_| is_short);
        let end = line.map_or(end, |line| until + line);
        let Some(window) = text.get(start..end) else { continue };
        seen += 1;
        let found = dates::all(window, clues.order);
        let found =
            found.into_iter().find(|(_, place)| start + place.start <= from && start + place.end >= until);
        match found {
            Some((moment, place)) => {
                done = start + place.end;
                weigh(clues, moment, start + place.start, start + place.end);
            }
            None => year_alone(clues, from, until),
        }
    }
}

/// The right to copy is claimed for years, the last of which tells most.
fn year_alone(clues: &mut Clues<'_>, from: usize, until: usize) {
    let text = clues.page.text.as_str();
    let before = text.get(floor(text, from.saturating_sub(40))..from).unwrap_or("");
    if labels::last(line_end(before)) == Some(Label::Copyright)
        && let Some(year) = text.get(from..until).and_then(|year| year.parse().ok())
        && let Ok(first) = Date::new(year, 1, 1)
        && first <= clues.latest
    {
        clues.copyright = clues.copyright.max(Some(first));
    }
}

fn weigh(clues: &mut Clues<'_>, moment: dates::Moment, from: usize, until: usize) {
    let text = clues.page.text.as_str();
    let (line_from, line_until) = line_around(text, from, until);
    let rest = (from - line_from) + (line_until - until);
    let Some(node) = clues.node_at(from) else { return };
    let place = clues.places.look(node);
    let label = label(text, line_from, from, until, line_until);
    let is_line = rest <= SHORT_LINE;
    let (evidence, weight) = match (label, place.named) {
        (Some(Label::Copyright), _) => {
            clues.copyright = clues.copyright.max(Some(moment.day));
            (Evidence::Text, 0.3)
        }
        (Some(Label::Published), _) if is_line => (Evidence::Words, 6.0),
        (_, Named::Published) => (Evidence::Byline, 6.0),
        (Some(Label::Otherwise), _) => (Evidence::Text, 0.5),
        (_, Named::Date) => (Evidence::Byline, 5.0),
        (Some(Label::Modified), _) | (_, Named::Modified) => (Evidence::Byline, 4.0),
        (Some(Label::Published), _) => (Evidence::Words, 1.5),
        (_, Named::Loosely) if is_line => (Evidence::Byline, 4.0),
        _ if rest <= 25 => (Evidence::Text, 3.0),
        _ if is_line => (Evidence::Text, 2.0),
        // The place and day that reports begin with.
        _ if from - line_from < 40 => (Evidence::Text, 1.2),
        _ => (Evidence::Text, 0.6),
    };
    let says = match (label, place.named) {
        _ if place.region == Region::Comments => Says::Answered,
        (Some(Label::Modified), _) => Says::Modified,
        (Some(Label::Published), _) => Says::Published,
        (_, Named::Modified) => Says::Modified,
        _ => Says::Published,
    };
    let weight = weight * clues.near(node, &place);
    clues.add(evidence, says, weight, moment, FIRST_SEEN);
}

/// What the words before a date say of it, on its line or as a line of their own; or the word behind it.
pub(super) fn label_at(text: &str, from: usize, until: usize) -> Option<Label> {
    let (line_from, line_until) = line_around(text, from, until);
    label(text, line_from, from, until, line_until)
}

fn line_around(text: &str, from: usize, until: usize) -> (usize, usize) {
    let before = text.get(..from).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let behind = text.get(until..).and_then(|behind| behind.find('\n')).map_or(text.len(), |at| until + at);
    (before, behind)
}

fn label(text: &str, line_from: usize, from: usize, until: usize, line_until: usize) -> Option<Label> {
    let before = text.get(floor(text, from.saturating_sub(LABEL_REACH).max(line_from))..from)?;
    let said = labels::last(before);
    if said.is_some() {
        return said;
    }
    if before.trim().len() < 12 && line_from > 0 {
        let above = text.get(floor(text, line_from.saturating_sub(40))..line_from - 1)?;
        let said = labels::last(line_end(above)).filter(|_| line_end(above).len() < 28);
        if said.is_some_and(|said| said != Label::Otherwise) {
            return said;
        }
    }
    // In East Asia the word may follow: `5月17日 更新`.
    let behind = text.get(until..floor(text, line_until.min(until + 12)))?.trim_start();
    let is_eastern = behind.chars().next().is_some_and(|c| u32::from(c) >= 0x3000);
    labels::first(behind).filter(|_| is_eastern)
}

fn line_end(text: &str) -> &str {
    text.rsplit('\n').next().unwrap_or(text)
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl Clues<'_> {
    /// The text node that stands there.
    fn node_at(&self, at: usize) -> Option<NodeId> {
        let behind = self.texts.partition_point(|(from, _)| *from <= at);
        self.texts.get(behind.checked_sub(1)?).map(|(_, node)| *node)
    }
}

/// Where a text has what may be the year of a date.
struct Years<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    latest: i64,
}

impl Years<'_> {
    fn of(text: &str, latest: i64) -> Years<'_> {
        Years { text, bytes: text.as_bytes(), at: 0, latest }
    }

    /// The digit at a place and how many bytes it takes: of Europe, Arabia, Persia, and wide ones.
    fn digit(&self, at: usize) -> Option<(i64, usize)> {
        match *self.bytes.get(at)? {
            byte @ b'0'..=b'9' => Some((i64::from(byte - b'0'), 1)),
            0xD9 => self
                .bytes
                .get(at + 1)
                .filter(|byte| (0xA0..=0xA9).contains(*byte))
                .map(|byte| (i64::from(byte - 0xA0), 2)),
            0xDB => self
                .bytes
                .get(at + 1)
                .filter(|byte| (0xB0..=0xB9).contains(*byte))
                .map(|byte| (i64::from(byte - 0xB0), 2)),
            0xEF if self.bytes.get(at + 1) == Some(&0xBC) => self
                .bytes
                .get(at + 2)
                .filter(|byte| (0x90..=0x99).contains(*byte))
                .map(|byte| (i64::from(byte - 0x90), 3)),
            _ => None,
        }
    }

    /// `5 Mar 14`, `5. März ’14`.
    fn follows_a_month(&self, from: usize) -> bool {
        let Some(before) = self.text.get(..from) else { return false };
        let before = before.trim_end_matches([' ', '.', ',', '-', '\'', '’', '\n']);
        let word = before.rfind(|c: char| !c.is_alphabetic()).map_or(0, |at| at + 1);
        let Some((day, word)) =
            before.split_at_checked(word).filter(|(_, word)| (3..=24).contains(&word.len()))
        else {
            return false;
        };
        day.trim_end_matches([' ', '.', '-', '\n']).ends_with(|c: char| c.is_ascii_digit())
            && dates::month(&word.to_lowercase()).is_some()
    }

    fn follows_two_numbers(&self, from: usize) -> bool {
        let number = |end: usize| {
            let digits =
                self.bytes.get(..end)?.iter().rev().take(3).take_while(|byte| byte.is_ascii_digit()).count();
            let start = end - digits;
            let mark = start.checked_sub(1).and_then(|at| self.bytes.get(at))?;
            ((1..=2).contains(&digits)).then_some((*mark, start))
        };
        let Some(mark) = from.checked_sub(1).and_then(|at| self.bytes.get(at)).copied() else { return false };
        matches!(mark, b'.' | b'/' | b'-')
            && number(from - 1).is_some_and(|(second, start)| {
                second == mark
                    && start.checked_sub(1).is_some_and(|end| {
                        let digits = self
                            .bytes
                            .get(..end)
                            .unwrap_or(&[])
                            .iter()
                            .rev()
                            .take(3)
                            .take_while(|byte| byte.is_ascii_digit())
                            .count();
                        (1..=2).contains(&digits)
                    })
            })
    }
}

impl Iterator for Years<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        loop {
            let rest = self.bytes.get(self.at..)?;
            let is_first = |byte: &u8| byte.is_ascii_digit() || matches!(byte, 0xD9 | 0xDB | 0xEF);
            let from = self.at + rest.iter().position(is_first)?;
            let (mut value, mut count, mut end) = (0_i64, 0, from);
            while let Some((digit, length)) = self.digit(end) {
                value = value.saturating_mul(10).saturating_add(digit);
                count += 1;
                end += length;
            }
            self.at = end.max(from + 1);
            let is_year = count == 4 && (1990..=self.latest).contains(&value);
            let may_be_short = count == 2 && end - from == 2;
            if is_year || (may_be_short && (self.follows_two_numbers(from) || self.follows_a_month(from))) {
                return Some((from, end));
            }
        }
    }
}
