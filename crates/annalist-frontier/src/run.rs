//! A bucket's rows on disk, sorted by key: written once, read in blocks. Which rows go in is decided in `merge.rs`.
//!
//! A file is a head, the rows, the first key of every block, the filter, and a foot that says how long each of them is.

use std::cmp::Ordering;
use std::ops::Range;
use std::path::Path;

use annalist_disk::{Disk, DiskFile};
use annalist_model::UrlKey;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::codec::{Put, Take};
use crate::entry::{ENTRY_BYTES, Entry, KEY_BYTES, Tally, key_bytes};
use crate::error::FrontierError;
use crate::filter::Filter;

const MAGIC: &[u8; 4] = b"ANRN";
const VERSION: u32 = 1;
const HEAD: u64 = 8;
const FOOT: usize = 4 + 4 + 8 * 10;
/// Rows between two keys held in memory.
pub(crate) const BLOCK: usize = 128;
const BUFFER: usize = 1 << 20;

pub(crate) fn file_name(number: u64) -> String {
    format!("run-{number:010}")
}

#[derive(Debug)]
pub(crate) struct Run {
    file: Box<dyn DiskFile>,
    pub(crate) number: u64,
    pub(crate) entries: u64,
    pub(crate) tally: Tally,
    checksum: u64,
    /// First key of each block.
    index: Vec<UrlKey>,
    filter: Filter,
}

impl Run {
    pub(crate) fn open(disk: &dyn Disk, dir: &Path, number: u64) -> Result<Run, FrontierError> {
        let file = disk.open(&dir.join(file_name(number))).map_err(FrontierError::io("open a run"))?;
        let damaged = |what| FrontierError::damaged("run", what);
        let foot_at = file.length().checked_sub(FOOT as u64).ok_or_else(|| damaged("it is too short"))?;
        let mut bytes = [0; FOOT];
        file.read_at(foot_at, &mut bytes).map_err(FrontierError::io("read a run"))?;
        let foot = Foot::read(&bytes)?;
        let rows = foot.entries.checked_mul(ENTRY_BYTES as u64).and_then(|n| n.checked_add(HEAD));
        let Some(tail_at) = rows.filter(|at| *at <= foot_at) else {
            return Err(damaged("its lengths do not fit"));
        };
        let mut tail = vec![0; usize::try_from(foot_at - tail_at).map_err(|_| damaged("it is too long"))?];
        file.read_at(tail_at, &mut tail).map_err(FrontierError::io("read a run"))?;
        if xxh3_64(&tail) != foot.tail_checksum {
            return Err(damaged("its index has the wrong checksum"));
        }
        let malformed = || FrontierError::malformed("run");
        let mut take = Take::new(&tail);
        let mut index = Vec::new();
        for _ in 0..foot.entries.div_ceil(BLOCK as u64) {
            index.push(take.key().map_err(malformed())?);
        }
        let mut words = Vec::new();
        while !take.is_empty() {
            words.push(take.u64().map_err(malformed())?);
        }
        let filter = Filter::from_words(words);
        Ok(Run {
            file,
            number,
            entries: foot.entries,
            tally: foot.tally,
            checksum: foot.checksum,
            index,
            filter,
        })
    }

    pub(crate) fn may_hold(&self, key: UrlKey) -> bool {
        self.filter.may_hold(key)
    }

