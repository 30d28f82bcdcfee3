//! What is found in an archive after the crawl: who and what is written about, by whom, how, and when.
//!
//! Every analysis goes over the same [`Writing`]s of a [`Corpus`].

mod calendar;
mod corpus;
pub mod happenings;
pub(crate) mod lent;
mod phrases;
pub mod topics;
mod vocabulary;
mod writing;

pub use calendar::{Day, Month};
pub use corpus::{Corpus, CorpusError};
pub use phrases::{Named, phrases};
pub use vocabulary::{Term, Vocabulary, Words};
pub use writing::Writing;
