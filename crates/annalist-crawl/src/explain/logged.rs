//! What `skipped.jsonl` says of an address that the frontier cannot know, being none to fetch.

use std::fs::File;
use std::io::{BufRead, BufReader};

use serde_json::Value;

use crate::job::JobDir;

/// One sentence per page that is known to name it. A log that cannot be read says nothing.
pub(super) fn skips_of(job: &JobDir, address: &str) -> Vec<String> {
    let Ok(log) = File::open(job.logs().join("skipped.jsonl")) else { return Vec::new() };
    let lines = BufReader::new(log).lines().map_while(Result::ok);
    lines.filter_map(|line| told(&line, address)).collect()
}

fn told(line: &str, address: &str) -> Option<String> {
    let skip: Value = serde_json::from_str(line).ok()?;
    let field = |name: &str| skip[name].as_str();
    (field("url")? == address).then(|| {
        let on = field("via").map(|page| format!(", first named on {page}")).unwrap_or_default();
        let (reason, detail) = (field("reason").unwrap_or_default(), field("detail").unwrap_or_default());
        format!("not fetched: {reason} ({detail}){on}")
    })
}
