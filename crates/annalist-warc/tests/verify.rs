//! Every fault that a WARC file can have is found, and named for what it is.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annalist_disk::{Disk, RealDisk, SimDisk};
use annalist_warc::{Kind, Report, Writer, WriterSettings, verify, verify_all, verify_reader};
use support::{
    DIR, START_MS, boundaries, gzip, html_capture, ids, resource, revisit_of, settings, text, warcinfo,
};

/// Two captures and a revisit, as the writer writes them.
fn good_file() -> Vec<u8> {
    let disk = SimDisk::new();
    let mut make_id = ids(1);
    let mut writer = Writer::new(Arc::new(disk.clone()), settings(u64::MAX), ids(2));
    let first = html_capture("http://a.test/", "hello", &mut make_id);
    writer.append(&first, START_MS).unwrap();
    writer.append(&html_capture("http://a.test/b", &"long ".repeat(300), &mut make_id), START_MS).unwrap();
    writer.append(&[revisit_of(&first, &mut make_id)], START_MS).unwrap();
    writer.close().unwrap();
    let dir = Path::new(DIR);
    let names = disk.list(dir).unwrap();
    disk.read(&dir.join(&names[0])).unwrap()
}

fn kinds(report: &Report) -> Vec<Kind> {
    report.problems.iter().map(|problem| problem.kind).collect()
}

fn kinds_of(members: &[Vec<u8>]) -> Vec<Kind> {
    let bytes: Vec<u8> = members.iter().flat_map(|member| gzip(member)).collect();
    kinds(&verify_reader(Cursor::new(bytes.as_slice())))
}

#[test]
fn what_the_writer_writes_is_clean() {
    let report = verify_reader(Cursor::new(good_file()));
    assert_eq!(report.records, 8);
    assert!(report.is_clean(), "{:?}", report.problems);
}

#[test]
fn a_cut_anywhere_inside_a_record_is_found() {
    let good = good_file();
    let boundaries = boundaries(&good);
    for cut in 1..good.len() {
        let report = verify_reader(Cursor::new(&good[..cut]));
        if boundaries.contains(&(cut as u64)) {
            // Nothing in a file tells that whole records are gone: others that refer to them may mean another file.
            assert!(report.is_clean(), "cut at {cut}");
        } else {
            assert!(kinds(&report).contains(&Kind::CutTail), "cut at {cut}: {:?}", report.problems);
        }
    }
}

/// What the file holds once decompressed, or nothing if that fails.
fn contents(file: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    flate2::read::MultiGzDecoder::new(file).read_to_end(&mut bytes).ok().map(|_| bytes)
}

#[test]
fn every_flipped_bit_that_means_something_is_found() {
    let good = good_file();
    let expected = contents(&good);
    let mut meaningless = 0;
    for at in 0..good.len() {
        for bit in 0..8 {
            let mut bad = good.clone();
            bad[at] ^= 1 << bit;
            if verify_reader(Cursor::new(bad.as_slice())).is_clean() {
                // Times in gzip heads and bits that fill up a byte are covered by no checksum.
                assert_eq!(contents(&bad), expected, "byte {at}, bit {bit}");
                meaningless += 1;
            }
        }
    }
    assert!(meaningless < good.len() / 4, "{meaningless} of {} bits", good.len() * 8);
}

#[test]
fn appended_bytes_are_found() {
    for extra in [&b"\0"[..], b"\0\0\0\0", b"garbage", b"\r\n\r\n", &[0x1f], &[0x1f, 0x8b]] {
        let mut bad = good_file();
        bad.extend_from_slice(extra);
        let found = kinds(&verify_reader(Cursor::new(bad.as_slice())));
        assert!(found.contains(&Kind::BadGzip) || found.contains(&Kind::CutTail), "{extra:?}: {found:?}");
    }
}

#[test]
fn an_empty_file_is_found() {
    assert_eq!(kinds(&verify_reader(Cursor::new(b""))), [Kind::EmptyFile]);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.warc.gz");
    std::fs::write(&path, b"").unwrap();
    assert_eq!(kinds(&verify(&path)), [Kind::EmptyFile]);
    assert_eq!(kinds(&verify(&dir.path().join("none"))), [Kind::Unreadable]);
}

