//! Days that a text names: `17 May`, `12 to 14 May 2013`, `until 3 June`, `17.05.2013`, `yesterday`; and for how many of them
//! something lasts. Where the year is not said, it is that in
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

/// Between the days of a span, or before the last of them.
const UNTIL: [&str; 17] = [
    "to",
    "until",
    "till",
    "through",
    "bis",
    "au",
    "jusqu'au",
    "jusqu",
    "έως",
    "ως",
    "μέχρι",
    "hasta",
    "al",
    "fino",
    "tot",
    "t/m",
    "do",
];
const LASTING: [&str; 16] = [
    "last",
    "lasts",
    "lasted",
    "lasting",
    "dauert",
    "dauerte",
    "dauern",
    "dure",
    "dura",
    "dureront",
    "durera",
    "duré",
    "διαρκεί",
    "διήρκεσε",
    "duró",
    "durò",
];
const DAYS: [&str; 7] = ["days", "tage", "tagen", "jours", "ημέρες", "μέρες", "dagen"];
/// How two, three and so on are said, and how words for something of so many days begin.
const COUNTS: [&[&str]; 6] = [
    &["two", "zwei", "deux", "δύο", "δυο", "dos", "due", "διήμερ", "zweitägig"],
    &["three", "drei", "trois", "τρεις", "tres", "tre", "drie", "τριήμερ", "dreitägig"],
    &["four", "vier", "quatre", "τέσσερις", "cuatro", "quattro", "τετραήμερ", "viertägig"],
    &["five", "fünf", "cinq", "πέντε", "cinco", "cinque", "vijf", "πενθήμερ", "fünftägig"],
    &["six", "sechs", "έξι", "seis", "sei", "zes", "εξαήμερ", "sechstägig"],
    &["seven", "sieben", "sept", "επτά", "siete", "sette", "zeven", "επταήμερ", "siebentägig"],
];

/// What a text says about days.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// First and last day of each.
    pub(super) spans: Vec<(Day, Day)>,
    /// Until when something lasts whose first day is not said beside it.
    pub(super) ends: Vec<Day>,
    /// How many days something lasts.
    pub(super) lengths: Vec<i32>,
}

impl Told {
    /// First and last days, whatever they belong to.
    pub(super) fn all(&self) -> impl Iterator<Item = Day> {
        self.spans.iter().flat_map(|(from, until)| [*from, *until]).chain(self.ends.iter().copied())
    }

    pub(super) fn retain(&mut self, is_near: impl Fn(Day) -> bool) {
        self.spans.retain(|(from, until)| is_near(*from) && is_near(*until));
        self.ends.retain(|day| is_near(*day));
    }

    pub(super) fn extend(&mut self, other: Told) {
        self.spans.extend(other.spans);
        self.ends.extend(other.ends);
        self.lengths.extend(other.lengths);
    }

    /// Each once.
    pub(super) fn dedup(&mut self) {
        self.spans.sort_unstable();
        self.spans.dedup();
        self.ends.sort_unstable();
        self.ends.dedup();
        self.lengths.sort_unstable();
        self.lengths.dedup();
    }
}

pub(super) fn days(text: &str, english: bool, published: Option<Day>) -> Told {
    let mut told = named(text, published);
    told.spans.extend(in_numbers(text, english));
    told.spans.truncate(MOST);
    told.ends.truncate(MOST);
    told
}

/// A word or number of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Number(u32),
    Month(u32),
    /// One that stands between the days of a span: `to`, `bis`.
    Until,
    /// One that may.
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
        None if UNTIL.contains(&word) => Part::Until,
        None if word.chars().count() <= 4 => Part::Short,
        None => Part::Other,
    }
}

/// With the name of the month, and those that count from now.
fn named(text: &str, published: Option<Day>) -> Told {
    let mut told = Told::default();
    let mut length = Length::default();
    // The last parts: a span and its month.
    let mut parts = [Part::Other; 4];
    let mut tokens = Tokens::new(text);
    let mut waiting: Option<Waiting> = None;
    while let Some(token) = tokens.next_token() {
        if let Some(today) = published {
            let ago = i32::from(YESTERDAY.contains(&token.word));
            if ago == 1 || TODAY.contains(&token.word) {
                told.spans.push((today.plus(-ago), today.plus(-ago)));
            }
        }
        told.lengths.extend(length.hear(token.word));
        let now = part(token.word);
        if let Some(before) = waiting.take() {
            waiting = before.go_on(now, published, &mut told);
        }
        if let Part::Month(month) = now {
            if let Some(before) = waiting.take() {
                before.end(None, published, &mut told);
            }
            waiting = Some(Waiting::behind(&parts, month));
        }
        parts.rotate_left(1);
        if let Some(last) = parts.last_mut() {
            *last = now;
        }
    }
    if let Some(waiting) = waiting {
        waiting.end(None, published, &mut told);
    }
    told
}

