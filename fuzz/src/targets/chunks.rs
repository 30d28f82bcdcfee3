//! Bodies in chunks and in content codings: nothing is made up, nothing gets past the limit, and how the bytes are
//! buffered changes nothing.

use std::io::{BufRead, BufReader, Read};

use annalist_warc::{ContentCoding, Dechunked, decoded};

const MOST_DECODED: u64 = 10_000;

pub(crate) fn run(data: &[u8]) {
    let payload = dechunked(data);
    assert!(payload.len() <= data.len(), "more came out of the chunks than went in");
    for capacity in [1, 5] {
        let again = dechunked(BufReader::with_capacity(capacity, data));
        assert_eq!(again, payload, "a buffer of {capacity} bytes changes the payload");
    }
    let size = 1 + usize::from(data.first().copied().unwrap_or_default());
    assert_eq!(dechunked(&*in_chunks(data, size)), data, "chunks do not come back as they were");
    for coding in [
        ContentCoding::Identity,
        ContentCoding::Gzip,
        ContentCoding::Deflate,
        ContentCoding::Brotli,
        ContentCoding::Zstd,
    ] {
        let mut body = Vec::new();
        // An error ends the body: what came before it counts.
        let _ = decoded(data, coding, MOST_DECODED).and_then(|mut input| input.read_to_end(&mut body));
        assert!(body.len() as u64 <= MOST_DECODED, "a body got past its limit");
    }
}

fn dechunked(input: impl BufRead) -> Vec<u8> {
    let mut payload = Vec::new();
    let read = Dechunked::new(input, true).read_to_end(&mut payload);
    assert!(read.is_ok(), "reading from memory cannot fail");
    payload
}

fn in_chunks(data: &[u8], size: usize) -> Vec<u8> {
    let mut body = Vec::new();
    for chunk in data.chunks(size) {
        body.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        body.extend_from_slice(chunk);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"0\r\n\r\n");
    body
}
