//! What is in a gzip member or a Zstandard frame. Where the next one starts is known to `source.rs`.

use flate2::{Crc, Decompress, FlushDecompress, Status};
use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

use crate::fault::Fault;

/// The most that can be ready at once.
pub(crate) const OUT_BYTES: usize = 32 * 1024;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    None,
    Gzip,
    Zstd,
}

pub(crate) struct Unpacker {
    engine: Engine,
    out: Vec<u8>,
    from: usize,
    to: usize,
    state: MemberState,
}

enum Engine {
    Gzip { inflate: Decompress, crc: Crc },
    Zstd(Decoder<'static>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemberState {
    Body,
    /// All is unpacked; the checksum behind it is not read yet.
    Trailer,
    Ended,
}

/// What one step did.
struct Step {
    used: usize,
    made: usize,
    result: Result<End, String>,
}

#[derive(PartialEq, Eq)]
enum End {
    Reached,
    NotYet,
}

impl Unpacker {
    pub(crate) fn gzip() -> Unpacker {
        Unpacker::new(Engine::Gzip { inflate: Decompress::new(false), crc: Crc::new() })
    }

    pub(crate) fn zstd(dictionary: &[u8]) -> Result<Unpacker, Fault> {
        let decoder = Decoder::with_dictionary(dictionary)
            .map_err(|e| Fault::BadZstd(format!("its dictionary: {e}")))?;
        Ok(Unpacker::new(Engine::Zstd(decoder)))
    }

    fn new(engine: Engine) -> Unpacker {
        Unpacker { engine, out: vec![0; OUT_BYTES], from: 0, to: 0, state: MemberState::Ended }
    }

    pub(crate) fn compression(&self) -> Compression {
        match self.engine {
            Engine::Gzip { .. } => Compression::Gzip,
            Engine::Zstd(_) => Compression::Zstd,
        }
    }

    /// Begins a member. Those before it are forgotten.
    pub(crate) fn restart(&mut self) {
        match &mut self.engine {
            Engine::Gzip { inflate, crc } => {
                inflate.reset(false);
                crc.reset();
            }
            // It cannot fail on a session that was made; if it did, the frame would be found damaged.
            Engine::Zstd(decoder) => drop(decoder.reinit()),
        }
        (self.from, self.to) = (0, 0);
        self.state = MemberState::Body;
    }

    /// There is nothing more to come out of this member.
    pub(crate) fn end(&mut self) {
        (self.from, self.to) = (0, 0);
        self.state = MemberState::Ended;
    }

    pub(crate) fn state(&self) -> MemberState {
        self.state
    }

    pub(crate) fn ready(&self) -> &[u8] {
        &self.out[self.from..self.to]
    }

    pub(crate) fn consume(&mut self, amount: usize) {
        self.from = (self.from + amount).min(self.to);
    }

    /// Checksum and length as a gzip trailer has them.
    pub(crate) fn trailer(&self) -> [u8; 8] {
        let mut trailer = [0; 8];
        if let Engine::Gzip { crc, .. } = &self.engine {
            trailer[..4].copy_from_slice(&crc.sum().to_le_bytes());
            trailer[4..].copy_from_slice(&crc.amount().to_le_bytes());
        }
        trailer
    }

    /// Adds to the bytes that are ready. Returns how much of `input` was used; no input stands for the end of the file.
    pub(crate) fn unpack(&mut self, input: &[u8]) -> Result<usize, Fault> {
        self.out.copy_within(self.from..self.to, 0);
        (self.from, self.to) = (0, self.to - self.from);
        let room = &mut self.out[self.to..];
        let (step, ended) = match &mut self.engine {
            Engine::Gzip { inflate, crc } => (inflate_step(inflate, crc, input, room), MemberState::Trailer),
            Engine::Zstd(decoder) => (zstd_step(decoder, input, room), MemberState::Ended),
        };
        let Step { used, made, result } = step;
        self.to += made;
        let stands_still = used == 0 && made == 0;
        match result {
            Ok(End::Reached) => self.state = ended,
            Ok(End::NotYet) if stands_still && input.is_empty() => return Err(Fault::CutShort),
            Ok(End::NotYet) if stands_still => {
                return Err(self.bad("the stream makes no progress".to_owned()));
            }
            // What came before the broken place counts; the engine says the same again when asked for more.
            Err(what) if made == 0 => return Err(self.bad(what)),
            Ok(End::NotYet) | Err(_) => {}
        }
        Ok(used)
    }

    fn bad(&self, what: String) -> Fault {
        match self.compression() {
            Compression::Zstd => Fault::BadZstd(what),
            Compression::Gzip | Compression::None => Fault::BadGzip(what),
        }
    }
}

fn inflate_step(inflate: &mut Decompress, crc: &mut Crc, input: &[u8], room: &mut [u8]) -> Step {
    let (before_in, before_out) = (inflate.total_in(), inflate.total_out());
    let status = inflate.decompress(input, room, FlushDecompress::None);
    let used = usize::try_from(inflate.total_in() - before_in).unwrap_or(usize::MAX);
    let made = usize::try_from(inflate.total_out() - before_out).unwrap_or(usize::MAX);
    crc.update(&room[..made]);
    let result = match status {
        Ok(Status::StreamEnd) => Ok(End::Reached),
        Ok(_) => Ok(End::NotYet),
        Err(e) => Err(e.to_string()),
    };
    Step { used, made, result }
}

fn zstd_step(decoder: &mut Decoder<'_>, input: &[u8], room: &mut [u8]) -> Step {
    let (mut input, mut output) = (InBuffer::around(input), OutBuffer::around(room));
    let result = match decoder.run(&mut input, &mut output) {
        Ok(0) => Ok(End::Reached),
        Ok(_) => Ok(End::NotYet),
        Err(e) => Err(e.to_string()),
    };
    Step { used: input.pos(), made: output.pos(), result }
}
