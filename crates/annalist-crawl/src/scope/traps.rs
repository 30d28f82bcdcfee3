//! URLs that look as if a server made them up without end. Only the URL is looked at; that two pages are the same, or
//! that a site has too many, is noticed elsewhere.

use annalist_model::CanonicalUrl;

const LONGEST_URL: usize = 2_000;
const MOST_SEGMENTS: usize = 30;
const MOST_PARAMETERS: usize = 30;
/// How often a folder's name may stand in a path, and how often in a row.
const MOST_REPEATS: usize = 3;
/// How often several folders may follow each other in the same order.
const MOST_RUNS: usize = 2;
/// Calendars count on for ever; nobody wrote in the years outside.
const YEARS: std::ops::RangeInclusive<u32> = 1900..=2100;

/// Why the URL looks like a trap, if it does.
pub(super) fn trap(url: &CanonicalUrl) -> Option<String> {
    let length = url.as_str().len();
    if length > LONGEST_URL {
        return Some(format!("URL of {length} bytes"));
    }
    let parameters = url.query().map_or(0, |query| query.split('&').count());
    if parameters > MOST_PARAMETERS {
        return Some(format!("query of {parameters} parameters"));
    }
    let segments: Vec<&str> = url.path().split('/').filter(|segment| !segment.is_empty()).collect();
    if segments.len() > MOST_SEGMENTS {
        return Some(format!("path of {} segments", segments.len()));
    }
    repeating(&segments).or_else(|| calendar(&segments, url.query().unwrap_or("")))
}

fn repeating(segments: &[&str]) -> Option<String> {
    if segments.len() <= MOST_REPEATS {
        return None;
    }
    for (at, segment) in segments.iter().enumerate() {
        // Numbers and single letters come back by chance: dates, shards of a store, tiles of a map.
        let is_name = segment.len() > 1 && !segment.bytes().all(|b| b.is_ascii_digit());
        let repeats = segments[at..].iter().filter(|other| *other == segment).count();
        if is_name && repeats > MOST_REPEATS {
            return Some(format!("path repeats {segment:?} {repeats} times"));
        }
    }
    (1..=segments.len() / (MOST_RUNS + 1)).find_map(|length| {
        let allowed = if length == 1 { MOST_REPEATS } else { MOST_RUNS };
        let runs = (0..segments.len()).map(|at| (at, runs_at(&segments[at..], length)));
        let (at, times) = runs.max_by_key(|(_, times)| *times)?;
        let run = segments.get(at..at + length)?.join("/");
        (times > allowed).then(|| format!("path repeats {run:?} {times} times in a row"))
    })
}

/// How often the first `length` segments come in a row.
fn runs_at(segments: &[&str], length: usize) -> usize {
    let Some(first) = segments.get(..length) else { return 0 };
    segments.chunks_exact(length).take_while(|chunk| *chunk == first).count()
}

/// A day in a year that no calendar needs.
fn calendar(segments: &[&str], query: &str) -> Option<String> {
    let in_path = segments.windows(3).find_map(|window| match window {
        [year, month, day] => impossible_year(year, month, day),
        _ => None,
    });
    let in_segment = || segments.iter().find_map(|segment| dashed(segment));
    let in_query = || {
        query.split('&').find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            let names_a_year =
                ["year", "yr", "jahr", "annee"].iter().any(|year| name.eq_ignore_ascii_case(year));
            if names_a_year { year_outside(value) } else { dashed(value) }
        })
    };
    let year = in_path.or_else(in_segment).or_else(in_query)?;
    Some(format!("calendar page of the year {year}"))
}

/// `3012-05-01`, the whole text.
fn dashed(text: &str) -> Option<u32> {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    impossible_year(year, month, day).filter(|_| parts.next().is_none())
}

/// The year, when this is a day of the calendar in a year outside of [`YEARS`].
fn impossible_year(year: &str, month: &str, day: &str) -> Option<u32> {
    let in_range = |text: &str, most: u32| number(text, 2).is_some_and(|n| (1..=most).contains(&n));
    let is_day = in_range(month, 12) && in_range(day, 31);
    is_day.then(|| year_outside(year)).flatten()
}

fn year_outside(text: &str) -> Option<u32> {
    number(text, 4).filter(|year| !YEARS.contains(year))
}

/// A number of exactly so many digits.
fn number(text: &str, digits: usize) -> Option<u32> {
    let fine = text.len() == digits && text.bytes().all(|b| b.is_ascii_digit());
    fine.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::trap;
    use annalist_model::CanonicalUrl;

    fn trapped(rest: &str) -> Option<String> {
        trap(&CanonicalUrl::parse(&format!("http://example.org{rest}")).unwrap())
    }

    #[test]
    fn urls_that_never_end_are_traps() {
        for (rest, why) in [
            ("/a/b/img/x/img/y/img/z/img/", "path repeats \"img\" 4 times"),
            ("/en/en/en/en", "path repeats \"en\" 4 times"),
            ("/1/1/1/1", "path repeats \"1\" 4 times in a row"),
            ("/start/aa/bb/aa/bb/aa/bb", "path repeats \"aa/bb\" 3 times in a row"),
            ("/aa/bb/1/aa/bb/1/aa/bb/1/x", "path repeats \"aa/bb/1\" 3 times in a row"),
            ("/calendar/3012/05/01", "calendar page of the year 3012"),
            ("/events/1066-10-14", "calendar page of the year 1066"),
            ("/cal?date=9999-12-31&view=day", "calendar page of the year 9999"),
            ("/cal?month=3&year=2101", "calendar page of the year 2101"),
        ] {
            assert_eq!(trapped(rest).as_deref(), Some(why), "{rest}");
        }
    }

    #[test]
    fn urls_that_grow_without_measure_are_traps() {
        assert_eq!(trapped(&format!("/{}", "a".repeat(2_000))).as_deref(), Some("URL of 2019 bytes"));
        let deep: String = (0..31).map(|i| format!("/d{i}")).collect();
        assert_eq!(trapped(&deep).as_deref(), Some("path of 31 segments"));
        let query: Vec<String> = (0..31).map(|i| format!("p{i}=1")).collect();
        assert_eq!(trapped(&format!("/?{}", query.join("&"))).as_deref(), Some("query of 31 parameters"));
    }

    #[test]
    fn ordinary_urls_are_no_traps() {
        for rest in [
            "/",
            "/2011/11/11/title-of-a-post/",
            "/2012/06/17/a/b",
            "/thread/1523/2",
            "/forum/1523/02/showthread.php?t=1234&page=12",
            "/wiki/Berlin/Berlin/Berlin",
            "/tiles/12/12/12.png",
            "/a/a/b/a/a/c.jpg",
            "/news/en/2009/10/01/news/en",
            "/cal?year=1999&month=12",
            "/cal?date=2100-12-31",
            "/product/1066-14-14",
            "/isbn/1492-10-12-3",
            "/archive/1523-2001",
            "/search?q=a+b&sort=date&order=asc&page=2",
            "/very/long/path/that/a/content/management/system/might/make/index.html",
            "//",
        ] {
            assert_eq!(trapped(rest), None, "{rest}");
        }
    }
}
