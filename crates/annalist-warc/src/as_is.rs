//! Records of other files, kept byte for byte: only the compression around them is made anew.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Seek, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use flate2::write::GzEncoder;

use crate::digest::Digest;
use crate::http::HttpHead;
use crate::pack::{FILE_LEVEL, Packing, TERMINATOR, is_dense};
use crate::payload::Dechunked;
use crate::read::Reader;
use crate::ready::{BufSeek, digest_rest};
use crate::record::{Member, PackedBlock, Record};
use crate::start::Format;
use crate::writer::WriteError;

/// Head and block of a record as another file has them, uncompressed.
#[derive(Clone, Debug)]
pub enum Stored {
    Memory(Bytes),
    File(PathBuf),
}

impl Stored {
    pub fn open(&self) -> io::Result<Box<dyn BufSeek + '_>> {
        Ok(match self {
            Stored::Memory(bytes) => Box::new(Cursor::new(bytes.as_ref())),
            Stored::File(path) => Box::new(BufReader::new(File::open(path)?)),
        })
    }
}

impl Packing {
    /// Packs a record as it is. One in a file is packed into the file `beside`, which is the caller's to remove. `None` for what
    /// is no WARC record, or of a kind that no index names.
    /// `member`: the gzip member that it is in already, if it is.
    pub fn copy(
        self,
        stored: &Stored,
        member: Option<Vec<u8>>,
        beside: &Path,
    ) -> Result<Option<Record>, WriteError> {
        let failed = |fault: io::Error| WriteError::at(beside, fault);
        let mut reader = Reader::new(stored.open().map_err(failed)?);
        let Ok(Some(mut record)) = reader.next_record() else { return Ok(None) };
        if record.format != Format::Warc {
            return Ok(None);
        }
        let (fields, length) = (record.fields.clone(), record.content_length);
        let (head, mut body) = if record.kind() == "response" {
            HttpHead::read(&mut record).map_err(failed)?
        } else {
            HttpHead::absent(&mut record)
        };
        let payload_digest = match fields.get("WARC-Payload-Digest").map(str::parse::<Digest>) {
            Some(Ok(digest)) => digest,
            _ => {
                let chunked = head.as_ref().is_some_and(HttpHead::is_chunked);
                digest_rest(Dechunked::new(&mut body, chunked), self.digest).map_err(failed)?.0
            }
        };
        let member = match (stored, member) {
            (_, Some(member)) => Member::Memory(member.into()),
            (Stored::Memory(bytes), None) => {
                let dense = head.as_ref().is_some_and(is_dense);
                let packed = self.with_packer(|packer| packer.pack_bytes(bytes, dense)).map_err(failed)?;
                Member::Memory(packed.into())
            }
            (Stored::File(path), None) => {
                let length = packed_file(path, beside).map_err(failed)?;
                Member::File { path: beside.to_owned(), length }
            }
        };
        Ok(Record::copied(fields, PackedBlock { member, length, payload_digest, head }))
    }
}

/// Packs what a file holds into another one; how long that is.
fn packed_file(from: &Path, to: &Path) -> io::Result<u64> {
    let mut encoder = GzEncoder::new(File::create(to)?, FILE_LEVEL);
    io::copy(&mut File::open(from)?, &mut encoder)?;
    encoder.write_all(TERMINATOR)?;
    encoder.finish()?.stream_position()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::{Packing, Stored};
    use crate::digest::DigestKind;
    use crate::record::{Block, Member, Record};

    const HEAD: &str = "WARC/1.0\r\nwarc-type: response\r\nWARC-Target-URI: <http://a.test/>\r\nX-Odd:  kept \r\n\
        WARC-Date: 2009-01-02T03:04:05Z\r\nWARC-Record-ID: <urn:x:1>\r\nContent-Length: 39\r\n\r\n";
    const BLOCK: &str = "HTTP/1.0 200 OK\r\nContent-Type: a/b\r\n\r\nx";

    fn unpacked(record: &Record) -> Vec<u8> {
        let Block::Packed(packed) = record.block() else { panic!("not packed") };
        let member = match &packed.member {
            Member::Memory(bytes) => bytes.to_vec(),
            Member::File { path, length } => {
                let bytes = std::fs::read(path).unwrap();
                assert_eq!(bytes.len() as u64, *length);
                bytes
            }
        };
        let mut bytes = Vec::new();
        GzDecoder::new(member.as_slice()).read_to_end(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn a_record_is_copied_byte_for_byte_from_memory_and_from_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let packing = Packing { level: 6, digest: DigestKind::Sha1 };
        let whole = format!("{HEAD}{BLOCK}");
        let path = dir.path().join("record");
        std::fs::write(&path, &whole).unwrap();
        for stored in [Stored::Memory(whole.clone().into()), Stored::File(path)] {
            let record = packing.copy(&stored, None, &dir.path().join("packed")).unwrap().unwrap();
            assert_eq!(unpacked(&record), format!("{whole}\r\n\r\n").into_bytes());
            assert!(!record.id().is_known(), "its name is no UUID");
            assert_eq!(record.block().length(), BLOCK.len() as u64);
        }
        let request = Stored::Memory(whole.replace("response", "request").into());
        assert!(packing.copy(&request, None, dir.path()).unwrap().is_none());
        let arc = Stored::Memory("http://a.test/ 1.2.3.4 20090102030405 text/html 1\nx".into());
        assert!(
            packing.copy(&arc, None, dir.path()).unwrap().is_none(),
            "it has to become a WARC record first"
        );
    }
}
