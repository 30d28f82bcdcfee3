//! What people write for a date, as a moment: `5. März 2013 um 16:12 Uhr`, `3 hours ago`, `2013年3月5日`.
//!
//! - `tokens`: numbers, words and marks of a text
//! - `words`: the names of months, days and spans in many languages
//! - `day`: a day of the calendar; `clock`: a time of day with its zone; `relative`: what counts from now
//!
//! Not here: where on a page a date stands.

mod clock;
mod day;
mod relative;
mod tokens;
mod words;

use std::ops::Range;

use annalist_model::Precision;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::Offset;

use day::Day;
use tokens::Tokens;

/// So much of a text is looked at: a date stands in a line, not in an essay.
const LONGEST: usize = 600;

/// What is known of a date before it is read.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// What `03/05/2013` begins with.
    pub order: Option<Order>,
    /// How it is written, in the letters of strftime: `%d.%m.%Y, %H:%M`.
    pub format: Option<String>,
    /// The zone of dates that name none: `+02:00`, `UTC`. UTC where nothing is said.
    pub zone: Option<String>,
    /// When it was read: what `yesterday` and a missing year are counted from.
    pub now: Option<annalist_model::Time>,
}

/// What a date in numbers begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Dmy,
    Mdy,
    Ymd,
    /// The month, as in `03/05/2013` and `03.05.13`; but who writes `05.03.2013` begins with the day in English too.
    English,
}

/// The number of the month of that name, in lower case.
pub fn month(name: &str) -> Option<u32> {
    words::month(name).and_then(|month| u32::try_from(month).ok())
}

/// Whether a text names a zone: `+02:00`, `UTC`.
pub fn is_zone(text: &str) -> bool {
    clock::offset(text).is_some()
}

/// What a text names: a day, and as much of its time as is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    pub day: Date,
    /// The same with day and month the other way round, where both can be.
    pub other: Option<Date>,
    pub precision: Precision,
    pub clock: Option<Time>,
    pub offset: Option<Offset>,
}

impl Moment {
    fn of(moment: DateTime, offset: Option<Offset>) -> Moment {
        let clock = Some(moment.time());
        Moment { day: moment.date(), other: None, precision: Precision::Day, clock, offset }
    }

    fn read(tokens: &Tokens, day: &Day) -> Moment {
        let clock = clock::near(tokens, &day.place);
        Moment {
            day: day.date,
            other: day.other,
            precision: day.precision,
            clock: clock.as_ref().map(|clock| clock.time),
            offset: clock.and_then(|clock| clock.offset),
        }
    }
}

/// The moment a text names, as RFC 3339, with the offset it was written with.
pub fn parse(text: &str, hints: &Hints) -> Option<String> {
    let zone = zone(hints);
    let Moment { day, clock, offset, .. } = moment(text, hints)?;
    Some(spelt(day.to_datetime(clock.unwrap_or(Time::midnight())), offset.unwrap_or(zone)))
}

fn zone(hints: &Hints) -> Offset {
    hints.zone.as_deref().and_then(clock::offset).unwrap_or(Offset::UTC)
}

/// The moment a text names.
pub fn moment(text: &str, hints: &Hints) -> Option<Moment> {
    let text = annalist_model::link::shortened(text.trim(), LONGEST);
    let zone = zone(hints);
    let order = hints.order.or_else(|| hints.format.as_deref().and_then(order_of));
    if let Some(found) = hints.format.as_deref().and_then(|format| formatted(text, format)) {
        return Some(found);
    }
    if let Some(found) = epoch(text, zone) {
        return Some(found);
    }
    let now = hints.now.and_then(|now| local(now, zone));
    let tokens = Tokens::of(text);
    if let Some(day) = day::find(&tokens, order, now.map(DateTime::date)) {
        return Some(Moment::read(&tokens, &day));
    }
    relative::find(&tokens, now?).map(|(moment, offset)| Moment::of(moment, offset))
}

/// The moment that a header field names: `Sat, 17 May 2014 08:00:00 GMT`.
pub fn time(field: &str) -> Option<annalist_model::Time> {
    let Moment { day, clock, offset, .. } = moment(field, &Hints::default())?;
    Some(annalist_model::Time::of(day.to_datetime(clock?), offset.unwrap_or(Offset::UTC)))
}

/// Every day that a text names with its year, and where.
pub fn all(text: &str, order: Option<Order>) -> Vec<(Moment, Range<usize>)> {
    let tokens = Tokens::of(text);
    let days = day::all(&tokens, order);
    days.iter().map(|day| (Moment::read(&tokens, day), tokens.stand(&day.place))).collect()
}

fn local(now: annalist_model::Time, zone: Offset) -> Option<DateTime> {
    let moment = Timestamp::from_millisecond(i64::try_from(now.millis()).ok()?).ok()?;
    Some(zone.to_datetime(moment))
}

fn spelt(moment: DateTime, offset: Offset) -> String {
    let minutes = offset.seconds() / 60;
    if minutes == 0 {
        return format!("{moment}Z");
    }
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{moment}{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
}

/// The hinted format, where the text is that and nothing else.
fn formatted(text: &str, format: &str) -> Option<Moment> {
    let broken = BrokenDownTime::parse(format, text).ok()?;
    let date = broken.to_date().ok()?;
    let clock = broken.to_time().ok();
    Some(Moment { day: date, other: None, precision: Precision::Day, clock, offset: broken.offset() })
}

/// The order of day, month and year in a format.
fn order_of(format: &str) -> Option<Order> {
    let place = |letters: &[&str]| letters.iter().filter_map(|letter| format.find(letter)).min();
    let day = place(&["%d", "%e", "%-d"])?;
    let month = place(&["%m", "%b", "%B", "%h", "%-m"])?;
    let year = place(&["%Y", "%y", "%C"]).unwrap_or(usize::MAX);
    Some(if year < month && year < day {
        Order::Ymd
    } else if month < day {
        Order::Mdy
    } else {
        Order::Dmy
    })
}

/// Seconds or milliseconds since 1970, where there is nothing else.
fn epoch(text: &str, zone: Offset) -> Option<Moment> {
    let whole = text.split_once('.').map_or(text, |(whole, rest)| {
        if rest.bytes().all(|byte| byte.is_ascii_digit()) { whole } else { text }
    });
    if !whole.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: i64 = whole.parse().ok()?;
    let moment = match whole.len() {
        9 | 10 => Timestamp::from_second(number),
        12 | 13 => Timestamp::from_millisecond(number),
        _ => return None,
    };
    Some(Moment::of(zone.to_datetime(moment.ok()?), Some(zone)))
}

#[cfg(test)]
mod tests;
