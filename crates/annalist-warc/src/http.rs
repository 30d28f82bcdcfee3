//! The head of an HTTP message as it stands in a block, read leniently: servers are.
//! What a crawler makes of a response is decided by its source.

use std::io::{self, BufRead, Read};

const MAX_HEAD_BYTES: usize = 1 << 20;
const START: &[u8; 4] = b"HTTP";

/// What follows a head, or the whole block if there is none.
pub type Body<R> = io::Chain<&'static [u8], R>;

/// Status line and header fields of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpHead {
    /// The second word of the status line, empty if there is none.
    pub status: String,
    /// Bytes that are no UTF-8 are replaced.
    pub fields: Vec<(String, String)>,
    /// With the empty line that ends it.
    pub length: usize,
}

impl HttpHead {
    /// The head at the start of a block. `None` if the block does not start with a status line.
    pub fn parse(block: &[u8]) -> Option<HttpHead> {
        HttpHead::read(block).ok().and_then(|(head, _)| head)
    }

    /// Reads the head, if the input starts with a status line, and hands back what follows it.
    pub fn read<R: BufRead>(mut input: R) -> io::Result<(Option<HttpHead>, Body<R>)> {
        // Taken and put back: what is ready may end inside the word.
        let taken = take_start(&mut input)?;
        if taken < START.len() {
            return Ok((None, START[..taken].chain(input)));
        }
        let mut line = START.to_vec();
        let rest = read_line(&mut input, &mut line, MAX_HEAD_BYTES - taken)?;
        let mut head = HttpHead { length: taken + rest, ..HttpHead::default() };
        head.status =
            String::from_utf8_lossy(&line).split_ascii_whitespace().nth(1).unwrap_or_default().to_owned();
        while head.length < MAX_HEAD_BYTES {
            line.clear();
            head.length += read_line(&mut input, &mut line, MAX_HEAD_BYTES - head.length)?;
            let text = String::from_utf8_lossy(&line);
            let text = text.trim_end_matches(['\r', '\n']);
            if text.is_empty() {
                break;
            }
            head.add_line(text);
        }
        Ok((Some(head), START[..0].chain(input)))
    }

    /// The head that a response of HTTP/0.9 never had: all of it is body, and its first byte shows what it may be.
    ///
    /// `None` if there is nothing at all. `named` is the type somebody found out before.
    pub fn bare(body: &[u8], named: Option<&str>) -> Option<HttpHead> {
        let guessed = match body.first()? {
            b'<' | b' ' | b'\t' | b'\r' | b'\n' => "text/html",
            b'!'..=b'~' => "text/plain",
            _ => "application/octet-stream",
        };
        let fields = vec![("Content-Type".to_owned(), named.unwrap_or(guessed).to_owned())];
        Some(HttpHead { status: "200".to_owned(), fields, length: 0 })
    }

    /// Reads the head of a response, or makes the one that it never had.
    pub fn read_or_bare<R: BufRead>(
        input: R,
        named: Option<&str>,
    ) -> io::Result<(Option<HttpHead>, Body<R>)> {
        let (head, mut body) = HttpHead::read(input)?;
        let head = match head {
            None => HttpHead::bare(body.fill_buf()?, named),
            head => head,
        };
        Ok((head, body))
    }

    pub(crate) fn absent<R: BufRead>(input: R) -> (Option<HttpHead>, Body<R>) {
        (None, START[..0].chain(input))
    }

    fn add_line(&mut self, line: &str) {
        if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = self.fields.last_mut() {
                value.push(' ');
                value.push_str(line.trim());
            }
        } else if let Some((name, value)) = line.split_once(':') {
            self.fields.push((name.trim().to_owned(), value.trim().to_owned()));
        }
    }

    /// The first field of that name.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    pub fn is_chunked(&self) -> bool {
        self.fields.iter().any(|(name, value)| {
            name.eq_ignore_ascii_case("transfer-encoding")
                && value.split(',').any(|coding| coding.trim().eq_ignore_ascii_case("chunked"))
        })
    }
}

