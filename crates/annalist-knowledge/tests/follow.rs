//! An archive is followed to the same documents whether at once, in pieces, or with interruptions.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails where it stands"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use annalist_disk::RealDisk;
use annalist_knowledge::{
    Derived, DerivedError, Document, Extent, FollowSettings, Mark, Over, Watch, follow, plain_name,
};
use annalist_warc::{Exchange, Record, RecordId, RefersTo, RevisitProfile, Writer, WriterSettings};
use proptest::prelude::{ProptestConfig, any, prop, prop_assert, prop_assert_eq, proptest};
use uuid::Uuid;

/// What is committed survives; what waits does not.
#[derive(Clone, Debug, Default)]
struct Shelf {
    mark: Mark,
    kept: BTreeMap<String, Document>,
    waiting: Vec<Document>,
}

impl Shelf {
    fn after_kill(&self) -> Shelf {
        Shelf { waiting: Vec::new(), ..self.clone() }
    }
}

impl Derived for Shelf {
    fn mark(&self) -> &Mark {
        &self.mark
    }
    fn add(&mut self, document: &Document) -> Result<(), DerivedError> {
        self.waiting.push(document.clone());
        Ok(())
    }
    fn commit(&mut self, mark: &Mark) -> Result<(), DerivedError> {
        for document in self.waiting.drain(..) {
            let may_be_there = self.mark.may_have(&document.file, document.offset);
            let before = self.kept.insert(document.record.clone(), document);
            assert!(before.is_none() || may_be_there, "told twice: {before:?}");
        }
        self.mark = mark.clone();
        Ok(())
    }
}

/// Stops after so many batches.
struct Few(AtomicU64);

impl Watch for Few {
    fn advance(&self, _: u64, _: u64) {}
    fn is_stopped(&self) -> bool {
        self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_err()
    }
}

const PAGES: u64 = 200;
/// Fetched when a kill came.
const KILLED: u64 = 51;

/// Records as a crawl writes them: answers first, and what is known about them some answers later. A page that fails leaves a
/// note without an answer; one answer and the last were never acknowledged.
/// Returns how many bytes of all files there were after each acknowledgement.
fn write_archive(dir: &Path) -> Vec<u64> {
    write_files_of(20_000, dir)
}

