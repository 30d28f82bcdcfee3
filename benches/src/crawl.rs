//! A whole crawl: fetch, WARC, digests, gzip, reading, frontier; every byte through loopback.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::Figures;
use crate::process::{Ran, run};
use crate::web::Web;

/// Nothing derived while the crawl runs.
pub const ENGINE_ALONE: &str = "[knowledge]\ngraph = false\nsearch = false\n";

/// The web of the benchmark crawl.
pub fn web(pages: usize, hosts: usize) -> Result<Web> {
    Web::start(&[
        "--hosts",
        &hosts.to_string(),
        "--pages",
        &pages.to_string(),
        "--page-bytes",
        "20000",
        "--addresses",
        "250",
        "--links-per-page",
        "40",
        "--images-per-host",
        "1",
        // The server's CPU is not measured, but it shares the machine.
        "--gzip",
        "0",
    ])
}

/// Crawls a web by its spec into this job directory, without graph and search index: those are measured by themselves.
pub fn crawl(web: &Web, job: &Path) -> Result<Ran> {
    let spec = std::fs::read_to_string(web.spec())?;
    if !spec.contains("[knowledge]") {
        std::fs::write(web.spec(), format!("{spec}\n{ENGINE_ALONE}"))?;
    }
    run(Command::new(crate::bin("annalist")?)
        .env("ANNALIST_BOOK", web.dir.path().join("book"))
        .arg("crawl")
        .arg(web.spec())
        .arg("--job")
        .arg(job)
        .args(["--json", "--quiet"]))
}

pub fn measure(pages: usize, hosts: usize) -> Result<Figures> {
    eprintln!("bench: crawl of {pages} pages of 20 KB on {hosts} hosts");
    let web = web(pages, hosts)?;
    let job = web.dir.path().join("job");
    let ran = crawl(&web, &job)?;
    let report = ran.json()?;
    let number = |name: &str| report[name].as_f64().with_context(|| format!("no {name}"));
    let captures = number("captures")?;
    let fetches = fetches(&job)?;
    let mut figures = Figures::new();
    let mut put = |name: &str, value: Value| figures.insert(format!("crawl.{name}"), value);
    put("pages", json!(captures));
    put("pages_per_s", json!(captures / number("seconds")?));
    put("cpu_ms_per_page", json!(1000.0 * ran.cpu_seconds / captures));
    put("bytes_per_page", json!(number("bytes")? / captures));
    put("stored_bytes_per_page", json!(number("stored_bytes")? / captures));
    put("peak_rss_mb", json!(number("peak_rss_bytes")? / 1e6));
    // By bytes: a web's first pages are its robots.txt, style sheets and lists, a third as long as the rest.
    put("last_over_first_tenth", json!(last_over_first_tenth(&fetches, |fetch| fetch.bytes as f64)));
    put("last_over_first_tenth_by_count", json!(last_over_first_tenth(&fetches, |_| 1.0)));
    Ok(figures)
}

/// One line of crawl.log.
struct Fetch {
    begun_millis: u64,
    bytes: u64,
}

/// Every fetch, in the order they began.
fn fetches(job: &Path) -> Result<Vec<Fetch>> {
    let log = std::fs::read_to_string(job.join("logs/crawl.log")).context("no crawl.log")?;
    let fetch = |line: &str| {
        let bytes = line.split_whitespace().nth(2)?.parse().ok()?;
        Some(Fetch { begun_millis: begun_millis(line)?, bytes })
    };
    let mut fetches: Vec<Fetch> = log.lines().filter_map(fetch).collect();
    fetches.sort_unstable_by_key(|fetch| fetch.begun_millis);
    Ok(fetches)
}

/// The time of day of a line's fetch in milliseconds; a run over midnight is not worth a calendar.
pub fn begun_millis(line: &str) -> Option<u64> {
    let field = line.split_whitespace().nth(8)?;
    let digits = field.split('+').next()?;
    let part = |from: usize, to: usize| digits.get(from..to)?.parse::<u64>().ok();
    let days = part(6, 8)?;
    Some((((days * 24 + part(8, 10)?) * 60 + part(10, 12)?) * 60 + part(12, 14)?) * 1000 + part(14, 17)?)
}

/// Speed of the last tenth of the captures as a share of the first tenth's.
fn last_over_first_tenth(fetches: &[Fetch], work: impl Fn(&Fetch) -> f64) -> f64 {
    let tenth = fetches.len() / 10;
    if tenth < 2 {
        return 1.0;
    }
    let speed = |part: &[Fetch]| {
        let span = part[part.len() - 1].begun_millis - part[0].begun_millis;
        part.iter().map(&work).sum::<f64>() / span.max(1) as f64
    };
    speed(&fetches[fetches.len() - tenth..]) / speed(&fetches[..tenth])
}
