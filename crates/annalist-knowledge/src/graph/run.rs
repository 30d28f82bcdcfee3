//! A sorted run of statements with the terms they are made of: a file that never changes, open for reading.
//!
//! Inside a run a term goes by its rank among the run's terms, which takes few bytes and sorts as the ids do.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use annalist_disk::{Disk, DiskFile};
use oxrdf::Term;
use xxhash_rust::xxh3::xxh3_64;

use super::cache::{Cache, Kind, Texts, Unpacked};
use super::codec::{Reader, Tuple, read_tuples};
use super::directory::{Block, Directory};
use super::error::GraphError;
use super::id::{self, Id};
use super::order::{Order, Quad};
use super::writing::{IDS_PER_BLOCK, MAGIC, TRAILER, TUPLES_PER_BLOCK, check};

/// No text block unpacks to more: a term that is longer has a block for itself.
const MOST_TEXT_BYTES: usize = 1 << 30;

#[derive(Debug)]
pub struct Run {
    /// Different for every run that this process opened.
    number: u64,
    path: PathBuf,
    file: Box<dyn DiskFile>,
    pub directory: Directory,
    cache: Arc<Cache>,
}

impl Run {
    pub fn open(disk: &dyn Disk, path: &Path, cache: Arc<Cache>) -> Result<Run, GraphError> {
        let file = disk.open(path).map_err(GraphError::io(path))?;
        let directory = read_directory(&*file).map_err(GraphError::io(path))?;
        let directory = directory.ok_or_else(|| GraphError::damaged(path))?;
        Ok(Run::new(path, file, directory, cache))
    }

    pub fn new(path: &Path, file: Box<dyn DiskFile>, directory: Directory, cache: Arc<Cache>) -> Run {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        Run { number, path: path.to_owned(), file, directory, cache }
    }

    pub fn bytes(&self) -> u64 {
        self.file.length()
    }

    fn damaged(&self) -> GraphError {
        GraphError::damaged(&self.path)
    }

    fn read(&self, block: Block) -> Result<Vec<u8>, GraphError> {
        if block.offset + u64::from(block.length) > self.file.length() {
            return Err(self.damaged());
        }
        let mut bytes = vec![0; block.length as usize];
        self.file.read_at(block.offset, &mut bytes).map_err(GraphError::io(&self.path))?;
        if check(&bytes) == block.check { Ok(bytes) } else { Err(self.damaged()) }
    }

    fn cached(
        &self,
        kind: Kind,
        place: usize,
        block: Block,
        unpack: impl FnOnce(Vec<u8>) -> Option<Unpacked>,
    ) -> Result<Unpacked, GraphError> {
        let key = (self.number, kind, place);
        if let Some(found) = self.cache.get(key) {
            return Ok(found);
        }
        let unpacked = unpack(self.read(block)?).ok_or_else(|| self.damaged())?;
        self.cache.put(key, &unpacked);
        Ok(unpacked)
    }

    fn ids(&self, place: usize) -> Result<Arc<Vec<Id>>, GraphError> {
        let block = self.directory.ids.get(place).ok_or_else(|| self.damaged())?.block;
        let unpacked = self.cached(Kind::Ids, place, block, |bytes| {
            let (ids, []) = bytes.as_chunks() else { return None };
            Some(Unpacked::Ids(Arc::new(ids.iter().copied().map(Id::from_bytes).collect())))
        })?;
        if let Unpacked::Ids(ids) = unpacked { Ok(ids) } else { Err(self.damaged()) }
    }

    pub fn id(&self, rank: u32) -> Result<Id, GraphError> {
        let ids = self.ids(rank as usize / IDS_PER_BLOCK)?;
        ids.get(rank as usize % IDS_PER_BLOCK).copied().ok_or_else(|| self.damaged())
    }

    /// The rank of a term, if it is in the run.
    pub fn rank(&self, id: Id) -> Result<Option<u32>, GraphError> {
        let behind = self.directory.ids.partition_point(|block| block.first <= id);
        let Some(place) = behind.checked_sub(1) else { return Ok(None) };
        let ids = self.ids(place)?;
        Ok(ids.binary_search(&id).ok().map(|within| (place * IDS_PER_BLOCK + within) as u32))
    }

    /// The place of a predicate among the predicates, given its rank.
    pub fn predicate(&self, rank: u32) -> Option<u32> {
        self.directory.predicates.binary_search(&rank).ok().map(|place| place as u32)
    }

    /// The id of a part of a tuple.
    pub fn part(&self, order: Order, place: usize, number: u32) -> Result<Id, GraphError> {
        if place == order.predicate() {
            let rank = self.directory.predicates.get(number as usize).ok_or_else(|| self.damaged())?;
            return self.id(*rank);
        }
        self.id(number)
    }

    /// Known ids as ranks; `None` if the run cannot have a statement like that.
    pub fn pattern(&self, pattern: Quad<Option<Id>>) -> Result<Option<Quad<Option<u32>>>, GraphError> {
        let mut ranks = [None; 4];
        for (place, (rank, id)) in ranks.iter_mut().zip(pattern).enumerate() {
            let Some(id) = id else { continue };
            let mut found = self.rank(id)?;
            if place == 1 {
                found = found.and_then(|rank| self.predicate(rank));
            }
            match found {
                Some(found) => *rank = Some(found),
                None => return Ok(None),
            }
        }
        Ok(Some(ranks))
    }

