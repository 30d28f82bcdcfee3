//! What is written is read back: any bytes, from memory or from a file, in one WARC file or in many.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use std::collections::BTreeSet;
use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use annalist_disk::RealDisk;
use annalist_warc::{
    Block, CdxLine, DigestKind, Framing, Packing, Reader, Record, Writer, WriterSettings, Written,
    index_file, verify_all, verify_reader,
};
use proptest::prelude::*;
use support::{START_MS, capture, gzip, html_capture, ids, payload_digest, read_all, resource, warcinfo};

#[derive(Clone, Copy, Debug)]
enum From {
    OnePiece,
    ManyPieces,
    File,
    PackedInMemory,
    PackedInFile,
}

fn any_response() -> impl Strategy<Value = Vec<u8>> {
    let body = prop::collection::vec(any::<u8>(), 0..4000);
    let head = prop_oneof![
        Just(&b""[..]),
        Just(&b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"[..]),
        Just(&b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"[..]),
        Just(&b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"[..]),
        Just(&b"HTTP/1.1 301\nLocation: x"[..]),
    ];
    (head, body).prop_map(|(head, body)| [head, &body].concat())
}

fn block(bytes: &[u8], from: From, path: &Path) -> Block {
    match from {
        From::OnePiece | From::PackedInMemory => bytes.to_vec().into(),
        From::ManyPieces => Block::Memory(bytes.chunks(700).map(|piece| piece.to_vec().into()).collect()),
        From::File | From::PackedInFile => {
            std::fs::write(path, bytes).unwrap();
            Block::File { path: path.to_owned(), length: bytes.len() as u64 }
        }
    }
}

fn memory(record: &Record) -> Option<Vec<u8>> {
    match record.block() {
        Block::Memory(pieces) => Some(pieces.concat()),
        Block::File { .. } | Block::Packed(_) => None,
    }
}

fn read_at(dir: &Path, place: &Written) -> (annalist_warc::Fields, Vec<u8>, annalist_warc::Span) {
    let mut reader = Reader::open_at(&dir.join(&place.file), place.offset).unwrap();
    let mut record = reader.next_record().unwrap().unwrap();
    let mut block = Vec::new();
    record.read_to_end(&mut block).unwrap();
    (record.fields.clone(), block, record.finish().unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_capture_is_read_back_as_it_was(
        responses in prop::collection::vec(
            (any_response(), prop_oneof![Just(From::OnePiece), Just(From::ManyPieces), Just(From::File), Just(From::PackedInMemory), Just(From::PackedInFile)]),
            1..12,
        ),
        roll_bytes in prop_oneof![Just(1_u64), Just(6_000), Just(u64::MAX)],
    ) {
        let dir = tempfile::tempdir().unwrap();
        let (archive, indexes) = (dir.path().join("archive"), dir.path().join("indexes"));
        let mut settings = WriterSettings::new(&archive, &indexes, "any", "host");
        settings.roll_bytes = roll_bytes;
        let mut writer = Writer::new(Arc::new(RealDisk), settings, ids(1));
        let mut make_id = ids(2);
        let mut expected = Vec::new();
        for (number, (bytes, from)) in responses.iter().enumerate() {
            let block = block(bytes, *from, &dir.path().join(format!("spool-{number}")));
            let mut records = capture(&format!("http://a.test/{number}"), block, &payload_digest(bytes), &mut make_id);
            if matches!(from, From::PackedInMemory | From::PackedInFile) {
                let packing = Packing { level: 6, digest: DigestKind::Sha1 };
                let response = packing.pack(records.remove(0), &dir.path().join(format!("packed-{number}")));
                records.insert(0, response.unwrap());
                let _ = std::fs::remove_file(dir.path().join(format!("spool-{number}")));
            }
            let written = writer.append(&records, START_MS).unwrap();
            for (record, place) in records.into_iter().zip(written) {
                let block = memory(&record).unwrap_or_else(|| bytes.clone());
                expected.push((record, block, place));
            }
        }
        writer.close().unwrap();

        let mut files = BTreeSet::new();
        for (record, bytes, place) in &expected {
            let (fields, block, span) = read_at(&archive, place);
            prop_assert_eq!(&block, bytes);
            prop_assert_eq!((span.offset, span.length, span.framing), (place.offset, place.length, Framing::Alone));
            for (name, value) in record.fields().iter() {
                prop_assert_eq!(fields.get(name), Some(value));
            }
            files.insert(archive.join(&place.file));
        }
        prop_assert_eq!(files.len(), if roll_bytes == 1 { responses.len() } else { files.len() });
        let reports = verify_all(&files.iter().collect::<Vec<_>>());
        prop_assert_eq!(reports.iter().map(|report| report.records).sum::<u64>(), (expected.len() + files.len()) as u64);
        for report in reports {
            prop_assert!(report.is_clean(), "{:?}", report.problems);
        }
        for file in &files {
            let name = file.file_name().unwrap().to_str().unwrap().replace(".warc.gz", ".cdxj");
            let index = std::fs::read_to_string(indexes.join(name)).unwrap();
            let again: String = index_file(file).unwrap().0.sorted().collect();
            prop_assert_eq!(&index, &again);
            prop_assert!(index.lines().is_sorted());
        }
    }

    #[test]
    fn no_bytes_make_the_reader_panic(
        noise in prop::collection::vec(any::<u8>(), 0..300),
        at in any::<prop::sample::Index>(),
        cut in any::<bool>(),
    ) {
        for good in [[warcinfo(), resource(2, &[])].concat(), [gzip(&warcinfo()), gzip(&resource(2, &[]))].concat()] {
            let mut bad = good.clone();
            let at = at.index(good.len());
            bad.splice(at..if cut { good.len() } else { at }, noise.iter().copied());
            let report = verify_reader(Cursor::new(bad.as_slice()));
            prop_assert!(report.records <= 3);
            prop_assert!(noise.is_empty() || !report.is_clean() || at >= 4);
        }
    }

    #[test]
    fn a_cdx_line_is_read_back_as_it_was_and_noise_is_no_panic(
        url in "\\PC{0,40}", mime in "[a-z/]{1,12}", length in any::<u64>(), offset in any::<u64>(), noise in "\\PC{0,80}",
    ) {
        let line = CdxLine {
            key: annalist_warc::surt_key(&url).replace(' ', "%20"),
            timestamp: "20261115205921".to_owned(),
            url,
            mime,
            status: None,
            digest: Some("X".to_owned()),
            length,
            offset,
            filename: "a.warc.gz".to_owned(),
        };
        if !line.key.contains(char::is_whitespace) && !line.key.is_empty() {
            prop_assert_eq!(CdxLine::parse(&line.to_string()), Some(line));
        }
        let _ = CdxLine::parse(&noise);
        let _ = CdxLine::parse(&format!("a 2026 {noise}"));
    }
}

#[test]
fn files_compressed_as_a_whole_or_not_at_all_are_read() {
    let plain = [warcinfo(), resource(2, &[]), resource(3, &[])].concat();
    let expected = read_all(&plain);
    assert_eq!(expected.len(), 3);
    assert_eq!(read_all(&gzip(&plain)), expected);
    for at in 1..plain.len() {
        let split = [gzip(&plain[..at]), gzip(&plain[at..])].concat();
        assert_eq!(read_all(&split), expected, "in two members, cut at {at}");
    }
}

#[test]
fn older_versions_and_folded_fields_are_read() {
    let record = b"WARC/0.17\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.test/\r\n  more\r\ncontent-length: 2\r\n\r\nhi\r\n\r\n";
    let read = read_all(record);
    assert_eq!(read[0].0.get("warc-target-uri"), Some("http://a.test/ more"));
    assert_eq!(read[0].1, b"hi");
}

#[test]
fn a_head_without_end_is_refused() {
    let endless = [b"WARC/1.1\r\nX: ".to_vec(), vec![b'x'; 2 << 20]].concat();
    let mut reader = Reader::new(Cursor::new(endless.as_slice()));
    assert!(reader.next_record().unwrap_err().to_string().contains("longer than"));
    assert!(reader.next_record().unwrap().is_none());
}

#[test]
fn large_blocks_go_through_in_pieces() {
    let dir = tempfile::tempdir().unwrap();
    let body: Vec<u8> = (0..6_000_000_u32).flat_map(|n| (n / 7).to_le_bytes()).collect();
    let response = [b"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\n\r\n".to_vec(), body].concat();
    let digest = payload_digest(&response);
    let spool = dir.path().join("spool");
    std::fs::write(&spool, &response).unwrap();
    let length = response.len() as u64;
    let mut writer =
        Writer::new(Arc::new(RealDisk), WriterSettings::new(dir.path(), dir.path(), "big", "host"), ids(1));
    let mut make_id = ids(2);
    let in_memory =
        writer.append(&capture("http://a.test/1", response.clone(), &digest, &mut make_id), START_MS);
    let file = Block::File { path: spool, length };
    let spooled = writer.append(&capture("http://a.test/2", file, &digest, &mut make_id), START_MS);
    writer.close().unwrap();
    for place in [&in_memory.unwrap()[0], &spooled.unwrap()[0]] {
        let (_, block, _) = read_at(dir.path(), place);
        assert!(block == response);
    }
    let index = std::fs::read_to_string(
        dir.path()
            .read_dir()
            .unwrap()
            .map(|e| e.unwrap().path())
            .find(|p| p.extension().unwrap() == "cdxj")
            .unwrap(),
    );
    assert!(index.unwrap().lines().all(|line| line.contains("\"mime\": \"a/b\", \"status\": \"200\"")));
}

#[test]
fn a_spool_file_that_is_too_short_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let spool = dir.path().join("spool");
    std::fs::write(&spool, b"short").unwrap();
    let mut writer =
        Writer::new(Arc::new(RealDisk), WriterSettings::new(dir.path(), dir.path(), "x", "host"), ids(1));
    let mut make_id = ids(2);
    let bad = capture("http://a.test/1", Block::File { path: spool, length: 6 }, "sha1:X", &mut make_id);
    assert!(writer.append(&bad, START_MS).is_err());
    let good = writer.append(&html_capture("http://a.test/2", "x", &mut make_id), START_MS).unwrap();
    writer.close().unwrap();
    let report = annalist_warc::verify(&dir.path().join(&good[0].file));
    assert!(report.is_clean(), "{:?}", report.problems);
    assert_eq!(report.records, 4);
}

#[test]
fn small_records_are_compressed_too() {
    let dir = tempfile::tempdir().unwrap();
    let settings = WriterSettings::new(dir.path(), dir.path(), "x", "host");
    let mut writer = Writer::new(Arc::new(RealDisk), settings, ids(1));
    let records = html_capture("http://a.test/2", &"word ".repeat(100), &mut ids(2));
    let written = writer.append(&records, START_MS).unwrap();
    assert!(written[0].length < 500, "{} bytes", written[0].length);
}

#[test]
fn the_head_of_a_record_is_handed_over_as_it_stands_in_the_file() {
    let head = b"WARC/1.0\r\nWARC-Type:resource\r\nwarc-record-id:  <urn:x:1>\r\nX-Odd: \xe4\n folded\r\nContent-Length: 3\r\n\r\n";
    let file = [&head[..], b"abc\r\n\r\n"].concat();
    for bytes in [file.clone(), gzip(&file)] {
        let mut reader = Reader::new(std::io::Cursor::new(&bytes[..]));
        let record = reader.next_record().unwrap().unwrap();
        assert_eq!(record.head, head);
    }
}
