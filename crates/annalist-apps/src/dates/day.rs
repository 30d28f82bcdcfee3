//! A day of the calendar in a text: in numbers, with the name of its month, or counted as in East Asia.

use std::ops::Range;

use annalist_model::Precision;
use jiff::ToSpan;
use jiff::civil::Date;

use super::Order;
use super::clock;
use super::tokens::Tokens;
use super::words;

/// A day and the tokens that name it.
#[derive(Clone, Debug)]
pub(super) struct Day {
    pub(super) date: Date,
    /// What it is to those who put the day and the month the other way round, where both can be.
    pub(super) other: Option<Date>,
    pub(super) precision: Precision,
    pub(super) place: Range<usize>,
}

impl Day {
    fn new(date: Date, place: Range<usize>) -> Day {
        Day { date, other: None, precision: Precision::Day, place }
    }
}

/// The first day that is named with its year; else, if the present is known, the first without.
pub(super) fn find(tokens: &Tokens, order: Option<Order>, today: Option<Date>) -> Option<Day> {
    let places = || 0..tokens.len();
    let whole = places().find_map(|at| {
        numeric(tokens, at, order)
            .or_else(|| compact(tokens, at))
            .or_else(|| counted(tokens, at, None))
            .or_else(|| named(tokens, at, None))
    });
    whole
        .or_else(|| {
            let today = today?;
            places()
                .find_map(|at| counted(tokens, at, Some(today)).or_else(|| named(tokens, at, Some(today))))
        })
        .or_else(|| month_alone(tokens))
}

/// Every day that is named with its year.
pub(super) fn all(tokens: &Tokens, order: Option<Order>) -> Vec<Day> {
    let mut days: Vec<Day> = Vec::new();
    for at in 0..tokens.len() {
        let day = numeric(tokens, at, order)
            .or_else(|| counted(tokens, at, None))
            .or_else(|| named(tokens, at, None))
            .filter(|day| days.last().is_none_or(|last| last.place.end <= day.place.start));
        days.extend(day);
    }
    days
}

/// `2013-03-05`, `5.3.2013`, `03/05/13`.
fn numeric(tokens: &Tokens, at: usize, order: Option<Order>) -> Option<Day> {
    let (first, first_digits) = tokens.number(at)?;
    let separator = tokens.mark(at + 1).filter(|mark| matches!(mark, '.' | '/' | '-' | '‐' | '–' | '−'))?;
    let (second, second_digits) = tokens.number(at + 2)?;
    let (third, third_digits) = tokens.number(at + 4).filter(|_| tokens.is_mark(at + 3, separator))?;
    // A fourth number, or one before, makes it a version or an address.
    let goes_on = tokens.is_mark(at + 5, separator)
        && !tokens.is_spaced(at + 5)
        && !tokens.is_spaced(at + 6)
        && tokens.number(at + 6).is_some();
    let began = at >= 2
        && tokens.is_mark(at - 1, separator)
        && !tokens.is_spaced(at)
        && tokens.number(at - 2).is_some();
    let spread = separator != '.' && (tokens.is_spaced(at + 1) != tokens.is_spaced(at + 2));
    if goes_on || began || spread || second_digits > 2 {
        return None;
    }
    let place = at..at + 5;
    if first_digits == 4 && third_digits <= 2 {
        return Some(Day::new(date(first, second, third)?, place));
    }
    if first_digits > 2 || !(third_digits == 4 || third_digits == 2) {
        return None;
    }
    if third_digits == 2 && order == Some(Order::Ymd) {
        return Some(Day::new(date(century(first), second, third)?, place));
    }
    let year = if third_digits == 2 { century(third) } else { third };
    let month_first = match order {
        Some(Order::English) => separator == '/' || third_digits == 2,
        Some(order) => order == Order::Mdy,
        None => separator == '/',
    };
    let (by_month, by_day) = (date(year, first, second), date(year, second, first));
    let (date, other) = if month_first { (by_month, by_day) } else { (by_day, by_month) };
    let other = other.filter(|other| date.is_some_and(|date| date != *other));
    Some(Day { other, ..Day::new(date.or(by_month).or(by_day)?, place) })
}

/// `20130305`, `20130305161200`.
fn compact(tokens: &Tokens, at: usize) -> Option<Day> {
    let (value, digits) = tokens.number(at)?;
    let day = match digits {
        8 => value,
        14 => value / 1_000_000,
        _ => return None,
    };
    let year = day / 10_000;
    if !(1970..=2100).contains(&year) {
        return None;
    }
    Some(Day::new(date(year, day / 100 % 100, day % 100)?, at..at + 1))
}