/// How long something lasts: `a three-day fair`, `lasted for three days`, `dreitägig`, `τριήμερο`.
#[derive(Debug, Default)]
struct Length {
    lasting: bool,
    count: Option<i32>,
    /// Words since either was heard.
    since: u32,
}

impl Length {
    fn hear(&mut self, word: &str) -> Option<i32> {
        self.since += 1;
        let is_of_days =
            |name: &str| word.starts_with(name) && (name.ends_with("ήμερ") || name.ends_with("tägig"));
        let row = |holds: &dyn Fn(&str) -> bool| {
            (2..).zip(COUNTS).find(|(_, names)| names.iter().any(|name| holds(name))).map(|(count, _)| count)
        };
        if let Some(count) = row(&is_of_days) {
            return Some(count);
        }
        let before = std::mem::take(&mut self.count);
        if let Some(count) = before.filter(|_| self.since == 1) {
            // `two days later` says something else.
            let lasts = word == "day" || word.starts_with("tägig") || self.lasting && DAYS.contains(&word);
            self.lasting = false;
            return lasts.then_some(count);
        }
        let digits = || word.parse().ok().filter(|count| (2..=LONGEST_SPAN).contains(count));
        if let Some(count) = row(&|name| name == word).or_else(digits) {
            // One short word may stand between: `lasted for three days`.
            self.lasting &= self.since <= 2;
            (self.count, self.since) = (Some(count), 0);
        } else if LASTING.contains(&word) {
            (self.lasting, self.since) = (true, 0);
        }
        None
    }
}

/// A month whose year, and perhaps days, may follow.
struct Waiting {
    month: u32,
    days: Option<(u32, u32)>,
    /// Whether it is but the last day of something.
    is_end: bool,
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
                Part::Short | Part::Until => day(first),
                _ => day(between),
            };
            (from.filter(|from| *from < until).unwrap_or(until), until)
        });
        // `until 5 May`, `bis zum 5. Mai`, `until May 5`
        let said_before = match days {
            Some(_) => between == Part::Until || between == Part::Short && first == Part::Until,
            None => last == Part::Until || last == Part::Short && between == Part::Until,
        };
        Waiting { month, days, is_end: said_before && days.is_none_or(|(from, until)| from == until) }
    }

    fn go_on(mut self, next: Part, published: Option<Day>, told: &mut Told) -> Option<Waiting> {
        match (next, self.days) {
            (Part::Number(year @ 1900..=2100), _) => {
                self.end(i16::try_from(year).ok(), published, told);
                None
            }
            // `May 12`, `May 12-14`, `May 12 to 14`
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
                self.end(None, published, told);
                None
            }
        }
    }

    fn end(self, year: Option<i16>, published: Option<Day>, told: &mut Told) {
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
        let Some((from, until)) =
            span.filter(|(from, until)| (0..=LONGEST_SPAN).contains(&(until.0 - from.0)))
        else {
            return;
        };
        if self.is_end {
            told.ends.push(until);
        } else {
            told.spans.push((from, until));
        }
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
            .spans
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
        assert_eq!(told("seen on 3 March"), day("2013-03-03"));
        assert_eq!(told("you may march in May 2012 with version 1.2.2012.4"), []);
    }

    #[test]
    fn what_is_said_of_the_end_is_no_day_of_its_own() {
        let published = Some(Day::of_date(jiff::civil::date(2013, 1, 10)));
        let end = Day::of_date(jiff::civil::date(2013, 1, 14));
        for text in [
            "it lasts until 14 January",
            "open until January 14, 2013",
            "dauert bis zum 14. Januar 2013",
            "jusqu'au 14 janvier",
            "μέχρι τις 14 Ιανουαρίου",
        ] {
            let told = days(text, true, published);
            assert_eq!((told.ends, told.spans), (vec![end], vec![]), "{text}");
        }
    }

    #[test]
    fn how_long_it_lasts_is_told_from_how_long_ago_it_was() {
        for text in [
            "a three-day fair",
            "the fair lasted for three days",
            "dauerte drei Tage",
            "die dreitägige Messe",
            "a duré trois jours",
            "το τριήμερο φεστιβάλ",
            "the 3-day fair",
        ] {
            assert_eq!(days(text, true, None).lengths, [3], "{text}");
        }
        for text in ["three days later", "vor drei Tagen", "three people a day", "it lasted; three came"] {
            assert!(days(text, true, None).lengths.is_empty(), "{text}");
        }
    }
}
