//! A CDX server as an archive, as pywb, OutbackCDX and the Wayback Machine are asked: what it has of an address, and the
//! records, by parts of WARC files or, where these cannot be had, by replay.

use std::io::{self, BufReader, Cursor, Read};
use std::path::PathBuf;
use std::sync::Arc;

use annalist_model::{CanonicalUrl, Capture};
use annalist_warc::{ContentCoding, Dechunked, DigestKind, HttpHead, Reader, decoded, rfc3339};
use url::form_urlencoded::byte_serialize;

use super::answer;
use super::asking::{Asker, drop_block};
use super::local::{record_of, stored};
use super::shelf::Shelf;
use super::snapshot::{Place, Snapshot};
use super::{NotThere, StoredBytes, StoredRecord};
use crate::request::Wanted;
use crate::spool::Spool;

/// Longer answers are cut.
const MOST_ANSWER_BYTES: u64 = 256 << 20;
/// How much is asked for when the index does not say how long a record is, and then again, until it is whole.
const GUESSES: [u64; 3] = [1 << 20, 16 << 20, 256 << 20];
/// What the replaying server says for itself, and what is said anew.
const NOT_ARCHIVED: [&str; 8] = [
    "connection",
    "content-length",
    "content-location",
    "link",
    "memento-datetime",
    "preference-applied",
    "transfer-encoding",
    "keep-alive",
];
const ORIGINAL: &str = "x-archive-orig-";

#[derive(Debug)]
pub(super) struct Server {
    cdx: String,
    /// Before time and address.
    replay: Option<String>,
    /// Folders of WARC files on the web, or patterns with `{filename}`.
    bases: Vec<String>,
    shelf: Shelf,
    asker: Arc<Asker>,
}

impl Server {
    /// By the address of its CDX queries, or of a pywb collection, with a slash at its end.
    pub(super) fn new(address: &str, warcs: &[PathBuf], asker: Arc<Asker>) -> io::Result<Server> {
        let is_web = |path: &&PathBuf| path.to_str().is_some_and(is_web_address);
        let (bases, given): (Vec<_>, Vec<_>) = warcs.iter().partition(is_web);
        let given: Vec<PathBuf> = given.into_iter().cloned().collect();
        let (cdx, replay) = endpoints(address);
        let bases = bases.iter().map(|base| base.to_string_lossy().into_owned()).collect();
        Ok(Server { cdx, replay, bases, shelf: Shelf::given(&given)?, asker })
    }

    pub(super) fn snapshots(&self, url: &CanonicalUrl, archive: usize) -> Result<Vec<Snapshot>, NotThere> {
        let address: String = byte_serialize(url.as_str().as_bytes()).collect();
        let mark = if self.cdx.contains('?') { '&' } else { '?' };
        let query = self.address(&format!("{}{mark}url={address}&matchType=exact&output=json", self.cdx))?;
        let capture = self.asker.ask(&query, Wanted::Whole { via: None }, &|_| true)?;
        let status = capture.head.status;
        let bytes = self.whole(capture)?;
        let failed = |why: &dyn std::fmt::Display| NotThere::Unanswered(format!("{}: {why}", self.cdx));
        match status {
            200 => {}
            404 if says_none(&bytes) => return Ok(Vec::new()),
            status => {
                let why = format!("this is no answer of a CDX server: status {status}");
                return Err(failed(&why));
            }
        }
        let found = bytes.open().and_then(|block| {
            let (head, rest) = HttpHead::read(block)?;
            let head = head.unwrap_or_default();
            let coding = ContentCoding::named(head.field("content-encoding").unwrap_or_default())
                .ok_or_else(|| io::Error::other("an unknown content coding"))?;
            let body = decoded(Dechunked::new(rest, head.is_chunked()), coding, MOST_ANSWER_BYTES)?;
            answer::read(BufReader::new(body))
        });
        let found = found.map_err(|e| failed(&e))?;
        let snapshot = |answered: answer::Answered| {
            let replay = self.replay.as_ref();
            let replay =
                replay.map(|prefix| format!("{prefix}{}id_/{}", answered.line.timestamp, answered.line.url));
            let mut snapshot = Snapshot::of(answered.line, archive)?;
            if !answered.has_place {
                snapshot.place.file.clear();
            }
            snapshot.place.replay = replay;
            Some(snapshot)
        };
        Ok(found.into_iter().filter_map(snapshot).collect())
    }

    pub(super) fn stored(&self, snapshot: &Snapshot, spool: &Arc<Spool>) -> Result<StoredRecord, NotThere> {
        let place = &snapshot.place;
        if let Some(file) = self.shelf.find(&place.file).filter(|_| !place.file.is_empty()) {
            return stored(&file, place, spool);
        }
        for file in self.files(&place.file) {
            if let Some(record) = self.part(&file, place, spool)? {
                return Ok(record);
            }
        }
        match &place.replay {
            Some(replay) => self.replayed(replay, snapshot, spool),
            None => Err(NotThere::Unreadable(format!(
                "{} does not say where {} is to be had: give the folder or the address of its WARC files",
                self.cdx, place.file
            ))),
        }
    }

