//! Every format that archives come in is read as others read it, and records can be had at their offsets.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod support;

use std::io::{Cursor, Read};
use std::path::Path;
use std::process::Command;

use annalist_warc::{
    Compression, Dechunked, DigestKind, Fault, Format, HttpHead, Kind, Reader, index_file, verify_reader,
};
use support::samples::{Variant, name_in, sample};
use support::{gzip, resource, warcinfo};

/// A record as another reader may see it: type, target, date, digest of what follows the HTTP head.
type Seen = (String, String, String, String);

fn seen(bytes: &[u8]) -> Vec<Seen> {
    let mut found = Vec::new();
    let holes = Reader::new(Cursor::new(bytes)).each_record(&mut |mut record| {
        let field = |name| record.fields.get(name).unwrap_or_default().to_owned();
        let (kind, date) = (field("WARC-Type"), field("WARC-Date"));
        let target = field("WARC-Target-URI");
        let about_file = kind == "warcinfo" && record.format == Format::Arc;
        let mut block = Vec::new();
        record.read_to_end(&mut block).unwrap();
        record.finish()?;
        let head = HttpHead::parse(&block).filter(|_| kind == "response").unwrap_or_default();
        let mut payload = Vec::new();
        Dechunked::new(&block[head.length..], head.is_chunked()).read_to_end(&mut payload).unwrap();
        // The others count the lines that say which version it is to the head.
        let lines = if about_file {
            payload.split_inclusive(|b| *b == b'\n').take(2).map(<[u8]>::len).sum()
        } else {
            0
        };
        found.push((kind, target, date, DigestKind::Sha1.of(&payload[lines..]).to_string()));
        Ok(())
    });
    assert!(holes.is_empty(), "{holes:?}");
    found
}

/// What warcio makes of a file.
fn seen_by_warcio(path: &Path) -> Vec<Seen> {
    const SCRIPT: &str = "
import sys, hashlib, base64
from warcio.archiveiterator import ArchiveIterator
with open(sys.argv[1], 'rb') as f:
    for r in ArchiveIterator(f, arc2warc=True):
        h = r.rec_headers.get_header
        chunked = r.http_headers and r.http_headers.get_header('transfer-encoding') == 'chunked'
        data = r.content_stream().read() if chunked else r.raw_stream.read()
        digest = base64.b32encode(hashlib.sha1(data).digest()).decode()
        print(r.rec_type, h('WARC-Target-URI') or '', h('WARC-Date'), 'sha1:' + digest, sep='\\t')
";
    let venv = std::env::var("ANNALIST_VENV")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/venv").to_owned());
    let python = Path::new(&venv).join("bin/python");
    assert!(python.exists(), "{} is missing: run `scripts/setup test`, or `make test`", python.display());
    let output = Command::new(python).args(["-c", SCRIPT]).arg(path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let line = |line: &str| {
        let words: Vec<String> = line.split('\t').map(str::to_owned).collect();
        let [kind, target, date, digest] = words.try_into().unwrap();
        (kind, target, date, digest)
    };
    text.lines().map(line).collect()
}

/// An ARC file with all that is special about ARC.
fn arc() -> Vec<Vec<u8>> {
    let about = "1 0 Here\nURL IP-address Archive-date Content-type Archive-length\n<arcmetadata/>\n";
    let filedesc = format!("filedesc://a.arc 0.0.0.0 20080430204825 text/plain {}\n{about}\n", about.len());
    let dns = "dns:a.test 192.0.2.1 20080430204825 text/dns 8\n20080430\n";
    let page = "http://a.test/a b 192.0.2.7 20080430204826 text/html 26\nHTTP/1.0 200 OK\r\n\r\n<p>page\n";
    let short_date = "http://a.test/2 192.0.2.7 200804302048 text/html 19\nHTTP/1.0 200 OK\r\n\r\n\n";
    [&*filedesc, dns, page, short_date].map(|text| text.as_bytes().to_vec()).to_vec()
}

#[test]
fn generated_archives_are_read_as_warcio_reads_them() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a");
    let chunked = support::text(
        "response",
        7,
        &[("WARC-Target-URI", "http://a.test/"), ("Content-Type", "application/http; msgtype=response")],
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    );
    let bare_lf = String::from_utf8(resource(3, &[])).unwrap().replace("\r\n", "\n").into_bytes();
    let spaced = [&resource(4, &[])[..], b"\r\n\r\n", &resource(5, &[])].concat();
    let variants = [Variant::Warc, Variant::WarcGzip];
    let mut files: Vec<Vec<u8>> = variants.into_iter().map(|variant| sample(variant, 9, 12).bytes).collect();
    files.push([warcinfo(), resource(2, &[]), chunked, bare_lf, spaced].concat());
    for file in files {
        std::fs::write(&path, &file).unwrap();
        assert_eq!(seen(&file), seen_by_warcio(&path));
    }
    for file in [arc().concat(), arc().iter().flat_map(|record| gzip(record)).collect()] {
        std::fs::write(&path, &file).unwrap();
        let mut theirs = seen_by_warcio(&path);
        // They call everything a response, and write spaces as they are in no address; a name server's answer is none.
        theirs[1].0 = "resource".to_owned();
        theirs[2].1 = "http://a.test/a b".to_owned();
        // A minute without seconds is its last second to them, and its first to us, as in WARC.
        theirs[3].2 = "2008-04-30T20:48:00Z".to_owned();
        assert_eq!(seen(&file), theirs);
    }
}

