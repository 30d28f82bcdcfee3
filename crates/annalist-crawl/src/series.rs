//! How a crawl went over time: its counts every few seconds, on disk (`state/series.jsonl`, one JSON object a line), finer
//! for the last hour, coarser for the last day and the last week.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use annalist_disk::{Disk, RealDisk};
use annalist_model::Time;
use serde::{Deserialize, Serialize};

use crate::status::Status;

/// Between two samples.
pub const EVERY: Duration = Duration::from_secs(10);
const HOUR: u64 = 3_600_000;
/// How old samples may be, and how far apart they then are.
const KEPT: [(u64, u64); 3] = [(HOUR, 10_000), (24 * HOUR, 240_000), (7 * 24 * HOUR, 1_680_000)];
/// A longer file is thinned.
const MOST_LINES: usize = 4_000;

/// What a crawl had come to at a moment, over all its runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sample {
    /// Milliseconds since 1970.
    pub at: u64,
    pub captures: u64,
    pub bytes: u64,
    pub judged: u64,
    pub relevant: u64,
    pub failed: u64,
    pub skipped: u64,
    pub queued: u64,
    pub warnings: u64,
    pub errors: u64,
    /// Events of the log, by subsystem and severity: `fetch warning`. Samples of older versions have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<BTreeMap<String, u64>>,
}

impl Sample {
    pub fn of(status: &Status, now: Time) -> Sample {
        let counters = &status.counters;
        let events = |severity: &str| {
            let of_kind = counters.events.iter().filter(|(name, _)| name.ends_with(severity));
            of_kind.map(|(_, count)| count).sum()
        };
        Sample {
            at: now.millis(),
            captures: counters.captures,
            bytes: counters.bytes,
            judged: counters.judged.pages,
            relevant: counters.judged.relevant,
            failed: counters.failed,
            skipped: counters.skipped_in_all(),
            queued: status.queued,
            warnings: events(" warning"),
            errors: events(" error"),
            events: Some(counters.events.clone()),
        }
    }
}

/// Where samples are written to.
#[derive(Debug)]
pub struct Series {
    path: PathBuf,
    file: Option<File>,
    lines: usize,
}

impl Series {
    pub fn at(path: PathBuf) -> Series {
        Series { path, file: None, lines: 0 }
    }

    /// What cannot be written is left out: it is for people, and the next one may fit.
    pub fn add(&mut self, sample: &Sample) -> io::Result<()> {
        if self.file.is_none() || self.lines >= MOST_LINES {
            self.thin(sample.at)?;
        }
        let mut line = serde_json::to_vec(sample)?;
        line.push(b'\n');
        if let Some(file) = &mut self.file {
            file.write_all(&line)?;
            self.lines += 1;
        }
        Ok(())
    }

    /// Also drops what a kill left of a line.
    fn thin(&mut self, now: u64) -> io::Result<()> {
        let kept = thinned(read(&self.path)?, now);
        let mut bytes = Vec::new();
        for sample in &kept {
            serde_json::to_writer(&mut bytes, sample)?;
            bytes.push(b'\n');
        }
        RealDisk.replace(&self.path, &bytes)?;
        self.file = Some(OpenOptions::new().append(true).open(&self.path)?);
        self.lines = kept.len();
        Ok(())
    }
}

/// All samples of a job, the oldest first; none where there is no file.
pub fn read(path: &Path) -> io::Result<Vec<Sample>> {
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(e),
    };
    Ok(text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect())
}

/// Of each stretch of time the last sample; the stretches are longer the older they are.
fn thinned(samples: Vec<Sample>, now: u64) -> Vec<Sample> {
    let stretch = |sample: &Sample| {
        let age = now.saturating_sub(sample.at);
        KEPT.iter().find(|(oldest, _)| age <= *oldest).map(|(_, apart)| (*apart, sample.at / apart))
    };
    let mut kept: Vec<Sample> = Vec::new();
    for sample in samples {
        let Some(own) = stretch(&sample) else { continue };
        if kept.last().and_then(stretch) == Some(own) {
            kept.pop();
        }
        kept.push(sample);
    }
    kept
}

#[cfg(test)]
mod tests {
    use annalist_model::Time;

    use super::{HOUR, KEPT, Sample, Series, read, thinned};
    use crate::status::Status;

    #[test]
    fn events_are_kept_by_subsystem_and_severity_and_older_files_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("series.jsonl");
        std::fs::write(&path, "{\"at\":1000,\"captures\":3,\"warnings\":2}\n").unwrap();
        let mut status = Status::default();
        for (subsystem, severity) in
            [("web", "warning"), ("web", "warning"), ("keeper", "error"), ("crawl", "info")]
        {
            status.counters.event(subsystem, severity);
        }
        let mut series = Series::at(path.clone());
        series.add(&Sample::of(&status, Time::from_millis(20_000))).unwrap();
        let samples = read(&path).unwrap();
        let old = Sample { at: 1000, captures: 3, warnings: 2, ..Sample::default() };
        assert_eq!(samples[0], old);
        let counted: Vec<_> = samples[1].events.clone().unwrap().into_iter().collect();
        let named = |name: &str, count| (name.to_owned(), count);
        assert_eq!(counted, [named("crawl info", 1), named("keeper error", 1), named("web warning", 2)]);
        assert_eq!((samples[1].warnings, samples[1].errors), (2, 1));
    }

    fn every_ten_seconds(from: u64, until: u64) -> impl Iterator<Item = Sample> {
        (from / 10_000..until / 10_000).map(|n| Sample { at: n * 10_000, captures: n, ..Sample::default() })
    }

    #[test]
    fn a_week_is_kept_in_few_samples_and_its_last_hour_whole() {
        let now = 1_000 * 24 * HOUR;
        let all: Vec<Sample> = every_ten_seconds(now - 20 * 24 * HOUR, now + 10_000).collect();
        let kept = thinned(all, now);
        assert!(kept.len() < 1_100, "{}", kept.len());
        assert!(kept.first().unwrap().at >= now - KEPT[2].0);
        assert_eq!(kept.iter().filter(|sample| sample.at > now - HOUR).count(), 360);
        assert!(kept.windows(2).all(|pair| pair[0].at < pair[1].at));
        // Thinned again and again as it grows, nothing more is lost.
        assert_eq!(thinned(kept.clone(), now), kept);
    }

    #[test]
    fn what_is_written_is_read_back_after_a_kill_in_the_middle_of_a_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("series.jsonl");
        assert_eq!(read(&path).unwrap(), Vec::new());
        let samples: Vec<Sample> = every_ten_seconds(HOUR, 2 * HOUR).collect();
        let (before, after) = samples.split_at(100);
        let mut series = Series::at(path.clone());
        before.iter().for_each(|sample| series.add(sample).unwrap());
        let mut text = std::fs::read(&path).unwrap();
        text.extend_from_slice(b"{\"at\": 36");
        std::fs::write(&path, text).unwrap();
        let mut series = Series::at(path.clone());
        after.iter().for_each(|sample| series.add(sample).unwrap());
        assert_eq!(read(&path).unwrap(), samples);
    }

    #[test]
    fn a_long_file_is_thinned_while_it_grows() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("series.jsonl");
        let mut series = Series::at(path.clone());
        let start = 1_000 * HOUR;
        every_ten_seconds(start, start + 48 * HOUR).for_each(|sample| series.add(&sample).unwrap());
        let kept = read(&path).unwrap();
        assert!(kept.len() <= super::MOST_LINES, "{}", kept.len());
        assert!(kept.first().unwrap().at < start + HOUR, "the first hour is still told of");
    }
}
