//! WARC and ARC files: reading ends, every record and every hole lies where it says, compression and buffers change
//! nothing, and a block that is written is read back as it was and passes the validator. Writing is looked at in
//! `warc/rewrite.rs`.

use std::io::{BufRead, BufReader, Cursor, Read, Seek, Write};

use annalist_warc::{Framing, Reader, Span, index_reader, verify_reader};
use flate2::Compression;
use flate2::write::GzEncoder;

mod rewrite;

/// What DEFLATE makes of a byte at most, and room for the heads of gzip members.
const MOST_PER_BYTE: usize = 1100;
const MOST_BLOCK_BYTES: u64 = 1 << 20;
const READ_ALONE: usize = 4;
const REWRITTEN: usize = 2;

/// A record as it was read.
#[derive(Debug, PartialEq)]
struct Seen {
    version: String,
    fields: Vec<(String, String)>,
    block: Vec<u8>,
    span: Span,
}

impl Seen {
    /// What does not depend on how the file is stored.
    fn content(&self) -> (&str, &[(String, String)], &[u8]) {
        (&self.version, &self.fields, &self.block)
    }
}

/// All that can be read from a file.
#[derive(Debug)]
struct Contents {
    records: Vec<Seen>,
    faults: Vec<String>,
    /// Where they start. Where one ends in a member that holds several records depends on the buffers too.
    holes: Vec<u64>,
}

impl Contents {
    /// Where a record ends in a member that it shares depends on how the file is buffered; nothing else does.
    fn shown(&self) -> Vec<String> {
        let shown = |seen: &Seen| match seen.span.framing {
            Framing::Alone => format!("{seen:?}"),
            Framing::Shared | Framing::Spread => format!("{:?} at {}", seen.content(), seen.span.offset),
        };
        self.records.iter().map(shown).collect()
    }
}

pub(crate) fn run(data: &[u8]) {
    let contents = contents(Cursor::new(data));
    check_spans(&contents.records, data);
    for capacity in [1, 6] {
        let again = self::contents(BufReader::with_capacity(capacity, Cursor::new(data)));
        assert_eq!(
            again.faults.is_empty(),
            contents.faults.is_empty(),
            "{:?}, {:?}",
            again.faults,
            contents.faults
        );
        assert_eq!(again.shown(), contents.shown(), "a buffer of {capacity} bytes changes the file");
        assert_eq!(again.holes, contents.holes, "a buffer of {capacity} bytes changes the holes");
    }
    compare_with_packed(data, &contents);
    let report = verify_reader(Cursor::new(data));
    assert!(report.records >= contents.records.len() as u64, "the validator saw fewer records");
    assert!(
        contents.faults.is_empty() || !report.is_clean(),
        "the validator overlooked {:?}",
        contents.faults
    );
    check_index(data, &contents);
    for record in contents.records.iter().take(REWRITTEN) {
        let uri = record.fields.iter().find(|(name, _)| name.eq_ignore_ascii_case("WARC-Target-URI"));
        rewrite::check(uri.map_or("", |(_, uri)| uri), &record.block);
    }
}

fn contents<R: BufRead + Seek>(input: R) -> Contents {
    let mut reader = Reader::new(input);
    let mut contents = Contents { records: Vec::new(), faults: Vec::new(), holes: Vec::new() };
    let most_steps = MOST_PER_BYTE * 20_000;
    for step in 0.. {
        assert!(step < most_steps, "reading does not end");
        match next(&mut reader) {
            Ok(Some(seen)) => contents.records.push(seen),
            Ok(None) => break,
            Err(fault) => {
                contents.faults.push(fault);
                contents.holes.push(reader.skip_broken().start);
            }
        }
    }
    contents
}

fn next<R: BufRead + Seek>(reader: &mut Reader<R>) -> Result<Option<Seen>, String> {
    let Some(mut record) = reader.next_record().map_err(|e| e.to_string())? else { return Ok(None) };
    let version = record.version.clone();
    let fields = record.fields.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let block = record.read_block(MOST_BLOCK_BYTES).map_err(|e| e.to_string())?;
    assert!(
        block.len() as u64 == record.content_length.min(MOST_BLOCK_BYTES),
        "a block is not as long as it says"
    );
    let span = record.finish().map_err(|e| e.to_string())?;
    Ok(Some(Seen { version, fields, block, span }))
}

