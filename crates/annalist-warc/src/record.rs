//! What a record says about itself and what it holds. Which records a capture becomes is decided by the recorder;
//! lengths and block digests are filled in when the record is written.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;

use bytes::Bytes;
use uuid::Uuid;

use crate::date::rfc3339;
use crate::digest::{Digest, DigestKind};
use crate::fields::{Fields, warc_fields_block};
use crate::http::HttpHead;

/// The name of a record: `<urn:uuid:…>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RecordId(Uuid);

impl RecordId {
    pub fn new(uuid: Uuid) -> RecordId {
        RecordId(uuid)
    }

    /// Of a record that came without a name. `place` is where it was: nothing else is there.
    pub fn of_place(place: &str) -> RecordId {
        let digest = DigestKind::Sha256.of(place.as_bytes());
        let bytes = digest.as_bytes().first_chunk().copied().unwrap_or_default();
        RecordId::new(uuid::Builder::from_random_bytes(bytes).into_uuid())
    }

    pub fn uuid(self) -> Uuid {
        self.0
    }

    /// Other people's records may have names that are no UUID; those cannot be pointed at.
    pub fn is_known(self) -> bool {
        !self.0.is_nil()
    }
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<urn:uuid:{}>", self.0.as_hyphenated())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordType {
    Warcinfo,
    Request,
    Response,
    Metadata,
    Revisit,
    Resource,
}

impl RecordType {
    pub const fn name(self) -> &'static str {
        match self {
            RecordType::Warcinfo => "warcinfo",
            RecordType::Request => "request",
            RecordType::Response => "response",
            RecordType::Metadata => "metadata",
            RecordType::Revisit => "revisit",
            RecordType::Resource => "resource",
        }
    }
}

/// The bytes of a record: in memory, in one piece or several, or in a file that is read while the record is written.
#[derive(Clone, Debug)]
pub enum Block {
    Memory(Vec<Bytes>),
    File {
        path: PathBuf,
        length: u64,
    },
    /// The whole record as it will be in the archive, made by [`crate::Packing`].
    Packed(Box<PackedBlock>),
}

/// A record that was packed before its turn to be written came.
#[derive(Clone, Debug)]
pub struct PackedBlock {
    pub(crate) member: Member,
    /// Of the block in it.
    pub(crate) length: u64,
    /// Counts where the record itself names none.
    pub(crate) payload_digest: Digest,
    pub(crate) head: Option<HttpHead>,
}

/// One gzip member.
#[derive(Clone, Debug)]
pub(crate) enum Member {
    Memory(Bytes),
    File { path: PathBuf, length: u64 },
}

impl Block {
    pub fn length(&self) -> u64 {
        match self {
            Block::Memory(pieces) => pieces.iter().map(|piece| piece.len() as u64).sum(),
            Block::File { length, .. } => *length,
            Block::Packed(packed) => packed.length,
        }
    }
}

impl From<Vec<u8>> for Block {
    fn from(bytes: Vec<u8>) -> Block {
        Block::Memory(vec![Bytes::from(bytes)])
    }
}

impl From<Bytes> for Block {
    fn from(bytes: Bytes) -> Block {
        Block::Memory(vec![bytes])
    }
}

/// What all records of one exchange with a server have in common.
#[derive(Clone, Copy, Debug)]
pub struct Exchange<'a> {
    pub target_uri: &'a str,
    /// When the fetch began, in milliseconds since 1970.
    pub started_ms: u64,
    pub server: Option<IpAddr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevisitProfile {
    /// The payload is the same as the other capture's, byte for byte.
    IdenticalPayloadDigest,
    /// The server said 304.
    ServerNotModified,
}

impl RevisitProfile {
    pub const fn uri(self) -> &'static str {
        match self {
            RevisitProfile::IdenticalPayloadDigest => {
                "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
            }
            RevisitProfile::ServerNotModified => {
                "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
            }
        }
    }

    /// Reads the URIs of WARC/1.0 and WARC/1.1.
    pub fn from_uri(uri: &str) -> Option<RevisitProfile> {
        let (_, name) = uri.split_once("://netpreserve.org/warc/1.")?;
        match name {
            "0/revisit/identical-payload-digest" | "1/revisit/identical-payload-digest" => {
                Some(RevisitProfile::IdenticalPayloadDigest)
            }
            "0/revisit/server-not-modified" | "1/revisit/server-not-modified" => {
                Some(RevisitProfile::ServerNotModified)
            }
            _ => None,
        }
    }
}

