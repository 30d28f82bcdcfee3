//! A record becomes one gzip member: head, digest and length filled in, block compressed. Where the member goes, and
//! what happens when the disk says no, is the writer's business.

use std::cell::RefCell;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use annalist_disk::DiskFile;
use flate2::Compression;
use flate2::write::GzEncoder;
use libdeflater::{CompressionLvl, Compressor};

use crate::digest::{Digest, DigestKind, Hasher};
use crate::fields::write_field;
use crate::http::HttpHead;
use crate::record::{Block, Member, PackedBlock, Record, RecordType};
use crate::writer::WriteError;

/// Blocks up to this length are compressed in one go, which is faster; longer ones piece by piece.
const WHOLE_BLOCK_BYTES: u64 = 4 << 20;
/// Blocks in files are large, and mostly media that is packed already.
pub(crate) const FILE_LEVEL: Compression = Compression::fast();
/// Records up to this length, head and all, are compressed at the fastest level, as are those that hold what is packed
/// already: that halves the time and adds less than two percent to their length.
const SMALL_RECORD_BYTES: usize = 4096;
/// Enough of a streamed block to find its HTTP head.
const HEAD_BYTES: usize = 64 * 1024;
const PIECE_BYTES: usize = 64 * 1024;
const WRITE_BYTES: usize = 256 * 1024;
pub(crate) const TERMINATOR: &[u8] = b"\r\n\r\n";

#[derive(Debug)]
pub(crate) enum PackError {
    Disk(io::Error),
    /// The file that holds a block could not be read, or is not as long as it was said to be.
    Spool(PathBuf, io::Error),
}

/// What was learned about a record while it was packed.
pub(crate) struct Learned {
    /// Of the block, where that is the payload; counts where the record itself names none.
    pub(crate) payload_digest: Digest,
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
    fast_compressor: Compressor,
    packing: Packing,
    plain: Vec<u8>,
    member: Vec<u8>,
}

impl fmt::Debug for Packer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Packer").field("packing", &self.packing).finish_non_exhaustive()
    }
}

impl Packer {
    pub(crate) fn new(packing: Packing) -> Packer {
        let at_level = |level: u8| Compressor::new(CompressionLvl::new(i32::from(level)).unwrap_or_default());
        let (compressor, fast_compressor) = (at_level(packing.level.clamp(1, 12)), at_level(1));
        Packer { compressor, fast_compressor, packing, plain: Vec::new(), member: Vec::new() }
    }

    pub(crate) fn pack(&mut self, record: &Record, out: &mut dyn Write) -> Result<Learned, PackError> {
        match record.block() {
            Block::Memory(pieces) if record.block().length() <= WHOLE_BLOCK_BYTES => {
                let mut hasher = Hasher::new(self.packing.digest);
                pieces.iter().for_each(|piece| hasher.update(piece));
                let block_digest = hasher.finish();
                self.write_head(record, block_digest);
                let block_start = self.plain.len();
                pieces.iter().for_each(|piece| self.plain.extend_from_slice(piece));
                let head = http_head(record, &self.plain[block_start..]);
                self.plain.extend_from_slice(TERMINATOR);
                // What is known of a capture can be made again, and takes a third of the time for an eighth more room.
                let derived = matches!(record.kind(), RecordType::Metadata | RecordType::Resource);
                let dense = derived || head.as_ref().is_some_and(is_dense);
                self.compress_whole(dense, out).map_err(PackError::Disk)?;
                Ok(Learned { payload_digest: block_digest, head })
            }
            Block::Packed(packed) => {
                let member = match &packed.member {
                    Member::Memory(bytes) => Block::Memory(vec![bytes.clone()]),
                    Member::File { path, length } => Block::File { path: path.clone(), length: *length },
                };
                each_piece(&member, &mut |piece| out.write_all(piece))?;
                Ok(Learned { payload_digest: packed.payload_digest, head: packed.head.clone() })
            }
            block => self.pack_stream(record, block, out),
        }
    }

    /// Packs the bytes of a record as they are, without what ends it.
    pub(crate) fn pack_bytes(&mut self, bytes: &[u8], dense: bool) -> io::Result<Vec<u8>> {
        self.forget();
        self.plain.extend_from_slice(bytes);
        self.plain.extend_from_slice(TERMINATOR);
        let mut member = Vec::new();
        self.compress_whole(dense, &mut member)?;
        Ok(member)
    }

    fn compress_whole(&mut self, dense: bool, out: &mut dyn Write) -> io::Result<()> {
        let fast = dense || self.plain.len() <= SMALL_RECORD_BYTES;
        let compressor = if fast { &mut self.fast_compressor } else { &mut self.compressor };
        self.member.resize(compressor.gzip_compress_bound(self.plain.len()), 0);
        let length = compressor
            .gzip_compress(&self.plain, &mut self.member)
            .map_err(|e| io::Error::other(e.to_string()))?;
        out.write_all(&self.member[..length])
    }

