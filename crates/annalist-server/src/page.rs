//! What is known of one captured page: what was written on it, and which words made its score. Why it was fetched, the
//! crawl itself explains.

use std::sync::Arc;

use annalist_crawl::judging::rules;
use annalist_judge::Definition;
use annalist_judge::explain::{Explanation as Judged, explain as judge};
use annalist_knowledge::search::Entry;
use annalist_model::spec::Spec;
use annalist_model::{CanonicalUrl, DocumentTime, Page, Time, TimeBasis};
use annalist_replay::Listed;

use crate::problem::Problem;
use crate::serve::App;

#[derive(Debug, Default)]
pub struct Known {
    /// The page, and behind it what was written on it.
    pub entries: Vec<Entry>,
    /// Where the page was judged.
    pub judged: Option<Judged>,
    /// Its captures, and which of them this is.
    pub listed: Listed,
    /// The address whose capture has its content, where that is another, and when that was.
    pub same_as: Option<(String, String)>,
    /// How that stands to the archive, or why nothing can be looked up; `None` where nothing was asked.
    pub freshness: Option<Result<&'static str, Problem>>,
}

impl Known {
    /// `url` may be as people type it; `at`: the digits of a moment, or some of them; the newest capture where there are none. What is not
    /// read yet is left out.
    pub fn of(app: &App, id: &str, url: &str, at: &str) -> Result<Known, Problem> {
        // Where the spec cannot be used, what was captured can be looked at all the same.
        app.service.job(id)?;
        let spec = app.service.spec(id).unwrap_or_else(|_| Arc::new(Spec::named(id)));
        let canonical =
            spec.canonical.parse_typed(url).map_err(|fault| Problem::field("url", fault.to_string()))?;
        // What is told is of the capture that is shown, whatever part of a time was given.
        let at = at.get(..14).unwrap_or(at);
        let listed = app.archives.listed(id, url, at)?;
        let shown = listed.shown.as_ref();
        let captured = shown.and_then(|shown| listed.captures.get(shown.place));
        let original = shown.and_then(|shown| shown.original.clone());
        // As pages are kept, whoever wrote the archive.
        let spelled = |address: &str| {
            spec.canonical.parse(address).map_or_else(|_| address.to_owned(), |url| url.as_str().to_owned())
        };
        let address =
            original.as_ref().map_or_else(|| canonical.as_str().to_owned(), |(url, _)| spelled(url));
        let same_as = original.clone().filter(|_| address != canonical.as_str());
        let time = original.as_ref().map(|(_, time)| time).or(captured.map(|captured| &captured.timestamp));
        let time = time.map_or(at, String::as_str);
        let (entries, freshness) = match app.knowledge.search(&[id.to_owned()]) {
            Ok(opened) => {
                let entries = opened.store.page(&address, millis(time)).unwrap_or_default();
                (entries, Ok(opened.freshness.word()))
            }
            Err(problem) => (Vec::new(), Err(problem)),
        };
        let judged = entries.first().filter(|page| page.relevance.is_some()).and_then(|page| {
            let definition = app.service.job(id).ok()?.root().join("definition.toml");
            let definition = Definition::read(&std::fs::read_to_string(definition).ok()?).ok()?;
            Some(judged(&definition, &spec, page, &canonical))
        });
        Ok(Known { entries, judged, listed, same_as, freshness: Some(freshness) })
    }
}

/// What the words of a page are worth by the definition of the topic as it is now.
fn judged(definition: &Definition, spec: &Spec, page: &Entry, url: &CanonicalUrl) -> Judged {
    let from = match page.published_at {
        Some(published) => DocumentTime::exact(moment(published), TimeBasis::Published),
        None => DocumentTime::exact(moment(page.captured_at), TimeBasis::Captured),
    };
    let read = Page {
        title: page.title.clone(),
        text: page.text.clone(),
        language: page.language.clone(),
        ..Page::default()
    };
    judge(definition, rules(spec), url, &read, Some(from))
}

/// Milliseconds since 1970 as an index keeps them; nothing that was captured is older.
pub fn moment(millis: i64) -> Time {
    Time::from_millis(u64::try_from(millis).unwrap_or_default())
}

/// `20110305101112` as milliseconds since 1970; a day or a year alone is its beginning.
pub fn millis(at: &str) -> Option<i64> {
    let part = |from: usize, to: usize, least: &'static str| at.get(from..to).unwrap_or(least);
    let text = format!(
        "{}-{}-{}T{}:{}:{}Z",
        at.get(..4)?,
        part(4, 6, "01"),
        part(6, 8, "01"),
        part(8, 10, "00"),
        part(10, 12, "00"),
        part(12, 14, "00")
    );
    annalist_knowledge::millis_of(&text)
}

#[cfg(test)]
mod tests {
    use super::millis;

    #[test]
    fn a_time_may_be_given_in_part() {
        assert_eq!(millis("20110305101112"), millis("20110305101112000"));
        assert_eq!(millis("2011"), millis("20110101000000"));
        assert_eq!(millis("1970010100"), Some(0));
        assert_eq!(millis("201113"), None);
        assert_eq!(millis(""), None);
    }
}
