//! What the archive knows, derived from its WARC files and never the only copy of anything.
//!
//! ```text
//! archive/*.warc.gz ─▶ follow/ ─▶ document ─┬─▶ graph/   statements, asked in SPARQL
//!                                           ├─▶ search/  words, facets
//!                                           └─▶ remote/  the same statements, to a server elsewhere
//! ```

mod derived;
mod document;
mod follow;
pub mod graph;
pub mod import;
mod parallel;
pub mod remote;
pub mod search;
mod speaker;
mod statements;
mod stores;
pub mod vocabulary;

pub use derived::{Damage, Derived, DerivedError, Mark};
pub use document::{Dated, Document, Original, millis_of, moment};
pub use follow::{
    Content, Extent, FollowError, FollowSettings, Followed, Over, Payload, Watch, follow, payloads,
    plain_name,
};
pub use parallel::in_order;
pub use speaker::Speaker;
pub use statements::{date_time, decimal, object_iri, parent_iri, person_iri, plain, statements, url_iri};
pub use stores::{Needed, Places, Stores};
