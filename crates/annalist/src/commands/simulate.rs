//! `annalist simulate`: policies compared by crawls of an archive.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::BufReader;
use std::num::NonZeroUsize;
use std::path::Path;

use annalist_model::CanonicalUrl;
use annalist_read::Limits;
use annalist_sources::ArchiveSource;
use annalist_study::{
    Curves, Found, Labels, Library, Plan, Policy, Seeds, StudyError, drawn, rows_csv, tables,
};
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value, json};

use crate::cli::SimulateArgs;
use crate::commands::frequencies::own_frequencies;
use crate::commands::verify::warc_files;
use crate::exit::{BadConfiguration, Exit};
use crate::show;

mod event;

/// Of pages that were read, kept for the next crawl.
const MEMORY_BYTES: usize = 2 << 30;

#[expect(clippy::print_stdout, reason = "the tables are what the command is asked for")]
pub fn run(args: &SimulateArgs) -> Result<Exit> {
    let policies = policies(&args.policy)?;
    let labels = labels(args.topics.as_deref())?;
    let given = args.seed_urls.as_deref().map(seed_urls).transpose()?;
    let frequencies = own_frequencies("--frequencies", args.frequencies.as_deref())?;
    let source = ArchiveSource::open(&warc_files(&args.archive)?, Limits::default().body_bytes as u64)
        .context("the archive cannot be read")?;
    for (path, hole) in source.damaged() {
        tell!("annalist: {}: {hole}", path.display());
    }
    tell_absent(&labels, &source);
    if let Some(spec) = &args.spec {
        return event::run(args, spec, Library::new(source, frequencies, MEMORY_BYTES), &labels, policies);
    }
    let seeds = match given {
        Some(urls) => Seeds::Given { urls, topics: each_once(&args.topic) },
        None if args.topics.is_none() => Seeds::Drawn { count: args.seeds as usize },
        None => Seeds::Labelled { topics: each_once(&args.topic), count: args.seeds as usize },
    };
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let plan = Plan {
        seeds,
        policies: if policies.is_empty() { Policy::plain() } else { policies },
        pages: args.pages as usize,
        repeats: args.repeat,
        threads: args.threads.unwrap_or(cores),
    };
    let library = Library::new(source, frequencies, MEMORY_BYTES);
    let found = counted(|advance| annalist_study::simulate(&library, &labels, &plan, advance))?;
    print!("{}", tables(&found));
    if let Some(dir) = &args.out {
        let curves = Curves::of(&found);
        let files =
            [("curves.svg", drawn(&curves)), ("curves.csv", curves.csv()), ("rows.csv", rows_csv(&found))];
        write(dir, &files)?;
        println!("curves.svg, curves.csv and rows.csv are in {}", dir.display());
    }
    if args.json {
        println!("{}", in_json(&found));
    }
    Ok(Exit::Done)
}

/// With a bar that says how many crawls are done.
fn counted<T>(simulate: impl FnOnce(&(dyn Fn(usize, usize) + Sync)) -> Result<T, StudyError>) -> Result<T> {
    let style = ProgressStyle::with_template("{wide_bar} {pos} of {len} crawls, {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(0).with_style(style);
    let found = simulate(&|done, total| {
        bar.set_length(total as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    found.map_err(|error| match error {
        StudyError::Input(what) => BadConfiguration(what).into(),
        other => other.into(),
    })
}

/// Those that are named; none where none is.
fn policies(names: &[String]) -> Result<Vec<Policy>> {
    let mut policies: Vec<Policy> = Vec::new();
    for name in names {
        let policy = name.parse().map_err(|unknown| BadConfiguration(format!("--policy: {unknown}")))?;
        if !policies.contains(&policy) {
            policies.push(policy);
        }
    }
    Ok(policies)
}

fn each_once(topics: &[String]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let trimmed = topics.iter().map(|topic| topic.trim_matches('/').to_owned());
    trimmed.filter(|topic| seen.insert(topic.clone())).collect()
}

fn labels(path: Option<&Path>) -> Result<Labels> {
    let Some(path) = path else { return Ok(Labels::default()) };
    let unusable = |why: String| BadConfiguration(format!("--topics {}: {why}", path.display()));
    let file = File::open(path).map_err(|e| unusable(e.to_string()))?;
    Ok(Labels::read(BufReader::new(file)).map_err(|e| unusable(e.to_string()))?)
}

fn tell_absent(labels: &Labels, source: &ArchiveSource) {
    let (all, absent) = labels.absent(source);
    if absent > 0 {
        tell!(
            "annalist: {} of {} labelled pages are not in the archive, and count for nothing",
            show::count(absent as u64),
            show::count(all as u64)
        );
    }
}

fn seed_urls(path: &Path) -> Result<Vec<CanonicalUrl>> {
    let unusable = |why: String| BadConfiguration(format!("--seed-urls {}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|e| unusable(e.to_string()))?;
    let mut urls: Vec<CanonicalUrl> = Vec::new();
    for (place, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let url = CanonicalUrl::parse(line)
            .map_err(|fault| unusable(format!("line {}: {line} is no address: {fault}", place + 1)))?;
        if !urls.contains(&url) {
            urls.push(url);
        }
    }
    if urls.is_empty() {
        return Err(unusable("it has no addresses".to_owned()).into());
    }
    Ok(urls)
}

fn write(dir: &Path, files: &[(&str, String)]) -> Result<()> {
    std::fs::create_dir_all(dir).with_context(|| format!("{} cannot be made", dir.display()))?;
    for (name, text) in files {
        let path = dir.join(name);
        std::fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(())
}

fn in_json(found: &Found) -> Value {
    let rows = found.rows.iter().map(|row| {
        json!({
            "topic": row.topic,
            "policy": row.policy.to_string(),
            "harvest": rounded(row.harvest),
            "recall": rounded(row.recall),
            "similarity": rounded(row.similarity),
            "topics_covered": row.covered.map(rounded),
            "pages": row.pages,
            "missing": row.missing,
            "repeat": row.repeat,
        })
    });
    let rows: Vec<Value> = rows.collect();
    let mut means = Map::new();
    for policy in &found.policies {
        let of = found.means(*policy);
        let mean = json!({
            "harvest": rounded(of.harvest.value),
            "recall": rounded(of.recall.value),
            "similarity": rounded(of.similarity.value),
            "topics_covered": of.covered.map(|mean| rounded(mean.value)),
            "harvest_error": of.harvest.error.map(rounded),
        });
        means.insert(policy.to_string(), mean);
    }
    json!({"rows": rows, "means": means, "bound": rounded(found.bound())})
}

/// More digits than these are chance.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}
