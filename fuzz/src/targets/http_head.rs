//! The head of an HTTP message: read the same however the bytes are buffered, and never longer than the message.

use std::io::{BufReader, Read};

use annalist_warc::HttpHead;

/// The word HTTP has to come in one piece.
const BUFFERS: [usize; 3] = [4, 7, 50];

pub(crate) fn run(data: &[u8]) {
    let Some(head) = HttpHead::parse(data) else {
        assert!(!data.starts_with(b"HTTP"), "a status line was not seen");
        return;
    };
    assert!(head.length <= data.len(), "the head is longer than the message");
    assert!(head.fields.iter().all(|(name, value)| !name.contains('\n') && !value.contains('\n')));
    let chunked = head.fields.iter().any(|(name, _)| name.eq_ignore_ascii_case("transfer-encoding"));
    assert!(chunked || !head.is_chunked());
    assert_eq!(HttpHead::parse(&data[..head.length]), Some(head.clone()), "the head needs bytes after it");
    for capacity in BUFFERS {
        read_in_pieces(data, &head, capacity);
    }
}

fn read_in_pieces(data: &[u8], head: &HttpHead, capacity: usize) {
    let mut input = BufReader::with_capacity(capacity, data);
    let again = HttpHead::read(&mut input).ok().flatten();
    assert_eq!(again.as_ref(), Some(head), "a buffer of {capacity} bytes changes the head");
    let mut body = Vec::new();
    assert!(input.read_to_end(&mut body).is_ok_and(|length| length == data.len() - head.length));
    assert_eq!(body, data[head.length..], "the body does not begin behind the head");
}
