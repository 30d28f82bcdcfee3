//! Archives from before WARC, and bodies in every coding, are a web to walk like any other.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;

use annalist_model::CanonicalUrl;
use annalist_sources::ArchiveSource;

fn source(path: &Path, records: &[(&str, &[u8])]) -> ArchiveSource {
    let mut file = Vec::new();
    for (page, block) in records {
        let line = format!("http://a.test/{page} 192.0.2.7 20080430204826 text/html {}\n", block.len());
        file.extend_from_slice(&[line.as_bytes(), block, b"\n"].concat());
    }
    std::fs::write(path, file).unwrap();
    ArchiveSource::open(&[path.to_owned()], 1 << 20).unwrap()
}

fn body(source: &ArchiveSource, page: &str) -> String {
    let url = CanonicalUrl::parse(&format!("http://a.test/{page}")).unwrap();
    String::from_utf8(source.newest(&url).unwrap().body).unwrap()
}

#[test]
fn pages_in_arc_files_are_fetched_with_and_without_an_http_head() {
    let dir = tempfile::tempdir().unwrap();
    let records: [(&str, &[u8]); 2] = [("new", b"HTTP/1.0 200 OK\r\n\r\n<p>new"), ("old", b"<p>HTTP/0.9")];
    let source = source(&dir.path().join("a.arc"), &records);
    assert_eq!(body(&source, "new"), "<p>new");
    assert_eq!(body(&source, "old"), "<p>HTTP/0.9");
    assert_eq!(source.damaged().len(), 0);
}

#[test]
fn bodies_in_brotli_are_unpacked() {
    let dir = tempfile::tempdir().unwrap();
    // One stored piece of five bytes, and the end.
    let packed = [&((4_u32 << 4) | (1 << 20)).to_le_bytes()[..3], b"hello", &[3]].concat();
    let block = [b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n", &packed[..]].concat();
    let source = source(&dir.path().join("a.arc"), &[("page", &block)]);
    assert_eq!(body(&source, "page"), "hello");
}
