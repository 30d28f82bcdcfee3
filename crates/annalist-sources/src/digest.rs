//! Digests as WARC spells them, taken while the bytes come in.

use annalist_model::spec::DigestKind;
use data_encoding::BASE32;
use sha1::{Digest, Sha1};
use sha2::Sha256;

#[derive(Clone, Debug)]
pub(crate) enum Hasher {
    Sha1(Sha1),
    Sha256(Sha256),
}

impl Hasher {
    pub(crate) fn new(kind: DigestKind) -> Hasher {
        match kind {
            DigestKind::Sha1 => Hasher::Sha1(Sha1::new()),
            DigestKind::Sha256 => Hasher::Sha256(Sha256::new()),
        }
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        match self {
            Hasher::Sha1(sha1) => sha1.update(bytes),
            Hasher::Sha256(sha256) => sha256.update(bytes),
        }
    }

    /// `sha1:BASE32`, `sha256:BASE32`.
    pub(crate) fn finish(self) -> String {
        match self {
            Hasher::Sha1(sha1) => format!("sha1:{}", BASE32.encode(&sha1.finalize())),
            Hasher::Sha256(sha256) => format!("sha256:{}", BASE32.encode(&sha256.finalize())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Hasher;
    use annalist_model::spec::DigestKind;

    #[test]
    fn the_digest_of_nothing_is_the_one_every_archive_knows() {
        assert_eq!(Hasher::new(DigestKind::Sha1).finish(), "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
        assert_eq!(
            Hasher::new(DigestKind::Sha256).finish(),
            "sha256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ===="
        );
    }
}
