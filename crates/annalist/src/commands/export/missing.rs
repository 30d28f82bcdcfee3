//! What a crawl wanted and did not get: out of its log of what was left alone, with what the pages that mention it are
//! worth. What was left alone by decision is not missing.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use annalist_model::SkipReason;
use anyhow::{Context, Result};
use serde_json::Value;

use super::choice::by_score;
use super::survey::{Kind, Survey, url_hash};
use super::table::row;

/// The columns of `missing.csv`.
const COLUMNS: [&str; 6] = ["url", "estimated_relevance", "pages_linking", "via", "reason", "detail"];

/// Nobody wanted these.
const DECISIONS: [SkipReason; 9] = [
    SkipReason::OutOfScope,
    SkipReason::Excluded,
    SkipReason::TooDeep,
    SkipReason::Trap,
    SkipReason::Blocked,
    SkipReason::RedirectLoop,
    SkipReason::Nofollow,
    SkipReason::Unusable,
    SkipReason::Application,
];

/// How often something missing is mentioned, and by what.
#[derive(Debug, Default)]
pub struct Mentions(HashMap<u64, Mentioned>);

#[derive(Clone, Copy, Debug, Default)]
struct Mentioned {
    pages: u32,
    judged: u32,
    sum: f32,
}

/// Something missing, as the log tells it.
#[derive(Debug)]
struct Missed {
    url: String,
    reason: String,
    detail: String,
    via: String,
    score: Option<f32>,
}

impl Mentions {
    /// Prepares to count mentions of what these logs call missing.
    pub fn of_logs<P: AsRef<Path>>(logs: &[P]) -> Result<Mentions> {
        let mut mentions = Mentions::default();
        for log in logs {
            each(log.as_ref(), &mut |missed| {
                mentions.0.insert(url_hash(&missed.url), Mentioned::default());
                Ok(())
            })?;
        }
        Ok(mentions)
    }

    /// The links of one page.
    pub fn count(&mut self, outlinks: &mut Vec<u64>, score: Option<f32>) {
        if self.0.is_empty() {
            return;
        }
        outlinks.sort_unstable();
        outlinks.dedup();
        for link in outlinks {
            if let Some(mentioned) = self.0.get_mut(link) {
                mentioned.pages += 1;
                mentioned.judged += u32::from(score.is_some());
                mentioned.sum += score.unwrap_or(0.0);
            }
        }
    }
}

/// Writes what is missing, the most relevant first. Returns how many there are.
pub fn write<P: AsRef<Path>>(
    logs: &[P],
    mut mentions: Mentions,
    survey: &Survey,
    out: &mut dyn Write,
) -> Result<u64> {
    // What failed once may have come later.
    for entry in survey.entries.iter().filter(|entry| matches!(entry.kind, Kind::Capture | Kind::Revisit)) {
        mentions.0.remove(&entry.url);
    }
    let mut rows = Vec::new();
    for log in logs {
        each(log.as_ref(), &mut |missed| {
            // Taken out: a log may tell of it more than once.
            let Some(mentioned) = mentions.0.remove(&url_hash(&missed.url)) else { return Ok(()) };
            let mean = (mentioned.judged > 0).then(|| mentioned.sum / mentioned.judged as f32);
            let relevance = missed.score.or(mean);
            let told = relevance.map(|relevance| format!("{relevance:.4}")).unwrap_or_default();
            let pages = mentioned.pages.to_string();
            let Missed { url, via, reason, detail, .. } = &missed;
            rows.push((by_score(relevance.unwrap_or(-1.0)), row(&[url, &told, &pages, via, reason, detail])));
            Ok(())
        })?;
    }
    rows.sort_by_key(|row| row.0);
    out.write_all(row(&COLUMNS).as_bytes())?;
    for (_, row) in &rows {
        out.write_all(row.as_bytes())?;
    }
    Ok(rows.len() as u64)
}

fn each(log: &Path, take: &mut dyn FnMut(Missed) -> Result<()>) -> Result<()> {
    let file = File::open(log).with_context(|| format!("{} cannot be read", log.display()))?;
    for line in BufReader::new(file).split(b'\n') {
        // The last line of a running crawl may be cut.
        let Ok(told) = serde_json::from_slice::<Value>(&line?) else { continue };
        let text = |name: &str| told.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let missed = Missed {
            url: text("url"),
            reason: text("reason"),
            detail: text("detail"),
            via: text("via"),
            score: told.get("score").and_then(Value::as_f64).map(|score| score as f32),
        };
        let is_decided = DECISIONS.iter().any(|reason| reason.name() == missed.reason);
        if !missed.url.is_empty() && !is_decided {
            take(missed)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Mentions, write};
    use crate::commands::export::survey::{Survey, url_hash};

    #[test]
    fn what_is_missing_is_told_by_what_the_pages_that_mention_it_are_worth() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("skipped.jsonl");
        let lines = [
            r#"{"url":"http://a.test/low","reason":"failed","detail":"timeout, twice","via":null}"#,
            r#"{"url":"http://a.test/out","reason":"out-of-scope","detail":"host","via":"http://a.test/"}"#,
            r#"{"url":"http://a.test/high","reason":"robots","detail":"=1+1","via":"http://a.test/"}"#,
            r#"{"url":"http://a.test/low","reason":"failed","detail":"again"}"#,
            r#"{"url":"http://a.te"#,
        ];
        std::fs::write(&log, lines.join("\n")).unwrap();
        let mut mentions = Mentions::of_logs(&[&log]).unwrap();
        let (low, high) = (url_hash("http://a.test/low"), url_hash("http://a.test/high"));
        mentions.count(&mut vec![low, high, low], Some(0.25));
        mentions.count(&mut vec![high], Some(0.75));
        mentions.count(&mut vec![high], None);
        let mut out = Vec::new();
        assert_eq!(write(&[&log], mentions, &Survey::default(), &mut out).unwrap(), 2);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "url,estimated_relevance,pages_linking,via,reason,detail\r\n\
             http://a.test/high,0.5000,3,http://a.test/,robots,'=1+1\r\n\
             http://a.test/low,0.2500,1,,failed,\"timeout, twice\"\r\n"
        );
    }
}
