//! What `annalist across` can be told.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  annalist across names collections/2012 collections/2013        who and what changed its name
  annalist across associations collections/2012 collections/2013 --term austerity
  annalist across associations collections/2013 --term austerity --with pension
  annalist across new collections/2012 collections/2013          what the last crawl has that those before had not

Crawls are given in the order of time. Their writings and names are read as `annalist study` reads them, and kept.")]
pub struct AcrossArgs {
    #[command(subcommand)]
    pub what: Across,
}

#[derive(Debug, Subcommand)]
pub enum Across {
    /// Names that gave way to others, with what speaks for it
    Names(CrawlsArgs),
    /// How strongly terms belong together, month by month
    Associations(AssociationsArgs),
    /// Pages, names and words that the last crawl has and those before had not
    New(CrawlsArgs),
}

#[derive(Debug, Args)]
pub struct CrawlsArgs {
    /// Job directories, in the order of time
    #[arg(value_name = "DIR", required = true)]
    pub dirs: Vec<PathBuf>,
    /// How many of each are shown
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub limit: usize,
    /// One JSON object as the last line of standard output
    #[arg(long)]
    pub json: bool,
    /// No progress, no report
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct AssociationsArgs {
    #[command(flatten)]
    pub crawls: CrawlsArgs,
    /// A word or phrase
    #[arg(long, value_name = "WORDS")]
    pub term: String,
    /// Another; without it, those that belong to the first most
    #[arg(long, value_name = "WORDS")]
    pub with: Option<String>,
}