fn write_files_of(roll_bytes: u64, dir: &Path) -> Vec<u64> {
    let mut acknowledged = Vec::new();
    let mut settings = WriterSettings::new(&dir.join("archive"), &dir.join("indexes"), "trial", "host");
    settings.roll_bytes = roll_bytes;
    std::fs::create_dir_all(dir.join("archive")).unwrap();
    std::fs::create_dir_all(dir.join("indexes")).unwrap();
    let mut ids = 0;
    let mut writer = Writer::new(Arc::new(RealDisk), settings, move || {
        ids += 1;
        Uuid::from_u64_pair(7, ids)
    });
    let id = |number: u64| RecordId::new(Uuid::from_u64_pair(1, number));
    let mut late: Vec<u64> = Vec::new();
    for number in 0..=PAGES {
        let url = format!("http://a.test/{number}");
        let exchange = Exchange { target_uri: &url, started_ms: 1_000_000 + number, server: None };
        let record = if number % 10 == 3 {
            let target = format!("http://a.test/{}", number - 1);
            let refers_to = RefersTo { id: None, target_uri: &target, started_ms: 1_000_000 };
            let head = b"HTTP/1.1 200 OK\r\n\r\n".to_vec();
            let profile = RevisitProfile::IdenticalPayloadDigest;
            Record::revisit(id(number), &exchange, "sha1:X", profile, &refers_to, head)
        } else {
            let body = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Page {number}</title><p>{}\
                 <a href=/{}>the next one</a>",
                "some words of no meaning ".repeat(number as usize % 7),
                number + 1
            );
            Record::response(id(number), &exchange, "sha1:X", body.into_bytes())
        };
        writer.append(&[record], number).unwrap();
        if number < PAGES && number != KILLED {
            late.push(number);
        }
        if number % 5 == 2 || number == PAGES {
            for done in late.drain(..) {
                let url = format!("http://a.test/{done}");
                let exchange = Exchange { target_uri: &url, started_ms: 1_000_000 + done, server: None };
                let fields = [
                    ("hopsFromSeed", "LL".to_owned()),
                    ("relevance", "0.5000".to_owned()),
                    ("published", "2011-03-05T00:00:00Z".to_owned()),
                    ("publishedBy", format!("url, confidence 0.{}", 10 + done % 80)),
                    ("outlink", "http://a.test/x L a".to_owned()),
                ];
                let metadata = Record::metadata(id(10_000 + done), &exchange, Some(id(done)), &fields);
                let mut records = vec![metadata];
                if done % 3 == 0 {
                    let name = format!("urn:objects:{url}");
                    let exchange = Exchange { target_uri: &name, ..exchange };
                    let json = format!(
                        r#"{{"application":"wordpress","level":"post","objects":[{{"type":"post","id":"{done}","body":"b"}}]}}"#
                    );
                    records.push(Record::resource(
                        id(20_000 + done),
                        &exchange,
                        "application/json",
                        json.into_bytes(),
                    ));
                }
                writer.append(&records, number).unwrap();
            }
            let failed = Exchange { target_uri: "http://a.test/none", started_ms: number, server: None };
            let fields = [("fetchStatus", "-2"), ("error", "no answer")];
            writer.append(&[Record::metadata(id(30_000 + number), &failed, None, &fields)], number).unwrap();
            writer.sync().unwrap();
            let files = std::fs::read_dir(dir.join("archive")).unwrap();
            acknowledged.push(files.map(|file| file.unwrap().metadata().unwrap().len()).sum());
        }
    }
    writer.close().unwrap();
    acknowledged
}

fn extents(dir: &Path) -> Vec<Extent> {
    let files = std::fs::read_dir(dir.join("archive")).unwrap();
    let mut all: Vec<Extent> = files.map(|file| Extent::whole(file.unwrap().path())).collect();
    all.sort_by_key(|extent| plain_name(&extent.path));
    all
}

fn settings(threads: usize, commit_documents: u64) -> FollowSettings {
    FollowSettings { threads, commit_documents, ..FollowSettings::default() }
}

#[test]
fn a_document_has_what_the_records_of_its_capture_say() {
    let dir = tempfile::tempdir().unwrap();
    write_archive(dir.path());
    assert!(extents(dir.path()).len() > 3, "what belongs together is spread over files");
    let mut shelf = Shelf::default();
    let followed = follow(&extents(dir.path()), &mut [&mut shelf], &settings(2, 1000), &()).unwrap();
    assert!(followed.is_complete && followed.holes.is_empty(), "{followed:?}");
    assert_eq!(shelf.kept.len() as u64, PAGES - 1, "those that were never acknowledged are none");
    let of = |number: u64| {
        let url = format!("http://a.test/{number}");
        shelf.kept.values().find(|document| document.url.as_str() == url).unwrap()
    };
    let page = of(12);
    assert_eq!(page.title.as_deref(), Some("Page 12"));
    assert_eq!((page.hops.as_str(), page.relevance, page.status), ("LL", Some(0.5), 200));
    let published = page.published.as_ref().unwrap();
    assert_eq!((published.text.as_str(), published.confidence), ("2011-03-05T00:00:00Z", 0.22));
    assert_eq!((page.application.as_deref(), page.objects.len()), (Some("wordpress"), 1));
    assert_eq!(page.links.first().map(|link| link.anchor.as_str()), Some("the next one"));
    assert!(page.is_page() && of(14).objects.is_empty());
    let again = of(13);
    assert_eq!(again.original.as_ref().map(|original| original.url.as_str()), Some("http://a.test/12"));
    assert!(!again.is_page() && again.text.is_empty());
    assert_eq!(page.record, "urn:uuid:00000000-0000-0001-0000-00000000000c");
}

