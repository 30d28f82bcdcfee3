//! A compiled expression, and asking it about a link. It is well typed by construction and asking cannot fail.

use std::cmp::Ordering;

use annalist_model::Link;
use regex::Regex;

use crate::scope::Facts;

/// What an expression is asked about.
#[derive(Clone, Copy, Debug)]
pub(in crate::scope) struct Subject<'a> {
    pub(in crate::scope) link: &'a Link,
    pub(in crate::scope) facts: &'a Facts<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variable {
    Url,
    Host,
    Site,
    Path,
    Query,
    Depth,
    Hops,
    Via,
    Mime,
    Language,
    Score,
    Title,
    Words,
    Application,
    Level,
    Objects,
    Published,
    Duplicate,
}

impl Variable {
    /// Of any link.
    pub(super) const ALL: [(&'static str, Variable); 11] = [
        ("url", Variable::Url),
        ("host", Variable::Host),
        ("site", Variable::Site),
        ("path", Variable::Path),
        ("query", Variable::Query),
        ("depth", Variable::Depth),
        ("hops", Variable::Hops),
        ("via", Variable::Via),
        ("mime", Variable::Mime),
        ("language", Variable::Language),
        ("score", Variable::Score),
    ];
    /// Of what was captured, and read since.
    pub(super) const OF_PAGES: [(&'static str, Variable); 7] = [
        ("title", Variable::Title),
        ("words", Variable::Words),
        ("application", Variable::Application),
        ("level", Variable::Level),
        ("objects", Variable::Objects),
        ("published", Variable::Published),
        ("duplicate", Variable::Duplicate),
    ];
}

/// Something that is true, false, or unknown of a link.
#[derive(Debug)]
pub(super) enum Condition {
    Always(bool),
    Duplicate,
    Not(Box<Condition>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Same(Box<Condition>, Box<Condition>),
    Texts(Text, Comparison, Text),
    Numbers(Number, Comparison, Number),
    StartsWith(Text, Text),
    EndsWith(Text, Text),
    Contains(Text, Text),
    Matches(Text, Regex),
    /// It is true of a page on the way from the seed to the link.
    Passed(Box<Condition>),
}

#[derive(Clone, Debug)]
pub(super) enum Text {
    Literal(String),
    Variable(Variable),
}

#[derive(Clone, Debug)]
pub(super) enum Number {
    Whole(i64),
    Decimal(f64),
    Depth,
    Score,
    Words,
    Objects,
    /// In characters.
    SizeOf(Text),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Unequal,
    Less,
    AtMost,
    More,
    AtLeast,
}

impl Comparison {
    fn accepts(self, order: Option<Ordering>) -> bool {
        match self {
            Comparison::Equal => order == Some(Ordering::Equal),
            Comparison::Unequal => order != Some(Ordering::Equal),
            Comparison::Less => order == Some(Ordering::Less),
            Comparison::AtMost => order.is_some_and(Ordering::is_le),
            Comparison::More => order == Some(Ordering::Greater),
            Comparison::AtLeast => order.is_some_and(Ordering::is_ge),
        }
    }
}

impl Condition {
    /// `None` when it depends on something that is not known.
    pub(super) fn ask(&self, subject: &Subject<'_>) -> Option<bool> {
        let both = |one: &Text, other: &Text, test: fn(&str, &str) -> bool| {
            Some(test(one.of(subject)?, other.of(subject)?))
        };
        match self {
            Condition::Always(answer) => Some(*answer),
            Condition::Duplicate => subject.facts.page.map(|page| page.is_duplicate),
            Condition::Not(inner) => inner.ask(subject).map(|answer| !answer),
            Condition::All(parts) => decided(parts, subject, false),
            Condition::Any(parts) => decided(parts, subject, true),
            Condition::Same(one, other) => Some(one.ask(subject)? == other.ask(subject)?),
            Condition::Texts(one, comparison, other) => {
                Some(comparison.accepts(Some(one.of(subject)?.cmp(other.of(subject)?))))
            }
            Condition::Numbers(one, comparison, other) => {
                Some(comparison.accepts(one.of(subject)?.partial_cmp(&other.of(subject)?)))
            }
            Condition::StartsWith(one, other) => both(one, other, |a, b| a.starts_with(b)),
            Condition::EndsWith(one, other) => both(one, other, |a, b| a.ends_with(b)),
            Condition::Contains(one, other) => both(one, other, |a, b| a.contains(b)),
            Condition::Matches(text, pattern) => Some(pattern.is_match(text.of(subject)?)),
            Condition::Passed(inner) => inner.held_on_the_way(subject),
        }
    }

    /// Asks it of every page on the way. The link itself is not on its own way.
    fn held_on_the_way(&self, subject: &Subject<'_>) -> Option<bool> {
        if subject.link.via.is_none() {
            return Some(false);
        }
        let way = subject.facts.way?.walked();
        let mut all_known = way.is_whole;
        for page in way.pages.iter().filter(|page| page.link.url != subject.link.url) {
            let facts = Facts { score: Some(page.score), ..Facts::default() };
            match self.ask(&Subject { link: &page.link, facts: &facts }) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => all_known = false,
            }
        }
        all_known.then_some(false)
    }
}

/// One part with the deciding answer settles it; otherwise everything must be known.
fn decided(parts: &[Condition], subject: &Subject<'_>, deciding: bool) -> Option<bool> {
    let mut all_known = true;
    for part in parts {
        match part.ask(subject) {
            Some(answer) if answer == deciding => return Some(deciding),
            Some(_) => {}
            None => all_known = false,
        }
    }
    all_known.then_some(!deciding)
}

impl Text {
    fn of<'s>(&'s self, subject: &Subject<'s>) -> Option<&'s str> {
        let Subject { link, facts } = *subject;
        match self {
            Text::Literal(text) => Some(text),
            Text::Variable(variable) => match variable {
                Variable::Url => Some(link.url.as_str()),
                Variable::Host => Some(link.url.host_name()),
                Variable::Site => Some(link.url.site()),
                Variable::Path => Some(link.url.path()),
                Variable::Query => Some(link.url.query().unwrap_or("")),
                Variable::Hops => Some(link.hops.as_str()),
                // A seed was named by no page; any other link's page may have been forgotten.
                Variable::Via if link.via.is_none() => Some(facts.via_url.unwrap_or("")),
                Variable::Via => facts.via_url,
                Variable::Mime => facts.mime,
                Variable::Language => facts.language,
                Variable::Title => facts.page?.title,
                Variable::Application => facts.page?.application,
                Variable::Level => facts.page?.level,
                Variable::Published => facts.page?.published,
                Variable::Depth
                | Variable::Score
                | Variable::Words
                | Variable::Objects
                | Variable::Duplicate => None,
            },
        }
    }
}

impl Number {
    fn of(&self, subject: &Subject<'_>) -> Option<f64> {
        match self {
            // Comparing beyond 2^53 may round; nothing that is counted here gets there.
            Number::Whole(number) => Some(*number as f64),
            Number::Decimal(number) => Some(*number),
            Number::Depth => Some(f64::from(subject.link.depth)),
            Number::Score => subject.facts.score.map(|score| f64::from(score.get())),
            Number::Words => subject.facts.page.map(|page| f64::from(page.words)),
            Number::Objects => subject.facts.page.map(|page| f64::from(page.objects)),
            Number::SizeOf(text) => text.of(subject).map(|text| text.chars().count() as f64),
        }
    }
}
