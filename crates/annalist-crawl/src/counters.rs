//! What a crawl has done so far, counted only when it is durable, and what it reports at the end.

use std::collections::BTreeMap;
use std::path::Path;

use annalist_judge::judge::RELEVANT;
use annalist_model::{Score, SkipReason};
use serde::{Deserialize, Serialize};

use crate::logs::events_since;

/// Media types and languages beyond this many are counted as `other`: servers invent them.
const MANY_TYPES: usize = 100;

/// Acknowledged work only: what stands here survives a power cut. Kept in the frontier's journal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counters {
    /// Exchanges kept in the archive, robots.txt and failures' pages included.
    pub captures: u64,
    /// Captures of links: what limits and budgets count.
    pub pages: u64,
    /// Captures with a new payload (the others are revisits).
    pub responses: u64,
    pub revisits: u64,
    /// Bytes received.
    pub bytes: u64,
    /// Bytes the archive grew by.
    pub stored_bytes: u64,
    /// Links that never answered, however often they were tried.
    pub failed: u64,
    pub retries: u64,
    pub truncated: u64,
    /// Mentions of links that were decided not to be fetched, by reason. A URL counts as often as it was met, also where
    /// another way to it was in scope: how many URLs they are would take a look-up for each.
    pub skipped: BTreeMap<String, u64>,
    pub by_status: BTreeMap<u16, u64>,
    pub by_mime: BTreeMap<String, u64>,
    /// Pages by the language they are written in, where it is known.
    pub by_language: BTreeMap<String, u64>,
    /// Pages by the application that made them, where it is known.
    pub by_application: BTreeMap<String, u64>,
    /// Pages by the seed they descend from.
    pub by_seed: BTreeMap<u32, u64>,
    /// Bytes received for them.
    pub bytes_by_seed: BTreeMap<u32, u64>,
    /// How relevant the pages were, where there is a topic.
    pub judged: Judged,
    /// Links found on pages.
    pub links: u64,
    /// Events of the log, by subsystem and severity: `fetch warning`.
    pub events: BTreeMap<String, u64>,
    /// Up to where the log of events has been counted.
    pub events_counted: Option<u64>,
    /// Time the crawl was running, over all its runs.
    pub millis: u64,
}

/// How relevant a crawl's pages were so far, and how that went.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Judged {
    pub pages: u64,
    /// Those with a score of one half or more.
    pub relevant: u64,
    /// Of all scores.
    pub score_sum: f64,
    /// Pages by score, in ten steps from 0 to 1.
    pub by_score: [u64; Judged::STEPS],
    /// Now and then: how many pages there were, and how many of them relevant.
    pub curve: Vec<(u64, u64)>,
    /// Pages between two points of the curve.
    pub step: u64,
}

impl Judged {
    /// A longer curve loses every second point.
    const MOST_POINTS: usize = 200;
    pub const STEPS: usize = 10;

    pub fn add(&mut self, score: Score) {
        self.pages += 1;
        self.relevant += u64::from(score.get() >= RELEVANT);
        self.score_sum += f64::from(score.get());
        let step = (score.get() * Judged::STEPS as f32) as usize;
        if let Some(count) = self.by_score.get_mut(step.min(Judged::STEPS - 1)) {
            *count += 1;
        }
        self.step = self.step.max(1);
        if self.pages.is_multiple_of(self.step) {
            self.curve.push((self.pages, self.relevant));
        }
        if self.curve.len() > Judged::MOST_POINTS {
            self.step *= 2;
            self.curve.retain(|(pages, _)| pages.is_multiple_of(self.step));
        }
    }

    /// The share of relevant pages.
    pub fn harvest_ratio(&self) -> Option<f64> {
        (self.pages > 0).then(|| self.relevant as f64 / self.pages as f64)
    }

    pub fn mean_score(&self) -> Option<f64> {
        (self.pages > 0).then(|| self.score_sum / self.pages as f64)
    }
}

impl Counters {
    pub fn skip(&mut self, reason: SkipReason) {
        self.skip_many(reason, 1);
    }

    pub fn skip_many(&mut self, reason: SkipReason, mentions: u64) {
        if mentions > 0 {
            *self.skipped.entry(reason.name().to_owned()).or_default() += mentions;
        }
    }

    /// A link that was skipped so often waits again.
    pub fn unskip(&mut self, reason: SkipReason, mentions: u64) {
        if let Some(count) = self.skipped.get_mut(reason.name()) {
            *count = count.saturating_sub(mentions);
        }
    }

    pub fn skipped_in_all(&self) -> u64 {
        self.skipped.values().sum()
    }