#[test]
fn a_missing_record_end_is_found() {
    for missing in 1..=4 {
        let mut record = resource(2, &[]);
        record.truncate(record.len() - missing);
        assert_eq!(kinds_of(&[warcinfo(), record, resource(3, &[])]), [Kind::NoTerminator]);
    }
}

#[test]
fn a_wrong_length_is_found() {
    let with_length = |length: &str| {
        let record = String::from_utf8(resource(2, &[])).unwrap();
        record.replace("Content-Length: 5", &format!("Content-Length: {length}")).into_bytes()
    };
    assert_eq!(kinds_of(&[warcinfo(), with_length("4"), resource(3, &[])]), [Kind::NoTerminator]);
    assert_eq!(kinds_of(&[warcinfo(), with_length("6"), resource(3, &[])]), [Kind::NoTerminator]);
    assert_eq!(kinds_of(&[warcinfo(), with_length("99"), resource(3, &[])]), [Kind::WrongLength]);
    assert_eq!(kinds_of(&[warcinfo(), with_length("99")]), [Kind::CutTail]);
    for bad in ["", "-1", "+5", "5x", "99999999999999999999999"] {
        assert_eq!(kinds_of(&[warcinfo(), with_length(bad), resource(3, &[])]), [Kind::BadHead], "{bad}");
    }
}

#[test]
fn a_wrong_block_digest_is_found() {
    let digest = annalist_warc::DigestKind::Sha1.of(b"hello").to_string();
    assert_eq!(kinds_of(&[warcinfo(), resource(2, &[("WARC-Block-Digest", &digest)])]), []);
    let other = annalist_warc::DigestKind::Sha256.of(b"Hello").to_string();
    assert_eq!(
        kinds_of(&[warcinfo(), resource(2, &[("WARC-Block-Digest", &other)])]),
        [Kind::WrongBlockDigest]
    );
    assert_eq!(kinds_of(&[warcinfo(), resource(2, &[("WARC-Block-Digest", "x")])]), [Kind::UnknownDigest]);
}

#[test]
fn the_payload_digest_covers_the_body_without_its_chunk_frame() {
    let block = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    let response = |digest: &str| {
        let fields = [
            ("WARC-Target-URI", "http://a.test/"),
            ("Content-Type", "application/http; msgtype=response"),
            ("WARC-Payload-Digest", digest),
        ];
        text("response", 2, &fields, block)
    };
    let of = |bytes: &[u8]| annalist_warc::DigestKind::Sha1.of(bytes).to_string();
    assert_eq!(kinds_of(&[warcinfo(), response(&of(b"hello"))]), []);
    let framed = of(b"5\r\nhello\r\n0\r\n\r\n");
    assert_eq!(kinds_of(&[warcinfo(), response(&framed)]), [Kind::PayloadDigestWithFrame]);
    assert_eq!(kinds_of(&[warcinfo(), response(&of(b"other"))]), [Kind::WrongPayloadDigest]);
}

#[test]
fn line_ends_without_cr_are_found() {
    let record = String::from_utf8(resource(2, &[])).unwrap();
    let bare = record.replacen("\r\nWARC-Date", "\nWARC-Date", 1).into_bytes();
    assert_eq!(kinds_of(&[warcinfo(), bare]), [Kind::BareLf]);
}

#[test]
fn one_member_for_many_records_is_found() {
    let together = [resource(2, &[]), resource(3, &[])].concat();
    assert_eq!(kinds_of(&[warcinfo(), together]), [Kind::SharedMember, Kind::SharedMember]);
}

#[test]
fn one_record_in_many_members_is_found() {
    let record = resource(2, &[]);
    let (first, second) = record.split_at(record.len() - 7);
    assert_eq!(kinds_of(&[warcinfo(), first.to_vec(), second.to_vec()]), [Kind::SpreadMember]);
}

#[test]
fn a_repeated_record_id_is_found() {
    assert_eq!(kinds_of(&[warcinfo(), resource(2, &[]), resource(2, &[])]), [Kind::RepeatedRecordId]);
}

#[test]
fn missing_and_repeated_fields_are_found() {
    for name in ["WARC-Type", "WARC-Record-ID", "WARC-Date", "WARC-Target-URI", "Content-Type"] {
        let record = String::from_utf8(resource(2, &[])).unwrap();
        let without: Vec<&str> =
            record.split_inclusive("\r\n").filter(|line| !line.starts_with(name)).collect();
        let found = kinds_of(&[warcinfo(), without.concat().into_bytes()]);
        // A record without a type needs no target.
        assert_eq!(found, [Kind::MissingField], "{name}");
    }
    let twice = resource(2, &[("warc-type", "resource")]);
    assert_eq!(kinds_of(&[warcinfo(), twice]), [Kind::RepeatedField]);
}

