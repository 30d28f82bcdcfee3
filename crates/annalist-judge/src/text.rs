//! From a text to what can be counted in it, and what each of it says.
//!
//! - `tokens`: the words of a text, in whatever script; `script` tells how a letter takes part in one
//! - `language`: stems and stop words, and the list of frequent words behind each language
//! - `words`: the words that say something, in order, with their weights and places
//! - `terms`: how often which stems, and pairs of them, occur in a text; `ids` makes numbers of them
//! - `frequencies`: how much a term says, by how many documents have it
//! - `documents`: counts documents and makes such frequencies of one's own, as a file to keep

mod documents;
mod frequencies;
pub(crate) mod ids;
mod language;
mod script;
mod terms;
mod tokens;
mod words;

pub use documents::{DocumentCounts, FileFault, OwnFrequencies, Standing};
pub use frequencies::Frequencies;
pub use ids::{AsItIs, IdMap, id};
pub use language::Language;
pub use terms::{Stems, Term, Terms};
pub use tokens::{Spacing, Token, Tokens};
pub use words::{Word, pair, words};
