//! The application-aware helper: what a page is, what was written on it, and which of its links lead to more.
//!
//! - `dates`: what people write for a date, as a moment
//! - `generic`: main text, title, author, date and comments of pages that no catalogue describes
//!
//! Not here: fetching, reading markup, scores of topics.

pub mod automaton;
pub mod dates;
pub mod generic;
pub mod xpath;
