//! What is a page about, and what may its links be expected to lead to?
//!
//! - `text/`: words, stems and pairs of words, how often they occur in documents, and how much each of them says
//! - `vector`, `topic`, `names`: what a text is about, what the crawl is about, who and what is named
//! - `definition`: what the spec says of the topic and what reference pages taught, as a file
//! - `dated`: dates that links name; `event`: where the topic is an event, what content and time make of a page together
//! - `reading`: a page as the judge needs it
//! - `signals/`: what speaks for a link, one file each; `scorer` weighs them, and learns
//! - `ledger`: what a crawl remembers of pages and waiting links
//! - `judge`: all of it together, page by page; `explain`: why a page and its links have their scores
//!
//! Not here: reading pages and telling their language (`annalist-read`), files and their names, clocks.

pub mod addresses;
mod dated;
pub mod definition;
pub mod event;
pub mod explain;
pub mod judge;
pub mod ledger;
pub mod names;
pub mod reading;
pub mod scorer;
pub mod signals;
pub mod text;
pub mod topic;
mod vector;

pub use definition::Definition;
pub use judge::{Judge, Rules, Verdict};
pub use reading::{Analyst, Depth, LinkReading, Reading};
pub use vector::Vector;
