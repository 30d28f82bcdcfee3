//! A record becomes one gzip member: head, digest and length filled in, block compressed. Where the member goes, and
//! what happens when the disk says no, is the writer's business.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use annalist_disk::DiskFile;
use flate2::Compression;
use flate2::write::GzEncoder;
use libdeflater::{CompressionLvl, Compressor};

use crate::digest::{Digest, DigestKind, Hasher};
use crate::fields::write_field;
use crate::http::HttpHead;
use crate::record::{Block, Record, RecordType};

/// Blocks up to this length are compressed in one go, which is faster; longer ones piece by piece.
const WHOLE_BLOCK_BYTES: u64 = 4 << 20;
/// Blocks in files are large, and mostly media that is packed already; nobody else writes while one of them is.
const FILE_LEVEL: Compression = Compression::fast();
/// Records up to this length, head and all, are compressed at the fastest level: that halves the time and adds less than
/// two percent to their length.
const SMALL_RECORD_BYTES: usize = 4096;
/// Enough of a streamed block to find its HTTP head.
const HEAD_BYTES: usize = 64 * 1024;
const PIECE_BYTES: usize = 64 * 1024;
const WRITE_BYTES: usize = 256 * 1024;
const TERMINATOR: &[u8] = b"\r\n\r\n";

#[derive(Debug)]
pub(crate) enum PackError {
    Disk(io::Error),
    /// The file that holds a block could not be read, or is not as long as it was said to be.
    Spool(PathBuf, io::Error),
}

/// What was learned about a record while it was packed.
pub(crate) struct Packed {
    pub(crate) block_digest: Digest,
    /// Of responses only.
    pub(crate) head: Option<HttpHead>,
}

/// Bytes on their way to the end of a file. Written in large pieces.
pub(crate) struct Tail<'a> {
    file: &'a mut dyn DiskFile,
    buffer: &'a mut Vec<u8>,
    /// Where the first byte of the buffer will be in the file.
    offset: u64,
}

impl<'a> Tail<'a> {
    pub(crate) fn new(file: &'a mut dyn DiskFile, buffer: &'a mut Vec<u8>, offset: u64) -> Tail<'a> {
        buffer.clear();
        Tail { file, buffer, offset }
    }

    pub(crate) fn end(&self) -> u64 {
        self.offset + self.buffer.len() as u64
    }

    pub(crate) fn finish(mut self) -> io::Result<u64> {
        self.write_out()?;
        Ok(self.offset)
    }

    fn write_out(&mut self) -> io::Result<()> {
        if !self.buffer.is_empty() {
            self.file.append(self.buffer)?;
            self.offset += self.buffer.len() as u64;
            self.buffer.clear();
        }
        Ok(())
    }
}

impl Write for Tail<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= WRITE_BYTES {
            self.write_out()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Compresses records. Its buffers live as long as the writer.
pub(crate) struct Packer {
    compressor: Compressor,
    small_compressor: Compressor,
    level: u8,
    digest: DigestKind,
    plain: Vec<u8>,
}

impl fmt::Debug for Packer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Packer").field("level", &self.level).finish_non_exhaustive()
    }
}

impl Packer {
    /// `level` from 1 (fast) to 12 (small).
    pub(crate) fn new(level: u8, digest: DigestKind) -> Packer {
        let level = level.clamp(1, 12);
        let at_level = |level: u8| Compressor::new(CompressionLvl::new(i32::from(level)).unwrap_or_default());
        let (compressor, small_compressor) = (at_level(level), at_level(1));
        Packer { compressor, small_compressor, level, digest, plain: Vec::new() }
    }

    pub(crate) fn pack(&mut self, record: &Record, tail: &mut Tail<'_>) -> Result<Packed, PackError> {
        match record.block() {
            Block::Memory(pieces) if record.block().length() <= WHOLE_BLOCK_BYTES => {
                let mut hasher = Hasher::new(self.digest);
                pieces.iter().for_each(|piece| hasher.update(piece));
                let block_digest = hasher.finish();
                self.write_head(record, block_digest);
                let block_start = self.plain.len();
                pieces.iter().for_each(|piece| self.plain.extend_from_slice(piece));
                let head = http_head(record, &self.plain[block_start..]);
                self.plain.extend_from_slice(TERMINATOR);
                self.compress_whole(tail).map_err(PackError::Disk)?;
                Ok(Packed { block_digest, head })
            }
            block => self.pack_stream(record, block, tail),
        }
    }

