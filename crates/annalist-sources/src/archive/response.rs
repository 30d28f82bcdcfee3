//! One response out of a WARC record, as a crawl would have received it.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use annalist_model::{CanonicalUrl, ResponseHead, Time};
use annalist_warc::{
    BlockRecord, ContentCoding, Dechunked, Fault, HttpHead, OPEN_SUFFIX, ReadError, Reader, decoded,
    millis_of_warc_date,
};

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
    /// `None` for records that are no response to be read. What is wrong with the record itself is noticed when the reader
    /// goes past it.
    pub(super) fn read<R: BufRead>(record: &mut BlockRecord<'_, R>, most_bytes: u64) -> Option<Archived> {
        if record.kind() != "response" {
            return None;
        }
        // Some writers put the address into angle brackets.
        let target = record.fields.get("WARC-Target-URI")?.trim_matches(['<', '>']);
        let url = CanonicalUrl::parse(target).ok()?;
        let at = record
            .fields
            .get("WARC-Date")
            .and_then(millis_of_warc_date)
            .map_or_else(Time::default, Time::from_millis);
        let (head, rest) = HttpHead::read(&mut *record).ok()?;
        let head = head?;
        let status = head.status.parse().ok()?;
        let coding = ContentCoding::named(head.field("content-encoding").unwrap_or_default())?;
        let chunked = head.is_chunked();
        let mut body = Vec::new();
        // A body that breaks off is read as far as it goes, as in a crawl.
        let _ = decoded(Dechunked::new(rest, chunked), coding, most_bytes).ok()?.read_to_end(&mut body);
        let fields = head.fields.into_iter().map(|(name, value)| (name, value.into_bytes())).collect();
        Some(Archived { url, at, head: ResponseHead { status, fields }, body })
    }
}

/// Hands over every response of a file, and after each record how far in the file it is.
pub fn responses(
    file: &mut Reader<BufReader<File>>,
    most_bytes: u64,
    take: &mut dyn FnMut(Archived),
    advance: &mut dyn FnMut(u64),
) -> Result<(), ReadError> {
    while let Some(mut record) = file.next_record()? {
        if let Some(archived) = Archived::read(&mut record, most_bytes) {
            take(archived);
        }
        let span = record.finish()?;
        advance(span.offset + span.length);
    }
    Ok(())
}

/// Whether a fault is only that a crawl has not finished the last record of a file yet.
pub fn is_being_written(path: &Path, fault: &ReadError) -> bool {
    path.to_string_lossy().ends_with(OPEN_SUFFIX) && matches!(fault.fault, Fault::CutShort)
}
