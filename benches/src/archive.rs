//! What archives cost that are there already: indexing their files, and looking addresses up in an index.

use std::process::Command;

use anyhow::Result;

use crate::Figures;
use crate::urlstore::figures;

pub fn measure_index() -> Result<Figures> {
    eprintln!("bench: indexing WARC files");
    figures("index", &mut Command::new(crate::bin("examples/index")?))
}

/// The index is made once and stays in `target/bench-lookup`, about 5 GB.
pub fn measure_lookup() -> Result<Figures> {
    eprintln!("bench: looking addresses up among ten million captures");
    figures("lookup", &mut Command::new(crate::bin("examples/lookup")?))
}
