//! Everything that is known of a URL, a payload, and all that waits.

use std::time::Duration;

use annalist_model::{Link, Outcome, SkipReason, Time, UrlKey};

use crate::apply::digest_key;
use crate::bucket::{Bucket, Reading};
use crate::change::stored_url;
use crate::entry::{Entry, Kind, SiteRow};
use crate::error::FrontierError;
use crate::frontier::Frontier;
use crate::hash::Set;
use crate::record::{self, Place, Record};
use crate::settings::{Urgency, bucket_of};

/// What is known of a URL.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    pub key: UrlKey,
    /// How it was found; `None` for one that got its outcome without having been discovered.
    pub link: Option<Link>,
    pub state: State,
    /// What became of it before, when it is to be visited again.
    pub earlier: Option<State>,
    pub value: f32,
    pub urgency: Urgency,
    /// How often it was discovered; for a refused link, how often it was refused.
    pub times_seen: u32,
    /// Failed tries so far.
    pub tries: u16,
    /// Why it has to be tried again, newest first.
    pub retries: Vec<String>,
    pub site: SiteState,
}

#[derive(Clone, Debug, PartialEq)]
pub enum State {
    /// Waits for its turn; not before a time, when it was tried.
    Queued {
        not_before: Option<Time>,
    },
    /// Leased, or visited and not committed.
    Leased,
    Done {
        outcome: Outcome,
        place: Option<Place>,
        digest: Option<String>,
        at: Time,
        bytes: u64,
    },
    Refused {
        reason: SkipReason,
        detail: String,
    },
}

/// What is known of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SiteState {
    pub rests_until: Time,
    pub delay: Duration,
    /// Of pages: robots.txt is none.
    pub captures: u64,
    pub bytes: u64,
    pub closed: Option<SkipReason>,
}

/// The first capture of a payload.
#[derive(Clone, Debug, PartialEq)]
pub struct Original {
    pub place: Option<Place>,
    pub url: String,
    pub at: Time,
}

impl Frontier {
    /// Everything known of a URL; `None` for one that was never seen.
    pub fn lookup(&self, key: UrlKey) -> Result<Option<Known>, FrontierError> {
        let key = UrlKey { site: key.site, url: stored_url(key.url) };
        let mut records = Vec::new();
        let mut malformed = None;
        let bucket = &self.buckets[bucket_of(key.site)];
        let entry = bucket.examine(self.update, key, &mut |body| match record::read(body) {
            Ok(record) => {
                records.push(record);
                Reading::Further
            }
            Err(e) => {
                malformed = Some(e);
                Reading::Enough
            }
        })?;
        if let Some(malformed) = malformed {
            return Err(FrontierError::malformed("text log")(malformed));
        }
        match entry.filter(|e| matches!(e.kind(), Kind::Queued | Kind::Done | Kind::Refused)) {
            Some(entry) => self.known(&entry, records).map(Some),
            None => Ok(None),
        }
    }

    fn known(&self, entry: &Entry, records: Vec<Record>) -> Result<Known, FrontierError> {
        let mut state = match entry.kind() {
            Kind::Queued if self.is_out(entry.key) => Some(State::Leased),
            Kind::Queued => Some(State::Queued { not_before: entry.not_before() }),
            _ => None,
        };
        let mut link = None;
        let mut earlier = None;
        let mut retries = Vec::new();
        let mut tries = u16::from(entry.tries);
        for record in records {
            match record {
                Record::Link(text) => {
                    link.get_or_insert(text);
                }
                Record::Refused { reason, detail, link: text } => {
                    link.get_or_insert(text);
                    if entry.kind() == Kind::Refused {
                        state.get_or_insert(State::Refused { reason, detail });
                    }
                }
                Record::Ending(end) => {
                    let is_blacklisting = end.outcome.is_blacklisting();
                    let (outcome, place, digest) = (end.outcome, end.place, end.digest);
                    let done = State::Done { outcome, place, digest, at: end.at, bytes: end.bytes };
                    match &state {
                        None => state = Some(done),
                        // A visit that was under way ended later: that changes nothing.
                        Some(State::Done { .. }) if is_blacklisting => state = Some(done),
                        Some(State::Queued { .. } | State::Leased) if earlier.is_none() => {
                            earlier = Some(done);
                        }
                        Some(_) => {}
                    }
                }
                Record::Retry { tries: so_far, reason, .. } => {
                    // The newest comes first; the row holds only small numbers.
                    if retries.is_empty() {
                        tries = so_far;
                    }
                    retries.push(reason);
                }
                Record::Original(_) => {}
            }
        }
        let link = link.map(record::LinkText::into_link).transpose();
        Ok(Known {
            key: entry.key,
            link: link.map_err(FrontierError::malformed("text log"))?,
            state: state.ok_or_else(|| FrontierError::damaged("text log", "an outcome has no text"))?,
            earlier,
            value: entry.value,
            urgency: if entry.is_urgent() { Urgency::Urgent } else { Urgency::Normal },
            times_seen: entry.count,
            tries,
            retries,
            site: self.site_state(entry.key.site)?,
        })
    }

