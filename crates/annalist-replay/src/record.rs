//! One capture out of its record: what the server said, and where its body is. Bodies are read in `stream.rs`.

use std::io::{self, Read};
use std::path::PathBuf;

use annalist_warc::{CdxLine, ContentCoding, HttpHead, Reader, millis_of_digits, millis_of_warc_date};

use crate::captures::Captures;

/// What an index calls a capture whose payload is stored with another.
const REVISIT: &str = "warc/revisit";
/// Blocks up to this length are read before anything of them is sent: whether a record is what was written shows at its end.
const MOST_HELD_BYTES: u64 = 1 << 20;

/// A capture whose record was opened.
#[derive(Debug)]
pub(crate) struct Capture {
    pub(crate) status: u16,
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) body: StoredBody,
    /// Why the crawler stopped in the middle, where it did.
    pub(crate) truncated: Option<String>,
    pub(crate) digest: Option<String>,
    /// Of a revisit: address and time of the capture that has its content.
    pub(crate) original: Option<(String, String)>,
}

/// A body, and how it is packed.
#[derive(Debug)]
pub(crate) struct StoredBody {
    pub(crate) kept: Kept,
    pub(crate) chunked: bool,
    /// `None` for codings that are not read here.
    pub(crate) coding: Option<ContentCoding>,
    /// With its content coding, where it can be told without reading all of it.
    pub(crate) coded_length: Option<u64>,
}

/// Where a body is.
#[derive(Debug)]
pub(crate) enum Kept {
    /// Its record was read to its end and is sound.
    Held(Vec<u8>),
    InFile {
        path: PathBuf,
        offset: u64,
        /// A head comes first.
        has_head: bool,
    },
}

/// Why a capture cannot be shown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unreadable {
    #[error("{0} is named by the index and is not in the archive")]
    NoFile(String),
    #[error("the record in {file} at byte {offset} cannot be read: {why}")]
    Damaged { file: String, offset: u64, why: String },
    #[error("the capture that has its content is not in the archive")]
    NoOriginal,
}

impl Unreadable {
    pub(crate) fn damaged(line: &CdxLine, why: String) -> Unreadable {
        Unreadable::Damaged { file: line.filename.clone(), offset: line.offset, why }
    }
}

impl Capture {
    pub(crate) fn open(captures: &Captures, line: &CdxLine) -> Result<Capture, Unreadable> {
        let (capture, refers) = Capture::of_record(captures, line)?;
        let Some(refers) = refers else { return Ok(capture) };
        let line = refers.original(captures).ok_or(Unreadable::NoOriginal)?;
        let (original, of_revisit) = Capture::of_record(captures, &line)?;
        if of_revisit.is_some() {
            return Err(Unreadable::NoOriginal);
        }
        // A revisit without a head of its own, or with one that only says that nothing changed, looks like the original.
        let is_own = !capture.fields.is_empty() && capture.status != 304;
        let (status, fields) =
            if is_own { (capture.status, capture.fields) } else { (original.status, original.fields) };
        Ok(Capture { status, fields, original: Some((line.url, line.timestamp)), ..original })
    }

    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    fn of_record(captures: &Captures, line: &CdxLine) -> Result<(Capture, Option<Refers>), Unreadable> {
        let path = captures.file(&line.filename).ok_or_else(|| Unreadable::NoFile(line.filename.clone()))?;
        let damaged = |why: String| Unreadable::damaged(line, why);
        let failed = |e: io::Error| damaged(e.to_string());
        let mut reader = Reader::open_at(&path, line.offset).map_err(failed)?;
        let record = reader.next_record().map_err(|e| damaged(e.fault.to_string()))?;
        let mut record = record.ok_or_else(|| damaged("no record begins there".to_owned()))?;
        let target =
            record.fields.get("WARC-Target-URI").map(|uri| uri.trim_matches(['<', '>'])).unwrap_or_default();
        if target != line.url {
            return Err(damaged(
                "this is the record of another address: the index is of another file".to_owned(),
            ));
        }
        let refers = (record.kind() == "revisit").then(|| Refers::of(&record.fields, line));
        let truncated = record.fields.get("WARC-Truncated").map(str::to_owned);
        let digest =
            record.fields.get("WARC-Payload-Digest").map(str::to_owned).or_else(|| line.digest.clone());
        let named = record.fields.get("WARC-Identified-Payload-Type").map(str::to_owned);
        let (content_length, is_response) =
            (record.content_length, record.kind() == "response" || refers.is_some());
        let media = record.fields.get("Content-Type").unwrap_or("application/octet-stream").to_owned();
        let is_held = content_length <= MOST_HELD_BYTES;
        let mut held = Vec::new();
        let head = if is_response {
            let (head, mut body) = match refers {
                Some(_) => HttpHead::read(&mut record),
                None => HttpHead::read_or_bare(&mut record, named.as_deref()),
            }
            .map_err(failed)?;
            if is_held {
                body.read_to_end(&mut held).map_err(failed)?;
            }
            head.unwrap_or_default()
        } else {
            if is_held {
                record.read_to_end(&mut held).map_err(failed)?;
            }
            let fields = vec![("Content-Type".to_owned(), media)];
            HttpHead { status: "200".to_owned(), fields, length: 0 }
        };
        if is_held {
            record.finish().map_err(|e| damaged(e.fault.to_string()))?;
        }
        let coding = ContentCoding::named(head.field("content-encoding").unwrap_or_default());
        let chunked = head.is_chunked();
        let body = StoredBody {
            kept: match is_held {
                true => Kept::Held(held),
                false => Kept::InFile { path, offset: line.offset, has_head: is_response },
            },
            chunked,
            coding,
            coded_length: (!chunked).then_some(content_length.saturating_sub(head.length as u64)),
        };
        let status = head.status.parse().ok().filter(|status| (200..=999).contains(status)).unwrap_or(200);
        Ok((Capture { status, fields: head.fields, body, truncated, digest, original: None }, refers))
    }
}

/// What a revisit says of the capture that has its payload.
struct Refers {
    url: String,
    at: Option<u64>,
    digest: Option<String>,
}

impl Refers {
    /// Older writers name no capture: then one of the same address with the same payload is meant.
    fn of(fields: &annalist_warc::Fields, line: &CdxLine) -> Refers {
        let url = fields.get("WARC-Refers-To-Target-URI").map(|uri| uri.trim_matches(['<', '>']));
        let digest = fields.get("WARC-Payload-Digest").or(line.digest.as_deref());
        Refers {
            url: url.unwrap_or(&line.url).to_owned(),
            at: fields.get("WARC-Refers-To-Date").and_then(millis_of_warc_date),
            digest: digest.map(|digest| digest.strip_prefix("sha1:").unwrap_or(digest).to_owned()),
        }
    }

    /// The same payload at that time, else the same payload, else what was captured then.
    fn original(&self, captures: &Captures) -> Option<CdxLine> {
        let likeness = |line: &CdxLine| {
            let is_same = line.digest.is_some() && line.digest == self.digest;
            // Indexes know whole seconds.
            let is_then = self.at.is_some() && self.at == millis_of_digits(&line.timestamp);
            2 * u8::from(is_same) + u8::from(is_then)
        };
        let found = captures.of_url(&self.url).ok()?;
        found.into_iter().filter(|line| line.mime != REVISIT && likeness(line) > 0).max_by_key(likeness)
    }
}
