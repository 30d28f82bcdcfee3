//! A bounded map whose entries end. The oldest entry makes room when the bytes are used up, so that memory is a
//! setting and not a property of the web. What the entries mean is the owner's matter.

use std::borrow::Borrow;
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use annalist_model::Time;

/// What an entry costs beside what its owner counted: key, bookkeeping and allocator.
const ENTRY_BYTES: usize = 128;

#[derive(Debug)]
pub(crate) struct Expiring<K, V> {
    entries: HashMap<K, Entry<V>>,
    /// Oldest first. A replaced entry leaves its old line behind; `serial` tells it apart.
    order: VecDeque<(u64, K)>,
    next_serial: u64,
    bytes: usize,
    most_bytes: usize,
}

#[derive(Debug)]
struct Entry<V> {
    value: V,
    until: Time,
    bytes: usize,
    serial: u64,
}

impl<K: Hash + Eq + Clone, V> Expiring<K, V> {
    pub(crate) fn new(most_bytes: usize) -> Expiring<K, V> {
        Expiring { entries: HashMap::new(), order: VecDeque::new(), next_serial: 0, bytes: 0, most_bytes }
    }

    pub(crate) fn get<Q>(&self, key: &Q, now: Time) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.entries.get(key).filter(|e| now < e.until).map(|e| &e.value)
    }

    pub(crate) fn get_mut<Q>(&mut self, key: &Q, now: Time) -> Option<&mut V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.entries.get_mut(key).filter(|e| now < e.until).map(|e| &mut e.value)
    }

    /// `bytes` is what the value holds on the heap, roughly.
    pub(crate) fn put(&mut self, key: K, value: V, bytes: usize, until: Time) {
        let serial = self.next_serial;
        self.next_serial += 1;
        let bytes = bytes.saturating_add(ENTRY_BYTES);
        self.bytes = self.bytes.saturating_add(bytes);
        self.order.push_back((serial, key.clone()));
        if let Some(old) = self.entries.insert(key, Entry { value, until, bytes, serial }) {
            self.bytes = self.bytes.saturating_sub(old.bytes);
        }
        self.make_room();
    }

    fn make_room(&mut self) {
        while self.bytes > self.most_bytes {
            let Some((serial, key)) = self.order.pop_front() else { return };
            if let Some(entry) = self.entries.get(&key).filter(|e| e.serial == serial) {
                self.bytes = self.bytes.saturating_sub(entry.bytes);
                self.entries.remove(&key);
            }
        }
        if self.order.len() > 2 * self.entries.len() + 16 {
            let entries = &self.entries;
            self.order.retain(|(serial, key)| entries.get(key).is_some_and(|e| e.serial == *serial));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ENTRY_BYTES, Expiring};
    use annalist_model::Time;

    const NOW: Time = Time::from_millis(1000);
    const LATER: Time = Time::from_millis(2000);

    #[test]
    fn an_entry_ends_at_its_time() {
        let mut map = Expiring::new(10_000);
        map.put("a", 1, 0, LATER);
        assert_eq!(map.get("a", NOW), Some(&1));
        assert_eq!(map.get("a", LATER), None);
    }

    #[test]
    fn the_oldest_entry_makes_room() {
        let mut map = Expiring::new(2 * ENTRY_BYTES);
        for (key, value) in [("a", 1), ("b", 2), ("c", 3)] {
            map.put(key, value, 0, LATER);
        }
        assert_eq!(map.get("a", NOW), None);
        assert_eq!((map.get("b", NOW), map.get("c", NOW)), (Some(&2), Some(&3)));
    }

    #[test]
    fn a_replaced_entry_is_as_young_as_its_replacement() {
        let mut map = Expiring::new(2 * ENTRY_BYTES);
        for (key, value) in [("a", 1), ("b", 2), ("a", 4), ("c", 3)] {
            map.put(key, value, 0, LATER);
        }
        assert_eq!(map.get("b", NOW), None);
        assert_eq!(map.get("a", NOW), Some(&4));
    }

    #[test]
    fn replacing_one_entry_for_ever_takes_no_memory() {
        let mut map = Expiring::new(10 * ENTRY_BYTES);
        for value in 0..10_000 {
            map.put("a", value, 10, LATER);
        }
        assert!(map.order.len() < 100);
        assert_eq!(map.bytes, ENTRY_BYTES + 10);
        assert_eq!(map.get("a", NOW), Some(&9999));
    }

    #[test]
    fn what_is_larger_than_all_room_is_not_kept() {
        let mut map = Expiring::new(ENTRY_BYTES);
        map.put("a", 1, 1, LATER);
        assert_eq!(map.get("a", NOW), None);
        assert_eq!(map.bytes, 0);
    }
}
