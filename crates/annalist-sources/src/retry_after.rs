//! What a server means by Retry-After. Whether to heed it is the engine's decision.

use std::time::Duration;

use annalist_model::Time;

use crate::http_date::parse_http_date;

/// How long the server asks to be left alone: seconds or a date, at most `longest`. `None` for what is neither.
pub fn retry_after(value: &str, now: Time, longest: Duration) -> Option<Duration> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit()) {
        // Digits that fit no number are a very long time all the same.
        let seconds = value.parse().unwrap_or(u64::MAX);
        return Some(Duration::from_secs(seconds).min(longest));
    }
    Some(parse_http_date(value)?.since(now).min(longest))
}

#[cfg(test)]
mod tests {
    use super::retry_after;
    use annalist_model::Time;
    use std::time::Duration;

    const HOUR: Duration = Duration::from_secs(3600);
    /// 1994-11-06T08:49:07Z
    const NOW: Time = Time::from_millis(784_111_747_000);

    #[test]
    fn seconds_are_seconds_and_no_more_than_the_cap() {
        assert_eq!(retry_after(" 120 ", NOW, HOUR), Some(Duration::from_secs(120)));
        assert_eq!(retry_after("99999999999999999999999", NOW, HOUR), Some(HOUR));
    }

    #[test]
    fn a_date_is_the_time_until_it() {
        let wait = retry_after("Sun, 06 Nov 1994 08:49:37 GMT", NOW, HOUR);
        assert_eq!(wait, Some(Duration::from_secs(30)));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:00:00 GMT", NOW, HOUR), Some(Duration::ZERO));
        assert_eq!(retry_after("Sun, 06 Nov 2094 08:00:00 GMT", NOW, HOUR), Some(HOUR));
    }

    #[test]
    fn what_is_neither_is_nothing() {
        for value in ["", "soon", "-5", "1.5"] {
            assert_eq!(retry_after(value, NOW, HOUR), None, "{value}");
        }
    }
}
