//! The application-aware helper: what a page is, what was written on it, and which of its links lead to more.
//!
//! - `helper`: [`recognise`], the one way in: a page to what it is
//! - `catalogue`: what is known of applications, read from XML files; `address` and `xpath` are the languages its conditions are
//!   written in, `automaton` finds all its expressions in one run over a page
//! - `extract`: posts and comments with author and date; `navigate`: which links are followed
//! - `adapt`: rules that repair themselves when a template is not the described one
//! - `parts`: the regions of a page, now that its objects are known
//! - `report`: all of it as JSON
//! - `dates`: what people write for a date, as a moment
//! - `published`: when a page was published
//! - `generic`: main text, title, author, date and comments of pages that no catalogue describes
//!
//! Not here: fetching, reading markup, scores of topics.

pub mod adapt;
pub mod address;
pub mod automaton;
pub mod catalogue;
pub mod dates;
mod extract;
pub mod generic;
pub mod helper;
mod navigate;
mod parts;
mod place;
pub mod published;
pub mod report;
pub mod xpath;

pub use catalogue::Catalogue;
pub use helper::{Input, Proven, Seen, recognise, recognise_and_learn};
pub use navigate::Choice;
pub use parts::{Extent, parts};
pub use report::report;
