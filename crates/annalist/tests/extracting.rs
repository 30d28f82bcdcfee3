//! `annalist extract`: a collection out of a small archive whose every snapshot is known.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;

use annalist_disk::RealDisk;
use annalist_knowledge::Mark;
use annalist_knowledge::graph::{Layer, LayerSettings};
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use serde_json::Value;
use support::{annalist, assert_exit, assert_valid, captures, json_of};

const SPEC: &str = r#"
name = "festival"
[topic]
references = ["http://fest.test/"]
keywords = ["lantern festival"]
[event]
from = 2010-06-01
until = 2010-06-10
lead = "30d"
cooldown = "30d"
"#;

/// A WARC file as other people's programs write it: version 1.0, plain, with fields of their own.
#[derive(Default)]
struct Archive {
    bytes: Vec<u8>,
    records: Vec<String>,
}

impl Archive {
    fn add(&mut self, kind: &str, url: &str, day: &str, more: &str, block: &str) -> &mut Archive {
        let mut head = format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: <{url}>\r\nWARC-Date: {day}T12:00:00Z\r\nX-Odd:  as it was\r\n\
             WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{:012}>\r\nContent-Type: application/http; msgtype=response\r\n",
            self.records.len() + 1
        );
        write!(head, "{more}Content-Length: {}\r\n\r\n", block.len()).unwrap();
        let record = format!("{head}{block}\r\n\r\n");
        self.bytes.extend(record.as_bytes());
        self.records.push(record);
        self
    }

    fn page(&mut self, url: &str, day: &str, body: &str) -> &mut Archive {
        let block = format!("HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<!DOCTYPE html>{body}");
        self.add("response", url, day, "", &block)
    }

    fn status(&mut self, url: &str, day: &str, status: &str) -> &mut Archive {
        self.add("response", url, day, "", &format!("HTTP/1.0 {status}\r\n\r\n"))
    }

    /// The same captures as an ARC file.
    fn as_arc(&self) -> Vec<u8> {
        let about = "1 0 Somebody\nURL IP-address Archive-date Content-type Archive-length\n";
        let mut arc =
            format!("filedesc://old.arc 0.0.0.0 20100101000000 text/plain {}\n{about}\n", about.len());
        for record in &self.records {
            let (head, rest) = record.split_once("\r\n\r\n").unwrap();
            let block = rest.strip_suffix("\r\n\r\n").unwrap_or(rest);
            let field = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim();
            let (url, date) = (field("WARC-Target-URI: "), field("WARC-Date: "));
            let date: String = date.chars().filter(char::is_ascii_digit).collect();
            let url = url.trim_matches(['<', '>']);
            write!(arc, "{url} 192.0.2.7 {date} text/html {}\n{block}\n", block.len()).unwrap();
        }
        arc.into_bytes()
    }

    fn write(&self, dir: &Path) -> PathBuf {
        let path = dir.join("old.warc");
        std::fs::write(&path, &self.bytes).unwrap();
        path
    }
}

const NEWS: &str = "<p>The lantern festival on the river began: lanterns, boats and music by the river.";

/// The festival's front page was captured before, twice during, and after the event.
fn archive() -> Archive {
    let mut archive = Archive::default();
    let front = |what: &str| {
        format!(
            "<title>Festival</title><img src=/logo.png><p>{what}: the lantern festival on the river. \
             <a href=/news>Lantern festival news</a> <a href=http://www.fest.test/boats>Boats of the lantern festival</a> \
             <a href=/lost>Lantern festival, the lost page</a> <a href=/moved>moved</a> <a href=/broken>broken</a>"
        )
    };
    archive
        .page("http://fest.test/", "2010-05-31", &front("before"))
        .page("http://fest.test/", "2010-06-10", &front("last day"))
        .page("http://fest.test/", "2010-06-03", &front("during"))
        .page("http://fest.test/", "2011-06-03", &front("a year later"))
        .page("http://fest.test/news", "2009-01-01", NEWS)
        .page("http://fest.test/news", "2010-07-01", &format!("{NEWS} July."))
        .page("http://fest.test/boats", "2010-06-05", "<p>Boats of the lantern festival.")
        .page("http://fest.test/target", "2012-01-01", "<p>The lantern festival moved here.")
        .status("http://fest.test/broken", "2010-06-05", "404 Not Found")
        .add(
            "response",
            "http://fest.test/moved",
            "2010-06-05",
            "",
            "HTTP/1.0 302 Found\r\nLocation: /target\r\n\r\n",
        );
    for day in ["2001-01-01", "2010-06-02", "2010-06-09"] {
        let block = format!("HTTP/1.0 200 OK\r\nContent-Type: image/png\r\n\r\n{day}");
        archive.add("response", "http://fest.test/logo.png", day, "", &block);
    }
    archive
}

