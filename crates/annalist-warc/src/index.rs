//! CDXJ indexes of archive files that are there already, and how an index gets to disk. What a line says is in `cdx.rs`.

use std::io::{self, BufRead, Seek};
use std::path::Path;

use annalist_disk::Disk;

use crate::cdx::{CdxLine, CdxLines};
use crate::digest::DigestKind;
use crate::fault::{Fault, ReadError};
use crate::http::HttpHead;
use crate::open_index::remove_if_there;
use crate::payload::Dechunked;
use crate::read::{BlockRecord, Framing, Reader};
use crate::ready::digest_rest;
use crate::resume::Hole;
use crate::writer::WriteError;

const WRITE_BYTES: usize = 256 * 1024;

/// What was found besides the lines of an index.
#[derive(Debug, Default)]
pub struct Indexed {
    /// Where the last record ends.
    pub end: u64,
    /// What is in no line because it cannot be read.
    pub holes: Vec<Hole>,
}

/// The index lines of an archive file, under the file's own name.
pub fn index_file(path: &Path) -> io::Result<(CdxLines, Indexed)> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut lines = CdxLines::default();
    let indexed = index_reader(&mut Reader::open(path)?, &name, &mut |line| lines.push(&line));
    Ok((lines, indexed))
}

/// Hands over the index line of every record that has one and can be read alone.
pub fn index_reader<R: BufRead + Seek>(
    reader: &mut Reader<R>,
    filename: &str,
    take: &mut dyn FnMut(CdxLine),
) -> Indexed {
    let mut end = 0;
    let holes = reader.each_record(&mut |mut record| {
        let line = describe(&mut record)?;
        let span = record.finish()?;
        if span.framing != Framing::Alone {
            return Err(ReadError::new(span.offset, Fault::NotAddressable));
        }
        end = span.offset + span.length;
        if let Some(line) = line {
            let filename = filename.to_owned();
            take(CdxLine { offset: span.offset, length: span.length, filename, ..line });
        }
        Ok(())
    });
    Indexed { end, holes }
}

pub(crate) fn describe<R: BufRead + Seek>(
    record: &mut BlockRecord<'_, R>,
) -> Result<Option<CdxLine>, ReadError> {
    let offset = record.offset;
    let failed = |e| ReadError::from_io(e, offset);
    let is_response = record.kind() == "response";
    let has_payload = is_response || record.kind() == "resource";
    let lacks_digest = has_payload && record.fields.get("WARC-Payload-Digest").is_none();
    let (head, mut body) = if is_response || record.kind() == "revisit" {
        HttpHead::read(&mut *record).map_err(failed)?
    } else {
        HttpHead::absent(&mut *record)
    };
    let head = match head {
        None if is_response => {
            let named = body.get_ref().1.fields.get("WARC-Identified-Payload-Type");
            let named = named.map(str::to_owned);
            HttpHead::bare(body.fill_buf().map_err(failed)?, named.as_deref())
        }
        head => head,
    };
    let digest = if lacks_digest {
        let chunked = head.as_ref().is_some_and(HttpHead::is_chunked);
        let (digest, _) =
            digest_rest(Dechunked::new(&mut body, chunked), DigestKind::Sha1).map_err(failed)?;
        Some(digest.to_string())
    } else {
        None
    };
    Ok(CdxLine::describe(&record.fields, head.as_ref(), digest.as_deref()))
}

/// Writes an index in order. Whatever happens, the file holds the old lines or all of the new ones.
pub fn write_index(disk: &dyn Disk, path: &Path, lines: &CdxLines) -> Result<(), WriteError> {
    let fresh = path.with_extension("cdxj.new");
    let result = write_fresh(disk, &fresh, lines).and_then(|()| {
        disk.rename(&fresh, path)?;
        path.parent().map_or(Ok(()), |dir| disk.sync_dir(dir))
    });
    result.map_err(|e| {
        // It may hold the very room that is missing.
        let _ = disk.remove(&fresh);
        WriteError::at(path, e)
    })
}

fn write_fresh(disk: &dyn Disk, fresh: &Path, lines: &CdxLines) -> io::Result<()> {
    // Left over when an earlier attempt was interrupted.
    remove_if_there(disk, fresh)?;
    let mut file = disk.create(fresh)?;
    let mut buffer = String::with_capacity(WRITE_BYTES);
    for line in lines.sorted() {
        if buffer.len() + line.len() > WRITE_BYTES {
            file.append(buffer.as_bytes())?;
            buffer.clear();
        }
        buffer.push_str(line);
    }
    if !buffer.is_empty() {
        file.append(buffer.as_bytes())?;
    }
    file.sync()
}
