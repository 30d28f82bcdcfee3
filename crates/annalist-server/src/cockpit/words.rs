//! Numbers as people read them.

use annalist_model::{SkipReason, Time};

use crate::wanted::Schedule;

/// `1,234,567`
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 page`, `1,234 pages`
pub fn some(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// `3.4 GB`
pub fn bytes(number: u64) -> String {
    const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
    if number < 1000 {
        return format!("{number} B");
    }
    let mut value = number as f64;
    let mut unit = "B";
    for next in UNITS {
        if value < 999.5 {
            break;
        }
        (value, unit) = (value / 1000.0, next);
    }
    if value < 10.0 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

/// `37 %`
pub fn share(part: Option<f64>) -> String {
    part.map_or_else(|| "–".to_owned(), |part| format!("{:.0} %", part * 100.0))
}

/// `20261116081500` as `2026-11-16 08:15:00 UTC`, with what stands between day and time and behind them.
pub fn moment(stamp: &str, between: &str, behind: &str) -> String {
    let part = |from: usize, to: usize| stamp.get(from..to).unwrap_or("00");
    let (year, month, day) = (part(0, 4), part(4, 6), part(6, 8));
    format!("{year}-{month}-{day}{between}{}:{}:{}{behind}", part(8, 10), part(10, 12), part(12, 14))
}

/// `2026-11-16T08:15:00.123Z` as `2026-11-16 08:15:00`; anything else as it is.
pub fn second(time: &str) -> String {
    let is_time = time.is_ascii() && time.len() >= 20 && time.ends_with('Z') && time.get(10..11) == Some("T");
    match time.get(..19).filter(|_| is_time) {
        Some(short) => short.replace('T', " "),
        None => time.to_owned(),
    }
}

/// `2026-11-16T08:15:00.123Z` as `16 November 2026, 08:15 UTC`; anything else as it is.
pub fn date(time: &str) -> String {
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
    let Some(moment) = Time::from_rfc3339(time) else { return time.to_owned() };
    let digits = moment.digits14();
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or("00");
    let month = part(4, 6).parse::<usize>().ok().and_then(|month| MONTHS.get(month.checked_sub(1)?));
    let (day, month) = (part(6, 8).trim_start_matches('0'), month.copied().unwrap_or_default());
    format!("{day} {month} {}, {}:{} UTC", part(0, 4), part(8, 10), part(10, 12))
}

/// A sentence with the moments in it as people read them.
pub fn with_dates(sentence: &str) -> String {
    let word = |piece: &str| {
        let bare = piece.trim_end_matches([' ', ';', ',']);
        format!("{}{}", date(bare), piece.get(bare.len()..).unwrap_or_default())
    };
    sentence.split_inclusive(' ').map(word).collect()
}

/// `17 November 2027, 08:00 UTC, then every 36 hours`
pub fn schedule(schedule: &Schedule) -> String {
    let then =
        schedule.every_seconds.map_or_else(|| "once".to_owned(), |every| format!("then {}", often(every)));
    format!("{}, {then}", date(&schedule.next))
}

/// `every day`, `every 36 hours`
fn often(seconds: u64) -> String {
    const UNITS: [(u64, &str); 4] = [(86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")];
    let whole = UNITS.into_iter().find(|(length, _)| seconds.is_multiple_of(*length));
    let (length, unit) = whole.unwrap_or((1, "second"));
    match seconds / length {
        1 => format!("every {unit}"),
        many => format!("every {} {unit}s", count(many)),
    }
}

/// What a state means, and how it is coloured.
pub fn state(state: &str) -> (&'static str, &'static str) {
    match state {
        "new" => ("not started", "rest"),
        "starting" => ("starting", "busy"),
        "running" => ("running", "good"),
        "waiting" => ("waiting", "busy"),
        "paused" => ("paused", "rest"),
        "finishing" => ("finishing", "busy"),
        "complete" => ("complete", "good"),
        "pagelimit" => ("page limit reached", "good"),
        "sizelimit" => ("size limit reached", "good"),
        "timelimit" => ("time limit reached", "good"),
        "diskfull" => ("the disk is full", "bad"),
        "elsewhere" => ("runs in another process", "busy"),
        "damaged" => ("damaged", "bad"),
        _ => ("stopped", "rest"),
    }
}

/// Why a link was left alone, for who does not know the word in the log.
pub fn reason(name: &str) -> Option<&'static str> {
    let known = SkipReason::ALL.into_iter().find(|reason| reason.name() == name)?;
    Some(match known {
        SkipReason::OutOfScope => "no seed's scope holds it",
        SkipReason::Excluded => "a rule of the spec leaves it out",
        SkipReason::TooDeep => "more clicks from its seed than the spec allows",
        SkipReason::Robots => "the site's robots.txt forbids it",
        SkipReason::RobotsUnreachable => "the site's robots.txt could not be had",
        SkipReason::SiteBudget => "the site has as many pages as the spec allows",
        SkipReason::Budget => "the crawl reached its limit before",
        SkipReason::Trap => "the address looks like one of endlessly many",
        SkipReason::Blocked => "its site is blocked",
        SkipReason::Address => "its server is not public",
        SkipReason::RedirectLoop => "it was sent on too often",
        SkipReason::Nofollow => "the page asks not to follow its links",
        SkipReason::Failed => "it was tried as often as allowed",
        SkipReason::Unusable => "nothing can be fetched under it",
        SkipReason::Application => "nothing new is shown there",
        SkipReason::Missing => "the archive that is read does not have it",
        SkipReason::Duplicate => "it is kept under another address",
        SkipReason::Blacklisted => "somebody said that it is never to be fetched",
    })
}

#[cfg(test)]
mod tests {
    use super::{bytes, count, date, moment, reason, schedule, second, some, with_dates};
    use crate::wanted::Schedule;

    #[test]
    fn moments_are_written_as_people_read_them() {
        assert_eq!(date("2026-03-05T08:05:59.123Z"), "5 March 2026, 08:05 UTC");
        assert_eq!(date("soon"), "soon");
        let told = with_dates("captured with status 200 at 2026-11-17T20:19:24.173Z; the payload  was known");
        assert_eq!(told, "captured with status 200 at 17 November 2026, 20:19 UTC; the payload  was known");
        let told =
            |every_seconds| schedule(&Schedule { next: "2027-11-17T08:00:00Z".to_owned(), every_seconds });
        assert_eq!(told(Some(36 * 3600)), "17 November 2027, 08:00 UTC, then every 36 hours");
        assert_eq!(told(Some(86_400)), "17 November 2027, 08:00 UTC, then every day");
        assert_eq!(told(Some(90)), "17 November 2027, 08:00 UTC, then every 90 seconds");
        assert_eq!(told(None), "17 November 2027, 08:00 UTC, once");
    }

    #[test]
    fn every_reason_in_the_log_is_told_in_words() {
        assert_eq!(reason("robots"), Some("the site's robots.txt forbids it"));
        assert_eq!(reason("<i>"), None);
    }

    #[test]
    fn numbers_are_written_as_people_read_them() {
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0, 999, 1000, 12_345, 999_999].map(bytes), ["0 B", "999 B", "1.0 kB", "12 kB", "1.0 MB"]);
        assert_eq!([some(1, "page", "pages"), some(1200, "page", "pages")], ["1 page", "1,200 pages"]);
        assert_eq!(second("2026-11-16T08:15:00.123Z"), "2026-11-16 08:15:00");
        assert_eq!(second("<i>ä soon enough</i>Z"), "<i>ä soon enough</i>Z");
        assert_eq!(moment("20261116081500", " ", " UTC"), "2026-11-16 08:15:00 UTC");
        assert_eq!(bytes(u64::MAX), "18447 PB");
    }
}
