//! How a file is cut into buffers changes nothing of what is read from it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use std::io::{BufReader, Cursor, Write};

use annalist_warc::{DigestKind, Fault, Reader, index_reader, verify_reader};
use flate2::Compression;
use flate2::write::GzEncoder;
use support::{gzip, payload_digest, text};

const CAPACITIES: [usize; 6] = [1, 2, 3, 4, 5, 7];

fn response(block: &[u8], fields: &[(&str, &str)]) -> Vec<u8> {
    text("response", 2, &[&[("WARC-Target-URI", "http://a.test/")], fields].concat(), block)
}

fn index_line(file: &[u8], capacity: usize) -> String {
    let mut lines = Vec::new();
    let mut reader = Reader::new(BufReader::with_capacity(capacity, Cursor::new(file)));
    let indexed = index_reader(&mut reader, "any.warc", &mut |line| lines.push(line.to_string()));
    assert!(indexed.holes.is_empty(), "{:?}", indexed.holes);
    lines.concat()
}

/// Compressed so that a byte of the file is a byte of the record, and none is ready before it is read.
fn stored(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn an_http_head_in_pieces_is_indexed_like_one_in_one_piece() {
    let plain = response(b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n<p>", &[]);
    for file in [plain.clone(), gzip(&plain), stored(&plain)] {
        let expected = index_line(&file, file.len());
        assert!(expected.contains("404"), "{expected}");
        for capacity in CAPACITIES {
            assert_eq!(index_line(&file, capacity), expected, "buffers of {capacity} bytes");
        }
    }
}

#[test]
fn a_body_that_begins_like_an_http_head_keeps_its_first_bytes() {
    for block in [&b"HTML, not HTTP"[..], b"HTTX", b"HTT", b"H", b""] {
        let digest = DigestKind::Sha1.of(block).to_string();
        let file = response(block, &[]);
        let expected = index_line(&file, file.len());
        let checked = response(block, &[("WARC-Payload-Digest", &digest)]);
        let problems = format!("{:?}", verify_reader(Cursor::new(checked.as_slice())).problems);
        assert!(!problems.contains("WrongPayloadDigest"), "{problems}");
        for capacity in CAPACITIES {
            assert_eq!(index_line(&file, capacity), expected, "buffers of {capacity} bytes");
            let report = verify_reader(BufReader::with_capacity(capacity, Cursor::new(checked.as_slice())));
            assert_eq!(format!("{:?}", report.problems), problems, "buffers of {capacity} bytes");
        }
    }
}

#[test]
fn a_digest_made_with_the_chunk_frame_is_known_in_pieces_too() {
    let block = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n";
    let framed = DigestKind::Sha1.of(b"2\r\nhi\r\n0\r\n\r\n").to_string();
    let unframed = payload_digest(block);
    for digest in [framed, unframed] {
        let file = response(block, &[("WARC-Payload-Digest", &digest)]);
        let expected = format!("{:?}", verify_reader(Cursor::new(file.as_slice())).problems);
        for capacity in CAPACITIES {
            let report = verify_reader(BufReader::with_capacity(capacity, Cursor::new(file.as_slice())));
            assert_eq!(format!("{:?}", report.problems), expected, "buffers of {capacity} bytes");
        }
    }
}

#[test]
fn a_record_behind_one_that_promises_too_much_is_seen_however_it_arrives() {
    let greedy = b"WARC/1.1\r\nContent-Length: 40\r\n\r\nabc\r\n\r\n";
    let next = b"WARC/1.1\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n";
    let file = [stored(greedy), stored(next)].concat();
    for capacity in CAPACITIES {
        let mut reader = Reader::new(BufReader::with_capacity(capacity, Cursor::new(file.as_slice())));
        let error = reader.next_record().unwrap().unwrap().finish().unwrap_err();
        assert!(matches!(error.fault, Fault::LengthPastMember), "buffers of {capacity} bytes: {error}");
        assert_eq!(reader.skip_broken(), 0..stored(greedy).len() as u64);
        let block = reader.next_record().unwrap().unwrap().read_block(10).unwrap();
        assert_eq!(block, b"abc", "buffers of {capacity} bytes");
    }
}

#[test]
fn a_fault_in_a_block_that_was_read_past_is_told_at_its_end() {
    let file = b"WARC/1.1\r\nContent-Length: 40\r\n\r\nabc\r\n\r\n";
    let mut reader = Reader::new(Cursor::new(file));
    let mut record = reader.next_record().unwrap().unwrap();
    let _ = std::io::copy(&mut record, &mut std::io::sink());
    assert!(matches!(record.finish().unwrap_err().fault, Fault::CutShort));
}

#[test]
fn a_block_goes_on_in_a_member_that_only_begins_like_a_record() {
    let first = b"WARC/1.1\r\nContent-Length: 7\r\n\r\nabc";
    for second in [&b"WARC"[..], b"WA", b"WARX"] {
        let tail = &b"????"[second.len()..];
        let file = [stored(first), stored(second), stored(&[tail, b"\r\n\r\n"].concat())].concat();
        for capacity in CAPACITIES {
            let mut reader = Reader::new(BufReader::with_capacity(capacity, Cursor::new(file.as_slice())));
            let block = reader.next_record().unwrap().unwrap().read_block(10).unwrap();
            assert_eq!(block, [b"abc", second, tail].concat(), "buffers of {capacity} bytes");
        }
    }
}

#[test]
fn records_before_a_broken_place_in_their_member_are_read() {
    let record = b"WARC/1.1\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n";
    let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
    encoder.write_all(record).unwrap();
    encoder.flush().unwrap();
    let whole = encoder.get_ref().clone();
    // No block of a DEFLATE stream is of this type.
    let file = [whole.as_slice(), &[0xff; 16]].concat();
    for capacity in [1, 6, file.len()] {
        let mut reader = Reader::new(BufReader::with_capacity(capacity, Cursor::new(file.as_slice())));
        let block = reader.next_record().unwrap().unwrap().read_block(10).unwrap();
        assert_eq!(block, b"abc", "buffers of {capacity} bytes");
        let error = reader.next_record().unwrap_err();
        assert!(matches!(error.fault, Fault::BadGzip(_)), "buffers of {capacity} bytes: {error}");
    }
}
