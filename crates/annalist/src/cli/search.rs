//! What `annalist search` can be told.

use std::ffi::OsString;
use std::num::NonZeroUsize;

use clap::{Args, Command, ValueEnum};

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
  annalist search collections/first euro -football --over-time
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
    /// Which page of results, from 1
    #[arg(long, value_name = "N", default_value_t = NonZeroUsize::MIN)]
    pub page: NonZeroUsize,
    /// Everything as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// `annalist search DIR the -word --facets` as the parser understands it: options first, and behind `--` the words, which may
/// begin with a hyphen. What is typed to other commands stays as it is.
pub fn options_first(typed: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut typed = typed.peekable();
    let mut args: Vec<OsString> = typed.by_ref().take(1).collect();
    if typed.peek().is_none_or(|command| command != "search") {
        return args.into_iter().chain(typed).collect();
    }
    args.extend(typed.next());
    let command = SearchArgs::augment_args(Command::new("search"));
    let takes_value = |option: &str| {
        let known = command.get_arguments().find(|known| known.get_long() == Some(option));
        known.is_some_and(|known| known.get_action().takes_values())
    };
    let mut words = Vec::new();
    while let Some(arg) = typed.next() {
        match arg.to_str() {
            Some("--") => words.extend(typed.by_ref()),
            Some("-h") => args.push(arg),
            Some(option) if option.starts_with("--") => {
                let has_value = takes_value(option.trim_start_matches("--"));
                args.push(arg);
                args.extend(typed.next_if(|_| has_value));
            }
            _ => words.push(arg),
        }
    }
    if !words.is_empty() {
        args.push("--".into());
        args.extend(words);
    }
    args
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SortArg {
    Relevance,
    Newest,
    Oldest,
}

#[cfg(test)]
mod tests {
    use super::options_first;

    fn ordered(typed: &str) -> String {
        let args = options_first(typed.split(' ').map(Into::into));
        args.iter().map(|arg| arg.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_may_begin_with_a_hyphen_and_options_stand_anywhere() {
        assert_eq!(
            ordered("annalist search job the -word --facets"),
            "annalist search --facets -- job the -word"
        );
        assert_eq!(
            ordered("annalist search --limit 5 job --site=a.test ( a OR -b ) --sort newest"),
            "annalist search --limit 5 --site=a.test --sort newest -- job ( a OR -b )"
        );
        assert_eq!(ordered("annalist search job a -- --json -b"), "annalist search -- job a --json -b");
        assert_eq!(ordered("annalist search --help"), "annalist search --help");
        assert_eq!(ordered("annalist stop search -x"), "annalist stop search -x");
    }
}
