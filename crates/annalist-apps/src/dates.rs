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

use annalist_model::Time;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::Offset;

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
    pub now: Option<Time>,
}

/// What a date in numbers begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Dmy,
    Mdy,
    Ymd,
}

/// Whether a text names a zone: `+02:00`, `UTC`.
pub fn is_zone(text: &str) -> bool {
    clock::offset(text).is_some()
}

/// The moment a text names, as RFC 3339, with the offset it was written with.
pub fn parse(text: &str, hints: &Hints) -> Option<String> {
    let text = annalist_model::link::shortened(text.trim(), LONGEST);
    let zone = hints.zone.as_deref().and_then(clock::offset).unwrap_or(Offset::UTC);
    let order = hints.order.or_else(|| hints.format.as_deref().and_then(order_of));
    if let Some(found) = hints.format.as_deref().and_then(|format| formatted(text, format, zone)) {
        return Some(found);
    }
    if let Some(found) = epoch(text, zone) {
        return Some(found);
    }
    let now = hints.now.and_then(|now| local(now, zone));
    let tokens = Tokens::of(text);
    if let Some(day) = day::find(&tokens, order, now.map(DateTime::date)) {
        let clock = clock::near(&tokens, &day.place);
        let time = clock.as_ref().map_or(jiff::civil::Time::midnight(), |clock| clock.time);
        let offset = clock.and_then(|clock| clock.offset).unwrap_or(zone);
        return Some(spelt(day.date.to_datetime(time), offset));
    }
    relative::find(&tokens, now?).map(|(moment, offset)| spelt(moment, offset.unwrap_or(zone)))
}

fn local(now: Time, zone: Offset) -> Option<DateTime> {
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
fn formatted(text: &str, format: &str, zone: Offset) -> Option<String> {
    let broken = BrokenDownTime::parse(format, text).ok()?;
    let date = broken.to_date().ok()?;
    let time = broken.to_time().unwrap_or(jiff::civil::Time::midnight());
    Some(spelt(date.to_datetime(time), broken.offset().unwrap_or(zone)))
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
fn epoch(text: &str, zone: Offset) -> Option<String> {
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
    Some(spelt(zone.to_datetime(moment.ok()?), zone))
}

#[cfg(test)]
mod tests;
