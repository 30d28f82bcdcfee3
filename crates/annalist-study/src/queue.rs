//! The product's own frontier, on a disk in memory and under a clock that only counts: no site ever rests.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use annalist_disk::SimDisk;
use annalist_frontier::{
    Batch, Change, Frontier, FrontierError, Journal, Lease, Merging, Purpose, Settings, Urgency, open,
};
use annalist_model::spec::SiteOrder;
use annalist_model::{CanonicalUrl, Link, Outcome, Time, UrlKey};

use crate::policy::Policy;

const DIR: &str = "/frontier";
const MEMORY_BYTES: u64 = 256 << 20;
/// How often it is asked again while it looks for links it has put away.
const PATIENCE: usize = 1000;

#[derive(Debug)]
pub(crate) struct Queue {
    frontier: Frontier,
    journal: Journal,
    now: Time,
}

impl Queue {
    pub(crate) fn new(policy: Policy) -> Result<Queue, FrontierError> {
        let settings = Settings {
            memory_bytes: MEMORY_BYTES,
            order: policy.order(),
            update: policy.update(),
            site_order: SiteOrder::BestLink,
            links_per_turn: policy.links_per_turn,
            merging: Merging::Inline,
            ..Settings::default()
        };
        let now = Time::from_millis(1);
        let (frontier, journal) = open(Arc::new(SimDisk::new()), Path::new(DIR), settings, now)?;
        Ok(Queue { frontier, journal, now })
    }

    /// Before everything else.
    pub(crate) fn seeds(&mut self, seeds: &[CanonicalUrl]) -> Result<(), FrontierError> {
        let mut batch = Batch::new();
        for (number, url) in (0..).zip(seeds) {
            let link = Link::seed(url.clone(), number);
            batch.push(&Change::Discovered { link, value: 1.0, urgency: Urgency::Urgent });
        }
        self.commit(batch)
    }

    pub(crate) fn commit(&mut self, batch: Batch) -> Result<(), FrontierError> {
        let committed = self.journal.commit_batch(batch)?;
        self.frontier.apply(committed)
    }

    pub(crate) fn next(&mut self) -> Result<Option<Lease>, FrontierError> {
        for _ in 0..PATIENCE {
            self.now = self.now.plus(Duration::from_millis(1));
            if let Some(lease) = self.frontier.next(self.now)? {
                return Ok(Some(lease));
            }
            let Some(ready) = self.frontier.next_ready_at() else { return Ok(None) };
            self.now = self.now.max(ready);
        }
        Ok(None)
    }

    /// What of the lease has no outcome goes back to its place.
    pub(crate) fn release(&mut self, lease: &Lease) -> Result<(), FrontierError> {
        self.frontier.release(lease.id, self.now, &[])
    }
}

pub(crate) fn found(batch: &mut Batch, link: &Link, value: f32) {
    batch.discovered(&link.into(), value, Urgency::Normal);
}

pub(crate) fn done(batch: &mut Batch, key: UrlKey, outcome: Outcome) {
    let change = Change::Done {
        key,
        outcome,
        place: None,
        digest: None,
        at: Time::from_millis(1),
        bytes: 0,
        purpose: Purpose::Page,
    };
    batch.push(&change);
}
