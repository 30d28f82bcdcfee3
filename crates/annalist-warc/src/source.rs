//! The bytes of a WARC file, plain or member by member out of gzip, with the offset of each in the file.
//! What the bytes mean is read elsewhere.

use std::fmt;
use std::io::{self, BufRead};

use flate2::{Crc, Decompress, FlushDecompress, Status};

/// What stopped the reading of a file, and where.
#[derive(Debug, thiserror::Error)]
#[error("at byte {offset}: {fault}")]
pub struct ReadError {
    /// In the file as it is stored.
    pub offset: u64,
    #[source]
    pub fault: Fault,
}

#[derive(Debug, thiserror::Error)]
pub enum Fault {
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error("the file ends in the middle of a record")]
    CutShort,
    #[error("not gzip data: {0}")]
    BadGzip(String),
    #[error("the gzip checksum or length does not match: bytes have changed")]
    BadChecksum,
    #[error("no WARC record starts here")]
    NotARecord,
    #[error("the record head is longer than {0} bytes")]
    HeadTooLong(usize),
    #[error("a line of the record head is no field: {0:?}")]
    BadField(String),
    #[error("Content-Length is missing or no number")]
    NoLength,
    #[error("the gzip member ends inside the record head")]
    HeadAcrossMembers,
    #[error("Content-Length reaches past the end of the gzip member")]
    LengthPastMember,
    #[error("records share gzip members: compress the file again, one member per record")]
    NotAddressable,
    #[error("the record does not end with CRLF CRLF where Content-Length says it ends")]
    NoTerminator,
}

impl ReadError {
    pub(crate) fn new(offset: u64, fault: Fault) -> ReadError {
        ReadError { offset, fault }
    }

    /// For the readers of blocks, which speak `io::Error`.
    pub(crate) fn into_io(self) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, self)
    }

    pub(crate) fn from_io(error: io::Error, offset: u64) -> ReadError {
        match error.downcast::<ReadError>() {
            Ok(inner) => inner,
            Err(error) => ReadError::new(offset, Fault::Io(error)),
        }
    }
}

/// A file's bytes after decompression. Ends at the end of every gzip member, until asked for the next.
pub(crate) struct Source<R> {
    input: R,
    /// How much of the file was used.
    offset: u64,
    member_start: u64,
    coding: Coding,
}

enum Coding {
    Unknown,
    Plain,
    Gzip(Box<Inflater>),
}

struct Inflater {
    engine: Decompress,
    crc: Crc,
    out: Vec<u8>,
    from: usize,
    to: usize,
    state: MemberState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MemberState {
    Body,
    Trailer,
    Ended,
}

const OUT_BYTES: usize = 32 * 1024;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

impl<R> fmt::Debug for Source<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("offset", &self.offset).finish_non_exhaustive()
    }
}

impl<R: BufRead> Source<R> {
    /// `offset` is where in the file `input` starts.
    pub(crate) fn new(input: R, offset: u64) -> Source<R> {
        Source { input, offset, member_start: offset, coding: Coding::Unknown }
    }

    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Where the current gzip member starts; in plain files, where `mark_plain` was last called.
    pub(crate) fn member_start(&self) -> u64 {
        self.member_start
    }

    pub(crate) fn mark_plain(&mut self) {
        if !self.is_gzip() {
            self.member_start = self.offset;
        }
    }

    pub(crate) fn is_gzip(&self) -> bool {
        matches!(self.coding, Coding::Gzip(_))
    }

    /// Starts the next gzip member. `false` at the end of the file. The one before has to be at its end.
    pub(crate) fn next_member(&mut self) -> Result<bool, ReadError> {
        let offset = self.offset;
        let peek = self.input.fill_buf().map_err(|e| ReadError::new(offset, Fault::Io(e)))?;
        if peek.is_empty() {
            return Ok(false);
        }
        if matches!(self.coding, Coding::Unknown) {
            // One byte decides: no record starts with it, and a file cut after it is still a cut gzip file.
            self.coding = if peek[0] == GZIP_MAGIC[0] {
                Coding::Gzip(Box::new(Inflater::new()))
            } else {
                Coding::Plain
            };
        }
        self.member_start = self.offset;
        if self.is_gzip() {
            self.read_member_head()?;
            if let Coding::Gzip(inflater) = &mut self.coding {
                inflater.restart();
            }
        }
        Ok(true)
    }

    /// Bytes that are ready; none at the end of the member or of a plain file.
    pub(crate) fn fill(&mut self) -> Result<&[u8], ReadError> {
        if matches!(self.coding, Coding::Plain) {
            let offset = self.offset;
            return self.input.fill_buf().map_err(|e| ReadError::new(offset, Fault::Io(e)));
        }
        self.inflate_until(1)?;
        let Coding::Gzip(inflater) = &mut self.coding else { return Ok(&[]) };
        if inflater.from == inflater.to && inflater.state == MemberState::Trailer {
            inflater.state = MemberState::Ended;
            let expected = [inflater.crc.sum().to_le_bytes(), inflater.crc.amount().to_le_bytes()].concat();
            let mut trailer = [0; 8];
            self.read_exact(&mut trailer)?;
            if trailer[..] != expected[..] {
                return Err(ReadError::new(self.member_start, Fault::BadChecksum));
            }
        }
        match &self.coding {
            Coding::Gzip(inflater) => Ok(&inflater.out[inflater.from..inflater.to]),
            Coding::Plain | Coding::Unknown => Ok(&[]),
        }
    }

