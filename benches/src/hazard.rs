//! How much the healthy hosts lose when one host in three is hostile.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::json;

use crate::Figures;
use crate::crawl::{begun_millis, crawl};
use crate::web::Web;

const HEALTHY: [&str; 10] =
    ["--hosts", "200", "--pages", "8000", "--page-bytes", "12000", "--addresses", "100", "--gzip", "0"];
/// Hazards that hold a connection or a reader up; traps without end are a matter of budgets.
const HAZARDS: &str = "tarpit,silent,endless-body,reset,deep-nesting,bomb,too-many,header-flood";

/// A run lasts seconds and the machine is noisy: the median of some pairs of runs counts.
const PAIRS: usize = 3;

pub fn measure() -> Result<Figures> {
    eprintln!("bench: healthy hosts alone, then with one hazard host in three, {PAIRS} times");
    let mut pairs = Vec::new();
    for _ in 0..PAIRS {
        let alone = healthy_speed(&[])?;
        let beside = healthy_speed(&["--hazards", HAZARDS, "--hazard-share", "0.3334"])?;
        pairs.push((beside / alone, alone, beside));
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (ratio, alone, beside) = pairs[PAIRS / 2];
    Ok(Figures::from([
        ("hazard.healthy_pages_per_s_alone".to_owned(), json!(alone)),
        ("hazard.healthy_pages_per_s_beside".to_owned(), json!(beside)),
        ("hazard.healthy_speed_ratio".to_owned(), json!(ratio)),
        ("hazard.healthy_speed_ratio_least".to_owned(), json!(pairs[0].0)),
        ("hazard.healthy_speed_ratio_most".to_owned(), json!(pairs[PAIRS - 1].0)),
    ]))
}

/// Healthy captures a second, until the last of them.
fn healthy_speed(more: &[&str]) -> Result<f64> {
    let web = Web::start(&[&HEALTHY[..], more].concat())?;
    let job = web.dir.path().join("job");
    let text = std::fs::read_to_string(web.spec())?;
    let fetch = "\n[fetch]\ntries = 2\nretry_delay = \"1s\"\nmax_time = \"10s\"\nidle_timeout = \"5s\"\nmax_size = \"20MB\"\n\n[network]\n";
    std::fs::write(web.spec(), text.replacen("\n[network]\n", fetch, 1))?;
    crawl(&web, &job)?.json()?;
    let hostile = hostile_hosts(&web.dir.path().join("truth.json"))?;
    let log = std::fs::read_to_string(job.join("logs/crawl.log"))?;
    let healthy = |line: &&str| {
        let host = line.split_whitespace().nth(3).and_then(|url| url.split('/').nth(2)).unwrap_or_default();
        !hostile.iter().any(|name| name == host)
    };
    let mut times: Vec<u64> = log.lines().filter(healthy).filter_map(begun_millis).collect();
    times.sort_unstable();
    let (first, last) = (times.first().context("no captures")?, times.last().context("no captures")?);
    Ok(1000.0 * times.len() as f64 / (last - first).max(1) as f64)
}

fn hostile_hosts(truth: &Path) -> Result<Vec<String>> {
    let truth: serde_json::Value = serde_json::from_slice(&std::fs::read(truth)?)?;
    let hosts = truth["hosts"].as_array().context("the truth names no hosts")?;
    let hostile = hosts.iter().filter(|host| !host["hazard"].is_null());
    Ok(hostile.filter_map(|host| host["name"].as_str().map(str::to_owned)).collect())
}
