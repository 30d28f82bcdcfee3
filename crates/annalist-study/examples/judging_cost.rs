//! What judging costs on top of reading, for each page of an archive: `judging_cost FILE...`. Time on the wall: for a quiet machine.

#![allow(
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a measurement, read by whoever started it"
)]

use std::path::PathBuf;
use std::time::Instant;

use annalist_judge::names::Names;
use annalist_judge::{Analyst, Depth, Judge, Rules};
use annalist_model::{CanonicalUrl, Canonicaliser, Page};
use annalist_read::Reader;
use annalist_sources::ArchiveSource;

const REFERENCES: usize = 10;

fn main() -> std::io::Result<()> {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let source = ArchiveSource::open(&files, 16 << 20)?;
    let reader = Reader::new(Canonicaliser::default());
    let read = |url: &CanonicalUrl| {
        let archived = source.newest(url).ok()?;
        Some((url.clone(), reader.read(url, &archived.head, &archived.body)))
    };
    let started = Instant::now();
    let pages: Vec<(CanonicalUrl, Page)> = source.documents().iter().filter_map(read).collect();
    let reading = started.elapsed();
    let (mut analyst, mut judge) = (Analyst::new(Names::default(), "en"), Judge::new(Rules::default()));
    for (url, page) in pages.iter().take(REFERENCES) {
        let reading = analyst.read(page, &judge.topic(), Depth::Reference);
        judge.take_reference(url.key(), &reading);
    }
    let (mut analysing, mut taking, mut longest) = (0.0, 0.0, 0.0_f64);
    for (url, page) in pages.iter().skip(REFERENCES) {
        let started = Instant::now();
        let reading = analyst.read(page, &judge.topic(), Depth::Topic);
        let analysed = started.elapsed().as_secs_f64();
        judge.take(url.key(), &reading);
        let taken = started.elapsed().as_secs_f64() - analysed;
        (analysing, taking, longest) = (analysing + analysed, taking + taken, longest.max(analysed + taken));
    }
    let count = pages.len().max(1) as f64;
    let bytes: usize = pages.iter().map(|(_, page)| page.text.len()).sum();
    let links: usize = pages.iter().map(|(_, page)| page.links.len()).sum();
    println!(
        "{count} pages, {:.0} bytes of text and {:.0} links each",
        bytes as f64 / count,
        links as f64 / count
    );
    println!("fetching and reading a page {:.3} ms", reading.as_secs_f64() * 1e3 / count);
    println!("words and links {:.3} ms, judging {:.3} ms", analysing * 1e3 / count, taking * 1e3 / count);
    println!("both {:.3} ms, at most {:.1} ms", (analysing + taking) * 1e3 / count, longest * 1e3);
    Ok(())
}
