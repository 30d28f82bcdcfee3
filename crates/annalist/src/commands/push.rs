//! `annalist push`: tells the remote store what it does not know yet.

use annalist_crawl::pushing::{PushError, Since, push, standing};
use annalist_knowledge::remote::Fault;
use anyhow::Result;
use serde_json::json;

use crate::cli::PushArgs;
use crate::exit::{BadConfiguration, Exit};
use crate::knowledge::{job_at, locked, spec_of};
use crate::progress::Progress;
use crate::watch::Watch;
use crate::{show, spec_file};

#[expect(clippy::print_stdout, reason = "the report is what the command is asked for")]
pub fn run(args: &PushArgs) -> Result<Exit> {
    let job = job_at(&args.dir)?;
    let mut spec = spec_of(&job)?;
    if let Some(path) = &args.spec {
        let other = spec_file::load(path)?.spec;
        (spec.knowledge.remote, spec.network) = (other.knowledge.remote, other.network);
    }
    let watch = Watch::start(Progress::unless(args.quiet))?;
    let Some(_lock) = locked(&job, &watch)? else {
        let what = "is being crawled: the crawl sends what it finds by itself";
        return Err(BadConfiguration(format!("{} {what}", args.dir.display())).into());
    };
    let since = if args.again { Since::TheBeginning } else { Since::TheLastTime };
    if let Some(standing) = standing(&job, &spec)? {
        watch.begin("telling the remote store", standing.waiting_bytes);
    }
    let pushed = push(&job, &spec, since, &watch);
    drop(watch);
    let pushed = match pushed {
        Ok(pushed) => pushed,
        Err(error) if error.fault() == Some(&Fault::Stopped) => {
            tell!("annalist: interrupted: what was sent stays there, and the next push sends the rest");
            return Ok(Exit::Interrupted);
        }
        Err(error) => return Err(told(error)),
    };
    if !args.quiet {
        let (captures, statements) = (show::count(pushed.captures), show::count(pushed.statements));
        println!(
            "the remote store was told {statements} statements, of {captures} captures and what else is known"
        );
        if pushed.refused > 0 {
            let place = args.dir.join("knowledge/remote/refused.jsonl");
            println!("  {} statements it did not take: see {}", show::count(pushed.refused), place.display());
        }
        for hole in &pushed.holes {
            println!("  {hole}");
        }
    }
    if args.json {
        println!(
            "{}",
            json!({"captures": pushed.captures, "statements": pushed.statements, "refused": pushed.refused,
                "holes": pushed.holes, "job": args.dir})
        );
    }
    Ok(if pushed.is_complete && pushed.refused == 0 { Exit::Done } else { Exit::Failed })
}

/// What somebody must change is told apart from what passes.
fn told(error: PushError) -> anyhow::Error {
    match &error {
        PushError::Nobody | PushError::Set(_) => BadConfiguration(error.to_string()).into(),
        _ => match error.fault() {
            Some(Fault::Denied(_)) => BadConfiguration(error.to_string()).into(),
            Some(_) => anyhow::anyhow!("{error}; `annalist push` again sends what is left"),
            None => error.into(),
        },
    }
}