#[test]
fn bad_dates_ids_and_versions_are_found() {
    let change = |from: &str, to: &str| {
        let record = String::from_utf8(resource(2, &[])).unwrap();
        assert!(record.contains(from));
        vec![warcinfo(), record.replacen(from, to, 1).into_bytes()]
    };
    assert_eq!(kinds_of(&change("2026-11-15T", "2026-13-15T")), [Kind::BadDate]);
    assert_eq!(kinds_of(&change("<urn:uuid", "urn:uuid")), [Kind::BadRecordId]);
    assert_eq!(kinds_of(&change("WARC/1.1", "WARC/3.0")), [Kind::UnknownVersion]);
    assert_eq!(kinds_of(&change("WARC/1.1", "HTTP/1.1")), [Kind::NotARecord]);
    assert_eq!(kinds_of(&change("WARC-Target-URI:", "WARC-Target-URI")), [Kind::BadHead]);
}

#[test]
fn a_file_that_does_not_start_with_warcinfo_is_found() {
    assert_eq!(kinds_of(&[resource(2, &[]), warcinfo()]), [Kind::NoWarcinfo]);
}

#[test]
fn a_reference_to_a_record_that_is_not_there_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let known = ("WARC-Concurrent-To", "<urn:uuid:00000000-0000-0000-0000-000000000003>");
    let all = write(dir.path(), "a.warc.gz", &[warcinfo(), resource(2, &[known]), resource(3, &[])]);
    assert_eq!(kinds(&verify_all(&[&all])[0]), []);
    let one = write(dir.path(), "a.warc.gz", &[warcinfo(), resource(2, &[known])]);
    assert_eq!(kinds(&verify_all(&[&one])[0]), [Kind::DanglingReference]);
}

#[test]
fn records_of_a_capture_may_be_in_the_next_file_when_that_was_not_given() {
    let dir = tempfile::tempdir().unwrap();
    let known = ("WARC-Concurrent-To", "<urn:uuid:00000000-0000-0000-0000-000000000003>");
    let info = String::from_utf8(warcinfo()).unwrap().replace("000000000001>", "000000000009>").into_bytes();
    let first = write(dir.path(), "a.warc.gz", &[warcinfo(), resource(3, &[])]);
    let next = write(dir.path(), "b.warc.gz", &[info, resource(2, &[known])]);
    for report in [verify(&next), verify_all(&[&next]).remove(0)] {
        assert_eq!((kinds(&report).len(), report.unresolved), (0, 1));
    }
    assert!(verify_all(&[&first, &next]).iter().all(|report| report.is_clean() && report.unresolved == 0));
}

fn write(dir: &Path, name: &str, members: &[Vec<u8>]) -> PathBuf {
    let path = dir.join(name);
    let mut file = std::fs::File::create(&path).unwrap();
    members.iter().for_each(|member| file.write_all(&gzip(member)).unwrap());
    path
}

