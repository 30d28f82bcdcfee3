//! What `annalist push` can be told.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  annalist push collections/first           send what the remote store does not know yet
  annalist push collections/first --again   the remote store has lost its data, or has what it should not: send everything anew

Which store that is says [knowledge.remote] in the spec: docs/remote.md. A crawl sends by itself, and takes up what is left
at its next run; this is for when the store was away, or after `annalist study` and `annalist import`.")]
pub struct PushArgs {
    /// The job directory
    pub dir: PathBuf,
    /// Clear what the store has of this job, and send everything from the beginning
    #[arg(long)]
    pub again: bool,
    /// Another spec than the one kept with the job, for its [knowledge.remote] and [network]
    #[arg(long, value_name = "SPEC")]
    pub spec: Option<PathBuf>,
    /// One JSON object as the last line of standard output
    #[arg(long)]
    pub json: bool,
    /// No progress, no report
    #[arg(long, short)]
    pub quiet: bool,
}
