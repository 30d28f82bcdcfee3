//! `annalist rebuild`: graph and search index made again, out of the WARC files alone.

use std::path::Path;

use annalist_knowledge::Places;
use annalist_knowledge::import::Imports;
use annalist_study::offline::Stage;
use anyhow::{Context, Result};
use serde_json::json;

use crate::cli::RebuildArgs;
use crate::commands::study::{keep, studied};
use crate::exit::{BadConfiguration, Exit};
use crate::knowledge::{follow, job_at, locked, spec_of};
use crate::progress::Progress;
use crate::show;
use crate::watch::Watch;

#[expect(clippy::print_stdout, reason = "the report is what the command is asked for")]
pub fn run(args: &RebuildArgs) -> Result<Exit> {
    let job = job_at(&args.dir)?;
    let spec = spec_of(&job)?;
    let watch = Watch::start(Progress::unless(args.quiet))?;
    let Some(_lock) = locked(&job, &watch)? else {
        let what = "is being crawled: stop the crawl first (annalist stop), or let it end";
        return Err(BadConfiguration(format!("{} {what}", args.dir.display())).into());
    };
    let places = Places::of(job.root());
    let done = Stage::done_in(&places.study());
    for place in [places.web(), places.search(), places.candidates(), places.study()] {
        remove(&place)?;
    }
    let started = std::time::Instant::now();
    let followed = follow(&job, &spec, &watch)?;
    if places.imports().is_dir() {
        remove(&places.imported())?;
        let mut imports = Imports::open(job.root())?;
        imports.repeat()?;
        imports.settle()?;
    }
    if !done.is_empty() {
        let (corpus, found) = studied(&job, &spec, &done, &watch)?;
        keep(&job, &corpus, &found, &watch)?;
    }
    drop(watch);
    let seconds = started.elapsed().as_secs_f64();
    if !args.quiet {
        let of = show::count(followed.documents);
        println!("graph and search index made of {of} captures in {seconds:.1} s");
        for hole in &followed.holes {
            println!("  {hole}");
        }
    }
    if args.json {
        println!(
            "{}",
            json!({"captures": followed.documents, "holes": followed.holes, "seconds": seconds, "job": args.dir})
        );
    }
    Ok(if followed.holes.is_empty() { Exit::Done } else { Exit::Failed })
}

fn remove(place: &Path) -> Result<()> {
    let removed = if place.is_dir() { std::fs::remove_dir_all(place) } else { std::fs::remove_file(place) };
    match removed {
        Err(fault) if fault.kind() != std::io::ErrorKind::NotFound => {
            Err(fault).with_context(|| place.display().to_string())
        }
        _ => Ok(()),
    }
}
