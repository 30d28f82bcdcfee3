//! How durations are written in a spec: `500ms`, `2s`, `5m`, `12h`, `30d`, `2w`, `1y`.

use std::time::Duration;

use super::quantity;

/// Milliseconds of each unit. A year has 365 days: nobody sets a half-life to the leap day.
const UNITS: [(&str, u64); 7] = [
    ("ms", 1),
    ("s", 1_000),
    ("m", 60_000),
    ("h", 3_600_000),
    ("d", 86_400_000),
    ("w", 604_800_000),
    ("y", 31_536_000_000),
];

/// `None` when the text is no number with one of the units.
pub fn parse(text: &str) -> Option<Duration> {
    quantity::parse(text, &UNITS).map(Duration::from_millis)
}

/// The shortest spelling that [`parse`] reads back; parts of a millisecond are dropped.
pub fn display(duration: Duration) -> String {
    let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    if millis == 0 {
        return "0s".to_owned();
    }
    quantity::display(millis, &UNITS)
}

#[cfg(test)]
mod tests {
    use super::{display, parse};
    use proptest::prelude::*;
    use std::time::Duration;

    #[test]
    fn every_unit_is_read() {
        for (text, seconds) in [
            ("0s", 0),
            ("2s", 2),
            ("2 s", 2),
            ("5m", 300),
            ("1.5m", 90),
            ("12h", 43_200),
            ("30d", 2_592_000),
            ("2w", 1_209_600),
            ("1y", 31_536_000),
        ] {
            assert_eq!(parse(text), Some(Duration::from_secs(seconds)), "{text}");
        }
        assert_eq!(parse("500ms"), Some(Duration::from_millis(500)));
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        for text in
            ["", "s", "2", "-2s", "2 secs", "1.s", ".5s", "1..5s", "0.5ms", "99999999999999999999s", "2s3"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_shortest_spelling_is_shown() {
        assert_eq!(display(Duration::from_secs(90)), "90s");
        assert_eq!(display(Duration::from_secs(86_400 * 30)), "30d");
        assert_eq!(display(Duration::ZERO), "0s");
        assert_eq!(display(Duration::from_millis(1_500)), "1500ms");
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_back(millis in any::<u64>()) {
            let duration = Duration::from_millis(millis);
            prop_assert_eq!(parse(&display(duration)), Some(duration));
        }

        #[test]
        fn no_text_is_too_strange(text in "\\PC{0,30}|[0-9.]{0,40}[a-z]{0,3}") {
            let _ = parse(&text);
        }
    }
}
