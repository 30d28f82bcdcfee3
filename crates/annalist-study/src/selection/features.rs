//! What of a page is weighed: few things that a person would name, and the words it has.

use std::collections::HashMap;

use super::candidate::Candidate;

/// A long text has this many words.
const LONG: f64 = 2_000.0;
const FAR: f64 = 6.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Always,
    Relevance,
    Length,
    Depth,
    Objects,
    Author,
    Date,
    Event,
    Duplicate,
    Site,
    Language,
    Application,
    Level,
    Title,
    Word,
}

/// What a page has, and how much of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feature<'a> {
    pub kind: Kind,
    /// Which site, language, word.
    pub name: &'a str,
    pub value: f64,
}

/// How far from and until an event lasts, as days.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Days {
    pub from: String,
    pub until: String,
}

impl Days {
    /// Of a month or a year, what it begins with counts.
    pub fn hold(&self, day: &str) -> bool {
        let start = |text: &str| text.get(..day.len()).unwrap_or(text).to_owned();
        day >= start(&self.from).as_str() && day <= start(&self.until).as_str()
    }
}

/// In how many pages each word stands.
#[derive(Debug, Default)]
pub struct Spread {
    pages: f64,
    with: HashMap<String, u32>,
}

impl Spread {
    /// Of those words that `wanted` pages have.
    pub fn of<'a>(wanted: impl Iterator<Item = &'a Candidate>, all: &[Candidate]) -> Spread {
        let words = |page: &'a Candidate| page.terms.split(' ').chain(page.title_terms.split(' '));
        let mut with: HashMap<String, u32> =
            wanted.flat_map(words).map(|word| (word.to_owned(), 0)).collect();
        for page in all {
            for word in page.terms.split(' ') {
                if let Some(count) = with.get_mut(word) {
                    *count += 1;
                }
            }
        }
        Spread { pages: all.len() as f64, with }
    }

    /// From 0 for a word that every page has to 1 for one that a single page has.
    fn says(&self, word: &str) -> f64 {
        let with = f64::from(self.with.get(word).copied().unwrap_or_default());
        ((self.pages + 1.0) / (with + 1.0)).ln() / (self.pages + 1.0).ln().max(1.0)
    }
}

/// Everything that is weighed of a page. What is not known of it is not there.
pub fn features<'a>(
    page: &'a Candidate,
    is_duplicate: bool,
    event: Option<&Days>,
    spread: &Spread,
) -> Vec<Feature<'a>> {
    let mut found = Vec::with_capacity(64);
    let mut add = |kind: Kind, name: &'a str, value: f64| found.push(Feature { kind, name, value });
    let flag = |is: bool| if is { HALF } else { 0.0 };
    add(Kind::Always, "", 1.0);
    if let Some(relevance) = page.relevance {
        add(Kind::Relevance, "", 2.0 * f64::from(relevance) - 1.0);
    }
    add(Kind::Length, "", (f64::from(page.words) + 1.0).ln() / (LONG + 1.0).ln() - HALF);
    let depth = page.hops.chars().filter(|hop| matches!(hop, 'L' | 'S')).count();
    add(Kind::Depth, "", (depth as f64 / FAR).min(1.0));
    add(Kind::Objects, "", flag(page.objects > 0));
    add(Kind::Author, "", flag(page.has_author));
    add(Kind::Date, "", flag(page.published.is_some()));
    if let (Some(event), Some(day)) = (event, &page.published) {
        add(Kind::Event, "", if event.hold(day) { HALF } else { -HALF });
    }
    add(Kind::Duplicate, "", flag(is_duplicate));
    add(Kind::Site, &page.site, HALF);
    for (kind, name) in
        [(Kind::Language, &page.language), (Kind::Application, &page.application), (Kind::Level, &page.level)]
    {
        if let Some(name) = name {
            add(kind, name, HALF);
        }
    }
    for (kind, terms) in [(Kind::Title, &page.title_terms), (Kind::Word, &page.terms)] {
        let words: Vec<(&str, f64)> =
            terms.split(' ').filter(|word| !word.is_empty()).map(|word| (word, spread.says(word))).collect();
        // Together they weigh the same on every page, however many there are.
        let norm = words.iter().map(|(_, says)| says * says).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
        let weight = if kind == Kind::Title { HALF } else { WORDS };
        words.iter().for_each(|(word, says)| add(kind, word, weight * says / norm));
    }
    found
}

const HALF: f64 = 0.5;
/// What the words of a page weigh together, beside things that are there or not.
const WORDS: f64 = 1.5;

impl Feature<'_> {
    /// In words.
    pub fn told(&self, page: &Candidate) -> String {
        let is_there = self.value > 0.0;
        match self.kind {
            Kind::Always => "what was decided on the whole".to_owned(),
            Kind::Relevance => format!("relevance {:.2}", page.relevance.unwrap_or_default()),
            Kind::Length => format!("{} words", page.words),
            Kind::Depth => "its distance from the seeds".to_owned(),
            Kind::Objects => "it has posts or comments".to_owned(),
            Kind::Author => "its author is known".to_owned(),
            Kind::Date => "its date is known".to_owned(),
            Kind::Event if is_there => "published within the event".to_owned(),
            Kind::Event => "published outside the event".to_owned(),
            Kind::Duplicate => "nearly repeats another page".to_owned(),
            Kind::Site => format!("site {}", self.name),
            Kind::Language => format!("language {}", self.name),
            Kind::Application => format!("made by {}", self.name),
            Kind::Level => format!("a page of kind {}", self.name),
            Kind::Title => format!("\"{}\" in the title", self.name),
            Kind::Word => format!("\"{}\"", self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Days, Kind, Spread, features};
    use crate::selection::Candidate;

    #[test]
    fn a_day_a_month_and_a_year_are_within_an_event_or_not() {
        let days = Days { from: "2011-03-05".to_owned(), until: "2011-04-01".to_owned() };
        for day in ["2011-03-05", "2011-04-01", "2011-03", "2011"] {
            assert!(days.hold(day), "{day}");
        }
        for day in ["2011-03-04", "2011-04-02", "2011-05", "2012"] {
            assert!(!days.hold(day), "{day}");
        }
    }

    #[test]
    fn words_that_every_page_has_say_nothing() {
        let page = |terms: &str| Candidate { terms: terms.to_owned(), ..Candidate::default() };
        let pages = [page("home strike"), page("home bread"), page("home wine")];
        let spread = Spread::of(pages.iter(), &pages);
        let found = features(&pages[0], false, None, &spread);
        let value =
            |name: &str| found.iter().find(|one| one.kind == Kind::Word && one.name == name).unwrap().value;
        assert!(value("home").abs() < 1e-9 && value("strike") > 1.0);
    }
}
