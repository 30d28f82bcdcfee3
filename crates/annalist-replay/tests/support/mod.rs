//! Small archives, made record by record.

#![allow(dead_code, reason = "each test uses its part")]

use std::io::Write;
use std::path::Path;

use annalist_model::Canonicaliser;
use annalist_replay::{Answer, Asked, Replay};

pub const PREFIX: &str = "http://replay.test:8081/job/";

/// A record in a gzip member of its own.
pub fn record(kind: &str, url: &str, date: &str, more: &str, block: &[u8]) -> Vec<u8> {
    let length = block.len();
    let head = format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n\
         WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{length:012}>\r\n{more}Content-Length: {length}\r\n\r\n"
    );
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&[head.as_bytes(), block, b"\r\n\r\n"].concat()).unwrap();
    packed.finish().unwrap()
}

/// A response; `head` are its header lines.
pub fn response(url: &str, date: &str, head: &str, body: &[u8]) -> Vec<u8> {
    let status = if head.starts_with("HTTP/") { String::new() } else { "HTTP/1.1 200 OK\r\n".to_owned() };
    let block = [format!("{status}{head}\r\n").as_bytes(), body].concat();
    record("response", url, date, "Content-Type: application/http; msgtype=response\r\n", &block)
}

pub fn html(url: &str, date: &str, body: &str) -> Vec<u8> {
    response(url, date, "Content-Type: text/html; charset=utf-8\r\n", body.as_bytes())
}

/// A job with one file.
pub fn job(records: &[Vec<u8>]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    add_file(dir.path(), "a.warc.gz", records);
    dir
}

pub fn add_file(job: &Path, name: &str, records: &[Vec<u8>]) {
    std::fs::create_dir_all(job.join("archive")).unwrap();
    std::fs::write(job.join("archive").join(name), records.concat()).unwrap();
}

pub fn replay(job: &Path) -> Replay {
    replay_by(job, Canonicaliser::default())
}

/// As a crawl with these rules has it.
pub fn replay_by(job: &Path, spelling: Canonicaliser) -> Replay {
    Replay::open(job, &["http://cockpit.test:8080"], spelling).unwrap()
}

pub fn get(replay: &Replay, target: &str) -> Answer {
    replay.answer(&Asked::get(PREFIX, target))
}

pub fn text(answer: Answer) -> String {
    String::from_utf8_lossy(&answer.into_bytes().unwrap()).into_owned()
}
