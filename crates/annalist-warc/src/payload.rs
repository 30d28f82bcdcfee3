//! The entity body of an HTTP message: transfer coding taken off, and content coding too where it is wanted.
//! Where the body starts is found by `http.rs`.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

use crate::ready::read_ready;

/// Longer lines than this are no chunk heads.
const MAX_CHUNK_LINE_BYTES: usize = 16 * 1024;

/// A body without its chunk frame. A broken frame ends the body where it breaks; a body that never had one is left as
/// it is, as browsers do.
#[derive(Debug)]
pub struct Dechunked<R> {
    input: R,
    chunked: bool,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Plain,
    FirstHead,
    Head,
    Chunk(u64),
    /// The line end behind a chunk.
    ChunkEnd,
    End,
}

impl<R: BufRead> Dechunked<R> {
    pub fn new(input: R, chunked: bool) -> Dechunked<R> {
        Dechunked { input, chunked, state: if chunked { State::FirstHead } else { State::Plain } }
    }

    /// Whether what was read lacked the frame that was announced, so that one may as well say there is no payload.
    pub(crate) fn lacks_frame(&self) -> bool {
        self.chunked && self.state == State::Plain
    }

    fn advance(&mut self) -> io::Result<()> {
        loop {
            self.state = match self.state {
                State::FirstHead => {
                    let start = self.input.fill_buf()?;
                    if start.first().is_some_and(u8::is_ascii_hexdigit) { State::Head } else { State::Plain }
                }
                State::Head => match self.read_head()? {
                    Some(0) | None => State::End,
                    Some(length) => State::Chunk(length),
                },
                State::ChunkEnd => self.read_line_end()?,
                State::Chunk(0) => State::ChunkEnd,
                State::Plain | State::Chunk(_) | State::End => return Ok(()),
            };
        }
    }

    /// Hexadecimal digits, perhaps an extension, and a line end.
    fn read_head(&mut self) -> io::Result<Option<u64>> {
        let mut line = Vec::new();
        (&mut self.input).take(MAX_CHUNK_LINE_BYTES as u64).read_until(b'\n', &mut line)?;
        let digits = line.iter().take_while(|b| b.is_ascii_hexdigit()).count();
        let text = std::str::from_utf8(&line[..digits]).unwrap_or_default();
        let ended = line.last() == Some(&b'\n');
        Ok(u64::from_str_radix(text, 16).ok().filter(|_| ended))
    }

    fn read_line_end(&mut self) -> io::Result<State> {
        for expected in b"\r\n" {
            match self.input.fill_buf()?.first() {
                Some(byte) if byte == expected => self.input.consume(1),
                Some(b'\n') => {}
                _ => return Ok(State::End),
            }
        }
        Ok(State::Head)
    }
}

impl<R: BufRead> Read for Dechunked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        read_ready(self, buffer)
    }
}

impl<R: BufRead> BufRead for Dechunked<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.advance()?;
        match self.state {
            State::Plain => self.input.fill_buf(),
            State::Chunk(left) => {
                let ready = self.input.fill_buf()?;
                Ok(&ready[..usize::try_from(left).unwrap_or(usize::MAX).min(ready.len())])
            }
            _ => Ok(&[]),
        }
    }

    fn consume(&mut self, amount: usize) {
        if let State::Chunk(left) = &mut self.state {
            *left = left.saturating_sub(amount as u64);
        }
        self.input.consume(amount);
    }
}

const BROTLI_BYTES: usize = 4096;

/// How a server compressed a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentCoding {
    Identity,
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl ContentCoding {
    /// `None` for codings that are not read here. What is no coding at all, as `utf-8`, was written there by mistake: browsers
    /// take no notice of it.
    pub fn named(name: &str) -> Option<ContentCoding> {
        let mut found = ContentCoding::Identity;
        for one in name.split(',') {
            let coding = match one.trim().to_ascii_lowercase().as_str() {
                "gzip" | "x-gzip" => ContentCoding::Gzip,
                "deflate" => ContentCoding::Deflate,
                "br" => ContentCoding::Brotli,
                "zstd" => ContentCoding::Zstd,
                "compress" | "x-compress" | "aes128gcm" | "dcb" | "dcz" | "exi" | "pack200-gzip" => {
                    return None;
                }
                _ => continue,
            };
            // One in the other.
            if found != ContentCoding::Identity {
                return None;
            }
            found = coding;
        }
        Some(found)
    }
}

