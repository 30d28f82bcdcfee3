//! The URL store alone: discovered links, score changes and leases through journal and merges.

use std::process::Command;

use anyhow::{Context, Result};

use crate::Figures;
use crate::process::run;

pub fn measure(links: u64) -> Result<Figures> {
    eprintln!("bench: URL store with {links} links");
    figures("urlstore", Command::new(crate::bin("examples/urlstore")?).arg(links.to_string()))
}

/// A million scores that change, and whether the next leases know.
pub fn measure_scores() -> Result<Figures> {
    eprintln!("bench: changing scores");
    figures("scores", &mut Command::new(crate::bin("examples/scores")?))
}

/// What an example says of itself in its last line.
pub fn figures(part: &str, command: &mut Command) -> Result<Figures> {
    let json = run(command)?.json()?;
    let object = json.as_object().with_context(|| format!("no figures of {part}"))?;
    Ok(object.iter().map(|(name, value)| (format!("{part}.{name}"), value.clone())).collect())
}
