//! What happened, and how it is spelt in the journal. Appending and syncing is in `journal.rs`, what a change does
//! to memory in `apply.rs`.

use std::time::Duration;

use annalist_model::{Link, Outcome, SkipReason, Time, UrlKey};

use crate::codec::{Malformed, Put, Take};
use crate::record::{self, Ending, LinkRecord, Place};
use crate::settings::{Purpose, Urgency};

/// What happened, committed together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transaction {
    pub changes: Vec<Change>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A link was found. `value` is what the order sorts by: a score, 1 for in-degree, cash for OPIC. It is
    /// combined with the values received before.
    Discovered { link: Link, value: f32, urgency: Urgency },
    /// Seen, and not to be fetched. A later `Discovered` of the same URL makes it queued after all.
    Refused { link: Link, reason: SkipReason, detail: String },
    /// A link that had its turn has its outcome.
    Done {
        key: UrlKey,
        outcome: Outcome,
        place: Option<Place>,
        digest: Option<String>,
        at: Time,
        bytes: u64,
        purpose: Purpose,
    },
    /// To be tried again, not before a time.
    Retry { key: UrlKey, not_before: Time, tries: u16, reason: String },
    /// A link that has its outcome is to be visited once more, not before a time.
    Again { key: UrlKey, not_before: Time, reason: String },
    /// Sets the value of a scheduled link, whatever it was.
    Valued { key: UrlKey, value: f32 },
    /// When a site may be asked again, and its present delay.
    SiteRests { site: u64, until: Time, delay: Duration },
    /// The same, whatever was said of its rest before: other delays count, and it may be over sooner.
    SiteRestsAnew { site: u64, until: Time, delay: Duration },
    /// When one host of a site may be asked again. `host` is [`crate::host_key`] of it.
    HostRests { site: u64, host: u64, until: Time },
    /// A site's budget is used up, or it was blocked: nothing of it is leased any more.
    SiteClosed { site: u64, reason: SkipReason },
    /// A closed site may be leased again.
    SiteOpened { site: u64 },
    /// A small named value of the engine. The last one wins.
    Note { name: String, value: Vec<u8> },
}

const DISCOVERED: u8 = 1;
const REFUSED: u8 = 2;
const DONE: u8 = 3;
const RETRY: u8 = 4;
const VALUED: u8 = 5;
const SITE_RESTS: u8 = 6;
const HOST_RESTS: u8 = 7;
const SITE_CLOSED: u8 = 8;
const NOTE: u8 = 9;
const SITE_OPENED: u8 = 10;
const AGAIN: u8 = 11;
const PREREQUISITE_DONE: u8 = 12;
const SITE_RESTS_ANEW: u8 = 13;

/// Changes in the journal's spelling. Room for the frame's head is kept at its start, so that a batch is written
/// as it is.
#[derive(Clone, Debug)]
pub struct Batch {
    pub(crate) bytes: Vec<u8>,
    pub(crate) count: u32,
}

/// Length, count, checksum and first sequence number.
pub(crate) const FRAME_HEAD: usize = 24;

impl Default for Batch {
    fn default() -> Self {
        Batch { bytes: vec![0; FRAME_HEAD], count: 0 }
    }
}

impl From<&Transaction> for Batch {
    fn from(transaction: &Transaction) -> Self {
        let mut batch = Batch::default();
        for change in &transaction.changes {
            batch.push(change);
        }
        batch
    }
}

impl Batch {
    pub fn new() -> Batch {
        Batch::default()
    }

    /// With room for so many bytes.
    pub fn with_capacity(bytes: usize) -> Batch {
        let mut batch = Batch::default();
        batch.bytes.reserve(bytes);
        batch
    }