/// The capture that a revisit stands for. It has to be one with a payload, never another revisit.
#[derive(Clone, Copy, Debug)]
pub struct RefersTo<'a> {
    pub id: Option<RecordId>,
    pub target_uri: &'a str,
    pub started_ms: u64,
}

/// A record that can be written.
#[derive(Clone, Debug)]
pub struct Record {
    kind: RecordType,
    id: RecordId,
    fields: Fields,
    block: Block,
}

impl Record {
    pub fn kind(&self) -> RecordType {
        self.kind
    }

    pub fn id(&self) -> RecordId {
        self.id
    }

    pub fn fields(&self) -> &Fields {
        &self.fields
    }

    pub fn block(&self) -> &Block {
        &self.block
    }

    /// The file that holds the packed record, if it is in one.
    pub fn packed_file(&self) -> Option<PathBuf> {
        match &self.block {
            Block::Packed(packed) => match &packed.member {
                Member::File { path, .. } => Some(path.clone()),
                Member::Memory(_) => None,
            },
            _ => None,
        }
    }

    pub(crate) fn with_block(self, block: Block) -> Record {
        Record { block, ..self }
    }

    /// Adds a field that the constructors do not know, `WARC-Truncated` say.
    #[must_use]
    pub fn with_field(mut self, name: &'static str, value: impl Into<String>) -> Record {
        self.fields.push(name, value);
        self
    }

    /// A record of another file, kept as it is. `None` for a kind that no index names.
    pub(crate) fn copied(fields: Fields, packed: PackedBlock) -> Option<Record> {
        let kind = fields.get("WARC-Type")?;
        let kind = [RecordType::Response, RecordType::Revisit, RecordType::Resource]
            .into_iter()
            .find(|known| known.name() == kind)?;
        let id = fields.get("WARC-Record-ID").unwrap_or_default();
        let id = id.trim_matches(['<', '>']).trim_start_matches("urn:uuid:");
        let id = RecordId(Uuid::try_parse(id).unwrap_or(Uuid::nil()));
        Some(Record { kind, id, fields, block: Block::Packed(Box::new(packed)) })
    }

    /// What a file says about itself, as its first record.
    pub fn warcinfo(id: RecordId, at_ms: u64, filename: &str, fields: &[(String, String)]) -> Record {
        let mut record = Record::new(RecordType::Warcinfo, id, at_ms, warc_fields_block(fields).into());
        record.fields.push("WARC-Filename", filename);
        record.fields.push("Content-Type", "application/warc-fields");
        record
    }

    pub fn request(
        id: RecordId,
        exchange: &Exchange<'_>,
        response: RecordId,
        block: impl Into<Block>,
    ) -> Record {
        let mut record = Record::of_exchange(RecordType::Request, id, exchange, block.into());
        record.fields.push("WARC-Concurrent-To", response.to_string());
        record.fields.push("Content-Type", "application/http; msgtype=request");
        record
    }

    /// `payload_digest` covers the entity body: transfer coding removed, content coding kept.
    pub fn response(
        id: RecordId,
        exchange: &Exchange<'_>,
        payload_digest: &str,
        block: impl Into<Block>,
    ) -> Record {
        let mut record = Record::of_exchange(RecordType::Response, id, exchange, block.into());
        record.fields.push("WARC-Payload-Digest", payload_digest);
        record.fields.push("Content-Type", "application/http; msgtype=response");
        record
    }

