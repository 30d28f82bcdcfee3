//! The list of pages that a WACZ file shows its readers: seeds first, then the best.

use std::cmp::Reverse;

use serde_json::json;

use super::choice::by_score;
use super::reading::Seen;
use super::survey::Entry;

#[derive(Debug, Default)]
pub struct Pages(Vec<Listed>);

#[derive(Debug)]
struct Listed {
    place: (bool, Reverse<i64>),
    url: String,
    date: String,
    line: String,
}

impl Pages {
    pub fn add(&mut self, entry: &Entry, seen: &Seen) {
        if !seen.is_page() || entry.is_embed {
            return;
        }
        let mut page = json!({
            "id": format!("{:016x}", entry.id), "url": seen.url, "ts": seen.date,
            "size": entry.length, "mime": seen.mime, "status": seen.status,
        });
        if let Some(title) = seen.page.as_ref().and_then(|page| page.title.as_deref()) {
            page["title"] = title.into();
        }
        if entry.is_seed {
            page["seed"] = true.into();
        }
        self.0.push(Listed {
            place: (!entry.is_seed, by_score(entry.score)),
            url: seen.url.clone(),
            date: seen.date.clone(),
            line: page.to_string(),
        });
    }

    pub fn len(&self) -> u64 {
        self.0.len() as u64
    }

    /// Where a reader begins.
    pub fn main_page(&self) -> Option<(String, String)> {
        let first = self.0.iter().min_by_key(|listed| listed.place)?;
        Some((first.url.clone(), first.date.clone()))
    }

    pub fn lines(mut self) -> impl Iterator<Item = String> {
        self.0.sort_by_key(|listed| listed.place);
        self.0.into_iter().map(|listed| listed.line)
    }
}
