//! What counts from the present: `yesterday at 4:12 pm`, `3 hours ago`, `vor 2 Tagen`, `Tuesday, 16:12`.

use jiff::civil::{DateTime, Time};
use jiff::tz::Offset;
use jiff::{Span, ToSpan};

use super::clock;
use super::tokens::Tokens;
use super::words::{self, Unit};

/// Longer spans are no ages of posts.
const MOST: u64 = 10_000;

pub(super) fn find(tokens: &Tokens, now: DateTime) -> Option<(DateTime, Option<Offset>)> {
    day(tokens, now).or_else(|| Some((span(tokens, now)?, None)))
}

/// Today, yesterday, or a day of the week, with a time if one is said.
fn day(tokens: &Tokens, now: DateTime) -> Option<(DateTime, Option<Offset>)> {
    let (place, back) = (0..tokens.len()).find_map(|at| {
        let word = tokens.word(at)?;
        if words::is_today(word) || (word == "i" && tokens.word(at + 1) == Some("dag")) {
            return Some((at..at + 1, 0));
        }
        if words::is_yesterday(word) || (word == "i" && tokens.word(at + 1) == Some("går")) {
            return Some((at..at + 1, 1));
        }
        let weekday = words::weekday(word)?;
        let today = now.weekday().to_monday_one_offset();
        let back = (today - weekday).rem_euclid(7);
        // A week's day needs a time to be a moment: it may be anything else.
        clock::near(tokens, &(at..at + 1))?;
        Some((at..at + 1, if back == 0 { 7 } else { i64::from(back) }))
    })?;
    let date = now.date().checked_sub(back.days()).ok()?;
    let clock = clock::near(tokens, &place);
    let time = clock.as_ref().map_or(Time::midnight(), |clock| clock.time);
    Some((date.to_datetime(time), clock.and_then(|clock| clock.offset)))
}

fn span(tokens: &Tokens, now: DateTime) -> Option<DateTime> {
    let words = || (0..tokens.len()).filter_map(|at| tokens.word(at));
    let is_short = tokens.len() <= 2;
    if tokens.len() <= 3 && words().any(words::is_now) {
        return now.with().subsec_nanosecond(0).build().ok();
    }
    let says_ago =
        words().any(words::is_ago) || (words().any(|word| word == "il") && words().any(|word| word == "y"));
    if !says_ago && !is_short {
        return None;
    }
    let mut moment = now;
    let mut found = false;
    for at in 0..tokens.len() {
        let (count, next) = match (tokens.number(at), tokens.word(at)) {
            (Some((count, _)), _) => (count, at + 1),
            (_, Some(word)) if words::is_one(word) && says_ago => (1, at + 1),
            _ => continue,
        };
        let unit = match (tokens.word(next), tokens.mark(next)) {
            (Some(word), _) => words::unit(word),
            (_, Some(mark)) => words::unit(mark.encode_utf8(&mut [0; 4])),
            _ => None,
        };
        let Some(unit) = unit.filter(|_| count <= MOST) else { continue };
        moment = moment.checked_sub(length(i64::try_from(count).ok()?, unit)).ok()?;
        found = true;
    }
    if !found {
        return None;
    }
    moment.with().subsec_nanosecond(0).build().ok()
}

fn length(count: i64, unit: Unit) -> Span {
    match unit {
        Unit::Second => count.seconds(),
        Unit::Minute => count.minutes(),
        Unit::Hour => count.hours(),
        Unit::Day => count.days(),
        Unit::Week => count.weeks(),
        Unit::Month => count.months(),
        Unit::Year => count.years(),
    }
}
