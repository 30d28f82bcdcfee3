//! Which link is next, and when its site may be asked; the URL store.
//!
//! A link is *discovered*, waits in its site's queue, is *leased* with some others of its site, and is *done* or to be
//! *retried*. All of that is a [`Transaction`]: first in the [`Journal`], synced, then in memory, and some time later,
//! merged with what was there before, in a sorted run on disk.
//!
//! - `change`, `record`: what can happen, and how it is spelt
//! - `journal`, `replay`: what was committed, until the runs hold it
//! - `entry`, `rank`: one row of the store; which of two links comes first
//! - `pending`, `arena`, `pool`, `excerpt`, `run`, `filter`, `text`, `bucket`: the rows in memory, on disk, and both together
//! - `merge`, `worker`, `manifest`: memory and run become a new run
//! - `head`, `site`, `agenda`: the best links of a site; which site is next
//! - `frontier`, `open`, `apply`, `sites`, `lease`, `refill`, `doubt`, `passes`, `lookup`, `queue`: the frontier itself, by what it is asked to do
//!
//! Not here: any clock (the present moment is an argument), what is in scope, how a link is fetched.

mod agenda;
mod apply;
mod arena;
mod bucket;
mod change;
mod codec;
mod doubt;
mod entry;
mod error;
mod excerpt;
mod filter;
mod frontier;
mod hash;
mod head;
mod journal;
mod lease;
mod lookup;
mod manifest;
mod merge;
mod open;
mod passes;
mod pending;
mod pool;
mod queue;
mod rank;
mod record;
mod refill;
mod replay;
mod run;
mod settings;
mod site;
mod sites;
mod text;
mod worker;

pub use change::{Batch, Change, Transaction};
pub use error::FrontierError;
pub use frontier::{Counts, Frontier, SiteCounts};
pub use journal::{Committed, Journal};
pub use lease::{Lease, LeaseId, LeasedLink};
pub use lookup::{Known, Original, SiteState, State};
pub use open::{files_that_tell_changes, open, read_only};
pub use queue::{SiteQueue, SiteQueues};
pub use record::{LinkRecord, Place};
pub use settings::{Merging, PARTS, Purpose, Settings, Urgency};

/// The key of a host, as [`Change::HostRests`] wants it: of [`annalist_model::CanonicalUrl::host`].
pub fn host_key(host: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(host.as_bytes())
}
