//! The captures that archives have of one address: which belong to it, in which order, and which are the same.

use annalist_model::{CanonicalUrl, Time};
use annalist_warc::{CdxLine, millis_of_digits};

/// What a CDXJ line calls a capture whose payload is stored with another.
const REVISIT: &str = "warc/revisit";

/// One capture of an address that an archive has.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// As it was captured: an index knows http and https, with `www.` and without, as one address.
    pub url: CanonicalUrl,
    pub at: Time,
    /// Of a revisit, that of the capture it refers to, if that is among the snapshots of the address.
    pub status: Option<u16>,
    /// As servers call it, or `unk`; of a revisit, that of the capture it refers to.
    pub mime: String,
    /// Of the payload, as the index spells it.
    pub digest: Option<String>,
    /// Whether the payload is stored with another capture.
    pub is_revisit: bool,
    pub(super) place: Place,
}

/// Where its record is.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Which of the archives.
    pub(super) archive: usize,
    /// Empty where the index does not say.
    pub(super) file: String,
    pub(super) offset: u64,
    /// As stored, where the index says it.
    pub(super) length: Option<u64>,
    /// The address that replays it.
    pub(super) replay: Option<String>,
}

impl Snapshot {
    pub(super) fn of(line: CdxLine, archive: usize) -> Option<Snapshot> {
        let is_revisit = line.mime == REVISIT;
        Some(Snapshot {
            url: CanonicalUrl::parse(&line.url).ok()?,
            at: Time::from_millis(millis_of_digits(&line.timestamp)?),
            // Some indexes give a revisit its own status; that of a 304 says nothing of the page.
            status: line.status.and_then(|status| status.parse().ok()).filter(|s| !is_revisit || *s != 304),
            mime: line.mime,
            digest: line.digest,
            is_revisit,
            place: Place {
                archive,
                file: line.filename,
                offset: line.offset,
                length: Some(line.length).filter(|length| *length > 0),
                replay: None,
            },
        })
    }

    pub(super) fn is_success(&self) -> bool {
        self.status.is_some_and(|status| (200..300).contains(&status))
    }

    /// An answer before a redirect before an error; the newest of them.
    pub(super) fn standing(&self) -> (u8, Time) {
        let class = match self.status {
            Some(200..300) => 2,
            Some(300..400) => 1,
            _ => 0,
        };
        (class, self.at)
    }

    fn has_digest_of(&self, other: &Snapshot) -> bool {
        self.digest.is_some() && self.digest == other.digest
    }
}

/// All snapshots of an address out of what indexes list under its keys: oldest first, none twice.
pub(super) fn settled(url: &CanonicalUrl, mut found: Vec<Snapshot>) -> Vec<Snapshot> {
    // Keys are coarser than addresses: they know no case and no session. What has the very path and query counts alone.
    let sought = loose(url);
    if found.iter().any(|snapshot| loose(&snapshot.url) == sought) {
        found.retain(|snapshot| loose(&snapshot.url) == sought);
    }
    // Of two that are the same the one with the payload is kept.
    found.sort_by(|a, b| (a.at, &a.digest, a.is_revisit).cmp(&(b.at, &b.digest, b.is_revisit)));
    found.dedup_by(|a, b| a.at == b.at && a.digest == b.digest);
    for place in 0..found.len() {
        let Some(revisit) = found.get(place).filter(|snapshot| snapshot.is_revisit) else { continue };
        let original = found.iter().find(|other| !other.is_revisit && other.has_digest_of(revisit));
        let Some((status, mime)) = original.map(|other| (other.status, other.mime.clone())) else { continue };
        if let Some(revisit) = found.get_mut(place) {
            (revisit.status, revisit.mime) = (status, mime);
        }
    }
    found
}

/// An address without its scheme and `www.`.
fn loose(url: &CanonicalUrl) -> (&str, u16, &str) {
    let host = url.host_name();
    let host = host.strip_prefix("www.").filter(|rest| rest.contains('.')).unwrap_or(host);
    let port = if url.is_https() && url.port() == 443 { 80 } else { url.port() };
    (host, port, url.target())
}
