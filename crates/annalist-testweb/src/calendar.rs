//! Dates as pages and headers write them. Nothing here reads a clock: times are seconds since 1970, UTC.

use crate::html::push_number;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
/// 1 January 1970 was a Thursday.
const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];

pub(crate) const DAY: u64 = 86_400;

/// The start of a day.
pub(crate) fn seconds_at(year: u64, month: u64, day: u64) -> u64 {
    // Years begin in March, as in `civil`.
    let (shifted_year, shifted_month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let (era, year_of_era) = (shifted_year / 400, shifted_year % 400);
    let day_of_year = (153 * shifted_month + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    (era * 146_097 + day_of_era - 719_468) * DAY
}

/// A moment taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) year: u64,
    pub(crate) month: u64,
    pub(crate) day: u64,
    hour: u64,
    minute: u64,
    second: u64,
    weekday: usize,
}

impl Moment {
    pub(crate) fn new(seconds: u64) -> Moment {
        let days = seconds / 86_400;
        let (year, month, day) = civil(days);
        let rest = seconds % 86_400;
        Moment {
            year,
            month,
            day,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
            weekday: (days % 7) as usize,
        }
    }

    /// `2011-03-05T14:22:07+00:00`
    pub(crate) fn push_iso(self, out: &mut String) {
        push_number(out, self.year);
        out.push('-');
        push_two(out, self.month);
        out.push('-');
        push_two(out, self.day);
        out.push('T');
        self.push_clock(out);
        out.push_str("+00:00");
    }

    pub(crate) fn iso(self) -> String {
        let mut out = String::with_capacity(25);
        self.push_iso(&mut out);
        out
    }

    /// `2011-03-05`
    pub(crate) fn day_iso(self) -> String {
        self.iso().get(..10).unwrap_or_default().to_owned()
    }

    /// `2011/03/05`, as addresses have it.
    pub(crate) fn day_path(self) -> String {
        self.day_iso().replace('-', "/")
    }

    /// `2011/03`
    pub(crate) fn month_path(self) -> String {
        self.day_path().get(..7).unwrap_or_default().to_owned()
    }

    /// `March 5, 2011`
    pub(crate) fn day_words(self) -> String {
        let mut out = String::with_capacity(18);
        self.push_words(&mut out);
        out
    }

    /// `March 2011`
    pub(crate) fn month_words(self) -> String {
        format!("{} {}", self.month_name(), self.year)
    }

    /// `March 5, 2011`
    pub(crate) fn push_words(self, out: &mut String) {
        out.push_str(self.month_name());
        out.push(' ');
        push_number(out, self.day);
        out.push_str(", ");
        push_number(out, self.year);
    }

    /// `March 5, 2011 at 2:22 pm`, as blogs have it.
    pub(crate) fn push_blog(self, out: &mut String) {
        self.push_words(out);
        out.push_str(" at ");
        self.push_twelve_hours(out);
    }

    /// `Sat Mar 05, 2011 2:22 pm`, as forums have it.
    pub(crate) fn push_forum(self, out: &mut String) {
        out.push_str(self.weekday_name());
        out.push(' ');
        out.push_str(self.short_month());
        out.push(' ');
        push_two(out, self.day);
        out.push_str(", ");
        push_number(out, self.year);
        out.push(' ');
        self.push_twelve_hours(out);
    }

    /// `Sat, 05 Mar 2011 14:22:07 GMT`, as HTTP and RSS have it.
    pub(crate) fn push_http(self, out: &mut String) {
        out.push_str(self.weekday_name());
        out.push_str(", ");
        push_two(out, self.day);
        out.push(' ');
        out.push_str(self.short_month());
        out.push(' ');
        push_number(out, self.year);
        out.push(' ');
        self.push_clock(out);
        out.push_str(" GMT");
    }

    fn push_clock(self, out: &mut String) {
        push_two(out, self.hour);
        out.push(':');
        push_two(out, self.minute);
        out.push(':');
        push_two(out, self.second);
    }

    fn push_twelve_hours(self, out: &mut String) {
        let hour = if self.hour.is_multiple_of(12) { 12 } else { self.hour % 12 };
        push_number(out, hour);
        out.push(':');
        push_two(out, self.minute);
        out.push_str(if self.hour < 12 { " am" } else { " pm" });
    }

    fn month_name(self) -> &'static str {
        MONTHS.get(self.month.saturating_sub(1) as usize).copied().unwrap_or("January")
    }

    fn short_month(self) -> &'static str {
        self.month_name().get(..3).unwrap_or("Jan")
    }

    fn weekday_name(self) -> &'static str {
        WEEKDAYS.get(self.weekday).copied().unwrap_or("Thu")
    }
}

pub(crate) fn push_two(out: &mut String, number: u64) {
    if number < 10 {
        out.push('0');
    }
    push_number(out, number);
}

/// Year, month and day of a day counted from 1970. Years begin in March inside, so that a leap day comes last.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::{Moment, seconds_at};

    fn written(seconds: u64, push: fn(Moment, &mut String)) -> String {
        let mut out = String::new();
        push(Moment::new(seconds), &mut out);
        out
    }

    #[test]
    fn a_moment_is_written_in_every_style() {
        let seconds = 1_299_334_927;
        assert_eq!(written(seconds, Moment::push_iso), "2011-03-05T14:22:07+00:00");
        assert_eq!(written(seconds, Moment::push_http), "Sat, 05 Mar 2011 14:22:07 GMT");
        assert_eq!(written(seconds, Moment::push_blog), "March 5, 2011 at 2:22 pm");
        assert_eq!(written(seconds, Moment::push_forum), "Sat Mar 05, 2011 2:22 pm");
    }

    #[test]
    fn a_day_is_found_again() {
        for (year, month, day) in [(1970, 1, 1), (2000, 2, 29), (2008, 6, 13), (2012, 12, 31)] {
            let moment = Moment::new(seconds_at(year, month, day));
            assert_eq!((moment.year, moment.month, moment.day), (year, month, day));
        }
    }

    #[test]
    fn leap_days_and_the_first_day_are_right() {
        assert_eq!(written(951_782_400, Moment::push_iso), "2000-02-29T00:00:00+00:00");
        assert_eq!(written(0, Moment::push_http), "Thu, 01 Jan 1970 00:00:00 GMT");
        assert_eq!(written(86_399, Moment::push_blog), "January 1, 1970 at 11:59 pm");
    }
}
