//! What one bucket knows that its run does not: rows and texts in memory, found by key and by site. Merging them
//! into the run is in `merge.rs`.

use annalist_model::UrlKey;
use hashbrown::HashTable;

use crate::codec::{Malformed, Put, Take};
use crate::entry::{Entry, Tally};
use crate::hash::{Map, mix};

/// A row, and the next older one of its site (1 more than its place, 0 = none).
#[derive(Clone, Copy, Debug)]
struct Slot {
    entry: Entry,
    older: u32,
}

/// Rows not merged yet. Each key stands here once: further mentions are added to its row.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    table: HashTable<u32>,
    slots: Vec<Slot>,
    newest_of_site: Map<u64, u32>,
    /// Texts: place of the key's earlier text (0 = the older layer's), length, body.
    text: Vec<u8>,
    /// Rows that are only mentions: whether their links are new is not known yet.
    pub(crate) unchecked: u64,
    /// What the checked rows change in the counts of the older layers.
    pub(crate) tally: Tally,
    /// Journal position before the first change that is in here.
    pub(crate) since: u64,
}

/// Beside the row: its part of the table and of the sites' chains.
const SLOT_BYTES: u64 = 56 + 12 + 8;

impl Pending {
    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.slots.len() as u64 * SLOT_BYTES + self.text.len() as u64
    }

    pub(crate) fn find(&self, key: UrlKey) -> Option<usize> {
        let slots = &self.slots;
        let same = |place: &u32| slots.get(*place as usize).is_some_and(|s| s.entry.key == key);
        self.table.find(mix(key), same).map(|place| *place as usize)
    }

    pub(crate) fn get(&self, key: UrlKey) -> Option<&Entry> {
        self.find(key).and_then(|place| self.at(place))
    }

    pub(crate) fn at(&self, place: usize) -> Option<&Entry> {
        self.slots.get(place).map(|slot| &slot.entry)
    }

    pub(crate) fn put_at(&mut self, place: usize, entry: Entry) {
        if let Some(slot) = self.slots.get_mut(place) {
            self.unchecked -= u64::from(slot.entry.is_unchecked());
            self.unchecked += u64::from(entry.is_unchecked());
            slot.entry = entry;
        }
    }

    /// A row whose key is not here yet.
    pub(crate) fn insert(&mut self, entry: Entry) {
        // Memory bounds a bucket's rows far below this.
        let Ok(place) = u32::try_from(self.slots.len()) else { return };
        self.unchecked += u64::from(entry.is_unchecked());
        let newest = self.newest_of_site.entry(entry.key.site).or_insert(0);
        self.slots.push(Slot { entry, older: std::mem::replace(newest, place + 1) });
        let slots = &self.slots;
        let hash_of = |place: &u32| slots.get(*place as usize).map_or(0, |s| mix(s.entry.key));
        self.table.insert_unique(mix(entry.key), place, hash_of);
    }

    /// Rows of one site, newest first.
    pub(crate) fn of_site(&self, site: u64) -> impl Iterator<Item = &Entry> {
        let mut next = self.newest_of_site.get(&site).copied().unwrap_or(0);
        std::iter::from_fn(move || {
            let slot = self.slots.get((next as usize).checked_sub(1)?)?;
            next = slot.older;
            Some(&slot.entry)
        })
    }

    /// Keeps a text after an earlier one of the same key; its place is the key's `text` from now on.
    pub(crate) fn add_text(&mut self, earlier: u64, body: &[u8]) -> u64 {
        let place = self.text.len() as u64 + 1;
        self.text.put_u32(u32::try_from(earlier).unwrap_or(0));
        self.text.put_u32(u32::try_from(body.len()).unwrap_or(u32::MAX));
        self.text.put(body);
        place
    }

    /// Texts of one row, newest first.
    pub(crate) fn texts(&self, entry: &Entry) -> impl Iterator<Item = Result<&[u8], Malformed>> {
        let mut next = entry.text;
        std::iter::from_fn(move || {
            let place = usize::try_from(next.checked_sub(1)?).ok()?;
            next = 0;
            let read = || {
                let mut take = Take::new(self.text.get(place..).ok_or(Malformed)?);
                let earlier = take.u32()?;
                let length = take.u32()? as usize;
                Ok((u64::from(earlier), take.take(length)?))
            };
            Some(read().map(|(earlier, body)| {
                next = earlier;
                body
            }))
        })
    }

    /// All rows in key order.
    pub(crate) fn sorted(&self) -> Vec<Entry> {
        let mut entries: Vec<Entry> = self.slots.iter().map(|slot| slot.entry).collect();
        entries.sort_unstable_by_key(|entry| entry.key);
        entries
    }

    /// Room for as much as `other` held: buckets fill alike from one merge to the next.
    pub(crate) fn shaped_like(other: &Pending) -> Pending {
        let mut fresh = Pending::default();
        fresh.slots.reserve(other.slots.len() / 2);
        fresh.text.reserve(other.text.len() / 2);
        fresh
    }
}
