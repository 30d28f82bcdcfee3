//! `annalist index`: a sorted CDXJ index of WARC files, also of one that a crawl is writing.

use std::io::Write;

use annalist_sources::is_being_written;
use annalist_warc::{Reader, index_reader};
use anyhow::{Context, Result};

use crate::cli::IndexArgs;
use crate::commands::frequencies;
use crate::commands::verify::warc_files;
use crate::exit::Exit;

pub fn run(args: &IndexArgs) -> Result<Exit> {
    if let Some(out) = &args.frequencies {
        return frequencies::run(args, out);
    }
    let mut lines: Vec<String> = Vec::new();
    let mut damaged = 0;
    for path in warc_files(&args.paths)? {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut reader = Reader::open(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        let indexed = index_reader(&mut reader, &name, &mut |line| lines.push(line.to_string()));
        for hole in indexed.holes.iter().filter(|hole| !is_being_written(&path, hole)) {
            eprintln!("annalist: {}: {hole}", path.display());
            damaged += 1;
        }
    }
    if damaged > 0 {
        let many = if damaged == 1 { "place" } else { "places" };
        eprintln!("annalist: {damaged} {many} could not be read; all else is indexed");
    }
    lines.sort_unstable();
    let mut out: Box<dyn Write> = match &args.output {
        Some(path) => Box::new(std::fs::File::create(path).with_context(|| path.display().to_string())?),
        None => Box::new(std::io::stdout().lock()),
    };
    for line in &lines {
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    Ok(if damaged == 0 { Exit::Done } else { Exit::Failed })
}
