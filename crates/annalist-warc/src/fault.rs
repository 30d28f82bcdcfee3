//! What can be wrong with a file, and where.

use std::io;

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
    #[error("not Zstandard data: {0}")]
    BadZstd(String),
    #[error("no WARC or ARC record starts here")]
    NotARecord,
    #[error("the record head is longer than {0} bytes")]
    HeadTooLong(usize),
    #[error("a line of the record head is no field: {0:?}")]
    BadField(String),
    #[error("Content-Length is missing or no number")]
    NoLength,
    #[error("the compressed member ends inside the record head")]
    HeadAcrossMembers,
    #[error("Content-Length reaches past the end of the compressed member")]
    LengthPastMember,
    #[error(
        "records share compressed members and cannot be read alone: `annalist export FILE --warc FOLDER` gives each a member of its own"
    )]
    NotAddressable,
    #[error("the record does not end where its length says")]
    NoTerminator,
}

impl ReadError {
    pub fn new(offset: u64, fault: Fault) -> ReadError {
        ReadError { offset, fault }
    }

    /// The same error once more: who reads a block may not pass it on.
    pub(crate) fn again(&self) -> ReadError {
        let fault = match &self.fault {
            Fault::Io(e) => Fault::Io(io::Error::new(e.kind(), e.to_string())),
            Fault::CutShort => Fault::CutShort,
            Fault::BadGzip(what) => Fault::BadGzip(what.clone()),
            Fault::BadChecksum => Fault::BadChecksum,
            Fault::BadZstd(what) => Fault::BadZstd(what.clone()),
            Fault::NotARecord => Fault::NotARecord,
            Fault::HeadTooLong(most) => Fault::HeadTooLong(*most),
            Fault::BadField(line) => Fault::BadField(line.clone()),
            Fault::NoLength => Fault::NoLength,
            Fault::HeadAcrossMembers => Fault::HeadAcrossMembers,
            Fault::LengthPastMember => Fault::LengthPastMember,
            Fault::NotAddressable => Fault::NotAddressable,
            Fault::NoTerminator => Fault::NoTerminator,
        };
        ReadError { offset: self.offset, fault }
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
