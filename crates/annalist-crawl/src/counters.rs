//! What a crawl has done so far, counted only when it is durable, and what it reports at the end.

use std::collections::BTreeMap;

use annalist_model::SkipReason;
use serde::{Deserialize, Serialize};

/// Media types beyond this many are counted as `other`: servers invent them.
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
    /// Pages by the seed they descend from.
    pub by_seed: BTreeMap<u32, u64>,
    /// Bytes received for them.
    pub bytes_by_seed: BTreeMap<u32, u64>,
    /// Links found on pages.
    pub links: u64,
    /// Time the crawl was running, over all its runs.
    pub millis: u64,
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
        let known = self.by_mime.len() < MANY_TYPES || self.by_mime.contains_key(mime);
        *self.by_mime.entry(if known { mime } else { "other" }.to_owned()).or_default() += 1;
    }

    pub fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    pub fn decode(bytes: &[u8]) -> Counters {
        serde_json::from_slice(bytes).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use annalist_model::SkipReason;

    use super::{Counters, MANY_TYPES};

    #[test]
    fn invented_media_types_do_not_fill_memory() {
        let mut counters = Counters::default();
        for n in 0..10 * MANY_TYPES {
            counters.capture(200, &format!("x/{n}"), 1);
        }
        assert!(counters.by_mime.len() <= MANY_TYPES + 1);
        assert_eq!(counters.by_mime.values().sum::<u64>(), 10 * MANY_TYPES as u64);
    }

    #[test]
    fn counters_survive_being_stored() {
        let mut counters = Counters::default();
        counters.capture(404, "text/html", 12);
        counters.skip(SkipReason::Robots);
        assert_eq!(Counters::decode(&counters.encode()), counters);
    }
}
