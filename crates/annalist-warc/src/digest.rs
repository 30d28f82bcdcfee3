//! Labelled digests, `sha1:BASE32`, and the hashers that make them. What is hashed is the caller's business.

use std::fmt;
use std::str::FromStr;

use data_encoding::{BASE32, HEXLOWER_PERMISSIVE};
use sha1::Digest as _;

/// Which hash a collection uses; never mixed in one crawl.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum DigestKind {
    #[default]
    Sha1,
    Sha256,
}

impl DigestKind {
    pub const fn name(self) -> &'static str {
        match self {
            DigestKind::Sha1 => "sha1",
            DigestKind::Sha256 => "sha256",
        }
    }

    const fn length(self) -> usize {
        match self {
            DigestKind::Sha1 => 20,
            DigestKind::Sha256 => 32,
        }
    }

    /// The digest of bytes that are all there.
    pub fn of(self, bytes: &[u8]) -> Digest {
        let mut hasher = Hasher::new(self);
        hasher.update(bytes);
        hasher.finish()
    }
}

/// A digest over bytes that come piece by piece.
#[derive(Clone, Debug)]
pub struct Hasher(State);

#[derive(Clone, Debug)]
enum State {
    Sha1(sha1::Sha1),
    Sha256(sha2::Sha256),
}

impl Hasher {
    pub fn new(kind: DigestKind) -> Hasher {
        Hasher(match kind {
            DigestKind::Sha1 => State::Sha1(sha1::Sha1::new()),
            DigestKind::Sha256 => State::Sha256(sha2::Sha256::new()),
        })
    }

    pub fn update(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            State::Sha1(hash) => hash.update(bytes),
            State::Sha256(hash) => hash.update(bytes),
        }
    }

    pub fn finish(self) -> Digest {
        let mut bytes = [0; 32];
        let kind = match self.0 {
            State::Sha1(hash) => {
                bytes[..20].copy_from_slice(&hash.finalize());
                DigestKind::Sha1
            }
            State::Sha256(hash) => {
                bytes.copy_from_slice(&hash.finalize());
                DigestKind::Sha256
            }
        };
        Digest { kind, bytes }
    }
}

/// A digest with the name of its hash. Shown as WARC fields spell it: `sha1:` and base32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest {
    kind: DigestKind,
    /// Zeros after the hash's own length.
    bytes: [u8; 32],
}

impl Digest {
    pub fn kind(&self) -> DigestKind {
        self.kind
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.kind.length()]
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind.name(), BASE32.encode_display(self.as_bytes()))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a digest that is known here: sha1: or sha256: and base32 or hexadecimal digits")]
pub struct UnknownDigest;

impl FromStr for Digest {
    type Err = UnknownDigest;

    /// Reads base32 in either case and hexadecimal digits, which other writers use.
    fn from_str(text: &str) -> Result<Digest, UnknownDigest> {
        let (name, value) = text.split_once(':').ok_or(UnknownDigest)?;
        let kind = [DigestKind::Sha1, DigestKind::Sha256]
            .into_iter()
            .find(|kind| kind.name().eq_ignore_ascii_case(&name.replace('-', "")))
            .ok_or(UnknownDigest)?;
        let decoded = if value.len() == kind.length() * 2 {
            HEXLOWER_PERMISSIVE.decode(value.as_bytes())
        } else {
            // Other writers leave the padding out.
            let mut padded = value.to_ascii_uppercase();
            while padded.len() % 8 != 0 {
                padded.push('=');
            }
            BASE32.decode(padded.as_bytes())
        };
        let decoded = decoded.map_err(|_| UnknownDigest)?;
        if decoded.len() != kind.length() {
            return Err(UnknownDigest);
        }
        let mut bytes = [0; 32];
        bytes[..decoded.len()].copy_from_slice(&decoded);
        Ok(Digest { kind, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::{Digest, DigestKind, Hasher};

    const EMPTY_SHA1: &str = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";

    #[test]
    fn a_digest_is_spelt_as_warc_files_spell_it() {
        assert_eq!(DigestKind::Sha1.of(b"").to_string(), EMPTY_SHA1);
        assert_eq!(
            DigestKind::Sha256.of(b"").to_string(),
            "sha256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ===="
        );
    }

    #[test]
    fn every_spelling_of_a_digest_is_the_same_digest() {
        let digest: Digest = EMPTY_SHA1.parse().unwrap();
        for text in [
            "SHA1:3i42h3s6nnfq2msvx7xzkyayscx5qbyj",
            "sha-1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
            "sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709",
        ] {
            assert_eq!(text.parse(), Ok(digest), "{text}");
        }
        for text in ["", "sha1", "sha1:", "sha1:3I42", "md5:d41d8cd98f00b204e9800998ecf8427e", "sha1:ÄÖÜ"]
        {
            assert!(text.parse::<Digest>().is_err(), "{text}");
        }
    }

    #[test]
    fn pieces_give_the_digest_of_the_whole() {
        for kind in [DigestKind::Sha1, DigestKind::Sha256] {
            let mut hasher = Hasher::new(kind);
            hasher.update(b"hello ");
            hasher.update(b"world");
            assert_eq!(hasher.finish(), kind.of(b"hello world"));
        }
    }
}
