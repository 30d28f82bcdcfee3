//! The archives that a collection is taken from.

use std::path::PathBuf;

use annalist_model::spec::Spec;
use annalist_read::Limits;
use annalist_sources::ArchiveSource;
use anyhow::{Context, Result};

use crate::commands::verify::warc_files;

/// Opens what the spec names, and says what of it cannot be read.
pub fn open(spec: &Spec) -> Result<ArchiveSource> {
    let names = spec.extract.iter().flat_map(|extract| &extract.archives);
    let paths: Vec<PathBuf> = names.map(PathBuf::from).collect();
    let source = ArchiveSource::open(&warc_files(&paths)?, Limits::default().body_bytes as u64)
        .context("the archive cannot be read")?;
    for (path, fault) in source.damaged() {
        eprintln!("annalist: {}: {fault}; what comes before it is used", path.display());
    }
    Ok(source)
}
