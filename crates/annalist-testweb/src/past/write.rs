//! An archive of the past as files: WARC with CDXJ, what is true about it, and a spec for each year's festival.

use std::collections::HashMap;
use std::fmt::Write;
use std::io;
use std::path::Path;
use std::sync::Arc;

use annalist_disk::RealDisk;
use annalist_warc::{
    DigestKind, Exchange, Record, RecordId, RefersTo, RevisitProfile, Writer, WriterSettings, digits14,
};
use uuid::Uuid;

use super::captures::{Capture, PastTruth};
use super::festival::{Festival, NAME};
use super::{Past, SITES};
use crate::calendar::Moment;
use crate::dice::Dice;

const COLUMNS: &str = "url\tcapture\tkind\tstatus\tpublished\tdate_in\tevent\tsame_as\n";
const LEVEL: u8 = 1;

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PastSummary {
    pub captures: usize,
    /// Captures that had nothing new to say.
    pub revisits: usize,
    /// Pages that were never captured.
    pub missing: usize,
    pub files: usize,
}

impl Past {
    /// Writes `archive/*.warc.gz` (one file a year), `indexes/*.cdxj`, `truth.tsv`, and for each year `event-YEAR.toml`
    /// with `references/festival-YEAR.txt`.
    pub fn write(&self, dir: &Path) -> io::Result<PastSummary> {
        let mut summary = PastSummary::default();
        let mut truth = COLUMNS.to_owned();
        let mut writing: Option<(u64, Writer)> = None;
        let mut originals = HashMap::new();
        let mut ids = Dice::new(&[self.config.seed, 0x1d5]);
        self.each_capture(&mut |capture, told| {
            let year = Moment::new(capture.at).year;
            if writing.as_ref().is_none_or(|(current, _)| *current != year) {
                close(writing.take())?;
                writing = Some((year, self.writer(dir, year)));
                summary.files += 1;
            }
            let id = RecordId::new(Uuid::from_u64_pair(ids.next(), ids.next()));
            let record = record(id, &capture, &originals);
            summary.captures += 1;
            summary.revisits += usize::from(capture.same_body.is_some());
            if capture.same_body.is_none() {
                originals.insert((capture.url.clone(), capture.at), id);
            }
            if let Some((_, writer)) = &mut writing {
                writer.append(&[record], capture.at * 1000).map_err(io::Error::other)?;
            }
            push_row(&mut truth, &told);
            Ok::<(), io::Error>(())
        })?;
        close(writing.take())?;
        for told in self.missing_pages() {
            push_row(&mut truth, &told);
            summary.missing += 1;
        }
        std::fs::create_dir_all(dir.join("references"))?;
        std::fs::write(dir.join("truth.tsv"), truth)?;
        for festival in &self.festivals {
            let year = festival.year;
            std::fs::write(dir.join(format!("references/festival-{year}.txt")), self.reference(festival))?;
            std::fs::write(dir.join(format!("event-{year}.toml")), spec(festival))?;
        }
        Ok(summary)
    }

    fn writer(&self, dir: &Path, year: u64) -> Writer {
        let mut settings = WriterSettings::new(
            &dir.join("archive"),
            &dir.join("indexes"),
            &format!("past-{year}"),
            "testweb",
        );
        settings.level = LEVEL;
        settings.warcinfo = vec![("software".to_owned(), "annalist-testweb".to_owned())];
        let mut ids = Dice::new(&[self.config.seed, 0x1f0, year]);
        Writer::new(Arc::new(RealDisk), settings, move || Uuid::from_u64_pair(ids.next(), ids.next()))
    }

    /// What an encyclopedia would say about one year's festival.
    fn reference(&self, festival: &Festival) -> String {
        let mut dice = Dice::new(&[self.config.seed, 0x4ef, u64::from(festival.year)]);
        let sentences: String = (0..40).map(|_| festival.sentence(&mut dice)).collect();
        format!("{NAME} {}\n\n{sentences}\n", festival.year)
    }
}

fn close(writing: Option<(u64, Writer)>) -> io::Result<()> {
    match writing {
        Some((_, mut writer)) => writer.close().map_err(io::Error::other),
        None => Ok(()),
    }
}

fn record(id: RecordId, capture: &Capture, originals: &HashMap<(String, u64), RecordId>) -> Record {
    let exchange = Exchange { target_uri: &capture.url, started_ms: capture.at * 1000, server: None };
    let digest = DigestKind::Sha1.of(capture.body.as_bytes()).to_string();
    let mut head = String::from("HTTP/1.1 ");
    head.push_str(if capture.status == 200 { "200 OK\r\nDate: " } else { "404 Not Found\r\nDate: " });
    Moment::new(capture.at).push_http(&mut head);
    if let Some(modified) = capture.last_modified {
        head.push_str("\r\nLast-Modified: ");
        Moment::new(modified).push_http(&mut head);
    }
    // Writing to a string cannot fail.
    let _ =
        write!(head, "\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n", capture.mime, capture.body.len());
    match capture.same_body {
        Some(at) => {
            let original = originals.get(&(capture.url.clone(), at)).copied();
            let refers_to = RefersTo { id: original, target_uri: &capture.url, started_ms: at * 1000 };
            let profile = RevisitProfile::IdenticalPayloadDigest;
            Record::revisit(id, &exchange, &digest, profile, &refers_to, head.into_bytes())
        }
        None => {
            head.push_str(&capture.body);
            Record::response(id, &exchange, &digest, head.into_bytes())
        }
    }
}

fn push_row(out: &mut String, truth: &PastTruth) {
    let moment = |seconds: Option<u64>| seconds.map_or("-".to_owned(), |seconds| digits14(seconds * 1000));
    let day = truth.published.map_or("-".to_owned(), |seconds| Moment::new(seconds).day_iso());
    let PastTruth { url, at, kind, status, date_in, event, same_as, .. } = truth;
    let status = if *status == 0 { "missing".to_owned() } else { status.to_string() };
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "{url}\t{}\t{kind}\t{status}\t{day}\t{date_in}\t{event}\t{}",
        moment(*at),
        moment(*same_as)
    );
}

/// A collection about one year's festival.
fn spec(festival: &Festival) -> String {
    let (from, until) = festival.days();
    let year = festival.year;
    let seeds: String = SITES
        .iter()
        .take(6)
        .map(|site| format!("[[seed]]\nurl = \"http://{site}/\"\nscope = \"any\"\n\n"))
        .collect();
    format!(
        "# One year of a festival that comes back every year, out of the archive beside this file.\n\n\
         name = \"festival-{year}\"\n\n{seeds}[topic]\nkeywords = [\"{NAME}\", \"lantern parade\", \"Golden Lantern\"]\n\
         references = [\"references/festival-{year}.txt\"]\nlanguages = [\"en\"]\n\n\
         [event]\nfrom = {from}\nuntil = {until}\nlead = \"14d\"\ncooldown = \"14d\"\n"
    )
}