/// The body as the author wrote it, at most `limit` bytes of it: what comes out of a few bytes may have no end.
pub fn decoded<'a>(
    body: impl BufRead + 'a,
    coding: ContentCoding,
    limit: u64,
) -> io::Result<Box<dyn Read + 'a>> {
    let mut body = BufReader::new(body);
    Ok(match coding {
        ContentCoding::Identity => Box::new(body.take(limit)),
        ContentCoding::Gzip => Box::new(MultiGzDecoder::new(body).take(limit)),
        // The name means zlib, but some servers send the bare stream.
        ContentCoding::Deflate => match body.fill_buf()? {
            [first, ..] if first & 0x0f == 8 => Box::new(ZlibDecoder::new(body).take(limit)),
            _ => Box::new(DeflateDecoder::new(body).take(limit)),
        },
        ContentCoding::Brotli => {
            Box::new(brotli_decompressor::Decompressor::new(body, BROTLI_BYTES).take(limit))
        }
        ContentCoding::Zstd => Box::new(zstd::Decoder::with_buffer(body)?.take(limit)),
    })
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use flate2::Compression;

    use super::{ContentCoding, Dechunked, decoded};

    fn dechunk(bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        Dechunked::new(bytes, true).read_to_end(&mut out).unwrap();
        out
    }

    #[test]
    fn chunks_are_put_together() {
        assert_eq!(dechunk(b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: x\r\n\r\n"), b"abcde");
        assert_eq!(dechunk(b"3\nabc\n0\n\n"), b"abc");
        assert_eq!(dechunk(b"0\r\n\r\n"), b"");
    }

    #[test]
    fn a_broken_frame_ends_the_body_where_it_breaks() {
        assert_eq!(dechunk(b"5\r\nabc"), b"abc");
        assert_eq!(dechunk(b"3\r\nabcX"), b"abc");
        assert_eq!(dechunk(b"3\r\nabc\r\nzz\r\n"), b"abc");
        assert_eq!(dechunk(b"ffffffffffffffffff\r\nabc"), b"");
        assert_eq!(dechunk(b""), b"");
    }

    #[test]
    fn what_is_no_coding_is_taken_no_notice_of() {
        use ContentCoding as C;
        for mistake in ["", "identity", "none", "utf-8", "8bit", "UTF-8, binary"] {
            assert_eq!(ContentCoding::named(mistake), Some(C::Identity), "{mistake}");
        }
        for gzip in ["gzip", " GZip", "x-gzip", "identity, gzip", "gzip,", "utf-8, gzip"] {
            assert_eq!(ContentCoding::named(gzip), Some(C::Gzip), "{gzip}");
        }
        for unread in ["gzip, gzip", "br, gzip", "compress", "gzip, compress"] {
            assert_eq!(ContentCoding::named(unread), None, "{unread}");
        }
    }

    #[test]
    fn a_body_that_never_had_a_frame_is_left_as_it_is() {
        assert_eq!(dechunk(b"<html>"), b"<html>");
    }

    #[test]
    fn what_comes_out_of_a_bomb_is_limited() {
        let mut bomb = flate2::write::GzEncoder::new(Vec::new(), Compression::best());
        bomb.write_all(&vec![0; 1 << 20]).unwrap();
        let bomb = bomb.finish().unwrap();
        let mut out = Vec::new();
        decoded(bomb.as_slice(), ContentCoding::Gzip, 1000).unwrap().read_to_end(&mut out).unwrap();
        assert_eq!(out, vec![0; 1000]);
    }

    #[test]
    fn newer_codings_are_read_too() {
        let text = b"hello, hello";
        // One stored piece by hand: no window to speak of, twelve bytes, and the end.
        let length = u32::try_from(text.len()).unwrap() - 1;
        let head = (length << 4) | (1 << 20);
        let brotli = [&head.to_le_bytes()[..3], text, &[3]].concat();
        let zstd = zstd::encode_all(&text[..], 1).unwrap();
        for (coding, bytes) in [("br", brotli), ("zstd", zstd)] {
            let coding = ContentCoding::named(coding).unwrap();
            let mut out = Vec::new();
            decoded(bytes.as_slice(), coding, 100).unwrap().read_to_end(&mut out).unwrap();
            assert_eq!(out, text, "{coding:?}");
        }
    }

    #[test]
    fn deflate_is_read_with_and_without_its_frame() {
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(b"hello").unwrap();
        let mut bare = flate2::write::DeflateEncoder::new(Vec::new(), Compression::fast());
        bare.write_all(b"hello").unwrap();
        for bytes in [zlib.finish().unwrap(), bare.finish().unwrap()] {
            let mut out = Vec::new();
            decoded(bytes.as_slice(), ContentCoding::Deflate, 100).unwrap().read_to_end(&mut out).unwrap();
            assert_eq!(out, b"hello");
        }
    }
}
