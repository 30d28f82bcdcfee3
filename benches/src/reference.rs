//! The machine's own reference, on the same pages in the same run: wrk for the server, wget and Scrapy as crawlers.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::json;

use crate::Figures;
use crate::process::{Ran, run};
use crate::web::Web;

const PAGES: &str = "3000";

pub fn measure() -> Result<Figures> {
    let web = Web::start(&[
        "--hosts",
        "100",
        "--pages",
        PAGES,
        "--page-bytes",
        "20000",
        "--addresses",
        "20",
        "--gzip",
        "0",
    ])?;
    let seed = web.seeds()?.into_iter().next().context("no seed")?;
    let mut figures = Figures::new();
    eprintln!("bench: wrk on {seed}");
    figures.insert("reference.wrk_requests_per_s".to_owned(), json!(wrk(&web, &seed)?));
    eprintln!("bench: wget --mirror");
    let (cpu, pages) = wget(&web)?;
    figures.insert("reference.wget_cpu_ms_per_page".to_owned(), json!(1000.0 * cpu / pages));
    figures.insert("reference.wget_pages".to_owned(), json!(pages));
    eprintln!("bench: Scrapy");
    let (cpu, pages) = scrapy(&web)?;
    figures.insert("reference.scrapy_cpu_ms_per_page".to_owned(), json!(1000.0 * cpu / pages));
    figures.insert("reference.scrapy_pages".to_owned(), json!(pages));
    Ok(figures)
}

fn wrk(web: &Web, seed: &str) -> Result<f64> {
    let host = seed.split('/').nth(2).unwrap_or_default();
    let path = seed.splitn(4, '/').nth(3).unwrap_or_default();
    let url = format!("http://{}/{path}", web.address);
    let ran = run(Command::new("wrk").args([
        "-t",
        "2",
        "-c",
        "32",
        "-d",
        "5s",
        "-H",
        &format!("Host: {host}"),
        &url,
    ]))?;
    let text = String::from_utf8_lossy(&ran.output.stdout).into_owned();
    let line =
        text.lines().find_map(|line| line.strip_prefix("Requests/sec:")).context("wrk gave no rate")?;
    line.trim().parse().context("wrk gave no number")
}

/// The names of the test web are known to nobody: the web itself serves as the proxy.
fn proxied(command: &mut Command, web: &Web) -> Result<Ran> {
    let proxy = format!("http://{}", web.address);
    run(command.env("http_proxy", &proxy).env("HTTP_PROXY", &proxy).env("no_proxy", "").env("NO_PROXY", ""))
}

fn wget(web: &Web) -> Result<(f64, f64)> {
    let into = web.dir.path().join("wget");
    let seeds = web.dir.path().join("wget-seeds.txt");
    std::fs::write(&seeds, web.seeds()?.join("\n"))?;
    let mut command = Command::new("wget");
    command.args([
        "--mirror",
        "--span-hosts",
        "--domains=test",
        "--page-requisites",
        "--no-verbose",
        "--tries=1",
    ]);
    command.arg("-P").arg(&into).arg("-i").arg(&seeds);
    let ran = proxied(&mut command, web)?;
    Ok((ran.cpu_seconds, count_files(&into) as f64))
}

fn count_files(dir: &Path) -> usize {
    let Ok(entries) = std::fs::read_dir(dir) else { return 0 };
    entries.flatten().map(|entry| if entry.path().is_dir() { count_files(&entry.path()) } else { 1 }).sum()
}

fn scrapy(web: &Web) -> Result<(f64, f64)> {
    let spider = web.dir.path().join("spider.py");
    let into = web.dir.path().join("scrapy");
    std::fs::create_dir_all(&into)?;
    std::fs::write(&spider, include_str!("spider.py"))?;
    let mut command = Command::new("target/venv/bin/scrapy");
    command
        .arg("runspider")
        .arg(&spider)
        .args(["--nolog", "-a"])
        .arg(format!("seeds={}", web.seeds()?.join(",")));
    command.arg("-a").arg(format!("folder={}", into.display()));
    let ran = proxied(&mut command, web)?;
    Ok((ran.cpu_seconds, count_files(&into) as f64))
}