    pub fn len(&self) -> usize {
        self.count as usize
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// As [`Change::Discovered`], without building a [`Link`].
    pub fn discovered(&mut self, link: &LinkRecord<'_>, value: f32, urgency: Urgency) {
        self.begin(DISCOVERED, link.key);
        self.bytes.put_u32(value.to_bits());
        self.bytes.put_u8(u8::from(urgency == Urgency::Urgent));
        self.bytes.put_u16(link.depth);
        self.body(|out| record::put_link(out, link));
    }

    /// As [`Change::Refused`], without building a [`Link`].
    pub fn refused(&mut self, link: &LinkRecord<'_>, reason: SkipReason, detail: &str) {
        self.begin(REFUSED, link.key);
        self.bytes.put_u16(link.depth);
        self.body(|out| record::put_refused(out, link, reason, detail));
    }

    pub fn push(&mut self, change: &Change) {
        match change {
            Change::Discovered { link, value, urgency } => self.discovered(&link.into(), *value, *urgency),
            Change::Refused { link, reason, detail } => self.refused(&link.into(), *reason, detail),
            Change::Done { key, outcome, place, digest, at, bytes, purpose } => {
                let ending = Ending {
                    outcome: outcome.clone(),
                    place: place.clone(),
                    digest: digest.clone(),
                    at: *at,
                    bytes: *bytes,
                };
                let tag = match purpose {
                    Purpose::Page => DONE,
                    Purpose::Prerequisite => PREREQUISITE_DONE,
                };
                self.begin(tag, *key);
                self.body(|out| record::put_ending(out, &ending));
            }
            Change::Retry { key, not_before, tries, reason } => {
                self.begin(RETRY, *key);
                self.bytes.put_u64(not_before.millis());
                self.bytes.put_u16(*tries);
                self.body(|out| record::put_retry(out, *not_before, *tries, reason));
            }
            Change::Again { key, not_before, reason } => {
                self.begin(AGAIN, *key);
                self.bytes.put_u64(not_before.millis());
                self.body(|out| record::put_retry(out, *not_before, 0, reason));
            }
            Change::Valued { key, value } => {
                self.begin(VALUED, *key);
                self.bytes.put_u32(value.to_bits());
            }
            Change::SiteRests { site, until, delay } => self.rest(SITE_RESTS, *site, *until, *delay),
            Change::SiteRestsAnew { site, until, delay } => {
                self.rest(SITE_RESTS_ANEW, *site, *until, *delay);
            }
            Change::HostRests { site, host, until } => {
                self.begin(HOST_RESTS, UrlKey { site: *site, url: *host });
                self.bytes.put_u64(until.millis());
            }
            Change::SiteClosed { site, reason } => {
                self.begin(SITE_CLOSED, UrlKey { site: *site, url: 0 });
                self.bytes.put_u8(reason.code());
            }
            Change::SiteOpened { site } => self.begin(SITE_OPENED, UrlKey { site: *site, url: 0 }),
            Change::Note { name, value } => {
                self.begin(NOTE, UrlKey { site: 0, url: 0 });
                self.bytes.put_text(name);
                self.bytes.put_bytes(value);
            }
        }
    }

    fn begin(&mut self, tag: u8, key: UrlKey) {
        self.count += 1;
        self.bytes.put_u8(tag);
        self.bytes.put_key(key);
    }

    fn rest(&mut self, tag: u8, site: u64, until: Time, delay: Duration) {
        self.begin(tag, UrlKey { site, url: 0 });
        self.bytes.put_u64(until.millis());
        self.bytes.put_u32(u32::try_from(delay.as_millis()).unwrap_or(u32::MAX));
    }

    /// A body with its length before it, which is known only after it was written.
    fn body(&mut self, put: impl FnOnce(&mut Vec<u8>)) {
        let at = self.bytes.len();
        self.bytes.put_u32(0);
        put(&mut self.bytes);
        let length = u32::try_from(self.bytes.len() - at - 4).unwrap_or(u32::MAX);
        if let Some(place) = self.bytes.get_mut(at..at + 4) {
            place.copy_from_slice(&length.to_le_bytes());
        }
    }

    pub(crate) fn changes(&self) -> Changes<'_> {
        let take = Take::new(self.bytes.get(FRAME_HEAD..).unwrap_or_default());
        Changes { take, frame_bytes: self.bytes.len() }
    }
}

/// A text of a change, and where its length stands in the frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<'a> {
    pub(crate) body: &'a [u8],
    pub(crate) offset: u64,
}

