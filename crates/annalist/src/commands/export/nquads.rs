//! What is known of collections as N-Quads: sorted, so that two exports of the same are the same.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use annalist_knowledge::graph::Graph;
use anyhow::{Context, Result};

use super::fresh::Fresh;
use super::synced;
use crate::commands::query::layers;

/// Writes all statements, and says how many.
pub fn write(sources: &[PathBuf], fresh: &Fresh) -> Result<u64> {
    let graph = Graph::open(&layers(sources)?)?;
    let mut out = BufWriter::with_capacity(1 << 18, fresh.create_file()?);
    let mut count = 0;
    for quad in graph.quads()? {
        writeln!(out, "{} .", quad?).with_context(|| fresh.shown())?;
        count += 1;
    }
    synced(out).with_context(|| fresh.shown())?;
    Ok(count)
}
