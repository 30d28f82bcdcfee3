//! `annalist rebuild`: graph and search index made again, out of the WARC files alone.

use std::path::Path;

use annalist_knowledge::Places;
use anyhow::{Context, Result};
use serde_json::json;

use crate::cli::RebuildArgs;
use crate::exit::{BadConfiguration, Exit};
use crate::knowledge::{follow, job_at, locked, spec_of};
use crate::progress::Progress;
use crate::show;
use crate::watch::Watch;

#[expect(clippy::print_stdout, reason = "the report is what the command is asked for")]
pub fn run(args: &RebuildArgs) -> Result<Exit> {
    let job = job_at(&args.dir)?;
    let spec = spec_of(&job)?;
    let Some(_lock) = locked(&job)? else {
        let what = "is being crawled: stop the crawl first (annalist stop), or let it end";
        return Err(BadConfiguration(format!("{} {what}", args.dir.display())).into());
    };
    let watch = Watch::start(if args.quiet { Progress::Silent } else { Progress::Shown })?;
    let places = Places::of(job.root());
    for place in [places.web(), places.search()] {
        remove(&place)?;
    }
    let started = std::time::Instant::now();
    let followed = follow(&job, &spec, &watch)?;
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
    match std::fs::remove_dir_all(place) {
        Err(fault) if fault.kind() != std::io::ErrorKind::NotFound => {
            Err(fault).with_context(|| place.display().to_string())
        }
        _ => Ok(()),
    }
}
