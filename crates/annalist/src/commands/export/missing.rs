//! What a job wanted and did not get, as a table.

use std::io::Write;

use annalist_crawl::job::JobDir;
use annalist_crawl::missing::missing;
use anyhow::{Context, Result};

use super::table::row;

const COLUMNS: [&str; 7] = ["url", "estimated_relevance", "mentions", "via", "anchor", "reason", "detail"];

/// Writes what is missing, the most relevant first. Returns how many there are.
pub fn write(jobs: &[JobDir], out: &mut dyn Write) -> Result<u64> {
    out.write_all(row(&COLUMNS).as_bytes())?;
    let mut count = 0;
    for job in jobs {
        let all = missing(job).with_context(|| job.root().display().to_string())?;
        for one in &all {
            let (value, mentions) = (format!("{:.4}", one.value.clamp(0.0, 1.0)), one.mentions.to_string());
            let via = one.via.as_deref().unwrap_or_default();
            let cells = [&one.url, &value, &mentions, via, &one.anchor, one.reason.name(), &one.detail];
            out.write_all(row(&cells).as_bytes())?;
        }
        count += all.len() as u64;
    }
    Ok(count)
}
