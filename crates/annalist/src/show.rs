//! Numbers and reports as people read them.

use std::fmt::Write as _;
use std::path::Path;

use annalist_crawl::budget::Ending;
use annalist_crawl::counters::Counters;
use annalist_crawl::engine::Report;
use annalist_crawl::pushing::Standing;
use annalist_crawl::status::Status;
use serde_json::{Value, json};

/// `12,345`
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// What pages say of themselves never reaches the terminal as a command. Lines stay lines.
pub fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect()
}

/// `1.5 GB`
pub fn bytes(number: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let mut value = number as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{number} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// `1h 02m 03s`
pub fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0) as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, _) => format!("{seconds:.1}s"),
        (0, minutes, rest) => format!("{minutes}m {rest:02}s"),
        (hours, minutes, rest) => format!("{hours}h {minutes:02}m {rest:02}s"),
    }
}

/// Why a crawl ended, in a sentence.
pub fn ending(ending: Ending) -> &'static str {
    match ending {
        Ending::Complete => "done: nothing is left to fetch",
        Ending::PageLimit => "done: the page limit is reached",
        Ending::SizeLimit => "stopped: the size limit is reached",
        Ending::TimeLimit => "stopped: the time limit is reached",
        Ending::Interrupted => "interrupted: run the same command again to go on",
        Ending::DiskFull => "stopped while the disk was full: make room and run the same command again",
    }
}

/// A crawl that could fetch none of its seeds has not done what it was asked for.
const NOTHING: &str = "failed: no seed could be fetched";

/// The report at the end of a crawl.
pub fn report(report: &Report, job: &Path) -> String {
    let counters = &report.status.counters;
    let mut text = String::new();
    let rate = if report.seconds > 0.0 { report.captures as f64 / report.seconds } else { 0.0 };
    let nothing = report.ending == Ending::Complete && counters.captures == 0;
    let _ = writeln!(text, "{}", if nothing { NOTHING } else { ending(report.ending) });
    let _ = writeln!(
        text,
        "  {} captures ({} new, {} revisits), {} received, {} stored, in {} ({rate:.0} a second)",
        count(counters.captures),
        count(counters.responses),
        count(counters.revisits),
        bytes(counters.bytes),
        bytes(counters.stored_bytes),
        duration(report.seconds),
    );
    text.push_str(&details(counters));
    let _ = writeln!(
        text,
        "  {} links still queued on {} sites",
        count(report.status.queued),
        count(report.status.sites)
    );
    if counters.captures == 0 {
        let _ = writeln!(text, "  nothing was captured: see {}", job.join("logs/crawl.log").display());
    }
    if let Some(untold) = &report.untold {
        let _ = writeln!(text, "  {untold}");
    }
    let _ = writeln!(text, "where it is:");
    let _ = writeln!(text, "  {}   the WARC files", job.join("archive").display());
    let _ = writeln!(text, "  {}   their CDXJ indexes", job.join("indexes").display());
    let _ = writeln!(text, "  {}   what was fetched, what was not and why", job.join("logs").display());
    let _ = writeln!(text, "how to look at it:");
    let _ = writeln!(text, "  annalist explain {} URL    why was a URL (not) fetched", job.display());
    let _ = writeln!(text, "  annalist search {} WORDS    find pages and posts", job.display());
    let _ = writeln!(
        text,
        "  annalist study {}    who and what they are about: names, topics, events",
        job.display()
    );
    let _ = writeln!(text, "  annalist verify {}    whether the files are valid", job.display());
    text.push_str(&replay(job));
    text
}

/// How a store elsewhere stands.
pub fn remote(standing: &Standing) -> String {
    let told = &standing.told;
    let mut text = format!(
        "  remote store {}: {} captures and {} statements told",
        told.address,
        count(told.captures),
        count(told.statements)
    );
    if told.refused > 0 {
        let _ = write!(text, ", {} refused", count(told.refused));
    }
    if standing.waiting_bytes > 0 {
        let _ = write!(text, ", {} of the archive wait", bytes(standing.waiting_bytes));
    }
    if let Some(trouble) = &told.trouble {
        let _ = write!(text, "\n    {trouble}");
    }
    text + "\n"
}

pub fn remote_json(standing: &Standing) -> Value {
    let told = &standing.told;
    json!({
        "address": told.address,
        "captures": told.captures,
        "statements": told.statements,
        "refused": told.refused,
        "waiting_bytes": standing.waiting_bytes,
        "trouble": told.trouble,
    })
}

/// How to see the pages, where pywb would find them: it serves the folder that holds `collections/`.
fn replay(job: &Path) -> String {
    let Some(parent) = job.parent().filter(|parent| parent.ends_with("collections")) else {
        return String::new();
    };
    let name = job.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = parent.parent().map(|folder| folder.display().to_string()).unwrap_or_default();
    let folder = if folder.is_empty() { "." } else { &folder };
    format!(
        "  wayback -d {folder}    (pywb, from PyPI) shows the pages at http://localhost:8080/{name}/URL\n"
    )
}