fn revisit(number: u128, fields: &[(&str, &str)]) -> Vec<u8> {
    let mut all = vec![
        ("WARC-Target-URI", "http://a.test/again"),
        ("WARC-Profile", "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest"),
        ("WARC-Payload-Digest", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"),
    ];
    all.extend_from_slice(fields);
    text("revisit", number, &all, b"")
}

#[test]
fn a_revisit_without_a_target_is_found() {
    assert_eq!(kinds_of(&[warcinfo(), revisit(2, &[])]), [Kind::RevisitWithoutTarget]);
    let by_uri_alone = revisit(2, &[("WARC-Refers-To-Target-URI", "http://a.test/")]);
    assert_eq!(kinds_of(&[warcinfo(), by_uri_alone]), [Kind::RevisitWithoutTarget]);
}

#[test]
fn a_revisit_of_a_revisit_is_found() {
    let elsewhere =
        [("WARC-Refers-To-Target-URI", "http://a.test/"), ("WARC-Refers-To-Date", "2026-01-01T00:00:00Z")];
    let of_two = [("WARC-Refers-To", "<urn:uuid:00000000-0000-0000-0000-000000000002>")];
    let found = kinds_of(&[warcinfo(), revisit(2, &elsewhere), revisit(3, &of_two)]);
    assert_eq!(found, [Kind::RevisitOfRevisit]);
}

#[test]
fn a_revisit_may_point_into_another_file_of_the_set_but_not_out_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let target = [("WARC-Refers-To-Target-URI", "urn:a:b"), ("WARC-Refers-To-Date", "2026-11-15T20:59:21Z")];
    let info = String::from_utf8(warcinfo()).unwrap().replace("000000000001>", "000000000009>").into_bytes();
    let original = write(dir.path(), "a.warc.gz", &[warcinfo(), resource(2, &[])]);
    let again = write(dir.path(), "b.warc.gz", &[info, revisit(3, &target)]);
    assert!(verify(&again).is_clean());
    assert!(verify_all(&[&original, &again]).iter().all(Report::is_clean));
    assert_eq!((kinds(&verify_all(&[&again])[0]).len(), verify_all(&[&again])[0].unresolved), (0, 1));
    assert_eq!(
        kinds(&verify_all(&[&original, &original])[1]),
        [Kind::RepeatedRecordId, Kind::RepeatedRecordId]
    );
    std::fs::remove_file(&original).unwrap();
    assert_eq!(kinds(&verify_all(&[&again])[0]), [Kind::RevisitTargetMissing]);
}

#[test]
fn a_page_that_is_revisited_within_a_second_is_no_revisit_of_a_revisit() {
    let own = |number: u128, millis: &str, of: &str| {
        let target = [
            ("WARC-Refers-To-Target-URI", "http://a.test/again"),
            ("WARC-Refers-To-Date", of),
            ("WARC-Refers-To", "<urn:uuid:00000000-0000-0000-0000-000000000007>"),
        ];
        let record = String::from_utf8(revisit(number, &target)).unwrap();
        record.replacen("20:59:21Z", &format!("20:59:21{millis}Z"), 1).into_bytes()
    };
    // The original, captured at .100, is in another file.
    let original = "2026-11-15T20:59:21.100Z";
    assert_eq!(kinds_of(&[warcinfo(), own(2, ".300", original), own(3, ".500", original)]), []);
    let of_the_first = "2026-11-15T20:59:21.300Z";
    assert_eq!(
        kinds_of(&[warcinfo(), own(2, ".300", original), own(3, ".500", of_the_first)]),
        [Kind::RevisitOfRevisit]
    );
    // Dates without milliseconds cannot tell the original from the revisit: then the revisit does not mean itself.
    assert_eq!(kinds_of(&[warcinfo(), own(2, "", "2026-11-15T20:59:21Z")]), []);
}

#[test]
fn a_plain_file_is_judged_too() {
    let dir = tempfile::tempdir().unwrap();
    let plain = [warcinfo(), resource(2, &[])].concat();
    let path = dir.path().join("a.warc");
    std::fs::write(&path, &plain).unwrap();
    assert!(verify(&path).is_clean());
    let wrong_name = dir.path().join("a.warc.gz");
    std::fs::write(&wrong_name, &plain).unwrap();
    assert_eq!(kinds(&verify(&wrong_name)), [Kind::NotCompressed]);
    std::fs::write(&path, &plain[..plain.len() - 2]).unwrap();
    assert!(!verify(&path).is_clean());
}

#[test]
fn a_broken_record_does_not_hide_the_next_fault() {
    let broken = b"no record at all\r\n".to_vec();
    let found = kinds_of(&[warcinfo(), broken, resource(1, &[])]);
    assert_eq!(found, [Kind::NotARecord, Kind::RepeatedRecordId]);
}

#[test]
fn sha256_collections_are_clean_too() {
    let dir = tempfile::tempdir().unwrap();
    let mut settings = WriterSettings::new(dir.path(), dir.path(), "x", "h");
    settings.digest = annalist_warc::DigestKind::Sha256;
    let mut writer = Writer::new(Arc::new(RealDisk), settings, ids(3));
    let written = writer.append(&html_capture("http://a.test/", "x", &mut ids(4)), START_MS).unwrap();
    writer.close().unwrap();
    assert!(verify(&dir.path().join(&written[0].file)).is_clean());
}
