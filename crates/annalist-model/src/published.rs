//! When a page was published: a day, how exactly it is known, and what says so. How it is found is in `annalist-apps`.

use std::fmt;

use jiff::Span;
use jiff::civil::{Date, DateTime};
use jiff::tz::Offset;
use serde::{Serialize, Serializer};

use crate::time::Time;

/// When a page was published, as far as it says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// The day by the calendar of who wrote it; the first of its month or year where no more is known.
    pub day: Date,
    /// The time of day there, and how far that is from Greenwich, as far as it is said.
    pub clock: Option<jiff::civil::Time>,
    pub offset: Option<Offset>,
    pub precision: Precision,
    /// In [0, 1]: how often such evidence was right.
    pub confidence: f32,
    pub evidence: Evidence,
}

impl Published {
    /// The moment: without a time of day the beginning of the day, without a zone that of Greenwich.
    pub fn time(&self) -> Time {
        Time::of(self.civil(), self.offset.unwrap_or(Offset::UTC))
    }

    /// The last moment it may have been: of the day, the month or the year where no more is known.
    pub fn until(&self) -> Time {
        let span = match self.precision {
            Precision::Day if self.clock.is_some() => return self.time(),
            Precision::Day => Span::new().days(1),
            Precision::Month => Span::new().months(1),
            Precision::Year => Span::new().years(1),
        };
        let end = Time::of(self.civil().saturating_add(span), self.offset.unwrap_or(Offset::UTC));
        Time::from_millis(end.millis().saturating_sub(1))
    }

    /// `2013-03-05T16:12:00+01:00`
    pub fn rfc3339(&self) -> String {
        let civil = self.civil();
        match self.offset.unwrap_or(Offset::UTC).seconds() / 60 {
            0 => format!("{civil}Z"),
            minutes => {
                let sign = if minutes < 0 { '-' } else { '+' };
                format!("{civil}{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
            }
        }
    }

    fn civil(&self) -> DateTime {
        self.day.to_datetime(self.clock.unwrap_or(jiff::civil::Time::midnight()))
    }
}

/// How much of a date is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    Day,
    Month,
    Year,
}

/// What says when a page was published, the most trustworthy first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Evidence {
    JsonLd,
    OpenGraph,
    Microdata,
    Meta,
    /// The feed that led to the page.
    Feed,
    /// `<time>`, and attributes made for machines.
    TimeElement,
    /// The address of the page.
    Url,
    /// An element whose name says date, at the headline or in a byline.
    Byline,
    /// Words such as "Published on".
    Words,
    /// The visible text beside the headline.
    Text,
    /// What a script of the page was given to work with.
    Script,
    /// The first of the comments: the page is at least as old.
    Comments,
    /// The address of a picture.
    Picture,
    /// When it was last changed: it is at least as old.
    Modified,
    /// The year of the copyright.
    Copyright,
}

impl Evidence {
    pub const ALL: [Evidence; 15] = [
        Evidence::JsonLd,
        Evidence::OpenGraph,
        Evidence::Microdata,
        Evidence::Meta,
        Evidence::Feed,
        Evidence::TimeElement,
        Evidence::Url,
        Evidence::Byline,
        Evidence::Words,
        Evidence::Text,
        Evidence::Script,
        Evidence::Comments,
        Evidence::Picture,
        Evidence::Modified,
        Evidence::Copyright,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Evidence::JsonLd => "json-ld",
            Evidence::OpenGraph => "open-graph",
            Evidence::Microdata => "microdata",
            Evidence::Meta => "meta",
            Evidence::Feed => "feed",
            Evidence::TimeElement => "time-element",
            Evidence::Url => "url",
            Evidence::Byline => "byline",
            Evidence::Words => "words",
            Evidence::Text => "text",
            Evidence::Script => "script",
            Evidence::Comments => "comments",
            Evidence::Picture => "picture",
            Evidence::Modified => "modified",
            Evidence::Copyright => "copyright",
        }
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl Serialize for Evidence {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

/// With the day as people write it, and the moment only where there is one.
impl Serialize for Published {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("date", &self.day.to_string())?;
        if self.clock.is_some() {
            map.serialize_entry("at", &self.rfc3339())?;
        }
        if self.precision != Precision::Day {
            map.serialize_entry("precision", &self.precision)?;
        }
        map.serialize_entry("confidence", &((f64::from(self.confidence) * 100.0).round() / 100.0))?;
        map.serialize_entry("evidence", &self.evidence)?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::{date, time};
    use jiff::tz::offset;

    use super::{Evidence, Precision, Published};
    use crate::time::Time;

    #[test]
    fn a_day_without_an_hour_begins_in_greenwich() {
        let mut published = Published {
            day: date(2013, 3, 5),
            clock: None,
            offset: None,
            precision: Precision::Day,
            confidence: 0.9,
            evidence: Evidence::Url,
        };
        assert_eq!(published.time().rfc3339(), "2013-03-05T00:00:00.000Z");
        published.clock = Some(time(0, 30, 0, 0));
        published.offset = Some(offset(1));
        assert_eq!(
            published.time().rfc3339(),
            "2013-03-04T23:30:00.000Z",
            "the day there is not the day here"
        );
        assert_eq!(published.rfc3339(), "2013-03-05T00:30:00+01:00");
        published.day = date(1913, 3, 5);
        assert_eq!(published.time(), Time::default(), "what lies before 1970 is at its beginning");
    }

    #[test]
    fn every_evidence_has_a_name_of_its_own() {
        let names: std::collections::HashSet<_> = Evidence::ALL.iter().map(|one| one.name()).collect();
        assert_eq!(names.len(), Evidence::ALL.len());
        assert!(Evidence::ALL.is_sorted());
    }
}
