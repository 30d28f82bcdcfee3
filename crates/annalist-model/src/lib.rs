//! The nouns of Annalist, in the words of the glossary.
//!
//! - `url`: [`CanonicalUrl`], sites, hosts and keys; what two spellings of one address have in common; `typed`: what people type
//! - `link`: a URL with how it was found
//! - `capture`: the exchanged bytes of one fetch
//! - `page`: what was read from a capture
//! - `published`: when it was published, and what says so
//! - `object`: what is lifted out of a page
//! - `outcome`: what became of a link, and the reasons for leaving one alone
//! - `score`, `time`: small numbers that cannot be wrong
//! - `spec`: what the archivist wrote
//! - `causes`: an error in one line
//!
//! Not here: any I/O, any async code, any clock. The present moment is always an argument.

pub mod capture;
mod causes;
pub mod link;
pub mod object;
pub mod outcome;
pub mod page;
pub mod published;
pub mod score;
pub mod spec;
pub mod time;
mod typed;
pub mod url;

pub use capture::{Block, Capture, ResponseHead, Truncated};
pub use causes::with_causes;
pub use link::{Hop, HopPath, Link, LinkKind};
pub use object::Object;
pub use outcome::{Outcome, SkipReason};
pub use page::{FoundLink, Page, Readability, Unusable};
pub use published::{Evidence, Precision, Published};
pub use score::Score;
pub use time::{DocumentTime, Time, TimeBasis};
pub use url::{CanonicalUrl, Canonicaliser, LONGEST_URL, UrlError, UrlKey};
