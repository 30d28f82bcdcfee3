//! `annalist status`: how a crawl stands, running or not.

use annalist_crawl::engine::status_of;
use annalist_crawl::job::JobDir;
use annalist_crawl::pushing::{Standing, standing};
use anyhow::Result;

use crate::cli::StatusArgs;
use crate::exit::{BadConfiguration, Exit};
use crate::knowledge::spec_of;
use crate::show;

#[expect(clippy::print_stdout, reason = "the status is what the command is asked for")]
pub fn run(args: &StatusArgs) -> Result<Exit> {
    let job = JobDir::new(&args.dir);
    if !job.exists() {
        return Err(BadConfiguration(format!("{} is no job directory", args.dir.display())).into());
    }
    let (status, holder) = status_of(&job)?;
    let counters = &status.counters;
    let seconds = counters.millis as f64 / 1000.0;
    match holder {
        Some(process) => println!("{} (process {process})", status.state),
        None if matches!(status.state.as_str(), "" | "running" | "waiting" | "finishing") => {
            println!("not running: it was interrupted");
        }
        None => println!("not running: {}", status.state),
    }
    if let Some(reason) = status.waits_for.as_ref().filter(|_| holder.is_some()) {
        println!("  waits for: {reason}");
    }
    println!(
        "  {} captures, {} received, {} links queued on {} sites",
        show::count(counters.captures),
        show::bytes(counters.bytes),
        show::count(status.queued),
        show::count(status.sites),
    );
    print!("{}", show::details(counters));
    let remote = remote_of(&job);
    if let Some(standing) = &remote {
        print!("{}", show::remote(standing));
    }
    if args.json {
        let mut object = show::json(&status, &args.dir, seconds);
        object["running"] = holder.is_some().into();
        object["remote"] = remote.as_ref().map(show::remote_json).into();
        // What this command used says nothing of the crawl.
        object["cpu_seconds"] = serde_json::Value::Null;
        object["peak_rss_bytes"] = serde_json::Value::Null;
        println!("{object}");
    }
    Ok(Exit::Done)
}

/// Not worth failing for: the status is about the crawl.
fn remote_of(job: &JobDir) -> Option<Standing> {
    standing(job, &spec_of(job).ok()?).ok()?
}
