//! What is found in an archive after the crawl: who and what is written about, by whom, how, and when.
//!
//! Every analysis goes over the same [`Writing`]s of a [`Corpus`].

mod calendar;
mod corpus;
pub mod entities;
mod gathering;
pub mod happenings;
pub mod images;
mod kept;
pub(crate) mod lent;
mod named;
pub mod opinions;
mod prose;
pub mod social;
mod study;
mod tell;
pub mod topics;
mod vocabulary;
mod watch;
mod writing;

pub use calendar::{Day, Month};
pub use corpus::{Corpus, CorpusError, CorpusWriter};
pub use gathering::Gatherer;
pub use named::Named;
pub use study::{Stage, StudyError, Subject};
pub use tell::{Found, tell};
pub use vocabulary::{Term, Vocabulary, Words};
pub use watch::StudyWatch;
pub use writing::Writing;