#[test]
fn captures_that_nothing_is_known_about_are_documents_where_nobody_adds_to_the_archive() {
    let dir = tempfile::tempdir().unwrap();
    write_archive(dir.path());
    let mut shelf = Shelf::default();
    let anybodys = FollowSettings { awaits_metadata: false, ..settings(1, 1000) };
    follow(&extents(dir.path()), &mut [&mut shelf], &anybodys, &()).unwrap();
    assert_eq!(shelf.kept.len() as u64, PAGES + 1);
}

#[test]
fn what_is_said_in_the_next_file_is_heard_when_the_crawl_has_ended() {
    let dir = tempfile::tempdir().unwrap();
    write_archive(dir.path());
    let mut shelf = Shelf::default();
    let ended = FollowSettings { over: Over::All, ..settings(1, 1000) };
    follow(&extents(dir.path()), &mut [&mut shelf], &ended, &()).unwrap();
    assert_eq!(shelf.kept.len() as u64, PAGES - 1);
}

/// Pages of somebody else, about which no crawl says anything.
fn write_foreign(dir: &Path, pages: &[(&str, String)]) {
    let mut settings = WriterSettings::new(&dir.join("archive"), &dir.join("indexes"), "foreign", "host");
    settings.roll_bytes = u64::MAX;
    std::fs::create_dir_all(dir.join("archive")).unwrap();
    std::fs::create_dir_all(dir.join("indexes")).unwrap();
    let mut writer = Writer::new(Arc::new(RealDisk), settings, || Uuid::from_u64_pair(8, 1));
    for (number, (url, body)) in (1..).zip(pages) {
        let exchange = Exchange { target_uri: url, started_ms: 1_000_000 + number, server: None };
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}").into_bytes();
        let id = RecordId::new(Uuid::from_u64_pair(9, number));
        writer.append(&[Record::response(id, &exchange, "sha1:X", answer)], number).unwrap();
    }
    writer.close().unwrap();
}

#[test]
fn a_file_of_others_among_those_of_a_crawl_is_left_out_and_told() {
    let dir = tempfile::tempdir().unwrap();
    write_archive(dir.path());
    let page = |url| (url, "<p>Words of others".to_owned());
    write_foreign(dir.path(), &[page("http://b.test/1"), page("http://b.test/2")]);
    let mut shelf = Shelf::default();
    let ended = FollowSettings { over: Over::All, ..settings(1, 30) };
    let followed = follow(&extents(dir.path()), &mut [&mut shelf], &ended, &()).unwrap();
    assert_eq!(shelf.kept.len() as u64, PAGES - 1);
    let [told] = followed.holes.as_slice() else { panic!("{followed:?}") };
    assert!(told.contains("foreign-") && told.contains("captures (2) are left out"), "{told}");
    let again = follow(&extents(dir.path()), &mut [&mut shelf], &ended, &()).unwrap();
    assert!(again.holes.is_empty(), "it is told once: {again:?}");
}

/// One record of WARC 1.0, plain.
fn record(kind: &str, id: &str, url: &str, date: &str, more: &str, block: &str) -> String {
    format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: {id}\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n{more}\
         Content-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
}

