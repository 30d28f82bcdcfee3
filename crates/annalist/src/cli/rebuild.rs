//! What `annalist rebuild` can be told.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "Example:
  annalist rebuild collections/first

Everything that is derived is made again from the WARC files: the graph that `annalist query` asks and the index that
`annalist search` uses. An interrupted rebuild goes on where it was, by itself, when it is asked next.

Exit codes: 0 done, 3 disk full, 4 bad configuration, 9 something could not be read, 11 interrupted.")]
pub struct RebuildArgs {
    /// The job directory
    pub dir: PathBuf,
    /// One JSON object as the last line of standard output
    #[arg(long)]
    pub json: bool,
    /// No progress, no report
    #[arg(long, short)]
    pub quiet: bool,
}
