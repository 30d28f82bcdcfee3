//! What one bucket knows that its run does not: rows and texts in memory, found by key and by site. Merging them
//! into the run is in `merge.rs`.

use std::borrow::Cow;
use std::sync::Arc;

use annalist_model::UrlKey;
use hashbrown::HashTable;

use crate::arena::{Arena, PIECE_BITS};
use crate::entry::{Entry, Tally};
use crate::error::FrontierError;
use crate::excerpt::Excerpts;
use crate::hash::{Map, mix};
use crate::pool::{Pieces, Pool};

/// A place of a text that is a position in the journal.
const IN_JOURNAL: u64 = 1 << 63;
const SLOT_PIECE_BITS: u32 = 12;

/// A row, and the next older one of its site (1 more than its place, 0 = none).
#[derive(Clone, Copy, Debug)]
struct Slot {
    entry: Entry,
    older: u32,
}

/// Rows not merged yet. Each key stands here once: further mentions are added to its row.
#[derive(Debug)]
pub(crate) struct Pending {
    table: HashTable<u32>,
    slots: Pieces<Slot>,
    newest_of_site: Map<u64, u32>,
    /// Each text with the place of the key's earlier one (0 = the older layer's).
    text: Arena,
    /// Where texts are that are not in memory; `None` when all are.
    excerpts: Option<Arc<Excerpts>>,
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
    pub(crate) fn new(excerpts: Option<Arc<Excerpts>>) -> Pending {
        Pending::with(Pool::new(SLOT_PIECE_BITS), Pool::new(PIECE_BITS), excerpts)
    }

    fn with(slots: Pool<Slot>, text: Pool<u8>, excerpts: Option<Arc<Excerpts>>) -> Pending {
        Pending {
            table: HashTable::new(),
            slots: Pieces::new(slots),
            newest_of_site: Map::default(),
            text: Arena::new(text),
            excerpts,
            unchecked: 0,
            tally: Tally::default(),
            since: 0,
        }
    }

    /// An empty one that shares memory with this one.
    pub(crate) fn sibling(&self) -> Pending {
        Pending::with(self.slots.pool().clone(), self.text.pool().clone(), self.excerpts.clone())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.slots.len() == 0
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.slots.len() as u64 * SLOT_BYTES + self.text.bytes()
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
        self.text.add(earlier, body)
    }

    /// The place of a mention's text: in the journal, where it can be read from there.
    pub(crate) fn mention_text(&mut self, journal_position: u64, body: &[u8]) -> u64 {
        match self.excerpts {
            Some(_) => journal_position | IN_JOURNAL,
            None => self.add_text(0, body),
        }
    }

    /// Texts of one row, newest first.
    pub(crate) fn texts(&self, entry: &Entry) -> impl Iterator<Item = Result<Cow<'_, [u8]>, FrontierError>> {
        let mut next = entry.text;
        std::iter::from_fn(move || {
            let place = std::mem::take(&mut next);
            let read = (place != 0).then(|| self.text_at(place))?;
            Some(read.map(|(body, earlier)| {
                next = earlier;
                body
            }))
        })
    }

    fn text_at(&self, place: u64) -> Result<(Cow<'_, [u8]>, u64), FrontierError> {
        match &self.excerpts {
            Some(excerpts) if place & IN_JOURNAL != 0 => {
                Ok((Cow::Owned(excerpts.read(place & !IN_JOURNAL)?), 0))
            }
            _ => {
                let (body, earlier) =
                    self.text.get(place).map_err(FrontierError::malformed("pending texts"))?;
                Ok((Cow::Borrowed(body), earlier))
            }
        }
    }

    /// All rows in key order.
    pub(crate) fn sorted(&self) -> Vec<Entry> {
        let mut entries: Vec<Entry> = self.slots.iter().map(|slot| slot.entry).collect();
        entries.sort_unstable_by_key(|entry| entry.key);
        entries
    }
}