fn extract(dir: &Path, archive: &Path, more: &[&str]) -> Output {
    extract_as(SPEC, dir, archive, more)
}

fn extract_as(text: &str, dir: &Path, archive: &Path, more: &[&str]) -> Output {
    let spec = dir.join("spec.toml");
    std::fs::write(&spec, text).unwrap();
    let job = dir.join("job");
    annalist()
        .arg("extract")
        .arg(&spec)
        .arg("--job")
        .arg(&job)
        .arg("--archive")
        .arg(archive)
        .args(more)
        .arg("--json")
        .output()
        .unwrap()
}

fn taken(job: &Path) -> Vec<(String, String)> {
    let mut taken: Vec<(String, String)> = Vec::new();
    for file in support::files_in(&job.join("indexes"), ".cdxj") {
        for line in std::fs::read_to_string(file).unwrap().lines() {
            let (_, rest) = line.split_once(' ').unwrap();
            let (at, json) = rest.split_once(' ').unwrap();
            let json: Value = serde_json::from_str(json).unwrap();
            let url = json["url"].as_str().unwrap().to_owned();
            if url.starts_with("http") {
                taken.push((url, at[..8].to_owned()));
            }
        }
    }
    taken.sort();
    taken
}

/// All records of a collection.
fn unpacked(job: &Path) -> String {
    let mut text = Vec::new();
    for file in support::files_in(&job.join("archive"), ".warc.gz") {
        MultiGzDecoder::new(std::fs::File::open(file).unwrap()).read_to_end(&mut text).unwrap();
    }
    String::from_utf8(text).unwrap()
}

fn of(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(path, day)| (format!("http://fest.test{path}"), (*day).to_owned())).collect()
}

