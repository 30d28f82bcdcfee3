//! The body for reading: content coding removed while the bytes come in, never more than the reading limit. The
//! archive keeps the bytes as received; what cannot be decoded is only not read.

use annalist_model::ResponseHead;
use flate2::{Decompress, FlushDecompress, Status};

use crate::lane::SlowLane;

/// Gzip files of many members exist; more than this are there to keep us busy.
const MOST_MEMBERS: u32 = 1000;
const FIRST_ROOM: usize = 16 << 10;
/// Unpacked while it comes in; what a small payload makes beyond that is unpacked in the slow lane.
const AT_ONCE: usize = 1 << 20;

/// Removes the content coding of one body.
#[derive(Debug)]
pub(crate) struct Reading {
    body: Vec<u8>,
    most_bytes: usize,
    state: State,
    members: u32,
    /// Unpacking stops here for now, and the payload that follows is kept as it is.
    pause_at: usize,
    paused: bool,
    packed: Vec<u8>,
}

#[derive(Debug)]
enum State {
    Identity,
    /// The first two bytes tell what the coding really is.
    Start(Coding, Option<u8>),
    Inflating(Coding, Box<Decompress>),
    /// Nothing more is to be read: cut, ended, corrupt, or not readable at all.
    Finished,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coding {
    Gzip,
    Deflate,
}

impl Reading {
    /// `announced`: the payload's length, where the head tells it.
    pub(crate) fn new(head: &ResponseHead, announced: Option<u64>, most_bytes: usize) -> Reading {
        let state = state_for(head);
        let room = match (&state, announced) {
            (State::Finished, _) => 0,
            (State::Identity, Some(length)) => {
                usize::try_from(length).unwrap_or(usize::MAX).min(most_bytes).min(1 << 20)
            }
            _ => FIRST_ROOM.min(most_bytes),
        };
        Reading {
            body: Vec::with_capacity(room),
            most_bytes,
            state,
            members: 0,
            pause_at: AT_ONCE,
            paused: false,
            packed: Vec::new(),
        }
    }

    pub(crate) fn feed(&mut self, mut piece: &[u8]) {
        if self.paused {
            self.set_aside(piece);
            return;
        }
        while let Some((first, rest)) = piece.split_first() {
            piece = match &mut self.state {
                State::Finished => return,
                State::Identity => {
                    let taken = piece.len().min(self.most_bytes - self.body.len());
                    self.body.extend_from_slice(&piece[..taken]);
                    return;
                }
                State::Start(_, held @ None) => {
                    *held = Some(*first);
                    rest
                }
                State::Start(coding, Some(held)) => {
                    let magic = [*held, *first];
                    self.state = begun(*coding, magic, self.members);
                    self.feed(&magic);
                    rest
                }
                State::Inflating(coding, inflater) => {
                    let coding = *coding;
                    match inflate(inflater, piece, &mut self.body, self.pause_at, self.most_bytes) {
                        Inflated::Hungry => return,
                        Inflated::Paused { consumed } => {
                            self.paused = true;
                            self.set_aside(&piece[consumed..]);
                            return;
                        }
                        Inflated::MemberEnded { consumed } => {
                            self.state = self.after_member(coding);
                            &piece[consumed..]
                        }
                        Inflated::Over => {
                            self.state = State::Finished;
                            return;
                        }
                    }
                }
            };
        }
    }

    /// Whether there is more to unpack than was worth doing at once.
    pub(crate) fn is_paused(&self) -> bool {
        self.paused
    }

    /// Keeps payload to be unpacked later: as much as may come out of it, at most.
    fn set_aside(&mut self, piece: &[u8]) {
        let room = self.most_bytes.saturating_sub(self.packed.len());
        self.packed.extend_from_slice(&piece[..piece.len().min(room)]);
    }

    /// The body; what was set aside is unpacked in the slow lane.
    pub(crate) async fn finish(self, lane: &SlowLane) -> Vec<u8> {
        if !self.paused {
            return self.body;
        }
        // Without the lane there is no reading; the archive has the bytes.
        lane.run(move || self.finish_here()).await.unwrap_or_default()
    }

    pub(crate) fn finish_here(mut self) -> Vec<u8> {
        if self.paused {
            (self.paused, self.pause_at) = (false, usize::MAX);
            let packed = std::mem::take(&mut self.packed);
            if let (State::Inflating(_, inflater), true) = (&mut self.state, packed.is_empty()) {
                // There may be more in the decoder than was asked for.
                inflate(inflater, &[], &mut self.body, self.pause_at, self.most_bytes);
            }
            self.feed(&packed);
        }
        self.body
    }

