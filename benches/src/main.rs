//! `make bench`: runs the program and its rivals on the test web, prints one table, writes `target/bench.json`.
//! Rates are noisy on a busy machine; CPU times and ratios within one run are what to compare.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};
use serde_json::Value;

mod apps;
mod archive;
mod crawl;
mod dates;
mod extract;
mod graph;
mod hazard;
mod judge;
mod knowledge;
mod process;
mod reference;
mod search;
mod service;
mod urlstore;
mod web;

/// Results under their keys, `part.figure`.
type Figures = BTreeMap<String, Value>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    Urlstore,
    Scores,
    Crawl,
    Judge,
    Apps,
    Index,
    Lookup,
    Extract,
    Dates,
    Search,
    Hazard,
    Graph,
    Knowledge,
    Service,
    Reference,
}

#[derive(Debug, Parser)]
#[command(about = "Measures Annalist on this machine, beside wrk, wget and Scrapy on the same pages")]
struct Args {
    /// Run one part only; figures of the others stay as they were
    #[arg(long)]
    only: Option<Part>,
    /// Links for the URL store
    #[arg(long, default_value_t = 100_000_000)]
    links: u64,
    /// Statements for the graph
    #[arg(long, default_value_t = 1_000_000)]
    statements: u64,
    /// Pages for the crawl
    #[arg(long, default_value_t = 50_000)]
    pages: usize,
    /// Documents for search
    #[arg(long, default_value_t = 100_000)]
    documents: u64,
    /// Hosts for the crawl
    #[arg(long, default_value_t = 2_000)]
    hosts: usize,
}

/// Where the programs are: beside this one.
fn bin(name: &str) -> Result<PathBuf> {
    let own = std::env::current_exe().context("no path of my own")?;
    let path = own.with_file_name(name);
    anyhow::ensure!(path.exists(), "{} is missing: build with `make bench`", path.display());
    Ok(path)
}

#[expect(clippy::print_stdout, reason = "the table is what the command is asked for")]
fn main() -> Result<()> {
    let args = Args::parse();
    let path = PathBuf::from("target/bench.json");
    let before = std::fs::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let mut figures: Figures = before.filter(|_| args.only.is_some()).unwrap_or_default();
    let parts = [
        Part::Urlstore,
        Part::Scores,
        Part::Crawl,
        Part::Judge,
        Part::Apps,
        Part::Index,
        Part::Lookup,
        Part::Extract,
        Part::Dates,
        Part::Search,
        Part::Hazard,
        Part::Graph,
        Part::Knowledge,
        Part::Service,
        Part::Reference,
    ];
    for part in parts {
        if args.only.is_none_or(|only| only == part) {
            let measured = match part {
                Part::Urlstore => urlstore::measure(args.links)?,
                Part::Scores => urlstore::measure_scores()?,
                Part::Crawl => crawl::measure(args.pages, args.hosts)?,
                Part::Judge => judge::measure(args.pages, args.hosts)?,
                Part::Apps => apps::measure()?,
                Part::Index => archive::measure_index()?,
                Part::Lookup => archive::measure_lookup()?,
                Part::Extract => extract::measure(args.pages, args.hosts)?,
                Part::Dates => dates::measure()?,
                Part::Search => search::measure(args.documents)?,
                Part::Hazard => hazard::measure()?,
                Part::Graph => graph::measure(args.statements)?,
                Part::Knowledge => knowledge::measure(args.pages, args.hosts)?,
                Part::Service => service::measure(args.pages, args.hosts)?,
                Part::Reference => reference::measure()?,
            };
            figures.extend(measured);
            std::fs::write(&path, serde_json::to_vec_pretty(&figures)?)?;
        }
    }
    println!("{:<36} {:>14}", "figure", "value");
    for (name, value) in &figures {
        let value = value.as_f64().map_or_else(|| value.to_string(), |number| format!("{number:.3}"));
        println!("{name:<36} {value:>14}");
    }
    println!("written to {}", path.display());
    Ok(())
}
