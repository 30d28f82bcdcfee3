//! What it costs to index texts, and to ask for words with all facets.

use std::process::Command;

use anyhow::Result;

use crate::Figures;
use crate::urlstore::figures;

pub fn measure(documents: u64) -> Result<Figures> {
    eprintln!("bench: search over {documents} documents");
    figures("search", Command::new(crate::bin("examples/search")?).arg(documents.to_string()))
}