    pub(crate) fn find(&self, key: UrlKey) -> Result<Option<Entry>, FrontierError> {
        let Some(block) = self.index.partition_point(|first| *first <= key).checked_sub(1) else {
            return Ok(None);
        };
        if !self.filter.may_hold(key) {
            return Ok(None);
        }
        let mut buffer = [0; BLOCK * ENTRY_BYTES];
        let rows = self.read_block(block, &mut buffer)?;
        let sought = key_bytes(key);
        let (mut low, mut high) = (0, rows.len() / ENTRY_BYTES);
        while low < high {
            let middle = usize::midpoint(low, high);
            let row = rows.get(middle * ENTRY_BYTES..).unwrap_or_default();
            match row.get(..KEY_BYTES).cmp(&Some(&sought)) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return self.entry(row).map(Some),
            }
        }
        Ok(None)
    }

    fn entry(&self, row: &[u8]) -> Result<Entry, FrontierError> {
        Entry::read(row).map_err(FrontierError::malformed("run"))
    }

    fn read_block<'b>(&self, block: usize, buffer: &'b mut [u8]) -> Result<&'b [u8], FrontierError> {
        let from = (block * BLOCK) as u64;
        let rows = (self.entries - from.min(self.entries)).min((buffer.len() / ENTRY_BYTES) as u64);
        let bytes = buffer.get_mut(..rows as usize * ENTRY_BYTES).unwrap_or_default();
        if rows == 0 {
            return Ok(bytes);
        }
        let at = HEAD + from * ENTRY_BYTES as u64;
        self.file.read_at(at, bytes).map_err(FrontierError::io("read a run"))?;
        Ok(bytes)
    }

    /// Blocks that may hold rows of a site.
    pub(crate) fn blocks_of(&self, site: u64) -> Range<usize> {
        let first = self.index.partition_point(|key| key.site < site).saturating_sub(1);
        first..self.index.partition_point(|key| key.site <= site)
    }

    /// All rows of a site, unless they may fill more blocks than that.
    pub(crate) fn site(&self, site: u64, most_blocks: usize) -> Result<Option<Vec<Entry>>, FrontierError> {
        let blocks = self.blocks_of(site);
        if blocks.len() > most_blocks {
            return Ok(None);
        }
        self.site_in(site, blocks).map(Some)
    }

    /// The first rows of a site, two blocks of them at most.
    pub(crate) fn first_of_site(&self, site: u64) -> Result<Vec<Entry>, FrontierError> {
        let blocks = self.blocks_of(site);
        // They may begin behind the last row of a block.
        let end = blocks.end.min(blocks.start + 2);
        self.site_in(site, blocks.start..end)
    }

    fn site_in(&self, site: u64, blocks: Range<usize>) -> Result<Vec<Entry>, FrontierError> {
        let mut found = Vec::new();
        let mut buffer = vec![0; BLOCK * ENTRY_BYTES * blocks.len()];
        let rows = self.read_block(blocks.start, &mut buffer)?;
        for row in rows.chunks_exact(ENTRY_BYTES) {
            if row[..8] == site.to_be_bytes() {
                found.push(self.entry(row)?);
            }
        }
        Ok(found)
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.entries * ENTRY_BYTES as u64
    }

    /// All rows in order, in large pieces.
    pub(crate) fn rows(&self) -> Rows<'_> {
        Rows { run: self, block: 0, buffer: Vec::new(), at: 0, checksum: Xxh3::new(), ended: false }
    }
}

/// Walks through a run.
pub(crate) struct Rows<'a> {
    run: &'a Run,
    block: usize,
    buffer: Vec<u8>,
    at: usize,
    checksum: Xxh3,
    ended: bool,
}

impl Rows<'_> {
    fn fill(&mut self) -> Result<(), FrontierError> {
        let left = self.run.index.len().saturating_sub(self.block);
        let blocks = left.min(BUFFER / (BLOCK * ENTRY_BYTES));
        self.buffer.resize(blocks * BLOCK * ENTRY_BYTES, 0);
        let length = self.run.read_block(self.block, &mut self.buffer)?.len();
        self.buffer.truncate(length);
        self.checksum.update(&self.buffer);
        self.block += blocks;
        self.at = 0;
        if length == 0 {
            self.ended = true;
            if self.checksum.digest() != self.run.checksum {
                return Err(FrontierError::damaged("run", "its rows have the wrong checksum"));
            }
        }
        Ok(())
    }
}

impl Iterator for Rows<'_> {
    type Item = Result<Entry, FrontierError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.buffer.len() {
            if self.ended {
                return None;
            }
            if let Err(e) = self.fill() {
                self.ended = true;
                return Some(Err(e));
            }
        }
        let row = self.buffer.get(self.at..self.at + ENTRY_BYTES)?;
        self.at += ENTRY_BYTES;
        Some(self.run.entry(row))
    }
}

struct Foot {
    entries: u64,
    tally: Tally,
    checksum: u64,
    tail_checksum: u64,
}

