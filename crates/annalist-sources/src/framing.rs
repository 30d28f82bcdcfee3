//! Where a body ends, and which of the received bytes are its payload (RFC 9112, section 6). Bytes in, bytes out.

use annalist_model::ResponseHead;

use crate::head::has_token;

/// Chunk sizes, extensions and trailers beyond this are there to hurt.
const MOST_OVERHEAD: u32 = 64 << 10;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    Empty,
    /// So many bytes are still to come.
    Length(u64),
    Chunked(Chunked),
    UntilClose,
}

/// What a piece of the body brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    More,
    /// The body ended after so many bytes of the piece.
    Done {
        consumed: usize,
    },
    /// The rest cannot be understood.
    Broken,
}

impl Framing {
    pub(crate) fn of(head: &ResponseHead) -> Framing {
        if matches!(head.status, 100..=199 | 204 | 304) {
            return Framing::Empty;
        }
        if head.field("transfer-encoding").is_some() {
            return match has_token(head, "transfer-encoding", "chunked") {
                true => Framing::Chunked(Chunked::default()),
                false => Framing::UntilClose,
            };
        }
        match content_length(head) {
            Some(0) => Framing::Empty,
            Some(length) => Framing::Length(length),
            None => Framing::UntilClose,
        }
    }

    /// How long the payload will be, where that is known beforehand.
    pub(crate) fn announced(&self) -> Option<u64> {
        match self {
            Framing::Empty => Some(0),
            Framing::Length(length) => Some(*length),
            Framing::Chunked(_) | Framing::UntilClose => None,
        }
    }

    /// Whether the end of the connection is the end of the body.
    pub(crate) fn may_end_here(&self) -> bool {
        matches!(self, Framing::UntilClose)
    }

    /// Reads on, and shows each piece of payload to `payload`.
    pub(crate) fn feed(&mut self, piece: &[u8], payload: &mut impl FnMut(&[u8])) -> Progress {
        match self {
            Framing::Empty => Progress::Done { consumed: 0 },
            Framing::UntilClose => {
                payload(piece);
                Progress::More
            }
            Framing::Length(left) => {
                let taken = usize::try_from(*left).unwrap_or(usize::MAX).min(piece.len());
                payload(&piece[..taken]);
                *left -= taken as u64;
                if *left == 0 { Progress::Done { consumed: taken } } else { Progress::More }
            }
            Framing::Chunked(chunked) => chunked.feed(piece, payload),
        }
    }
}

/// Repeated and equal is one; anything else that is not one number is none.
fn content_length(head: &ResponseHead) -> Option<u64> {
    let mut lengths = head.all("content-length").flat_map(|value| value.split(',')).map(|value| {
        let value = value.trim();
        value.bytes().all(|b| b.is_ascii_digit()).then(|| value.parse::<u64>().ok()).flatten()
    });
    let first = lengths.next()??;
    lengths.all(|other| other == Some(first)).then_some(first)
}

/// The chunked transfer coding, as forgiving as its framing allows: bare LF, blanks and extensions are fine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chunked {
    state: State,
    /// Bytes that were no payload, since the last payload.
    overhead: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Size {
        value: u64,
        digits: u8,
    },
    /// After the size, to the end of its line.
    Extension {
        size: u64,
    },
    Payload {
        left: u64,
    },
    /// The line end after a chunk.
    PayloadEnd,
    /// After the last chunk; `blank` while the line holds nothing.
    Trailer {
        blank: bool,
    },
}

impl Default for State {
    fn default() -> Self {
        State::Size { value: 0, digits: 0 }
    }
}

impl Chunked {
    fn feed(&mut self, piece: &[u8], payload: &mut impl FnMut(&[u8])) -> Progress {
        let mut at = 0;
        while at < piece.len() {
            if let State::Payload { left } = self.state {
                let taken = usize::try_from(left).unwrap_or(usize::MAX).min(piece.len() - at);
                payload(&piece[at..at + taken]);
                at += taken;
                self.overhead = 0;
                self.state = match left - taken as u64 {
                    0 => State::PayloadEnd,
                    left => State::Payload { left },
                };
                continue;
            }
            let byte = piece[at];
            at += 1;
            if byte == b'\n' && self.state == (State::Trailer { blank: true }) {
                return Progress::Done { consumed: at };
            }
            self.overhead += 1;
            match next(self.state, byte) {
                Some(state) if self.overhead <= MOST_OVERHEAD => self.state = state,
                _ => return Progress::Broken,
            }
        }
        Progress::More
    }
}

