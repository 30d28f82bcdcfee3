//! Writes a frontier in today's format, to be kept as the fixture of its version:
//! `cargo run -p annalist-frontier --example fixture -- crates/annalist-frontier/tests/fixtures/version-N`

#[path = "../tests/written/mod.rs"]
mod written;

use std::path::Path;
use std::sync::Arc;

use annalist_disk::RealDisk;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::env::args_os().nth(1).ok_or("where to? Give a folder that does not exist yet")?;
    let dir = Path::new(&dir);
    if dir.exists() {
        return Err(format!("{} exists: a stored version does not change any more", dir.display()).into());
    }
    Ok(written::write(Arc::new(RealDisk), dir)?)
}
