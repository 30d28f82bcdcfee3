//! `definition.toml`: where it is, how it is read and replaced.

use std::path::{Path, PathBuf};

use annalist_judge::Definition;
use annalist_model::spec::Spec;
use anyhow::{Context, Result};

use crate::exit::BadConfiguration;

/// Where a spec's definition is when nobody says otherwise: in the folder of its crawl.
pub fn usual_place(spec: &Spec) -> PathBuf {
    Path::new("collections").join(spec.folder_name()).join("definition.toml")
}

/// Every mistake in it is told at once.
pub fn load(path: &Path) -> Result<Definition> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| BadConfiguration(format!("the definition {} cannot be read: {e}", path.display())))?;
    Definition::read(&text).map_err(|mistakes| {
        let many = if mistakes.len() == 1 { "mistake" } else { "mistakes" };
        let lines: String = mistakes.iter().map(|mistake| format!("\n  {mistake}")).collect();
        BadConfiguration(format!("{} {many} in {}:{lines}", mistakes.len(), path.display())).into()
    })
}

/// Writes it; one that was there, and maybe corrected by hand, is kept beside it. Says where.
pub fn replace(path: &Path, definition: &Definition) -> Result<Option<PathBuf>> {
    let unwritable = || format!("{} cannot be written", path.display());
    let text = definition.to_toml();
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(unwritable)?;
    }
    let before = std::fs::read_to_string(path).ok().filter(|before| *before != text);
    let kept = before.map(|_| path.with_extension("toml.before"));
    if let Some(kept) = &kept {
        std::fs::rename(path, kept).with_context(unwritable)?;
    }
    std::fs::write(path, text).with_context(unwritable)?;
    Ok(kept)
}
