//! A response whose bytes are all there, read by the code that reads one from the network: for tests with bytes that no
//! server would send. The network itself, its limits of time and the spool are in `exchange`.

use annalist_model::ResponseHead;
use annalist_model::spec::DigestKind;

use crate::exchange::Payload;
use crate::framing::Progress;
use crate::head::FinalHeadSeeker;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    pub head: ResponseHead,
    pub head_length: usize,
    /// Head and body as they would be recorded: without interim responses and without surplus.
    pub recorded: Vec<u8>,
    pub payload_digest: String,
    pub payload_length: u64,
    /// The payload as it would be read, without its content coding.
    pub body: Vec<u8>,
    /// Whether the chunks could be understood.
    pub is_broken: bool,
}

/// Reads a response that comes in pieces of so many bytes. `Ok(None)` when its head does not end.
pub fn receive(
    response: &[u8],
    piece: usize,
    most_header_bytes: usize,
    most_read_bytes: usize,
) -> Result<Option<Received>, &'static str> {
    let mut pieces = response.chunks(piece.max(1));
    let mut seeker = FinalHeadSeeker::new(most_header_bytes);
    let mut recorded = Vec::new();
    let head = loop {
        let Some(piece) = pieces.next() else { return Ok(None) };
        recorded.extend_from_slice(piece);
        if let Some(head) = seeker.seek(&mut recorded)? {
            break head;
        }
    };
    let mut payload = Payload::new(&head.fields, DigestKind::Sha1, most_read_bytes);
    let mut fed = head.length;
    let is_broken = loop {
        match payload.feed(recorded.get(fed..).unwrap_or_default()) {
            Progress::More => {}
            Progress::Broken => break true,
            Progress::Done { consumed } => {
                recorded.truncate(fed + consumed);
                break false;
            }
        }
        fed = recorded.len();
        let Some(piece) = pieces.next() else { break false };
        recorded.extend_from_slice(piece);
    };
    Ok(Some(Received {
        head: head.fields,
        head_length: head.length,
        recorded,
        payload_digest: payload.entity.hasher.finish(),
        payload_length: payload.entity.length,
        body: payload.entity.reading.finish_here(),
        is_broken,
    }))
}
