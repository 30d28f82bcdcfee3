//! What a run knows of itself: where its blocks are, what they begin with, and how often each predicate occurs. It is
//! the end of the run's file and is held in memory while the run is open.

use super::codec::{Reader, Tuple, put};
use super::id::Id;

/// A piece of the file with its sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    pub offset: u64,
    pub length: u32,
    pub check: u32,
}

/// Terms of a block of texts begin at this rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextBlock {
    pub first: u32,
    pub block: Block,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdBlock {
    pub first: Id,
    pub block: Block,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TupleBlock {
    pub first: Tuple,
    pub block: Block,
}

/// How often a predicate occurs, and with how many different subjects and objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frequency {
    pub quads: u64,
    pub subjects: u64,
    pub objects: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Directory {
    pub quads: u64,
    pub terms: u32,
    /// Different subjects, objects and graphs.
    pub subjects: u64,
    pub objects: u64,
    pub graphs: u64,
    pub ids: Vec<IdBlock>,
    pub texts: Vec<TextBlock>,
    pub tuples: [Vec<TupleBlock>; 4],
    /// Predicates, of which there are few, are numbered by themselves: the rank of each among all terms.
    pub predicates: Vec<u32>,
    pub frequencies: Vec<Frequency>,
}

impl Directory {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let numbers = [self.quads, u64::from(self.terms), self.subjects, self.objects, self.graphs];
        numbers.iter().for_each(|number| put(&mut out, *number));
        put(&mut out, self.ids.len() as u64);
        for IdBlock { first, block } in &self.ids {
            out.extend_from_slice(&first.to_bytes());
            put_block(&mut out, *block);
        }
        put(&mut out, self.texts.len() as u64);
        for TextBlock { first, block } in &self.texts {
            put(&mut out, u64::from(*first));
            put_block(&mut out, *block);
        }
        for blocks in &self.tuples {
            put(&mut out, blocks.len() as u64);
            for TupleBlock { first, block } in blocks {
                first.iter().for_each(|part| put(&mut out, u64::from(*part)));
                put_block(&mut out, *block);
            }
        }
        put(&mut out, self.predicates.len() as u64);
        for (rank, often) in self.predicates.iter().zip(&self.frequencies) {
            [u64::from(*rank), often.quads, often.subjects, often.objects]
                .iter()
                .for_each(|n| put(&mut out, *n));
        }
        out
    }

    pub fn decode(bytes: &[u8]) -> Option<Directory> {
        let mut reader = Reader(bytes);
        let mut directory = Directory {
            quads: reader.number()?,
            terms: reader.rank()?,
            subjects: reader.number()?,
            objects: reader.number()?,
            graphs: reader.number()?,
            ..Directory::default()
        };
        for _ in 0..reader.number()? {
            let first = Id::from_bytes(reader.take(Id::BYTES)?.try_into().ok()?);
            directory.ids.push(IdBlock { first, block: block(&mut reader)? });
        }
        for _ in 0..reader.number()? {
            directory.texts.push(TextBlock { first: reader.rank()?, block: block(&mut reader)? });
        }
        for blocks in &mut directory.tuples {
            for _ in 0..reader.number()? {
                let first = [reader.rank()?, reader.rank()?, reader.rank()?, reader.rank()?];
                blocks.push(TupleBlock { first, block: block(&mut reader)? });
            }
        }
        for _ in 0..reader.number()? {
            directory.predicates.push(reader.rank()?);
            directory.frequencies.push(Frequency {
                quads: reader.number()?,
                subjects: reader.number()?,
                objects: reader.number()?,
            });
        }
        reader.0.is_empty().then_some(directory)
    }
}

fn put_block(out: &mut Vec<u8>, block: Block) {
    put(out, block.offset);
    put(out, u64::from(block.length));
    out.extend_from_slice(&block.check.to_le_bytes());
}

fn block(reader: &mut Reader<'_>) -> Option<Block> {
    Some(Block {
        offset: reader.number()?,
        length: reader.rank()?,
        check: u32::from_le_bytes(reader.take(4)?.try_into().ok()?),
    })
}
