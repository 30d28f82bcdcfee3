//! Puts the descriptions in `catalogue/` into the program.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../../catalogue");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut folders: Vec<PathBuf> = match fs::read_dir(&root) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?,
        Err(_) => Vec::new(),
    };
    folders.sort();
    let mut made = String::from(
        "/// The descriptions in `catalogue/`: the name of each file, and its text.\npub const BUILT_IN: &[(&str, &str)] = &[\n",
    );
    for file in folders.iter().map(|folder| folder.join("app.xml")).filter(|file| file.is_file()) {
        println!("cargo::rerun-if-changed={}", file.display());
        let shown = file.strip_prefix(root.parent().unwrap_or(Path::new(""))).unwrap_or(&file);
        let _ = writeln!(made, "    ({:?}, include_str!({:?})),", shown.display(), fs::canonicalize(&file)?);
    }
    made.push_str("];\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("built_in.rs"), made)
}
