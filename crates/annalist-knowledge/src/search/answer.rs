//! A question and its answer. How one becomes the other is in `ask.rs`.

use std::path::PathBuf;

use serde::Serialize;

use super::entry::Entry;
use super::gather::FacetField;
use super::highlight::Snippet;
use super::query::{QueryError, Wanted};

/// Who turns pages further than this asks for more than can be read.
pub(super) const DEEPEST: usize = 10_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    #[default]
    Relevance,
    Newest,
    Oldest,
}

#[derive(Clone, Debug)]
pub struct Question {
    pub wanted: Wanted,
    pub sort: Sort,
    pub limit: usize,
    /// From 1.
    pub page: usize,
    pub facets: Vec<FacetField>,
    /// How many labels of each.
    pub labels: usize,
    /// Whether months are counted.
    pub over_time: bool,
    /// Whether near duplicates and further captures stand with the first of them.
    pub fold: bool,
}

impl Default for Question {
    fn default() -> Question {
        Question {
            wanted: Wanted::Everything,
            sort: Sort::Relevance,
            limit: 10,
            page: 1,
            facets: Vec::new(),
            labels: 10,
            over_time: false,
            fold: true,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Answer {
    /// Documents that match, folded ones among them.
    pub total: u64,
    pub hits: Vec<Hit>,
    /// Whether there is another page.
    pub more: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub facets: Vec<Facet>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub months: Vec<MonthCount>,
    /// Documents of which nobody knows when they were published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undated: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hit {
    #[serde(flatten)]
    pub entry: Entry,
    pub site: String,
    /// RFC 3339
    pub captured: String,
    /// Nothing where results are in the order of time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f32>,
    pub shown_title: Option<Snippet>,
    pub snippet: Snippet,
    /// Which of the indexes, in the order they were opened.
    pub index: usize,
    /// How many more there are like it, and the first of them.
    pub like_it: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folded: Vec<Folded>,
}

/// Where another one like a hit is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Folded {
    pub url: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub captured: String,
    pub record: String,
    pub file: String,
    pub offset: u64,
    pub index: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Facet {
    pub field: &'static str,
    /// The most frequent first.
    pub counts: Vec<LabelCount>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LabelCount {
    pub label: String,
    pub count: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MonthCount {
    /// Of publication, `2011-03`.
    pub month: String,
    pub count: u64,
    /// The mean, from -1 to 1, of those that a study judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sentiment: Option<f64>,
}

#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    #[error("{0}")]
    Query(QueryError),
    #[error(
        "there are {DEEPEST} results at most to turn through, and page {page} of {limit} ends behind them: narrow the question"
    )]
    TooDeep { page: usize, limit: usize },
    #[error("there is no search index in {}: `annalist rebuild` makes one", .0.display())]
    Missing(PathBuf),
    #[error("the search index in {} cannot be read ({why}): `annalist rebuild` makes it again", .folder.display())]
    Damaged { folder: PathBuf, why: String },
}
