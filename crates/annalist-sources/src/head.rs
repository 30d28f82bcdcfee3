//! Status line and header fields, read as forgivingly as browsers do. How long the body is follows from them in
//! `framing`.

use annalist_model::ResponseHead;

/// Pages with more fields than this exist only to hurt.
const MOST_FIELDS: usize = 1000;
/// Enough for nearly every response, without an allocation.
const USUAL_FIELDS: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) fields: ResponseHead,
    /// In bytes, with the empty line.
    pub(crate) length: usize,
    /// Whether the server keeps the connection open after this response.
    pub(crate) keeps_alive: bool,
}

/// Looks for the head of a response in bytes that grow. It parses only when an empty line has come, so that a server
/// that sends byte after byte costs no more than one that sends all at once.
#[derive(Debug, Default)]
pub(crate) struct HeadSeeker {
    scanned: usize,
}

impl HeadSeeker {
    /// `None` while the head is not complete.
    pub(crate) fn seek(&mut self, bytes: &[u8], most_bytes: usize) -> Result<Option<Head>, &'static str> {
        let start = &bytes[..bytes.len().min(5)];
        if !b"HTTP/".starts_with(start) {
            return Err("it does not begin with HTTP/");
        }
        while let Some(end) = self.next_empty_line(bytes) {
            if end > most_bytes {
                break;
            }
            if let Some(head) = parse(&bytes[..end])? {
                return Ok(Some(head));
            }
        }
        match bytes.len() > most_bytes || self.scanned > most_bytes {
            true => Err("its head is too long"),
            false => Ok(None),
        }
    }

    /// Where the next empty line ends.
    fn next_empty_line(&mut self, bytes: &[u8]) -> Option<usize> {
        while let Some(at) = bytes[self.scanned..].iter().position(|b| *b == b'\n') {
            let newline = self.scanned + at;
            let rest = &bytes[newline + 1..];
            let end = match rest {
                [b'\n', ..] => newline + 2,
                [b'\r', b'\n', ..] => newline + 3,
                // It may still become an empty line.
                [] | [b'\r'] => {
                    self.scanned = newline;
                    return None;
                }
                _ => {
                    self.scanned = newline + 1;
                    continue;
                }
            };
            // The line's own newline may begin another empty line, should this one not be the head's end.
            self.scanned = end - 1;
            return Some(end);
        }
        self.scanned = bytes.len();
        None
    }
}

/// Looks for the head of a final response. Interim responses (1xx) are messages of their own and no part of the capture.
#[derive(Debug)]
pub(crate) struct FinalHeadSeeker {
    seeker: HeadSeeker,
    /// For all heads together.
    most_bytes: usize,
}

impl FinalHeadSeeker {
    pub(crate) fn new(most_bytes: usize) -> FinalHeadSeeker {
        FinalHeadSeeker { seeker: HeadSeeker::default(), most_bytes }
    }

    /// Takes interim responses out of the bytes. `None` while the head is not complete.
    pub(crate) fn seek(&mut self, bytes: &mut Vec<u8>) -> Result<Option<Head>, &'static str> {
        while let Some(head) = self.seeker.seek(bytes, self.most_bytes)? {
            if head.fields.status == 101 {
                return Err("it switches protocols unasked");
            }
            if head.fields.status >= 200 {
                return Ok(Some(head));
            }
            bytes.drain(..head.length);
            *self = FinalHeadSeeker::new(self.most_bytes.saturating_sub(head.length));
        }
        Ok(None)
    }
}

/// `None` when the head goes on.
fn parse(bytes: &[u8]) -> Result<Option<Head>, &'static str> {
    let mut fields = [httparse::EMPTY_HEADER; USUAL_FIELDS];
    match parse_into(bytes, &mut fields) {
        Err(httparse::Error::TooManyHeaders) => {
            let mut fields = vec![httparse::EMPTY_HEADER; MOST_FIELDS];
            parse_into(bytes, &mut fields).map_err(fault)
        }
        other => other.map_err(fault),
    }
}

fn parse_into<'b>(
    bytes: &'b [u8],
    fields: &mut [httparse::Header<'b>],
) -> Result<Option<Head>, httparse::Error> {
    let mut config = httparse::ParserConfig::default();
    config
        .allow_obsolete_multiline_headers_in_responses(true)
        .allow_spaces_after_header_name_in_responses(true)
        .allow_multiple_spaces_in_response_status_delimiters(true)
        .ignore_invalid_headers_in_responses(true);
    let mut response = httparse::Response::new(fields);
    let length = match config.parse_response(&mut response, bytes)? {
        httparse::Status::Complete(length) => length,
        httparse::Status::Partial => return Ok(None),
    };
    let fields = ResponseHead {
        status: response.code.unwrap_or(0),
        fields: response.headers.iter().map(|h| (h.name.to_owned(), h.value.to_vec())).collect(),
    };
    let keeps_alive = match response.version {
        Some(1) => !has_token(&fields, "connection", "close"),
        _ => has_token(&fields, "connection", "keep-alive"),
    };
    Ok(Some(Head { fields, length, keeps_alive }))
}