    fn pack_stream(
        &mut self,
        record: &Record,
        block: &Block,
        out: &mut dyn Write,
    ) -> Result<Learned, PackError> {
        let mut hasher = Hasher::new(self.packing.digest);
        let mut start = Vec::new();
        each_piece(block, &mut |piece| {
            hasher.update(piece);
            let wanted = HEAD_BYTES.saturating_sub(start.len()).min(piece.len());
            start.extend_from_slice(&piece[..wanted]);
            Ok(())
        })?;
        let block_digest = hasher.finish();
        self.write_head(record, block_digest);
        let mut encoder = GzEncoder::new(out, FILE_LEVEL);
        encoder.write_all(&self.plain).map_err(PackError::Disk)?;
        let mut again = Hasher::new(self.packing.digest);
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
        Ok(Learned { payload_digest: block_digest, head: http_head(record, &start) })
    }

    fn forget(&mut self) {
        self.plain.clear();
        // One large block must not keep its memory for good.
        self.plain.shrink_to(WRITE_BYTES);
        self.member.clear();
        self.member.shrink_to(WRITE_BYTES);
    }

    fn write_head(&mut self, record: &Record, block_digest: Digest) {
        let digest = block_digest.to_string();
        self.forget();
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

/// How records are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// Of gzip: 1 (fast) to 12 (small).
    pub level: u8,
    pub digest: DigestKind,
}

impl Packing {
    /// Packs a record, so that whoever writes it to the archive has only to copy it: packing takes longer than anything
    /// else, and can be done by many at once. A block in a file is packed into the file `beside`, which is the caller's
    /// to remove.
    pub fn pack(self, record: Record, beside: &Path) -> Result<Record, WriteError> {
        if matches!(record.block(), Block::File { .. }) {
            self.into_file(record, beside)
        } else {
            self.into_memory(record)
        }
    }

    /// Lends this thread's packer.
    pub(crate) fn with_packer<T>(self, work: impl FnOnce(&mut Packer) -> T) -> T {
        thread_local! {
            static PACKER: RefCell<Option<Packer>> = const { RefCell::new(None) };
        }
        PACKER.with_borrow_mut(|slot| {
            work(match slot {
                Some(packer) if packer.packing == self => packer,
                other => other.insert(Packer::new(self)),
            })
        })
    }

    fn into_memory(self, record: Record) -> Result<Record, WriteError> {
        let mut member = Vec::new();
        let learned = self.with_packer(|packer| packer.pack(&record, &mut member));
        let learned = learned.map_err(|fault| WriteError::of(fault, Path::new("memory")))?;
        member.shrink_to_fit();
        Ok(packed(record, Member::Memory(member.into()), learned))
    }

    fn into_file(self, record: Record, path: &Path) -> Result<Record, WriteError> {
        let mut file = File::create(path).map_err(|e| WriteError::at(path, e))?;
        let learned =
            Packer::new(self).pack(&record, &mut file).map_err(|fault| WriteError::of(fault, path))?;
        let length = file.stream_position().map_err(|e| WriteError::at(path, e))?;
        Ok(packed(record, Member::File { path: path.to_owned(), length }, learned))
    }
}

fn packed(record: Record, member: Member, learned: Learned) -> Record {
    let length = record.block().length();
    let Learned { payload_digest, head } = learned;
    record.with_block(Block::Packed(Box::new(PackedBlock { member, length, payload_digest, head })))
}

/// Whether the payload is of a kind that does not get smaller.
pub(crate) fn is_dense(head: &HttpHead) -> bool {
    let coded = head.field("content-encoding").is_some_and(|coding| !coding.eq_ignore_ascii_case("identity"));
    let kind = head.field("content-type").unwrap_or_default().trim_start().to_ascii_lowercase();
    let dense =
        ["image/jpeg", "image/png", "image/webp", "image/avif", "image/gif", "video/", "audio/", "font/woff"];
    coded || dense.iter().any(|start| kind.starts_with(start))
}

fn http_head(record: &Record, block: &[u8]) -> Option<HttpHead> {
    match record.kind() {
        RecordType::Response => {
            let named = record.fields().get("WARC-Identified-Payload-Type");
            HttpHead::parse(block).or_else(|| HttpHead::bare(block, named))
        }
        RecordType::Revisit => HttpHead::parse(block),
        _ => None,
    }
}

/// Hands over the whole block; what `take` fails with is the disk's fault.
fn each_piece(block: &Block, take: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> Result<(), PackError> {
    match block {
        Block::Memory(pieces) => pieces.iter().try_for_each(|piece| take(piece)).map_err(PackError::Disk),
        // Its bytes are inside; nobody packs twice.
        Block::Packed(_) => Err(PackError::Disk(io::ErrorKind::Unsupported.into())),
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
