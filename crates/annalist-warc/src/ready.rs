//! Reading from buffers that are filled already, without copying where that is not needed.

use std::io::{self, BufRead, Seek};

use crate::digest::{Digest, DigestKind, Hasher};

/// What records can be read from, wherever it is.
pub trait BufSeek: BufRead + Seek {}
impl<T: BufRead + Seek> BufSeek for T {}

/// `Read::read` for who has `BufRead`.
pub(crate) fn read_ready(input: &mut impl BufRead, buffer: &mut [u8]) -> io::Result<usize> {
    let ready = input.fill_buf()?;
    let amount = ready.len().min(buffer.len());
    buffer[..amount].copy_from_slice(&ready[..amount]);
    input.consume(amount);
    Ok(amount)
}

/// Shows everything up to the end, piece by piece.
pub(crate) fn each_ready(input: &mut impl BufRead, take: &mut dyn FnMut(&[u8])) -> io::Result<()> {
    loop {
        let ready = input.fill_buf()?;
        if ready.is_empty() {
            return Ok(());
        }
        take(ready);
        let used = ready.len();
        input.consume(used);
    }
}

/// Digest and length of what is left.
pub fn digest_rest(mut input: impl BufRead, kind: DigestKind) -> io::Result<(Digest, u64)> {
    let mut hasher = Hasher::new(kind);
    let mut length = 0;
    each_ready(&mut input, &mut |bytes| {
        hasher.update(bytes);
        length += bytes.len() as u64;
    })?;
    Ok((hasher.finish(), length))
}
