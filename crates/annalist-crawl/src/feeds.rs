//! What feeds said of when pages were published, for when the pages come.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use annalist_apps::dates::{self, Hints};
use annalist_model::{CanonicalUrl, Evidence, Page, Published, Time, UrlKey};

/// Entries remembered; the oldest crawl has more, and the pages themselves mostly say it, too.
const MOST_ENTRIES: usize = 200_000;
/// How often the day of a feed is the page's own.
const CONFIDENCE: f32 = 0.9;

#[derive(Debug, Default)]
pub struct Feeds {
    days: Mutex<HashMap<UrlKey, Published>>,
}

impl Feeds {
    /// Remembers what a feed says of its entries. `captured`: nothing is published later.
    pub fn hear(&self, page: &Page, captured: Time) {
        let told = page.dated.iter().filter_map(|(url, text)| Some((url.key(), published(text, captured)?)));
        let told: Vec<(UrlKey, Published)> = told.collect();
        let mut days = self.days.lock().unwrap_or_else(PoisonError::into_inner);
        let room = MOST_ENTRIES.saturating_sub(days.len());
        days.extend(told.into_iter().take(room));
    }

    /// Gives a page the day that a feed told, unless the page itself is more certain.
    pub fn date(&self, url: &CanonicalUrl, page: &mut Page, captured: Time) {
        let days = self.days.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(told) = days.get(&url.key()).filter(|told| told.time() <= captured) else { return };
        if page.published.is_none_or(|own| own.confidence < told.confidence) {
            page.published = Some(*told);
        }
    }
}

fn published(text: &str, captured: Time) -> Option<Published> {
    let moment = dates::moment(text, &Hints::default())?;
    let told = Published {
        day: moment.day,
        clock: moment.clock,
        offset: moment.offset,
        precision: moment.precision,
        confidence: CONFIDENCE,
        evidence: Evidence::Feed,
    };
    (told.time() <= captured).then_some(told)
}

#[cfg(test)]
mod tests {
    use annalist_model::{CanonicalUrl, Canonicaliser, Evidence, Page, ResponseHead, Time};
    use annalist_read::Reader;

    use super::Feeds;

    const FEED: &str = "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>News</title>\
        <item><title>Bridge</title><link>http://a.test/bridge</link><pubDate>Sat, 17 May 2014 08:00:00 GMT</pubDate></item>\
        <item><title>Later</title><link>http://a.test/later</link><pubDate>Sat, 17 May 2031 08:00:00 GMT</pubDate></item>\
        </channel></rss>";
    const ATOM: &str = "<feed xmlns=\"http://www.w3.org/2005/Atom\"><updated>2020-01-01T00:00:00Z</updated>\
        <entry><updated>2014-06-01T00:00:00Z</updated><published>2014-05-18T10:00:00+02:00</published>\
        <link href=\"http://a.test/atom\"/></entry></feed>";

    fn day(feeds: &Feeds, url: &str) -> Option<String> {
        let mut page = Page::default();
        let captured = Time::from_millis(1_420_070_400_000); // 2015
        feeds.date(&CanonicalUrl::parse(url).unwrap(), &mut page, captured);
        assert!(page.published.is_none_or(|told| told.evidence == Evidence::Feed));
        page.published.map(|told| told.day.to_string())
    }

    #[test]
    fn a_page_has_the_day_that_a_feed_told_of_it_unless_that_is_to_come() {
        let feeds = Feeds::default();
        for (kind, xml) in [("application/rss+xml", FEED), ("application/atom+xml", ATOM)] {
            let head = ResponseHead { status: 200, fields: vec![("Content-Type".to_owned(), kind.into())] };
            let url = CanonicalUrl::parse("http://a.test/feed").unwrap();
            let page = Reader::new(Canonicaliser::default()).read(&url, &head, xml.as_bytes());
            feeds.hear(&page, Time::from_millis(1_420_070_400_000));
        }
        assert_eq!(day(&feeds, "http://a.test/bridge").as_deref(), Some("2014-05-17"));
        assert_eq!(day(&feeds, "http://a.test/atom").as_deref(), Some("2014-05-18"));
        assert_eq!(day(&feeds, "http://a.test/later"), None);
        assert_eq!(day(&feeds, "http://a.test/other"), None);
    }
}