/// ARC files name no record, and some writers of WARC files name none.
#[test]
fn captures_without_a_name_are_taken_and_those_without_an_address_or_a_time_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let archive = dir.path().join("archive");
    std::fs::create_dir_all(&archive).unwrap();
    let answer = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Words of others";
    let line = |url: &str| format!("{url} 192.0.2.7 20080430204825 text/html {}\n{answer}\n", answer.len());
    let head = "1 0 Somebody\nURL IP-address Archive-date Content-type Archive-length\n";
    let first = format!("filedesc://a.arc 0.0.0.0 20080430204825 text/plain {}\n{head}\n", head.len());
    std::fs::write(archive.join("a.arc"), first + &line("http://a.test/1") + &line("http://a.test/2"))
        .unwrap();
    let own = |url: &str, date: &str| {
        record("response", "", url, date, "", answer).replace("WARC-Record-ID: \r\n", "")
    };
    let second = "2015-01-01T00:00:00Z";
    let records = [
        own("http://a.test/3", second),
        own("http://a.test/4", second),
        own("http://a.test/5", "yesterday"),
        own("http://:no/", second),
        own("dns:a.test", second),
    ];
    std::fs::write(archive.join("b.warc"), records.concat()).unwrap();
    let mut shelf = Shelf::default();
    let anybodys = FollowSettings { awaits_metadata: false, ..settings(1, 1000) };
    let followed = follow(&extents(dir.path()), &mut [&mut shelf], &anybodys, &()).unwrap();
    let names: std::collections::BTreeSet<&String> = shelf.kept.keys().collect();
    assert_eq!(names.len(), 4, "{names:?}");
    assert!(names.iter().all(|name| name.contains("urn:uuid:")), "{names:?}");
    let told = followed.holes.join("\n");
    assert!(followed.holes.len() == 2 && told.matches("captures (1) are left out").count() == 2, "{told}");
}

/// The records of others in an extracted collection are as they were; what is said about them is in words of our own.
#[test]
fn what_is_said_about_a_capture_finds_it_however_others_spell_its_name_address_and_time() {
    let (second, millis) = ("2015-01-01T00:00:00Z", "2015-01-01T00:00:00.000Z");
    let named = "<urn:uuid:00000000-0000-0000-0000-00000000000a>";
    let concurrent = format!("WARC-Concurrent-To: {named}\r\n");
    // What stands in the answer's record, and what is said about it.
    let spelled = [
        (("http://a.test/1", second, named), ("http://a.test/1", millis, concurrent.as_str())),
        (("<http://a.test/1>", millis, named), ("http://a.test/1", millis, &concurrent)),
        (("http://a.test/1", "2015-01-01T00:00:00.123456Z", named), ("http://a.test/1", millis, &concurrent)),
        // The page was asked for by another name than it is archived under.
        (("http://a.test/1?PHPSESSID=0", second, named), ("http://a.test/1", millis, &concurrent)),
        (("http://a.test/1", second, &named.to_uppercase()), ("http://a.test/1", millis, &concurrent)),
        // A name that ours do not repeat.
        (("HTTP://A.test:80/1#top", second, "<urn:x:1>"), ("http://a.test/1", millis, "")),
        (("<http://a.test/1>", second, "<urn:x:1>"), ("http://a.test/1", millis, "")),
    ];
    for (answer, about) in spelled {
        let dir = tempfile::tempdir().unwrap();
        let (url, date, id) = answer;
        let http = "Content-Type: application/http; msgtype=response\r\n";
        let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Words";
        let mut warc = record("response", id, url, date, http, page);
        let (url, date, concurrent) = about;
        let fields = "Content-Type: application/warc-fields\r\n";
        let more = format!("{concurrent}{fields}");
        warc += &record("metadata", "<urn:x:2>", url, date, &more, "hopsFromSeed: LL\r\n");
        let url = format!("urn:objects:{url}");
        let json =
            r#"{"application":"wordpress","level":"post","objects":[{"type":"post","id":"1","body":"b"}]}"#;
        warc += &record("resource", "<urn:x:3>", &url, date, "Content-Type: application/json\r\n", json);
        let path = dir.path().join("old.warc");
        std::fs::write(&path, warc).unwrap();
        let mut shelf = Shelf::default();
        let ended = FollowSettings { over: Over::All, ..settings(1, 30) };
        let followed = follow(&[Extent::whole(path)], &mut [&mut shelf], &ended, &()).unwrap();
        assert!(followed.holes.is_empty(), "{answer:?}: {followed:?}");
        let documents: Vec<_> = shelf.kept.values().collect();
        let told = documents.iter().map(|document| (document.hops.as_str(), document.objects.len()));
        assert_eq!(told.collect::<Vec<_>>(), [("LL", 1)], "{answer:?}");
    }
}

