//! A link becomes a capture.
//!
//! The path of a fetch, one file per step:
//! - `web`: [`WebSource`], the whole path in two functions: `locate` finds the address, `fetch` makes the exchange
//! - `dns`: a name becomes addresses; `guard`: which addresses may be dialled
//! - `connection`, `tls`: the kept-alive connection to one server
//! - `request`: the bytes that are sent; `exchange`: the bytes that come back, under every limit; `pace`: those of time
//! - `head`, `framing`, `coding`, `digest`, `spool`: what those bytes mean and where they are kept
//! - `lane`: where large bodies are dealt with, so that nobody waits for them
//! - `cookies`: what a site asked to be told again
//! - `error`: why there is no capture, and when to try again
//!
//! The other source, `archive`: [`ArchiveSource`] gives the snapshots that archives have of an address.
//!
//! `letters`: a server elsewhere is told something.
//!
//! Beside them, without any I/O: `robots` (RFC 9309), `robots_cache`, `retry_after`, `http_date`; `received`, for who wants
//! to try the reading of responses on bytes of their own.
//!
//! Not here: which link is next, when a server may be asked, following redirects, writing WARC. Those are the
//! frontier's and the engine's.

mod archive;
mod coding;
mod connection;
mod cookies;
mod digest;
mod dns;
mod error;
mod exchange;
mod expiring;
mod framing;
mod guard;
mod head;
mod http_date;
mod lane;
mod letters;
mod pace;
mod received;
mod request;
mod retry_after;
mod robots;
mod robots_cache;
mod spool;
mod tls;
mod web;

pub use archive::{
    ArchiveSettings, ArchiveSource, Archived, Fetched, NotThere, Remote, Snapshot, StoredBytes, StoredRecord,
    is_being_written, responses,
};
pub use connection::Connection;
pub use cookies::Jar;
pub use dns::{Lookup, Resolved, Resolver};
pub use error::{FetchError, SetupError, Waiting};
pub use guard::{Guard, Refused};
pub use http_date::parse_http_date;
pub use lane::{SlowLane, yield_to_others};
pub use letters::{Letter, Letters, Reply, authorization};
#[doc(hidden)]
pub use received::{Received, receive};
pub use retry_after::retry_after;
pub use robots::{Robots, RobotsReply, RobotsRules, Verdict};
pub use robots_cache::RobotsCache;
pub use spool::clear_spool;
pub use web::{Located, WebSettings, WebSource};
