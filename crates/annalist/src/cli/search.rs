//! What `annalist search` can be told.

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(
    after_help = "Words are found in all their forms, in titles and texts, of pages and of what was written on them; all of them must be there.
  \"debt crisis\"    one after the other, as written        -football       without it
  euro OR drachma  either of them, also in parentheses    elect*          words that begin so
  site: host: language: type: application: author: title: url: topic: entity: event: mime:
  published:2010-03..2011   captured:..2012               times; a year, a month or a day alone is all of it

Examples:
  annalist search collections/first debt crisis
  annalist search collections/first '\"prime minister\" -football published:2010..2011' --facets
  annalist search collections/* --type comment --author jane --sort newest
  annalist search collections/first euro --over-time
  annalist search collections/first crisis --json | jq '.hits[].url'

See docs/search.md."
)]
pub struct SearchArgs {
    /// Job directories, then the question
    #[arg(value_name = "DIR... WORDS", required = true)]
    pub asked: Vec<String>,
    /// Of this site only, such as example.org; several may be given
    #[arg(long, value_name = "SITE")]
    pub site: Vec<String>,
    /// In this language only, such as el
    #[arg(long, value_name = "CODE")]
    pub language: Vec<String>,
    /// Of this type only: page, post, comment, article
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Vec<String>,
    /// Made by this software only, such as wordpress
    #[arg(long, value_name = "NAME")]
    pub application: Vec<String>,
    /// Written by somebody of this name
    #[arg(long, value_name = "NAME")]
    pub author: Vec<String>,
    /// Published from then on: 2011, 2011-03 or 2011-03-05
    #[arg(long, value_name = "DATE")]
    pub from: Option<String>,
    /// Published until then
    #[arg(long, value_name = "DATE")]
    pub until: Option<String>,
    /// --from and --until are about when it was captured
    #[arg(long)]
    pub captured: bool,
    /// Which come first
    #[arg(long, value_enum, default_value_t = SortArg::Relevance)]
    pub sort: SortArg,
    /// Count sites, topics, people, languages and so on
    #[arg(long)]
    pub facets: bool,
    /// Count by month of publication, with the mean of opinions where a study found some
    #[arg(long)]
    pub over_time: bool,
    /// Show further captures and near duplicates as results of their own
    #[arg(long)]
    pub all: bool,
    /// Results on a page
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub limit: usize,
    /// Which page of results
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub page: usize,
    /// Everything as one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SortArg {
    Relevance,
    Newest,
    Oldest,
}
