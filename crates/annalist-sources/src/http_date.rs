//! The dates of HTTP: the three forms of RFC 9110 and whatever else cookies carry, read by RFC 6265's forgiving rule.

use annalist_model::Time;

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994` and their like.
/// A date before 1970 is 1970.
pub fn parse_http_date(text: &str) -> Option<Time> {
    let mut found = Found::default();
    // No real date is longer; a hostile one is not worth reading.
    let text = text.get(..100).unwrap_or(text);
    for token in text.split(|c: char| !c.is_ascii_alphanumeric() && c != ':').filter(|t| !t.is_empty()) {
        found.take(token);
    }
    found.moment()
}

#[derive(Default)]
struct Found {
    clock: Option<[i8; 3]>,
    day: Option<i8>,
    month: Option<i8>,
    year: Option<i16>,
}

impl Found {
    /// Each token is the first part of a date it fits that is still missing.
    fn take(&mut self, token: &str) {
        if self.clock.is_none() && token.contains(':') {
            self.clock = clock(token);
        } else if self.day.is_none() && token.len() <= 2 && number::<i8>(token).is_some() {
            self.day = number(token);
        } else if self.month.is_none() && month(token).is_some() {
            self.month = month(token);
        } else if self.year.is_none() && matches!(token.len(), 2 | 4) {
            self.year = number(token).map(whole_year);
        }
    }

    fn moment(self) -> Option<Time> {
        let [hour, minute, second] = self.clock?;
        // A leap second reads as the second before it, which every calendar knows.
        let civil =
            jiff::civil::DateTime::new(self.year?, self.month?, self.day?, hour, minute, second.min(59), 0)
                .ok()?;
        let moment = jiff::tz::Offset::UTC.to_timestamp(civil).ok()?;
        Some(Time::from_millis(u64::try_from(moment.as_millisecond()).unwrap_or(0)))
    }
}

fn clock(token: &str) -> Option<[i8; 3]> {
    let mut parts = token.split(':').map(number);
    let clock = [parts.next()??, parts.next()??, parts.next()??];
    (parts.next().is_none() && clock[2] <= 60).then_some(clock)
}

fn month(token: &str) -> Option<i8> {
    let start = token.get(..3)?.to_ascii_lowercase();
    MONTHS.iter().position(|m| *m == start).and_then(|at| i8::try_from(at + 1).ok())
}

fn whole_year(year: i16) -> i16 {
    match year {
        0..=69 => year + 2000,
        70..=99 => year + 1900,
        _ => year,
    }
}

/// Digits only: `parse` alone would take a sign.
fn number<N: std::str::FromStr>(token: &str) -> Option<N> {
    token.bytes().all(|b| b.is_ascii_digit()).then(|| token.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::parse_http_date;
    use proptest::prelude::*;

    #[test]
    fn the_three_forms_of_http_are_one_moment() {
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
            "sun,06-nov-1994 08:49:37 gmt",
        ] {
            assert_eq!(parse_http_date(text).unwrap().rfc3339(), "1994-11-06T08:49:37.000Z", "{text}");
        }
    }

    #[test]
    fn two_digits_of_a_year_are_completed() {
        assert_eq!(parse_http_date("Fri, 01-Jan-38 00:00:00 GMT").unwrap().digits14(), "20380101000000");
        assert_eq!(parse_http_date("Thu, 01-Jan-70 00:00:01 GMT").unwrap().millis(), 1000);
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in
            ["", "0", "-1", "tomorrow", "Sun, 31 Feb 2024 00:00:00 GMT", "Sun, 06 Nov 1994 25:00:00 GMT"]
        {
            assert_eq!(parse_http_date(text), None, "{text}");
        }
    }

    #[test]
    fn a_date_before_1970_is_1970() {
        assert_eq!(parse_http_date("Mon, 01 Jan 1601 00:00:00 GMT").unwrap().millis(), 0);
    }

    proptest! {
        #[test]
        fn any_text_is_a_date_or_none(text in "\\PC{0,120}") {
            let _ = parse_http_date(&text);
        }
    }
}
