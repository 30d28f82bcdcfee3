//! The head of an HTTP message: read the same however the bytes are buffered, and never longer than the message.

use std::io::{BufReader, Read};

use annalist_warc::HttpHead;

const BUFFERS: [usize; 4] = [1, 3, 7, 50];

pub(crate) fn run(data: &[u8]) {
    let head = HttpHead::parse(data);
    for capacity in BUFFERS {
        read_in_pieces(data, head.as_ref(), capacity);
    }
    let Some(head) = head else {
        assert!(!data.starts_with(b"HTTP"), "a status line was not seen");
        return;
    };
    assert!(head.length <= data.len(), "the head is longer than the message");
    assert!(head.fields.iter().all(|(name, value)| !name.contains('\n') && !value.contains('\n')));
    let chunked = head.fields.iter().any(|(name, _)| name.eq_ignore_ascii_case("transfer-encoding"));
    assert!(chunked || !head.is_chunked());
    assert_eq!(HttpHead::parse(&data[..head.length]).as_ref(), Some(&head), "the head needs bytes after it");
}

fn read_in_pieces(data: &[u8], head: Option<&HttpHead>, capacity: usize) {
    let read = HttpHead::read(BufReader::with_capacity(capacity, data));
    assert!(read.is_ok(), "memory cannot be read");
    let Ok((again, mut input)) = read else { return };
    assert_eq!(again.as_ref(), head, "a buffer of {capacity} bytes changes the head");
    let start = head.map_or(0, |head| head.length);
    let mut body = Vec::new();
    assert!(input.read_to_end(&mut body).is_ok_and(|length| length == data.len() - start));
    assert_eq!(body, data[start..], "the body does not begin behind the head");
}
