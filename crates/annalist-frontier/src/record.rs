//! The texts behind an entry: how a link was found, why it was refused, what became of it. The same bytes go
//! into the journal, wait in memory and end in a bucket's text log.

use annalist_model::{CanonicalUrl, HopPath, Link, LinkKind, Outcome, SkipReason, Time, UrlKey};

use crate::codec::{Malformed, Put, Take};

/// Where a capture lies in the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: String,
    pub offset: u64,
    pub length: u64,
}

/// A [`Link`] in borrowed pieces, for whoever has them and does not want to build one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkRecord<'a> {
    pub key: UrlKey,
    pub url: &'a str,
    pub via: Option<UrlKey>,
    pub kind: LinkKind,
    pub hops: &'a str,
    pub depth: u16,
    pub seed: u32,
    pub anchor: &'a str,
}

impl<'a> From<&'a Link> for LinkRecord<'a> {
    fn from(link: &'a Link) -> Self {
        LinkRecord {
            key: link.url.key(),
            url: link.url.as_str(),
            via: link.via,
            kind: link.kind,
            hops: link.hops.as_str(),
            depth: link.depth,
            seed: link.seed,
            anchor: &link.anchor,
        }
    }
}

/// What became of a link, with where and when.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ending {
    pub(crate) outcome: Outcome,
    pub(crate) place: Option<Place>,
    pub(crate) digest: Option<String>,
    pub(crate) at: Time,
    pub(crate) bytes: u64,
}

/// The first capture with some payload.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Original {
    pub(crate) digest: String,
    pub(crate) place: Option<Place>,
    pub(crate) url: String,
    pub(crate) at: Time,
}

/// One text, read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Record {
    Link(LinkText),
    Refused { reason: SkipReason, detail: String, link: LinkText },
    Ending(Ending),
    Retry { not_before: Time, tries: u16, reason: String },
    Original(Original),
}

/// A link as stored. The URL is parsed only when somebody wants the link.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LinkText {
    pub(crate) url: String,
    via: Option<UrlKey>,
    kind: LinkKind,
    hops: String,
    depth: u16,
    seed: u32,
    anchor: String,
}

impl LinkText {
    pub(crate) fn into_link(self) -> Result<Link, Malformed> {
        Ok(Link {
            url: CanonicalUrl::restore(&self.url).map_err(|_| Malformed)?,
            via: self.via,
            kind: self.kind,
            hops: HopPath::parse(&self.hops),
            depth: self.depth,
            seed: self.seed,
            anchor: self.anchor,
        })
    }
}

const LINK: u8 = 1;
const REFUSED: u8 = 2;
const ENDING: u8 = 3;
const RETRY: u8 = 4;
const ORIGINAL: u8 = 5;

pub(crate) fn put_link(out: &mut Vec<u8>, link: &LinkRecord<'_>) {
    out.put_u8(LINK);
    put_link_fields(out, link);
}

pub(crate) fn put_refused(out: &mut Vec<u8>, link: &LinkRecord<'_>, reason: SkipReason, detail: &str) {
    out.put_u8(REFUSED);
    out.put_u8(reason.code());
    out.put_text(detail);
    put_link_fields(out, link);
}

pub(crate) fn put_ending(out: &mut Vec<u8>, ending: &Ending) {
    out.put_u8(ENDING);
    match &ending.outcome {
        Outcome::Captured { status } => {
            out.put_u8(0);
            out.put_u16(*status);
        }
        Outcome::Revisit { status } => {
            out.put_u8(1);
            out.put_u16(*status);
        }
        Outcome::Skipped { reason, detail } => {
            out.put_u8(2);
            out.put_u8(reason.code());
            out.put_text(detail);
        }
    }
    put_place(out, ending.place.as_ref());
    put_option(out, ending.digest.as_deref());
    out.put_short(ending.at.millis());
    out.put_short(ending.bytes);
}

pub(crate) fn put_retry(out: &mut Vec<u8>, not_before: Time, tries: u16, reason: &str) {
    out.put_u8(RETRY);
    out.put_short(not_before.millis());
    out.put_u16(tries);
    out.put_text(reason);
}

