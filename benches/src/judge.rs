//! What judging costs: by itself, and in the benchmark crawl with a topic.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::Figures;
use crate::urlstore::figures;

const REFERENCES: usize = 10;
/// The crawl fetches every page in the end: what it fetched in the first tenth tells what comes first.
const FIRST: usize = 10;

pub fn measure(pages: usize, hosts: usize) -> Result<Figures> {
    eprintln!("bench: judging pages of 26 KB with 60 links");
    let mut all = figures("judge", &mut Command::new(crate::bin("examples/judge")?))?;
    eprintln!("bench: crawl of {pages} pages of 20 KB on {hosts} hosts, with a topic");
    let web = crate::crawl::web(pages, hosts)?;
    let topics = Topics::read(&web.dir.path().join("truth.json"))?;
    let spec = std::fs::read_to_string(web.spec())?;
    std::fs::write(web.spec(), format!("{spec}\n[topic]\nreferences = {}\n", json!(topics.references())))?;
    let job = web.dir.path().join("job");
    let ran = crate::crawl::crawl(&web, &job)?;
    let report = ran.json()?;
    let number = |name: &str| report[name].as_f64().with_context(|| format!("no {name}"));
    let captures = number("captures")?;
    let (harvest, share) = topics.harvest(&job)?;
    let mut put = |name: &str, value: f64| all.insert(format!("crawl_judged.{name}"), json!(value));
    put("cpu_ms_per_page", 1000.0 * ran.cpu_seconds / captures);
    put("pages", captures);
    put("pages_per_s", captures / number("seconds")?);
    put("peak_rss_mb", number("peak_rss_bytes")? / 1e6);
    put("harvest", harvest);
    put("harvest_by_chance", share);
    Ok(all)
}

/// The pages of a web that have a topic.
pub struct Topics {
    /// In the order of the truth; the crawl is about the topic of the first.
    pages: Vec<(String, u64)>,
}

impl Topics {
    pub fn read(truth: &Path) -> Result<Topics> {
        let truth: Value = serde_json::from_slice(&std::fs::read(truth)?)?;
        let pages = truth["pages"].as_array().context("the truth names no pages")?;
        let topical = pages.iter().filter(|page| {
            page["published"].is_string() && page["duplicate_of"].is_null() && page["robots"] == "allowed"
        });
        let page = |page: &Value| Some((page["url"].as_str()?.to_owned(), page["topic"].as_u64()?));
        Ok(Topics { pages: topical.filter_map(page).collect() })
    }

    /// Pages about the topic, from all over the web.
    pub fn references(&self) -> Vec<&str> {
        let Some((_, topic)) = self.pages.first() else { return Vec::new() };
        let about: Vec<&str> =
            self.pages.iter().filter(|page| page.1 == *topic).map(|page| page.0.as_str()).collect();
        about.iter().copied().step_by((about.len() / REFERENCES).max(1)).take(REFERENCES).collect()
    }

    /// How many of the first pages were about the topic, and how many of all.
    fn harvest(&self, job: &Path) -> Result<(f64, f64)> {
        let topic = self.pages.first().context("no pages")?.1;
        let by_url: HashMap<&str, u64> =
            self.pages.iter().map(|(url, topic)| (url.as_str(), *topic)).collect();
        let log = std::fs::read_to_string(job.join("logs/crawl.log")).context("no crawl.log")?;
        let fetched: Vec<bool> = log
            .lines()
            .filter_map(|line| by_url.get(line.split_whitespace().nth(3)?))
            .map(|of| *of == topic)
            .collect();
        let share = |some: &[bool]| some.iter().filter(|is| **is).count() as f64 / some.len().max(1) as f64;
        Ok((share(fetched.get(..fetched.len() / FIRST).unwrap_or_default()), share(&fetched)))
    }
}
