//! Captures to write, files to read back, and WARC text made by hand. Shared by the tests of this folder.

#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(clippy::panic, reason = "a test that cannot go on has failed")]

pub(crate) mod samples;

use std::io::{Cursor, Read, Write};
use std::path::Path;

use annalist_disk::{Dice, Disk, SimDisk};
use annalist_warc::{
    Block, CdxLine, Dechunked, DigestKind, Exchange, Fields, HttpHead, Reader, Record, RecordId, RefersTo,
    RevisitProfile, WriterSettings,
};
use flate2::Compression;
use flate2::write::GzEncoder;
use uuid::Uuid;

pub(crate) const DIR: &str = "/job/archive";
pub(crate) const INDEX_DIR: &str = "/job/indexes";
pub(crate) const START_MS: u64 = 1_794_776_361_123;

pub(crate) fn settings(roll_bytes: u64) -> WriterSettings {
    let mut settings = WriterSettings::new(Path::new(DIR), Path::new(INDEX_DIR), "test", "host");
    settings.roll_bytes = roll_bytes;
    settings.warcinfo = vec![("software".to_owned(), "annalist".to_owned())];
    settings
}

/// Record ids that can be made again from a seed.
pub(crate) fn ids(seed: u64) -> impl FnMut() -> Uuid + Send {
    let mut dice = Dice::new(seed);
    move || Uuid::from_u64_pair(dice.roll(), dice.roll())
}

/// The digest that a crawler would give: of the body without its chunk frame.
pub(crate) fn payload_digest(response: &[u8]) -> String {
    let head = HttpHead::parse(response);
    let start = head.as_ref().map_or(0, |head| head.length);
    let mut payload = Vec::new();
    let chunked = head.is_some_and(|head| head.is_chunked());
    Dechunked::new(&response[start..], chunked).read_to_end(&mut payload).unwrap();
    DigestKind::Sha1.of(&payload).to_string()
}

/// Response, request and metadata of one exchange.
pub(crate) fn capture(
    url: &str,
    response: impl Into<Block>,
    digest: &str,
    make_id: &mut dyn FnMut() -> Uuid,
) -> Vec<Record> {
    let exchange = Exchange { target_uri: url, started_ms: START_MS, server: "127.0.0.1".parse().ok() };
    let mut id = || RecordId::new(make_id());
    let response = Record::response(id(), &exchange, digest, response);
    let request =
        Record::request(id(), &exchange, response.id(), b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\n".to_vec());
    let fields = [("via", "http://a.test/"), ("hopsFromSeed", "L"), ("outlink", "http://b.test/ L a/@href")];
    let metadata = Record::metadata(id(), &exchange, Some(response.id()), &fields);
    vec![response, request, metadata]
}

pub(crate) fn html_capture(url: &str, text: &str, make_id: &mut dyn FnMut() -> Uuid) -> Vec<Record> {
    let response =
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{text}").into_bytes();
    let digest = payload_digest(&response);
    capture(url, response, &digest, make_id)
}

/// A revisit of the response that is the first record of `original`.
pub(crate) fn revisit_of(original: &[Record], make_id: &mut dyn FnMut() -> Uuid) -> Record {
    let first = &original[0];
    let url = first.fields().get("WARC-Target-URI").unwrap();
    let exchange = Exchange { target_uri: url, started_ms: START_MS + 60_000, server: None };
    let refers_to = RefersTo { id: Some(first.id()), target_uri: url, started_ms: START_MS };
    let digest = first.fields().get("WARC-Payload-Digest").unwrap();
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n".to_vec();
    let profile = RevisitProfile::IdenticalPayloadDigest;
    Record::revisit(RecordId::new(make_id()), &exchange, digest, profile, &refers_to, head)
}

/// Every record of a file: fields and block.
pub(crate) fn read_all(bytes: &[u8]) -> Vec<(Fields, Vec<u8>)> {
    let mut reader = Reader::new(Cursor::new(bytes));
    let mut records = Vec::new();
    while let Some(mut record) = reader.next_record().unwrap() {
        let mut block = Vec::new();
        record.read_to_end(&mut block).unwrap();
        records.push((record.fields.clone(), block));
    }
    records
}

/// Where the records of a file start, and where the last one ends.
pub(crate) fn boundaries(bytes: &[u8]) -> Vec<u64> {
    let mut reader = Reader::new(Cursor::new(bytes));
    let mut found = vec![0];
    while let Some(record) = reader.next_record().unwrap() {
        let span = record.finish().unwrap();
        found.push(span.offset + span.length);
    }
    found
}

pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// A record as text: type, a number for its id, more fields, block.
pub(crate) fn text(kind: &str, number: u128, fields: &[(&str, &str)], block: &[u8]) -> Vec<u8> {
    let id = RecordId::new(Uuid::from_u128(number));
    let mut out = format!("WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: {id}\r\n").into_bytes();
    out.extend_from_slice(b"WARC-Date: 2026-11-15T20:59:21Z\r\n");
    for (name, value) in fields {
        out.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    }
    out.extend_from_slice(format!("Content-Length: {}\r\n\r\n", block.len()).as_bytes());
    out.extend_from_slice(block);
    out.extend_from_slice(b"\r\n\r\n");
    out
}

pub(crate) fn warcinfo() -> Vec<u8> {
    text("warcinfo", 1, &[("Content-Type", "application/warc-fields")], b"software: test\r\n")
}

pub(crate) fn resource(number: u128, fields: &[(&str, &str)]) -> Vec<u8> {
    let mut all = vec![("WARC-Target-URI", "urn:a:b"), ("Content-Type", "text/plain")];
    all.extend_from_slice(fields);
    text("resource", number, &all, b"hello")
}

/// The record ids that the indexes lead to, those of open files too. Every whole line leads to the record it is about.
pub(crate) fn indexed_captures(disk: &SimDisk, context: &str) -> Vec<String> {
    let mut ids = Vec::new();
    for name in disk.list(Path::new(INDEX_DIR)).unwrap() {
        if !name.ends_with(".cdxj") && !name.ends_with(".cdxj.open") {
            continue;
        }
        let bytes = disk.read(&Path::new(INDEX_DIR).join(&name)).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n') && !line.contains('\0'));
        for line in whole.filter_map(CdxLine::parse) {
            ids.push(indexed_capture(disk, &line, context));
        }
    }
    ids
}

fn indexed_capture(disk: &SimDisk, line: &CdxLine, context: &str) -> String {
    let closed = Path::new(DIR).join(&line.filename);
    let open = Path::new(DIR).join(format!("{}.open", line.filename));
    let file = disk.read(&closed).or_else(|_| disk.read(&open));
    let file = file.unwrap_or_else(|e| panic!("{context}: {line}: {e}"));
    let member = file.get(line.offset as usize..(line.offset + line.length) as usize);
    let member = member.unwrap_or_else(|| panic!("{context}: {line} leads beyond the file's end"));
    let records = read_all(member);
    assert_eq!(records.len(), 1, "{context}: {line}");
    let (fields, _) = &records[0];
    assert_eq!(fields.get("WARC-Target-URI"), Some(line.url.as_str()), "{context}: {line}");
    fields.get("WARC-Record-ID").unwrap().to_owned()
}
