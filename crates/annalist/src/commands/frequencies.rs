//! `annalist index --frequencies`: in how many documents of an archive each term occurs.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annalist_judge::text::{DocumentCounts, OwnFrequencies, Standing};
use annalist_model::{CanonicalUrl, Canonicaliser, Page};
use annalist_read::{Limits, Reader as PageReader};
use annalist_sources::{Archived, is_being_written, responses};
use annalist_warc::Reader;
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::IndexArgs;
use crate::commands::verify::warc_files;
use crate::exit::{BadConfiguration, Exit};
use crate::show;

/// How many outstanding terms are shown of a language.
const SHOWN: usize = 12;

pub fn run(args: &IndexArgs, out: &Path) -> Result<Exit> {
    let background = own_frequencies("--background", args.background.as_deref())?;
    let files = warc_files(&args.paths)?;
    // Made before counting, which may take hours, and renamed after it: an older file is never half replaced.
    let fresh = PathBuf::from(format!("{}.new", out.display()));
    let file = File::create(&fresh).with_context(|| format!("{} cannot be written", fresh.display()))?;
    let mut counts = DocumentCounts::new(args.min);
    let result = count(&files, &mut counts).and_then(|damaged| {
        counts
            .write(BufWriter::new(file))
            .with_context(|| format!("{} cannot be written", fresh.display()))?;
        std::fs::rename(&fresh, out).with_context(|| format!("{} cannot be written", out.display()))?;
        Ok(damaged)
    });
    if result.is_err() {
        let _ = std::fs::remove_file(&fresh);
    }
    let damaged = result?;
    report(&counts.standings(&background, SHOWN), args.min, out);
    Ok(if damaged == 0 { Exit::Done } else { Exit::Failed })
}

/// Those of a file that an option names; the program's own where it names none.
pub fn own_frequencies(option: &str, path: Option<&Path>) -> Result<OwnFrequencies> {
    let Some(path) = path else { return Ok(OwnFrequencies::default()) };
    let unusable = |why: String| BadConfiguration(format!("{option} {}: {why}", path.display()));
    let file = File::open(path).map_err(|e| unusable(e.to_string()))?;
    Ok(OwnFrequencies::read(BufReader::new(file)).map_err(|e| unusable(e.to_string()))?)
}

/// Returns how many places of the files could not be read.
fn count(files: &[PathBuf], counts: &mut DocumentCounts) -> Result<u64> {
    let size = |path: &PathBuf| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let style = ProgressStyle::with_template("{wide_bar} {bytes} of {total_bytes}, {eta} left  {msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(files.iter().map(size).sum()).with_style(style);
    let limits = Limits::default();
    let reader = PageReader::with_limits(Canonicaliser::default(), limits);
    let (mut documents, mut before, mut damaged) = (0_u64, 0, 0);
    for path in files {
        let mut take = |archived: Archived| {
            if !(200..300).contains(&archived.head.status) {
                return ControlFlow::Continue(());
            }
            let page = reader.read(&archived.url, &archived.head, &archived.body);
            if is_document(&archived.url, &page) && counts.add(page.language.as_deref(), &page.text) {
                documents += 1;
                bar.set_message(format!("{} documents", show::count(documents)));
            }
            ControlFlow::Continue(())
        };
        let mut file = Reader::open(path).with_context(|| format!("{} cannot be read", path.display()))?;
        let mut advance = |at| bar.set_position(before + at);
        let holes = responses(&mut file, limits.body_bytes as u64, &mut take, &mut advance);
        for hole in holes.iter().filter(|hole| !is_being_written(path, hole)) {
            bar.suspend(|| tell!("annalist: {}: {hole}", path.display()));
            damaged += 1;
        }
        before += size(path);
    }
    bar.finish_and_clear();
    Ok(damaged)
}

/// What people read; a robots.txt is for others.
fn is_document(url: &CanonicalUrl, page: &Page) -> bool {
    matches!(page.mime.as_str(), "text/html" | "application/xhtml+xml" | "text/plain")
        && url.path() != "/robots.txt"
}

#[expect(clippy::print_stdout, reason = "what was counted is what the command is asked for")]
fn report(standings: &[Standing], min: u32, out: &Path) {
    for standing in standings {
        let about = match standing.outstanding.join(", ") {
            _ if !standing.has_background => "nothing is known of what is usual in this language".to_owned(),
            terms if terms.is_empty() => "nothing stands out".to_owned(),
            terms => format!("outstanding: {terms}"),
        };
        let many = if standing.documents == 1 { "document" } else { "documents" };
        println!(
            "{}: {} {many}, {} terms in {min} or more; {about}",
            standing.language,
            show::count(standing.documents),
            show::count(standing.terms as u64),
        );
    }
    if standings.is_empty() {
        println!("no documents: there are no pages with text that were answered with success");
    }
    println!("written to {}", out.display());
}
