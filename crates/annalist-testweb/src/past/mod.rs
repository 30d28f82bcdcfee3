//! A web over the years, as an archive kept it: pages appear, change and vanish, some were never captured, and one
//! festival comes back every June with the same words and other winners.
//!
//! `festival.rs` knows what happened in a year, `document.rs` which pages there are and where they link, `page.rs` what
//! they look like at a moment, `captures.rs` when they were captured, `write.rs` how that becomes files. Like the web
//! that is served, it is a pure function of its configuration.

mod captures;
mod document;
mod festival;
mod page;
mod write;

use std::ops::RangeInclusive;

use crate::prose::Prose;

use captures::Place;
pub use captures::{Capture, PastTruth};
use document::Document;
pub use festival::Festival;
pub use write::PastSummary;

/// What is written about, beside the festival.
pub(crate) const SITES: [&str; 12] = [
    "festival.test",
    "times.test",
    "herald.test",
    "radio.test",
    "cityhall.test",
    "culture.test",
    "notes.test",
    "travel.test",
    "forum.test",
    "market.test",
    "science.test",
    "sports.test",
];

/// Equal configurations give equal archives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastConfig {
    pub seed: u64,
    /// In which the festival takes place and pages appear. The archive goes on for half a year.
    pub years: RangeInclusive<u16>,
    /// Pages about each year's festival.
    pub festival_pages: usize,
    /// Pages about anything else, each year.
    pub other_pages: usize,
}

impl Default for PastConfig {
    /// About 20,000 captures.
    fn default() -> Self {
        PastConfig { seed: 1, years: 2008..=2012, festival_pages: 260, other_pages: 440 }
    }
}

/// The plan of an archive: what there was, and when it was looked at.
pub struct Past {
    config: PastConfig,
    prose: Prose,
    festivals: Vec<Festival>,
    /// In the order of their publication.
    documents: Vec<Document>,
    places: Vec<Place>,
}

impl Past {
    pub fn new(config: PastConfig) -> Past {
        let prose = Prose::new(config.seed);
        let festivals: Vec<Festival> =
            config.years.clone().map(|year| Festival::new(config.seed, year)).collect();
        let documents = document::all(&config, &festivals, &prose);
        let mut past = Past { config, prose, festivals, documents, places: Vec::new() };
        past.places = captures::places(&past);
        past
    }

    /// One for each year.
    pub fn festivals(&self) -> &[Festival] {
        &self.festivals
    }

    fn festival(&self, year: u16) -> Option<&Festival> {
        self.festivals.iter().find(|festival| festival.year == year)
    }
}
