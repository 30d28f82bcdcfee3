//! Moments, in milliseconds since 1970, and how archives spell them. The clock itself is read elsewhere.

use std::time::Duration;

/// A moment in milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(u64);

impl Time {
    /// Later than everything.
    pub const MAX: Time = Time(u64::MAX);

    pub const fn from_millis(millis: u64) -> Time {
        Time(millis)
    }

    /// A moment by the clocks of a zone; what lies before 1970 is at its beginning.
    pub fn of(civil: jiff::civil::DateTime, offset: jiff::tz::Offset) -> Time {
        Time(
            offset
                .to_timestamp(civil)
                .map_or(0, |moment| u64::try_from(moment.as_millisecond()).unwrap_or(0)),
        )
    }

    /// The day in Greenwich.
    pub fn day(self) -> jiff::civil::Date {
        self.civil().date()
    }

    pub const fn millis(self) -> u64 {
        self.0
    }

    pub fn plus(self, duration: Duration) -> Time {
        let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Time(self.0.saturating_add(millis))
    }

    /// How long after `earlier` this is; zero when it is not after it.
    pub fn since(self, earlier: Time) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }

    /// `2026-11-15T20:59:21.123Z`, as WARC/1.1 and Heritrix's crawl.log write it.
    pub fn rfc3339(self) -> String {
        self.civil().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
    }

    /// Reads what [`Time::rfc3339`] writes, in any zone; nothing before 1970.
    pub fn from_rfc3339(text: &str) -> Option<Time> {
        let moment: jiff::Timestamp = text.parse().ok()?;
        u64::try_from(moment.as_millisecond()).ok().map(Time)
    }

    /// `20261115205921`, as CDX files and replay addresses write it.
    pub fn digits14(self) -> String {
        self.civil().strftime("%Y%m%d%H%M%S").to_string()
    }

    /// `20261115205921123`, as file names and crawl.log's eleventh field write it.
    pub fn digits17(self) -> String {
        self.civil().strftime("%Y%m%d%H%M%S%3f").to_string()
    }

    fn civil(self) -> jiff::civil::DateTime {
        // Beyond the calendar's end (year 9999) every moment reads as that end.
        let millis = i64::try_from(self.0).unwrap_or(i64::MAX);
        let moment = jiff::Timestamp::from_millisecond(millis).unwrap_or(jiff::Timestamp::MAX);
        jiff::tz::Offset::UTC.to_datetime(moment)
    }
}

/// When a document is from, and how that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentTime {
    pub at: Time,
    /// The last moment it may be from, where no more than a day, a month or a year is known; else the same.
    pub until: Time,
    pub basis: TimeBasis,
}

/// What says when a document is from, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimeBasis {
    Published,
    Modified,
    Captured,
}

impl DocumentTime {
    pub fn exact(at: Time, basis: TimeBasis) -> DocumentTime {
        DocumentTime { at, until: at, basis }
    }
}

impl TimeBasis {
    pub fn word(self) -> &'static str {
        match self {
            TimeBasis::Published => "published",
            TimeBasis::Modified => "modified",
            TimeBasis::Captured => "captured",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Time;

    #[test]
    fn a_moment_is_spelt_as_archives_spell_it() {
        let moment = Time::from_millis(1_794_776_361_123);
        assert_eq!(moment.rfc3339(), "2026-11-15T20:59:21.123Z");
        assert_eq!(moment.digits14(), "20261115205921");
        assert_eq!(moment.digits17(), "20261115205921123");
    }

    #[test]
    fn a_moment_beyond_the_calendar_is_still_spelt() {
        assert!(Time::from_millis(u64::MAX).rfc3339().starts_with("9999-12-3"));
    }
}
