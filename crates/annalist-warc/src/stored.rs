//! One record as it is stored: the very bytes of its head and block, compression taken off. What they say is read by
//! `read.rs`.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::bufread::GzDecoder;
use libdeflater::Decompressor;

use crate::read::Reader;

const INPUT_BUFFER_BYTES: usize = 64 * 1024;
/// Shorter members are unpacked in one go.
const WHOLE_BYTES: u64 = 4 << 20;
const GZIP_MAGIC: u8 = 0x1f;
/// No gzip member unpacks to more than this many times its length.
const MOST_GROWTH: u64 = 1032;

/// The bytes from a record's offset on: to the end of its gzip member, or of the file if that is plain. `length` is the
/// record's, as an index gives it, if it does.
pub fn stored_bytes(path: &Path, offset: u64, length: Option<u64>) -> io::Result<Box<dyn BufRead>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    if let Some(length) = length.filter(|length| (1..=WHOLE_BYTES).contains(length)) {
        let mut stored = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
        (&mut file).take(length).read_to_end(&mut stored)?;
        if stored.len() as u64 == length
            && let Some(bytes) = unpacked(&stored)
        {
            return Ok(Box::new(io::Cursor::new(bytes)));
        }
        file.seek(SeekFrom::Start(offset))?;
    }
    streamed(BufReader::with_capacity(INPUT_BUFFER_BYTES, file))
}

/// The same of bytes that came from elsewhere.
pub fn unpacked_stream<'a>(stored: impl Read + 'a) -> io::Result<Box<dyn BufRead + 'a>> {
    streamed(BufReader::with_capacity(INPUT_BUFFER_BYTES, stored))
}

fn streamed<'a>(mut input: impl BufRead + 'a) -> io::Result<Box<dyn BufRead + 'a>> {
    if input.fill_buf()?.first() == Some(&GZIP_MAGIC) {
        Ok(Box::new(BufReader::with_capacity(INPUT_BUFFER_BYTES, GzDecoder::new(input))))
    } else {
        Ok(Box::new(input))
    }
}

/// A gzip member that is all there, with its checksum right. `None` for anything else.
pub(crate) fn unpacked(stored: &[u8]) -> Option<Vec<u8>> {
    if stored.first() != Some(&GZIP_MAGIC) {
        return None;
    }
    let (_, length) = stored.split_last_chunk::<4>()?;
    let length = u64::from(u32::from_le_bytes(*length));
    if length > stored.len() as u64 * MOST_GROWTH {
        return None;
    }
    let mut bytes = vec![0; usize::try_from(length).ok()?];
    let made = Decompressor::new().gzip_decompress(stored, &mut bytes).ok()?;
    (made == bytes.len()).then_some(bytes)
}

/// How long head and block are of the record that these bytes begin with. `None` while its head is not whole.
pub fn record_length(bytes: &[u8]) -> Option<u64> {
    let head = if bytes.starts_with(b"WARC/") { head_length(bytes)? } else { line_length(bytes)? };
    let mut reader = Reader::new(io::Cursor::new(bytes));
    let record = reader.next_record().ok()??;
    Some(head as u64 + record.content_length)
}

/// Up to and with the empty line.
fn head_length(bytes: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let rest = bytes.get(from..)?;
        let length = line_length(rest)?;
        from += length;
        if rest.get(..length).is_some_and(|line| line == b"\r\n" || line == b"\n") {
            return Some(from);
        }
    }
}

fn line_length(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|b| *b == b'\n').map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::{record_length, stored_bytes};

    const RECORD: &[u8] = b"WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: 7\r\n\r\na: b\r\n\n\r\n\r\n";

    fn member(bytes: &[u8]) -> Vec<u8> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(bytes).unwrap();
        gzip.finish().unwrap()
    }

    #[test]
    fn a_record_is_read_from_its_offset_plain_and_compressed_with_its_length_and_without() {
        let dir = tempfile::tempdir().unwrap();
        let packed = member(RECORD);
        for (name, stored) in [("plain", RECORD.to_vec()), ("gzip", packed)] {
            let path = dir.path().join(name);
            std::fs::write(&path, [b"0123456789".to_vec(), stored.clone(), stored.clone()].concat()).unwrap();
            for length in [None, Some(stored.len() as u64), Some(3), Some(stored.len() as u64 + 5)] {
                let mut bytes = Vec::new();
                stored_bytes(&path, 10, length).unwrap().read_to_end(&mut bytes).unwrap();
                assert!(bytes.starts_with(RECORD), "{name} {length:?}");
            }
        }
    }

    #[test]
    fn head_and_block_are_as_long_as_the_head_says() {
        let expected = RECORD.len() as u64 - 4;
        assert_eq!(record_length(RECORD), Some(expected));
        assert_eq!(record_length(&RECORD[..RECORD.len() - 9]), Some(expected), "the block may come later");
        for end in 0..51 {
            assert_eq!(record_length(&RECORD[..end]), None, "{end}");
        }
        assert_eq!(record_length(b"WARC/1.0\r\nnonsense\r\n\r\n"), None);
    }
}
