//! Gzip members unpacked in one go each, which is several times as fast as a stream: for who wants every record of a
//! file that is as it should be. Anything else is left to `read.rs`, which finds out what is wrong.

use std::io::{self, BufRead, Read, Seek, SeekFrom};

use libdeflater::Decompressor;

/// How a member begins that has no name, comment or extra fields, or some.
const MAGIC: [u8; 3] = [0x1f, 0x8b, 8];
/// Ten bytes of head, two of data, eight of checksum and length.
const LEAST_BYTES: usize = 20;
/// Longer members, and what unpacks to more, are left to the stream.
const MOST_STORED: usize = 16 << 20;
const MOST_UNPACKED: usize = 64 << 20;
const READ_BYTES: usize = 1 << 20;
/// No member unpacks to more than this many times its length.
const MOST_GROWTH: usize = 1032;

/// Walks through a file member by member.
pub(crate) struct Members<R> {
    file: R,
    stored: Vec<u8>,
    /// Where in the file the stored bytes begin.
    offset: u64,
    /// How many of them are behind us.
    used: usize,
    at_end: bool,
    unpacked: Vec<u8>,
    engine: Decompressor,
}

/// A member with where it lies.
pub(crate) struct Member<'a> {
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) bytes: &'a [u8],
}

impl<R: Read + Seek> Members<R> {
    pub(crate) fn new(file: R) -> Members<R> {
        Members {
            file,
            stored: Vec::new(),
            offset: 0,
            used: 0,
            at_end: false,
            unpacked: Vec::new(),
            engine: Decompressor::new(),
        }
    }

    /// Where the next member is to begin.
    pub(crate) fn position(&self) -> u64 {
        self.offset + self.used as u64
    }

    pub(crate) fn is_at_end(&mut self) -> io::Result<bool> {
        if self.rest().is_empty() {
            self.read_more()?;
        }
        Ok(self.rest().is_empty())
    }

    /// Goes on elsewhere.
    pub(crate) fn seek(&mut self, offset: u64) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(offset))?;
        self.stored.clear();
        (self.offset, self.used, self.at_end) = (offset, 0, false);
        Ok(())
    }

    /// The member that begins here. `None` if it cannot be unpacked in one go, for whatever reason.
    pub(crate) fn next(&mut self) -> io::Result<Option<Member<'_>>> {
        let mut from = LEAST_BYTES;
        loop {
            match next_magic(self.rest(), from) {
                Some(length) => {
                    if self.unpack(length) {
                        return Ok(Some(self.take(length)));
                    }
                    // Compressed bytes may look like a beginning.
                    from = length + 1;
                }
                None if self.at_end => {
                    let length = self.rest().len();
                    return Ok(if self.unpack(length) { Some(self.take(length)) } else { None });
                }
                None if self.rest().len() >= MOST_STORED => return Ok(None),
                None => {
                    // A magic may lie across what is there and what comes.
                    from = from.max(self.rest().len().saturating_sub(MAGIC.len() - 1));
                    self.read_more()?;
                }
            }
        }
    }

    fn rest(&self) -> &[u8] {
        self.stored.get(self.used..).unwrap_or_default()
    }

    fn take(&mut self, length: usize) -> Member<'_> {
        let offset = self.position();
        self.used += length;
        Member { offset, length: length as u64, bytes: &self.unpacked }
    }

    fn unpack(&mut self, length: usize) -> bool {
        let Some(member) = self.stored.get(self.used..self.used + length) else { return false };
        unpack(&mut self.engine, member, &mut self.unpacked)
    }

    fn read_more(&mut self) -> io::Result<()> {
        self.stored.drain(..self.used);
        self.offset += self.used as u64;
        self.used = 0;
        let wanted = READ_BYTES.max(self.stored.len());
        let read = (&mut self.file).take(wanted as u64).read_to_end(&mut self.stored)?;
        self.at_end = read < wanted;
        Ok(())
    }
}

