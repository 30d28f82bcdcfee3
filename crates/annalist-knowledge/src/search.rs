//! Full-text search over pages and what was written on them.
//!
//! - `write`: the index grows with the archive; `entry`: what is kept of a page or object; `fields`: where it stands in the index
//! - `words`: words as they are indexed and asked for, and their forms; `fold`: letters without their accents; `simhash`: near duplicates
//! - `query`: what can be asked for; `narrowing`: the same from separate fields; `plan`: the same for one index; `excluded`: what must not match
//! - `statistics`: how frequent words are, and `stepped`: what they are worth, the same in every index of the same archive
//! - `answer`: a question and its answer; `ask`: from one to the other, `ask/page`: one page and what was written on it; `gather`: what matches, its facets and its course over time, in one pass; `labels`: facets of
//!   several pieces added up; `highlight`: where the words stand in a text
//! - `directory`: what makes a commit survive a power cut; `damage`: files that were damaged all the same

mod answer;
mod ask;
mod damage;
mod directory;
mod entry;
mod excluded;
mod families;
mod fields;
mod fold;
mod gather;
mod highlight;
mod labels;
mod merging;
mod narrowing;
mod pieces;
mod plan;
mod query;
mod simhash;
mod statistics;
mod stepped;
mod words;
mod write;

pub use answer::{Answer, Facet, Folded, Hit, LabelCount, MonthCount, Question, SearchError, Sort};
pub use ask::Reader;
pub use damage::is_caught;
pub use entry::{Annotations, Entry, key_of};
pub use gather::FacetField;
pub use highlight::Snippet;
pub use narrowing::{Narrowing, NarrowingError};
pub use query::{How, Label, QueryError, Wanted, When, Within, parse, parse_span};
pub use simhash::{Firsts, simhash};
pub use write::{Search, SearchSettings};

#[cfg(test)]
mod tests;
