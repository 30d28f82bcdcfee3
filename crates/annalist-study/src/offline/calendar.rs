//! Days and months, by which writings are counted. In Greenwich, as days are told everywhere in the archive.

use std::fmt;

use annalist_model::Time;
use jiff::Span;
use jiff::civil::Date;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

const MILLIS_IN_A_DAY: i64 = 86_400_000;
const FIRST: Date = Date::constant(1970, 1, 1);

/// A day, counted from 1970-01-01; those before are below zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub i32);

impl Day {
    pub fn of(time: Time) -> Day {
        Day::of_millis(i64::try_from(time.millis()).unwrap_or(i64::MAX))
    }

    /// Of a moment in milliseconds since 1970, or before.
    pub fn of_millis(millis: i64) -> Day {
        let days = millis.div_euclid(MILLIS_IN_A_DAY);
        Day(i32::try_from(days).unwrap_or(if days < 0 { i32::MIN } else { i32::MAX }))
    }

    pub fn of_date(date: Date) -> Day {
        let since = date - FIRST;
        Day(since.get_days())
    }

    /// Beyond the calendar's ends every day is the last there is.
    fn date(self) -> Date {
        let end = if self.0 < 0 { Date::MIN } else { Date::MAX };
        let days = Span::new().try_days(self.0).ok();
        days.and_then(|days| FIRST.checked_add(days).ok()).unwrap_or(end)
    }

    pub fn month(self) -> Month {
        let date = self.date();
        Month { year: date.year(), month: date.month().unsigned_abs() }
    }

    pub fn plus(self, days: i32) -> Day {
        Day(self.0.saturating_add(days))
    }

    /// Its first moment, in milliseconds since 1970.
    pub fn millis(self) -> i64 {
        i64::from(self.0) * MILLIS_IN_A_DAY
    }

    /// Its first moment; that of 1970 for days before.
    pub fn time(self) -> Time {
        Time::from_millis(u64::try_from(self.millis()).unwrap_or(0))
    }
}

/// `2013-03-05`
impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.date().fmt(f)
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Day, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Day::of_date).map_err(D::Error::custom)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month {
    pub year: i16,
    pub month: u8,
}

impl Month {
    /// Months since the year 0: what months are apart.
    pub fn number(self) -> i32 {
        i32::from(self.year) * 12 + i32::from(self.month) - 1
    }

    pub fn from_number(number: i32) -> Month {
        let year = i16::try_from(number.div_euclid(12)).unwrap_or_default();
        Month { year, month: u8::try_from(number.rem_euclid(12) + 1).unwrap_or(1) }
    }
}

/// `2013-03`
impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

impl Serialize for Month {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Month {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Month, D::Error> {
        let text = String::deserialize(deserializer)?;
        let day: Date = format!("{text}-01").parse().map_err(D::Error::custom)?;
        Ok(Day::of_date(day).month())
    }
}

#[cfg(test)]
mod tests {
    use annalist_model::Time;
    use jiff::civil::Date;

    use super::{Day, Month};

    #[test]
    fn days_and_months_are_spelt_and_counted() {
        let day = Day::of(Time::from_millis(1_362_441_600_000));
        assert_eq!(day.to_string(), "2013-03-05");
        assert_eq!(Day::of_date(Date::new(2013, 3, 5).unwrap()), day);
        assert_eq!(day.month().to_string(), "2013-03");
        assert_eq!(Month::from_number(day.month().number() + 10).to_string(), "2014-01");
        assert_eq!(Day::of(Time::MAX).to_string(), "9999-12-31");
    }

    #[test]
    fn days_before_1970_are_days_too() {
        let day = Day::of_millis(-1);
        assert_eq!((day, day.to_string().as_str()), (Day(-1), "1969-12-31"));
        assert_eq!(Day::of_date(Date::new(1911, 3, 5).unwrap()).month().to_string(), "1911-03");
        assert_eq!(Day::of_millis(i64::MIN).to_string(), Date::MIN.to_string());
    }
}
