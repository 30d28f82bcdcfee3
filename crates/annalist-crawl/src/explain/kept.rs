//! The metadata record of a capture, found again in the archive. It is written soon after the response, in the same file
//! unless that was full just then.

use std::path::PathBuf;

use annalist_frontier::Place;
use annalist_warc::Reader;

use crate::job::JobDir;

/// Records between a response and its metadata: a group of visits at most, with all that belongs to each.
const FURTHEST: usize = 500;
const LARGEST_BLOCK: u64 = 64 << 20;

/// The fields of the record that tells of the capture at `place`; none when it cannot be found.
pub(super) fn fields_about(job: &JobDir, place: &Place, url: &str) -> Vec<(String, String)> {
    find(job, place, url).unwrap_or_default()
}

fn find(job: &JobDir, place: &Place, url: &str) -> Option<Vec<(String, String)>> {
    let mut reader = Reader::open_at(&file(job, place)?, place.offset).ok()?;
    for _ in 0..FURTHEST {
        let mut record = reader.next_record().ok()??;
        if record.kind() == "metadata" && record.fields.get("WARC-Target-URI") == Some(url) {
            let block = record.read_block(LARGEST_BLOCK).ok()?;
            let text = String::from_utf8_lossy(&block);
            let fields = text.lines().filter_map(|line| line.split_once(": "));
            return Some(fields.map(|(name, value)| (name.to_owned(), value.to_owned())).collect());
        }
    }
    None
}

/// The file has another name until it is closed.
fn file(job: &JobDir, place: &Place) -> Option<PathBuf> {
    let closed = job.archive().join(&place.file);
    let open = job.archive().join(format!("{}.open", place.file));
    [closed, open].into_iter().find(|path| path.exists())
}
