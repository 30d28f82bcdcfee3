use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annalist_disk::RealDisk;
use annalist_model::CanonicalUrl;
use annalist_warc::{
    CdxLine, Exchange, Record, RecordId, RefersTo, RevisitProfile, WarcFile, Writer, WriterSettings,
};
use uuid::Uuid;

use super::{ArchiveSettings, ArchiveSource, NotThere, StoredBytes};

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
    Record::response(id, &exchange(&format!("http://a.test{path}"), at), &digest, block.as_bytes().to_vec())
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
        response(8, "/s?gclid=5&a=1", 1000, "HTTP/1.1 404 No\r\n\r\n"),
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
        let at = |path| source.newest(&url(path)).unwrap().at.millis();
        assert_eq!((at("/"), at("/copy")), (2000, 3000), "each has the time of its own capture");
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
    assert_eq!((revisit.is_revisit, revisit.status), (true, Some(200)));
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
        ("http://a.test/s?a=1", "http://a.test/s?a=1"),
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

/// One index of everything, far from its files.
fn merged(files: &[PathBuf], dir: &Path, name: impl Fn(&str) -> String) -> PathBuf {
    let mut lines = Vec::new();
    for file in files {
        let own = file.file_name().unwrap().to_string_lossy();
        let mut take = |line: CdxLine| lines.push(line.to_string());
        for file in WarcFile::all_of(file).unwrap() {
            annalist_warc::index_warc(&file, &name(&own), &mut take, &mut |_| ()).unwrap();
        }
    }
    lines.sort();
    let path = dir.join("all.cdxj");
    std::fs::write(&path, lines.join("\n")).unwrap();
    path
}

#[tokio::test]
async fn an_index_alone_is_an_archive_when_its_files_are_found() {
    let dir = tempfile::tempdir().unwrap();
    for folder in ["coll/archive", "coll/indexes", "elsewhere"] {
        std::fs::create_dir_all(dir.path().join(folder)).unwrap();
    }
    let files = archive(&dir.path().join("coll/archive"));
    let near = merged(&files, &dir.path().join("coll/indexes"), str::to_owned);
    let far = merged(&files, &dir.path().join("elsewhere"), |name| format!("gone/{name}"));
    let opened = |path: &Path, warcs: &[&str]| {
        let warcs = warcs.iter().map(|folder| dir.path().join(folder)).collect();
        let local = ArchiveSettings::local(vec![path.to_owned()], LIMIT);
        ArchiveSource::with(&ArchiveSettings { warcs, ..local }).unwrap()
    };
    for source in [opened(&near, &[]), opened(&far, &["coll"]), opened(&dir.path().join("coll/indexes"), &[])]
    {
        let found = source.snapshots(&url("/")).await.unwrap();
        assert_eq!(found.len(), 3);
        assert_eq!(source.fetch(&found[1]).await.unwrap().archived.body, b"new");
        assert_eq!(source.documents(), [url("/"), url("/copy")]);
        assert!(source.has(&url("/copy")));
    }
    let lost = opened(&far, &[]);
    let found = lost.snapshots(&url("/")).await.unwrap();
    let told = lost.fetch(&found[0]).await.unwrap_err().to_string();
    assert!(told.contains("in no folder that is known"), "{told}");
}

#[tokio::test]
async fn several_archives_are_one_without_doubles() {
    let dir = tempfile::tempdir().unwrap();
    let files = archive(dir.path());
    let other = tempfile::tempdir().unwrap();
    let index = merged(&files, other.path(), |name| dir.path().join(name).display().to_string());
    let source = ArchiveSource::open(&[dir.path().to_owned(), index], LIMIT).unwrap();
    assert_eq!(source.snapshots(&url("/")).await.unwrap().len(), 3);
    assert!(ArchiveSource::open(&[dir.path().join("none.warc.gz")], LIMIT).is_err());
}

fn arc_record(url: &str, body: &str) -> String {
    let block = format!("HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n{body}");
    format!("{url} 127.0.0.1 20100102030405 text/html {}\n{block}\n", block.len())
}

fn warc_record(url: &str, body: &str) -> String {
    let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}");
    let length = block.len();
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2010-01-02T03:04:05Z\r\n\
         Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
    )
}

/// A Zstandard frame of one block that is stored as it is.
fn frame(bytes: &str) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).unwrap().to_le_bytes();
    let block = (u32::try_from(bytes.len()).unwrap() << 3 | 1).to_le_bytes();
    [&[0x28, 0xb5, 0x2f, 0xfd, 0xa0], &length[..], &block[..3], bytes.as_bytes()].concat()
}

#[tokio::test]
async fn files_of_every_format_are_archives() {
    let dir = tempfile::tempdir().unwrap();
    let version = "1 0 Us\nURL IP-address Archive-date Content-type Archive-length\n";
    let about = format!("filedesc://f.arc 0.0.0.0 20100101000000 text/plain {}\n{version}\n", version.len());
    let (first, second) = ("http://a.test/1", "http://a.test/2");
    let arc = [about, arc_record(first, "one"), arc_record(second, "two")].concat().into_bytes();
    let plain = [warc_record(first, "one"), warc_record(second, "two")].concat().into_bytes();
    let frames = [frame(&warc_record(first, "one")), frame(&warc_record(second, "two"))].concat();
    for (name, bytes, start) in [
        ("f.arc", arc, "http://a.test/2 127.0.0.1 "),
        ("f.warc", plain, "WARC/1.0\r\n"),
        ("f.warc.zst", frames, "WARC/1.0\r\n"),
    ] {
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let source = ArchiveSource::open(&[path], LIMIT).unwrap();
        let found = source.snapshots(&CanonicalUrl::parse(second).unwrap()).await.unwrap();
        assert_eq!(found[0].at.rfc3339(), "2010-01-02T03:04:05.000Z", "{name}");
        let fetched = source.fetch(&found[0]).await.unwrap();
        assert_eq!(fetched.archived.body, b"two", "{name}");
        let stored = text(&fetched.record.bytes);
        assert!(stored.starts_with(start) && stored.ends_with("two"), "{name}: {stored}");
        assert_eq!(source.damaged().len(), 0, "{name}: {:?}", source.damaged());
    }
}