    pub fn capture(&mut self, status: u16, mime: &str, bytes: u64) {
        self.captures += 1;
        self.bytes += bytes;
        *self.by_status.entry(status).or_default() += 1;
        count_named(&mut self.by_mime, mime);
    }

    /// A page, by what is known of it.
    pub fn page(&mut self, language: Option<&str>, application: Option<&str>) {
        self.pages += 1;
        for (counts, name) in [(&mut self.by_language, language), (&mut self.by_application, application)] {
            if let Some(name) = name {
                count_named(counts, name);
            }
        }
    }

    pub fn event(&mut self, subsystem: &str, severity: &str) {
        *self.events.entry(format!("{subsystem} {severity}")).or_default() += 1;
    }

    /// What was kept, with what the log of events has beyond it: an event is written down at once, and the counters are
    /// kept with the next acknowledged work.
    pub fn kept(note: Option<&[u8]>, log: &Path) -> Counters {
        let mut counters = note.map(Counters::decode).unwrap_or_default();
        // Where nobody noted how far, it was all counted.
        if note.is_some() && counters.events_counted.is_none() {
            return counters;
        }
        match events_since(log, counters.events_counted.unwrap_or(0)) {
            Ok((events, end)) => {
                events.iter().for_each(|(subsystem, severity)| counters.event(subsystem, severity));
                counters.events_counted = Some(end);
            }
            Err(fault) => tracing::warn!(%fault, "the log of events cannot be counted"),
        }
        counters
    }

    pub fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    pub fn decode(bytes: &[u8]) -> Counters {
        serde_json::from_slice(bytes).unwrap_or_default()
    }
}

/// What others name: only so many of them are told apart.
fn count_named(counts: &mut BTreeMap<String, u64>, name: &str) {
    let known = counts.len() < MANY_TYPES || counts.contains_key(name);
    *counts.entry(if known { name } else { "other" }.to_owned()).or_default() += 1;
}

#[cfg(test)]
mod tests {
    use annalist_model::{Score, SkipReason};

    use super::{Counters, Judged, MANY_TYPES};
    use crate::logs::EVENTS;

    #[test]
    fn invented_media_types_do_not_fill_memory() {
        let mut counters = Counters::default();
        for n in 0..10 * MANY_TYPES {
            counters.capture(200, &format!("x/{n}"), 1);
            counters.page(Some(&format!("l{n}")), None);
        }
        assert!(counters.by_language.len() <= MANY_TYPES + 1 && counters.by_application.is_empty());
        assert!(counters.by_mime.len() <= MANY_TYPES + 1);
        assert_eq!(counters.by_mime.values().sum::<u64>(), 10 * MANY_TYPES as u64);
    }

    #[test]
    fn a_long_curve_keeps_its_shape_in_few_points() {
        let mut judged = Judged::default();
        for n in 0..10_000_u32 {
            judged.add(Score::new(if n < 5000 { 0.9 } else { 0.1 }));
        }
        assert!(judged.curve.len() <= Judged::MOST_POINTS && judged.curve.len() > Judged::MOST_POINTS / 3);
        assert!(judged.curve.iter().all(|(pages, relevant)| *relevant == (*pages).min(5000)));
        assert_eq!((judged.harvest_ratio(), judged.relevant), (Some(0.5), 5000));
        assert!((judged.mean_score().unwrap() - 0.5).abs() < 1e-4);
        assert_eq!(Judged::default().harvest_ratio(), None);
        assert_eq!(judged.by_score, [0, 5000, 0, 0, 0, 0, 0, 0, 0, 5000]);
        judged.add(Score::new(1.0));
        assert_eq!(judged.by_score.last(), Some(&5001));
    }

    #[test]
    fn events_that_were_logged_after_the_counters_were_kept_count() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join(EVENTS);
        std::fs::write(&log, "{\"subsystem\":\"crawl\",\"severity\":\"info\"}\n").unwrap();
        let counted = |counters: &Counters| counters.events.get("crawl info").copied();
        let first = Counters::kept(None, &log);
        assert_eq!(counted(&first), Some(1), "killed before anything was kept");
        let again = Counters::kept(Some(&first.encode()), &log);
        assert_eq!(again, first, "counted once");
        let of_before = Counters { events_counted: None, ..first };
        assert_eq!(counted(&Counters::kept(Some(&of_before.encode()), &log)), Some(1));
    }

    #[test]
    fn counters_survive_being_stored() {
        let mut counters = Counters::default();
        counters.capture(404, "text/html", 12);
        counters.skip(SkipReason::Robots);
        assert_eq!(Counters::decode(&counters.encode()), counters);
    }
}
