//! Days in addresses: `/2014/05/17/`, `20140517`, `17-05-2014`, `/2014/may/17/`. What a page's address says of the page is weighed here.

use annalist_model::{CanonicalUrl, Evidence, Precision};
use jiff::civil::Date;

use super::{Clues, FIRST, Says, day_of};
use crate::dates;

/// What the addresses of a page say: where it was found, and what it calls its own.
pub(super) fn read(clues: &mut Clues<'_>, url: &CanonicalUrl) {
    let own = clues.page.canonical.as_ref().filter(|own| own.as_str() != url.as_str());
    for address in [Some(url), own].into_iter().flatten() {
        tell(clues, address.as_str(), 8.0);
    }
}

/// Of any address that is the page's. Archives put the day of the capture before it; the host is no date.
pub(super) fn tell(clues: &mut Clues<'_>, address: &str, weight: f32) {
    let inner = address.rsplit_once("://").map_or(address, |(_, inner)| inner);
    let Some((_, target)) = inner.split_once('/') else { return };
    match day_in(&format!("/{target}"), clues.latest) {
        Some((day, Precision::Day)) => {
            clues.add(Evidence::Url, Says::Published, weight, day_of(day), FIRST);
        }
        Some((day, _)) => clues.month = Some(day),
        None => {}
    }
}

/// The day an address names, or the month.
pub(super) fn day_in(address: &str, latest: Date) -> Option<(Date, Precision)> {
    let bytes = address.as_bytes();
    let mut month = None;
    let mut at = 0;
    while let Some(from) = bytes.get(at..)?.iter().position(u8::is_ascii_digit).map(|found| at + found) {
        let run = Run::at(bytes, from)?;
        at = run.end;
        let found = match run.end - run.from {
            // A longer number counts something; a time of day may follow.
            8 | 12 | 14 => compact(run.value(8)?),
            4 => year_first(bytes, &run).or_else(|| {
                month = month.or_else(|| year_and_month(bytes, &run, latest));
                None
            }),
            1 | 2 => day_first(bytes, &run),
            _ => None,
        };
        if let Some(day) = found.filter(|day| *day >= FIRST && *day <= latest) {
            return Some((day, Precision::Day));
        }
    }
    month.map(|month| (month, Precision::Month))
}

/// A number in an address.
struct Run<'a> {
    bytes: &'a [u8],
    from: usize,
    end: usize,
}

impl Run<'_> {
    fn at(bytes: &[u8], from: usize) -> Option<Run<'_>> {
        let length = bytes.get(from..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
        (length > 0).then_some(Run { bytes, from, end: from + length })
    }

    fn len(&self) -> usize {
        self.end - self.from
    }

    fn value(&self, digits: usize) -> Option<u32> {
        let digits = self.bytes.get(self.from..self.from + digits)?;
        Some(digits.iter().fold(0, |value, digit| value * 10 + u32::from(digit - b'0')))
    }

    /// The number behind, where one mark parts them.
    fn next(&self) -> Option<(u8, Run<'_>)> {
        let mark = *self.bytes.get(self.end)?;
        matches!(mark, b'/' | b'-' | b'_' | b'.').then_some(())?;
        Some((mark, Run::at(self.bytes, self.end + 1)?))
    }
}

fn date(year: u32, month: u32, day: u32) -> Option<Date> {
    Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

fn compact(value: u32) -> Option<Date> {
    date(value / 10_000, value / 100 % 100, value % 100)
}

/// `2014/05/17`, `2014/0517`, `2014/may/17`.
fn year_first(bytes: &[u8], year: &Run<'_>) -> Option<Date> {
    let value = year.value(4)?;
    if let Some((mark, month)) = year.next() {
        if month.len() == 4 {
            let both = month.value(4)?;
            return date(value, both / 100, both % 100);
        }
        let (second, day) = month.next()?;
        let fits = month.len() <= 2 && day.len() <= 2 && (mark == second || mark == b'/');
        return fits.then(|| date(value, month.value(month.len())?, day.value(day.len())?))?;
    }
    let (month, end) = month_name(bytes, year.end)?;
    let day = Run::at(bytes, end + 1).filter(|day| day.len() <= 2)?;
    date(value, month, day.value(day.len())?)
}

fn month_name(bytes: &[u8], end: usize) -> Option<(u32, usize)> {
    matches!(bytes.get(end)?, b'/' | b'-' | b'_').then_some(())?;
    let rest = bytes.get(end + 1..)?;
    let length = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let name = std::str::from_utf8(rest.get(..length)?).ok()?;
    let month = dates::month(&name.to_ascii_lowercase())?;
    matches!(rest.get(length), Some(b'/' | b'-' | b'_')).then_some((month, end + 1 + length))
}

/// `17/05/2014`, `17-may-2014`.
fn day_first(bytes: &[u8], day: &Run<'_>) -> Option<Date> {
    let begins = day.from == 0 || !bytes.get(day.from - 1)?.is_ascii_alphanumeric();
    begins.then_some(())?;
    if let Some((mark, month)) = day.next() {
        let (second, year) = month.next()?;
        (year.len() == 4 && month.len() <= 2 && mark == second).then_some(())?;
        let (year, month, day) = (year.value(4)?, month.value(month.len())?, day.value(day.len())?);
        return date(year, month, day).or_else(|| date(year, day, month));
    }
    let (month, end) = month_name(bytes, day.end)?;
    let year = Run::at(bytes, end + 1).filter(|year| year.len() == 4)?;
    date(year.value(4)?, month, day.value(day.len())?)
}

/// `/2014/05/`, `/2014-05-title`.
fn year_and_month(bytes: &[u8], year: &Run<'_>, latest: Date) -> Option<Date> {
    let begins = year.from > 0 && bytes.get(year.from - 1) == Some(&b'/');
    let month = match year.next().filter(|(_, month)| month.len() == 2) {
        Some((_, month)) => month.value(2)?,
        None => month_name(bytes, year.end)?.0,
    };
    let first = date(year.value(4)?, month, 1)?;
    (begins && first >= FIRST && first <= latest).then_some(first)
}

#[cfg(test)]
mod tests {
    use annalist_model::Precision;
    use jiff::civil::date;

    use super::day_in;

    #[test]
    fn an_address_may_name_its_day() {
        let latest = date(2020, 1, 1);
        for (address, day) in [
            ("/blog/2013/03/05/title.html", Some("2013-03-05")),
            ("/2013-03-05-title", Some("2013-03-05")),
            ("/news/title-2013-03-05.html?x=1", Some("2013-03-05")),
            ("/2013/3/5/title", Some("2013-03-05")),
            ("/2013/0305/title", Some("2013-03-05")),
            ("/2013/mar/05/title", Some("2013-03-05")),
            ("/archive/05-03-2013/title", Some("2013-03-05")),
            ("/5-march-2013", Some("2013-03-05")),
            ("/a/20130305-title", Some("2013-03-05")),
            ("/a?date=20130305161200", Some("2013-03-05")),
            ("/2013/13/05/", None),
            ("/x/120130305", None),
            ("/2033/03/05/", None),
            ("/1813/03/05/", None),
            ("/item/2013", None),
            ("", None),
            ("/é/2013/03/05", Some("2013-03-05")),
        ] {
            let found = day_in(address, latest).filter(|(_, precision)| *precision == Precision::Day);
            assert_eq!(found.map(|(day, _)| day.to_string()).as_deref(), day, "{address}");
        }
        let month = Some((date(2013, 3, 1), Precision::Month));
        assert_eq!(day_in("/2013/03/title-10", latest), month);
        assert_eq!(day_in("/2013/march/title", latest), month);
    }
}
