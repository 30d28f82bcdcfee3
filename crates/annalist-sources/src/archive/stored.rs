//! A record as an archive stores it: the very bytes of its head and block, in memory, or in a file when there are many.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::sync::Arc;

use annalist_model::Block;
use annalist_warc::{BlockRecord, BufSeek};

use crate::spool::{Recording, Spool};

const COPY_BYTES: u64 = 256 << 10;

/// One record and where it came from.
#[derive(Debug)]
pub struct StoredRecord {
    /// The name of its file.
    pub file: String,
    pub offset: u64,
    pub bytes: StoredBytes,
    /// The gzip member that holds it and nothing else, where it has one and is not large.
    pub member: Option<Vec<u8>>,
}

/// Head and block of a record, uncompressed, without the line ends behind the block. A file goes when they do.
#[derive(Debug)]
pub struct StoredBytes(Block);

impl StoredBytes {
    pub(super) fn of(block: Block) -> StoredBytes {
        StoredBytes(block)
    }

    pub fn length(&self) -> u64 {
        self.0.length()
    }

    pub fn open(&self) -> io::Result<Box<dyn BufSeek + '_>> {
        Ok(match &self.0 {
            Block::Memory(bytes) => Box::new(Cursor::new(bytes.as_slice())),
            Block::File { path, .. } => Box::new(BufReader::new(File::open(path)?)),
        })
    }

    /// For who consumes the bytes, and removes the file.
    pub fn into_block(mut self) -> Block {
        std::mem::replace(&mut self.0, Block::Memory(Vec::new()))
    }

    /// Reads the rest of a record of which only the head was read.
    pub(super) fn read<R: BufRead + Seek>(
        record: &mut BlockRecord<'_, R>,
        spool: &Arc<Spool>,
    ) -> io::Result<StoredBytes> {
        let head = std::mem::take(&mut record.head);
        StoredBytes::made(head, record, spool)
    }

    /// A record of a head and all that a block gives.
    pub(super) fn made(head: Vec<u8>, mut block: impl Read, spool: &Arc<Spool>) -> io::Result<StoredBytes> {
        let mut recording = Recording::new(Arc::clone(spool));
        recording.tail = head;
        while (&mut block).take(COPY_BYTES).read_to_end(&mut recording.tail)? > 0 {
            recording.settle()?;
        }
        Ok(StoredBytes(recording.finish()?))
    }
}

impl Drop for StoredBytes {
    fn drop(&mut self) {
        if let Block::File { path, .. } = &self.0
            && let Err(error) = fs::remove_file(path)
        {
            tracing::warn!(path = %path.display(), %error, "spool file not removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};
    use std::sync::Arc;

    use annalist_warc::Reader;

    use super::StoredBytes;
    use crate::spool::Spool;

    fn record(length: usize) -> Vec<u8> {
        let head = format!("WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: {length}\r\n\r\n");
        [head.into_bytes(), vec![b'x'; length]].concat()
    }

    #[test]
    fn a_record_of_any_size_is_kept_as_it_is_and_its_file_goes_with_it() {
        let dir = tempfile::tempdir().unwrap();
        let spool = Arc::new(Spool::open(dir.path().to_owned()).unwrap());
        for length in [0, 5, 300_000, 3_000_000] {
            let expected = record(length);
            let input = [expected.clone(), b"\r\n\r\nWARC/1.0".to_vec()].concat();
            let read = |bytes: Vec<u8>| {
                let mut reader = Reader::new(Cursor::new(bytes));
                let mut record = reader.next_record().unwrap().unwrap();
                StoredBytes::read(&mut record, &spool)
            };
            let stored = read(input).unwrap();
            let mut bytes = Vec::new();
            stored.open().unwrap().read_to_end(&mut bytes).unwrap();
            assert!(bytes == expected && stored.length() == expected.len() as u64, "{length}");
            assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), usize::from(length > 1 << 20));
            drop(stored);
            assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
            assert!(length == 0 || read(expected[..expected.len() - 1].to_vec()).is_err());
            assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        }
    }
}