#[test]
fn the_end_of_a_long_page_is_read_too() {
    let dir = tempfile::tempdir().unwrap();
    let body = format!("<p>{} the last word", "many words before it ".repeat(20_000));
    write_foreign(dir.path(), &[("http://b.test/long", body)]);
    let mut shelf = Shelf::default();
    let anybodys = FollowSettings { awaits_metadata: false, ..settings(1, 30) };
    follow(&extents(dir.path()), &mut [&mut shelf], &anybodys, &()).unwrap();
    let texts: Vec<_> = shelf.kept.values().map(|document| document.text.as_str()).collect();
    assert!(texts.len() == 1 && texts[0].trim_end().ends_with("the last word"), "{}", texts[0].len());
}

#[test]
fn a_file_that_could_not_be_read_is_read_when_it_can_be_and_what_is_said_about_its_captures_is_heard() {
    let dir = tempfile::tempdir().unwrap();
    write_archive(dir.path());
    let all = extents(dir.path());
    for over in [Over::None, Over::All] {
        let settings = FollowSettings { over, ..settings(1, 1000) };
        let mut once = Shelf::default();
        follow(&all, &mut [&mut once], &settings, &()).unwrap();
        for missing in 0..all.len() {
            let mut some = all.clone();
            some[missing].path = dir.path().join("away").join(plain_name(&all[missing].path));
            let mut shelf = Shelf::default();
            for _ in 0..2 {
                let followed = follow(&some, &mut [&mut shelf], &settings, &()).unwrap();
                assert_eq!(followed.holes.len(), 1, "told every time: {followed:?}");
            }
            assert!(shelf.kept.len() < once.kept.len());
            let read = Read::default();
            follow(&some, &mut [&mut shelf], &settings, &read).unwrap();
            assert_eq!(read.0.into_inner(), 0, "what can be read is not read again because of it");
            follow(&all, &mut [&mut shelf], &settings, &()).unwrap();
            assert_eq!((&shelf.kept, &shelf.mark), (&once.kept, &once.mark));
        }
    }
}

#[test]
fn what_is_no_file_and_what_is_empty_is_told_and_holds_nobody_up() {
    let dir = tempfile::tempdir().unwrap();
    write_archive(dir.path());
    let all = extents(dir.path());
    let mut whole = Shelf::default();
    follow(&all, &mut [&mut whole], &settings(1, 1000), &()).unwrap();
    let away = dir.path().join("away");
    for what in ["mkfifo", "truncate"] {
        std::fs::rename(&all[1].path, &away).unwrap();
        let mut make = std::process::Command::new(what);
        let make = if what == "truncate" { make.args(["-s", "0"]) } else { &mut make };
        assert!(make.arg(&all[1].path).status().unwrap().success());
        let mut shelf = Shelf::default();
        let followed = follow(&all, &mut [&mut shelf], &settings(1, 1000), &()).unwrap();
        assert!(followed.holes.iter().any(|hole| hole.contains("tried again")), "{:?}", followed.holes);
        std::fs::rename(&away, &all[1].path).unwrap();
        let followed = follow(&all, &mut [&mut shelf], &settings(1, 1000), &()).unwrap();
        assert!(followed.holes.is_empty(), "{:?}", followed.holes);
        assert_eq!(shelf.kept, whole.kept, "{what}");
    }
}

