//! `annalist search`: words in the archive, with where they are kept.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use annalist_crawl::job::JobDir;
use annalist_knowledge::Needed;
use annalist_knowledge::search::{
    Answer, FacetField, Narrowing, NarrowingError, Question, Reader, SearchError, Sort,
};
use anyhow::Result;
use serde_json::{Value, json};

use crate::cli::{SearchArgs, SortArg};
use crate::exit::{BadConfiguration, Exit};
use crate::knowledge::bring_up_to_date;
use crate::progress::Progress;

mod show;

/// Of a facet, so many labels are shown.
const LABELS: usize = 10;

#[expect(clippy::print_stdout, reason = "the answer is what the command is asked for")]
pub fn run(args: &SearchArgs) -> Result<Exit> {
    let (jobs, words) = jobs_and_words(&args.asked)?;
    let question = Question {
        wanted: narrowing(args, &words).wanted().map_err(|e| wrong(e, &words))?,
        sort: match args.sort {
            SortArg::Relevance => Sort::Relevance,
            SortArg::Newest => Sort::Newest,
            SortArg::Oldest => Sort::Oldest,
        },
        limit: args.limit,
        page: args.page.into(),
        facets: if args.facets { FacetField::ALL.to_vec() } else { Vec::new() },
        labels: LABELS,
        over_time: args.over_time,
        fold: !args.all,
    };
    let dirs: Vec<PathBuf> = jobs.iter().map(|job| job.root().to_owned()).collect();
    bring_up_to_date(&dirs, Needed::Search, Progress::unless(args.json))?;
    let folders: Vec<PathBuf> = jobs.iter().map(|job| job.root().join("search")).collect();
    let answer =
        Reader::open(&folders).and_then(|reader| reader.ask(&question)).map_err(|e| fault(e, &words))?;
    if args.json {
        println!("{}", json_of(&answer, &jobs)?);
    } else {
        let style = if std::io::stdout().is_terminal() { show::Style::Terminal } else { show::Style::Plain };
        print!("{}", show::answer(&answer, &question, &jobs, style));
    }
    Ok(Exit::Done)
}

/// The first arguments that are folders are job directories, the rest is the question.
fn jobs_and_words(asked: &[String]) -> Result<(Vec<JobDir>, String)> {
    let has_archive = |name: &str| Path::new(name).join("archive").is_dir();
    // A word may be the name of some folder here; a further job has an archive, or is told to have none.
    let is_job = |(place, name): &(usize, &String)| {
        let is_meant = *place == 0 || name.contains('/');
        (is_meant && Path::new(name.as_str()).is_dir()) || has_archive(name)
    };
    let named = asked.iter().enumerate().take_while(is_job);
    let jobs: Vec<_> = named.map(|(_, name)| JobDir::new(name)).collect();
    if jobs.is_empty() {
        let first = asked.first().map_or("", String::as_str);
        return Err(BadConfiguration(format!("{first} is no folder: name the job directory first")).into());
    }
    let words = asked.get(jobs.len()..).unwrap_or_default();
    if let Some(late) = words.iter().find(|word| has_archive(word)) {
        let (first, what) = (&words[0], "has no archive and is taken for a word, but");
        let told = format!("{first} {what} {late} after it is a job directory: name these first");
        return Err(BadConfiguration(told).into());
    }
    let words = words.join(" ");
    Ok((jobs, words))
}

/// What the words and the options ask for.
fn narrowing(args: &SearchArgs, words: &str) -> Narrowing {
    let options = [
        (FacetField::Site, &args.site),
        (FacetField::Language, &args.language),
        (FacetField::Type, &args.kind),
        (FacetField::Application, &args.application),
        (FacetField::Author, &args.author),
    ];
    let fields =
        options.into_iter().flat_map(|(field, values)| values.iter().map(move |v| (field, v.clone())));
    Narrowing {
        words: words.to_owned(),
        fields: fields.collect(),
        from: args.from.clone(),
        until: args.until.clone(),
        captured: args.captured,
    }
}

fn wrong(e: NarrowingError, words: &str) -> anyhow::Error {
    match e {
        NarrowingError::Words(e) => fault(SearchError::Query(e), words),
        other => BadConfiguration(other.to_string()).into(),
    }
}

/// Where the question goes wrong is shown below it.
fn fault(e: SearchError, words: &str) -> anyhow::Error {
    match e {
        SearchError::Query(e) => {
            let before: String = words.chars().take(e.at).map(|_| ' ').collect();
            BadConfiguration(format!("{e}\n  {words}\n  {before}^")).into()
        }
        SearchError::TooDeep { .. } | SearchError::Missing(_) => BadConfiguration(e.to_string()).into(),
        other => other.into(),
    }
}

fn json_of(answer: &Answer, jobs: &[JobDir]) -> Result<Value> {
    let mut told = serde_json::to_value(answer)?;
    for hit in told["hits"].as_array_mut().into_iter().flatten() {
        let index = hit["index"].as_u64().and_then(|index| usize::try_from(index).ok());
        let job = index.and_then(|index| jobs.get(index)).map(|job| job.root().display().to_string());
        hit["job"] = json!(job);
    }
    Ok(told)
}
