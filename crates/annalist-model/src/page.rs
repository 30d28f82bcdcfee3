//! What was read from a capture. How it is read is in `annalist-read`.

use std::ops::Range;

use url::Url;

use crate::link::{LinkKind, shortened};
use crate::published::Published;
use crate::time::{DocumentTime, Time, TimeBasis};
use crate::url::{CanonicalUrl, LONGEST_URL, UrlError};

/// What was read from a capture. Reading cannot fail a visit: an unreadable page says why.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// The media type by content, lower case, without parameters: `text/html`.
    pub mime: String,
    /// The name of the encoding the text was in, when it is text.
    pub charset: Option<&'static str>,
    /// ISO 639-1, when the text is long enough to tell.
    pub language: Option<String>,
    pub title: Option<String>,
    /// When it was published, as far as it says; found by the helper for applications, not by the reader.
    pub published: Option<Published>,
    /// When it was last changed, by its own word or its server's.
    pub modified: Option<Time>,
    /// The visible text, shortened to the reader's limit.
    pub text: String,
    /// The regions of the text, one after the other; none where nothing tells regions apart.
    pub parts: Vec<Part>,
    pub links: Vec<FoundLink>,
    /// What a feed says of when its entries were published, in its own words.
    pub dated: Vec<(CanonicalUrl, String)>,
    /// `<link rel=canonical>`, resolved.
    pub canonical: Option<CanonicalUrl>,
    /// What the page asks of robots in markup or header.
    pub robots: RobotsMeta,
    pub readability: Readability,
    pub unusable: Unusable,
}

/// Less certain than this, a date says less than when the page was last changed.
const SURE_ENOUGH: f32 = 0.4;

impl Page {
    /// When it is from: when it was published, else last changed, else captured.
    pub fn time(&self, captured: Time) -> DocumentTime {
        let published = self.published.filter(|published| published.confidence >= SURE_ENOUGH);
        match (published, self.modified) {
            (Some(published), _) => {
                let (from, until) = (published.time(), published.until());
                DocumentTime { at: from, until: until.min(captured).max(from), basis: TimeBasis::Published }
            }
            (None, Some(modified)) => DocumentTime::exact(modified, TimeBasis::Modified),
            (None, None) => DocumentTime::exact(captured, TimeBasis::Captured),
        }
    }
}

/// `<meta name=robots>` and X-Robots-Tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RobotsMeta {
    pub noindex: bool,
    pub nofollow: bool,
    pub noarchive: bool,
}

/// A region of a page: from there to the next one, or to the end of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub kind: PartKind,
    /// Where it begins in the page's text.
    pub from: usize,
}

/// What a region is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PartKind {
    /// What the page is there for, or nothing is known.
    #[default]
    Main,
    Navigation,
    Header,
    Footer,
    Aside,
}

/// How far reading got.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Readability {
    #[default]
    Whole,
    /// Read, with something left out: `nesting deeper than 512`.
    Partial(String),
    /// Nothing to read in this media type.
    Opaque,
}

/// A link as a page names it.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundLink {
    pub url: CanonicalUrl,
    pub kind: LinkKind,
    /// The words of the link itself.
    pub anchor: String,
    /// The text around it.
    pub context: String,
    /// Where it stands in the page's text; empty where its words are not part of it.
    pub at: Range<usize>,
    /// `rel=nofollow` and its kin.
    pub nofollow: bool,
}

/// Mentions that are no fetchable URL: `mailto:`, `javascript:`, nonsense, addresses without end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unusable {
    /// How many there were.
    pub count: u32,
    /// The first of them, as [`Unusable::spelling`] writes them, each with what is wrong with it.
    pub listed: Vec<(String, UrlError)>,
}

impl Unusable {
    /// What a page may fill a log with.
    pub const MOST_LISTED: usize = 100;
    /// Of a script, a picture in an address or nonsense, the beginning tells enough.
    const LONGEST_ODD: usize = 200;

    pub fn note(&mut self, base: Option<&Url>, raw: &str, fault: UrlError) {
        self.count = self.count.saturating_add(1);
        if self.listed.len() < Unusable::MOST_LISTED {
            self.listed.push((Unusable::spelling(base, raw), fault));
        }
    }

    /// How such an address is written in logs, and looked for there: absolute where it can be, and cut.
    pub fn spelling(base: Option<&Url>, raw: &str) -> String {
        let raw = shortened(raw.trim(), 2 * LONGEST_URL);
        let absolute = Url::options().base_url(base).parse(raw);
        let text = absolute.as_ref().map_or(raw, Url::as_str);
        let is_web = absolute.as_ref().is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        shortened(text, if is_web { LONGEST_URL } else { Unusable::LONGEST_ODD }).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::{Page, Unusable};
    use crate::published::{Evidence, Precision, Published};
    use crate::time::{DocumentTime, Time, TimeBasis};
    use crate::url::{CanonicalUrl, LONGEST_URL, UrlError};

    #[test]
    fn a_page_is_from_when_it_was_published_else_changed_else_captured() {
        let day = |year, month, day| {
            Time::of(jiff::civil::date(year, month, day).at(0, 0, 0, 0), jiff::tz::Offset::UTC)
        };
        let published = |precision| Published {
            day: jiff::civil::date(2010, 3, 1),
            clock: None,
            offset: None,
            precision,
            confidence: 1.0,
            evidence: Evidence::Url,
        };
        let (modified, captured) = (day(2011, 1, 1), day(2012, 1, 1));
        let mut page = Page::default();
        assert_eq!(page.time(captured), DocumentTime::exact(captured, TimeBasis::Captured));
        page.modified = Some(modified);
        assert_eq!(page.time(captured), DocumentTime::exact(modified, TimeBasis::Modified));
        page.published = Some(published(Precision::Month));
        let month = page.time(captured);
        let last = Time::from_millis(day(2010, 4, 1).millis() - 1);
        assert_eq!((month.at, month.until, month.basis), (day(2010, 3, 1), last, TimeBasis::Published));
        page.published = Some(published(Precision::Year));
        assert_eq!(page.time(day(2010, 6, 1)).until, day(2010, 6, 1), "never later than the capture");
        assert_eq!(page.time(captured).until.day(), jiff::civil::date(2011, 2, 28));
    }

    #[test]
    fn an_unusable_address_is_listed_as_it_is_looked_for() {
        let page = CanonicalUrl::parse("http://a.test/dir/page").unwrap();
        let tail = "x".repeat(3 * LONGEST_URL);
        let mut unusable = Unusable::default();
        for _ in 0..200 {
            unusable.note(Some(page.as_url()), &tail, UrlError::TooLong);
        }
        assert_eq!((unusable.count, unusable.listed.len()), (200, Unusable::MOST_LISTED));
        assert_eq!(unusable.listed[0].0, Unusable::spelling(None, &format!("http://a.test/dir/{tail}")));
        assert_eq!(unusable.listed[0].0.len(), LONGEST_URL);
        assert_eq!(Unusable::spelling(None, &format!("data:text/plain,{tail}")).len(), 200);
        assert_eq!(Unusable::spelling(Some(page.as_url()), "mailto:A@b.test"), "mailto:A@b.test");
        assert_eq!(Unusable::spelling(Some(page.as_url()), "http://["), "http://[");
    }
}