    /// Whether somebody said once that it is never to be fetched: no later outcome takes that back.
    pub fn is_blacklisted(&self, key: UrlKey) -> Result<bool, FrontierError> {
        let key = UrlKey { site: key.site, url: stored_url(key.url) };
        let mut found = false;
        self.buckets[bucket_of(key.site)].examine(self.update, key, &mut |body| {
            found |= matches!(record::read(body), Ok(Record::Ending(end)) if end.outcome.is_blacklisting());
            if found { Reading::Enough } else { Reading::Further }
        })?;
        Ok(found)
    }

    /// What is known of a site, in memory or on disk.
    pub fn site_state(&self, site: u64) -> Result<SiteState, FrontierError> {
        let loaded = self.buckets[bucket_of(site)].sites.get(&site);
        let row = match loaded {
            Some(loaded) => loaded.row,
            None => self.site_row(site)?.unwrap_or_default(),
        };
        let SiteRow { until, delay_millis, captures, bytes, closed } = row;
        Ok(SiteState {
            rests_until: loaded.map_or(until, |loaded| loaded.rest),
            delay: Duration::from_millis(u64::from(delay_millis)),
            captures: u64::from(captures),
            bytes,
            closed,
        })
    }

    /// Where a payload was captured first.
    pub fn place_of_digest(&self, digest: &str) -> Result<Option<Original>, FrontierError> {
        let key = digest_key(digest);
        let mut found = None;
        self.buckets[bucket_of(key.site)].examine(self.update, key, &mut |body| {
            if let Ok(Record::Original(original)) = record::read(body)
                && original.digest == digest
            {
                found = Some(Original { place: original.place, url: original.url, at: original.at });
            }
            Reading::Enough
        })?;
        Ok(found)
    }

    /// Calls `f` with every queued link, bucket by bucket.
    pub fn each_waiting(&self, f: &mut dyn FnMut(&Known)) -> Result<(), FrontierError> {
        self.buckets.iter().try_for_each(|bucket| self.each_of(bucket, Kind::Queued, f))
    }

    /// Calls `f` with every link that has its outcome, bucket by bucket. Reads all there is of them.
    pub fn each_done(&self, f: &mut dyn FnMut(&Known)) -> Result<(), FrontierError> {
        self.buckets.iter().try_for_each(|bucket| self.each_of(bucket, Kind::Done, f))
    }

    /// Keys of the links that were refused, of one of [`crate::PARTS`] parts of the frontier, and of others that changed lately:
    /// which are which is told by a look-up. There may be very many, and who looks at all of them must let others in between.
    pub fn refused_in(&self, part: usize) -> Result<Vec<UrlKey>, FrontierError> {
        self.keys_in(part, Kind::Refused)
    }

    /// The same of links that have their outcome.
    pub fn done_in(&self, part: usize) -> Result<Vec<UrlKey>, FrontierError> {
        self.keys_in(part, Kind::Done)
    }

    fn keys_in(&self, part: usize, kind: Kind) -> Result<Vec<UrlKey>, FrontierError> {
        let Some(bucket) = self.buckets.get(part) else { return Ok(Vec::new()) };
        let mut keys = bucket.keys_in_memory();
        let newer: Set<UrlKey> = keys.iter().copied().collect();
        for row in bucket.run.iter().flat_map(|run| run.rows()) {
            let row = row?;
            if row.kind() == kind && !newer.contains(&row.key) {
                keys.push(row.key);
            }
        }
        Ok(keys)
    }

    fn each_of(&self, bucket: &Bucket, kind: Kind, f: &mut dyn FnMut(&Known)) -> Result<(), FrontierError> {
        let above = bucket.keys_in_memory();
        let newer: Set<UrlKey> = above.iter().copied().collect();
        let mut tell = |key: UrlKey| -> Result<(), FrontierError> {
            if let Some(known) = self.lookup(key)?
                && known.state.kind() == kind
            {
                f(&known);
            }
            Ok(())
        };
        for row in bucket.run.iter().flat_map(|run| run.rows()) {
            let row = row?;
            if row.kind() == kind && !newer.contains(&row.key) {
                tell(row.key)?;
            }
        }
        above.into_iter().try_for_each(tell)
    }
}

impl State {
    fn kind(&self) -> Kind {
        match self {
            State::Queued { .. } | State::Leased => Kind::Queued,
            State::Done { .. } => Kind::Done,
            State::Refused { .. } => Kind::Refused,
        }
    }
}
