//! Moments, in milliseconds since 1970, as WARC fields, CDX lines and file names spell them. No clock is read here.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;

/// `2026-11-15T20:59:21.123Z`, as WARC/1.1 writes dates.
pub fn rfc3339(millis: u64) -> String {
    civil(millis).strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// `20261115205921`, as CDX files write dates.
pub fn digits14(millis: u64) -> String {
    civil(millis).strftime("%Y%m%d%H%M%S").to_string()
}

/// `20261115205921123`, as WARC file names write dates.
pub fn digits17(millis: u64) -> String {
    civil(millis).strftime("%Y%m%d%H%M%S%3f").to_string()
}

fn civil(millis: u64) -> DateTime {
    // Beyond the calendar's end (year 9999) every moment reads as that end.
    let millis = i64::try_from(millis).unwrap_or(i64::MAX);
    Offset::UTC.to_datetime(Timestamp::from_millisecond(millis).unwrap_or(Timestamp::MAX))
}

/// The moment of such digits, from a year alone to milliseconds; what is missing reads as the start.
pub fn millis_of_digits(digits: &str) -> Option<u64> {
    if !(4..=17).contains(&digits.len()) || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let part = |from: usize, to: usize, least: i64| match digits.get(from..to.min(digits.len())) {
        Some(text) if !text.is_empty() => text.parse().map_or(least, |number: i64| number.max(least)),
        _ => least,
    };
    let small = |from: usize, least: i64| i8::try_from(part(from, from + 2, least)).ok();
    let year = i16::try_from(part(0, 4, 0)).ok()?;
    // Some indexes have days that no month has, and leap seconds.
    let (month, day) = (small(4, 1)?.min(12), small(6, 1)?);
    let last = jiff::civil::Date::new(year, month, 1).ok()?.days_in_month();
    let (hour, minute, second) = (small(8, 0)?.min(23), small(10, 0)?.min(59), small(12, 0)?.min(59));
    let civil = DateTime::new(year, month, day.min(last), hour, minute, second, 0).ok()?;
    let seconds = u64::try_from(Offset::UTC.to_timestamp(civil).ok()?.as_second()).ok()?;
    let millis = digits.get(14..).unwrap_or_default();
    let millis = format!("{millis:0<3}").parse().unwrap_or(0);
    Some(seconds * 1000 + millis)
}

/// The moment of a WARC-Date, to the second.
pub fn millis_of_warc_date(text: &str) -> Option<u64> {
    millis_of_digits(&warc_date_digits(text)?)
}

/// The fourteen digits of a WARC-Date, or `None` if it is none.
///
/// WARC/1.1 allows a date to stop at any unit, and one to nine decimals of a second; what is missing reads as the start.
pub(crate) fn warc_date_digits(text: &str) -> Option<String> {
    const SEPARATORS: [&str; 6] = ["", "-", "-", "T", ":", ":"];
    const WIDTHS: [usize; 6] = [4, 2, 2, 2, 2, 2];
    let mut parts = [0_i16, 1, 1, 0, 0, 0];
    let mut rest = text;
    let mut given = 0;
    for index in 0..parts.len() {
        let Some(after) = rest.strip_prefix(SEPARATORS[index]) else { break };
        let (number, tail) = split_digits(after, WIDTHS[index])?;
        parts[index] = number.parse().ok()?;
        rest = tail;
        given = index + 1;
    }
    if given == 6
        && let Some(decimals) = rest.strip_prefix('.')
    {
        let count = decimals.bytes().take_while(u8::is_ascii_digit).count();
        if !(1..=9).contains(&count) {
            return None;
        }
        rest = &decimals[count..];
    }
    // An hour without minutes is no date; a date without a time has no zone.
    let whole = match given {
        1..=3 => rest.is_empty(),
        5 | 6 => rest == "Z",
        _ => false,
    };
    let [year, month, day, hour, minute, second] = parts;
    let small = |value: i16| i8::try_from(value).ok();
    // A leap second is a moment, but no calendar here has it.
    DateTime::new(year, small(month)?, small(day)?, small(hour)?, small(minute)?, small(second.min(59))?, 0)
        .ok()?;
    (whole && second <= 60).then(|| format!("{year:04}{month:02}{day:02}{hour:02}{minute:02}{second:02}"))
}

fn split_digits(text: &str, width: usize) -> Option<(&str, &str)> {
    let (digits, tail) = text.split_at_checked(width)?;
    digits.bytes().all(|b| b.is_ascii_digit()).then_some((digits, tail))
}

#[cfg(test)]
mod tests {
    use super::{digits14, digits17, millis_of_digits, rfc3339, warc_date_digits};

    #[test]
    fn a_moment_is_spelt_as_archives_spell_it() {
        assert_eq!(rfc3339(1_794_776_361_123), "2026-11-15T20:59:21.123Z");
        assert_eq!(digits14(1_794_776_361_123), "20261115205921");
        assert_eq!(digits17(1_794_776_361_123), "20261115205921123");
        assert_eq!(digits14(u64::MAX), "99991230220000");
    }

    #[test]
    fn digits_are_read_however_many_there_are() {
        for (digits, written) in [
            ("20261115205921123", "2026-11-15T20:59:21.123Z"),
            ("20261115205921", "2026-11-15T20:59:21.000Z"),
            ("2026111520", "2026-11-15T20:00:00.000Z"),
            ("2026", "2026-01-01T00:00:00.000Z"),
            ("20260231246061", "2026-02-28T23:59:59.000Z"),
            ("20260000", "2026-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(millis_of_digits(digits).map(rfc3339).as_deref(), Some(written), "{digits}");
        }
        for digits in ["", "20", "2026-1", "19500101", "202611152059211234", "２０２６"] {
            assert_eq!(millis_of_digits(digits), None, "{digits}");
        }
    }

    #[test]
    fn dates_of_every_precision_are_read() {
        for (text, digits) in [
            ("2017-07-30T22:38:50Z", "20170730223850"),
            ("2017-07-30T22:38:50.123456789Z", "20170730223850"),
            ("2017-07-30T22:38Z", "20170730223800"),
            ("2017-07-30", "20170730000000"),
            ("2017", "20170101000000"),
        ] {
            assert_eq!(warc_date_digits(text).as_deref(), Some(digits), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "",
            "20170730223850",
            "2017-13-01T00:00:00Z",
            "2017-02-30T00:00:00Z",
            "2017-07-30T22:38:50",
            "2017-07-30T22:38:50.Z",
            "2017-07-30T22:38:50+00:00",
            "2017-07-30 22:38:50Z",
            "2017-07-30T22:38:61Z",
            "2017-07-30T22Z",
            "２017-07-30",
        ] {
            assert_eq!(warc_date_digits(text), None, "{text}");
        }
    }
}