/// How many bytes of the input were those of a status line; no others are taken.
fn take_start(input: &mut impl BufRead) -> io::Result<usize> {
    for (taken, expected) in START.iter().enumerate() {
        if input.fill_buf()?.first() != Some(expected) {
            return Ok(taken);
        }
        input.consume(1);
    }
    Ok(START.len())
}

/// Up to and with the next LF, the end of the input, or `limit` bytes.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>, limit: usize) -> io::Result<usize> {
    let mut read = 0;
    while read < limit {
        let ready = input.fill_buf()?;
        if ready.is_empty() {
            break;
        }
        let ready = &ready[..ready.len().min(limit - read)];
        let end = ready.iter().position(|b| *b == b'\n');
        let used = end.map_or(ready.len(), |at| at + 1);
        line.extend_from_slice(&ready[..used]);
        input.consume(used);
        read += used;
        if end.is_some() {
            break;
        }
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use super::HttpHead;

    #[test]
    fn a_head_is_seen_even_if_its_first_word_comes_in_pieces() {
        for capacity in [1, 2, 3, 4, 100] {
            let input = BufReader::with_capacity(capacity, &b"HTTP/1.1 200 OK\r\n\r\nHTTP"[..]);
            let (head, mut body) = HttpHead::read(input).unwrap();
            assert_eq!(head.map(|head| (head.status, head.length)), Some(("200".to_owned(), 19)));
            let mut rest = Vec::new();
            body.read_to_end(&mut rest).unwrap();
            assert_eq!(rest, b"HTTP", "buffers of {capacity} bytes");
        }
    }

    #[test]
    fn what_only_begins_like_a_head_is_all_body() {
        for block in [&b"HTML"[..], b"HTTX/1.1 200\r\n\r\n", b"HTT", b"H", b"", b"<p>"] {
            for capacity in [1, 3, 100] {
                let (head, mut body) = HttpHead::read(BufReader::with_capacity(capacity, block)).unwrap();
                assert_eq!(head, None);
                let mut rest = Vec::new();
                body.read_to_end(&mut rest).unwrap();
                assert_eq!(rest, block, "buffers of {capacity} bytes");
            }
        }
    }

    #[test]
    fn a_response_without_a_head_is_a_body() {
        let mime = |block: &[u8], named| {
            HttpHead::bare(block, named).and_then(|head| head.field("content-type").map(str::to_owned))
        };
        assert_eq!(mime(b"\n<title>x", None).as_deref(), Some("text/html"));
        assert_eq!(mime(b"hello", None).as_deref(), Some("text/plain"));
        assert_eq!(mime(b"\x89PNG", None).as_deref(), Some("application/octet-stream"));
        assert_eq!(mime(b"\x89PNG", Some("image/png")).as_deref(), Some("image/png"));
        assert_eq!(mime(b"", None), None);
    }

    #[test]
    fn a_head_is_read_up_to_its_empty_line() {
        let block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Long: a\r\n  b\r\nTransfer-Encoding: Chunked\r\n\r\nbody";
        let head = HttpHead::parse(block).unwrap();
        assert_eq!(head.status, "200");
        assert_eq!(head.field("content-type"), Some("text/html"));
        assert_eq!(head.field("x-long"), Some("a b"));
        assert!(head.is_chunked());
        assert_eq!(&block[head.length..], b"body");
    }

    #[test]
    fn a_broken_head_gives_what_can_be_read() {
        assert_eq!(HttpHead::parse(b"<html>"), None);
        assert_eq!(HttpHead::parse(b""), None);
        let head = HttpHead::parse(b"HTTP/1.0\nno colon\nA: \xff\n\nbody").unwrap();
        assert_eq!(head.status, "");
        assert_eq!(head.field("a"), Some("\u{fffd}"));
        let cut = HttpHead::parse(b"HTTP/1.1 404 Not").unwrap();
        assert_eq!((cut.status.as_str(), cut.length), ("404", 16));
    }
}
