//! The URL store alone: discovered links, score changes and leases through journal and merges.

use std::process::Command;

use anyhow::{Context, Result};

use crate::Figures;
use crate::process::run;

pub fn measure(links: u64) -> Result<Figures> {
    eprintln!("bench: URL store with {links} links");
    let example = crate::bin("examples/urlstore")?;
    let ran = run(Command::new(example).arg(links.to_string()))?;
    let json = ran.json()?;
    let object = json.as_object().context("no figures of the URL store")?;
    Ok(object.iter().map(|(name, value)| (format!("urlstore.{name}"), value.clone())).collect())
}
