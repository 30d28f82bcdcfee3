//! One record, looked at by itself: its fields, its digests, its end. How records refer to each other is looked at in
//! `references.rs`.

use std::io::{self, BufRead, Read, Seek};

use crate::cdx::target_uri;
use crate::date::warc_date_digits;
use crate::digest::{Digest, Hasher};
use crate::fault::ReadError;
use crate::fields::Fields;
use crate::head::LineEnds;
use crate::http::HttpHead;
use crate::payload::Dechunked;
use crate::read::{BlockRecord, Ending, Framing, Span};
use crate::ready::{each_ready, read_ready};
use crate::record::RevisitProfile;
use crate::start::Format;

use super::references::{Place, References};
use super::{Kind, Report};

const VERSIONS: [&str; 4] = ["0.17", "0.18", "1.0", "1.1"];
const NEED_TARGET: [&str; 6] = ["response", "resource", "request", "revisit", "conversion", "continuation"];

/// Reads the record to its end. An error is one after which the reader has to find its place again.
pub(super) fn check<R: BufRead + Seek>(
    mut record: BlockRecord<'_, R>,
    file: usize,
    report: &mut Report,
    references: &mut References,
) -> Result<(), ReadError> {
    let place = Place { file, offset: record.offset };
    report.records += 1;
    if record.format == Format::Warc {
        check_head(&record, report);
    }
    references.note(&record.fields, place, report);
    check_digests(&mut record, report).map_err(|e| ReadError::from_io(e, place.offset))?;
    let Span { framing, ending, .. } = record.finish()?;
    if ending == Ending::Irregular {
        report.add(place.offset, Kind::NoTerminator, "line ends are missing around the record, or too many");
    }
    let fault = match framing {
        Framing::Alone => return Ok(()),
        Framing::Shared => (Kind::SharedMember, "one compressed member holds many records"),
        Framing::Spread => (Kind::SpreadMember, "the record is spread over compressed members"),
    };
    report.add(place.offset, fault.0, fault.1);
    Ok(())
}

fn check_head<R: BufRead + Seek>(record: &BlockRecord<'_, R>, report: &mut Report) {
    let (offset, fields) = (record.offset, &record.fields);
    if !VERSIONS.contains(&record.version.as_str()) {
        report.add(offset, Kind::UnknownVersion, format!("WARC/{} is no known version", record.version));
    }
    if record.line_ends == LineEnds::BareLf {
        report.add(offset, Kind::BareLf, "a line of the record head ends with LF alone");
    }
    for name in ["WARC-Type", "WARC-Record-ID", "WARC-Date"] {
        require(fields, name, offset, report);
    }
    if NEED_TARGET.contains(&record.kind()) {
        require(fields, "WARC-Target-URI", offset, report);
    }
    if record.content_length > 0 && record.kind() != "continuation" {
        require(fields, "Content-Type", offset, report);
    }
    if report.records == 1 && record.kind() != "warcinfo" {
        report.add(offset, Kind::NoWarcinfo, "the first record is no warcinfo");
    }
    check_repeats(fields, offset, report);
    for name in ["WARC-Date", "WARC-Refers-To-Date"] {
        if let Some(date) = fields.get(name).filter(|date| warc_date_digits(date).is_none()) {
            report.add(offset, Kind::BadDate, format!("{name} is no date: {date:?}"));
        }
    }
    for name in ["WARC-Record-ID", "WARC-Concurrent-To", "WARC-Refers-To"] {
        if let Some(id) = fields.all(name).find(|id| !is_record_id(id)) {
            report.add(offset, Kind::BadRecordId, format!("{name} is no URI in angle brackets: {id:?}"));
        }
    }
    if record.kind() == "revisit" {
        check_revisit(fields, offset, report);
    }
}

fn require(fields: &Fields, name: &str, offset: u64, report: &mut Report) {
    if fields.get(name).is_none_or(str::is_empty) {
        report.add(offset, Kind::MissingField, format!("{name} is missing"));
    }
}

/// Only WARC-Concurrent-To may stand in a record more than once.
fn check_repeats(fields: &Fields, offset: u64, report: &mut Report) {
    let mut names: Vec<String> = fields.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
    names.sort_unstable();
    for pair in names.windows(2) {
        let known = pair[0].starts_with("warc-") || pair[0].starts_with("content-");
        if pair[0] == pair[1] && known && pair[0] != "warc-concurrent-to" {
            report.add(offset, Kind::RepeatedField, format!("{} stands there twice", pair[0]));
        }
    }
}

fn is_record_id(id: &str) -> bool {
    let inner = id.strip_prefix('<').and_then(|id| id.strip_suffix('>'));
    inner.and_then(|uri| uri.split_once(':')).is_some_and(|(scheme, rest)| {
        !scheme.is_empty()
            && !rest.is_empty()
            && !rest.contains(|c: char| c.is_whitespace() || c == '<' || c == '>')
    })
}

