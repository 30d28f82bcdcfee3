//! Captures shown as they were, on an origin of their own.
//!
//! | question | file |
//! | --- | --- |
//! | what is asked and answered | `asked.rs`, `target.rs` |
//! | the path of a request | `replay.rs` |
//! | where captures are | `captures.rs` |
//! | what is in a record, and how it is sent | `record.rs`, `stream.rs`, `range.rs` |
//! | how documents are made to stay inside | `rewrite/` |
//! | what keeps them there whatever they hold | `wall.rs` |
//! | which captures there are | `memento.rs`, `cdx.rs` |
//! | pages of its own | `page.rs` |
//!
//! Not here: a server, a clock, a network. Nothing in this crate can dial, so nothing it shows comes from the live web.

mod asked;
mod captures;
mod cdx;
mod declared;
mod memento;
mod page;
mod range;
mod record;
mod replay;
mod rewrite;
mod stream;
mod target;
mod wall;

pub use asked::{Answer, Asked, Body, Method};
pub use replay::{Listed, Moment, Replay, Shown};
pub use stream::Stream;
