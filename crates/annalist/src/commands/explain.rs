//! `annalist explain`: why a URL was, or was not, fetched.

use annalist_crawl::explain::explain;
use annalist_crawl::job::JobDir;
use anyhow::Result;

use crate::cli::ExplainArgs;
use crate::exit::{BadConfiguration, Exit};
use crate::spec_file;

#[expect(clippy::print_stdout, reason = "the explanation is what the command is asked for")]
pub fn run(args: &ExplainArgs) -> Result<Exit> {
    let job = JobDir::new(&args.dir);
    if !job.exists() {
        return Err(BadConfiguration(format!("{} is no job directory", args.dir.display())).into());
    }
    let spec = spec_file::load(&job.spec())?.spec;
    let explanation = explain(&job, &spec, &args.url)?;
    println!("{}", explanation.url);
    for decision in &explanation.decisions {
        println!("  {decision}");
    }
    if args.json {
        println!("{}", serde_json::to_string(&explanation)?);
    }
    Ok(Exit::Done)
}