/// `2013年3月5日`, `2013년 3월 5일`.
fn counted(tokens: &Tokens, at: usize, today: Option<Date>) -> Option<Day> {
    let unit = |at: usize, marks: &[char]| tokens.mark(at).is_some_and(|mark| marks.contains(&mark));
    let mut next = at;
    let mut year = None;
    if unit(at + 1, &['年', '년']) {
        year = Some(tokens.number(at)?.0);
        next = at + 2;
    }
    let month = tokens.number(next).filter(|_| unit(next + 1, &['月', '월']))?.0;
    let day = tokens.number(next + 2)?.0;
    let end = next + 3 + usize::from(unit(next + 3, &['日', '일', '号', '號']));
    let date = match (year, today) {
        (Some(year), _) => date(if year < 100 { century(year) } else { year }, month, day)?,
        (None, Some(today)) => recent(month, day, today)?,
        (None, None) => return None,
    };
    Some(Day::new(date, at..end))
}

/// `5. März 2013`, `March 5th, 2013`, `2013 March 5`, `Mar 5 16:12:00 2013`.
fn named(tokens: &Tokens, at: usize, today: Option<Date>) -> Option<Day> {
    let (month, month_place) = month_at(tokens, at)?;
    let before = day_before(tokens, month_place.start);
    let after = day_after(tokens, month_place.end);
    let dated = |(day, place): (u64, Range<usize>)| {
        let start = place.start.min(month_place.start);
        let end = place.end.max(month_place.end);
        let (year, start, end) = match year_after(tokens, end) {
            Some((year, until)) => (year, start, until),
            None => year_before(tokens, start).map(|(year, from)| (year, from, end))?,
        };
        Some(Day::new(date(year, month, day)?, start..end))
    };
    // In `Part 3 ⏎ January 13, 2020` the third is no day, and 13 no year.
    let is_whole =
        |day: &Day| day.place.clone().any(|at| tokens.number(at).is_some_and(|(_, digits)| digits == 4));
    let (before_it, behind_it) = (before.clone().and_then(dated), after.clone().and_then(dated));
    let found = match (before_it, behind_it) {
        (Some(before), Some(after)) if is_whole(&after) && !is_whole(&before) => Some(after),
        (before, after) => before.or(after),
    };
    found.or_else(|| {
        let today = today?;
        [before, after].into_iter().flatten().find_map(|(day, place)| {
            let (start, end) = (place.start.min(month_place.start), place.end.max(month_place.end));
            Some(Day::new(recent(month, day, today)?, start..end))
        })
    })
}

/// `March 2013`, where nothing else is said.
fn month_alone(tokens: &Tokens) -> Option<Day> {
    let (month, place) = month_at(tokens, 0)?;
    let (year, end) = year_after(tokens, place.end)?;
    let is_whole = tokens.number(end.checked_sub(1)?).is_some_and(|(_, digits)| digits == 4);
    (end == tokens.len() && is_whole).then_some(())?;
    Some(Day { precision: Precision::Month, ..Day::new(date(year, month, 1)?, 0..end) })
}

fn month_at(tokens: &Tokens, at: usize) -> Option<(u64, Range<usize>)> {
    let word = tokens.word(at)?;
    if matches!(word, "tháng" | "thg") {
        let (month, _) = tokens.number(at + 1)?;
        return Some((month, at..at + 2));
    }
    Some((u64::try_from(words::month(word)?).ok()?, at..at + 1))
}

fn is_day(number: (u64, usize)) -> bool {
    (1..=31).contains(&number.0) && number.1 <= 2
}

/// The day that stands before a month: `5.`, `5th of`, `5 de`, `5-`.
fn day_before(tokens: &Tokens, month: usize) -> Option<(u64, Range<usize>)> {
    let mut at = month;
    for _ in 0..4 {
        at = at.checked_sub(1)?;
        if let Some(number) = tokens.number(at) {
            // `16:05 March` is no fifth of March.
            let is_clock = at > 1
                && tokens.is_mark(at - 1, ':')
                && !tokens.is_spaced(at)
                && tokens.number(at - 2).is_some();
            return (is_day(number) && !is_clock).then_some((number.0, at..month));
        }
        let is_filler = match (tokens.word(at), tokens.mark(at)) {
            (Some(word), _) => is_day_filler(word),
            (_, Some(mark)) => matches!(mark, '.' | '-' | '/' | 'º' | '°' | ',' | '–' | '‐'),
            _ => false,
        };
        if !is_filler {
            return None;
        }
    }
    None
}

