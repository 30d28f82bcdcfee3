//! When the pages were captured, and what is true about each capture.

use std::collections::HashMap;

use super::document::Document;
use super::page::Body;
use super::{Past, SITES};
use crate::calendar::{DAY, Moment, seconds_at};
use crate::dice::Dice;

/// Of a document, beside its first.
const MOST_LATER_CAPTURES: usize = 6;

/// An address, and when it was captured.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    subject: Subject,
    times: Vec<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    Document(usize),
    Home(usize),
    /// The pages of one month.
    List {
        site: usize,
        month: u64,
    },
    Feed(usize),
}

/// One capture: what a crawler received.
#[derive(Clone, Debug)]
pub struct Capture {
    pub url: String,
    /// Seconds since 1970.
    pub at: u64,
    pub status: u16,
    pub mime: &'static str,
    pub last_modified: Option<u64>,
    pub body: String,
    /// The capture of the same address that had the same body first.
    pub same_body: Option<u64>,
}

/// What is true about a capture, or about a page that was never captured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastTruth {
    pub url: String,
    /// Seconds since 1970; nothing for a page that is missing in the archive.
    pub at: Option<u64>,
    /// `document`, `home`, `list` or `feed`.
    pub kind: &'static str,
    /// 0 for a page that is missing.
    pub status: u16,
    pub published: Option<u64>,
    /// Where the page says so: `meta`, `json-ld`, `time`, `text`, `url` or `none`.
    pub date_in: &'static str,
    /// `festival-2010`, or `none`.
    pub event: String,
    /// The capture of the same address that has the same text: this one differs in what is around it, or not at all.
    pub same_as: Option<u64>,
}

pub(crate) fn places(past: &Past) -> Vec<Place> {
    let seed = past.config.seed;
    let (first, last) = (*past.config.years.start(), *past.config.years.end());
    let (start, end) = (seconds_at(first.into(), 1, 1), seconds_at(u64::from(last) + 1, 7, 1));
    let mut places: Vec<Place> = Vec::new();
    for (number, document) in past.documents.iter().enumerate().filter(|(_, document)| document.archived) {
        places.push(Place { subject: Subject::Document(number), times: document_times(seed, document, end) });
    }
    let every = |site: usize, salt: u64, days: usize| {
        let mut dice = Dice::new(&[seed, salt, site as u64]);
        let mut times = Vec::new();
        let mut at = start + dice.below(days * 86_400) as u64;
        while at < end {
            times.push(at);
            at += (days * 43_200 + dice.below(days * 86_400)) as u64;
        }
        times
    };
    for site in 0..SITES.len() {
        // The festival's own page is looked at often.
        let times = every(site, 0x40e5, if site == 0 { 5 } else { 18 });
        places.push(Place { subject: Subject::Home(site), times });
        places.push(Place { subject: Subject::Feed(site), times: every(site, 0xfeed, 40) });
        for year in first..=last {
            for month in 1..=12 {
                let month = seconds_at(year.into(), month, 1);
                let mut dice = Dice::new(&[seed, 0x1157, site as u64, month]);
                let times = [33, 130, 400].map(|days| month + (days + dice.below(20) as u64) * DAY);
                let times = times.into_iter().filter(|at| *at < end).collect();
                places.push(Place { subject: Subject::List { site, month }, times });
            }
        }
    }
    places
}

/// Most pages are found within days, some a year later; then they are looked at every few months.
fn document_times(seed: u64, document: &Document, end: u64) -> Vec<u64> {
    let mut dice = Dice::new(&[seed, 0xca97, document.number]);
    let wait = if dice.below(10) == 0 { 60 + dice.below(340) } else { dice.below(12) };
    let mut at = document.published + wait as u64 * DAY + 3600 + dice.below(80_000) as u64;
    let mut times = Vec::new();
    while at < end && times.len() <= MOST_LATER_CAPTURES {
        times.push(at);
        at += (50 + dice.below(170)) as u64 * DAY + dice.below(86_400) as u64;
    }
    times
}