    /// Whether the rest of the current gzip member begins with `text`, of which nothing is used.
    pub(crate) fn continues_with(&mut self, text: &[u8]) -> Result<bool, ReadError> {
        self.inflate_until(text.len())?;
        Ok(self.fill()?.starts_with(text))
    }

    /// Decompresses until that many bytes are ready, or all of the member is.
    fn inflate_until(&mut self, amount: usize) -> Result<(), ReadError> {
        let Coding::Gzip(inflater) = &mut self.coding else { return Ok(()) };
        while inflater.to - inflater.from < amount && inflater.state == MemberState::Body {
            let input = self.input.fill_buf().map_err(|e| ReadError::new(self.offset, Fault::Io(e)))?;
            if input.is_empty() {
                return Err(ReadError::new(self.offset, Fault::CutShort));
            }
            let used = inflater.inflate(input).map_err(|fault| ReadError::new(self.offset, fault))?;
            self.input.consume(used);
            self.offset += used as u64;
        }
        Ok(())
    }

    pub(crate) fn consume(&mut self, amount: usize) {
        match &mut self.coding {
            Coding::Gzip(inflater) => inflater.from = (inflater.from + amount).min(inflater.to),
            Coding::Plain | Coding::Unknown => {
                self.input.consume(amount);
                self.offset += amount as u64;
            }
        }
    }

    /// Skips what is left of the current gzip member, whatever it holds.
    pub(crate) fn skip_member(&mut self) -> Result<(), ReadError> {
        loop {
            let ready = self.fill()?.len();
            if ready == 0 {
                return Ok(());
            }
            self.consume(ready);
        }
    }

    fn read_member_head(&mut self) -> Result<(), ReadError> {
        const HEADER_CRC: u8 = 2;
        const EXTRA: u8 = 4;
        const NAME: u8 = 8;
        const COMMENT: u8 = 16;
        let start = self.offset;
        let bad = |what: &str| ReadError::new(start, Fault::BadGzip(what.to_owned()));
        let mut head = [0; 2];
        self.read_exact(&mut head)?;
        if head != GZIP_MAGIC {
            return Err(bad("no gzip member starts here"));
        }
        let mut rest = [0; 8];
        self.read_exact(&mut rest)?;
        let [method, flags, ..] = rest;
        if method != 8 || flags & 0xe0 != 0 {
            return Err(bad("an unknown method or flag"));
        }
        if flags & EXTRA != 0 {
            let mut length = [0; 2];
            self.read_exact(&mut length)?;
            let mut extra = vec![0; usize::from(u16::from_le_bytes(length))];
            self.read_exact(&mut extra)?;
        }
        for flag in [NAME, COMMENT] {
            if flags & flag != 0 {
                self.skip_zero_ended()?;
            }
        }
        if flags & HEADER_CRC != 0 {
            self.read_exact(&mut [0; 2])?;
        }
        Ok(())
    }

    fn skip_zero_ended(&mut self) -> Result<(), ReadError> {
        let mut byte = [1];
        while byte != [0] {
            self.read_exact(&mut byte)?;
        }
        Ok(())
    }

    /// Reads stored bytes, not decompressed ones.
    fn read_exact(&mut self, buffer: &mut [u8]) -> Result<(), ReadError> {
        match self.input.read_exact(buffer) {
            Ok(()) => {
                self.offset += buffer.len() as u64;
                Ok(())
            }
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => {
                Err(ReadError::new(self.offset, Fault::CutShort))
            }
            Err(e) => Err(ReadError::new(self.offset, Fault::Io(e))),
        }
    }
}

impl Inflater {
    fn new() -> Inflater {
        Inflater {
            engine: Decompress::new(false),
            crc: Crc::new(),
            out: vec![0; OUT_BYTES],
            from: 0,
            to: 0,
            state: MemberState::Ended,
        }
    }

    fn restart(&mut self) {
        self.engine.reset(false);
        self.crc.reset();
        (self.from, self.to) = (0, 0);
        self.state = MemberState::Body;
    }

    /// Adds to the bytes that are ready. Returns how much of `input` was used.
    fn inflate(&mut self, input: &[u8]) -> Result<usize, Fault> {
        self.out.copy_within(self.from..self.to, 0);
        (self.from, self.to) = (0, self.to - self.from);
        let (before_in, before_out) = (self.engine.total_in(), self.engine.total_out());
        let status = self.engine.decompress(input, &mut self.out[self.to..], FlushDecompress::None);
        let used = usize::try_from(self.engine.total_in() - before_in).unwrap_or(usize::MAX);
        let made = usize::try_from(self.engine.total_out() - before_out).unwrap_or(usize::MAX);
        self.crc.update(&self.out[self.to..self.to + made]);
        self.to += made;
        match status {
            Ok(Status::StreamEnd) => self.state = MemberState::Trailer,
            Ok(_) if used == 0 && made == 0 => {
                return Err(Fault::BadGzip("the stream makes no progress".to_owned()));
            }
            // What came before the broken place counts; the engine says the same again when asked for more.
            Err(e) if made == 0 => return Err(Fault::BadGzip(e.to_string())),
            Ok(_) | Err(_) => {}
        }
        Ok(used)
    }
}
