//! What of an archive enters the final collection. Rules, what people decided, and what is learned from that propose for each
//! page whether it is kept; people review the proposal, and an export takes it.
//!
//! ```text
//! archive ─▶ candidates ─┐
//! selection.toml: rules ─┼─▶ proposal ─▶ review list ─▶ a person ─▶ selection.jsonl: decisions ─┐
//!                        └──────────────────── learner ◀────────────────────────────────────────┘
//! ```
//!
//! A decision counts more than any rule, a rule more than what was learned, and until enough was decided the relevance counts
//! that the crawl gave.
//!
//! Not here: options, where files are, clocks (`annalist`).

mod alike;
mod candidate;
mod candidates;
mod decisions;
mod features;
mod learner;
mod proposal;
mod review;
mod rules;
mod sample;
mod sheet;

pub use candidate::Candidate;
pub use candidates::Candidates;
pub use decisions::{Choice, Decision, Decisions};
pub use learner::{Lesson, Reason};
pub use proposal::{Basis, Proposal, Proposals, Verdict, propose};
pub use review::{Row, review_list};
pub use rules::{Rules, RulesError};
pub use sample::sample;
pub use sheet::{Read, Written, read_jsonl, read_sheet, write_sheet};
