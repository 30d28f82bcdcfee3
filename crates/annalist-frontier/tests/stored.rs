//! What earlier versions stored is still read. `fixtures/version-1` was written by `examples/fixture.rs` when version 1 was
//! today's; it is never written again.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails where it stands")]

mod written;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use annalist_disk::{Disk, SimDisk};
use annalist_frontier::{Frontier, FrontierError, Place, State, Transaction, Urgency, open, read_only};
use annalist_model::{Link, Outcome, SkipReason};
use written::{at, journalled, key, settings, url};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

const DIR: &str = "/frontier";

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/version-1")
}

#[test]
fn what_the_fixture_s_writer_writes_is_what_is_looked_for_here() {
    let disk = SimDisk::new();
    written::write(Arc::new(disk.clone()), Path::new(DIR)).unwrap();
    assert_as_written(&read_only(Arc::new(disk), Path::new(DIR), settings()).unwrap());
}

/// The fixture on a disk where it can be written to.
fn copied(change: impl Fn(&str, &mut Vec<u8>)) -> SimDisk {
    let disk = SimDisk::new();
    for entry in std::fs::read_dir(fixture()).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let mut bytes = std::fs::read(entry.path()).unwrap();
        change(&name, &mut bytes);
        let mut file = disk.create(&Path::new(DIR).join(&name)).unwrap();
        file.append(&bytes).unwrap();
        file.sync().unwrap();
    }
    disk.sync_dir(Path::new(DIR)).unwrap();
    disk
}

fn assert_as_written(frontier: &Frontier) {
    let known = |text: &str| frontier.lookup(key(text)).unwrap().unwrap();
    let home = known("http://a.test/");
    let State::Done { outcome, place, digest, at: when, bytes } = home.state else {
        panic!("{:?}", home.state);
    };
    assert_eq!((outcome, when, bytes), (Outcome::Captured { status: 200 }, at(1), 100));
    assert_eq!(place.unwrap(), Place { file: "a.warc.gz".to_owned(), offset: 10, length: 20 });
    assert_eq!(digest.as_deref(), Some("sha1:X"));
    assert_eq!(home.link.unwrap(), Link::seed(url("http://a.test/"), 0));

    let image = known("http://a.test/image");
    let link = image.link.unwrap();
    assert_eq!((link.anchor.as_str(), link.seed, link.depth), ("to http://a.test/image", 1, 2));
    assert_eq!(link.via, Some(key("http://a.test/")));
    assert_eq!((image.state, image.urgency), (State::Queued { not_before: None }, Urgency::Urgent));

    let later = known("http://a.test/later");
    assert_eq!(later.state, State::Queued { not_before: Some(at(30)) });
    assert_eq!((later.tries, later.retries), (1, vec!["reset".to_owned()]));
    let best = known("http://a.test/best");
    assert!(matches!(
        best.state,
        State::Done { outcome: Outcome::Skipped { reason: SkipReason::Budget, .. }, .. }
    ));

    let first = known("http://b.test/1");
    assert_eq!((first.value, first.times_seen), (0.6, 2));
    assert_eq!((first.site.rests_until, first.site.delay), (at(10), Duration::from_secs(3)));
    assert_eq!(known("http://b.test/2").value, 0.75);
    assert_eq!(
        known("http://c.test/no").state,
        State::Refused { reason: SkipReason::OutOfScope, detail: "elsewhere".to_owned() }
    );
    assert_eq!(known("http://d.test/waits").site.closed, Some(SkipReason::SiteBudget));
    assert_eq!(known("http://e.test/new").state, State::Queued { not_before: None });
    assert_eq!(frontier.lookup(key("http://e.test/other")).unwrap(), None);

    let original = frontier.place_of_digest("sha1:X").unwrap().unwrap();
    assert_eq!(original.url, "http://a.test/");
    assert_eq!(frontier.note("counters"), Some(b"new".as_slice()));
    assert_eq!(frontier.site_counts(key("http://a.test/").site).unwrap().captures, 1);
    let counts = frontier.counts();
    assert_eq!((counts.queued, counts.done, counts.refused, counts.closed_sites), (6, 2, 1, 1));
}

#[test]
fn version_1_is_read_and_goes_on() {
    let disk = copied(|_, _| {});
    assert_as_written(&read_only(Arc::new(disk.clone()), Path::new(DIR), settings()).unwrap());
    let (mut frontier, mut journal) =
        open(Arc::new(disk.clone()), Path::new(DIR), settings(), at(0)).unwrap();
    assert_as_written(&frontier);
    let mut leased = Vec::new();
    while let Some(lease) = frontier.next(at(30)).unwrap() {
        leased.extend(lease.links.iter().map(|link| link.link.url.to_string()));
    }
    leased.sort_unstable();
    let expected = [
        "http://a.test/image",
        "http://a.test/later",
        "http://b.test/1",
        "http://b.test/2",
        "http://e.test/new",
    ];
    assert_eq!(leased, expected);
    frontier.apply(journal.commit(&Transaction { changes: journalled() }).unwrap()).unwrap();
    frontier.close(&mut journal).unwrap();
    let again = read_only(Arc::new(disk), Path::new(DIR), settings()).unwrap();
    assert_eq!(again.lookup(key("http://e.test/new")).unwrap().unwrap().times_seen, 2);
}

/// Raises the version that stands in a file, and mends the checksum over it.
fn raise_version(name: &str, bytes: &mut [u8]) {
    let length = bytes.len();
    if name.starts_with("journal-") {
        bytes[4..8].copy_from_slice(&99u32.to_le_bytes());
        let checksum = xxh3_64_with_seed(&bytes[..16], 0);
        bytes[16..24].copy_from_slice(&checksum.to_le_bytes());
    } else if name.starts_with("text-") {
        bytes[4..8].copy_from_slice(&99u32.to_le_bytes());
    } else {
        let from = if name == "manifest" { 0 } else { length - 88 };
        bytes[from + 4..from + 8].copy_from_slice(&99u32.to_le_bytes());
        let checksum = xxh3_64(&bytes[from..length - 8]);
        bytes[length - 8..].copy_from_slice(&checksum.to_le_bytes());
    }
}

#[test]
fn a_later_version_of_any_file_is_refused_in_so_many_words() {
    for (kind, file) in
        [("manifest", "manifest"), ("journal", "journal"), ("run", "run"), ("text", "text log")]
    {
        let disk = copied(|name, bytes| {
            if name.starts_with(kind) {
                raise_version(name, bytes);
            }
        });
        let refused = open(Arc::new(disk), Path::new(DIR), settings(), at(0)).err().unwrap();
        assert!(matches!(refused, FrontierError::Version { found: 99, .. }), "{kind}: {refused}");
        let words = refused.to_string();
        assert!(
            words.starts_with(&format!("the frontier's {file} has format 99, this program reads")),
            "{words}"
        );
    }
}