fn check_revisit(fields: &Fields, offset: u64, report: &mut Report) {
    let Some(profile) = fields.get("WARC-Profile") else {
        report.add(offset, Kind::MissingField, "WARC-Profile is missing");
        return;
    };
    let profile = RevisitProfile::from_uri(profile);
    if profile == Some(RevisitProfile::IdenticalPayloadDigest) {
        require(fields, "WARC-Payload-Digest", offset, report);
    }
    let by_id = fields.get("WARC-Refers-To").is_some();
    let by_capture =
        fields.get("WARC-Refers-To-Target-URI").is_some() && fields.get("WARC-Refers-To-Date").is_some();
    if !by_id && !by_capture {
        report.add(offset, Kind::RevisitWithoutTarget, "the revisit does not say which capture it refers to");
    }
}

/// Compares both digests while the block is read once.
fn check_digests<R: BufRead + Seek>(record: &mut BlockRecord<'_, R>, report: &mut Report) -> io::Result<()> {
    let offset = record.offset;
    let block_digest = known_digest(&record.fields, "WARC-Block-Digest", offset, report);
    // The payload of a revisit is elsewhere; that of a segment is only there when all segments are.
    let has_payload = matches!(record.kind(), "response" | "resource")
        && record.fields.get("WARC-Segment-Number").is_none();
    let payload_digest = known_digest(&record.fields, "WARC-Payload-Digest", offset, report);
    let payload_digest = payload_digest.filter(|_| has_payload);
    let is_http =
        record.kind() == "response" && target_uri(&record.fields).is_some_and(|uri| uri.starts_with("http"));

    let hasher = block_digest.map(|digest| Hasher::new(digest.kind()));
    let mut block = Hashed { hasher, body_hasher: None, input: record };
    let mut payload_hash = None;
    if let Some(expected) = payload_digest {
        let (head, mut body) =
            if is_http { HttpHead::read(&mut block)? } else { HttpHead::absent(&mut block) };
        let chunked = head.is_some_and(|head| head.is_chunked());
        body.get_mut().1.body_hasher = chunked.then(|| Hasher::new(expected.kind()));
        let mut payload = Dechunked::new(body, chunked);
        let mut hasher = Hasher::new(expected.kind());
        each_ready(&mut payload, &mut |bytes| hasher.update(bytes))?;
        payload_hash = Some(hasher.finish());
        let nothing = Hasher::new(expected.kind()).finish();
        if payload.lacks_frame() && expected == nothing {
            // A crawler that found no first chunk has read no payload; both readings are right.
            payload_hash = Some(nothing);
        }
    }
    each_ready(&mut block, &mut |_| {})?;
    if payload_hash != payload_digest {
        let framed = block.body_hasher.map(Hasher::finish);
        report.add(
            offset,
            payload_fault(payload_digest, framed),
            "the payload is not what its digest was made of",
        );
    }
    if let (Some(expected), Some(hasher)) = (block_digest, block.hasher)
        && hasher.finish() != expected
    {
        report.add(offset, Kind::WrongBlockDigest, format!("the block is not what {expected} was made of"));
    }
    Ok(())
}

/// Some writers, wget for one, leave the chunk frame in what they digest.
fn payload_fault(expected: Option<Digest>, framed: Option<Digest>) -> Kind {
    if framed == expected { Kind::PayloadDigestWithFrame } else { Kind::WrongPayloadDigest }
}

fn known_digest(fields: &Fields, name: &str, offset: u64, report: &mut Report) -> Option<Digest> {
    let text = fields.get(name)?;
    let digest = text.parse().ok();
    if digest.is_none() {
        report.add(offset, Kind::UnknownDigest, format!("{name} cannot be checked: {text:?}"));
    }
    digest
}

/// Hashes what is consumed.
struct Hashed<'a, R> {
    hasher: Option<Hasher>,
    /// Of what follows the HTTP head, as it stands in the block, where that may be a chunk frame.
    body_hasher: Option<Hasher>,
    input: &'a mut R,
}

impl<R: BufRead> Read for Hashed<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        read_ready(self, buffer)
    }
}

impl<R: BufRead> BufRead for Hashed<'_, R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.input.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        // What was consumed was ready, so asking for it again neither reads nor fails.
        if let Ok(ready) = self.input.fill_buf() {
            let used = &ready[..amount.min(ready.len())];
            for hasher in [&mut self.hasher, &mut self.body_hasher].into_iter().flatten() {
                hasher.update(used);
            }
        }
        self.input.consume(amount);
    }
}
