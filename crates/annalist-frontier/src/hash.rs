//! Hash maps for keys that are hashes already. Their order depends on nothing but what was done to them, so a
//! crawl under a virtual clock repeats exactly.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use annalist_model::UrlKey;

const ODD: u64 = 0x9E37_79B9_7F4A_7C15;

/// Keys here are made by xxh3, which an attacker could aim at one bucket of a table; the tables are bounded, so
/// the worst he gains is a slower look-up.
#[derive(Clone, Copy, Default)]
pub(crate) struct PlainHasher(u64);

impl Hasher for PlainHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(23) ^ value).wrapping_mul(ODD);
    }
}

pub(crate) type Map<K, V> = HashMap<K, V, BuildHasherDefault<PlainHasher>>;
pub(crate) type Set<K> = HashSet<K, BuildHasherDefault<PlainHasher>>;

/// One number for a key, good in all its bits.
pub(crate) fn mix(key: UrlKey) -> u64 {
    let mixed = (key.url ^ key.site.rotate_left(29)).wrapping_mul(ODD);
    mixed ^ (mixed >> 32)
}
