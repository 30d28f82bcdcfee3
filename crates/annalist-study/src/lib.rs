//! How good is a policy? Crawls of an archive that are repeatable to the byte, and what they come to.
//!
//! - `library`, `shelf`: the pages of an archive, each read once and kept while there is room
//! - `labels`: which pages belong to which topic; `aim`: what one crawl looks for, and where it begins
//! - `policy`: how links are valued and when they are scheduled; `valuing`, `mentions`: the same as numbers;
//!   `judging`: the product's own policy
//! - `queue`: the product's own frontier under a virtual clock; `crawl`: one simulated crawl
//! - `simulate`: all of them, on all cores; `measures`: means and their errors
//! - `events`: crawls for an event, as its spec has it; `occasion`: a simple relevance to compare the judge with
//! - `table`, `curves`, `svg`, `chart`: the results for people
//! - `selection`: what of an archive enters the final collection
//! - `agreement`: how well the relevance of pages to an event agrees with what people say
//!
//! Not here: options, files of results, progress (`annalist`).

pub mod across;
mod agreement;
mod aim;
mod chart;
mod crawl;
mod curves;
mod events;
mod judging;
mod labels;
mod library;
mod measures;
mod mentions;
mod occasion;
pub mod offline;
mod policy;
mod queue;
pub mod selection;
mod shelf;
mod simulate;
mod svg;
mod table;
mod valuing;

pub use agreement::{
    Agreement, Annotated, Between, FUNCTIONS, GRADES, Group, Judged, Point, Votes, agreement, between,
    recurring,
};
pub use aim::SIMILAR;
pub use curves::{Curves, rows_csv};
pub use events::{Effect, EventFound, EventPlan, EventRow, Judgement, Variant, simulate_event};
pub use labels::{Labels, MalformedLabels};
pub use library::Library;
pub use measures::{Mean, Means};
pub use mentions::PAGES_IN_A_BATCH;
pub use policy::{Policy, UnknownPolicy};
pub use simulate::{Found, Plan, Row, Seeds, StudyError, simulate};
pub use svg::drawn;
pub use table::tables;
