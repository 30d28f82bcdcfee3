//! Which WARC records a capture becomes. When they are written and acknowledged is the keeper's concern.

use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};

use annalist_model::{Block, CanonicalUrl, Capture, Time, Truncated};
use annalist_sources::Lookup;
use annalist_warc::{
    Dechunked, DigestKind, Exchange, HttpHead, Packing, Record, RecordId, RefersTo, RevisitProfile,
    digest_rest,
};
use uuid::Uuid;
use xxhash_rust::xxh3::xxh3_128;

/// The part of a capture that goes into the archive as it is. What is left of the capture is for reading.
#[derive(Debug)]
pub struct Exchanged {
    pub url: CanonicalUrl,
    pub started: Time,
    pub server: std::net::IpAddr,
    pub request: Vec<u8>,
    pub response: Block,
    pub payload_digest: String,
    pub payload_length: u64,
    pub truncated: Option<Truncated>,
    pub certificate_fault: Option<String>,
    /// The record of the response, packed beforehand.
    pub packed: Option<Record>,
    /// The records that another archive has of it, kept as they are: the answer first, then the one that holds its payload,
    /// where it is a revisit.
    pub copies: Vec<Record>,
}

impl Exchanged {
    /// Takes the bytes out of a capture; its head and decoded body stay for the reader.
    pub fn take(capture: &mut Capture) -> Exchanged {
        Exchanged {
            url: capture.url.clone(),
            started: capture.started,
            server: capture.server,
            request: std::mem::take(&mut capture.request),
            response: std::mem::replace(&mut capture.response, Block::Memory(Vec::new())),
            payload_digest: capture.payload_digest.clone(),
            payload_length: capture.payload_length,
            truncated: capture.truncated,
            certificate_fault: capture.certificate_fault.clone(),
            packed: None,
            copies: Vec::new(),
        }
    }

    /// Whether the response is in a file, too large to be dealt with between others.
    pub fn is_large(&self) -> bool {
        matches!(self.response, Block::File { .. })
    }

    /// How long the response is.
    pub fn length(&self) -> u64 {
        self.response.length()
    }

    /// Packs the record of the response, so that the keeper has only to copy it. One that cannot be packed now is left
    /// to the keeper, who knows how to wait for room.
    pub fn pack(&mut self, salt: u64, packing: Packing) {
        let (block, beside) = match &self.response {
            Block::Memory(bytes) => (bytes.clone().into(), PathBuf::new()),
            Block::File { path, length } => {
                (annalist_warc::Block::File { path: path.clone(), length: *length }, packed_path(path))
            }
        };
        match packing.pack(self.response_record(salt, block), &beside) {
            Ok(record) => self.packed = Some(record),
            Err(fault) => {
                tracing::debug!(%fault, "a response was not packed beforehand");
                let _ = std::fs::remove_file(beside);
            }
        }
    }

    /// The files that may be removed when the records are durable.
    pub fn spooled(&self) -> Vec<PathBuf> {
        match &self.response {
            Block::File { path, .. } if self.packed.is_some() => vec![path.clone(), packed_path(path)],
            Block::File { path, .. } => vec![path.clone()],
            Block::Memory(_) => self.copies.iter().filter_map(Record::packed_file).collect(),
        }
    }

    fn response_record(&self, salt: u64, block: annalist_warc::Block) -> Record {
        let id = response_id(salt, self.url.as_str(), self.started, &self.payload_digest);
        let mut response = Record::response(id, &self.exchange(), &self.payload_digest, block);
        if let Some(reason) = self.truncated {
            response = response.with_field("WARC-Truncated", reason.name());
        }
        self.with_certificate_fault(response)
    }

    fn exchange(&self) -> Exchange<'_> {
        let started_ms = self.started.millis();
        Exchange { target_uri: self.url.as_str(), started_ms, server: Some(self.server) }
    }

    fn with_certificate_fault(&self, response: Record) -> Record {
        match &self.certificate_fault {
            Some(fault) => response.with_field("WARC-Certificate-Fault", fault.clone()),
            None => response,
        }
    }
}

/// Beside the response, under a name that is removed at the next start like the response itself.
pub(crate) fn packed_path(response: &Path) -> PathBuf {
    response.with_extension("packed.spool")
}

/// A chunked payload is digested as archives read it: head and chunks are taken from the recorded bytes by the same code
/// that will verify them, however odd they are.
pub fn settle_digest(exchanged: &mut Exchanged) {
    let Ok(kind) = exchanged.payload_digest.parse::<annalist_warc::Digest>().map(|digest| digest.kind())
    else {
        return;
    };
    let read = match &exchanged.response {
        Block::Memory(bytes) => digest_of(kind, bytes.as_slice()),
        Block::File { path, .. } => {
            std::fs::File::open(path).and_then(|file| digest_of(kind, io::BufReader::new(file)))
        }
    };
    if let Ok((digest, length)) = read {
        exchanged.payload_digest = digest;
        exchanged.payload_length = length;
    }
}

fn digest_of(kind: DigestKind, mut block: impl BufRead) -> io::Result<(String, u64)> {
    let (head, body) = HttpHead::read(&mut block)?;
    let payload = Dechunked::new(body, head.is_some_and(|head| head.is_chunked()));
    let (digest, length) = digest_rest(payload, kind)?;
    Ok((digest.to_string(), length))
}

/// The capture whose payload a new one repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Original {
    pub url: String,
    pub started: Time,
}

