//! What a collection out of an archive costs: the benchmark crawl's archive, walked by topic and event.

use std::process::Command;

use anyhow::{Context, Result};
use serde_json::json;

use crate::Figures;
use crate::judge::Topics;
use crate::process::run;

/// Of documents, that is captures that are pages.
pub fn measure(pages: usize, hosts: usize) -> Result<Figures> {
    let (pages, hosts) = (pages.min(20_000), hosts.min(800));
    eprintln!("bench: extraction from an archive of {pages} pages of 20 KB on {hosts} hosts");
    let web = crate::crawl::web(pages, hosts)?;
    let archive = web.dir.path().join("job");
    crate::crawl::crawl(&web, &archive)?;
    let topics = Topics::read(&web.dir.path().join("truth.json"))?;
    let seeds: String =
        topics.references().iter().map(|url| format!("[[seed]]\nurl = {}\n", json!(url))).collect();
    let spec = web.dir.path().join("extract.toml");
    let text = format!(
        "name = \"extract\"\n{seeds}[topic]\nreferences = {}\n\
         [event]\nfrom = 2020-01-01\nuntil = 2026-12-31\nlead = \"30d\"\ncooldown = \"30d\"\n",
        json!(topics.references())
    );
    std::fs::write(&spec, format!("{text}\n{}", crate::crawl::ENGINE_ALONE))?;
    let ran = run(Command::new(crate::bin("annalist")?)
        .arg("extract")
        .arg(&spec)
        .arg("--archive")
        .arg(archive.join("archive"))
        .arg("--job")
        .arg(web.dir.path().join("collection"))
        .args(["--json", "--quiet"]))?;
    let report = ran.json()?;
    let number = |name: &str| report[name].as_f64().with_context(|| format!("no {name}"));
    let (captures, seconds) = (number("captures")?, number("seconds")?);
    let mut figures = Figures::new();
    let mut put = |name: &str, value: f64| figures.insert(format!("extract.{name}"), json!(value));
    put("documents", captures);
    put("cpu_ms_per_document", 1000.0 * ran.cpu_seconds / captures);
    put("documents_per_s_and_core", captures / ran.cpu_seconds);
    put("documents_per_s", captures / seconds);
    put("peak_rss_mb", number("peak_rss_bytes")? / 1e6);
    Ok(figures)
}
