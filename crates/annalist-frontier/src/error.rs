//! What can go wrong, and what to do about it.

use std::io;

use crate::codec::Malformed;

#[derive(Debug, thiserror::Error)]
pub enum FrontierError {
    /// Make room and try again: nothing was changed.
    #[error("no room left on the disk of the frontier")]
    Full,
    /// Nothing was changed, unless the call says otherwise.
    #[error("the frontier cannot {doing}: {source}")]
    Io { doing: &'static str, source: io::Error },
    /// A stored file does not mean what it should: restore it from a copy.
    #[error("the frontier's {file} is damaged: {what}")]
    Damaged { file: String, what: &'static str },
    /// The files were written by a later version of the program.
    #[error("the frontier's {file} has format {found}, this program reads {known}")]
    Version { file: String, found: u32, known: u32 },
    /// An earlier error left memory and disk apart: open the frontier again.
    #[error("the frontier has to be opened again after an error")]
    Broken,
    #[error("this frontier was opened for reading")]
    ReadOnly,
}

impl FrontierError {
    pub(crate) fn io(doing: &'static str) -> impl FnOnce(io::Error) -> FrontierError {
        move |source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => FrontierError::Full,
            _ => FrontierError::Io { doing, source },
        }
    }

    pub(crate) fn damaged(file: &str, what: &'static str) -> FrontierError {
        FrontierError::Damaged { file: file.to_owned(), what }
    }

    pub(crate) fn malformed(file: &'static str) -> impl FnOnce(Malformed) -> FrontierError {
        move |Malformed| FrontierError::damaged(file, "a record cannot be read")
    }
}