/// The id of a capture's response, made of what is known of the capture, so that a revisit can name it years
/// later without looking it up. `salt` tells crawls apart.
pub fn response_id(salt: u64, url: &str, started: Time, payload_digest: &str) -> RecordId {
    let text = format!("{salt} {} {payload_digest} {url}", started.millis());
    RecordId::new(uuid::Builder::from_random_bytes(xxh3_128(text.as_bytes()).to_be_bytes()).into_uuid())
}

/// The records of one exchange: response or revisit first, then its request.
/// The block's file, if it is in one, may be removed when the records are durable.
pub fn records_of(
    mut exchanged: Exchanged,
    salt: u64,
    original: Option<&Original>,
) -> io::Result<Vec<Record>> {
    if !exchanged.copies.is_empty() {
        // The payload of a revisit is in this archive already.
        exchanged.copies.truncate(if original.is_some() { 1 } else { exchanged.copies.len() });
        return Ok(exchanged.copies);
    }
    let id = response_id(salt, exchanged.url.as_str(), exchanged.started, &exchanged.payload_digest);
    let response = match original {
        Some(original) => revisit(&exchanged, id, salt, original)?,
        None => exchanged.packed.take().unwrap_or_else(|| {
            let response = std::mem::replace(&mut exchanged.response, Block::Memory(Vec::new()));
            exchanged.response_record(salt, warc_block(response))
        }),
    };
    let request = std::mem::take(&mut exchanged.request);
    Ok(vec![response, Record::request(new_id(), &exchanged.exchange(), id, request)])
}

fn revisit(exchanged: &Exchanged, id: RecordId, salt: u64, original: &Original) -> io::Result<Record> {
    let digest = exchanged.payload_digest.as_str();
    let refers_to = RefersTo {
        id: Some(response_id(salt, &original.url, original.started, digest)),
        target_uri: &original.url,
        started_ms: original.started.millis(),
    };
    let head = http_head(&exchanged.response)?;
    let profile = RevisitProfile::IdenticalPayloadDigest;
    let revisit = Record::revisit(id, &exchanged.exchange(), digest, profile, &refers_to, head);
    Ok(exchanged.with_certificate_fault(revisit))
}

/// What DNS said.
pub fn lookup_record(lookup: Lookup, at: Time) -> Record {
    let name = format!("dns:{}", lookup.name);
    let exchange = Exchange { target_uri: &name, started_ms: at.millis(), server: None };
    Record::resource(new_id(), &exchange, "text/dns", lookup.text.into_bytes())
}

/// What was written on a page.
pub fn objects_record(url: &str, started: Time, json: Vec<u8>) -> Record {
    let name = format!("urn:objects:{url}");
    let exchange = Exchange { target_uri: &name, started_ms: started.millis(), server: None };
    Record::resource(new_id(), &exchange, "application/json", json)
}

/// What is known about a capture beyond its bytes.
pub fn metadata_of(
    url: &str,
    started: Time,
    about: Option<RecordId>,
    fields: &[(&'static str, String)],
) -> Record {
    let exchange = Exchange { target_uri: url, started_ms: started.millis(), server: None };
    Record::metadata(new_id(), &exchange, about, fields)
}

fn new_id() -> RecordId {
    RecordId::new(Uuid::new_v4())
}

fn warc_block(block: Block) -> annalist_warc::Block {
    match block {
        Block::Memory(bytes) => bytes.into(),
        Block::File { path, length } => annalist_warc::Block::File { path, length },
    }
}

/// The head of a response, up to and with its empty line. Interim responses (1xx) are no part of a capture: replay and
/// index tools take the first status line for the answer.
fn http_head(block: &Block) -> io::Result<Vec<u8>> {
    const LONGEST_HEAD: u64 = 1 << 20;
    let mut start = match block {
        Block::Memory(bytes) => bytes.clone(),
        Block::File { path, .. } => {
            let mut start = Vec::new();
            std::fs::File::open(path)?.take(LONGEST_HEAD).read_to_end(&mut start)?;
            start
        }
    };
    start.truncate(head_length(&start).unwrap_or(start.len()));
    Ok(start)
}

/// Some servers end their lines with a newline alone, some begin with an empty one.
fn head_length(start: &[u8]) -> Option<usize> {
    let mut from = start.iter().position(|byte| !matches!(byte, b'\r' | b'\n'))?;
    loop {
        from += start.get(from..)?.iter().position(|byte| *byte == b'\n')? + 1;
        let rest = start.get(from..)?;
        if let Some(end) = [&b"\n"[..], b"\r\n"].iter().find(|end| rest.starts_with(end)) {
            return Some(from + end.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use annalist_model::{Block, Time};

    use super::{http_head, response_id};

    #[test]
    fn a_head_ends_with_its_empty_line() {
        let whole = b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody\r\n\r\n".to_vec();
        assert_eq!(http_head(&Block::Memory(whole)).unwrap(), b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n");
        let plain = b"\nHTTP/1.0 200 OK\nA: b\n\nbody\r\n\r\nmore".to_vec();
        assert_eq!(http_head(&Block::Memory(plain)).unwrap(), b"\nHTTP/1.0 200 OK\nA: b\n\n");
        let cut = b"HTTP/1.1 200 OK\r\nA: b\r\n".to_vec();
        assert_eq!(http_head(&Block::Memory(cut.clone())).unwrap(), cut);
    }

    #[test]
    fn an_id_can_be_made_again_and_is_the_capture_s_own() {
        let at = Time::from_millis(5);
        let id = response_id(1, "http://a.test/", at, "sha1:X");
        assert_eq!(id, response_id(1, "http://a.test/", at, "sha1:X"));
        assert_ne!(id, response_id(2, "http://a.test/", at, "sha1:X"));
        assert_ne!(id, response_id(1, "http://a.test/", Time::from_millis(6), "sha1:X"));
    }
}
