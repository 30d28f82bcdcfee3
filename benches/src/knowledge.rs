//! What graph and search index cost: the same follower works beside a crawl and when they are made again.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::json;

use crate::Figures;
use crate::crawl;
use crate::process::run;

pub fn measure(pages: usize, hosts: usize) -> Result<Figures> {
    eprintln!("bench: graph and search index of {pages} pages of 20 KB");
    let web = crawl::web(pages, hosts)?;
    let job = web.dir.path().join("job");
    let captures = crawl::crawl(&web, &job)?.json()?["captures"].as_f64().context("no captures")?;
    let spec = std::fs::read_to_string(job.join("spec.toml"))?;
    let archive = size_of(&job.join("archive"))?;
    let mut figures = Figures::new();
    for (name, graph, search) in [("graph", true, false), ("search", false, true), ("both", true, true)] {
        let wanted = spec
            .replace("graph = false", &format!("graph = {graph}"))
            .replace("search = false", &format!("search = {search}"));
        std::fs::write(job.join("spec.toml"), wanted)?;
        let begun = std::time::Instant::now();
        let ran =
            run(Command::new(crate::bin("annalist")?).arg("rebuild").arg(&job).args(["--json", "--quiet"]))?;
        let seconds = begun.elapsed().as_secs_f64();
        let mut put =
            |figure: &str, value: f64| figures.insert(format!("knowledge.{name}.{figure}"), json!(value));
        put("cpu_ms_per_capture", 1000.0 * ran.cpu_seconds / captures);
        put("seconds_per_gb_of_warc", seconds / (archive / 1e9));
    }
    figures.insert(
        "knowledge.graph_bytes_per_capture".to_owned(),
        json!(size_of(&job.join("knowledge"))? / captures),
    );
    figures.insert(
        "knowledge.search_bytes_per_capture".to_owned(),
        json!(size_of(&job.join("search"))? / captures),
    );
    figures.insert("knowledge.captures".to_owned(), json!(captures));
    Ok(figures)
}

/// Bytes of all files in a folder and under it.
fn size_of(dir: &Path) -> Result<f64> {
    let mut bytes = 0.0;
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let about = entry.metadata()?;
        bytes += if about.is_dir() { size_of(&entry.path())? } else { about.len() as f64 };
    }
    Ok(bytes)
}
