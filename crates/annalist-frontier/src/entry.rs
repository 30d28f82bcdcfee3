//! One row of the URL store, and how a newer row over an older one is read. Where rows are kept is elsewhere.

use annalist_model::spec::Update;
use annalist_model::{SkipReason, Time, UrlKey};

use crate::codec::Malformed;

pub(crate) const ENTRY_BYTES: usize = 40;

/// Times and positions are stored in six bytes.
const SIX_BYTES: u64 = (1 << 48) - 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Queued,
    Done,
    Refused,
    /// State of a site, under its key with URL 0.
    Site,
    /// Until when a host rests, under its site and the host's key.
    Host,
    /// First capture of a payload, under two hashes of the digest.
    Digest,
}

impl Kind {
    const ALL: [Kind; 6] = [Kind::Queued, Kind::Done, Kind::Refused, Kind::Site, Kind::Host, Kind::Digest];
}

const KIND_BITS: u8 = 0b0000_0111;
const URGENT: u8 = 0b0000_1000;
const RETRIED: u8 = 0b0001_0000;
/// In memory only: what was found on disk was not asked yet, so this row says what to add to it.
const UNCHECKED: u8 = 0b0010_0000;

/// A row. `text` is a position in the text log for a row of a run, and a place in the pending text (0 = nothing new)
/// for a row in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: UrlKey,
    /// Sequence number of its discovery; the time it may be tried again, in milliseconds, when it was tried.
    pub(crate) turn: u64,
    pub(crate) text: u64,
    pub(crate) value: f32,
    /// How often it was discovered; for a refused link, how often it was refused.
    pub(crate) count: u32,
    pub(crate) depth: u16,
    pub(crate) tries: u8,
    flags: u8,
}

impl Entry {
    pub(crate) fn new(key: UrlKey, kind: Kind) -> Entry {
        Entry { key, turn: 0, text: 0, value: 0.0, count: 0, depth: 0, tries: 0, flags: kind as u8 }
    }

    pub(crate) fn with_text(self, text: u64) -> Entry {
        Entry { text, ..self }
    }

    pub(crate) fn kind(&self) -> Kind {
        // Every row was checked when it was read.
        Kind::ALL.get(usize::from(self.flags & KIND_BITS)).copied().unwrap_or(Kind::Done)
    }

    pub(crate) fn is_queued(&self) -> bool {
        self.flags & KIND_BITS == Kind::Queued as u8
    }

    pub(crate) fn set_kind(&mut self, kind: Kind) {
        self.flags = self.flags & !KIND_BITS | kind as u8;
    }

    pub(crate) fn is_urgent(&self) -> bool {
        self.flags & URGENT != 0
    }

    pub(crate) fn urgent(mut self) -> Entry {
        self.flags |= URGENT;
        self
    }

    pub(crate) fn is_unchecked(&self) -> bool {
        self.flags & UNCHECKED != 0
    }

    pub(crate) fn unchecked(mut self) -> Entry {
        self.flags |= UNCHECKED;
        self
    }

    pub(crate) fn checked(mut self) -> Entry {
        self.flags &= !UNCHECKED;
        self
    }

    /// Rows of sites and hosts keep numbers where others keep the place of their texts.
    pub(crate) fn has_texts(&self) -> bool {
        !matches!(self.kind(), Kind::Site | Kind::Host)
    }

    /// Not before this time; `None` for a link that was not tried yet.
    pub(crate) fn not_before(&self) -> Option<Time> {
        (self.flags & RETRIED != 0).then(|| Time::from_millis(self.turn))
    }

    pub(crate) fn retried(mut self, not_before: Time, tries: u16) -> Entry {
        self.turn = not_before.millis().min(SIX_BYTES);
        self.tries = u8::try_from(tries).unwrap_or(u8::MAX);
        self.flags |= RETRIED;
        self
    }

    /// The stored form. Keys come first, big end first, so that bytes sort as keys do.
    pub(crate) fn to_bytes(self) -> [u8; ENTRY_BYTES] {
        let mut bytes = [0; ENTRY_BYTES];
        bytes[0..8].copy_from_slice(&self.key.site.to_be_bytes());
        bytes[8..16].copy_from_slice(&self.key.url.to_be_bytes());
        bytes[16..22].copy_from_slice(&self.turn.min(SIX_BYTES).to_le_bytes()[..6]);
        bytes[22..28].copy_from_slice(&self.text.min(SIX_BYTES).to_le_bytes()[..6]);
        bytes[28..32].copy_from_slice(&self.value.to_bits().to_le_bytes());
        bytes[32..36].copy_from_slice(&self.count.to_le_bytes());
        bytes[36..38].copy_from_slice(&self.depth.to_le_bytes());
        bytes[38] = self.tries;
        bytes[39] = self.flags & !UNCHECKED;
        bytes
    }

    pub(crate) fn read(bytes: &[u8]) -> Result<Entry, Malformed> {
        let bytes: &[u8; ENTRY_BYTES] = bytes.first_chunk().ok_or(Malformed)?;
        let flags = bytes[39];
        if usize::from(flags & KIND_BITS) >= Kind::ALL.len() {
            return Err(Malformed);
        }
        Ok(Entry {
            key: UrlKey { site: big(&bytes[0..8]), url: big(&bytes[8..16]) },
            turn: little(&bytes[16..22]),
            text: little(&bytes[22..28]),
            value: f32::from_bits(little(&bytes[28..32]) as u32),
            count: little(&bytes[32..36]) as u32,
            depth: little(&bytes[36..38]) as u16,
            tries: bytes[38],
            flags,
        })
    }
}

