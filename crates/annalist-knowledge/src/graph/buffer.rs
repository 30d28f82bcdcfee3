//! Statements that are not yet in a run.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::io;

use annalist_disk::DiskFile;
use oxrdf::{GraphNameRef, NamedOrBlankNodeRef, QuadRef, TermRef};

use super::codec::Tuple;
use super::directory::Directory;
use super::error::GraphError;
use super::id::Id;
use super::order::{Order, Quad};
use super::writing::RunWriter;

/// Ids are hashes already.
#[derive(Default)]
pub struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, value: u64) {
        // Small literals differ in some bits only.
        self.0 = (self.0 ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    }
}

pub type ById<T> = HashMap<Id, T, BuildHasherDefault<AsItIs>>;

#[derive(Default)]
pub struct Buffer {
    numbers: ById<u32>,
    ids: Vec<Id>,
    texts: Vec<u8>,
    /// Where the text of each term ends.
    ends: Vec<usize>,
    quads: Vec<Quad<u32>>,
    text: Vec<u8>,
}

impl Buffer {
    pub fn is_empty(&self) -> bool {
        self.quads.is_empty()
    }

    /// The memory it takes, and takes while it is written.
    pub fn bytes(&self) -> usize {
        self.quads.len() * 2 * size_of::<Quad<u32>>() + self.ids.len() * 64 + self.texts.len()
    }

    pub fn insert(&mut self, quad: QuadRef<'_>) -> Result<(), GraphError> {
        let graph = match quad.graph_name {
            GraphNameRef::NamedNode(node) => Some(TermRef::from(node)),
            GraphNameRef::BlankNode(node) => Some(TermRef::from(node)),
            GraphNameRef::DefaultGraph => None,
        };
        let subject = match quad.subject {
            NamedOrBlankNodeRef::NamedNode(node) => TermRef::from(node),
            NamedOrBlankNodeRef::BlankNode(node) => TermRef::from(node),
        };
        let quad = [
            self.number(Some(subject))?,
            self.number(Some(quad.predicate.into()))?,
            self.number(Some(quad.object))?,
            self.number(graph)?,
        ];
        self.quads.push(quad);
        Ok(())
    }

    fn number(&mut self, term: Option<TermRef<'_>>) -> Result<u32, GraphError> {
        let mut text = std::mem::take(&mut self.text);
        let id = match term {
            Some(term) => Id::of(term, &mut text),
            None => {
                text.clear();
                Id::DEFAULT_GRAPH
            }
        };
        let fresh = u32::try_from(self.ids.len()).map_err(|_| GraphError::TooMany)?;
        let number = *self.numbers.entry(id).or_insert(fresh);
        if number == fresh {
            self.ids.push(id);
            self.texts.extend_from_slice(&text);
            self.ends.push(self.texts.len());
        } else if self.text_of(number as usize) != text {
            return Err(collision(self.text_of(number as usize), &text));
        }
        self.text = text;
        Ok(number)
    }

    fn text_of(&self, number: usize) -> &[u8] {
        let end = self.ends.get(number).copied().unwrap_or_default();
        let start =
            number.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or_default();
        self.texts.get(start..end).unwrap_or_default()
    }

    /// Writes everything into a run, and is empty; where that fails it is as before.
    pub fn write(&mut self, file: Box<dyn DiskFile>) -> io::Result<(Box<dyn DiskFile>, Directory)> {
        let mut sorted: Vec<u32> = (0..self.ids.len() as u32).collect();
        sorted.sort_unstable_by_key(|number| self.ids.get(*number as usize));
        let mut ranks = vec![0_u32; sorted.len()];
        for (rank, number) in sorted.iter().enumerate() {
            ranks[*number as usize] = rank as u32;
        }
        let mut predicates: Vec<u32> = self.quads.iter().map(|quad| quad[1]).collect();
        predicates.sort_unstable();
        predicates.dedup();
        predicates.iter_mut().for_each(|number| *number = ranks[*number as usize]);
        predicates.sort_unstable();
        let mut places = vec![0_u32; ranks.len()];
        for (place, rank) in predicates.iter().enumerate() {
            places[*rank as usize] = place as u32;
        }
        let mut writer = RunWriter::new(file, predicates)?;
        for number in &sorted {
            writer.add_term(self.ids[*number as usize], self.text_of(*number as usize))?;
        }
        writer.end_terms()?;
        let rank = |number: u32| ranks[number as usize];
        let mut keys: Vec<u128> = self
            .quads
            .iter()
            .map(|[s, p, o, g]| pack([rank(*s), places[rank(*p) as usize], rank(*o), rank(*g)]))
            .collect();
        let mut now = Order::Spog;
        for order in Order::ALL {
            keys.iter_mut().for_each(|key| *key = pack(order.arrange(now.restore(unpack(*key)))));
            now = order;
            keys.sort_unstable();
            if order == Order::Spog {
                keys.dedup();
            }
            writer.add_tuples(order, keys.iter().map(|key| Ok::<_, io::Error>(unpack(*key))))?;
        }
        let written = writer.finish()?;
        *self = Buffer::default();
        Ok(written)
    }
}

pub fn collision(one: &[u8], other: &[u8]) -> GraphError {
    let shown = |text: &[u8]| String::from_utf8_lossy(text.get(..100).unwrap_or(text)).into_owned();
    GraphError::Collision(shown(one), shown(other))
}

fn pack([a, b, c, d]: Tuple) -> u128 {
    u128::from(a) << 96 | u128::from(b) << 64 | u128::from(c) << 32 | u128::from(d)
}

fn unpack(key: u128) -> Tuple {
    [(key >> 96) as u32, (key >> 64) as u32, (key >> 32) as u32, key as u32]
}