    fn after_member(&mut self, coding: Coding) -> State {
        self.members += 1;
        match coding {
            Coding::Gzip if self.members < MOST_MEMBERS => State::Start(Coding::Gzip, None),
            Coding::Gzip | Coding::Deflate => State::Finished,
        }
    }
}

fn state_for(head: &ResponseHead) -> State {
    // A transfer coding beside `chunked` was never asked for and hides the content.
    let hidden = head
        .all("transfer-encoding")
        .flat_map(|value| value.split(','))
        .any(|t| !matches!(t.trim().to_ascii_lowercase().as_str(), "chunked" | "identity" | ""));
    let mut codings = head
        .all("content-encoding")
        .flat_map(|value| value.split(','))
        .map(|c| c.trim().to_ascii_lowercase());
    let coding = codings.find(|c| !matches!(c.as_str(), "" | "identity" | "none"));
    let alone = codings.all(|c| matches!(c.as_str(), "" | "identity"));
    match coding.as_deref() {
        _ if hidden || !alone => State::Finished,
        None => State::Identity,
        Some("gzip" | "x-gzip") => State::Start(Coding::Gzip, None),
        Some("deflate") => State::Start(Coding::Deflate, None),
        Some(_) => State::Finished,
    }
}

fn begun(coding: Coding, magic: [u8; 2], members: u32) -> State {
    match (coding, magic) {
        (Coding::Gzip, [0x1f, 0x8b]) => State::Inflating(coding, Box::new(Decompress::new_gzip(15))),
        // Plain text under a wrong name is still text; after a member it is padding.
        (Coding::Gzip, _) if members == 0 => State::Identity,
        (Coding::Gzip, _) => State::Finished,
        // Deflate means zlib's format (RFC 9110 8.4.1.2), but some servers leave its wrapping away.
        (Coding::Deflate, [method, flags]) => {
            let zlib = method & 15 == 8 && u16::from_be_bytes([method, flags]) % 31 == 0;
            State::Inflating(coding, Box::new(Decompress::new(zlib)))
        }
    }
}

enum Inflated {
    /// The piece is used up.
    Hungry,
    MemberEnded {
        consumed: usize,
    },
    /// Enough for now.
    Paused {
        consumed: usize,
    },
    /// Corrupt, or the limit is reached.
    Over,
}

fn inflate(
    inflater: &mut Decompress,
    piece: &[u8],
    body: &mut Vec<u8>,
    pause_at: usize,
    most_bytes: usize,
) -> Inflated {
    let start = inflater.total_in();
    loop {
        if body.len() >= most_bytes {
            body.truncate(most_bytes);
            return Inflated::Over;
        }
        if body.len() == body.capacity() && body.len() < pause_at {
            body.reserve(body.len().max(FIRST_ROOM).min(most_bytes - body.len()));
        }
        let consumed = usize::try_from(inflater.total_in() - start).unwrap_or(usize::MAX).min(piece.len());
        if body.len() >= pause_at {
            return Inflated::Paused { consumed };
        }
        let before = (consumed, body.len());
        let status = inflater.decompress_vec(&piece[consumed..], body, FlushDecompress::None);
        let consumed = usize::try_from(inflater.total_in() - start).unwrap_or(usize::MAX).min(piece.len());
        match status {
            Err(_) => {
                body.truncate(most_bytes);
                return Inflated::Over;
            }
            Ok(Status::StreamEnd) => {
                body.truncate(most_bytes);
                return Inflated::MemberEnded { consumed };
            }
            Ok(_)
                if body.len() < body.capacity()
                    && (consumed == piece.len() || before == (consumed, body.len())) =>
            {
                return Inflated::Hungry;
            }
            Ok(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Reading;
    use annalist_model::ResponseHead;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use proptest::prelude::*;
    use std::io::Write;

    fn read(coding: &str, payload: &[u8], most_bytes: usize, step: usize) -> Vec<u8> {
        let fields = vec![("Content-Encoding".to_owned(), coding.as_bytes().to_vec())];
        let mut reading = Reading::new(&ResponseHead { status: 200, fields }, None, most_bytes);
        for piece in payload.chunks(step) {
            reading.feed(piece);
        }
        reading.finish_here()
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn text() -> Vec<u8> {
        (0..20_000).flat_map(|n: u32| format!("{n} lines of text, ").into_bytes()).collect()
    }

    #[test]
    fn every_coding_we_ask_for_is_removed_however_the_payload_is_cut() {
        let text = text();
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(&text).unwrap();
        let zlib = zlib.finish().unwrap();
        let mut raw = DeflateEncoder::new(Vec::new(), Compression::default());
        raw.write_all(&text).unwrap();
        let raw = raw.finish().unwrap();
        for (coding, payload) in [
            ("gzip", &gzip(&text)),
            ("X-GZIP", &gzip(&text)),
            ("deflate", &zlib),
            ("deflate", &raw),
            ("identity", &text),
            ("identity, gzip", &gzip(&text)),
            ("", &text),
        ] {
            for step in [1, 7, 4096, payload.len()] {
                assert!(read(coding, payload, 1 << 20, step) == text, "{coding} by {step}");
            }
        }
    }

    #[test]
    fn all_members_of_a_gzip_file_are_read_and_padding_is_not() {
        let payload = [gzip(b"one "), gzip(b""), gzip(b"two"), vec![0; 100]].concat();
        for step in [1, 5, payload.len()] {
            assert_eq!(read("gzip", &payload, 1000, step), b"one two");
        }
    }

    #[test]
    fn a_bomb_stops_at_the_limit() {
        let bomb = gzip(&vec![0; 50 << 20]);
        assert!(bomb.len() < 100_000);
        let body = read("gzip", &bomb, 1 << 20, 1000);
        assert_eq!(body.len(), 1 << 20);
        assert!(body.capacity() <= 2 << 20);
    }

    #[test]
    fn most_of_a_bomb_is_unpacked_afterwards() {
        let bomb = gzip(&vec![7; 20 << 20]);
        let fields = vec![("Content-Encoding".to_owned(), b"gzip".to_vec())];
        for step in [100, bomb.len()] {
            let mut reading =
                Reading::new(&ResponseHead { status: 200, fields: fields.clone() }, None, 16 << 20);
            bomb.chunks(step).for_each(|piece| reading.feed(piece));
            assert!(reading.body.len() <= 2 * super::AT_ONCE, "{}", reading.body.len());
            assert!(reading.finish_here() == vec![7; 16 << 20]);
        }
    }

    #[test]
    fn what_is_set_aside_is_unpacked_whole_wherever_it_was_cut() {
        let text: Vec<u8> = (0..400_000).flat_map(|n: u32| format!("{n} ").into_bytes()).collect();
        let payload = [gzip(&text[..1_500_000]), gzip(&text[1_500_000..])].concat();
        for step in [17, 1000, 50_000, payload.len()] {
            assert!(read("gzip", &payload, 16 << 20, step) == text, "by {step}");
        }
    }

    #[test]
    fn corrupt_payload_is_read_as_far_as_it_goes() {
        let text = text();
        let mut payload = gzip(&text);
        let half = payload.len() / 2;
        let cut = read("gzip", &payload[..half], 1 << 20, 100);
        assert!(cut.len() > text.len() / 4 && text.starts_with(&cut));
        payload[half..half + 100].fill(0xff);
        let corrupt = read("gzip", &payload, 1 << 20, 100);
        assert!(corrupt.len() > text.len() / 4);
    }

    #[test]
    fn plain_text_that_is_called_gzip_is_text() {
        assert_eq!(read("gzip", b"<html>", 1000, 1), b"<html>");
    }

    #[test]
    fn what_was_not_asked_for_is_not_read() {
        for coding in ["br", "zstd", "gzip, gzip", "gzip, br"] {
            assert_eq!(read(coding, &gzip(b"text"), 1000, 10), b"", "{coding}");
        }
    }

    #[test]
    fn a_plain_body_is_cut_at_the_limit() {
        assert_eq!(read("", b"0123456789", 4, 3), b"0123");
    }

    proptest! {
        #[test]
        fn any_payload_is_read_within_the_limit(
            coding in "gzip|deflate|", payload in any::<Vec<u8>>(), step in 1usize..50, most in 0usize..100,
        ) {
            prop_assert!(read(&coding, &payload, most, step).len() <= most);
            let gzipped = [&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0], payload.as_slice()].concat();
            prop_assert!(read("gzip", &gzipped, most, step).len() <= most);
        }
    }
}
