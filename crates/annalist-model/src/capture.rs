//! The bytes of one exchange with a server. Where they end up is decided by the recorder.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::time::Time;
use crate::url::CanonicalUrl;

/// One exchange, exactly as it went over the wire.
#[derive(Debug)]
pub struct Capture {
    pub url: CanonicalUrl,
    /// When the request began; WARC-Date of its records.
    pub started: Time,
    pub elapsed: Duration,
    pub server: IpAddr,
    /// The request as sent.
    pub request: Vec<u8>,
    /// The response as received: head and body, transfer coding and content coding untouched.
    pub response: Block,
    pub head: ResponseHead,
    /// Digest of the entity body (transfer coding removed, content coding kept), as WARC spells it: `sha1:BASE32`.
    pub payload_digest: String,
    /// Length of the entity body that the digest covers.
    pub payload_length: u64,
    /// The body for reading: both codings removed, cut at the reading limit.
    pub body: Vec<u8>,
    pub truncated: Option<Truncated>,
    /// What was wrong with the server's certificate, when the policy let it pass.
    pub certificate_fault: Option<String>,
}

/// Received bytes: in memory, or spooled to a file when there are many. Whoever consumes the block removes the file.
#[derive(Debug)]
pub enum Block {
    Memory(Vec<u8>),
    File { path: PathBuf, length: u64 },
}

impl Block {
    pub fn length(&self) -> u64 {
        match self {
            Block::Memory(bytes) => bytes.len() as u64,
            Block::File { length, .. } => *length,
        }
    }
}

/// Status line and header fields, as parsed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResponseHead {
    pub status: u16,
    pub fields: Vec<(String, Vec<u8>)>,
}

impl ResponseHead {
    /// The first field of that name, if it is text.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    pub fn all<'a, 'n>(&'a self, name: &'n str) -> impl Iterator<Item = &'a str> + use<'a, 'n> {
        self.fields
            .iter()
            .filter(move |(n, _)| n.eq_ignore_ascii_case(name))
            .filter_map(|(_, v)| std::str::from_utf8(v).ok())
            .map(str::trim)
    }

    /// Where a redirect leads. Servers send it in any encoding; bytes that are no UTF-8 are taken as Latin-1.
    pub fn location(&self) -> Option<String> {
        let (_, value) = self.fields.iter().find(|(name, _)| name.eq_ignore_ascii_case("location"))?;
        let text = match std::str::from_utf8(value) {
            Ok(text) => text.to_owned(),
            Err(_) => value.iter().map(|byte| char::from(*byte)).collect(),
        };
        Some(text.trim().to_owned())
    }

    pub fn is_redirect(&self) -> bool {
        matches!(self.status, 301 | 302 | 303 | 307 | 308)
    }
}

/// Why a response is not whole: WARC-Truncated's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truncated {
    Length,
    Time,
    Disconnect,
}

impl Truncated {
    pub const fn name(self) -> &'static str {
        match self {
            Truncated::Length => "length",
            Truncated::Time => "time",
            Truncated::Disconnect => "disconnect",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ResponseHead;

    #[test]
    fn a_location_in_latin_1_is_still_a_location() {
        let fields = vec![("LOCATION".to_owned(), b" /caf\xe9 ".to_vec())];
        assert_eq!(ResponseHead { status: 301, fields }.location().as_deref(), Some("/caf\u{e9}"));
    }
}