/// One change as it stands in a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Spelt<'a> {
    Discovered { key: UrlKey, value: f32, urgency: Urgency, depth: u16, text: Text<'a> },
    Refused { key: UrlKey, depth: u16, text: Text<'a> },
    Done { key: UrlKey, purpose: Purpose, body: &'a [u8] },
    Retry { key: UrlKey, not_before: Time, tries: u16, body: &'a [u8] },
    Again { key: UrlKey, not_before: Time, body: &'a [u8] },
    Valued { key: UrlKey, value: f32 },
    SiteRests { site: u64, until: Time, delay_millis: u32 },
    SiteRestsAnew { site: u64, until: Time, delay_millis: u32 },
    HostRests { site: u64, host: u64, until: Time },
    SiteClosed { site: u64, reason: SkipReason },
    SiteOpened { site: u64 },
    Note { name: &'a str, value: &'a [u8] },
}

pub(crate) struct Changes<'a> {
    take: Take<'a>,
    frame_bytes: usize,
}

impl<'a> Changes<'a> {
    fn read(&mut self) -> Result<Spelt<'a>, Malformed> {
        let take = &mut self.take;
        let tag = take.u8()?;
        let key = take.key()?;
        let link = UrlKey { site: key.site, url: stored_url(key.url) };
        Ok(match tag {
            DISCOVERED => Spelt::Discovered {
                key: link,
                value: number(f32::from_bits(take.u32()?)),
                urgency: if take.u8()? == 0 { Urgency::Normal } else { Urgency::Urgent },
                depth: take.u16()?,
                text: text(take, self.frame_bytes)?,
            },
            REFUSED => Spelt::Refused { key: link, depth: take.u16()?, text: text(take, self.frame_bytes)? },
            DONE => Spelt::Done { key: link, purpose: Purpose::Page, body: body(take)? },
            PREREQUISITE_DONE => Spelt::Done { key: link, purpose: Purpose::Prerequisite, body: body(take)? },
            RETRY => Spelt::Retry {
                key: link,
                not_before: Time::from_millis(take.u64()?),
                tries: take.u16()?,
                body: body(take)?,
            },
            AGAIN => {
                Spelt::Again { key: link, not_before: Time::from_millis(take.u64()?), body: body(take)? }
            }
            VALUED => Spelt::Valued { key: link, value: number(f32::from_bits(take.u32()?)) },
            SITE_RESTS => Spelt::SiteRests {
                site: key.site,
                until: Time::from_millis(take.u64()?),
                delay_millis: take.u32()?,
            },
            SITE_RESTS_ANEW => Spelt::SiteRestsAnew {
                site: key.site,
                until: Time::from_millis(take.u64()?),
                delay_millis: take.u32()?,
            },
            HOST_RESTS => Spelt::HostRests {
                site: key.site,
                host: stored_url(key.url),
                until: Time::from_millis(take.u64()?),
            },
            SITE_CLOSED => Spelt::SiteClosed {
                site: key.site,
                reason: SkipReason::from_code(take.u8()?).ok_or(Malformed)?,
            },
            SITE_OPENED => Spelt::SiteOpened { site: key.site },
            NOTE => Spelt::Note { name: take.text()?, value: take.bytes()? },
            _ => return Err(Malformed),
        })
    }
}

impl<'a> Iterator for Changes<'a> {
    type Item = Result<Spelt<'a>, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        (!self.take.is_empty()).then(|| self.read())
    }
}

fn body<'a>(take: &mut Take<'a>) -> Result<&'a [u8], Malformed> {
    let length = take.u32()?;
    take.take(length as usize)
}

fn text<'a>(take: &mut Take<'a>, frame_bytes: usize) -> Result<Text<'a>, Malformed> {
    let offset = (frame_bytes - take.left()) as u64;
    Ok(Text { body: body(take)?, offset })
}

/// Values are compared and added: what is not a number would spoil every sum.
fn number(value: f32) -> f32 {
    if value.is_finite() { value } else { 0.0 }
}

/// Zero stands for the site itself; the one URL in 2^64 that hashes to it is stored beside it.
pub(crate) fn stored_url(url: u64) -> u64 {
    url.max(1)
}
