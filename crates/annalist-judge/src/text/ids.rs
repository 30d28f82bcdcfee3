//! Terms as numbers. Two terms with one number would be taken for the same; at 64 bits there are none in practice.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use xxhash_rust::xxh3::xxh3_64;

/// A term's number: the same in every run and on every machine.
pub fn id(term: &str) -> u64 {
    // The first bit is left to terms that are no words.
    xxh3_64(term.as_bytes()) >> 1
}

/// By number; the numbers are hashes already.
pub type IdMap<V> = HashMap<u64, V, BuildHasherDefault<AsItIs>>;

#[derive(Clone, Copy, Debug, Default)]
pub struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64(bytes);
    }

    fn write_u64(&mut self, id: u64) {
        self.0 = id;
    }
}
