//! Days that a text names: `17 May`, `12 to 14 May 2013`, `17.05.2013`, `yesterday`. Where the year is not said, it is that in
//! which the day is nearest to when the text was published.

use annalist_apps::dates::{self, Order};
use annalist_judge::text::Tokens;
use jiff::civil::Date;

use crate::offline::Day;

/// A text with more is a chronicle.
const MOST: usize = 50;
const LAST_DAY_OF_A_MONTH: u32 = 31;
/// Longer spans in numbers are something else.
const LONGEST_SPAN: i32 = 31;

const TODAY: [&str; 8] = ["today", "tonight", "heute", "aujourd'hui", "σήμερα", "hoy", "oggi", "vandaag"];
const YESTERDAY: [&str; 7] = ["yesterday", "gestern", "hier", "χθες", "ayer", "ieri", "gisteren"];

/// First and last day of each.
pub(super) fn days(text: &str, english: bool, published: Option<Day>) -> Vec<(Day, Day)> {
    let mut found = named(text, published);
    found.extend(in_numbers(text, english));
    found.truncate(MOST);
    found
}

/// A word or number of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Number(u32),
    Month(u32),
    /// One that may stand between the days of a span: `to`, `bis`.
    Short,
    Other,
}

fn part(word: &str) -> Part {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    if !digits.is_empty() && word.len() - digits.len() <= 2 && digits.bytes().all(|b| b.is_ascii_digit()) {
        return digits.parse().map_or(Part::Other, Part::Number);
    }
    match dates::month(word) {
        // `may` is a verb more often than not; a day beside it tells.
        Some(month) => Part::Month(month),
        None if word.chars().count() <= 4 => Part::Short,
        None => Part::Other,
    }
}

/// With the name of the month, and those that count from now.
fn named(text: &str, published: Option<Day>) -> Vec<(Day, Day)> {
    let mut found = Vec::new();
    // The last five parts: a span and its month.
    let mut parts = [Part::Other; 4];
    let mut tokens = Tokens::new(text);
    let mut waiting: Option<Waiting> = None;
    while let Some(token) = tokens.next_token() {
        if let Some(today) = published {
            let ago = i32::from(YESTERDAY.contains(&token.word));
            if ago == 1 || TODAY.contains(&token.word) {
                found.push((today.plus(-ago), today.plus(-ago)));
            }
        }
        let now = part(token.word);
        if let Some(before) = waiting.take() {
            waiting = before.go_on(now, published, &mut found);
        }
        if let Part::Month(month) = now {
            if let Some(before) = waiting.take() {
                before.end(None, published, &mut found);
            }
            waiting = Some(Waiting::behind(&parts, month));
        }
        parts.rotate_left(1);
        if let Some(last) = parts.last_mut() {
            *last = now;
        }
    }
    if let Some(waiting) = waiting {
        waiting.end(None, published, &mut found);
    }
    found
}

/// A month whose year, and perhaps days, may follow.
struct Waiting {
    month: u32,
    days: Option<(u32, u32)>,
}

impl Waiting {
    fn behind(parts: &[Part; 4], month: u32) -> Waiting {
        let day = |part: Part| match part {
            Part::Number(n) if (1..=LAST_DAY_OF_A_MONTH).contains(&n) => Some(n),
            _ => None,
        };
        let [_, first, between, last] = *parts;
        let days = day(last).map(|until| {
            let from = match between {
                Part::Short => day(first),
                _ => day(between),
            };
            (from.filter(|from| *from < until).unwrap_or(until), until)
        });
        Waiting { month, days }
    }

    fn go_on(mut self, next: Part, published: Option<Day>, found: &mut Vec<(Day, Day)>) -> Option<Waiting> {
        match (next, self.days) {
            (Part::Number(year @ 1900..=2100), _) => {
                self.end(i16::try_from(year).ok(), published, found);
                None
            }
            // `May 12`, `May 12-14`
            (Part::Number(day @ 1..=LAST_DAY_OF_A_MONTH), None) => {
                self.days = Some((day, day));
                Some(self)
            }
            (Part::Number(until @ 1..=LAST_DAY_OF_A_MONTH), Some((from, last)))
                if from == last && from < until =>
            {
                self.days = Some((from, until));
                Some(self)
            }
            _ => {
                self.end(None, published, found);
                None
            }
        }
    }