    fn compress_whole(&mut self, tail: &mut Tail<'_>) -> io::Result<()> {
        let small = self.plain.len() <= SMALL_RECORD_BYTES;
        let compressor = if small { &mut self.small_compressor } else { &mut self.compressor };
        let start = tail.buffer.len();
        tail.buffer.resize(start + compressor.gzip_compress_bound(self.plain.len()), 0);
        let length = compressor
            .gzip_compress(&self.plain, &mut tail.buffer[start..])
            .map_err(|e| io::Error::other(e.to_string()))?;
        tail.buffer.truncate(start + length);
        if tail.buffer.len() >= WRITE_BYTES { tail.write_out() } else { Ok(()) }
    }

    fn pack_stream(
        &mut self,
        record: &Record,
        block: &Block,
        tail: &mut Tail<'_>,
    ) -> Result<Packed, PackError> {
        let mut hasher = Hasher::new(self.digest);
        let mut start = Vec::new();
        each_piece(block, &mut |piece| {
            hasher.update(piece);
            let wanted = HEAD_BYTES.saturating_sub(start.len()).min(piece.len());
            start.extend_from_slice(&piece[..wanted]);
            Ok(())
        })?;
        let block_digest = hasher.finish();
        self.write_head(record, block_digest);
        let mut encoder = GzEncoder::new(&mut *tail, FILE_LEVEL);
        encoder.write_all(&self.plain).map_err(PackError::Disk)?;
        let mut again = Hasher::new(self.digest);
        each_piece(block, &mut |piece| {
            again.update(piece);
            encoder.write_all(piece)
        })?;
        // The file is read twice, the digest stands before the block: both readings must have seen the same.
        if let (Block::File { path, .. }, true) = (block, again.finish() != block_digest) {
            return Err(PackError::Spool(
                path.clone(),
                io::Error::other("the file changed while it was read"),
            ));
        }
        encoder.write_all(TERMINATOR).map_err(PackError::Disk)?;
        encoder.finish().map_err(PackError::Disk)?;
        Ok(Packed { block_digest, head: http_head(record, &start) })
    }

    fn write_head(&mut self, record: &Record, block_digest: Digest) {
        let digest = block_digest.to_string();
        self.plain.clear();
        // One large block must not keep its memory for good.
        self.plain.shrink_to(WRITE_BYTES);
        self.plain.extend_from_slice(b"WARC/1.1\r\n");
        record.fields().write_to(&mut self.plain);
        // The payload of what was not fetched over HTTP is the block itself.
        if record.kind() == RecordType::Resource && record.fields().get("WARC-Payload-Digest").is_none() {
            write_field(&mut self.plain, "WARC-Payload-Digest", &digest);
        }
        write_field(&mut self.plain, "WARC-Block-Digest", &digest);
        write_field(&mut self.plain, "Content-Length", &record.block().length().to_string());
        self.plain.extend_from_slice(b"\r\n");
    }
}

fn http_head(record: &Record, block: &[u8]) -> Option<HttpHead> {
    if record.kind() == RecordType::Response { HttpHead::parse(block) } else { None }
}

/// Hands over the whole block; what `take` fails with is the disk's fault.
fn each_piece(block: &Block, take: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> Result<(), PackError> {
    match block {
        Block::Memory(pieces) => pieces.iter().try_for_each(|piece| take(piece)).map_err(PackError::Disk),
        Block::File { path, length } => {
            let spool = |e| PackError::Spool(path.clone(), e);
            let mut file = File::open(path).map_err(spool)?;
            let mut piece = vec![0; PIECE_BYTES];
            let mut left = *length;
            while left > 0 {
                let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(PIECE_BYTES);
                let read = file.read(&mut piece[..wanted]).map_err(spool)?;
                if read == 0 {
                    return Err(spool(io::Error::from(io::ErrorKind::UnexpectedEof)));
                }
                take(&piece[..read]).map_err(PackError::Disk)?;
                left -= read as u64;
            }
            Ok(())
        }
    }
}
