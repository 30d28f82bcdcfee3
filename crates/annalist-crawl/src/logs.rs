//! The files people read: `crawl.log` (Heritrix's twelve fields), `skipped.jsonl` (every URL not fetched, with the
//! reason) and `events.jsonl` (what happened to the crawl itself). Written by the keeper when a visit is durable.
//! They are for people: what the program itself must remember is in the frontier.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use annalist_model::{SkipReason, Time, UrlError, UrlKey};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A link refused on a thousand pages is logged once, as long as this many others are remembered.
const REMEMBERED_SKIPS: usize = 500_000;

/// Heritrix's codes for what was never asked for.
pub(crate) const CODE_ROBOTS: i32 = -9998;
pub(crate) const CODE_SCOPE: i32 = -5000;
pub(crate) const CODE_BUDGET: i32 = -4001;
/// Ours: no other crawler walks archives.
pub(crate) const CODE_MISSING: i32 = -404;

/// Whether a line of `crawl.log` with this status tells of something that was asked for, answered or not.
pub fn was_asked_for(status: i32) -> bool {
    ![CODE_ROBOTS, CODE_SCOPE, CODE_BUDGET, CODE_MISSING].contains(&status)
}

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

/// The log of events.
pub const EVENTS: &str = "events.jsonl";

#[derive(Debug)]
pub struct Logs {
    crawl: BufWriter<File>,
    skipped: BufWriter<File>,
    events: BufWriter<File>,
    /// How long the log of events is.
    events_length: u64,
    logged_skips: HashSet<UrlKey>,
}

impl Logs {
    pub fn open(dir: &Path) -> io::Result<Logs> {
        let open = |name: &str| -> io::Result<BufWriter<File>> {
            let mut file = OpenOptions::new().read(true).append(true).create(true).open(dir.join(name))?;
            // On a full disk people are told elsewhere.
            let _ = end_last_line(&mut file);
            Ok(BufWriter::with_capacity(1 << 16, file))
        };
        let events = open(EVENTS)?;
        Ok(Logs {
            crawl: open("crawl.log")?,
            skipped: open("skipped.jsonl")?,
            events_length: events.get_ref().metadata()?.len(),
            events,
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
        let line = format!("{line}\n");
        self.events.write_all(line.as_bytes())?;
        self.events.flush()?;
        self.events_length += line.len() as u64;
        Ok(())
    }

    /// Up to where the log of events has been written.
    pub fn events_length(&self) -> u64 {
        self.events_length
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.crawl.flush()?;
        self.skipped.flush()?;
        self.events.flush()
    }
}

/// A line that was cut off by a crash does not spoil the next one.
fn end_last_line(file: &mut File) -> io::Result<()> {
    let mut last = [b'\n'];
    if file.metadata()?.len() > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    if last == [b'\n'] { Ok(()) } else { file.write_all(b"\n") }
}

/// Subsystem and severity of the events that stand in the log from this place on; up to where it was read. A log that is
/// shorter is another one, and a line that was cut off is none.
pub fn events_since(path: &Path, from: u64) -> io::Result<(Vec<(String, String)>, u64)> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => return Ok((Vec::new(), 0)),
        Err(fault) => return Err(fault),
    };
    let from = if from > file.metadata()?.len() { 0 } else { from };
    file.seek(SeekFrom::Start(from))?;
    let (mut reader, mut line, mut found, mut end) = (BufReader::new(file), Vec::new(), Vec::new(), from);
    while reader.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
        end += line.len() as u64;
        if let Ok(Happened { subsystem, severity }) = serde_json::from_slice(&line) {
            found.push((subsystem, severity));
        }
        line.clear();
    }
    Ok((found, end))
}

#[derive(Deserialize)]
struct Happened {
    subsystem: String,
    severity: String,
}

#[cfg(test)]
mod tests {
    use annalist_model::{CanonicalUrl, SkipReason, Time};

    use super::{CrawlLine, EVENTS, Logs, Severity, events_since, was_asked_for};

    #[test]
    fn events_behind_a_place_of_the_log_are_found_and_a_cut_line_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(EVENTS);
        assert_eq!(events_since(&path, 7).unwrap(), (Vec::new(), 0));
        let mut logs = Logs::open(dir.path()).unwrap();
        logs.event(Time::from_millis(0), Severity::Info, "crawl", "begins").unwrap();
        let counted = logs.events_length();
        logs.event(Time::from_millis(1), Severity::Error, "archive", "full").unwrap();
        let end = logs.events_length();
        let one = ("archive".to_owned(), "error".to_owned());
        assert_eq!(events_since(&path, counted).unwrap(), (vec![one], end));
        assert_eq!(events_since(&path, end).unwrap(), (Vec::new(), end));
        assert_eq!(events_since(&path, end + 1).unwrap().0.len(), 2, "another log");
        let cut = std::fs::read(&path).unwrap();
        std::fs::write(&path, &cut[..cut.len() - 3]).unwrap();
        assert_eq!(events_since(&path, counted).unwrap(), (Vec::new(), counted));
        let mut logs = Logs::open(dir.path()).unwrap();
        logs.event(Time::from_millis(2), Severity::Info, "crawl", "begins again").unwrap();
        assert_eq!(events_since(&path, counted).unwrap().0.len(), 1, "a cut line spoils no other");
    }

    #[test]
    fn what_a_rule_forbids_was_not_asked_for_and_a_failure_was() {
        assert!([200, 404, -2, -5].into_iter().all(was_asked_for));
        assert!(![-9998, -5000, -4001, -404].into_iter().any(was_asked_for));
    }

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