fn fault(error: httparse::Error) -> &'static str {
    match error {
        httparse::Error::TooManyHeaders => "it has too many header fields",
        httparse::Error::Status => "its status is no number",
        httparse::Error::Version => "it is no HTTP/1 response",
        _ => "its head is garbled",
    }
}

pub(crate) fn has_token(head: &ResponseHead, name: &str, token: &str) -> bool {
    head.all(name).flat_map(|value| value.split(',')).any(|t| t.trim().eq_ignore_ascii_case(token))
}

#[cfg(test)]
mod tests {
    use super::{Head, HeadSeeker, MOST_FIELDS};
    use proptest::prelude::*;

    fn seek(text: &str) -> Result<Option<Head>, &'static str> {
        HeadSeeker::default().seek(text.as_bytes(), 64 << 10)
    }

    #[test]
    fn a_head_ends_with_an_empty_line_of_either_kind() {
        for text in [
            "HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody",
            "HTTP/1.1 200 OK\nA: b\n\nbody",
            "HTTP/1.0 200\r\nA: b\n\r\nbody",
        ] {
            let head = seek(text).unwrap().unwrap();
            assert_eq!(head.fields.field("a"), Some("b"));
            assert_eq!(&text[head.length..], "body");
        }
    }

    #[test]
    fn a_head_that_comes_byte_by_byte_is_the_same_head() {
        let text = b"HTTP/1.1 404 Not Found\r\nServer: x\r\nContent-Length: 0\r\n\r\n";
        let mut seeker = HeadSeeker::default();
        for end in 0..text.len() {
            assert_eq!(seeker.seek(&text[..end], 1000), Ok(None), "{end}");
        }
        assert_eq!(seeker.seek(text, 1000), HeadSeeker::default().seek(text, 1000));
        assert_eq!(seeker.seek(text, 1000).unwrap(), None, "a seeker finds a head once");
    }

    #[test]
    fn what_is_not_http_is_refused_at_once() {
        for text in ["hello", "<html>", "ICY 200 OK", "SSH-2.0-x\r\n", "\r\nHTTP/1.1 200 OK\r\n\r\n"] {
            assert!(seek(text).is_err(), "{text}");
        }
        for text in ["HTTP/1.1 abc\r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n", "HTTP/1.1 2\0 OK\r\n\r\n"] {
            assert!(seek(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_head_too_long_or_of_too_many_fields_is_refused() {
        assert!(seek(&format!("HTTP/1.1 200 OK\r\nA: {}", "b".repeat(70_000))).is_err());
        assert!(seek(&format!("HTTP/1.1 200 OK\r\nA: {}\r\n\r\n", "b".repeat(70_000))).is_err());
        let fields = "A:\r\n".repeat(MOST_FIELDS + 1);
        assert_eq!(seek(&format!("HTTP/1.1 200 OK\r\n{fields}\r\n")), Err("it has too many header fields"));
        let fields = "A:\r\n".repeat(MOST_FIELDS);
        assert_eq!(
            seek(&format!("HTTP/1.1 200 OK\r\n{fields}\r\n")).unwrap().unwrap().fields.fields.len(),
            MOST_FIELDS
        );
    }

    #[test]
    fn whether_the_connection_stays_open_is_read_by_version() {
        let keeps = |text: &str| seek(text).unwrap().unwrap().keeps_alive;
        assert!(keeps("HTTP/1.1 200 OK\r\n\r\n"));
        assert!(!keeps("HTTP/1.1 200 OK\r\nConnection: foo, Close\r\n\r\n"));
        assert!(!keeps("HTTP/1.0 200 OK\r\n\r\n"));
        assert!(keeps("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n\r\n"));
    }

    #[test]
    fn a_garbled_field_does_not_cost_the_others() {
        let head =
            seek("HTTP/1.1 200 OK\r\nno colon here\r\nBad Name: x\r\nGood: y\r\n\r\n").unwrap().unwrap();
        assert_eq!(head.fields.field("good"), Some("y"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_head_or_not(bytes in any::<Vec<u8>>()) {
            let mut text = b"HTTP/1.1 200 OK\r\n".to_vec();
            text.extend_from_slice(&bytes);
            let _ = HeadSeeker::default().seek(&bytes, 100);
            let whole = HeadSeeker::default().seek(&text, 1000);
            let mut seeker = HeadSeeker::default();
            let stepwise = (0..=text.len()).map(|end| seeker.seek(&text[..end], 1000)).find(|s| *s != Ok(None));
            prop_assert_eq!(whole, stepwise.unwrap_or(Ok(None)));
        }
    }
}
