//! What the archive knows, derived from its WARC files and never the only copy of anything.
//!
//! ```text
//! archive/*.warc.gz ─▶ follow/ ─▶ document ─┬─▶ graph/   statements, asked in SPARQL
//!                                           └─▶ search/  words, facets
//! ```

mod derived;
mod document;
pub mod graph;
pub mod import;
pub mod search;

pub use derived::{Derived, DerivedError, Mark};
pub use document::{Dated, Document, Original};