    /// Where a WARC file may be had.
    fn files(&self, name: &str) -> Vec<String> {
        if name.is_empty() {
            return Vec::new();
        }
        if is_web_address(name) {
            return vec![name.to_owned()];
        }
        let joined = |base: &String| match base.contains("{filename}") {
            true => base.replace("{filename}", name),
            false => format!("{}/{}", base.trim_end_matches('/'), name.trim_start_matches('/')),
        };
        self.bases.iter().map(joined).collect()
    }

    /// The record out of a file on the web. `None` if there is no such file.
    fn part(&self, file: &str, place: &Place, spool: &Arc<Spool>) -> Result<Option<StoredRecord>, NotThere> {
        let url = self.address(file)?;
        let guesses = place.length.map_or(GUESSES.to_vec(), |length| vec![length]);
        let mut last = None;
        for length in guesses {
            let wanted = Wanted::Part { first: place.offset, last: place.offset + length.max(1) - 1 };
            let capture = self.asker.ask(&url, wanted, &|_| true)?;
            let unreadable =
                |why: &str| NotThere::Unreadable(format!("{file} at byte {}: {why}", place.offset));
            match capture.head.status {
                206 => {}
                200 if place.offset == 0 => {}
                404 | 410 => {
                    drop_block(capture);
                    return Ok(None);
                }
                status => {
                    drop_block(capture);
                    return Err(unreadable(&match status {
                        200 => "the server gives whole files only".to_owned(),
                        416 => "the file ends before that: the index is of another file".to_owned(),
                        _ => format!("the server answers with status {status}"),
                    }));
                }
            }
            let bytes = self.whole(capture)?;
            let part = bytes.open().and_then(|block| {
                let (head, rest) = HttpHead::read(block)?;
                let mut part = Vec::new();
                Dechunked::new(rest, head.is_some_and(|head| head.is_chunked())).read_to_end(&mut part)?;
                Ok(part)
            });
            let part = part.map_err(|e| unreadable(&e.to_string()))?;
            match record_of(&mut Reader::new(Cursor::new(part)), spool) {
                Ok(bytes) => {
                    let name = url.path().rsplit('/').next().unwrap_or_default().to_owned();
                    return Ok(Some(StoredRecord { file: name, offset: place.offset, bytes, member: None }));
                }
                Err(why) => last = Some(unreadable(&why)),
            }
        }
        last.map_or(Ok(None), Err)
    }

    /// A record made of what a replaying server gives: its address is kept in `WARC-Source-URI`.
    fn replayed(
        &self,
        replay: &str,
        snapshot: &Snapshot,
        spool: &Arc<Spool>,
    ) -> Result<StoredRecord, NotThere> {
        let url = self.address(replay)?;
        let prefix = self.replay.as_deref().unwrap_or(replay);
        // Another moment of the same address is the server's business; any other redirect is what was archived.
        let own = |target: &CanonicalUrl| target.as_str().starts_with(prefix);
        let capture = self.asker.ask(&url, Wanted::Whole { via: None }, &own)?;
        let status = capture.head.status;
        let is_archived = capture.head.field("memento-datetime").is_some();
        if !is_archived && (status >= 400 || snapshot.status.is_some_and(|known| known != status)) {
            drop_block(capture);
            return Err(NotThere::Unreadable(format!(
                "{replay}: the server replays nothing, status {status}"
            )));
        }
        let head = http_head(&capture);
        let record = warc_head(snapshot, replay, &capture, head.len());
        let bytes = self.whole(capture)?;
        let made = bytes.open().and_then(|block| {
            let (own, rest) = HttpHead::read(block)?;
            let body = Dechunked::new(rest, own.is_some_and(|own| own.is_chunked()));
            StoredBytes::made(record.into_bytes(), head.as_bytes().chain(body), spool)
        });
        let bytes = made.map_err(|e| NotThere::Unreadable(format!("{replay}: {e}")))?;
        Ok(StoredRecord { file: url.host_name().to_owned(), offset: 0, bytes, member: None })
    }

    /// The answer's bytes, unless it broke off.
    fn whole(&self, capture: Capture) -> Result<StoredBytes, NotThere> {
        let cut = capture.truncated;
        let bytes = StoredBytes::of(capture.response);
        match cut {
            None => Ok(bytes),
            Some(cut) => {
                let host = capture.url.host();
                Err(NotThere::Unanswered(format!("{host}: the answer was cut off ({})", cut.name())))
            }
        }
    }

    fn address(&self, text: &str) -> Result<CanonicalUrl, NotThere> {
        let url = CanonicalUrl::restore(text);
        url.map_err(|e| NotThere::Unanswered(format!("{text} cannot be asked for: {e}")))
    }
}

