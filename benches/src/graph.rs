//! The graph alone: N-Quads loaded in bulk, and queries of two patterns, of which the first is selective.

use std::process::Command;

use anyhow::Result;

use crate::Figures;
use crate::urlstore::figures;

pub fn measure(statements: u64) -> Result<Figures> {
    eprintln!("bench: graph with {statements} statements");
    figures("graph", Command::new(crate::bin("examples/graph")?).arg(statements.to_string()))
}