/// Another file in its place, as a copy would be that was broken off, or is whole.
fn replace(path: &Path, bytes: &[u8]) {
    let new = path.with_extension("new");
    std::fs::write(&new, bytes).unwrap();
    std::fs::rename(&new, path).unwrap();
}

/// Cut there, or with some bytes turned around from there on. One that is cut where a record begins does not show it.
fn damaged(whole: &[u8], at: usize, garbled: usize) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    if garbled == 0 {
        bytes.truncate(if bytes[at..].starts_with(&[0x1f, 0x8b]) { at + 1 } else { at });
    } else {
        bytes.iter_mut().skip(at).take(garbled).for_each(|byte| *byte = !*byte);
    }
    bytes
}

#[test]
fn a_file_that_was_cut_or_garbled_for_a_while_is_read_again_when_it_is_whole_and_not_before() {
    let dir = tempfile::tempdir().unwrap();
    write_archive(dir.path());
    let all = extents(dir.path());
    for over in [Over::None, Over::All] {
        let settings = FollowSettings { over, ..settings(1, 1000) };
        let mut once = Shelf::default();
        follow(&all, &mut [&mut once], &settings, &()).unwrap();
        for (number, extent) in all.iter().enumerate() {
            let whole = std::fs::read(&extent.path).unwrap();
            for part in 0..8 {
                let at = 1 + (whole.len() - 2) * part / 8 + number;
                let garbled = [0, 1, 700, usize::MAX][(part + number) % 4];
                replace(&extent.path, &damaged(&whole, at, garbled));
                let mut shelf = Shelf::default();
                let followed = follow(&all, &mut [&mut shelf], &settings, &()).unwrap();
                // One byte may be one that means nothing.
                let is_told = !followed.holes.is_empty() || shelf.kept == once.kept;
                assert!(followed.is_complete && is_told, "{number} {at}: {followed:?}");
                let read = Read::default();
                let kept = shelf.kept.clone();
                follow(&all, &mut [&mut shelf], &settings, &read).unwrap();
                assert_eq!((read.0.into_inner(), &shelf.kept), (0, &kept), "it is as it was");
                replace(&extent.path, &whole);
                let followed = follow(&all, &mut [&mut shelf], &settings, &()).unwrap();
                assert!(followed.holes.is_empty(), "{:?}", followed.holes);
                assert!(shelf.kept == once.kept, "{number} {at} {garbled}: {:?}", lacking(&shelf, &once));
                assert_eq!(unmended(&shelf), once.mark);
            }
        }
    }
}

/// That something was mended may be remembered.
fn unmended(shelf: &Shelf) -> Mark {
    Mark { mended: false, ..shelf.mark.clone() }
}

/// What one has and the other has not, or otherwise.
fn lacking<'a>(one: &'a Shelf, other: &'a Shelf) -> Vec<(&'a str, bool)> {
    let differs = |document: &&Document| one.kept.get(&document.record) != Some(document);
    let told = |document: &'a Document| (document.url.as_str(), one.kept.contains_key(&document.record));
    other.kept.values().filter(differs).map(told).collect()
}