    fn end(self, year: Option<i16>, published: Option<Day>, found: &mut Vec<(Day, Day)>) {
        let Some((from, until)) = self.days else { return };
        let in_year = |year: i16, day: u32| {
            let date = Date::new(year, i8::try_from(self.month).ok()?, i8::try_from(day).ok()?);
            date.ok().map(Day::of_date)
        };
        let year = year.or_else(|| {
            let today = published?;
            let this = today.month().year;
            let away = |year: &i16| in_year(*year, until).map_or(i32::MAX, |day| (day.0 - today.0).abs());
            [this - 1, this, this + 1].into_iter().min_by_key(away)
        });
        let span = year.and_then(|year| Some((in_year(year, from)?, in_year(year, until)?)));
        found.extend(span.filter(|(from, until)| (0..=LONGEST_SPAN).contains(&(until.0 - from.0))));
    }
}

/// `2013-05-17`, `17.05.2013`, `5/17/2013`
fn in_numbers(text: &str, english: bool) -> Vec<(Day, Day)> {
    let order = if english { Order::English } else { Order::Dmy };
    let is_of_date = |c: char| c.is_ascii_digit() || matches!(c, '.' | '/' | '-');
    text.split(|c: char| !is_of_date(c))
        .map(|run| run.trim_matches(['.', '/', '-']))
        .filter(|run| {
            (8..=10).contains(&run.len()) && run.bytes().filter(|b| !b.is_ascii_digit()).count() == 2
        })
        .filter_map(|run| dates::all(run, Some(order)).into_iter().next())
        .map(|(moment, _)| (Day::of_date(moment.day), Day::of_date(moment.day)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::days;
    use crate::offline::Day;

    fn told(text: &str) -> Vec<(String, String)> {
        let published = Day::of_date(jiff::civil::date(2013, 1, 10));
        days(text, true, Some(published))
            .iter()
            .map(|(one, other)| (one.to_string(), other.to_string()))
            .collect()
    }

    fn day(day: &str) -> Vec<(String, String)> {
        vec![(day.to_owned(), day.to_owned())]
    }

    fn span(from: &str, until: &str) -> Vec<(String, String)> {
        vec![(from.to_owned(), until.to_owned())]
    }

    #[test]
    fn days_are_told_however_they_are_written() {
        for text in [
            "on 17 May 2012",
            "on May 17, 2012",
            "17th May 2012",
            "am 17. Mai 2012",
            "le 17 mai 2012",
            "17 Μαΐου 2012",
        ] {
            assert_eq!(told(text), day("2012-05-17"), "{text}");
        }
        assert_eq!(told("since 2012-05-17, and"), day("2012-05-17"));
        assert_eq!(told("seit 17.05.2012."), day("2012-05-17"));
        assert_eq!(told("it happened yesterday"), day("2013-01-09"));
    }

    #[test]
    fn spans_have_a_first_and_a_last_day() {
        for text in [
            "12 to 14 May 2012",
            "12-14 May 2012",
            "vom 12. bis 14. Mai 2012",
            "du 12 au 14 mai 2012",
            "May 12-14, 2012",
        ] {
            assert_eq!(told(text), span("2012-05-12", "2012-05-14"), "{text}");
        }
    }

    #[test]
    fn a_missing_year_is_the_nearest_and_words_alone_are_no_day() {
        assert_eq!(told("on 20 December in"), day("2012-12-20"));
        assert_eq!(told("until 3 March"), day("2013-03-03"));
        assert_eq!(told("you may march in May 2012 with version 1.2.2012.4"), []);
    }
}
