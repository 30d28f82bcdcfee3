//! What `annalist select` can be told.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  annalist select collections/first                            what is proposed, and by what
  annalist select collections/first --review look.tsv          the 50 pages a person should look at first, as a table
  annalist select collections/first --decisions look.tsv --by ann    the same table, with the column `decision` filled in
  annalist select collections/first --keep 'score >= 0.6' --drop 'language != \"en\" || words < 50'
  annalist select collections/first --mark drop https://www.example.org/imprint https://www.example.org/login
  annalist export collections/first --selected --wacz final.wacz

A person's decision counts more than any rule, a rule more than what was learned from decisions, and below ten decisions the
relevance counts that the crawl gave. Rules are kept in DIR/selection.toml, decisions in DIR/selection.jsonl. Rules speak the
language of scope expressions, and know of a page also title, words, application, level, objects, published and duplicate.
More is in docs/selection.md.

Exit codes: 0 done, 4 what was asked for cannot be done, 9 some decisions could not be taken.")]
pub struct SelectArgs {
    /// The job directory
    pub dir: PathBuf,
    /// Keep pages for which this expression holds, from now on; may be given several times
    #[arg(long, value_name = "EXPRESSION")]
    pub keep: Vec<String>,
    /// Drop pages for which this expression holds, from now on, whatever other rules say
    #[arg(long, value_name = "EXPRESSION")]
    pub drop: Vec<String>,
    /// Write a table of the pages a person should look at, those that teach most first
    #[arg(long, value_name = "FILE.tsv")]
    pub review: Option<PathBuf>,
    /// Rows of that table
    #[arg(long, value_name = "N", default_value_t = 50, requires = "review", value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
    /// Take decisions from such a table (TSV or CSV), or from lines of JSON if the name ends in .jsonl
    #[arg(long, value_name = "FILE")]
    pub decisions: Option<PathBuf>,
    /// Decide about pages right here: keep or drop, and their addresses
    #[arg(long, num_args = 2.., value_names = ["keep|drop", "URL"])]
    pub mark: Vec<String>,
    /// Who decides
    #[arg(long, value_name = "NAME")]
    pub by: Option<String>,
    /// Why, kept with the decisions of --mark
    #[arg(long, value_name = "TEXT", requires = "mark")]
    pub note: Option<String>,
    /// One line for each page: proposal, probability, by what, address, why
    #[arg(long)]
    pub list: bool,
    /// One JSON object as the last line of standard output
    #[arg(long)]
    pub json: bool,
    /// No progress, no report
    #[arg(long, short)]
    pub quiet: bool,
}