    pub fn text(&self, rank: u32) -> Result<Vec<u8>, GraphError> {
        let behind = self.directory.texts.partition_point(|block| block.first <= rank);
        let place = behind.checked_sub(1).ok_or_else(|| self.damaged())?;
        let texts = self.texts(place)?;
        let within = rank - self.directory.texts.get(place).map_or(0, |block| block.first);
        text_of(&texts, within as usize).map(<[u8]>::to_vec).ok_or_else(|| self.damaged())
    }

    pub fn texts(&self, place: usize) -> Result<Arc<Texts>, GraphError> {
        let block = self.directory.texts.get(place).ok_or_else(|| self.damaged())?.block;
        match self.cached(Kind::Texts, place, block, unpack_texts)? {
            Unpacked::Texts(texts) => Ok(texts),
            _ => Err(self.damaged()),
        }
    }

    pub fn term(&self, id: Id) -> Result<Option<Term>, GraphError> {
        let Some(rank) = self.rank(id)? else { return Ok(None) };
        id::read(&self.text(rank)?).map(Some).ok_or_else(|| self.damaged())
    }

    pub fn tuples(&self, order: Order, place: usize) -> Result<Arc<Vec<Tuple>>, GraphError> {
        let blocks = &self.directory.tuples[order as usize];
        let found = *blocks.get(place).ok_or_else(|| self.damaged())?;
        let count = match self.directory.quads as usize - place * TUPLES_PER_BLOCK {
            rest if rest < TUPLES_PER_BLOCK => rest,
            _ => TUPLES_PER_BLOCK,
        };
        let unpacked = self.cached(Kind::Tuples(order), place, found.block, |bytes| {
            Some(Unpacked::Tuples(Arc::new(read_tuples(&bytes, found.first, count)?)))
        })?;
        if let Unpacked::Tuples(tuples) = unpacked { Ok(tuples) } else { Err(self.damaged()) }
    }

    /// How many tuples begin with the known parts.
    pub fn count(&self, order: Order, pattern: Quad<Option<u32>>) -> Result<u64, GraphError> {
        let known = order.known(pattern);
        let parts = order.arrange(pattern).map(Option::unwrap_or_default);
        if known == 0 {
            return Ok(self.directory.quads);
        }
        let blocks = &self.directory.tuples[order as usize];
        // The first place behind all tuples for which `before` holds.
        let place = |before: &dyn Fn(&Tuple) -> bool| -> Result<u64, GraphError> {
            let behind = blocks.partition_point(|block| before(&block.first));
            let Some(last) = behind.checked_sub(1) else { return Ok(0) };
            let within = self.tuples(order, last)?.partition_point(before);
            Ok((last * TUPLES_PER_BLOCK + within) as u64)
        };
        let from = place(&|tuple| tuple[..known] < parts[..known])?;
        Ok(place(&|tuple| tuple[..known] <= parts[..known])? - from)
    }
}

/// One text of an unpacked block.
pub fn text_of(texts: &Texts, place: usize) -> Option<&[u8]> {
    let (bytes, ends) = texts;
    let end = *ends.get(place)? as usize;
    let start = if place == 0 { 0 } else { *ends.get(place - 1)? as usize };
    bytes.get(start..end)
}

fn unpack_texts(packed: Vec<u8>) -> Option<Unpacked> {
    let room = zstd::bulk::Decompressor::upper_bound(&packed)?;
    let bytes = zstd::bulk::decompress(&packed, room.min(MOST_TEXT_BYTES)).ok()?;
    let mut texts = Vec::with_capacity(bytes.len());
    let mut ends = Vec::new();
    let mut reader = Reader(&bytes);
    while !reader.0.is_empty() {
        texts.extend_from_slice(reader.bytes()?);
        ends.push(texts.len() as u32);
    }
    Some(Unpacked::Texts(Arc::new((texts, ends))))
}

fn read_directory(file: &dyn DiskFile) -> std::io::Result<Option<Directory>> {
    let length = file.length();
    if length < (MAGIC.len() + TRAILER) as u64 {
        return Ok(None);
    }
    let mut trailer = [0; TRAILER];
    file.read_at(length - TRAILER as u64, &mut trailer)?;
    let mut reader = Reader(&trailer);
    let parts = (reader.take(4), reader.take(8), reader.take(8));
    let (Some(size), Some(sum), Some(magic)) = parts else { return Ok(None) };
    let size = size.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
    if magic != MAGIC || length < size + (MAGIC.len() + TRAILER) as u64 {
        return Ok(None);
    }
    let mut bytes = vec![0; size as usize];
    file.read_at(length - TRAILER as u64 - size, &mut bytes)?;
    if xxh3_64(&bytes).to_le_bytes() != sum {
        return Ok(None);
    }
    Ok(Directory::decode(&bytes))
}