#[test]
fn records_that_are_packed_together_are_told_apart_whoever_interrupts() {
    let dir = tempfile::tempdir().unwrap();
    write_files_of(1 << 30, dir.path());
    let anybodys = |commit| FollowSettings { awaits_metadata: false, ..settings(1, commit) };
    let plain = |shelf: &Shelf| -> BTreeMap<String, Document> {
        let placeless = |document: &Document| Document { file: String::new(), offset: 0, ..document.clone() };
        shelf.kept.iter().map(|(record, document)| (record.clone(), placeless(document))).collect()
    };
    let mut apart = Shelf::default();
    follow(&extents(dir.path()), &mut [&mut apart], &anybodys(1000), &()).unwrap();
    // All in one member, and some in each of several.
    for lines in ["1000000000", "100"] {
        let packed = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(packed.path().join("archive")).unwrap();
        let script = format!(
            "cd archive && for f in *; do gzip -dc $f | split -l {lines} --filter='gzip -nc' - x > $0/archive/$f; done"
        );
        let mut packing = std::process::Command::new("sh");
        packing.arg("-c").arg(script).arg(packed.path()).current_dir(dir.path());
        assert!(packing.status().unwrap().success());
        let mut shelf = Shelf::default();
        let followed = follow(&extents(packed.path()), &mut [&mut shelf], &anybodys(1000), &()).unwrap();
        assert_eq!(followed.holes, Vec::<String>::new());
        assert_eq!(plain(&shelf), plain(&apart));
        for batches in 0..8 {
            let mut shelf = Shelf::default();
            follow(&extents(packed.path()), &mut [&mut shelf], &anybodys(10), &Few(AtomicU64::new(batches)))
                .unwrap();
            shelf = shelf.after_kill();
            follow(&extents(packed.path()), &mut [&mut shelf], &anybodys(10), &()).unwrap();
            assert_eq!(plain(&shelf), plain(&apart), "{batches}");
        }
    }
}

#[test]
fn a_record_that_is_there_for_the_payload_of_a_revisit_is_waited_for_by_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let archive = dir.path().join("archive");
    let mut ids = 0;
    let mut writer = Writer::new(
        Arc::new(RealDisk),
        WriterSettings::new(&archive, &dir.path().join("indexes"), "trial", "host"),
        move || {
            ids += 1;
            Uuid::from_u64_pair(7, ids)
        },
    );
    let id = |number: u64| RecordId::new(Uuid::from_u64_pair(1, number));
    let at = |started_ms| Exchange { target_uri: "http://a.test/", started_ms, server: None };
    let head = b"HTTP/1.1 200 OK\r\n\r\n".to_vec();
    let refers_to = RefersTo { id: None, target_uri: "http://a.test/", started_ms: 1000 };
    let profile = RevisitProfile::IdenticalPayloadDigest;
    let revisit = Record::revisit(id(1), &at(2000), "sha1:X", profile, &refers_to, head.clone());
    let original = || Record::response(id(2), &at(1000), "sha1:X", head.clone());
    writer.append(&[revisit, original()], 0).unwrap();
    // The same capture for its own sake.
    writer.append(&[original()], 0).unwrap();
    let fields = [("payloadRecord", id(2).to_string())];
    writer.append(&[Record::metadata(id(3), &at(2000), Some(id(1)), &fields)], 0).unwrap();
    let nothing: [(&str, &str); 0] = [];
    writer.append(&[Record::metadata(id(4), &at(1000), Some(id(2)), &nothing)], 0).unwrap();
    writer.close().unwrap();
    let mut shelf = Shelf::default();
    let patient = FollowSettings { patience: usize::MAX, ..settings(1, 1000) };
    follow(&extents(dir.path()), &mut [&mut shelf], &patient, &()).unwrap();
    assert_eq!(shelf.kept.len(), 2);
    assert_eq!(shelf.mark.waiting, BTreeMap::new());
}

#[test]
fn what_was_kept_without_its_exchange_is_a_capture_too() {
    let dir = tempfile::tempdir().unwrap();
    let settings_of =
        WriterSettings::new(&dir.path().join("archive"), &dir.path().join("indexes"), "trial", "host");
    let mut ids = 0;
    let mut writer = Writer::new(Arc::new(RealDisk), settings_of, move || {
        ids += 1;
        Uuid::from_u64_pair(7, ids)
    });
    let html = "text/html; charset=utf-8";
    for (number, (target_uri, mime, body)) in (1u64..).zip([
        ("http://a.test/page", html, "<title>Rosebud</title><p>Words of a page"),
        ("urn:pageinfo:http://a.test/page", html, "<title>None</title>"),
        ("dns:a.test", "text/dns", "a.test. 60 IN A 127.0.0.1"),
    ]) {
        let exchange = Exchange { target_uri, started_ms: 1000, server: None };
        let id = RecordId::new(Uuid::from_u64_pair(1, number));
        writer.append(&[Record::resource(id, &exchange, mime, body.as_bytes().to_vec())], 0).unwrap();
    }
    writer.close().unwrap();
    let mut shelf = Shelf::default();
    let anybodys = FollowSettings { awaits_metadata: false, ..settings(1, 1000) };
    follow(&extents(dir.path()), &mut [&mut shelf], &anybodys, &()).unwrap();
    let kept: Vec<_> =
        shelf.kept.values().map(|page| (page.url.as_str(), page.status, page.title.as_deref())).collect();
    assert_eq!(kept, [("http://a.test/page", 200, Some("Rosebud"))]);
}