/// Records lie in the file, one behind the other, and each can be read by itself where its span says so.
fn check_spans(records: &[Seen], data: &[u8]) {
    let mut end = 0;
    for (index, seen) in records.iter().enumerate() {
        let Span { offset, length, framing, .. } = seen.span;
        let here = offset.checked_add(length).filter(|here| *here <= data.len() as u64);
        assert!(here.is_some(), "a record reaches beyond the file: {:?}", seen.span);
        if framing != Framing::Alone {
            continue;
        }
        assert!(offset >= end, "records overlap: {:?} begins before {end}", seen.span);
        end = here.unwrap_or(end);
        if index < READ_ALONE {
            let slice = usize::try_from(offset).ok().zip(usize::try_from(end).ok());
            let alone = slice.and_then(|(from, to)| data.get(from..to)).map(Cursor::new).map(contents);
            let alone = alone.map(|contents| contents.records).unwrap_or_default();
            let content: Vec<_> = alone.iter().map(Seen::content).collect();
            assert_eq!(content, [seen.content()], "the record cannot be read where it lies");
        }
    }
}

/// The whole file in one gzip member holds the same records.
fn compare_with_packed(data: &[u8], plain: &Contents) {
    // After a fault, what is looked for is another thing in a compressed file.
    if data.is_empty() || is_compressed(data) || !plain.faults.is_empty() {
        return;
    }
    let packed = contents(Cursor::new(gzip(data)));
    let content = |contents: &Contents| -> Vec<_> {
        contents.records.iter().map(|seen| format!("{:?}", seen.content())).collect()
    };
    assert_eq!(content(&packed), content(plain), "packing changes the records");
    assert_eq!(packed.faults.is_empty(), plain.faults.is_empty(), "{:?}, {:?}", packed.faults, plain.faults);
}

/// Every line of the index points at a record.
fn check_index(data: &[u8], contents: &Contents) {
    let mut lines = Vec::new();
    let indexed = index_reader(&mut Reader::new(Cursor::new(data)), "any.warc", &mut |line| lines.push(line));
    let overlooked = indexed.holes.is_empty() && !contents.faults.is_empty();
    assert!(!overlooked, "the indexer overlooked {:?}", contents.faults);
    let apart = indexed.holes.windows(2).all(|pair| pair[0].bytes.end < pair[1].bytes.start);
    assert!(apart, "holes overlap: {:?}", indexed.holes);
    for line in lines {
        let pointed = contents.records.iter().find(|seen| seen.span.offset == line.offset);
        assert!(pointed.is_some_and(|seen| seen.span.length == line.length), "{line} points nowhere");
        assert_eq!(annalist_warc::CdxLine::parse(&line.to_string()).as_ref(), Some(&line), "{line}");
    }
}

/// Files as our own writer makes them, one without compression, one whose first record promises more than it has, ARC,
/// and Zstandard by record and as a whole.
pub(crate) fn made() -> Vec<Vec<u8>> {
    let blocks: [&[u8]; 3] = [
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>hello",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        b"",
    ];
    let mut files: Vec<Vec<u8>> =
        blocks.into_iter().map(|block| rewrite::file("http://a.test/x", block)).collect();
    let mut plain = Vec::new();
    for file in files.clone() {
        let mut unpacked = flate2::read::MultiGzDecoder::new(file.as_slice());
        // What cannot be unpacked makes a smaller seed.
        let _ = unpacked.read_to_end(&mut plain);
    }
    files.push(plain);
    let greedy = gzip(b"WARC/1.1\r\nContent-Length: 40\r\n\r\nabc\r\n\r\n");
    let small = b"WARC/1.1\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n";
    files.push([greedy, gzip(small)].concat());
    let about = b"filedesc://a.arc 0.0.0.0 20080430204825 text/plain 9\n1 0 Here\n\n";
    let page = b"http://a.test/ 192.0.2.7 20080430204825 text/html 12\n<p>HTTP/0.9\n\n";
    files.push([&about[..], page].concat());
    files.push([gzip(about), gzip(page)].concat());
    let zstd = |bytes: &[u8]| zstd::encode_all(bytes, 1).unwrap_or_default();
    files.push([zstd(small), zstd(page)].concat());
    files.push(
        [&[0x5d, 0x2a, 0x4d, 0x18, 4, 0, 0, 0][..], b"WARC", &zstd(&[&small[..], small].concat())].concat(),
    );
    files
}

fn is_compressed(data: &[u8]) -> bool {
    let mut reader = Reader::new(Cursor::new(data));
    let read = reader.next_record().map(|_| ());
    read.is_err() || reader.compression() != annalist_warc::Compression::None
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory cannot fail.
    let _ = packed.write_all(bytes);
    packed.finish().unwrap_or_default()
}
