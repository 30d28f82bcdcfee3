//! A whole crawl: fetch, WARC, digests, gzip, reading, frontier; every byte through loopback.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::Figures;
use crate::process::run;
use crate::web::Web;

pub fn measure(pages: usize, hosts: usize) -> Result<Figures> {
    eprintln!("bench: crawl of {pages} pages of 20 KB on {hosts} hosts");
    let web = Web::start(&[
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
    ])?;
    let job = web.dir.path().join("job");
    let ran = run(Command::new(crate::bin("annalist")?)
        .arg("crawl")
        .arg(web.spec())
        .arg("--job")
        .arg(&job)
        .args(["--json", "--quiet"]))?;
    let report = ran.json()?;
    let number = |name: &str| report[name].as_f64().with_context(|| format!("no {name}"));
    let captures = number("captures")?;
    let times = completion_times(&job)?;
    let mut figures = Figures::new();
    let mut put = |name: &str, value: Value| figures.insert(format!("crawl.{name}"), value);
    put("pages", json!(captures));
    put("pages_per_s", json!(captures / number("seconds")?));
    put("cpu_ms_per_page", json!(1000.0 * ran.cpu_seconds / captures));
    put("bytes_per_page", json!(number("bytes")? / captures));
    put("stored_bytes_per_page", json!(number("stored_bytes")? / captures));
    put("peak_rss_mb", json!(number("peak_rss_bytes")? / 1e6));
    put("last_over_first_tenth", json!(last_over_first_tenth(&times)));
    Ok(figures)
}

/// When each capture began, in milliseconds since the first, in order: crawl.log's ninth field.
pub fn completion_times(job: &Path) -> Result<Vec<u64>> {
    let log = std::fs::read_to_string(job.join("logs/crawl.log")).context("no crawl.log")?;
    let mut times: Vec<u64> = log.lines().filter_map(begun_millis).collect();
    times.sort_unstable();
    Ok(times)
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
fn last_over_first_tenth(times: &[u64]) -> f64 {
    let tenth = times.len() / 10;
    if tenth < 2 {
        return 1.0;
    }
    let span = |from: usize, to: usize| (times[to] - times[from]).max(1) as f64;
    span(0, tenth) / span(times.len() - 1 - tenth, times.len() - 1)
}
