//! Dates that an address or the words of a link name: `/2009/05/17/`, `20090517`, `wm-2010`. They tell what a link leads to
//! before it is fetched; whoever reads a page finds its date by better means.

use annalist_model::spec::Event;
use annalist_model::{DocumentTime, Time, TimeBasis};
use jiff::Span;
use jiff::civil::Date;
use jiff::tz::Offset;

use crate::event::temporal;

/// Years that pages may be from.
const YEARS: std::ops::RangeInclusive<i16> = 1990..=2099;

/// How relevant the time is that is named, the most relevant where there are several; none where none is.
pub(crate) fn timely(event: &Event, text: &str) -> Option<f32> {
    spans(text).map(|span| temporal(event, span)).reduce(f32::max)
}

/// The days, months and years that are named.
fn spans(text: &str) -> impl Iterator<Item = DocumentTime> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let from = at;
            let (number, digits) = number(bytes, at);
            at += digits.max(1);
            let found = match digits {
                4 => {
                    let (month, day, end) = after_year(bytes, at);
                    let found = span(number, month, day);
                    if found.is_some() {
                        at = end;
                    }
                    found
                }
                8 => span(number / 10_000, Some(number / 100 % 100), Some(number % 100)),
                _ => None,
            };
            // A fraction, or a part of a name in hexadecimal digits, is no year.
            let is_apart =
                from.checked_sub(1).is_none_or(|before| bytes.get(before).is_none_or(|b| *b != b'%'));
            if found.is_some() && is_apart {
                return found;
            }
        }
        None
    })
}

/// The number that begins there, and how many digits it has.
fn number(bytes: &[u8], at: usize) -> (u32, usize) {
    let digits = bytes.get(at..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit());
    let mut value = 0_u32;
    let mut count = 0;
    for digit in digits {
        value = value.wrapping_mul(10).wrapping_add(u32::from(digit - b'0'));
        count += 1;
    }
    (value, count)
}

/// A month and a day of two digits each that follow a year, and where they end.
fn after_year(bytes: &[u8], at: usize) -> (Option<u32>, Option<u32>, usize) {
    let two = |at: usize| {
        let is_between = bytes.get(at).is_some_and(|byte| matches!(byte, b'/' | b'-' | b'_' | b'.'));
        let (value, digits) = number(bytes, at + 1);
        (is_between && digits == 2).then_some(value)
    };
    let Some(month) = two(at).filter(|month| (1..=12).contains(month)) else { return (None, None, at) };
    match two(at + 3).filter(|day| (1..=31).contains(day)) {
        Some(day) => (Some(month), Some(day), at + 6),
        None => (Some(month), None, at + 3),
    }
}

fn span(year: u32, month: Option<u32>, day: Option<u32>) -> Option<DocumentTime> {
    let year = i16::try_from(year).ok().filter(|year| YEARS.contains(year))?;
    let of = |part: Option<u32>| i8::try_from(part.unwrap_or(1)).ok();
    let from = Date::new(year, of(month)?, of(day)?).ok()?;
    let length = match (month, day) {
        (_, Some(_)) => Span::new().days(1),
        (Some(_), None) => Span::new().months(1),
        (None, None) => Span::new().years(1),
    };
    let [at, end] = [from, from.saturating_add(length)].map(|day| Time::of(day.at(0, 0, 0, 0), Offset::UTC));
    // The last moment of it, not the first after it.
    let until = Time::from_millis(end.millis().saturating_sub(1));
    Some(DocumentTime { at, until, basis: TimeBasis::Published })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use annalist_model::spec::{Event, RelevanceKind};
    use jiff::civil::date;

    use super::{spans, timely};

    #[test]
    fn days_months_and_years_are_found_and_other_numbers_are_not() {
        let found = |text: &str| -> Vec<String> {
            spans(text).map(|span| format!("{} {}", span.at.day(), span.until.day())).collect()
        };
        assert_eq!(found("http://a.test/2009/05/17/x"), ["2009-05-17 2009-05-17"]);
        assert_eq!(found("/data/20090517.html"), ["2009-05-17 2009-05-17"]);
        assert_eq!(found("/politik/2009-02/x"), ["2009-02-01 2009-02-28"]);
        assert_eq!(found("wm-2010-news, 2006"), ["2010-01-01 2010-12-31", "2006-01-01 2006-12-31"]);
        assert_eq!(found("wm2010"), ["2010-01-01 2010-12-31"]);
        assert_eq!(found("/2009/13/1"), ["2009-01-01 2009-12-31"]);
        for other in ["/12345/", "/3050/", "20091399", "/1234567890123/", "a%2010", "", "/19/", "2009051"] {
            assert_eq!(found(other), [""; 0], "{other}");
        }
    }

    #[test]
    fn the_date_that_is_nearest_to_the_event_counts() {
        let event = Event {
            from: date(2010, 6, 11),
            until: date(2010, 7, 11),
            lead: Duration::from_secs(30 * 86_400),
            cooldown: Duration::from_secs(30 * 86_400),
            relevance: RelevanceKind::Default,
            weight: 0.5,
        };
        assert_eq!(timely(&event, "/2006/wm-2010/"), Some(1.0));
        assert_eq!(timely(&event, "/2010/08/"), Some(temporal_of_twenty_days()));
        assert!(timely(&event, "/2006/").is_some_and(|time| time < 1e-6));
        assert_eq!(timely(&event, "/wm/"), None);
    }

    fn temporal_of_twenty_days() -> f32 {
        (-20.0_f64 / 30.0).exp2() as f32
    }
}