/// What stands between a day and its month, or behind an ordinal.
fn is_day_filler(word: &str) -> bool {
    matches!(
        word,
        "th" | "st"
            | "nd"
            | "rd"
            | "er"
            | "e"
            | "de"
            | "of"
            | "ª"
            | "º"
            | "ος"
            | "η"
            | "го"
            | "a"
            | "d"
            | "da"
            | "den"
            | "des"
    )
}

fn day_after(tokens: &Tokens, month: usize) -> Option<(u64, Range<usize>)> {
    let mut at = month;
    while at < month + 2
        && tokens.mark(at).is_some_and(|mark| matches!(mark, '.' | '-' | '/' | ',' | '–' | '‐'))
    {
        at += 1;
    }
    let number = tokens.number(at).filter(|number| is_day(*number))?;
    if tokens.is_mark(at + 1, ':') && tokens.number(at + 2).is_some() {
        return None;
    }
    let mut end = at + 1;
    if tokens.word(end).is_some_and(is_day_filler) {
        end += 1;
    }
    Some((number.0, at..end))
}

/// The year behind a day and month, perhaps with the time between.
fn year_after(tokens: &Tokens, end: usize) -> Option<(u64, usize)> {
    for at in end..end + 4 {
        if let Some((value, digits)) = tokens.number(at) {
            if digits == 4 && is_year(value) && !tokens.is_mark(at + 1, ':') {
                return Some((value, at + 1));
            }
            let joined = at > end
                && tokens.mark(at - 1).is_some_and(|mark| matches!(mark, '-' | '/' | '\'' | '’' | '‘'));
            let follows = match (tokens.word(at + 1), tokens.mark(at + 1)) {
                (Some(word), _) => clock::is_at(word),
                (_, Some(mark)) => !matches!(mark, ':' | '.' | '%'),
                (None, None) => true,
            };
            if digits == 2 && follows && (joined || clock::at(tokens, at).is_none()) {
                return Some((century(value), at + 1));
            }
            break;
        }
        let is_filler = match (tokens.word(at), tokens.mark(at)) {
            (Some(word), _) => {
                matches!(word, "de" | "del" | "of" | "г" | "do" | "τ" | "năm" | "th" | "rok" | "w" | "in")
            }
            (_, Some(mark)) => matches!(mark, '.' | ',' | '-' | '/' | '\'' | '’' | '‘' | '،' | '–' | '‐'),
            _ => false,
        };
        if !is_filler {
            break;
        }
    }
    // `Tue Mar 5 16:12:00 +0000 2013`
    let time = (end..end + 3).find_map(|at| clock::at(tokens, at))?;
    let year = time.place.end;
    (year..year + 2).find_map(|at| {
        let (value, digits) = tokens.number(at)?;
        (digits == 4 && is_year(value) && tokens.is_spaced(at)).then_some((value, end))
    })
}

fn year_before(tokens: &Tokens, start: usize) -> Option<(u64, usize)> {
    let mut at = start;
    for _ in 0..3 {
        at = at.checked_sub(1)?;
        if let Some((value, digits)) = tokens.number(at) {
            return (digits == 4 && is_year(value)).then_some((value, at));
        }
        let is_filler = tokens.mark(at).is_some_and(|mark| matches!(mark, '.' | ',' | '-' | '/'))
            || tokens.word(at).is_some_and(|word| word == "m");
        if !is_filler {
            return None;
        }
    }
    None
}

fn is_year(value: u64) -> bool {
    (1500..=2200).contains(&value)
}

fn century(year: u64) -> u64 {
    if year < 70 { 2000 + year } else { 1900 + year }
}

fn date(year: u64, month: u64, day: u64) -> Option<Date> {
    if !is_year(year) {
        return None;
    }
    Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

/// The last such day that is not in the future; zones may make it tomorrow.
fn recent(month: u64, day: u64, today: Date) -> Option<Date> {
    let tomorrow = today.checked_add(1.day()).ok()?;
    let this_year = u64::try_from(today.year()).ok()?;
    // A leap day may lie some years back.
    (0..=8).find_map(|back| date(this_year.checked_sub(back)?, month, day).filter(|date| *date <= tomorrow))
}