fn big(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

fn little(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// Where the key of a stored row is.
pub(crate) const KEY_BYTES: usize = 16;

pub(crate) fn key_bytes(key: UrlKey) -> [u8; KEY_BYTES] {
    let mut bytes = [0; KEY_BYTES];
    bytes[..8].copy_from_slice(&key.site.to_be_bytes());
    bytes[8..].copy_from_slice(&key.url.to_be_bytes());
    bytes
}

/// A newer row over an older one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Overlaid {
    /// As it reads now; its text is the older row's.
    pub(crate) entry: Entry,
    /// Whether the newer row's texts are news.
    pub(crate) adds_text: bool,
}

/// How `over` reads above `base`. A checked row says all there is; an unchecked one is a mention, and what it does
/// depends on what is known of the link.
pub(crate) fn overlay(update: Update, base: Option<&Entry>, over: &Entry) -> Overlaid {
    let text = base.map_or(0, |b| b.text);
    let news = |entry: Entry| Overlaid {
        entry: Entry { text: if entry.has_texts() { text } else { entry.text }, ..entry },
        adds_text: over.text != 0 && entry.has_texts(),
    };
    let Some(base) = base.filter(|_| over.is_unchecked()) else {
        return news(over.checked());
    };
    match (base.kind(), over.kind()) {
        // Found again by a way that is in scope.
        (Kind::Refused, Kind::Queued) => news(over.checked()),
        (Kind::Refused, _) => {
            let count = base.count.saturating_add(over.count);
            Overlaid { entry: Entry { count, ..*base }, adds_text: false }
        }
        (_, Kind::Refused) => Overlaid { entry: *base, adds_text: false },
        _ => {
            let value = combined(update, (base.value, base.count), (over.value, over.count));
            let count = base.count.saturating_add(over.count);
            let urgent = over.flags & URGENT;
            let entry = Entry { value, count, flags: base.flags | urgent, ..*base };
            Overlaid { entry, adds_text: false }
        }
    }
}

/// The value of a link that had `old` and received `new`, each with how many values are in it.
pub(crate) fn combined(update: Update, old: (f32, u32), new: (f32, u32)) -> f32 {
    match update {
        Update::First => old.0,
        Update::Last => new.0,
        Update::Max => old.0.max(new.0),
        Update::Sum => old.0 + new.0,
        Update::Avg => {
            let (n, m) = (f64::from(old.1), f64::from(new.1));
            if n + m == 0.0 {
                return new.0;
            }
            ((f64::from(old.0) * n + f64::from(new.0) * m) / (n + m)) as f32
        }
    }
}

/// A site's state, kept in the fields of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct SiteRow {
    pub(crate) until: Time,
    pub(crate) delay_millis: u32,
    pub(crate) captures: u32,
    pub(crate) bytes: u64,
    pub(crate) closed: Option<SkipReason>,
}

impl SiteRow {
    pub(crate) fn key(site: u64) -> UrlKey {
        UrlKey { site, url: 0 }
    }

    pub(crate) fn of(entry: &Entry) -> SiteRow {
        SiteRow {
            until: Time::from_millis(entry.turn),
            delay_millis: entry.value.to_bits(),
            captures: entry.count,
            bytes: entry.text,
            closed: entry.tries.checked_sub(1).and_then(SkipReason::from_code),
        }
    }

    pub(crate) fn entry(&self, site: u64) -> Entry {
        let mut entry = Entry::new(SiteRow::key(site), Kind::Site);
        entry.turn = self.until.millis().min(SIX_BYTES);
        entry.value = f32::from_bits(self.delay_millis);
        entry.count = self.captures;
        entry.text = self.bytes.min(SIX_BYTES);
        entry.tries = self.closed.map_or(0, |reason| reason.code().saturating_add(1));
        entry
    }
}

/// How many rows of each kind there are, or how many more than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Tally {
    pub(crate) queued: i64,
    pub(crate) done: i64,
    pub(crate) refused: i64,
    pub(crate) sites: i64,
    pub(crate) closed: i64,
}

impl Tally {
    pub(crate) fn add(&mut self, entry: &Entry) {
        self.count(entry, 1);
    }

    pub(crate) fn take_away(&mut self, entry: &Entry) {
        self.count(entry, -1);
    }

    fn count(&mut self, entry: &Entry, by: i64) {
        match entry.kind() {
            Kind::Queued => self.queued += by,
            Kind::Done => self.done += by,
            Kind::Refused => self.refused += by,
            Kind::Site => {
                self.sites += by;
                self.closed += if entry.tries == 0 { 0 } else { by };
            }
            Kind::Host | Kind::Digest => {}
        }
    }

    pub(crate) fn plus(self, other: Tally) -> Tally {
        Tally {
            queued: self.queued + other.queued,
            done: self.done + other.done,
            refused: self.refused + other.refused,
            sites: self.sites + other.sites,
            closed: self.closed + other.closed,
        }
    }
}