/// Counts the bytes that are read.
#[derive(Default)]
struct Read(AtomicU64);

impl Watch for Read {
    fn advance(&self, bytes: u64, _: u64) {
        self.0.fetch_add(bytes, Ordering::SeqCst);
    }
    fn is_stopped(&self) -> bool {
        false
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn in_pieces_and_with_kills_it_comes_to_the_same(
        steps in prop::collection::vec(
            (
                (any::<prop::sample::Index>(), 0u64..6, 1u64..70, any::<bool>(), any::<u8>(), 0usize..4),
                (any::<prop::sample::Index>(), any::<prop::sample::Index>(), prop::option::of(0usize..900), any::<bool>()),
            ),
            1..12,
        ),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let acknowledged = write_archive(dir.path());
        let all = extents(dir.path());
        let away = dir.path().join("away");
        for extent in all.iter().step_by(2) {
            // What can be opened and not read; the others are not there at all.
            std::fs::create_dir_all(away.join(extent.path.file_name().unwrap())).unwrap();
        }
        let (mut once, mut pieces, mut other) = (Shelf::default(), Shelf::default(), Shelf::default());
        follow(&all, &mut [&mut once], &settings(1, 1000), &()).unwrap();
        for ((until, batches, commit, both, unreadable, how_many), (file, at, damage, is_finished)) in steps {
            // As far as a crawl had come: all of some files, a part of the next.
            let mut left = *until.get(&acknowledged);
            let mut durable = Vec::new();
            for extent in &all {
                let length = std::fs::metadata(&extent.path).unwrap().len();
                let until = if is_finished && left >= length { u64::MAX } else { left.min(length) };
                durable.push(Extent { until, ..extent.clone() });
                if left < length {
                    break;
                }
                left -= length;
            }
            // Some cannot be read for a while.
            let first = usize::from(unreadable) % all.len();
            for extent in durable.iter_mut().skip(first).take(how_many) {
                extent.path = away.join(extent.path.file_name().unwrap());
            }
            // Another is cut or garbled.
            let place = &file.get(&all).path;
            let whole = std::fs::read(place).unwrap();
            if let Some(garbled) = damage {
                replace(place, &damaged(&whole, 1 + at.index(whole.len() - 1), garbled));
            }
            let few = Few(AtomicU64::new(batches));
            let settings = settings(1 + (commit % 2) as usize, commit);
            let mut stores: Vec<&mut dyn Derived> = vec![&mut pieces];
            if both {
                stores.push(&mut other);
            }
            follow(&durable, &mut stores, &settings, &few).unwrap();
            (pieces, other) = (pieces.after_kill(), other.after_kill());
            if damage.is_some() {
                replace(place, &whole);
            }
        }
        follow(&all, &mut [&mut pieces, &mut other], &settings(2, 30), &()).unwrap();
        prop_assert!(pieces.kept == once.kept, "pieces: {:?}", lacking(&pieces, &once));
        prop_assert!(other.kept == once.kept, "other: {:?}", lacking(&other, &once));
        prop_assert_eq!(&unmended(&pieces), &once.mark);
    }
}
