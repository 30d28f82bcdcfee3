//! Blocks that were read lately, unpacked, up to a number of bytes.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use super::codec::Tuple;
use super::id::Id;
use super::order::Order;

/// A block, unpacked.
#[derive(Clone, Debug)]
pub enum Unpacked {
    Ids(Arc<Vec<Id>>),
    Tuples(Arc<Vec<Tuple>>),
    Texts(Arc<Texts>),
}

impl Unpacked {
    fn bytes(&self) -> usize {
        match self {
            Unpacked::Ids(ids) => ids.len() * size_of::<Id>(),
            Unpacked::Tuples(tuples) => tuples.len() * size_of::<Tuple>(),
            Unpacked::Texts(texts) => texts.0.len() + texts.1.len() * 4,
        }
    }
}

/// Texts, and where each of them ends.
pub type Texts = (Vec<u8>, Vec<u32>);

/// The run's number, what kind of block it is, and the how manieth of them. Not its offset: a block may have no bytes.
pub type Key = (u64, Kind, usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Ids,
    Texts,
    Tuples(Order),
}

#[derive(Debug)]
pub struct Cache {
    most_bytes: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    blocks: HashMap<Key, (Unpacked, bool)>,
    /// In the order they came; one that was asked for again gets a second turn.
    turns: VecDeque<Key>,
    bytes: usize,
}

impl Cache {
    pub fn new(most_bytes: usize) -> Cache {
        Cache { most_bytes, state: Mutex::default() }
    }

    pub fn get(&self, key: Key) -> Option<Unpacked> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (block, again) = state.blocks.get_mut(&key)?;
        *again = true;
        Some(block.clone())
    }

    pub fn put(&self, key: Key, block: &Unpacked) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        if state.blocks.insert(key, (block.clone(), false)).is_some() {
            return;
        }
        state.turns.push_back(key);
        state.bytes += block.bytes();
        while state.bytes > self.most_bytes
            && let Some(oldest) = state.turns.pop_front()
        {
            match state.blocks.get_mut(&oldest) {
                Some((_, again)) if *again => {
                    *again = false;
                    state.turns.push_back(oldest);
                }
                _ => {
                    let gone = state.blocks.remove(&oldest);
                    state.bytes -= gone.map_or(0, |(block, _)| block.bytes());
                }
            }
        }
    }
}
