//! WARC files as they lie on the disk: whether one can be opened, has changed, or may be read another time.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use annalist_warc::{Fault, OPEN_SUFFIX, ReadError, Reader};

/// What changes when a file is written to or replaced, also by what looks as old as before.
pub(super) fn looks(path: &Path) -> String {
    std::fs::metadata(path).map_or_else(
        |_| String::new(),
        |file| {
            let changed = (file.ctime(), file.ctime_nsec());
            format!("{} bytes, {} of {}.{:09}", file.len(), file.ino(), changed.0, changed.1)
        },
    )
}

/// What is no file may keep who opens it waiting for ever; a finished file has a record at least.
pub(super) fn opened(path: &Path, from: u64) -> io::Result<Reader<BufReader<File>>> {
    let found = std::fs::metadata(path)?;
    if !found.is_file() && !found.is_dir() {
        return Err(io::Error::other("it is no file"));
    }
    if found.len() == 0 && !path.to_string_lossy().ends_with(OPEN_SUFFIX) {
        return Err(io::Error::other("it is empty"));
    }
    Reader::open_at(path, from)
}

/// Whether it was the disk that failed, which it may not do again. What is wrong with the bytes themselves stays wrong.
pub(super) fn is_of_the_disk(error: &ReadError) -> bool {
    let Fault::Io(fault) = &error.fault else { return false };
    !matches!(fault.kind(), ErrorKind::UnexpectedEof | ErrorKind::InvalidData)
}
