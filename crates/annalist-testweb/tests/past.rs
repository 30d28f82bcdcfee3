//! The archive of many years: what is promised about it holds, and it is the same every time.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed expectation is a failed test")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Read;
use std::path::Path;
use std::process::Command;

use annalist_testweb::{Capture, Past, PastConfig, PastTruth};
use annalist_warc::{CdxLine, Reader, verify_all};

fn small() -> PastConfig {
    PastConfig { festival_pages: 30, other_pages: 40, ..PastConfig::default() }
}

fn captures(past: &Past) -> Vec<(Capture, PastTruth)> {
    let mut all = Vec::new();
    let take = &mut |capture, truth| {
        all.push((capture, truth));
        Ok::<(), ()>(())
    };
    past.each_capture(take).unwrap();
    all
}

fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            found.extend(files(&entry));
        } else {
            let name = entry.file_name().unwrap().to_string_lossy().into_owned();
            found.insert(name, std::fs::read(entry).unwrap());
        }
    }
    found
}

#[test]
fn every_year_has_two_hundred_pages_about_its_festival_and_many_snapshots() {
    let past = Past::new(PastConfig::default());
    let all = captures(&past);
    assert!(all.len() >= 20_000, "{}", all.len());
    let mut pages: HashMap<&str, BTreeSet<&str>> = HashMap::new();
    for (_, truth) in all.iter().filter(|(_, truth)| truth.kind == "document" && truth.status == 200) {
        pages.entry(&truth.event).or_default().insert(&truth.url);
    }
    for festival in past.festivals() {
        assert!(pages[festival.event().as_str()].len() >= 200, "{}", festival.year);
    }
    let missing: Vec<PastTruth> = past.missing_pages().collect();
    assert!(missing.iter().filter(|truth| truth.event == "festival-2010").count() > 10);
    let captured: BTreeSet<&str> = all.iter().map(|(capture, _)| capture.url.as_str()).collect();
    let linked: BTreeSet<&str> = all.iter().flat_map(|(capture, _)| links(&capture.body)).collect();
    for truth in &missing {
        assert!(!captured.contains(truth.url.as_str()), "{} is not missing", truth.url);
    }
    let known = missing.iter().filter(|truth| linked.contains(truth.url.as_str())).count();
    assert!(known * 10 >= missing.len() * 9, "{known} of {} are linked", missing.len());
    // Nearly everything can be reached.
    let documents: BTreeSet<&str> = pages.into_values().flatten().collect();
    let reached = documents.iter().filter(|url| linked.contains(*url)).count();
    assert!(reached * 100 >= documents.len() * 99, "{reached} of {}", documents.len());
}

fn links(body: &str) -> impl Iterator<Item = &str> {
    body.split("href=\"http://").skip(1).filter_map(|rest| rest.split('"').next()).map(|rest| {
        let start = rest.as_ptr() as usize - body.as_ptr() as usize - "http://".len();
        &body[start..start + rest.len() + "http://".len()]
    })
}

#[test]
fn pages_appear_change_and_vanish_and_nothing_is_captured_before_it_is_there() {
    let all = captures(&Past::new(small()));
    let mut changed = BTreeSet::new();
    let mut bodies: HashMap<&str, &str> = HashMap::new();
    for (capture, truth) in &all {
        assert!(truth.published.is_none_or(|published| published < capture.at), "{}", capture.url);
        assert!(truth.same_as.is_none_or(|other| other < capture.at));
        let before = bodies.insert(&capture.url, &capture.body);
        if truth.kind == "document" && before.is_some_and(|before| before != capture.body) {
            changed.insert(if truth.same_as.is_some() { "around" } else { "text" });
        }
    }
    assert_eq!(changed.into_iter().collect::<Vec<_>>(), ["around", "text"]);
    let gone = all.iter().filter(|(capture, _)| capture.status == 404).count();
    assert!(gone > 20, "{gone}");
    assert!(all.iter().any(|(capture, _)| capture.same_body.is_some()));
}

