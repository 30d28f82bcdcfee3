//! `annalist stop`: asks a running crawl to finish the pages under way.

use std::time::{Duration, Instant};

use annalist_crawl::job::JobDir;
use anyhow::{Context, Result, bail};

use crate::cli::JobArgs;
use crate::exit::{BadConfiguration, Exit};

/// A stop takes at most ten seconds; a little more is given before it is called a failure.
const PATIENCE: Duration = Duration::from_secs(15);

pub fn run(args: &JobArgs) -> Result<Exit> {
    let job = JobDir::new(&args.dir);
    if !job.exists() {
        return Err(BadConfiguration(format!("{} is no job directory", args.dir.display())).into());
    }
    let Some(holder) = job.holder().context("the lock cannot be read")? else {
        tell!("no crawl is running in {}", args.dir.display());
        return Ok(Exit::Done);
    };
    std::fs::write(job.stop_request(), "").context("the stop cannot be asked for")?;
    let asked = Instant::now();
    while asked.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(100));
        if job.holder()?.is_none() {
            tell!("the crawl in {} has stopped; run it again to go on", args.dir.display());
            return Ok(Exit::Done);
        }
    }
    bail!("process {holder} has not stopped after {} seconds", PATIENCE.as_secs())
}
