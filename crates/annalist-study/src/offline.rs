//! What is found in an archive after the crawl: who and what is written about, by whom, how, and when.
//!
//! Every analysis goes over the same [`Writing`]s of a [`Corpus`].

mod corpus;
pub mod entities;
pub mod opinions;
mod prose;
mod writing;

pub use corpus::{Corpus, CorpusError};
pub use writing::Writing;
