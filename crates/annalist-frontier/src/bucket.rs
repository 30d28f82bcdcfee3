//! All that is known of some sites: a run on disk, over it what is being merged, over that what is pending. Reading a
//! key goes through the three from above; writing goes to the topmost.

use std::sync::Arc;

use annalist_model::UrlKey;
use annalist_model::spec::Update;

use crate::entry::{Entry, Overlaid, Tally, overlay};
use crate::error::FrontierError;
use crate::hash::{Map, Set};
use crate::pending::Pending;
use crate::run::Run;
use crate::site::Site;
use crate::text::Texts;

#[derive(Debug)]
pub(crate) struct Bucket {
    pub(crate) run: Option<Arc<Run>>,
    pub(crate) texts: Texts,
    /// Being merged into the run.
    pub(crate) frozen: Option<Arc<Pending>>,
    /// Journal position up to which the frozen layer holds everything.
    pub(crate) frozen_mark: u64,
    pub(crate) pending: Pending,
    /// Sites in memory.
    pub(crate) sites: Map<u64, Site>,
    /// Journal position up to which the run holds everything.
    pub(crate) mark: u64,
    /// Where to look for sites that are not in memory; `None` when all with something to do are.
    pub(crate) cold_from: Option<u64>,
    /// A site left memory, or found no room there, since the last pass began.
    pub(crate) turned_cold: bool,
    /// The run was looked through and knows no better: only a merge brings news.
    pub(crate) scanned: bool,
    /// Sites that ran dry and are too large to be refilled in passing.
    pub(crate) wanted: Set<u64>,
}

/// Whether a queued link was not queued before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Novelty {
    New,
    Known,
}

impl Novelty {
    pub(crate) fn of(before: Option<&Entry>, after: &Entry) -> Novelty {
        if after.is_queued() && !before.is_some_and(Entry::is_queued) { Novelty::New } else { Novelty::Known }
    }
}

/// A mention that was looked up, and what its link was before.
pub(crate) struct Checked {
    pub(crate) entry: Entry,
    pub(crate) before: Option<Entry>,
}

/// What is to be read of a key's texts.
pub(crate) enum Reading {
    Further,
    Enough,
}

/// A key as the three layers have it, with the layers whose texts count.
struct Layers<'a> {
    entry: Entry,
    pending: Option<&'a Entry>,
    frozen: Option<&'a Entry>,
    stored: Option<Entry>,
}

impl Bucket {
    pub(crate) fn new(pending: Pending) -> Bucket {
        Bucket {
            run: None,
            texts: Texts::default(),
            frozen: None,
            frozen_mark: 0,
            pending,
            sites: Map::default(),
            mark: 0,
            cold_from: None,
            turned_cold: false,
            scanned: false,
            wanted: Set::default(),
        }
    }

    /// A site with something to do is not in memory: a pass has to find it.
    pub(crate) fn turn_cold(&mut self) {
        self.cold_from.get_or_insert(0);
        self.turned_cold = true;
    }

    /// Whether no layer below the pending one has the key, as far as memory can tell.
    pub(crate) fn is_certainly_new(&self, key: UrlKey) -> bool {
        let frozen = self.frozen.as_ref().is_some_and(|frozen| frozen.find(key).is_some());
        !frozen && self.run.as_ref().is_none_or(|run| !run.may_hold(key))
    }

    fn stored(&self, key: UrlKey) -> Result<Option<Entry>, FrontierError> {
        self.run.as_ref().map_or(Ok(None), |run| run.find(key))
    }

    /// What the layers below the pending one say.
    pub(crate) fn below(&self, update: Update, key: UrlKey) -> Result<Option<Entry>, FrontierError> {
        let frozen = self.frozen.as_ref().and_then(|frozen| frozen.get(key));
        match frozen {
            Some(over) if !over.is_unchecked() => Ok(Some(*over)),
            Some(over) => Ok(Some(overlay(update, self.stored(key)?.as_ref(), over).entry)),
            None => self.stored(key),
        }
    }

