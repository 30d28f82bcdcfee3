//! Writes a run: terms in the order of their names, then statements in each of the four orders.

use std::io;

use annalist_disk::DiskFile;
use xxhash_rust::xxh3::xxh3_64;

use super::codec::{Tuple, put_bytes, put_tuple};
use super::directory::{Block, Directory, Frequency, IdBlock, TextBlock, TupleBlock};
use super::id::Id;
use super::order::Order;

pub const MAGIC: &[u8; 8] = b"ANGRAPH1";
/// Directory's length and sum, and the magic again.
pub const TRAILER: usize = 4 + 8 + 8;
pub const IDS_PER_BLOCK: usize = 400;
pub const TUPLES_PER_BLOCK: usize = 1024;
const TEXT_BLOCK_BYTES: usize = 16 << 10;
const PACKING_LEVEL: i32 = 3;
const APPEND_BYTES: usize = 1 << 20;

pub fn check(bytes: &[u8]) -> u32 {
    xxh3_64(bytes) as u32
}

pub struct RunWriter {
    file: Box<dyn DiskFile>,
    offset: u64,
    waiting: Vec<u8>,
    directory: Directory,
    packer: zstd::bulk::Compressor<'static>,
    ids: Vec<u8>,
    first_id: Id,
    texts: Vec<u8>,
    first_text: u32,
    tuples: Vec<u8>,
    /// How many tuples of the block there are, its first, and the last one.
    block: (usize, Tuple, Tuple),
}

impl RunWriter {
    /// `predicates` are the ranks of the predicates among the terms.
    pub fn new(file: Box<dyn DiskFile>, predicates: Vec<u32>) -> io::Result<RunWriter> {
        let frequencies = vec![Frequency::default(); predicates.len()];
        Ok(RunWriter {
            file,
            offset: 0,
            waiting: MAGIC.to_vec(),
            directory: Directory { predicates, frequencies, ..Directory::default() },
            packer: zstd::bulk::Compressor::new(PACKING_LEVEL)?,
            ids: Vec::new(),
            first_id: Id::DEFAULT_GRAPH,
            texts: Vec::new(),
            first_text: 0,
            tuples: Vec::new(),
            block: (0, [0; 4], [0; 4]),
        })
    }

    /// Terms come in the order of their ids; the text is empty for those that are their own name.
    pub fn add_term(&mut self, id: Id, text: &[u8]) -> io::Result<()> {
        if self.ids.is_empty() {
            self.first_id = id;
        }
        self.ids.extend_from_slice(&id.to_bytes());
        if self.ids.len() >= IDS_PER_BLOCK * Id::BYTES {
            self.end_ids()?;
        }
        if self.texts.is_empty() {
            self.first_text = self.directory.terms;
        }
        put_bytes(&mut self.texts, text);
        self.directory.terms += 1;
        if self.texts.len() >= TEXT_BLOCK_BYTES {
            self.end_texts()?;
        }
        Ok(())
    }

    pub fn end_terms(&mut self) -> io::Result<()> {
        self.end_ids()?;
        self.end_texts()
    }

    fn end_ids(&mut self) -> io::Result<()> {
        if !self.ids.is_empty() {
            let bytes = std::mem::take(&mut self.ids);
            let block = self.put(&bytes)?;
            self.directory.ids.push(IdBlock { first: self.first_id, block });
        }
        Ok(())
    }

    fn end_texts(&mut self) -> io::Result<()> {
        if !self.texts.is_empty() {
            let packed = self.packer.compress(&self.texts)?;
            self.texts.clear();
            let block = self.put(&packed)?;
            self.directory.texts.push(TextBlock { first: self.first_text, block });
        }
        Ok(())
    }

    /// All tuples of an order, sorted, each once.
    pub fn add_tuples<E: From<io::Error>>(
        &mut self,
        order: Order,
        tuples: impl Iterator<Item = Result<Tuple, E>>,
    ) -> Result<(), E> {
        let mut counting = Counting::default();
        for tuple in tuples {
            let tuple = tuple?;
            counting.add(order, &tuple, &mut self.directory);
            let (count, first, before) = &mut self.block;
            if *count == 0 {
                *first = tuple;
            } else {
                put_tuple(&mut self.tuples, before, &tuple);
            }
            *before = tuple;
            *count += 1;
            if *count == TUPLES_PER_BLOCK {
                self.end_tuples(order)?;
            }
        }
        self.end_tuples(order)?;
        Ok(())
    }

    fn end_tuples(&mut self, order: Order) -> io::Result<()> {
        let (count, first, _) = self.block;
        if count > 0 {
            let mut bytes = std::mem::take(&mut self.tuples);
            let block = self.put(&bytes)?;
            bytes.clear();
            (self.tuples, self.block.0) = (bytes, 0);
            if let Some(blocks) = self.directory.tuples.get_mut(order as usize) {
                blocks.push(TupleBlock { first, block });
            }
        }
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<Block> {
        let offset = self.offset + self.waiting.len() as u64;
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= APPEND_BYTES {
            self.append()?;
        }
        Ok(Block { offset, length: bytes.len() as u32, check: check(bytes) })
    }

    fn append(&mut self) -> io::Result<()> {
        self.file.append(&self.waiting)?;
        self.offset += self.waiting.len() as u64;
        self.waiting.clear();
        Ok(())
    }

    /// Makes the run durable, and gives it to be read.
    pub fn finish(mut self) -> io::Result<(Box<dyn DiskFile>, Directory)> {
        let directory = self.directory.encode();
        self.waiting.extend_from_slice(&directory);
        self.waiting.extend_from_slice(&(directory.len() as u32).to_le_bytes());
        self.waiting.extend_from_slice(&xxh3_64(&directory).to_le_bytes());
        self.waiting.extend_from_slice(MAGIC);
        self.append()?;
        self.file.sync()?;
        Ok((self.file, self.directory))
    }
}

/// Counts what is different, which in sorted tuples stands side by side.
#[derive(Default)]
struct Counting {
    before: Option<Tuple>,
}

impl Counting {
    fn add(&mut self, order: Order, tuple: &Tuple, directory: &mut Directory) {
        let same = |parts: usize| self.before.is_some_and(|before| before[..parts] == tuple[..parts]);
        let predicate = tuple[order.predicate()] as usize;
        match order {
            Order::Spog => {
                directory.quads += 1;
                directory.subjects += u64::from(!same(1));
                if let Some(often) = directory.frequencies.get_mut(predicate) {
                    often.quads += 1;
                    often.subjects += u64::from(!same(2));
                }
            }
            Order::Posg => {
                if let Some(often) = directory.frequencies.get_mut(predicate) {
                    often.objects += u64::from(!same(2));
                }
            }
            Order::Ospg => directory.objects += u64::from(!same(1)),
            Order::Gspo => directory.graphs += u64::from(!same(1)),
        }
        self.before = Some(*tuple);
    }
}
