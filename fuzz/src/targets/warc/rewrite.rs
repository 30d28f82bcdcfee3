//! Any bytes as the block of a capture: written, they are read back as they were, and the file is as it should be.

use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use annalist_disk::{Disk, SimDisk};
use annalist_model::CanonicalUrl;
use annalist_warc::{
    CdxLines, Dechunked, DigestKind, Exchange, HttpHead, Reader, Record, RecordId, Writer, WriterSettings,
    index_reader, verify_reader,
};
use uuid::Uuid;

const AT_MS: u64 = 1_794_776_361_000;

pub(super) fn check(uri: &str, block: &[u8]) {
    // Only canonical URLs are captured.
    let url = CanonicalUrl::parse(uri);
    let uri = url.as_ref().map_or("http://a.test/", CanonicalUrl::as_str);
    let disk = written(uri, block);
    let (name, file) = only_file(&disk, Path::new("/archive"));
    let report = verify_reader(Cursor::new(&file));
    assert!(report.is_clean(), "our own file is not as it should be: {:?}", report.problems);
    let read = responses(&file);
    assert_eq!(read, [(uri.to_owned(), block.to_vec())], "a capture changed on its way");
    let mut lines = CdxLines::default();
    let indexed = index_reader(&mut Reader::new(Cursor::new(&file)), &name, &mut |line| lines.push(&line));
    assert!(
        indexed.holes.is_empty() && indexed.end == file.len() as u64,
        "the index does not reach the end of the file"
    );
    let index = lines.sorted().collect::<String>();
    let (_, kept) = only_file(&disk, Path::new("/indexes"));
    assert_eq!(String::from_utf8_lossy(&kept), index, "the index made while writing is another");
}

/// A file with a warcinfo, a response and its metadata.
pub(super) fn file(uri: &str, block: &[u8]) -> Vec<u8> {
    only_file(&written(uri, block), Path::new("/archive")).1
}

fn written(uri: &str, block: &[u8]) -> Arc<SimDisk> {
    let disk = Arc::new(SimDisk::new());
    let settings = WriterSettings::new(Path::new("/archive"), Path::new("/indexes"), "fuzz", "host");
    let mut numbers = 0..;
    let make_uuid = move || Uuid::from_u128(numbers.next().unwrap_or_default());
    let exchange = Exchange { target_uri: uri, started_ms: AT_MS, server: None };
    let (response, metadata) =
        (RecordId::new(Uuid::from_u128(1 << 64)), RecordId::new(Uuid::from_u128(2 << 64)));
    let digest = DigestKind::Sha1.of(&payload(block)).to_string();
    let records = [
        Record::response(response, &exchange, &digest, block.to_vec()),
        Record::metadata(metadata, &exchange, Some(response), &[("via", String::from_utf8_lossy(block))]),
    ];
    let mut writer = Writer::new(disk.clone(), settings, make_uuid);
    assert!(writer.append(&records, AT_MS).is_ok() && writer.close().is_ok(), "a disk without faults failed");
    disk
}

/// What a response's payload digest is made of.
fn payload(block: &[u8]) -> Vec<u8> {
    let head = HttpHead::parse(block).unwrap_or_default();
    let mut payload = Vec::new();
    let read = Dechunked::new(&block[head.length..], head.is_chunked()).read_to_end(&mut payload);
    assert!(read.is_ok(), "reading from memory cannot fail");
    payload
}

fn only_file(disk: &SimDisk, dir: &Path) -> (String, Vec<u8>) {
    let names = disk.list(dir).unwrap_or_default();
    assert_eq!(names.len(), 1, "one file was to be written, not {names:?}");
    let bytes = names.first().and_then(|name| disk.read(&dir.join(name)).ok());
    (names.concat(), bytes.unwrap_or_default())
}

fn responses(file: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut reader = Reader::new(Cursor::new(file));
    let mut found = Vec::new();
    while let Ok(Some(mut record)) = reader.next_record() {
        let uri = record.fields.get("WARC-Target-URI").unwrap_or_default().to_owned();
        if record.kind() == "response" {
            found.push((uri, record.read_block(u64::MAX).unwrap_or_default()));
        }
    }
    found
}
