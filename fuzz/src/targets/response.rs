//! A response as the crawler receives it: the same however it is cut into pieces, and what is recorded is read by the
//! archive as the crawler read it.

use annalist_sources::{Received, receive};
use annalist_warc::{DigestKind, HttpHead};

const MOST_HEADER_BYTES: usize = 2_000;
const MOST_READ_BYTES: usize = 10_000;

pub(crate) fn run(data: &[u8]) {
    let whole = in_pieces(data, data.len());
    for piece in [1, 3, 64] {
        assert_alike(&in_pieces(data, piece), &whole, piece);
    }
    if let Ok(Some(received)) = whole {
        check(data, &received);
    }
}

fn in_pieces(data: &[u8], piece: usize) -> Result<Option<Received>, &'static str> {
    receive(data, piece, MOST_HEADER_BYTES, MOST_READ_BYTES)
}

fn assert_alike(
    one: &Result<Option<Received>, &'static str>,
    other: &Result<Option<Received>, &'static str>,
    piece: usize,
) {
    match (one, other) {
        // Where it breaks, the piece it broke in is recorded as a whole.
        (Ok(Some(one)), Ok(Some(other))) if one.is_broken => {
            assert!(other.is_broken, "pieces of {piece} bytes break it");
            let fewer = Received { recorded: other.recorded.clone(), ..one.clone() };
            assert_eq!(&fewer, other, "pieces of {piece} bytes change it");
        }
        _ => assert_eq!(one, other, "pieces of {piece} bytes change it"),
    }
}

fn check(data: &[u8], received: &Received) {
    let Received { head, head_length, recorded, .. } = received;
    assert!(head.status >= 200, "an interim response was taken for the answer");
    assert!(*head_length <= MOST_HEADER_BYTES && *head_length <= recorded.len());
    assert!(received.body.len() <= MOST_READ_BYTES, "a body got past its limit");
    let (body, payload_length) = (&recorded[*head_length..], received.payload_length);
    assert!(payload_length <= body.len() as u64, "more came out of the body than went in");
    assert!(
        data.windows(recorded.len()).any(|window| window == recorded),
        "what is recorded was never received"
    );
    if head.field("transfer-encoding").is_none() {
        // Without chunks the payload is what follows the head; both sides must agree where that is.
        assert_eq!(received.payload_digest, DigestKind::Sha1.of(body).to_string());
        let read = HttpHead::parse(recorded).map(|head| head.length);
        assert_eq!(read, Some(*head_length), "the archive finds another end of the head");
    }
}
