//! A hash for names and small numbers. The keys are those of the catalogue, or numbers of nodes: nobody can choose them to collide.

use std::hash::Hasher;

use xxhash_rust::xxh3::xxh3_64;

#[derive(Clone, Copy, Debug, Default)]
pub struct Quick(u64);

impl Quick {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

impl Hasher for Quick {
    fn finish(&self) -> u64 {
        // The best bits of a product are its upper ones; tables take the lower ones, too.
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        self.add(xxh3_64(bytes));
    }

    fn write_u8(&mut self, _: u8) {
        // The end of a text: there is one text a key.
    }

    fn write_usize(&mut self, number: usize) {
        self.add(number as u64);
    }

    fn write_u32(&mut self, number: u32) {
        self.add(u64::from(number));
    }
}