pub(crate) fn put_original(out: &mut Vec<u8>, original: &Original) {
    out.put_u8(ORIGINAL);
    out.put_text(&original.digest);
    put_place(out, original.place.as_ref());
    out.put_text(&original.url);
    out.put_short(original.at.millis());
}

fn put_link_fields(out: &mut Vec<u8>, link: &LinkRecord<'_>) {
    out.put_u8(link.kind.code());
    out.put_u16(link.depth);
    out.put_short(u64::from(link.seed));
    match link.via {
        None => out.put_u8(0),
        Some(via) => {
            out.put_u8(1);
            out.put_key(via);
        }
    }
    out.put_text(link.hops);
    out.put_text(link.anchor);
    out.put_text(link.url);
}

fn put_place(out: &mut Vec<u8>, place: Option<&Place>) {
    match place {
        None => out.put_u8(0),
        Some(place) => {
            out.put_u8(1);
            out.put_text(&place.file);
            out.put_short(place.offset);
            out.put_short(place.length);
        }
    }
}

fn put_option(out: &mut Vec<u8>, text: Option<&str>) {
    match text {
        None => out.put_u8(0),
        Some(text) => {
            out.put_u8(1);
            out.put_text(text);
        }
    }
}

pub(crate) fn read(body: &[u8]) -> Result<Record, Malformed> {
    let mut take = Take::new(body);
    Ok(match take.u8()? {
        LINK => Record::Link(link_fields(&mut take)?),
        REFUSED => {
            let reason = reason(&mut take)?;
            let detail = take.text()?.to_owned();
            Record::Refused { reason, detail, link: link_fields(&mut take)? }
        }
        ENDING => Record::Ending(Ending {
            outcome: outcome(&mut take)?,
            place: place(&mut take)?,
            digest: option(&mut take)?.map(str::to_owned),
            at: Time::from_millis(take.short()?),
            bytes: take.short()?,
        }),
        RETRY => Record::Retry {
            not_before: Time::from_millis(take.short()?),
            tries: take.u16()?,
            reason: take.text()?.to_owned(),
        },
        ORIGINAL => Record::Original(Original {
            digest: take.text()?.to_owned(),
            place: place(&mut take)?,
            url: take.text()?.to_owned(),
            at: Time::from_millis(take.short()?),
        }),
        _ => return Err(Malformed),
    })
}

/// Whether a text says how a link was found.
pub(crate) fn names_link(body: &[u8]) -> bool {
    matches!(body.first(), Some(&LINK | &REFUSED))
}

fn link_fields(take: &mut Take<'_>) -> Result<LinkText, Malformed> {
    Ok(LinkText {
        kind: LinkKind::from_code(take.u8()?).ok_or(Malformed)?,
        depth: take.u16()?,
        seed: u32::try_from(take.short()?).map_err(|_| Malformed)?,
        via: match take.u8()? {
            0 => None,
            _ => Some(take.key()?),
        },
        hops: take.text()?.to_owned(),
        anchor: take.text()?.to_owned(),
        url: take.text()?.to_owned(),
    })
}

fn outcome(take: &mut Take<'_>) -> Result<Outcome, Malformed> {
    Ok(match take.u8()? {
        0 => Outcome::Captured { status: take.u16()? },
        1 => Outcome::Revisit { status: take.u16()? },
        2 => Outcome::Skipped { reason: reason(take)?, detail: take.text()?.to_owned() },
        _ => return Err(Malformed),
    })
}

fn reason(take: &mut Take<'_>) -> Result<SkipReason, Malformed> {
    SkipReason::from_code(take.u8()?).ok_or(Malformed)
}

fn place(take: &mut Take<'_>) -> Result<Option<Place>, Malformed> {
    Ok(match take.u8()? {
        0 => None,
        _ => Some(Place { file: take.text()?.to_owned(), offset: take.short()?, length: take.short()? }),
    })
}

fn option<'a>(take: &mut Take<'a>) -> Result<Option<&'a str>, Malformed> {
    Ok(match take.u8()? {
        0 => None,
        _ => Some(take.text()?),
    })
}
