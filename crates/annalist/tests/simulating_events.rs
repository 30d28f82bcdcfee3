//! `annalist simulate --spec` on a small archive of a festival that comes every year.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::fmt::Write;
use std::path::Path;
use std::process::Output;
use std::sync::Arc;

use annalist_disk::RealDisk;
use annalist_warc::{Exchange, Record, RecordId, Writer, WriterSettings};
use serde_json::Value;
use support::{annalist, assert_exit, json_of};
use uuid::Uuid;

const YEARS: [u64; 3] = [2009, 2010, 2011];
const REPORTS: u64 = 12;
/// Midnight of the first of June, in days since 1970.
const JUNE: [u64; 3] = [14_396, 14_761, 15_126];
const FESTIVAL: &str =
    "The jazz festival by the lake: saxophone, trumpet, stage, quartet, audience and encore";
const GARDEN: &str =
    "Gardens in early summer: roses, tulips, compost, rakes, seeds and slugs in the flower beds";

fn response(path: &str, day: u64, body: &str, number: u128) -> Record {
    let url = format!("http://web.test/{path}");
    let exchange = Exchange { target_uri: &url, started_ms: day * 86_400_000, server: None };
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}");
    let digest = format!("sha1:{number:0>32}").replace(['0', '1', '8', '9'], "A");
    Record::response(RecordId::new(Uuid::from_u128(number)), &exchange, &digest, block.into_bytes())
}

/// Each year has reports on the festival that lead to others of the year, now and then to one of another, and to gardens; each
/// was captured in its June. The front page was captured every year.
fn record(dir: &Path) {
    let mut number = 1000;
    let ids = move || {
        number += 1;
        Uuid::from_u128(number)
    };
    let mut writer = Writer::new(Arc::new(RealDisk), WriterSettings::new(dir, dir, "web", "host"), ids);
    let mut labels = String::new();
    let mut serial = 0;
    for (year, june) in YEARS.into_iter().zip(JUNE) {
        let mut append = |path: &str, body: &str| {
            serial += 1;
            let page = format!("<!DOCTYPE html><html lang=en><body>{body}</body></html>");
            let at = (june + 5) * 86_400_000;
            writer.append(&[response(path, june + 5, &page, serial)], at).unwrap();
        };
        let mut front = format!("<p>{FESTIVAL}</p>");
        for other in YEARS {
            let _ =
                write!(front, "<p><a href=/{other}/0>festival</a> <a href=/garden/{other}/0>more</a></p>");
        }
        append("", &front);
        for report in 0..REPORTS {
            let mut body = format!("<p>{FESTIVAL}, day {report}</p>");
            for next in [1, 2, 5] {
                let _ = write!(body, "<p><a href=/{year}/{}>festival</a></p>", (report + next) % REPORTS);
            }
            let other = YEARS[(report as usize + june as usize) % YEARS.len()];
            let _ = write!(body, "<p><a href=/{other}/{}>festival</a></p>", (report + 3) % REPORTS);
            let _ = write!(
                body,
                "<p><a href=/garden/{year}/{report}>more</a> <a href=/lost/{year}/{report}>more</a></p>"
            );
            append(&format!("{year}/{report}"), &body);
            append(
                &format!("garden/{year}/{report}"),
                &format!("<p>{GARDEN}, bed {report}</p><p><a href=/>home</a></p>"),
            );
            let _ = writeln!(labels, "http://web.test/{year}/{report}\tfestival/{year}");
        }
    }
    writer.close().unwrap();
    std::fs::write(dir.join("labels.tsv"), labels).unwrap();
    std::fs::write(dir.join("reference.html"), format!("<html lang=en><p>{FESTIVAL}</p>")).unwrap();
}

fn spec(dir: &Path, more: &str) -> String {
    let text = format!(
        "name = \"jazz\"\n[[seed]]\nurl = \"http://web.test/\"\n[topic]\nreferences = [\"reference.html\"]\n\
         keywords = [\"jazz festival\"]\nlanguages = [\"en\"]\n{more}"
    );
    let path = dir.join("jazz.toml");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

const EVENT: &str = "[event]\nfrom = 2010-06-04\nuntil = 2010-06-08\nlead = \"30d\"\ncooldown = \"14d\"\n";

fn simulate(dir: &Path, more: &[&str]) -> Output {
    annalist().args(["simulate", "--archive"]).arg(dir).args(more).output().unwrap()
}

fn row<'a>(json: &'a Value, variant: &str, policy: &str) -> &'a Value {
    let rows = json["rows"].as_array().unwrap();
    let found = rows.iter().find(|row| row["variant"] == variant && row["policy"] == policy);
    found.unwrap_or_else(|| panic!("no {variant} {policy} in {json}"))
}

#[test]
fn crawls_that_know_content_and_time_find_the_right_year() {
    let dir = tempfile::tempdir().unwrap();
    record(dir.path());
    let (spec, labels) = (spec(dir.path(), EVENT), dir.path().join("labels.tsv"));
    let out = dir.path().join("out");
    let fixed = ["--spec", &spec, "--pages", "14", "--json", "--topics", labels.to_str().unwrap()];
    let more = ["--topic", "festival/2010", "--out", out.to_str().unwrap()];
    let output = simulate(dir.path(), &[&fixed[..], &more].concat());
    assert_exit(&output, 0);
    let json = json_of(&output);
    let precision = |policy: &str| row(&json, "as specified", policy)["precision"].as_f64().unwrap();
    let told = ["default", "mean", "content", "time", "bfs"].map(|policy| (policy, precision(policy)));
    assert!(precision("default") > 0.7 && precision("default") > precision("mean"), "{told:?}");
    assert!(precision("mean") > precision("content"), "{told:?}");
    assert!(precision("content") >= precision("bfs"), "{told:?}");
    let rate = |policy: &str| row(&json, "as specified", policy)["retrieval_rate"].as_f64().unwrap();
    assert!(rate("default") > 0.0 && rate("default") <= 1.0);
    for (variant, policy) in [("half-lives of 30 days", "time"), ("without keywords", "content")] {
        assert_eq!(row(&json, variant, policy)["pages"], 13);
    }
    let effects = json["effects"].as_array().unwrap();
    let of: Vec<_> = effects.iter().map(|one| format!("{} {}", one["effect"], one["policy"])).collect();
    assert_eq!(of.len(), 6, "{of:?}");
    let files = [
        "accumulated.svg",
        "accumulated-with-time.svg",
        "retrieval.svg",
        "curves.csv",
        "rows.csv",
        "effects.csv",
    ];
    for name in files {
        assert!(std::fs::metadata(out.join(name)).unwrap().len() > 0, "{name}");
    }
    let again = simulate(dir.path(), &[&fixed[..], &["--topic", "festival/2010", "--threads", "1"]].concat());
    assert_eq!(json_of(&again), json, "the same on any number of threads");
}

#[test]
fn what_cannot_be_compared_is_told() {
    let dir = tempfile::tempdir().unwrap();
    record(dir.path());
    let told = |more: &[&str]| {
        let output = simulate(dir.path(), more);
        assert_exit(&output, 4);
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let with_event = spec(dir.path(), EVENT);
    assert!(told(&["--spec", &with_event, "--policy", "avg"]).contains("avg is no policy for events"));
    assert!(told(&["--policy", "mean"]).contains("give the spec of one"));
    let without = spec(dir.path(), "");
    assert!(told(&["--spec", &without]).contains("has no [event]"));
}
