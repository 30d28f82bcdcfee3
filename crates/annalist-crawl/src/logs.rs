//! The files people read: `crawl.log` (Heritrix's twelve fields), `skipped.jsonl` (every URL not fetched, with the
//! reason) and `events.jsonl` (what happened to the crawl itself). Written by the keeper when a visit is durable.
//! They are for people: what the program itself must remember is in the frontier.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use annalist_model::{SkipReason, Time, UrlError, UrlKey};
use serde::Serialize;
use serde_json::json;

/// A link refused on a thousand pages is logged once, as long as this many others are remembered.
const REMEMBERED_SKIPS: usize = 500_000;

/// One line of `crawl.log`.
#[derive(Clone, Debug)]
pub struct CrawlLine<'a> {
    pub logged: Time,
    /// HTTP status, or a negative number for what went wrong.
    pub status: i32,
    pub bytes: u64,
    pub url: &'a str,
    pub hops: &'a str,
    pub via: Option<&'a str>,
    pub mime: &'a str,
    pub started: Time,
    pub millis: u64,
    pub digest: Option<&'a str>,
    pub seed: Option<&'a str>,
    pub annotations: &'a str,
}

/// How grave an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Info,
    Warning,
    Error,
}

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

#[derive(Debug)]
pub struct Logs {
    crawl: BufWriter<File>,
    skipped: BufWriter<File>,
    events: BufWriter<File>,
    logged_skips: HashSet<UrlKey>,
}

impl Logs {
    pub fn open(dir: &Path) -> io::Result<Logs> {
        let open = |name: &str| -> io::Result<BufWriter<File>> {
            let file = OpenOptions::new().append(true).create(true).open(dir.join(name))?;
            Ok(BufWriter::with_capacity(1 << 16, file))
        };
        Ok(Logs {
            crawl: open("crawl.log")?,
            skipped: open("skipped.jsonl")?,
            events: open("events.jsonl")?,
            logged_skips: HashSet::new(),
        })
    }

    pub fn crawled(&mut self, line: &CrawlLine<'_>) -> io::Result<()> {
        let or_dash = |text: &str| if text.is_empty() { "-".to_owned() } else { text.replace(' ', "%20") };
        writeln!(
            self.crawl,
            "{} {:>5} {:>10} {} {} {} {} #{:03} {}+{} {} {} {}",
            line.logged.rfc3339(),
            line.status,
            line.bytes,
            line.url,
            or_dash(line.hops),
            or_dash(line.via.unwrap_or("")),
            or_dash(line.mime),
            0,
            line.started.digits17(),
            line.millis,
            or_dash(line.digest.unwrap_or("")),
            or_dash(line.seed.unwrap_or("")),
            or_dash(line.annotations),
        )
    }

    pub fn skipped(
        &mut self,
        at: Time,
        key: UrlKey,
        url: &str,
        reason: SkipReason,
        detail: &str,
        via: Option<&str>,
    ) -> io::Result<()> {
        if self.logged_skips.len() >= REMEMBERED_SKIPS {
            self.logged_skips.clear();
        }
        if !self.logged_skips.insert(key) {
            return Ok(());
        }
        let line =
            json!({"time": at.rfc3339(), "url": url, "reason": reason.name(), "detail": detail, "via": via});
        writeln!(self.skipped, "{line}")
    }

    /// A mention on the page `via` that is no fetchable URL.
    pub fn unusable(&mut self, at: Time, address: &str, fault: &UrlError, via: &str) -> io::Result<()> {
        // The frontier does not know it; this key is for this file only.
        let key = UrlKey { site: 0, url: xxhash_rust::xxh3::xxh3_64(address.as_bytes()) };
        self.skipped(at, key, address, SkipReason::Unusable, &fault.to_string(), Some(via))
    }

    pub fn event(&mut self, at: Time, severity: Severity, subsystem: &str, message: &str) -> io::Result<()> {
        let line =
            json!({"time": at.rfc3339(), "severity": severity, "subsystem": subsystem, "message": message});
        writeln!(self.events, "{line}")?;
        self.events.flush()
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.crawl.flush()?;
        self.skipped.flush()?;
        self.events.flush()
    }
}

#[cfg(test)]
mod tests {
    use annalist_model::{CanonicalUrl, SkipReason, Time};

    use super::{CrawlLine, Logs};

    #[test]
    fn a_crawl_line_has_twelve_fields_and_a_tail() {
        let dir = tempfile::tempdir().unwrap();
        let mut logs = Logs::open(dir.path()).unwrap();
        let line = CrawlLine {
            logged: Time::from_millis(1_794_776_361_123),
            status: 200,
            bytes: 12,
            url: "http://a.test/",
            hops: "",
            via: None,
            mime: "text/html; charset=x",
            started: Time::from_millis(1_794_776_361_000),
            millis: 7,
            digest: Some("sha1:ABC"),
            seed: None,
            annotations: "",
        };
        logs.crawled(&line).unwrap();
        logs.flush().unwrap();
        let text = std::fs::read_to_string(dir.path().join("crawl.log")).unwrap();
        let fields: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(fields.len(), 12);
        assert_eq!(fields[8], "20261115205921000+7");
    }

    #[test]
    fn a_link_refused_twice_is_logged_once() {
        let dir = tempfile::tempdir().unwrap();
        let mut logs = Logs::open(dir.path()).unwrap();
        let url = CanonicalUrl::parse("http://a.test/\"x").unwrap();
        for _ in 0..2 {
            let at = Time::from_millis(0);
            logs.skipped(at, url.key(), url.as_str(), SkipReason::OutOfScope, "host", None).unwrap();
        }
        logs.flush().unwrap();
        let text = std::fs::read_to_string(dir.path().join("skipped.jsonl")).unwrap();
        assert_eq!(text.lines().count(), 1);
        let line: serde_json::Value = serde_json::from_str(text.trim()).unwrap();
        assert_eq!(line["reason"], "out-of-scope");
    }
}
