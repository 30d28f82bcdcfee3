//! A request's head, read from the bytes of a connection.

use crate::answer::Compression;

/// More than this is no request of ours.
const MOST_FIELDS: usize = 100;
pub(super) const LONGEST_HEAD: usize = 64 << 10;

/// What the server needs of a head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) method: String,
    pub(super) target: String,
    pub(super) host: String,
    pub(super) user_agent: String,
    pub(super) compression: Compression,
    pub(super) if_none_match: Option<String>,
    pub(super) if_modified_since: Option<String>,
    pub(super) body_bytes: usize,
    pub(super) keep: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum HeadError {
    /// More bytes are needed.
    Partial,
    Malformed,
}

/// The head at the start of the bytes, and its length.
pub(super) fn parse(bytes: &[u8]) -> Result<(Head, usize), HeadError> {
    let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
    let mut request = httparse::Request::new(&mut fields);
    let length = match request.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) if bytes.len() < LONGEST_HEAD => return Err(HeadError::Partial),
        _ => return Err(HeadError::Malformed),
    };
    let mut head = Head {
        method: request.method.unwrap_or_default().to_owned(),
        target: request.path.unwrap_or_default().to_owned(),
        keep: request.version == Some(1),
        ..Head::default()
    };
    for field in request.headers.iter() {
        let value = String::from_utf8_lossy(field.value);
        read_field(&mut head, field.name, value.trim());
    }
    from_absolute(&mut head);
    Ok((head, length))
}

fn read_field(head: &mut Head, name: &str, value: &str) {
    let is = |known: &str| name.eq_ignore_ascii_case(known);
    if is("host") {
        head.host = value.to_owned();
    } else if is("user-agent") {
        head.user_agent = value.to_owned();
    } else if is("accept-encoding") && value.contains("gzip") {
        head.compression = Compression::Gzip;
    } else if is("if-none-match") {
        head.if_none_match = Some(value.to_owned());
    } else if is("if-modified-since") {
        head.if_modified_since = Some(value.to_owned());
    } else if is("content-length") {
        head.body_bytes = value.parse().unwrap_or(0);
    } else if is("connection") {
        head.keep = if head.keep {
            !value.eq_ignore_ascii_case("close")
        } else {
            value.eq_ignore_ascii_case("keep-alive")
        };
    }
}

/// Clients that take us for a proxy put the host in front of the target.
fn from_absolute(head: &mut Head) {
    let Some(rest) = head.target.strip_prefix("http://") else { return };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let target = if path.is_empty() { "/".to_owned() } else { path.to_owned() };
    head.host = host.to_owned();
    head.target = target;
}

#[cfg(test)]
mod tests {
    use super::{HeadError, parse};
    use crate::answer::Compression;

    #[test]
    fn a_head_is_read_with_its_length_and_the_next_one_left() {
        let bytes =
            b"GET /a?b=1 HTTP/1.1\r\nHost: www.a.test\r\nAccept-Encoding: deflate, gzip\r\n\r\nGET /next";
        let (head, length) = parse(bytes).unwrap();
        assert_eq!((head.host.as_str(), head.target.as_str()), ("www.a.test", "/a?b=1"));
        assert_eq!(head.compression, Compression::Gzip);
        assert!(head.keep);
        assert_eq!(&bytes[length..], b"GET /next");
        assert_eq!(parse(&bytes[..20]), Err(HeadError::Partial));
        assert_eq!(parse(b"\0\0\0"), Err(HeadError::Malformed));
    }

    #[test]
    fn a_proxys_client_and_an_old_one_are_understood() {
        let (head, _) = parse(b"GET http://www.a.test/x HTTP/1.0\r\n\r\n").unwrap();
        assert_eq!((head.host.as_str(), head.target.as_str(), head.keep), ("www.a.test", "/x", false));
    }
}
