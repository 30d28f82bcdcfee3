//! Statements about what was captured, and SPARQL over them.
//!
//! ```text
//! insert ─▶ buffer ─▶ writing ─▶ run ──┐ commit
//!                                      ├──────▶ manifest ─▶ layer ─┐
//!                        merge of runs ┘                           ├─▶ Graph ─▶ query/
//!                                              other layers ───────┘
//! ```
//!
//! Not here: which statements are made of a capture.

mod buffer;
mod cache;
mod codec;
mod cursor;
mod directory;
mod error;
mod id;
mod layer;
mod load;
mod manifest;
mod merge;
mod order;
mod query;
mod reading;
mod run;
mod writing;

pub use error::GraphError;
pub use layer::{Layer, LayerSettings, Merging};
pub use load::{Bad, LoadError, Loaded, Reading, format_named, format_of, graph_named, load};
pub use query::{Answer, Datasets, Format, Kind, QueryError, QueryLimits, Question, Told};
pub use reading::{Graph, Totals};
