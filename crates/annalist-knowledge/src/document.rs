//! What the derived stores are told of a capture. How it is taken from the WARC files is in `follow/`.

use annalist_model::page::{Part, PartKind};
use annalist_model::{CanonicalUrl, FoundLink, Object, Time};

/// A capture with all that was read from it and said about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The name of its record, `urn:uuid:…`: what every statement leads back to.
    pub record: String,
    /// The WARC file, without its folder and without `.open`.
    pub file: String,
    pub offset: u64,
    pub url: CanonicalUrl,
    pub captured: Time,
    /// The answer's status; nothing was read where it is no success.
    pub status: u16,
    /// By content, lower case: `text/html`.
    pub mime: String,
    /// Bytes of the payload.
    pub length: u64,
    /// `sha1:…`, as the record gives it.
    pub digest: Option<String>,
    /// For a revisit: the capture that holds the same payload. Nothing else is read from it.
    pub original: Option<Original>,
    /// The page that led to it, by its address.
    pub via: Option<String>,
    /// `LLE`: how it was reached from a seed.
    pub hops: String,
    /// How relevant it was found, from 0 to 1.
    pub relevance: Option<f32>,
    pub published: Option<Dated>,
    /// ISO 639-1
    pub language: Option<String>,
    pub title: Option<String>,
    /// The visible text.
    pub text: String,
    /// The regions of the text, as the reader tells them.
    pub parts: Vec<Part>,
    pub links: Vec<FoundLink>,
    pub canonical: Option<CanonicalUrl>,
    /// What software made it: `wordpress`.
    pub application: Option<String>,
    /// What it is to its application: `post`.
    pub level: Option<String>,
    /// Posts, comments, articles.
    pub objects: Vec<Object>,
}

/// The capture whose payload another one repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Original {
    pub url: String,
    pub captured: Option<Time>,
}

/// When a page was published.
#[derive(Clone, Debug, PartialEq)]
pub struct Dated {
    /// RFC 3339: `2011-03-05T10:30:00+01:00`.
    pub text: String,
    /// Its first moment, milliseconds since 1970; below zero for those before.
    pub millis: i64,
    pub confidence: f32,
}

impl Document {
    /// Whether there is something to be read: a page that was answered with success, kept for the first time.
    pub fn is_page(&self) -> bool {
        (200..300).contains(&self.status) && self.original.is_none() && !self.text.is_empty()
    }

    /// The text without what the pages of a site have in common: navigation, header, footer.
    pub fn main_text(&self) -> String {
        if self.parts.is_empty() {
            return self.text.clone();
        }
        let ends = self.parts.iter().skip(1).map(|part| part.from).chain([self.text.len()]);
        let main = self.parts.iter().zip(ends).filter(|(part, _)| part.kind == PartKind::Main);
        main.filter_map(|(part, end)| self.text.get(part.from..end)).collect()
    }
}

/// The first moment of what RFC 3339 and its kin write (a year, a month, a day, or a moment), milliseconds since 1970 or, below
/// zero, before.
pub fn millis_of(text: &str) -> Option<i64> {
    match text.len() {
        4 => day(&format!("{text}-01-01")),
        7 => day(&format!("{text}-01")),
        10 => day(text),
        _ => Some(text.parse::<jiff::Timestamp>().ok()?.as_millisecond()),
    }
}

/// The same as a moment; none before 1970.
pub fn moment(text: &str) -> Option<Time> {
    millis_of(text).and_then(|millis| u64::try_from(millis).ok()).map(Time::from_millis)
}

fn day(text: &str) -> Option<i64> {
    let day: jiff::civil::Date = text.parse().ok()?;
    Some(day.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::moment;

    #[test]
    fn a_date_begins_with_its_first_moment() {
        let from = |text: &str| moment(text).map(|time| time.rfc3339());
        assert_eq!(from("2011").unwrap(), "2011-01-01T00:00:00.000Z");
        assert_eq!(from("2011-03").unwrap(), "2011-03-01T00:00:00.000Z");
        assert_eq!(from("2011-03-05").unwrap(), "2011-03-05T00:00:00.000Z");
        assert_eq!(from("2011-03-05T10:30:00+01:00").unwrap(), "2011-03-05T09:30:00.000Z");
        assert_eq!(from("yesterday"), None);
        assert_eq!(from("1911-03-05"), None);
        assert_eq!(super::millis_of("1969-12-31"), Some(-86_400_000));
    }
}
