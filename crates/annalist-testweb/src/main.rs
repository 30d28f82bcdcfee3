//! The test web as a program: serves until it is told to stop or its time is over.

use std::io::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use annalist_testweb::{Hazard, Junk, Past, PastConfig, ServerOptions, TestWeb, World, WorldConfig};
use anyhow::Context;
use clap::{Args, Parser, Subcommand};
use tokio::signal::unix::{SignalKind, signal};

/// A deterministic synthetic web on loopback addresses.
#[derive(Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Healthy hosts; hazard hosts come on top
    #[arg(long, default_value_t = 20)]
    hosts: usize,
    /// Articles, posts and threads over all hosts
    #[arg(long, default_value_t = 500)]
    pages: usize,
    /// Mean size of a page
    #[arg(long, default_value_t = 4000)]
    page_bytes: usize,
    #[arg(long, default_value_t = 10)]
    links_per_page: usize,
    /// Loopback addresses that the hosts share
    #[arg(long, default_value_t = 8)]
    addresses: usize,
    #[arg(long, default_value_t = 3)]
    images_per_host: usize,
    /// Hazards, separated by commas, or "all"
    #[arg(long, value_delimiter = ',')]
    hazards: Vec<String>,
    /// Share of hazard hosts among all hosts
    #[arg(long, default_value_t = 1.0 / 3.0)]
    hazard_share: f64,
    /// Share of hosts that compress their pages
    #[arg(long, default_value_t = 0.3)]
    gzip: f64,
    /// Share of hosts that announce a sitemap
    #[arg(long, default_value_t = 0.5)]
    sitemaps: f64,
    /// Share of links whose anchor is about another topic
    #[arg(long, default_value_t = 0.0)]
    lying_anchors: f64,
    /// Share of pages that link to a host outside of this web
    #[arg(long, default_value_t = 0.0)]
    outside_links: f64,
    /// Share of hosts where some pages fail at first
    #[arg(long, default_value_t = 0.0)]
    flaky: f64,
    /// Let blogs and forums link to print views, reply forms, profiles and the like
    #[arg(long)]
    junk: bool,
    /// Let the pages write about people, places, organisations and happenings that are known
    #[arg(long)]
    society: bool,
    /// 0 for any free port
    #[arg(long, default_value_t = 0)]
    port: u16,
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Milliseconds between a request and its answer
    #[arg(long, default_value_t = 0)]
    latency_ms: u64,
    /// Where to write a spec that crawls this web
    #[arg(long)]
    spec: Option<PathBuf>,
    /// Where to write what a crawl should find, as JSON
    #[arg(long)]
    truth: Option<PathBuf>,
    /// Where to append the access log, one JSON object a line
    #[arg(long)]
    log: Option<PathBuf>,
    /// Seconds until it ends by itself
    #[arg(long)]
    time_limit: Option<u64>,
}

#[derive(Subcommand)]
enum Command {
    /// Write an archive of many years instead of serving: WARC files with CDXJ, what is true, and a spec for each year
    Archive(ArchiveArguments),
    /// Write a web with a society as an archive instead of serving it: WARC files with CDXJ, what is true, and a spec
    Society(SocietyArguments),
}

#[derive(Args)]
struct SocietyArguments {
    out_dir: PathBuf,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value_t = 24)]
    hosts: usize,
    /// Articles, posts and threads over all hosts
    #[arg(long, default_value_t = 600)]
    pages: usize,
}

fn write_society(arguments: &SocietyArguments) -> anyhow::Result<()> {
    let SocietyArguments { out_dir: dir, seed, hosts, pages } = arguments;
    let config =
        WorldConfig { seed: *seed, hosts: *hosts, pages: *pages, society: true, ..WorldConfig::default() };
    let captures =
        World::new(config).write(dir).with_context(|| format!("cannot write to {}", dir.display()))?;
    writeln!(std::io::stdout(), "{captures} captures")?;
    Ok(())
}