#[test]
fn every_format_gives_its_records_one_by_one_and_at_their_offsets() {
    let dir = tempfile::tempdir().unwrap();
    for variant in Variant::ALL {
        let sample = sample(variant, 5, 8);
        // The name says nothing.
        let path = dir.path().join("a.warc");
        std::fs::write(&path, &sample.bytes).unwrap();
        let mut names = Vec::new();
        let mut reader = Reader::open(&path).unwrap();
        while let Some(mut record) = reader.next_record().unwrap() {
            assert_eq!(record.format == Format::Arc, variant.is_arc());
            names.push(name_in(&record.read_block(u64::MAX).unwrap()));
        }
        assert_eq!(names, sample.records.iter().map(|(_, name)| name.clone()).collect::<Vec<_>>());
        let (lines, indexed) = index_file(&path).unwrap();
        if variant.is_whole() {
            assert!(lines.is_empty());
            let [hole] = indexed.holes.as_slice() else { panic!("{:?}", indexed.holes) };
            assert!(matches!(hole.error.fault, Fault::NotAddressable));
            assert_eq!(hole.bytes, 0..sample.bytes.len() as u64);
            continue;
        }
        assert!(indexed.holes.is_empty(), "{:?}", indexed.holes);
        assert_eq!(lines.len(), names.len());
        for line in lines.sorted() {
            let line = annalist_warc::CdxLine::parse(line).unwrap();
            let mut reader = Reader::open_at(&path, line.offset).unwrap();
            let mut record = reader.next_record().unwrap().unwrap();
            assert_eq!(record.fields.get("WARC-Target-URI"), Some(line.url.as_str()), "{variant:?}");
            record.read_block(u64::MAX).unwrap();
            let span = record.finish().unwrap();
            assert_eq!((span.offset, span.length), (line.offset, line.length), "{variant:?}");
        }
    }
}

#[test]
fn what_other_writers_get_wrong_is_read_and_judged() {
    let record = String::from_utf8(resource(2, &[])).unwrap();
    let files = [
        ("version in small letters", record.replacen("WARC/1.1", "warc/1.1", 1), None),
        ("no end", record[..record.len() - 4].to_owned(), Some(Kind::NoTerminator)),
        ("half an end", record[..record.len() - 2].to_owned(), Some(Kind::NoTerminator)),
        ("LF for CRLF at the end", format!("{}\n\n", &record[..record.len() - 4]), Some(Kind::NoTerminator)),
        ("blank lines behind it", format!("{record}\r\n\r\n"), Some(Kind::NoTerminator)),
    ];
    for (what, text, fault) in files {
        let file = [&warcinfo()[..], text.as_bytes(), &resource(3, &[])].concat();
        for file in
            [file.clone(), [gzip(&warcinfo()), gzip(text.as_bytes()), gzip(&resource(3, &[]))].concat()]
        {
            assert_eq!(seen(&file).len(), 3, "{what}");
            let report = verify_reader(Cursor::new(&file));
            let found: Vec<Kind> = report.problems.iter().map(|problem| problem.kind).collect();
            assert_eq!(found, Vec::from_iter(fault), "{what}");
        }
    }
    let blank_first = [b"\r\n", &warcinfo()[..]].concat();
    assert_eq!(seen(&blank_first).len(), 1);
}

#[test]
fn a_wrong_length_does_not_swallow_the_records_behind_it() {
    let wrong = |length: usize| {
        let record = String::from_utf8(resource(2, &[])).unwrap();
        record.replace("Content-Length: 5", &format!("Content-Length: {length}")).into_bytes()
    };
    // So far that the end of the next record is its own.
    let until_next = 5 + 4 + resource(3, &[]).len() - 4;
    for length in [4, 50, 99_999, until_next] {
        let file =
            [warcinfo(), wrong(length), resource(3, &[]), b"noise".to_vec(), resource(4, &[])].concat();
        let mut ids = Vec::new();
        let mut reader = Reader::new(Cursor::new(&file));
        let holes = reader.each_record(&mut |record| {
            let id = record.fields.get("WARC-Record-ID").unwrap_or_default().to_owned();
            record.finish()?;
            ids.extend(id.chars().rev().nth(1));
            Ok(())
        });
        assert_eq!(ids, ['1', '3', '4'], "a length of {length}");
        let start = warcinfo().len() as u64;
        assert_eq!(holes[0].bytes, start..start + wrong(length).len() as u64, "a length of {length}");
        assert_eq!(holes[1].bytes.end - holes[1].bytes.start, 5, "a length of {length}");
        assert_eq!(holes.len(), 2, "{holes:?}");
    }
}

#[test]
fn a_response_without_a_head_is_indexed_as_what_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.arc");
    let page = "http://a.test/ 192.0.2.7 20080430204826 no-type 7\n<p>page\n";
    let image = "http://a.test/i 192.0.2.7 20080430204826 image/gif 3\nGIF\n";
    std::fs::write(&path, format!("{page}{image}")).unwrap();
    let lines: Vec<String> = index_file(&path).unwrap().0.sorted().map(str::to_owned).collect();
    assert!(lines[0].contains("\"mime\": \"text/html\", \"status\": \"200\""), "{}", lines[0]);
    assert!(lines[1].contains("\"mime\": \"image/gif\", \"status\": \"200\""), "{}", lines[1]);
}

#[test]
fn the_compression_is_known_by_the_bytes() {
    for (variant, compression) in [
        (Variant::Arc, Compression::None),
        (Variant::WarcGzip, Compression::Gzip),
        (Variant::WarcZstdDictionary, Compression::Zstd),
    ] {
        let mut reader = Reader::new(Cursor::new(sample(variant, 1, 2).bytes));
        reader.next_record().unwrap().unwrap();
        assert_eq!(reader.compression(), compression);
    }
}