impl Foot {
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.put_u32(VERSION);
        bytes.put_u64(self.entries);
        let tally =
            [self.tally.queued, self.tally.done, self.tally.refused, self.tally.sites, self.tally.closed];
        for count in tally {
            bytes.put_u64(count.unsigned_abs());
        }
        bytes.put_u64(self.checksum);
        bytes.put_u64(self.tail_checksum);
        // Room for what a later version needs.
        bytes.put_u64(0);
        let checksum = xxh3_64(&bytes);
        bytes.put_u64(checksum);
        bytes
    }

    fn read(bytes: &[u8; FOOT]) -> Result<Foot, FrontierError> {
        let malformed = || FrontierError::malformed("run");
        let (body, checksum) = bytes.split_at(FOOT - 8);
        let mut take = Take::new(body);
        let magic = take.take(4).map_err(malformed())?;
        let found = take.u32().map_err(malformed())?;
        if magic != MAGIC || checksum != xxh3_64(body).to_le_bytes() {
            return Err(FrontierError::damaged("run", "its foot has the wrong checksum"));
        }
        if found != VERSION {
            return Err(FrontierError::Version { file: "run".to_owned(), found, known: VERSION });
        }
        let mut number = || take.u64().map_err(malformed());
        let mut count = || number().map(|n| i64::try_from(n).unwrap_or(i64::MAX));
        let entries = count()?.unsigned_abs();
        let tally =
            Tally { queued: count()?, done: count()?, refused: count()?, sites: count()?, closed: count()? };
        Ok(Foot { entries, tally, checksum: number()?, tail_checksum: number()? })
    }
}

/// Writes a run, row by row in key order.
pub(crate) struct RunWriter {
    file: Box<dyn DiskFile>,
    number: u64,
    entries: u64,
    tally: Tally,
    checksum: Xxh3,
    index: Vec<UrlKey>,
    filter: Filter,
    buffer: Vec<u8>,
}

impl RunWriter {
    pub(crate) fn create(
        disk: &dyn Disk,
        dir: &Path,
        number: u64,
        filter: Filter,
    ) -> Result<RunWriter, FrontierError> {
        let file = disk.create(&dir.join(file_name(number))).map_err(FrontierError::io("create a run"))?;
        let mut buffer = Vec::new();
        buffer.put(MAGIC);
        buffer.put_u32(VERSION);
        Ok(RunWriter {
            file,
            number,
            entries: 0,
            tally: Tally::default(),
            checksum: Xxh3::new(),
            index: Vec::new(),
            filter,
            buffer,
        })
    }

    pub(crate) fn push(&mut self, entry: &Entry) -> Result<(), FrontierError> {
        if self.entries.is_multiple_of(BLOCK as u64) {
            self.index.push(entry.key);
        }
        self.entries += 1;
        self.tally.add(entry);
        self.filter.insert(entry.key);
        self.buffer.put(&entry.to_bytes());
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), FrontierError> {
        let head = if self.file.length() == 0 { HEAD as usize } else { 0 };
        self.checksum.update(self.buffer.get(head..).unwrap_or_default());
        self.file.append(&self.buffer).map_err(FrontierError::io("write a run"))?;
        self.buffer.clear();
        Ok(())
    }

    /// The run, synced. Its name is durable once the folder is synced too.
    pub(crate) fn finish(mut self) -> Result<Run, FrontierError> {
        self.flush()?;
        let mut tail = Vec::new();
        for key in &self.index {
            tail.put_key(*key);
        }
        for word in self.filter.words() {
            tail.put_u64(*word);
        }
        let checksum = self.checksum.digest();
        let tail_checksum = xxh3_64(&tail);
        let foot = Foot { entries: self.entries, tally: self.tally, checksum, tail_checksum };
        tail.put(&foot.to_bytes());
        self.file.append(&tail).map_err(FrontierError::io("write a run"))?;
        self.file.sync().map_err(FrontierError::io("sync a run"))?;
        let RunWriter { file, number, entries, tally, index, filter, .. } = self;
        Ok(Run { file, number, entries, tally, checksum, index, filter })
    }
}
