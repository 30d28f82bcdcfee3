//! From a text to what can be counted in it.
//!
//! - `tokens`: the words of a text, in whatever script; `script` tells how a letter takes part in one

mod script;
mod tokens;

pub use tokens::{Spacing, Token, Tokens};
