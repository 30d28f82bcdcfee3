//! Answers "certainly not in this run" without touching the disk (a Bloom filter in blocks of one cache line).

use annalist_model::UrlKey;

use crate::hash::mix;

/// Bits a key at which one in a hundred unknown keys seems known.
pub(crate) const BITS_PER_KEY: u64 = 10;
const PROBES: u32 = 6;
const BLOCK_WORDS: usize = 8;

#[derive(Debug, Default)]
pub(crate) struct Filter {
    words: Vec<u64>,
}

impl Filter {
    /// For up to so many keys. Without bits every key seems known.
    pub(crate) fn new(keys: u64, bits_per_key: u64) -> Filter {
        let bits = keys.saturating_mul(bits_per_key);
        let blocks = usize::try_from(bits.div_ceil(512)).unwrap_or(0);
        Filter { words: vec![0; blocks * BLOCK_WORDS] }
    }

    pub(crate) fn from_words(words: Vec<u64>) -> Filter {
        Filter { words }
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// Where a key's block begins, and the number its bits come from.
    fn block(&self, key: UrlKey) -> (usize, u64) {
        let hash = mix(key);
        let blocks = (self.words.len() / BLOCK_WORDS) as u64;
        let block = ((u128::from(hash) * u128::from(blocks)) >> 64) as usize;
        // The block is chosen by the high bits: the bits inside need others.
        (block * BLOCK_WORDS, hash.wrapping_mul(0xD6E8_FEB8_6659_FD93))
    }

    pub(crate) fn insert(&mut self, key: UrlKey) {
        let (start, mut bits) = self.block(key);
        let Some(block) = self.words.get_mut(start..start + BLOCK_WORDS) else { return };
        for _ in 0..PROBES {
            block[(bits & 7) as usize] |= 1 << ((bits >> 3) & 63);
            bits >>= 9;
        }
    }

    pub(crate) fn may_hold(&self, key: UrlKey) -> bool {
        let (start, mut bits) = self.block(key);
        let Some(block) = self.words.get(start..start + BLOCK_WORDS) else { return true };
        for _ in 0..PROBES {
            if block[(bits & 7) as usize] & 1 << ((bits >> 3) & 63) == 0 {
                return false;
            }
            bits >>= 9;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use annalist_disk::Dice;
    use annalist_model::UrlKey;

    use super::Filter;

    #[test]
    fn a_key_that_was_put_in_is_never_denied_and_few_others_seem_known() {
        let mut dice = Dice::new(1);
        let mut key = || UrlKey { site: dice.roll(), url: dice.roll() };
        let inside: Vec<UrlKey> = (0..10_000).map(|_| key()).collect();
        let mut filter = Filter::new(10_000, 10);
        for key in &inside {
            filter.insert(*key);
        }
        assert!(inside.iter().all(|key| filter.may_hold(*key)));
        let wrong = (0..10_000).filter(|_| filter.may_hold(key())).count();
        assert!(wrong < 300, "{wrong} of 10,000");
    }

    #[test]
    fn without_bits_every_key_seems_known() {
        assert!(Filter::new(5, 0).may_hold(UrlKey { site: 1, url: 2 }));
    }
}
