//! The pages of WARC files, read as a crawl reads them.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use annalist_model::{CanonicalUrl, Canonicaliser, Page, ResponseHead};
use annalist_read::{Limits, Reader};
use annalist_warc::{
    BlockRecord, ContentCoding, Dechunked, Fault, HttpHead, OPEN_SUFFIX, ReadError, Reader as WarcReader,
    decoded,
};

/// Reads the response records of files.
pub struct Archive {
    reader: Reader,
    most_bytes: u64,
}

/// Where a page of an archive is from.
pub struct Found {
    pub url: CanonicalUrl,
    pub page: Page,
}

impl Archive {
    pub fn new() -> Archive {
        let limits = Limits::default();
        Archive {
            reader: Reader::with_limits(Canonicaliser::default(), limits),
            most_bytes: limits.body_bytes as u64,
        }
    }

    /// Hands over every page that was answered with success, and after each record how far in the file it is.
    pub fn pages(
        &self,
        file: &mut WarcReader<BufReader<File>>,
        take: &mut dyn FnMut(Found),
        advance: &mut dyn FnMut(u64),
    ) -> Result<(), ReadError> {
        while let Some(mut record) = file.next_record()? {
            if let Some(found) = self.page(&mut record) {
                take(found);
            }
            let span = record.finish()?;
            advance(span.offset + span.length);
        }
        Ok(())
    }

    /// What cannot be read in the record itself is noticed when the reader goes past it.
    fn page(&self, record: &mut BlockRecord<'_, BufReader<File>>) -> Option<Found> {
        if record.kind() != "response" {
            return None;
        }
        // Some writers put the address into angle brackets.
        let target = record.fields.get("WARC-Target-URI")?.trim_matches(['<', '>']);
        let url = CanonicalUrl::parse(target).ok()?;
        let (head, body) = HttpHead::read(&mut *record).ok()?;
        let head = head?;
        let status: u16 = head.status.parse().ok().filter(|status| (200..300).contains(status))?;
        let coding = ContentCoding::named(head.field("content-encoding").unwrap_or_default())?;
        let chunked = head.is_chunked();
        let mut bytes = Vec::new();
        // A body that breaks off is read as far as it goes, as in a crawl.
        let _ = decoded(Dechunked::new(body, chunked), coding, self.most_bytes).ok()?.read_to_end(&mut bytes);
        let fields = head.fields.into_iter().map(|(name, value)| (name, value.into_bytes())).collect();
        let page = self.reader.read(&url, &ResponseHead { status, fields }, &bytes);
        Some(Found { url, page })
    }
}

/// Whether a fault is only that a crawl has not finished the last record of a file yet.
pub fn is_being_written(path: &Path, fault: &ReadError) -> bool {
    path.to_string_lossy().ends_with(OPEN_SUFFIX) && matches!(fault.fault, Fault::CutShort)
}