pub(super) fn is_web_address(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

/// Where queries go, and what stands before time and address in a replay.
fn endpoints(address: &str) -> (String, Option<String>) {
    let bare = address.split('?').next().unwrap_or(address);
    if let Some(collection) = address.strip_suffix('/') {
        return (format!("{collection}/cdx"), Some(address.to_owned()));
    }
    if let Some(host) = bare.strip_suffix("/cdx/search/cdx") {
        return (address.to_owned(), Some(format!("{host}/web/")));
    }
    let collection = bare.strip_suffix("/cdx").or_else(|| bare.strip_suffix("/index"));
    (address.to_owned(), collection.map(|collection| format!("{collection}/")))
}

/// Whether an answer that there is nothing is about the address, and not about the server.
fn says_none(bytes: &StoredBytes) -> bool {
    const MOST: u64 = 64 << 10;
    let mut text = Vec::new();
    let read = bytes.open().and_then(|block| block.take(MOST).read_to_end(&mut text));
    let text = String::from_utf8_lossy(&text).to_ascii_lowercase();
    read.is_ok() && (text.contains("no captures") || text.contains("no resource found"))
}

fn http_head(capture: &Capture) -> String {
    let fields = &capture.head.fields;
    let is_original = |name: &str| name.to_ascii_lowercase().starts_with(ORIGINAL);
    let marked = fields.iter().any(|(name, _)| is_original(name));
    let mut head = format!("HTTP/1.1 {} \r\n", capture.head.status);
    let mut add = |name: &str, value: &[u8]| {
        let value: String = String::from_utf8_lossy(value).replace(['\r', '\n'], " ");
        head.push_str(&format!("{name}: {}\r\n", value.trim()));
    };
    for (name, value) in fields {
        let lower = name.to_ascii_lowercase();
        match lower.strip_prefix(ORIGINAL) {
            Some(original) if !NOT_ARCHIVED.contains(&original) && original != "content-encoding" => {
                add(name.get(ORIGINAL.len()..).unwrap_or(original), value);
            }
            Some(_) => {}
            // Of servers that mark what was archived, only what describes these very bytes.
            None if marked && !matches!(lower.as_str(), "content-type" | "content-encoding" | "location") => {
            }
            None if NOT_ARCHIVED.contains(&lower.as_str()) => {}
            None => add(name, value),
        }
    }
    add("Content-Length", capture.payload_length.to_string().as_bytes());
    head.push_str("\r\n");
    head
}

fn warc_head(snapshot: &Snapshot, replay: &str, capture: &Capture, head_length: usize) -> String {
    format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{}>\r\nWARC-Date: {}\r\nWARC-Target-URI: {}\r\n\
         WARC-Payload-Digest: {}\r\nWARC-Source-URI: {replay}\r\nContent-Type: application/http; msgtype=response\r\n\
         Content-Length: {}\r\n\r\n",
        uuid_of(replay),
        rfc3339(snapshot.at.millis()),
        snapshot.url.as_str(),
        capture.payload_digest,
        head_length as u64 + capture.payload_length,
    )
}

/// The same for the same address: made of its hash, as version 5 is.
fn uuid_of(name: &str) -> String {
    let digest = DigestKind::Sha1.of(name.as_bytes());
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(digest.as_bytes()).for_each(|(to, from)| *to = *from);
    let number = u128::from_be_bytes(bytes) & !(0xf000 << 64) & !(0xc000 << 48) | 0x5000 << 64 | 0x8000 << 48;
    let hex = format!("{number:032x}");
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    format!("{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32))
}

#[cfg(test)]
mod tests {
    use super::{endpoints, uuid_of};

    #[test]
    fn an_address_says_where_queries_and_replays_go() {
        for (address, cdx, replay) in [
            ("http://a.test/coll/cdx", "http://a.test/coll/cdx", Some("http://a.test/coll/")),
            ("http://a.test/coll/", "http://a.test/coll/cdx", Some("http://a.test/coll/")),
            ("http://a.test/cdx/search/cdx", "http://a.test/cdx/search/cdx", Some("http://a.test/web/")),
            ("http://a.test:8080/coll", "http://a.test:8080/coll", None),
            ("http://a.test/c/cdx?a=b", "http://a.test/c/cdx?a=b", Some("http://a.test/c/")),
        ] {
            assert_eq!(endpoints(address), (cdx.to_owned(), replay.map(str::to_owned)), "{address}");
        }
    }

    #[test]
    fn a_made_record_has_a_proper_name_of_its_own() {
        let one = uuid_of("http://a.test/");
        assert_eq!((one.len(), one.as_bytes()[14]), (36, b'5'));
        assert!("89ab".contains(char::from(one.as_bytes()[19])), "{one}");
        assert_ne!(one, uuid_of("http://b.test/"));
    }
}