    /// The keys of what is pending or being merged, each once.
    pub(crate) fn keys_in_memory(&self) -> Vec<UrlKey> {
        let layers = self.frozen.as_deref().into_iter().chain([&self.pending]);
        let mut keys: Vec<UrlKey> = layers.flat_map(Pending::sorted).map(|entry| entry.key).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// What is known of a key, without its texts.
    pub(crate) fn peek(&self, update: Update, key: UrlKey) -> Result<Option<Entry>, FrontierError> {
        match self.pending.get(key) {
            Some(over) if !over.is_unchecked() => Ok(Some(*over)),
            Some(over) => Ok(Some(overlay(update, self.below(update, key)?.as_ref(), over).entry)),
            None => self.below(update, key),
        }
    }

    /// What is known of a key. A mention that was not checked is, from now on. The text of the row is not to be used.
    pub(crate) fn resolve(&mut self, update: Update, key: UrlKey) -> Result<Option<Entry>, FrontierError> {
        match self.pending.find(key) {
            None => self.below(update, key),
            Some(place) => Ok(self.check(update, place)?.map(|checked| checked.entry)),
        }
    }

    /// The row at a place of the pending layer, checked.
    pub(crate) fn check(&mut self, update: Update, place: usize) -> Result<Option<Checked>, FrontierError> {
        let Some(over) = self.pending.at(place).copied() else { return Ok(None) };
        if !over.is_unchecked() {
            return Ok(Some(Checked { entry: over, before: Some(over) }));
        }
        let base = self.below(update, over.key)?;
        let Overlaid { entry, adds_text } = overlay(update, base.as_ref(), &over);
        let entry = entry.with_text(if adds_text { over.text } else { 0 });
        self.pending.put_at(place, entry);
        if let Some(base) = &base {
            self.pending.tally.take_away(base);
        }
        self.pending.tally.add(&entry);
        Ok(Some(Checked { entry, before: base }))
    }

    /// Replaces a resolved row by another, with a text to add to those it has.
    pub(crate) fn replace(&mut self, before: Option<&Entry>, after: Entry, text: Option<&[u8]>) {
        if let Some(before) = before {
            self.pending.tally.take_away(before);
        }
        let place = self.pending.find(after.key);
        let now = place.and_then(|place| self.pending.at(place)).map_or(0, |entry| entry.text);
        let mut after = after.checked();
        if let Some(body) = text {
            after.text = self.pending.add_text(now, body);
        } else if after.has_texts() {
            after.text = now;
        }
        self.pending.tally.add(&after);
        match place {
            Some(place) => self.pending.put_at(place, after),
            None => self.pending.insert(after),
        }
    }

    /// What is known of a key, and its texts, newest first, as far as the reader wants them.
    pub(crate) fn examine(
        &self,
        update: Update,
        key: UrlKey,
        reader: &mut dyn FnMut(&[u8]) -> Reading,
    ) -> Result<Option<Entry>, FrontierError> {
        let Some(layers) = self.layers(update, key)?.filter(|layers| layers.entry.has_texts()) else {
            return Ok(None);
        };
        let above = [(Some(&self.pending), layers.pending), (self.frozen.as_deref(), layers.frozen)];
        for (pending, entry) in above {
            let Some((pending, entry)) = pending.zip(entry) else { continue };
            for body in pending.texts(entry) {
                if let Reading::Enough = reader(&body?) {
                    return Ok(Some(layers.entry));
                }
            }
        }
        let mut position = layers.stored.map_or(0, |entry| entry.text);
        while position != 0 {
            let (body, earlier) = self.texts.read(position)?;
            if let Reading::Enough = reader(&body) {
                break;
            }
            position = earlier;
        }
        Ok(Some(layers.entry))
    }

    fn layers(&self, update: Update, key: UrlKey) -> Result<Option<Layers<'_>>, FrontierError> {
        let stored = self.stored(key)?;
        let mut entry = stored;
        let mut layer = |over: Option<&Entry>| {
            let over = over?;
            let overlaid = overlay(update, entry.as_ref(), over);
            entry = Some(overlaid.entry);
            Some(overlaid.adds_text)
        };
        let frozen = self.frozen.as_ref().and_then(|frozen| frozen.get(key));
        let frozen = frozen.filter(|_| layer(frozen) == Some(true));
        let pending = self.pending.get(key);
        let pending = pending.filter(|_| layer(pending) == Some(true));
        Ok(entry.map(|entry| Layers { entry, pending, frozen, stored }))
    }

    /// Every row of a site as it reads now, unless they are too many to be read in passing.
    pub(crate) fn site_rows(
        &self,
        update: Update,
        site: u64,
        most_blocks: usize,
    ) -> Result<Option<Vec<Entry>>, FrontierError> {
        let mut rows = match &self.run {
            None => Vec::new(),
            Some(run) => match run.site(site, most_blocks)? {
                None => return Ok(None),
                Some(rows) => rows,
            },
        };
        for layer in self.frozen.as_deref().into_iter().chain([&self.pending]) {
            overlay_rows(update, &mut rows, layer, site);
        }
        Ok(Some(rows))
    }

    /// Some links of a site, in memory or on disk. What cannot be read is left out.
    pub(crate) fn some_links(&self, site: u64, most: usize) -> Vec<UrlKey> {
        let layers = [Some(&self.pending), self.frozen.as_deref()];
        let above = layers.into_iter().flatten().flat_map(|layer| layer.of_site(site).copied().take(most));
        let below = self.run.as_ref().and_then(|run| run.first_of_site(site).ok()).unwrap_or_default();
        above.chain(below).filter(Entry::has_texts).map(|entry| entry.key).take(most).collect()
    }

    pub(crate) fn tally(&self) -> Tally {
        let stored = self.run.as_ref().map_or(Tally::default(), |run| run.tally);
        let frozen = self.frozen.as_ref().map_or(Tally::default(), |frozen| frozen.tally);
        stored.plus(frozen).plus(self.pending.tally)
    }

    pub(crate) fn unchecked(&self) -> u64 {
        self.pending.unchecked + self.frozen.as_ref().map_or(0, |frozen| frozen.unchecked)
    }

    pub(crate) fn memory_bytes(&self) -> u64 {
        self.pending.bytes() + self.frozen.as_ref().map_or(0, |frozen| frozen.bytes())
    }
}

/// Puts a layer's rows of one site over rows that are sorted, and leaves them sorted.
fn overlay_rows(update: Update, rows: &mut Vec<Entry>, layer: &Pending, site: u64) {
    let old = rows.len();
    for over in layer.of_site(site) {
        let found = rows.get(..old).unwrap_or_default().binary_search_by_key(&over.key, |row| row.key);
        match found.ok().and_then(|place| rows.get_mut(place)) {
            Some(row) => *row = overlay(update, Some(row), over).entry,
            None => rows.push(overlay(update, None, over).entry),
        }
    }
    if rows.len() > old {
        rows.sort_unstable_by_key(|row| row.key);
    }
}
