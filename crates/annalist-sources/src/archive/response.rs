//! One response out of a WARC record, as a crawl would have received it.

use std::fs::File;
use std::io::{BufRead, BufReader, Seek};
use std::ops::ControlFlow;
use std::path::Path;

use annalist_model::{CanonicalUrl, ResponseHead, Time};
use annalist_warc::{Answer, BlockRecord, Fault, Hole, OPEN_SUFFIX, Reader, millis_of_warc_date};

/// What an archive has of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archived {
    pub url: CanonicalUrl,
    /// When it was captured; the beginning of time where the record does not say.
    pub at: Time,
    pub head: ResponseHead,
    /// With transfer and content coding removed.
    pub body: Vec<u8>,
}

impl Archived {
    /// `None` for records that are no response to be read, nor what one would have brought. What is wrong with the record
    /// itself is noticed when the reader goes past it.
    pub(super) fn read<R: BufRead + Seek>(
        record: &mut BlockRecord<'_, R>,
        most_bytes: u64,
    ) -> Option<Archived> {
        let is_bare = match record.kind() {
            "response" => false,
            "resource" => true,
            _ => return None,
        };
        // Some writers put the address into angle brackets.
        let target = record.fields.get("WARC-Target-URI")?.trim_matches(['<', '>']);
        let url = CanonicalUrl::parse(target).ok()?;
        let at = record.fields.get("WARC-Date").and_then(millis_of_warc_date);
        let at = at.map_or_else(Time::default, Time::from_millis);
        if is_bare {
            return Archived::of_resource(record, url, at, most_bytes);
        }
        let named = record.fields.get("WARC-Identified-Payload-Type").map(str::to_owned);
        let answer = Answer::read(&mut *record, named.as_deref())?;
        let head = ResponseHead { status: answer.status()?, fields: answer.fields() };
        Some(Archived { url, at, head, body: answer.body(most_bytes)? })
    }
}

impl Archived {
    /// What was kept without the exchange that brought it: it was there, and of that type.
    fn of_resource<R: BufRead + Seek>(
        record: &mut BlockRecord<'_, R>,
        url: CanonicalUrl,
        at: Time,
        most_bytes: u64,
    ) -> Option<Archived> {
        let kind = record.fields.get("Content-Type").unwrap_or("application/octet-stream");
        let fields = vec![("Content-Type".to_owned(), kind.as_bytes().to_vec())];
        let body = record.read_block(most_bytes).ok()?;
        Some(Archived { url, at, head: ResponseHead { status: 200, fields }, body })
    }
}

/// Hands over every response of a file, until somebody has seen enough, and after each record how far in the file it is.
/// Returns what cannot be read.
pub fn responses(
    file: &mut Reader<BufReader<File>>,
    most_bytes: u64,
    take: &mut dyn FnMut(Archived) -> ControlFlow<()>,
    advance: &mut dyn FnMut(u64),
) -> Vec<Hole> {
    file.each_record_while(&mut |mut record| {
        let archived = Archived::read(&mut record, most_bytes);
        let span = record.finish()?;
        let flow = archived.map_or(ControlFlow::Continue(()), &mut *take);
        advance(span.offset + span.length);
        Ok(flow)
    })
}

/// Whether a hole is only that a crawl has not finished the last record of a file yet.
pub fn is_being_written(path: &Path, hole: &Hole) -> bool {
    path.to_string_lossy().ends_with(OPEN_SUFFIX) && matches!(hole.error.fault, Fault::CutShort)
}
