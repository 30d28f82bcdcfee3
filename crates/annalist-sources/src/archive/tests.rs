use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annalist_disk::RealDisk;
use annalist_model::CanonicalUrl;
use annalist_warc::{Exchange, Record, RecordId, RefersTo, RevisitProfile, Writer, WriterSettings};
use uuid::Uuid;

use super::{ArchiveSource, NotThere, StoredBytes};

const LIMIT: u64 = 1 << 20;

fn url(path: &str) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://a.test{path}")).unwrap()
}

fn exchange(target_uri: &str, started_ms: u64) -> Exchange<'_> {
    Exchange { target_uri, started_ms, server: None }
}

fn response(id: u128, path: &str, at: u64, block: &str) -> Record {
    let digest = format!("sha1:{id:032}");
    let id = RecordId::new(Uuid::from_u128(id));
    Record::response(id, &exchange(url(path).as_str(), at), &digest, block.as_bytes().to_vec())
}

/// Two answers, a redirect, an error and a revisit.
fn archive(dir: &Path) -> Vec<PathBuf> {
    let mut number = 100;
    let ids = move || {
        number += 1;
        Uuid::from_u128(number)
    };
    let settings = WriterSettings::new(dir, dir, "t", "h");
    let mut writer = Writer::new(Arc::new(RealDisk), settings, ids);
    let html = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let copy = url("/copy");
    let same = RefersTo { id: None, target_uri: "http://a.test/", started_ms: 2000 };
    let revisit = Record::revisit(
        RecordId::new(Uuid::from_u128(9)),
        &exchange(copy.as_str(), 3000),
        &format!("sha1:{:032}", 2),
        RevisitProfile::IdenticalPayloadDigest,
        &same,
        html.as_bytes().to_vec(),
    );
    let records = [
        response(1, "/", 1000, &format!("{html}old")),
        response(2, "/", 2000, &format!("{html}new")),
        response(3, "/", 3000, "HTTP/1.1 500 Oh\r\n\r\n"),
        response(4, "/moved", 1000, "HTTP/1.1 301 Moved\r\nLocation: /\r\n\r\n"),
        response(5, "/robots.txt", 1000, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nx"),
        response(6, "/Case", 1000, "HTTP/1.1 404 No\r\n\r\n"),
        response(7, "/case", 1000, "HTTP/1.1 404 No\r\n\r\n"),
        revisit,
    ];
    writer.append(&records, 1000).unwrap();
    writer.close().unwrap();
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "gz"));
    files
}

fn body(source: &ArchiveSource, path: &str) -> String {
    String::from_utf8(source.newest(&url(path)).unwrap().body).unwrap()
}

#[test]
fn the_newest_answer_of_an_address_counts_with_an_index_and_without() {
    let dir = tempfile::tempdir().unwrap();
    let files = archive(dir.path());
    let by_index = ArchiveSource::open(&files, LIMIT).unwrap();
    for entry in std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.extension().is_some_and(|extension| extension == "cdxj") {
            std::fs::remove_file(entry).unwrap();
        }
    }
    let by_reading = ArchiveSource::open(&files, LIMIT).unwrap();
    for source in [by_index, by_reading] {
        assert_eq!(body(&source, "/"), "new");
        assert_eq!(body(&source, "/copy"), "new", "the payload of a revisit");
        assert_eq!(source.newest(&url("/moved")).unwrap().head.location().as_deref(), Some("/"));
        assert!(matches!(source.newest(&url("/gone")), Err(NotThere::Missing)));
        assert_eq!(source.documents(), [url("/"), url("/copy")]);
        assert!(source.has(&url("/")) && !source.has(&url("/moved")) && !source.has(&url("/gone")));
    }
}

fn text(bytes: &StoredBytes) -> String {
    let mut text = String::new();
    bytes.open().unwrap().read_to_string(&mut text).unwrap();
    text
}

#[tokio::test]
async fn all_snapshots_of_an_address_come_in_the_order_of_time_with_their_records_as_stored() {
    let dir = tempfile::tempdir().unwrap();
    let files = archive(dir.path());
    let source = ArchiveSource::open(&[files.clone(), files].concat(), LIMIT).unwrap();
    let found = source.snapshots(&url("/")).await.unwrap();
    let told: Vec<_> = found.iter().map(|found| (found.at.millis(), found.status)).collect();
    assert_eq!(told, [(1000, Some(200)), (2000, Some(200)), (3000, Some(500))], "each once");
    let first = source.fetch(&found[0]).await.unwrap();
    assert_eq!(first.archived.body, b"old");
    let stored = text(&first.record.bytes);
    assert!(stored.starts_with("WARC/1.1\r\n") && stored.ends_with("\r\n\r\nold"), "{stored}");
    assert!(first.payload_of.is_none() && first.record.file.ends_with(".warc.gz"));
    assert!(matches!(source.snapshots(&url("/gone")).await, Err(NotThere::Missing)));
}

#[tokio::test]
async fn a_revisit_has_the_body_of_the_capture_it_refers_to_and_both_records() {
    let dir = tempfile::tempdir().unwrap();
    let source = ArchiveSource::open(&archive(dir.path()), LIMIT).unwrap();
    let found = source.snapshots(&url("/copy")).await.unwrap();
    let [revisit] = found.as_slice() else { panic!("{found:?}") };
    assert!(revisit.is_revisit && revisit.status.is_none());
    let fetched = source.fetch(revisit).await.unwrap();
    assert_eq!((fetched.archived.url, fetched.archived.body), (url("/copy"), b"new".to_vec()));
    assert!(text(&fetched.record.bytes).contains("WARC-Type: revisit"));
    assert!(text(&fetched.payload_of.unwrap().bytes).ends_with("new"));
}

#[tokio::test]
async fn an_address_is_found_under_any_scheme_and_its_very_path_first() {
    let dir = tempfile::tempdir().unwrap();
    let source = ArchiveSource::open(&archive(dir.path()), LIMIT).unwrap();
    for (address, expected) in [
        ("https://www.a.test/moved", "http://a.test/moved"),
        ("http://a.test/MOVED", "http://a.test/moved"),
        ("http://a.test/Case", "http://a.test/Case"),
        ("https://a.test/case", "http://a.test/case"),
    ] {
        let found = source.snapshots(&CanonicalUrl::parse(address).unwrap()).await.unwrap();
        let urls: Vec<_> = found.iter().map(|found| found.url.as_str()).collect();
        assert_eq!(urls, [expected], "{address}");
    }
}

#[test]
fn an_index_of_another_file_is_noticed_and_an_older_one_is_not_used() {
    let dir = tempfile::tempdir().unwrap();
    let files = archive(dir.path());
    let source = ArchiveSource::open(&files, LIMIT).unwrap();
    let other = tempfile::tempdir().unwrap();
    let short = archive(other.path());
    let bytes = std::fs::read(&short[0]).unwrap();
    std::fs::write(&files[0], &bytes[..bytes.len() / 4]).unwrap();
    assert!(matches!(source.newest(&url("/copy")), Err(NotThere::Unreadable(_))));
    let read_again = ArchiveSource::open(&files, LIMIT).unwrap();
    assert_eq!(read_again.damaged().len(), 1, "by reading the file, since it is newer than its index");
}
