//! What a revisit says of the capture that has its payload.

use std::io::{BufRead, Seek};

use annalist_model::{CanonicalUrl, ResponseHead, Time};
use annalist_warc::{BlockRecord, HttpHead, millis_of_digits};

use super::Snapshot;

const NOT_MODIFIED: u16 = 304;

pub(super) struct Referred {
    pub(super) url: CanonicalUrl,
    at: Option<Time>,
    digest: Option<String>,
    /// What the server said this time, unless it said only that nothing changed.
    pub(super) head: Option<ResponseHead>,
}

impl Referred {
    /// Older writers name no capture: then one of the same address with the same payload is meant.
    pub(super) fn by<R: BufRead + Seek>(record: &mut BlockRecord<'_, R>, revisit: &Snapshot) -> Referred {
        let url = record.fields.get("WARC-Refers-To-Target-URI").map(|uri| uri.trim_matches(['<', '>']));
        let digest = record.fields.get("WARC-Payload-Digest").or(revisit.digest.as_deref());
        Referred {
            url: url.and_then(|url| CanonicalUrl::parse(url).ok()).unwrap_or_else(|| revisit.url.clone()),
            at: record.fields.get("WARC-Refers-To-Date").and_then(moment),
            digest: digest.map(|digest| unlabelled(digest).to_owned()),
            head: HttpHead::read(record).ok().and_then(|(head, _)| head).and_then(own_head),
        }
    }

    /// The same payload at that time, else the same payload, else what was captured then.
    pub(super) fn choose(&self, found: Vec<Snapshot>) -> Option<Snapshot> {
        let likeness = |snapshot: &Snapshot| {
            let digest = snapshot.digest.as_deref().map(unlabelled);
            let is_same = digest.is_some() && digest == self.digest.as_deref();
            // Indexes know whole seconds.
            let is_then = self.at.is_some_and(|at| at.millis() / 1000 == snapshot.at.millis() / 1000);
            2 * u8::from(is_same) + u8::from(is_then)
        };
        let originals = found.into_iter().filter(|snapshot| !snapshot.is_revisit && likeness(snapshot) > 0);
        originals.max_by_key(likeness)
    }
}

fn own_head(head: HttpHead) -> Option<ResponseHead> {
    let status = head.status.parse().ok().filter(|status| *status != NOT_MODIFIED)?;
    let fields = head.fields.into_iter().map(|(name, value)| (name, value.into_bytes())).collect();
    Some(ResponseHead { status, fields })
}

/// As indexes spell SHA-1.
fn unlabelled(digest: &str) -> &str {
    digest.strip_prefix("sha1:").unwrap_or(digest)
}

/// The moment of a WARC-Date.
fn moment(date: &str) -> Option<Time> {
    let digits: String = date.chars().filter(char::is_ascii_digit).take(14).collect();
    millis_of_digits(&digits).map(Time::from_millis)
}
