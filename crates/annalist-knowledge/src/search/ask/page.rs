//! What is kept of one page: itself, and what was written on it.

use tantivy::collector::DocSetCollector;
use tantivy::query::TermQuery;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{Searcher, Term};

use super::{Opened, Place, Reader};
use crate::search::answer::SearchError;
use crate::search::damage::caught;
use crate::search::entry::{Entry, key_of};
use crate::search::fields::number_of;

/// A page with more on it than this is shown in part.
const MOST: usize = 500;

impl Reader {
    /// The page at an address, as it was captured nearest to a moment (the last time where none is given), and behind it what
    /// was written on it. Nothing where it was never captured.
    pub fn page(&self, url: &str, at: Option<i64>) -> Result<Vec<Entry>, SearchError> {
        caught(|| self.find_page(url, at)).unwrap_or_else(|why| Err(self.unreadable(why)))
    }

    fn find_page(&self, url: &str, at: Option<i64>) -> Result<Vec<Entry>, SearchError> {
        let searchers: Vec<_> = self.opened.iter().map(|opened| opened.reader.searcher()).collect();
        let key = key_of(url, None);
        let mut captures = Vec::new();
        for (index, (opened, searcher)) in self.opened.iter().zip(&searchers).enumerate() {
            for place in places(opened, index, searcher, opened.fields.key_id, &key)? {
                let entry = self.entry(&searchers, place)?;
                captures.extend((entry.key == key).then_some((index, entry)));
            }
        }
        let distance = |entry: &Entry| match at {
            Some(at) => entry.captured_at.abs_diff(at),
            None => u64::MAX - entry.captured_at.unsigned_abs(),
        };
        let nearest = captures.into_iter().min_by_key(|(_, entry)| distance(entry));
        let Some((index, page)) = nearest else { return Ok(Vec::new()) };
        let (Some(opened), Some(searcher)) = (self.opened.get(index), searchers.get(index)) else {
            return Ok(vec![page]);
        };
        let all = places(opened, index, searcher, opened.fields.record_id, &page.record)?;
        let record = page.record.clone();
        let mut entries = vec![page];
        for place in all.into_iter().take(MOST) {
            let entry = self.entry(&searchers, place)?;
            if entry.kind != "page" && entry.record == record {
                entries.push(entry);
            }
        }
        Ok(entries)
    }
}

/// Where the documents are that have the number of this name in a field, in the order in which they were written.
fn places(
    opened: &Opened,
    index: usize,
    searcher: &Searcher,
    field: Field,
    name: &str,
) -> Result<Vec<Place>, SearchError> {
    let query = TermQuery::new(Term::from_field_u64(field, number_of(name)), IndexRecordOption::Basic);
    let found = searcher.search(&query, &DocSetCollector).map_err(|e| opened.damaged(e))?;
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_unstable();
    Ok(found.into_iter().map(|address| (index, address)).collect())
}