/// Unpacks what is taken for one whole member; its length and checksum have to be right.
pub(crate) fn unpack(engine: &mut Decompressor, member: &[u8], unpacked: &mut Vec<u8>) -> bool {
    let Some((_, size)) = member.split_last_chunk::<4>().filter(|_| member.starts_with(&MAGIC)) else {
        return false;
    };
    let size = usize::try_from(u32::from_le_bytes(*size)).unwrap_or(usize::MAX);
    if size > MOST_UNPACKED.min(member.len().saturating_mul(MOST_GROWTH)) {
        return false;
    }
    unpacked.resize(size, 0);
    engine.gzip_decompress(member, unpacked).is_ok_and(|made| made == size)
}

/// What is in one whole gzip member, with its checksum right. `None` for anything else.
pub(crate) fn unpacked_member(member: &[u8]) -> Option<Vec<u8>> {
    let mut unpacked = Vec::new();
    unpack(&mut Decompressor::new(), member, &mut unpacked).then_some(unpacked)
}

/// Where the next member may begin.
fn next_magic(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let mut rest = bytes.get(at..)?;
        let skipped = rest.skip_until(MAGIC[0]).ok()?;
        let candidate = (at + skipped).checked_sub(1)?;
        if bytes.get(candidate..candidate + MAGIC.len())? == MAGIC {
            return Some(candidate);
        }
        at = candidate + 1;
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::Members;

    fn member(bytes: &[u8], level: u32) -> Vec<u8> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::new(level));
        gzip.write_all(bytes).unwrap();
        gzip.finish().unwrap()
    }

    /// Members with their places, where the walk ended, and whether that is the end of the file.
    type Walk = (Vec<(u64, u64, Vec<u8>)>, u64, bool);

    fn walked(stored: &[u8]) -> Walk {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(stored).unwrap();
        let mut members = Members::new(file);
        members.seek(0).unwrap();
        let mut found = Vec::new();
        while !members.is_at_end().unwrap() {
            match members.next().unwrap() {
                Some(member) => found.push((member.offset, member.length, member.bytes.to_vec())),
                None => return (found, members.position(), false),
            }
        }
        (found, members.position(), true)
    }

    #[test]
    fn every_member_is_found_with_its_place_also_where_data_look_like_a_beginning() {
        // Stored and not compressed, so that the magic stands in the data.
        let tricky = [&[0x1f, 0x8b, 8, 0][..], b"text", &[0x1f, 0x8b, 8, 0, 0x1f, 0x8b]].concat().repeat(300);
        let mut stored = Vec::new();
        let mut expected = Vec::new();
        for n in 0..400_u32 {
            let bytes = match n % 4 {
                0 => tricky.clone(),
                1 => Vec::new(),
                2 => format!("{n}").into_bytes(),
                _ => (0..9_000_u32).flat_map(|i| (i.wrapping_mul(2_654_435_761) ^ n).to_le_bytes()).collect(),
            };
            let packed = member(&bytes, if n % 4 == 2 { 6 } else { 0 });
            expected.push((stored.len() as u64, packed.len() as u64, bytes));
            stored.extend_from_slice(&packed);
        }
        let (found, end, whole) = walked(&stored);
        assert!(found == expected && whole);
        assert_eq!(end, stored.len() as u64);
    }

    #[test]
    fn what_is_damaged_is_left_to_others_where_it_begins() {
        let good = member(b"good", 6);
        let mut bad = member(b"bad", 6);
        bad[12] ^= 0xff;
        let (found, at, whole) = walked(&[good.clone(), bad, good.clone()].concat());
        assert_eq!((found.len(), at, whole), (1, good.len() as u64, false));
        // Fewer bytes could be anything.
        for cut in 3..good.len() {
            let (found, at, whole) = walked(&[good.as_slice(), &good[..cut]].concat());
            assert_eq!((found.len(), at, whole), (1, good.len() as u64, false), "{cut}");
        }
        assert!(!walked(b"WARC/1.0 plain").2);
    }
}