/// Status codes, media types and reasons for skipping, the most frequent first.
pub fn details(counters: &Counters) -> String {
    let mut text = String::new();
    let by_status: Vec<(String, u64)> = counters.by_status.iter().map(|(s, n)| (s.to_string(), *n)).collect();
    let by_mime: Vec<(String, u64)> = counters.by_mime.iter().map(|(m, n)| (m.clone(), *n)).collect();
    let skipped: Vec<(String, u64)> = counters.skipped.iter().map(|(r, n)| (r.clone(), *n)).collect();
    for (what, rows) in
        [("status", by_status), ("types", by_mime), ("skipped (each mention counts)", skipped)]
    {
        if !rows.is_empty() {
            let _ = writeln!(text, "  {what}: {}", most_frequent(rows));
        }
    }
    if let (Some(harvest), Some(mean)) = (counters.judged.harvest_ratio(), counters.judged.mean_score()) {
        let _ = writeln!(
            text,
            "  topic: {} of {} pages relevant (harvest {harvest:.2}), mean score {mean:.2}; over time {}",
            count(counters.judged.relevant),
            count(counters.judged.pages),
            sparkline(&counters.judged.curve),
        );
    }
    if counters.failed + counters.retries + counters.truncated > 0 {
        let _ = writeln!(
            text,
            "  trouble: {} links failed, {} tries repeated, {} responses cut short",
            count(counters.failed),
            count(counters.retries),
            count(counters.truncated),
        );
    }
    text
}

/// A share, from 0 to 1, as a bar.
pub fn bar(share: f64) -> char {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    BARS.get((share * 8.0) as usize).copied().unwrap_or('█')
}

/// The harvest of each stretch of a crawl, from its beginning to now, as a line of bars.
pub fn sparkline(curve: &[(u64, u64)]) -> String {
    const LONGEST: usize = 40;
    let step = curve.len().div_ceil(LONGEST).max(1);
    let mut before = (0, 0);
    let stretches = curve.iter().skip(step - 1).step_by(step).filter_map(|now| {
        let (pages, relevant) = (now.0.checked_sub(before.0)?, now.1.checked_sub(before.1)?);
        before = *now;
        Some(bar(relevant as f64 / pages.max(1) as f64))
    });
    stretches.collect()
}

fn most_frequent(mut rows: Vec<(String, u64)>) -> String {
    const SHOWN: usize = 8;
    rows.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    let rest = rows.len().saturating_sub(SHOWN);
    let mut shown: Vec<String> =
        rows.iter().take(SHOWN).map(|(name, n)| format!("{name} {}", count(*n))).collect();
    if rest > 0 {
        shown.push(format!("and {rest} more"));
    }
    shown.join(", ")
}

/// The object that `--json` prints.
pub fn json(status: &Status, job: &Path, seconds: f64) -> Value {
    let counters = &status.counters;
    let (cpu_seconds, peak_rss_bytes) = usage();
    json!({
        "state": status.state,
        "captures": counters.captures,
        "pages": counters.pages,
        "responses": counters.responses,
        "revisits": counters.revisits,
        "bytes": counters.bytes,
        "stored_bytes": counters.stored_bytes,
        "failed": counters.failed,
        "retries": counters.retries,
        "truncated": counters.truncated,
        // Mentions: `skipped.jsonl` has the URLs.
        "skipped": counters.skipped_in_all(),
        "skipped_by_reason": counters.skipped,
        "by_status": counters.by_status,
        "by_mime": counters.by_mime,
        "links": counters.links,
        "queued": status.queued,
        "sites": status.sites,
        // Null where there is no topic: no page has a score.
        "relevant": (counters.judged.pages > 0).then_some(counters.judged.relevant),
        "harvest_ratio": counters.judged.harvest_ratio(),
        "mean_score": counters.judged.mean_score(),
        "harvest_curve": counters.judged.curve,
        "waits_for": status.waits_for,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "peak_rss_bytes": peak_rss_bytes,
        "job": job.display().to_string(),
    })
}

/// CPU seconds and the most memory this process used.
fn usage() -> (f64, u64) {
    let ticks = rustix::param::clock_ticks_per_second().max(1) as f64;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name in parentheses may hold spaces: count fields after it.
    let after = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let fields: Vec<&str> = after.split_whitespace().collect();
    let field = |n: usize| fields.get(n).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    let cpu = (field(11) + field(12)) / ticks;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0);
    (cpu, kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::{bytes, count, duration, sparkline};

    #[test]
    fn a_harvest_that_falls_looks_like_it() {
        assert_eq!(sparkline(&[(10, 10), (20, 15), (30, 15)]), "█▅▁");
        assert_eq!(sparkline(&[]), "");
        let long: Vec<(u64, u64)> = (1..=200).map(|n| (n, n)).collect();
        assert_eq!(sparkline(&long), "█".repeat(40));
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(12), "12");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(1_500_000_000), "1.5 GB");
        assert_eq!(duration(2.5), "2.5s");
        assert_eq!(duration(3723.0), "1h 02m 03s");
    }
}
