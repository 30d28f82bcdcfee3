//! Acknowledged is durable: WARC writer, journal, frontier and keeper together, on a disk that forgets, runs full and
//! fails to sync. The parts have such tests of their own; here it is the order between them that is tried.
//!
//! - `visits`: visits made by hand, without a network
//! - `life`: a crawl from its opening to whatever ends it
//! - `ledger`: what was acknowledged, and whether it is there
//! - `power`, `room`, `sync`: power cuts, full disks, failing syncs

mod ledger;
mod life;
mod power;
mod room;
mod sync;
mod visits;