#[derive(Args)]
struct ArchiveArguments {
    out_dir: PathBuf,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Years in which pages appear, such as 2008-2012
    #[arg(long, default_value = "2008-2012", value_parser = years)]
    years: RangeInclusive<u16>,
    /// Pages about each year's festival
    #[arg(long, default_value_t = PastConfig::default().festival_pages)]
    festival_pages: usize,
    /// Pages about anything else, each year
    #[arg(long, default_value_t = PastConfig::default().other_pages)]
    other_pages: usize,
}

fn years(text: &str) -> Result<RangeInclusive<u16>, String> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let year = |text: &str| text.parse::<u16>().ok().filter(|year| (1990..=2100).contains(year));
    match (year(from), year(to)) {
        (Some(from), Some(to)) if from <= to => Ok(from..=to),
        _ => Err("two years from 1990 to 2100, such as 2008-2012".to_owned()),
    }
}

fn write_archive(arguments: &ArchiveArguments) -> anyhow::Result<()> {
    let past = Past::new(PastConfig {
        seed: arguments.seed,
        years: arguments.years.clone(),
        festival_pages: arguments.festival_pages,
        other_pages: arguments.other_pages,
    });
    let dir = &arguments.out_dir;
    let summary = past.write(dir).with_context(|| format!("cannot write to {}", dir.display()))?;
    writeln!(
        std::io::stdout(),
        "{} captures in {} files, {} of them revisits; {} pages are missing",
        summary.captures,
        summary.files,
        summary.revisits,
        summary.missing
    )?;
    Ok(())
}

impl Arguments {
    fn world(&self) -> anyhow::Result<WorldConfig> {
        let hazards = match self.hazards.as_slice() {
            [all] if all == "all" => Hazard::ALL.to_vec(),
            names => names.iter().map(|name| name.parse()).collect::<Result<_, _>>()?,
        };
        Ok(WorldConfig {
            seed: self.seed,
            hosts: self.hosts,
            pages: self.pages,
            page_bytes: self.page_bytes,
            links_per_page: self.links_per_page,
            addresses: self.addresses,
            images_per_host: self.images_per_host,
            hazards,
            hazard_share: self.hazard_share,
            gzip: self.gzip,
            sitemaps: self.sitemaps,
            lying_anchors: self.lying_anchors,
            outside_links: self.outside_links,
            flaky: self.flaky,
            junk: if self.junk { Junk::On } else { Junk::Off },
            society: self.society,
            ..WorldConfig::default()
        })
    }

    fn options(&self) -> ServerOptions {
        ServerOptions {
            port: self.port,
            threads: self.threads,
            latency: Duration::from_millis(self.latency_ms),
            log_file: self.log.clone(),
            ..ServerOptions::default()
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    if let Some(Command::Archive(archive)) = &arguments.command {
        return write_archive(archive);
    }
    if let Some(Command::Society(society)) = &arguments.command {
        return write_society(society);
    }
    // Before anything is told: whoever reads "ready" may send the signal at once.
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut web = TestWeb::start(arguments.world()?, arguments.options())?;
    write_files(&arguments, &web)?;
    let mut out = std::io::stdout();
    writeln!(out, "ready {}", web.first_address())?;
    out.flush()?;
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        () = time_over(arguments.time_limit) => {}
    }
    web.stop();
    Ok(())
}

fn write_files(arguments: &Arguments, web: &TestWeb) -> anyhow::Result<()> {
    if let Some(path) = &arguments.spec {
        std::fs::write(path, web.spec_toml()).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(path) = &arguments.truth {
        let json = web.world().truth().to_json()?;
        std::fs::write(path, json).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

async fn time_over(limit: Option<u64>) {
    match limit {
        Some(seconds) => tokio::time::sleep(Duration::from_secs(seconds)).await,
        None => std::future::pending().await,
    }
}
