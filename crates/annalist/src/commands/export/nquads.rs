//! What is known of collections as N-Quads: sorted, so that two exports of the same are the same.

use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use annalist_knowledge::graph::Graph;
use anyhow::{Context, Error, Result};

use super::fresh::Fresh;
use super::synced;
use crate::commands::query::layers;
use crate::exit::{Exit, Interrupted, Paused};
use crate::printing::Unprinted;
use crate::progress::Progress;
use crate::watch::Watch;

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
    printed.map_err(|fault| match fault {
        fault if is_unwritten(&fault) => fault.context(Unprinted),
        fault if fault.is::<Interrupted>() => Paused("what was printed is not whole".to_owned()).into(),
        fault => fault,
    })?;
    Ok(Exit::Done)
}

fn write_to(sources: &[PathBuf], out: &mut impl Write, progress: Progress) -> Result<u64> {
    let (graph, asked) = {
        // From here on Ctrl-C does nothing but to set a flag, also when nothing is shown any more.
        let watch = Watch::start(progress)?;
        (Graph::open(&layers(sources, &watch)?)?, watch.asked())
    };
    let mut count = 0;
    for quad in graph.quads()? {
        if asked.load(Ordering::Relaxed) {
            return Err(Interrupted.into());
        }
        writeln!(out, "{} .", quad?)?;
        count += 1;
    }
    Ok(count)
}