impl Past {
    /// Every capture in the order of time, with what is true about it.
    pub fn each_capture<E>(
        &self,
        take: &mut dyn FnMut(Capture, PastTruth) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut order: Vec<(u64, usize)> = self
            .places
            .iter()
            .enumerate()
            .flat_map(|(place, captured)| captured.times.iter().map(move |at| (*at, place)))
            .collect();
        order.sort_unstable();
        let mut bodies: HashMap<(usize, u64), u64> = HashMap::new();
        let mut texts: HashMap<(usize, bool), u64> = HashMap::new();
        for (at, place) in order {
            let Some(Place { subject, .. }) = self.places.get(place) else { continue };
            let (status, body) = self.answer(*subject, at);
            let same_body = first(&mut bodies, (place, hash(body.text.as_bytes())), at);
            let mut truth = self.truth_of(*subject, at, status);
            truth.same_as = match *subject {
                _ if status != 200 => None,
                Subject::Document(number) => {
                    let edited = self.documents.get(number).and_then(|document| document.edited);
                    first(&mut texts, (place, edited.is_some_and(|edited| edited <= at)), at)
                }
                _ => same_body,
            };
            let capture = Capture {
                url: truth.url.clone(),
                at,
                status,
                mime: body.mime,
                last_modified: self.last_modified(*subject, at).filter(|_| status == 200),
                body: body.text,
                same_body,
            };
            take(capture, truth)?;
        }
        Ok(())
    }

    /// Pages that others link to and that nobody ever captured.
    pub fn missing_pages(&self) -> impl Iterator<Item = PastTruth> {
        let missing = self.documents.iter().enumerate().filter(|(_, document)| !document.archived);
        missing.map(|(number, _)| PastTruth { at: None, ..self.truth_of(Subject::Document(number), 0, 0) })
    }

    fn answer(&self, subject: Subject, at: u64) -> (u16, Body) {
        match subject {
            Subject::Document(number) => {
                let Some(document) = self.documents.get(number) else { return (404, self.not_found(0, at)) };
                if document.vanished.is_some_and(|vanished| vanished <= at) {
                    return (404, self.not_found(document.site, at));
                }
                (200, self.document_page(document, at))
            }
            Subject::Home(site) => (200, self.home(site, at)),
            Subject::List { site, month } => (200, self.list(site, month, at)),
            Subject::Feed(site) => (200, self.feed(site, at)),
        }
    }

    fn truth_of(&self, subject: Subject, at: u64, status: u16) -> PastTruth {
        let on = |site: usize, path: &str| format!("http://{}{path}", SITES[site]);
        let (url, kind, event) = match subject {
            Subject::Document(number) => {
                let Some(document) = self.documents.get(number) else { return PastTruth::default() };
                return PastTruth {
                    url: document.url(),
                    at: Some(at),
                    kind: "document",
                    status,
                    published: Some(document.published),
                    date_in: document.date_in.name(),
                    event: document.event(),
                    same_as: None,
                };
            }
            Subject::Home(site) => {
                let event = self.hub_year(site, at).and_then(|year| self.festival(year));
                (on(site, "/"), "home", event.map(super::Festival::event))
            }
            Subject::List { site, month } => {
                (on(site, &format!("/archive/{}/", Moment::new(month).month_path())), "list", None)
            }
            Subject::Feed(site) => (on(site, "/feed.xml"), "feed", None),
        };
        let event = event.unwrap_or_else(|| "none".to_owned());
        PastTruth { url, at: Some(at), kind, status, event, ..PastTruth::default() }
    }

    /// Every other site says when a page was changed last.
    fn last_modified(&self, subject: Subject, at: u64) -> Option<u64> {
        let Subject::Document(number) = subject else { return None };
        let document = self.documents.get(number).filter(|document| document.site.is_multiple_of(2))?;
        document.edited.filter(|edited| *edited <= at).or(Some(document.published))
    }
}

impl Default for PastTruth {
    fn default() -> Self {
        PastTruth {
            url: String::new(),
            at: None,
            kind: "",
            status: 0,
            published: None,
            date_in: "none",
            event: "none".to_owned(),
            same_as: None,
        }
    }
}

/// When this was first seen, if it was before.
fn first<K: std::hash::Hash + Eq>(seen: &mut HashMap<K, u64>, key: K, at: u64) -> Option<u64> {
    let first = *seen.entry(key).or_insert(at);
    (first != at).then_some(first)
}

/// Bodies of one address that are not the same are told apart.
fn hash(bytes: &[u8]) -> u64 {
    let words = bytes
        .chunks(8)
        .map(|chunk| chunk.iter().rev().fold(0_u64, |word, byte| (word << 8) | u64::from(*byte)));
    words.fold(bytes.len() as u64, |hash, word| {
        (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
    })
}
