//! The bytes of captures, for those who look at more than words.

use std::io::{BufRead, Seek};
use std::path::Path;

use annalist_model::Time;
use annalist_warc::{Answer, BlockRecord, HttpHead, Reader, millis_of_warc_date};

use super::pairing::{is_capture, target};
use super::reading::{original, record_name};
use super::{Extent, Watch, plain_name};
use crate::document::Original;
use crate::parallel::in_order;

/// Larger payloads are left out.
const MOST_BYTES: u64 = 32 << 20;

/// What was received by one capture.
#[derive(Debug)]
pub struct Payload {
    /// `urn:uuid:…`
    pub record: String,
    pub url: String,
    pub captured: Option<Time>,
    /// The media type that the server said it is, without parameters.
    pub declared: String,
    pub digest: Option<String>,
    pub content: Content,
}

#[derive(Debug)]
pub enum Content {
    /// With transfer and content coding removed.
    Bytes(Vec<u8>),
    /// The same as another capture brought, and kept there alone.
    SameAs(Original),
}

impl Content {
    fn length(&self) -> u64 {
        match self {
            Content::Bytes(bytes) => bytes.len() as u64,
            Content::SameAs(_) => 0,
        }
    }
}

/// Hands what `look` makes of every payload that was answered with success, and that is wanted by its address, by what its server
/// says it is, and by how it begins, on all threads, to `take`, in the archive's order.
pub fn payloads<T: Send>(
    extents: &[Extent],
    threads: usize,
    is_wanted: impl Fn(&str, &str, &[u8]) -> bool + Sync + Send,
    look: impl Fn(Payload) -> Option<T> + Sync,
    mut take: impl FnMut(T),
    watch: &dyn Watch,
) {
    let mut extents = extents.to_vec();
    extents.sort_by_key(|extent| plain_name(&extent.path));
    let mut files = extents.into_iter();
    let mut open = None;
    let next = || {
        loop {
            if watch.is_stopped() {
                return None;
            }
            let Some((reader, path, until, last)) = &mut open else {
                let extent = files.next()?;
                // What cannot be opened is told of when the archive is followed.
                let opened = Reader::open(&extent.path).ok();
                open = opened.map(|reader| (reader, extent.path, extent.until, (u64::MAX, 0)));
                continue;
            };
            let found = match reader.next_record() {
                Ok(Some(record)) if record.offset < *until => {
                    let nth = if last.0 == record.offset { last.1 + 1 } else { 0 };
                    *last = (record.offset, nth);
                    payload(record, path, nth, &is_wanted)
                }
                Ok(_) => {
                    open = None;
                    continue;
                }
                Err(_) => {
                    // Told of when the archive is followed.
                    reader.skip_broken();
                    continue;
                }
            };
            if let Some(payload) = found {
                return Some(payload);
            }
        }
    };
    in_order(
        threads,
        next,
        |payload: Payload| (payload.content.length(), look(payload)),
        |(bytes, found)| {
            watch.advance(bytes, 1);
            found.into_iter().for_each(&mut take);
            true
        },
    );
}

fn payload<R: BufRead + Seek>(
    mut record: BlockRecord<'_, R>,
    path: &Path,
    nth: u64,
    is_wanted: &dyn Fn(&str, &str, &[u8]) -> bool,
) -> Option<Payload> {
    if !is_capture(&record.fields) {
        return None;
    }
    let kind = record.kind().to_owned();
    let url = target(&record.fields)?.to_owned();
    let name = record_name(&record.fields, path, (record.offset, nth));
    let captured = record.fields.get("WARC-Date").and_then(millis_of_warc_date).map(Time::from_millis);
    let digest = record.fields.get("WARC-Payload-Digest").map(str::to_owned);
    let plain = |mime: &str| mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let declared_by = |head: &HttpHead| plain(head.field("content-type").unwrap_or_default());
    let is_success = |head: &HttpHead| head.status.starts_with('2');
    let (declared, content) = match kind.as_str() {
        "response" => {
            let answer = Answer::read(&mut record, None).filter(|answer| is_success(&answer.head))?;
            let declared = declared_by(&answer.head);
            let body = answer.body_if(MOST_BYTES, |start| is_wanted(&url, &declared, start))?;
            (declared, Content::Bytes(body))
        }
        "revisit" => {
            let original = original(&record.fields);
            // Some writers keep no head of what they had before.
            let head = HttpHead::read(&mut record).ok()?.0;
            let declared = head.as_ref().map(declared_by).unwrap_or_default();
            // How it begins is known there.
            (declared, head.is_none_or(|head| is_success(&head)).then_some(Content::SameAs(original))?)
        }
        _ => {
            let declared = plain(record.fields.get("Content-Type").unwrap_or_default());
            let body = record.read_block(MOST_BYTES).ok().filter(|body| is_wanted(&url, &declared, body))?;
            (declared, Content::Bytes(body))
        }
    };
    Some(Payload { record: name, url, captured, declared, digest, content })
}