    /// A response whose payload is stored elsewhere already. `http_head` is all that is kept: up to and with the empty
    /// line.
    pub fn revisit(
        id: RecordId,
        exchange: &Exchange<'_>,
        payload_digest: &str,
        profile: RevisitProfile,
        refers_to: &RefersTo<'_>,
        http_head: impl Into<Block>,
    ) -> Record {
        let mut record = Record::of_exchange(RecordType::Revisit, id, exchange, http_head.into());
        let fields = &mut record.fields;
        fields.push("WARC-Profile", profile.uri());
        if let Some(original) = refers_to.id {
            fields.push("WARC-Refers-To", original.to_string());
        }
        fields.push_uri("WARC-Refers-To-Target-URI", refers_to.target_uri);
        fields.push("WARC-Refers-To-Date", rfc3339(refers_to.started_ms));
        fields.push("WARC-Payload-Digest", payload_digest);
        fields.push("WARC-Truncated", "length");
        fields.push("Content-Type", "application/http; msgtype=response");
        record
    }

    /// What is known about a capture beyond its bytes.
    pub fn metadata<N: AsRef<str>, V: AsRef<str>>(
        id: RecordId,
        exchange: &Exchange<'_>,
        about: Option<RecordId>,
        fields: &[(N, V)],
    ) -> Record {
        let block = warc_fields_block(fields).into();
        let mut record = Record::of_exchange(RecordType::Metadata, id, exchange, block);
        if let Some(about) = about {
            record.fields.push("WARC-Concurrent-To", about.to_string());
        }
        record.fields.push("Content-Type", "application/warc-fields");
        record
    }

    /// Something that was not fetched over HTTP: a DNS answer (`dns:name`, `text/dns`), an extracted text.
    pub fn resource(
        id: RecordId,
        exchange: &Exchange<'_>,
        content_type: &str,
        block: impl Into<Block>,
    ) -> Record {
        let mut record = Record::of_exchange(RecordType::Resource, id, exchange, block.into());
        record.fields.push("Content-Type", content_type);
        record
    }

    fn of_exchange(kind: RecordType, id: RecordId, exchange: &Exchange<'_>, block: Block) -> Record {
        let mut record = Record::new(kind, id, exchange.started_ms, block);
        record.fields.push_uri("WARC-Target-URI", exchange.target_uri);
        if let Some(server) = exchange.server {
            record.fields.push("WARC-IP-Address", server.to_string());
        }
        record
    }

    fn new(kind: RecordType, id: RecordId, at_ms: u64, block: Block) -> Record {
        let mut fields = Fields::new();
        fields.push("WARC-Type", kind.name());
        fields.push("WARC-Record-ID", id.to_string());
        fields.push("WARC-Date", rfc3339(at_ms));
        Record { kind, id, fields, block }
    }
}

#[cfg(test)]
mod tests {
    use super::{Exchange, Record, RecordId, RefersTo, RevisitProfile};

    #[test]
    fn a_revisit_says_which_capture_it_stands_for() {
        let exchange = Exchange { target_uri: "http://a.test/2", started_ms: 2_000, server: None };
        let first = RecordId::new(uuid::Uuid::from_u128(1));
        let refers_to = RefersTo { id: Some(first), target_uri: "http://a.test/1", started_ms: 1_000 };
        let record = Record::revisit(
            RecordId::new(uuid::Uuid::from_u128(2)),
            &exchange,
            "sha1:X",
            RevisitProfile::IdenticalPayloadDigest,
            &refers_to,
            b"HTTP/1.1 200 OK\r\n\r\n".to_vec(),
        );
        let field = |name| record.fields().get(name).unwrap();
        assert_eq!(field("WARC-Refers-To"), "<urn:uuid:00000000-0000-0000-0000-000000000001>");
        assert_eq!(field("WARC-Refers-To-Target-URI"), "http://a.test/1");
        assert_eq!(field("WARC-Refers-To-Date"), "1970-01-01T00:00:01.000Z");
        assert_eq!(
            RevisitProfile::from_uri(field("WARC-Profile")),
            Some(RevisitProfile::IdenticalPayloadDigest)
        );
        assert_eq!(
            RevisitProfile::from_uri("http://netpreserve.org/warc/1.0/revisit/server-not-modified"),
            Some(RevisitProfile::ServerNotModified)
        );
    }
}