/// The state after a byte that is no payload; `None` where it cannot stand.
fn next(state: State, byte: u8) -> Option<State> {
    Some(match (state, byte) {
        (State::Size { digits: 1.., value }, b'\n') | (State::Extension { size: value }, b'\n') => {
            match value {
                0 => State::Trailer { blank: true },
                left => State::Payload { left },
            }
        }
        (State::Size { value, digits }, _) => match char::from(byte).to_digit(16) {
            Some(digit) if digits < 16 => {
                State::Size { value: value << 4 | u64::from(digit), digits: digits + 1 }
            }
            None if digits > 0 && matches!(byte, b' ' | b'\t' | b';' | b'\r') => {
                State::Extension { size: value }
            }
            None if digits == 0 && matches!(byte, b' ' | b'\t') => state,
            _ => return None,
        },
        (State::Extension { .. }, _) => state,
        (State::PayloadEnd, b'\r') => state,
        (State::PayloadEnd, b'\n') => State::default(),
        (State::Trailer { .. }, b'\n') => State::Trailer { blank: true },
        (State::Trailer { blank }, b'\r') => State::Trailer { blank },
        (State::Trailer { .. }, _) => State::Trailer { blank: false },
        (State::PayloadEnd | State::Payload { .. }, _) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{Framing, Progress};
    use annalist_model::ResponseHead;
    use proptest::prelude::*;

    fn framing(status: u16, fields: &[(&str, &str)]) -> Framing {
        let fields = fields.iter().map(|(n, v)| ((*n).to_owned(), v.as_bytes().to_vec())).collect();
        Framing::of(&ResponseHead { status, fields })
    }

    fn chunked() -> Framing {
        framing(200, &[("Transfer-Encoding", "chunked"), ("Content-Length", "3")])
    }

    /// Feeds the text in pieces of `step` bytes.
    fn read(mut framing: Framing, text: &[u8], step: usize) -> (Vec<u8>, Progress) {
        let mut payload = Vec::new();
        let mut before = 0;
        for piece in text.chunks(step) {
            match framing.feed(piece, &mut |bytes| payload.extend_from_slice(bytes)) {
                Progress::More => before += piece.len(),
                Progress::Done { consumed } => {
                    return (payload, Progress::Done { consumed: before + consumed });
                }
                Progress::Broken => return (payload, Progress::Broken),
            }
        }
        (payload, Progress::More)
    }

    #[test]
    fn the_head_says_how_the_body_ends() {
        assert_eq!(framing(200, &[("content-length", "12")]), Framing::Length(12));
        assert_eq!(
            framing(200, &[("content-length", "12, 12"), ("Content-Length", "12")]),
            Framing::Length(12)
        );
        for status in [204, 304] {
            assert_eq!(framing(status, &[("content-length", "12")]), Framing::Empty);
        }
        for value in ["12, 13", "x", "-1", "+1", "", "99999999999999999999999"] {
            assert_eq!(framing(200, &[("content-length", value)]), Framing::UntilClose, "{value}");
        }
        assert_eq!(framing(200, &[("transfer-encoding", "gzip")]), Framing::UntilClose);
        assert_eq!(framing(200, &[("transfer-encoding", "gzip, Chunked")]), chunked());
    }

    #[test]
    fn chunks_are_joined_however_they_are_cut() {
        let text = b"5\r\nhello\r\n6;name=\"v\"\r\n world\r\n0\r\nTrailer: x\r\n\r\nsurplus";
        for step in 1..text.len() {
            let (payload, progress) = read(chunked(), text, step);
            assert_eq!(payload, b"hello world");
            assert_eq!(progress, Progress::Done { consumed: text.len() - "surplus".len() });
        }
    }

    #[test]
    fn sloppy_chunks_are_read() {
        for text in ["5 \r\nhello\r\n0\r\n\r\n", "5\nhello\n0\n\n", " 05\r\nhello\r\n000\r\n\r\n"] {
            let (payload, progress) = read(chunked(), text.as_bytes(), 3);
            assert_eq!(
                (payload.as_slice(), progress),
                (&b"hello"[..], Progress::Done { consumed: text.len() }),
                "{text:?}"
            );
        }
    }

    #[test]
    fn what_is_no_chunk_ends_the_reading_with_what_came_before() {
        for text in [
            "5\r\nhelloX\r\n",
            "5\r\nhello\r\nzz\r\n",
            "5\r\nhello\r\n\r\n",
            "5\r\nhello\r\nfffffffffffffffff\r\n",
        ] {
            assert_eq!(
                read(chunked(), text.as_bytes(), 4),
                (b"hello".to_vec(), Progress::Broken),
                "{text:?}"
            );
        }
        assert_eq!(read(chunked(), b"<html>", 4), (vec![], Progress::Broken));
    }

    #[test]
    fn endless_extensions_and_trailers_are_cut_off() {
        let extension = [b"5;".to_vec(), vec![b'x'; 100_000]].concat();
        assert_eq!(read(chunked(), &extension, 1000).1, Progress::Broken);
        let trailer = [b"0\r\n".to_vec(), b"a: b\r\n".repeat(20_000)].concat();
        assert_eq!(read(chunked(), &trailer, 1000).1, Progress::Broken);
    }

    #[test]
    fn surplus_is_no_payload() {
        let (payload, progress) = read(framing(200, &[("content-length", "3")]), b"abcdef", 2);
        assert_eq!((payload, progress), (b"abc".to_vec(), Progress::Done { consumed: 3 }));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_and_the_cuts_do_not_matter(bytes in any::<Vec<u8>>(), step in 1usize..9) {
            prop_assert_eq!(read(chunked(), &bytes, step), read(chunked(), &bytes, bytes.len().max(1)));
        }

        #[test]
        fn any_payload_survives_chunking(pieces in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 1..40), 0..6), step in 1usize..50) {
            let mut text = Vec::new();
            for piece in &pieces {
                text.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
                text.extend_from_slice(piece);
                text.extend_from_slice(b"\r\n");
            }
            text.extend_from_slice(b"0\r\n\r\n");
            let length = text.len();
            prop_assert_eq!(read(chunked(), &text, step), (pieces.concat(), Progress::Done { consumed: length }));
        }
    }
}
