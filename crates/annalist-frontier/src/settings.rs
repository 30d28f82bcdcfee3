//! What the frontier may use and how it orders. The spec is read elsewhere.

use std::time::Duration;

use annalist_model::spec::{Order, SiteOrder, Update};

use crate::entry::ENTRY_BYTES;
use crate::run::BLOCK;

#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// What all of the frontier may hold in memory, near enough.
    pub memory_bytes: u64,
    pub order: Order,
    pub update: Update,
    pub site_order: SiteOrder,
    /// `bl`: links of one site in one turn.
    pub links_per_turn: u16,
    /// After this a lease gives its links back.
    pub lease_time: Duration,
    /// After an unclean restart every site waits this long, or its own delay where that is longer.
    pub default_delay: Duration,
    pub merging: Merging,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            memory_bytes: 512 << 20,
            order: Order::default(),
            update: Update::default(),
            site_order: SiteOrder::default(),
            links_per_turn: 5,
            lease_time: Duration::from_secs(3600),
            default_delay: Duration::from_secs(3),
            merging: Merging::Background,
        }
    }
}

/// Who merges what is in memory with what is on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merging {
    /// A thread of its own: discovery and leases never wait.
    Background,
    /// Whoever calls, at once: the same calls always do the same.
    Inline,
}

/// Whether a link waits for its score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Urgency {
    #[default]
    Normal,
    /// Before all others of its site: what a page embeds.
    Urgent,
}

/// What a capture was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Purpose {
    #[default]
    Page,
    /// Needed before a page may be asked for, such as robots.txt: no capture of its site's count.
    Prerequisite,
}

/// Of a run.
const BLOCK_BYTES: u64 = (BLOCK * ENTRY_BYTES) as u64;

/// Sites are spread over this many buckets; each is merged by itself, so no merge is long.
pub(crate) const BUCKETS: usize = 64;
/// The parts that a frontier is looked through in.
pub const PARTS: usize = BUCKETS;

pub(crate) fn bucket_of(site: u64) -> usize {
    (site >> (u64::BITS - BUCKETS.ilog2())) as usize
}

impl Settings {
    /// Scores are always summed where they are cash.
    pub(crate) fn combining(&self) -> Update {
        match self.order {
            Order::Opic => Update::Sum,
            _ => self.update,
        }
    }

    /// Links not merged yet. A merge holds a second copy of a part of them.
    pub(crate) fn pending_bytes(&self) -> u64 {
        self.memory_bytes / 8 * 5
    }

    /// Sites held in memory, of one bucket. A site is about 256 bytes without its head.
    pub(crate) fn bucket_sites(&self) -> usize {
        usize::try_from(self.memory_bytes / 8 / 256 / BUCKETS as u64).unwrap_or(usize::MAX).max(4)
    }

    /// Links in the heads of all sites, at 24 bytes each.
    pub(crate) fn head_links(&self) -> usize {
        usize::try_from(self.memory_bytes / 8 / 24).unwrap_or(usize::MAX).max(64)
    }

    /// Mentions in doubt, of all sites, at 8 bytes each.
    pub(crate) fn doubts(&self) -> usize {
        usize::try_from(self.memory_bytes / 64 / 8).unwrap_or(usize::MAX)
    }

    /// Blocks of a run that are read in passing: at most about 8,000 rows, well under a millisecond.
    pub(crate) fn blocks_in_passing(&self) -> usize {
        usize::try_from(self.memory_bytes / 64 / BLOCK_BYTES).unwrap_or(usize::MAX).clamp(1, 64)
    }

    /// Filters of all runs.
    pub(crate) fn filter_bytes(&self) -> u64 {
        self.memory_bytes / 8
    }

    /// How much of the journal a restart may have to read, beside a share of the runs.
    pub(crate) fn journal_bytes(&self) -> u64 {
        (self.memory_bytes / 2).clamp(64 << 10, 256 << 20)
    }
}