#[test]
fn a_publication_day_stands_where_the_truth_says() {
    let mut seen = BTreeSet::new();
    for (capture, truth) in captures(&Past::new(small())) {
        if truth.kind != "document" || truth.status != 200 {
            continue;
        }
        let body = capture.body.as_str();
        let markup =
            body.contains("published_time") || body.contains("datePublished") || body.contains("<time ");
        assert_eq!(markup, matches!(truth.date_in, "meta" | "json-ld" | "time"), "{}", capture.url);
        assert_eq!(capture.url.split('/').nth(4).is_some(), truth.date_in == "url", "{}", capture.url);
        seen.insert(truth.date_in);
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), ["json-ld", "meta", "none", "text", "time", "url"]);
}

#[test]
fn festival_pages_link_mostly_but_not_only_to_their_own_year() {
    let past = Past::new(PastConfig { festival_pages: 120, other_pages: 120, ..PastConfig::default() });
    let all = captures(&past);
    let events: HashMap<&str, &str> =
        all.iter().map(|(capture, truth)| (capture.url.as_str(), truth.event.as_str())).collect();
    let (mut own, mut other, mut none) = (0, 0, 0);
    for (capture, truth) in
        all.iter().filter(|(_, truth)| truth.kind == "document" && truth.event == "festival-2010")
    {
        let Some((_, rest)) = capture.body.split_once("<main>") else { panic!("{}", capture.body) };
        let article = rest.split("</main>").next().unwrap();
        for link in links(article) {
            match events.get(link) {
                Some(event) if *event == truth.event => own += 1,
                Some(&"none") => none += 1,
                Some(_) => other += 1,
                None => {}
            }
        }
    }
    assert!(own > other + none && other > 0 && none > 0, "{own} own, {other} other, {none} none");
}

#[test]
fn the_same_configuration_writes_the_same_valid_files() {
    let dir = tempfile::tempdir().unwrap();
    let (one, two) = (dir.path().join("one"), dir.path().join("two"));
    let past = Past::new(small());
    let summary = past.write(&one).unwrap();
    Past::new(small()).write(&two).unwrap();
    let written = files(&one);
    assert!(written == files(&two), "the second time it is another archive");
    let warcs: Vec<_> = std::fs::read_dir(one.join("archive")).unwrap().map(|e| e.unwrap().path()).collect();
    assert_eq!((warcs.len(), summary.files), (6, 6), "one file a year, and the half year after the last");
    for report in verify_all(&warcs) {
        assert!(report.is_clean(), "{:?}", report.problems);
    }
    let truth = String::from_utf8(written["truth.tsv"].clone()).unwrap();
    assert_eq!(truth.lines().count(), 1 + summary.captures + summary.missing);
    let lines: Vec<CdxLine> = written
        .iter()
        .filter(|(name, _)| name.ends_with(".cdxj"))
        .flat_map(|(_, bytes)| {
            String::from_utf8_lossy(bytes).lines().filter_map(CdxLine::parse).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(lines.len(), summary.captures);
    assert_eq!(lines.iter().filter(|line| line.mime == "warc/revisit").count(), summary.revisits);
    let line = lines.iter().find(|line| line.status.as_deref() == Some("200")).unwrap();
    let mut reader = Reader::open_at(&one.join("archive").join(&line.filename), line.offset).unwrap();
    let mut block = String::new();
    reader.next_record().unwrap().unwrap().read_to_string(&mut block).unwrap();
    assert!(block.starts_with("HTTP/1.1 200 OK\r\nDate: "), "{block}");
    assert!(String::from_utf8_lossy(&written["event-2010.toml"]).contains("[event]\nfrom = 2010-06-"));
}

#[test]
fn the_program_writes_an_archive_and_says_what_is_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_annalist-testweb"))
        .arg("archive")
        .arg(dir.path())
        .args(["--years", "2009-2010", "--festival-pages", "10", "--other-pages", "10"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("captures in 3 files"));
    assert!(dir.path().join("event-2009.toml").exists() && !dir.path().join("event-2011.toml").exists());
    let refused = Command::new(env!("CARGO_BIN_EXE_annalist-testweb"))
        .args(["archive", "nowhere", "--years", "2010-2009"])
        .output()
        .unwrap();
    assert!(!refused.status.success());
}
