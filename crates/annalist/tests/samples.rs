//! The sample archive that comes with pywb: indexes of every form, and files of many writers, read as pywb reads them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set up its stand has failed")]

mod support;

use std::path::{Path, PathBuf};

use annalist_model::CanonicalUrl;
use annalist_sources::{ArchiveSettings, ArchiveSource};
use support::python_tool;

/// Beside the tools in their environment.
fn samples() -> PathBuf {
    let tool = PathBuf::from(python_tool("wayback").get_program());
    tool.parent().and_then(Path::parent).unwrap().join("sample_archive")
}

fn opened(indexes: &[&str]) -> ArchiveSource {
    let paths = indexes.iter().map(|index| samples().join(index)).collect();
    let local = ArchiveSettings::local(paths, 1 << 20);
    ArchiveSource::with(&ArchiveSettings { warcs: vec![samples().join("warcs")], ..local }).unwrap()
}

/// Times, statuses and lengths of bodies.
fn found(source: &ArchiveSource, url: &str) -> Vec<(String, u16, usize)> {
    let found = source.look_up(&CanonicalUrl::parse(url).unwrap()).unwrap();
    let read = |snapshot: &annalist_sources::Snapshot| {
        let fetched = source.read(snapshot).unwrap();
        (snapshot.at.digits14(), fetched.archived.head.status, fetched.archived.body.len())
    };
    found.iter().map(read).collect()
}

#[test]
fn indexes_of_every_form_lead_to_the_same_captures() {
    let expected = [("20140103030321", 200, 1270), ("20140103030341", 200, 1270)]
        .map(|(at, status, length)| (at.to_owned(), status, length));
    for index in [
        "cdx/example.cdx",
        "non-surt-cdx/example-non-surt.cdx",
        "cdxj/example.cdxj",
        "zipcdx/zipnum-sample.idx",
    ] {
        let source = opened(&[index]);
        assert_eq!(source.notes(), [""; 0], "{index}");
        assert_eq!(found(&source, "http://example.com/?example=1"), expected, "{index}");
    }
    let two = opened(&["cdx/iana.cdx", "cdxj/iana.cdxj", "cdx/dupes.cdx"]);
    assert_eq!(found(&two, "http://www.iana.org/").len(), 3, "each once");
    assert_eq!(found(&two, "http://example.com/").len(), 2);
}

#[test]
fn files_of_other_writers_are_read() {
    let names = [
        "example.arc",
        "example.arc.gz",
        "example2.warc.gz",
        "example-wget-1-14.warc.gz",
        "example-wpull.warc.gz",
    ];
    for name in names {
        let source = opened(&[&format!("warcs/{name}")]);
        let bodies = found(&source, "http://example.com/");
        assert!(
            bodies.iter().any(|(_, status, length)| *status == 200 && *length == 1270),
            "{name}: {bodies:?}"
        );
    }
    let resource = opened(&["warcs/httpbin-resource.warc.gz"]);
    let bodies = found(&resource, "http://httpbin.org/anything/resource.json");
    assert!(matches!(bodies.as_slice(), [(_, 200, length)] if *length > 0), "{bodies:?}");
}

#[test]
fn the_payload_of_a_revisit_may_be_under_another_address() {
    let source = opened(&["cdxj/url-agnost-example.cdxj"]);
    let bodies = found(&source, "http://example.com/");
    assert!(matches!(bodies.as_slice(), [(_, 200, 1270)]), "{bodies:?}");
}