#[test]
fn of_each_page_the_earliest_snapshot_within_the_event_is_taken_else_the_nearest_byte_for_byte() {
    let dir = tempfile::tempdir().unwrap();
    let archive = archive();
    let output = extract(dir.path(), &archive.write(dir.path()), &[]);
    assert_exit(&output, 0);
    let job = dir.path().join("job");
    assert_eq!(taken(&job), collection(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_valid(&job);

    let text = unpacked(&job);
    let kept = archive.records.iter().filter(|record| text.contains(record.as_str()));
    assert_eq!(kept.count(), 6, "six records, each with every byte it had");
}

/// What belongs to the festival.
fn collection() -> Vec<(String, String)> {
    of(&[
        ("/", "20100603"),
        ("/boats", "20100605"),
        // What a page embeds is taken as it was when the page was captured.
        ("/logo.png", "20100602"),
        ("/moved", "20100605"),
        ("/news", "20100701"),
        ("/target", "20120101"),
    ])
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

#[test]
fn archives_of_every_format_give_the_same_collection() {
    let archive = archive();
    let records = &archive.records;
    let zstd = |bytes: &[u8]| zstd::encode_all(bytes, 3).unwrap();
    let arc = archive.as_arc();
    let files: [(&str, Vec<u8>); 8] = [
        ("old.warc", archive.bytes.clone()),
        ("old.warc.gz", records.iter().flat_map(|record| gzipped(record.as_bytes())).collect()),
        ("whole.warc.gz", gzipped(&archive.bytes)),
        ("old.warc.zst", records.iter().flat_map(|record| zstd(record.as_bytes())).collect()),
        ("whole.warc.zst", zstd(&archive.bytes)),
        ("old.arc", arc.clone()),
        ("whole.arc.gz", gzipped(&arc)),
        ("misnamed.warc", gzipped(&archive.bytes)),
    ];
    for (name, bytes) in files {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let output = extract(dir.path(), &path, &[]);
        assert_exit(&output, 0);
        let job = dir.path().join("job");
        assert_eq!(taken(&job), collection(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        assert_valid(&job);
        assert!(unpacked(&job).contains("during: the lantern festival"), "{name}");
        assert!(!job.join("state/scratch").exists(), "{name} leaves nothing behind");
    }
}

#[test]
fn what_the_archive_lacks_is_listed_by_estimated_relevance_for_a_live_crawl() {
    let dir = tempfile::tempdir().unwrap();
    let output = extract(dir.path(), &archive().write(dir.path()), &[]);
    assert_exit(&output, 0);
    let job = dir.path().join("job");
    let missing = std::fs::read_to_string(job.join("missing.txt")).unwrap();
    let urls: Vec<&str> = missing.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(urls.len(), 2, "{missing}");
    assert!(
        urls[0].starts_with("http://fest.test/lost\tscore=0."),
        "its link speaks of the festival: {missing}"
    );
    assert!(urls[1].starts_with("http://fest.test/broken\t"), "{missing}");
    assert_eq!(json_of(&output)["skipped_by_reason"]["missing"], 2);

    let explained = annalist().arg("explain").arg(&job).arg("http://fest.test/broken").output().unwrap();
    let explained = String::from_utf8_lossy(&explained.stdout).into_owned();
    assert!(explained.contains("the archive has 1 snapshots of it, all of them errors"), "{explained}");
    let dry = annalist()
        .args(["crawl", "--dry-run", "--contact", "https://me.example/", "--seeds"])
        .arg(job.join("missing.txt"))
        .output()
        .unwrap();
    assert_exit(&dry, 0);
    assert!(String::from_utf8_lossy(&dry.stdout).contains("http://fest.test/lost"));
}

#[test]
fn all_snapshots_can_be_taken_and_those_that_nearly_repeat_an_earlier_one_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let output = extract(dir.path(), &archive().write(dir.path()), &["--snapshot", "all"]);
    assert_exit(&output, 0);
    let job = dir.path().join("job");
    let count =
        |path: &str| taken(&job).iter().filter(|(url, _)| *url == format!("http://fest.test{path}")).count();
    assert_eq!((count("/"), count("/news"), count("/logo.png")), (4, 2, 3));
    let text = unpacked(&job);
    let near: Vec<&str> = text.lines().filter(|line| line.starts_with("nearDuplicateOf:")).collect();
    // The front page with one other word, and the news with one more.
    let expected = ["2010-05-31", "2009-01-01"].map(|day| format!("nearDuplicateOf: {day}T12:00:00.000Z"));
    assert_eq!(near, expected);
    assert_valid(&job);
}

/// Others write whole seconds, and addresses in angle brackets; what is said about their records is written as a crawl does.
#[test]
fn what_was_written_on_pages_of_others_can_be_asked_for() {
    let mut archive = archive();
    archive.page(
        "http://fest.test/boats",
        "2010-06-06",
        r#"<html lang=en><title>Boats</title><script type="application/ld+json">{"@context": "https://schema.org",
        "@type": "BlogPosting", "headline": "Boats of the festival", "datePublished": "2010-06-04",
        "author": {"@type": "Person", "name": "Anna Schmidt", "url": "http://fest.test/anna"},
        "articleBody": "The boats of the lantern festival went down the river."}</script>
        <article><h1>Boats of the festival</h1>
        <p class=byline><a rel=author href=http://fest.test/anna>Anna Schmidt</a> <time datetime=2010-06-04>4 June</time></p>
        <p>The boats of the lantern festival went down the river.</p></article>"#,
    );
    let dir = tempfile::tempdir().unwrap();
    assert_exit(&extract(dir.path(), &archive.write(dir.path()), &["--snapshot", "all"]), 0);
    let job = dir.path().join("job");
    let asked = annalist()
        .arg("query")
        .arg(&job)
        .arg("SELECT ?page ?name WHERE { ?post a sioc:Post; schema:isPartOf ?page; schema:author/foaf:name ?name }")
        .args(["--format", "csv"])
        .output()
        .unwrap();
    assert_exit(&asked, 0);
    let rows = String::from_utf8_lossy(&asked.stdout).into_owned();
    assert_eq!(rows.lines().skip(1).collect::<Vec<_>>(), ["http://fest.test/boats,Anna Schmidt"], "{rows}");
    let found = annalist().arg("search").arg(&job).args(["author:anna", "--json"]).output().unwrap();
    assert_exit(&found, 0);
    assert_eq!(json_of(&found)["total"], 1, "{}", String::from_utf8_lossy(&found.stdout));
}

#[test]
fn an_interrupted_extraction_goes_on_where_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let path = archive().write(dir.path());
    let first = extract(dir.path(), &path, &["--limit", "2"]);
    assert_exit(&first, 0);
    let job = dir.path().join("job");
    assert!(captures(&job).len() < 6);
    let second = extract(dir.path(), &path, &[]);
    assert_exit(&second, 0);
    let whole = taken(&job);
    assert_eq!(whole.len(), 6, "{whole:?}");
    assert_valid(&job);
    let third = annalist().args(["extract", "--json", "--job"]).arg(&job).output().unwrap();
    assert_exit(&third, 0);
    assert_eq!(taken(&job), whole, "nothing is taken twice");
}

#[test]
fn what_an_archive_could_not_give_is_asked_for_again_and_other_archives_are_looked_into() {
    let dir = tempfile::tempdir().unwrap();
    let whole = archive();
    let path = whole.write(dir.path());
    let index = dir.path().join("all.cdxj");
    let made = annalist().arg("index").arg("--output").arg(&index).arg(&path).output().unwrap();
    assert_exit(&made, 0);
    let away = dir.path().join("away");
    std::fs::rename(&path, &away).unwrap();
    let first = extract(dir.path(), &index, &[]);
    assert_eq!(json_of(&first)["captures"], 0, "its file is away");
    std::fs::rename(&away, &path).unwrap();
    let second = extract(dir.path(), &index, &[]);
    assert_exit(&second, 0);
    let job = dir.path().join("job");
    assert_eq!(taken(&job), collection());

    let mut other = Archive::default();
    other.page("http://fest.test/lost", "2010-06-04", "<p>The lost page of the lantern festival.");
    std::fs::write(dir.path().join("other.warc"), &other.bytes).unwrap();
    let third = extract(dir.path(), &dir.path().join("other.warc"), &[]);
    assert_exit(&third, 0);
    assert!(
        taken(&job).contains(&("http://fest.test/lost".to_owned(), "20100604".to_owned())),
        "{:?}",
        taken(&job)
    );
    assert_valid(&job);
}

#[test]
fn the_job_of_an_extraction_asks_nobody_on_the_live_web_and_that_of_a_crawl_no_archive() {
    let dir = tempfile::tempdir().unwrap();
    let path = archive().write(dir.path());
    assert_exit(&extract(dir.path(), &path, &["--limit", "2"]), 0);
    let job = dir.path().join("job");
    let crawl =
        annalist().args(["crawl", "--contact", "https://me.example/", "--job"]).arg(&job).output().unwrap();
    assert_exit(&crawl, 4);
    assert!(String::from_utf8_lossy(&crawl.stderr).contains("annalist extract"));
    let kept = std::fs::read_to_string(job.join("spec.toml")).unwrap();
    let (before, after) = kept.split_once("[extract]").unwrap();
    let rest = after.split_once("\n\n").unwrap().1;
    std::fs::write(job.join("spec.toml"), format!("{before}{rest}")).unwrap();
    let other = extract(dir.path(), &path, &[]);
    assert_exit(&other, 4);
    assert!(String::from_utf8_lossy(&other.stderr).contains("another --job"));
}

#[test]
fn a_limit_counts_every_snapshot() {
    let dir = tempfile::tempdir().unwrap();
    let output = extract(dir.path(), &archive().write(dir.path()), &["--snapshot", "all", "--limit", "3"]);
    assert_exit(&output, 0);
    assert_eq!(json_of(&output)["captures"], 3);
}

#[test]
fn a_revisit_comes_with_what_it_stands_for() {
    let dir = tempfile::tempdir().unwrap();
    let mut archive = Archive::default();
    let digest = "WARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n";
    let body = "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>The lantern festival.";
    archive.add("response", "http://fest.test/", "2009-06-03", digest, body);
    let refers = format!(
        "{digest}WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest\r\n\
         WARC-Refers-To-Target-URI: http://fest.test/\r\nWARC-Refers-To-Date: 2009-06-03T12:00:00Z\r\n"
    );
    let head = "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n";
    archive.add("revisit", "http://fest.test/", "2010-06-03", &refers, head);
    let output = extract(dir.path(), &archive.write(dir.path()), &[]);
    assert_exit(&output, 0);
    let job = dir.path().join("job");
    assert_eq!(taken(&job), of(&[("/", "20090603"), ("/", "20100603")]));
    assert_eq!(json_of(&output)["revisits"], 1);
    let layer =
        Layer::open(Arc::new(RealDisk), &job.join("knowledge/web"), LayerSettings::default()).unwrap();
    let mark: Mark = serde_json::from_slice(layer.mark()).unwrap();
    assert_eq!(
        (mark.files.len(), mark.waiting.len()),
        (1, 0),
        "nobody waits for what is said about a payload"
    );
}

#[test]
fn pages_are_decided_about_however_the_spec_spells_their_addresses() {
    for (canonical, typed) in
        [("prefer_https = true", "https://fest.test/"), ("sort_query = true", "fest.test")]
    {
        let dir = tempfile::tempdir().unwrap();
        let mut archive = Archive::default();
        archive
            .page(
                "http://fest.test/",
                "2010-06-03",
                "<p>The lantern festival. <a href='/news?b=1&a=2'>news</a>",
            )
            .page("http://fest.test/news?b=1&a=2", "2010-06-03", NEWS);
        let spec = format!("{SPEC}[canonical]\n{canonical}\n");
        assert_exit(&extract_as(&spec, dir.path(), &archive.write(dir.path()), &[]), 0);
        let select = |args: &[&str]| {
            let mut command = annalist();
            command.arg("select").arg(dir.path().join("job")).args(args).args(["--json", "--quiet"]);
            json_of(&command.output().unwrap())
        };
        let sheet = dir.path().join("review.tsv");
        select(&["--review", sheet.to_str().unwrap()]);
        let text = std::fs::read_to_string(&sheet).unwrap();
        let (head, rows) = text.split_once('\n').unwrap();
        let rows: Vec<String> = rows.lines().map(|row| format!("keep{row}\n")).collect();
        std::fs::write(&sheet, format!("{head}\n{}", rows.concat())).unwrap();
        let told = select(&["--decisions", sheet.to_str().unwrap()]);
        assert_eq!(
            (rows.len(), &told["taken"], &told["faults"]),
            (2, &2.into(), &Vec::<Value>::new().into())
        );
        let told = select(&["--mark", "drop", typed]);
        assert_eq!((&told["taken"], &told["keep"]), (&1.into(), &1.into()), "{told}");
    }
}

#[test]
fn what_cannot_be_done_is_said_with_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let spec = dir.path().join("spec.toml");
    std::fs::write(&spec, SPEC).unwrap();
    let told = |args: &[&str]| {
        let output = annalist().arg("extract").args(args).output().unwrap();
        assert_exit(&output, 4);
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let spec = spec.to_str().unwrap();
    assert!(told(&[]).contains("give a SPEC"));
    assert!(told(&[spec]).contains("--archive"));
    assert!(told(&[spec, "--archive", "x", "--snapshot", "best"]).contains("event, newest, oldest, all"));
    let nothing = annalist().args(["extract", spec, "--archive", "nowhere.warc.gz"]).output().unwrap();
    assert_ne!(nothing.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&nothing.stderr).contains("nowhere.warc.gz"));
}

#[test]
fn pages_that_were_archived_before_the_event_come_after_those_that_were_not() {
    const EACH: usize = 12;
    let dir = tempfile::tempdir().unwrap();
    let mut archive = Archive::default();
    let mut front = String::from("<title>Festival</title><p>The lantern festival on the river.</p>");
    for name in ["old", "fresh"] {
        for number in 0..EACH {
            write!(front, "<p><a href=/{name}{number}>Lantern festival</a></p>").unwrap();
            let (url, text) = (format!("http://fest.test/{name}{number}"), format!("{NEWS} Day {number}."));
            if name == "old" {
                archive.page(&url, "2008-06-05", &text);
            }
            archive.page(&url, "2010-06-05", &text);
        }
    }
    archive.page("http://fest.test/", "2010-06-03", &front);
    let limit = (1 + EACH).to_string();
    let output = extract(dir.path(), &archive.write(dir.path()), &["--limit", &limit]);
    assert_exit(&output, 0);
    let taken = taken(&dir.path().join("job"));
    let old: Vec<_> = taken.iter().filter(|(url, _)| url.contains("/old")).collect();
    assert!(old.is_empty() && taken.len() == 1 + EACH, "{taken:?}");
}

#[test]
fn an_extraction_that_is_killed_again_and_again_takes_every_page_once() {
    const PAGES: usize = 2000;
    let dir = tempfile::tempdir().unwrap();
    let mut archive = Archive::default();
    for page in 0..PAGES {
        let links: String =
            (1..6).map(|n| format!("<a href=/{}>lantern {n}</a> ", (page * 5 + n) % PAGES)).collect();
        archive.page(
            &format!("http://fest.test/{page}"),
            "2010-06-03",
            &format!("<p>Lantern festival {page}. {links}"),
        );
    }
    archive.page("http://fest.test/", "2010-06-03", "<p>The lantern festival. <a href=/0>first</a>");
    let path = archive.write(dir.path());
    let job = dir.path().join("job");
    let spec = dir.path().join("spec.toml");
    std::fs::write(&spec, SPEC).unwrap();
    let mut command = annalist();
    command.arg("extract").arg(&spec).arg("--job").arg(&job).arg("--archive").arg(&path).arg("--quiet");
    for round in 0..6u64 {
        let mut child = command.spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(1000 + 250 * round));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let output = extract(dir.path(), &path, &[]);
    assert_exit(&output, 0);
    let taken = taken(&job);
    let mut once = taken.clone();
    once.dedup();
    assert_eq!((once.len(), taken.len()), (PAGES + 1, PAGES + 1), "each page is there, and none twice");
    assert_valid(&job);
}
