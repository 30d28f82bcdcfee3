//! What is known of collections as N-Quads: sorted, so that two exports of the same are the same.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use annalist_knowledge::graph::Graph;
use anyhow::{Context, Error, Result};

use super::fresh::Fresh;
use super::synced;
use crate::commands::query::layers;
use crate::exit::Exit;
use crate::printing::Unprinted;
use crate::progress::Progress;

/// Writes all statements to a file, and says how many.
pub fn write(sources: &[PathBuf], fresh: &Fresh, progress: Progress) -> Result<u64> {
    let mut out = BufWriter::with_capacity(1 << 18, fresh.create_file()?);
    let count = write_to(sources, &mut out, progress).with_context(|| fresh.shown())?;
    synced(out).with_context(|| fresh.shown())?;
    Ok(count)
}

/// Prints all statements.
pub fn print(sources: &[PathBuf], progress: Progress) -> Result<Exit> {
    let mut out = BufWriter::with_capacity(1 << 18, std::io::stdout().lock());
    let printed = write_to(sources, &mut out, progress).and_then(|_| Ok(out.flush()?));
    let is_unwritten = |fault: &Error| fault.downcast_ref::<std::io::Error>().is_some();
    printed.map_err(|fault| if is_unwritten(&fault) { fault.context(Unprinted) } else { fault })?;
    Ok(Exit::Done)
}

fn write_to(sources: &[PathBuf], out: &mut impl Write, progress: Progress) -> Result<u64> {
    let graph = Graph::open(&layers(sources, progress)?)?;
    let mut count = 0;
    for quad in graph.quads()? {
        writeln!(out, "{} .", quad?)?;
        count += 1;
    }
    Ok(count)
}
