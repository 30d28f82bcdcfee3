//! The bytes of captures, for those who look at more than words.

use std::io::{BufRead, Seek};

use annalist_model::Time;
use annalist_warc::{Answer, BlockRecord, Reader, millis_of_warc_date};

use super::pairing::is_capture;
use super::{Extent, Watch, plain_name};
use crate::parallel::in_order;

/// Larger payloads are left out.
const MOST_BYTES: u64 = 32 << 20;

/// What was received, with transfer and content coding removed.
#[derive(Debug)]
pub struct Payload {
    /// `urn:uuid:…`
    pub record: String,
    pub url: String,
    pub captured: Option<Time>,
    /// The media type that the server said it is, without parameters.
    pub declared: String,
    pub digest: Option<String>,
    pub body: Vec<u8>,
}

/// Hands what `look` makes of every payload that was answered with success, on all threads, to `take`, in the archive's order.
pub fn payloads<T: Send>(
    extents: &[Extent],
    threads: usize,
    is_wanted: impl Fn(&str, &str) -> bool + Sync + Send,
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
            let Some((reader, until)) = &mut open else {
                let extent = files.next()?;
                // What cannot be opened is told of when the archive is followed.
                open = Reader::open(&extent.path).ok().map(|reader| (reader, extent.until));
                continue;
            };
            let found = match reader.next_record() {
                Ok(Some(record)) if record.offset < *until => payload(record, &is_wanted),
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
        |payload: Payload| (payload.body.len() as u64, look(payload)),
        |(bytes, found)| {
            watch.advance(bytes, 1);
            found.into_iter().for_each(&mut take);
            true
        },
    );
}

fn payload<R: BufRead + Seek>(
    mut record: BlockRecord<'_, R>,
    is_wanted: &dyn Fn(&str, &str) -> bool,
) -> Option<Payload> {
    let is_bare = match record.kind() {
        "response" => false,
        "resource" if is_capture(&record.fields) => true,
        _ => return None,
    };
    let field = |name: &str| record.fields.get(name).map(|value| value.trim_matches(['<', '>']).to_owned());
    let (name, url) = (field("WARC-Record-ID")?, field("WARC-Target-URI")?);
    let captured = field("WARC-Date").as_deref().and_then(millis_of_warc_date).map(Time::from_millis);
    let digest = field("WARC-Payload-Digest");
    let plain = |mime: &str| mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let (declared, body) = if is_bare {
        let declared = plain(&field("Content-Type").unwrap_or_default());
        let is_wanted = is_wanted(&url, &declared);
        (declared, is_wanted.then(|| record.read_block(MOST_BYTES).ok())??)
    } else {
        let answer = Answer::read(&mut record, None).filter(|answer| answer.head.status.starts_with('2'))?;
        let declared = plain(answer.head.field("content-type").unwrap_or_default());
        let is_wanted = is_wanted(&url, &declared);
        (declared, is_wanted.then(|| answer.body(MOST_BYTES))??)
    };
    Some(Payload { record: name, url, captured, declared, digest, body })
}
