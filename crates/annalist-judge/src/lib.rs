//! What is a text about?
//!
//! - `text/`: words, stems and pairs of words, how often they occur in documents, and how much each of them says
//!
//! Not here: reading pages and telling their language (`annalist-read`), files and their names.

pub mod text;
mod vector;

pub use vector::Vector;
