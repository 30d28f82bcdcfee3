//! Records that share a gzip member or Zstandard frame with others have no offset of their own: given one, in a file made for it.

use std::fs::File;
use std::io::{self, BufRead, Read, Seek, SeekFrom, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::fault::{Fault, ReadError};
use crate::read::{BlockRecord, Framing};
use crate::resume::Hole;
use crate::start::Format;
use crate::warc_file::WarcFile;

/// Writes every record that cannot be read alone into a gzip member of its own. Returns what is lost.
pub fn unshare(from: &WarcFile, to: &Path) -> io::Result<Vec<Hole>> {
    let mut out = File::create(to)?;
    let mut failed = Ok(());
    let holes = from.open()?.records_at(0).each_record(&mut |record| {
        if failed.is_err() {
            return Ok(());
        }
        let start = out.stream_position().unwrap_or_default();
        let (written, span) = written(record, &mut out);
        let shared = matches!(&span, Ok(framing) if *framing != Framing::Alone);
        failed = written.and_then(|()| if shared { Ok(()) } else { cut(&mut out, start) });
        span.map(|_| ())
    });
    failed.and_then(|()| out.sync_all()).map(|()| holes)
}

fn cut(out: &mut File, length: u64) -> io::Result<()> {
    out.set_len(length)?;
    out.seek(SeekFrom::Start(length)).map(|_| ())
}

/// Copies a record; how that went, and how it lay in its file.
fn written<R: BufRead + Seek>(
    mut record: BlockRecord<'_, R>,
    out: &mut File,
) -> (io::Result<()>, Result<Framing, ReadError>) {
    let (head, format, offset) = (record.head.clone(), record.format, record.offset);
    let mut gzip = GzEncoder::new(out, Compression::fast());
    let mut kept = gzip.write_all(&head);
    let mut read = Ok(());
    while kept.is_ok() && read.is_ok() {
        let mut piece = [0; 16 * 1024];
        match record.read(&mut piece) {
            Ok(0) => break,
            Ok(length) => kept = gzip.write_all(piece.get(..length).unwrap_or_default()),
            Err(e) => read = Err(ReadError::new(offset, Fault::Io(e))),
        }
    }
    let end: &[u8] = if format == Format::Arc { b"\n" } else { b"\r\n\r\n" };
    let kept = kept.and_then(|()| gzip.write_all(end)).and_then(|()| gzip.finish().map(|_| ()));
    (kept, read.and_then(|()| record.finish().map(|span| span.framing)))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::unshare;
    use crate::index::index_file;
    use crate::warc_file::WarcFile;

    fn record(n: usize) -> String {
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{}", "x".repeat(n * 9000));
        format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.test/{n}\r\nWARC-Date: 2010-01-01T00:00:00Z\r\n\
             Content-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
    }

    fn member(bytes: &str) -> Vec<u8> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(bytes.as_bytes()).unwrap();
        gzip.finish().unwrap()
    }

    #[test]
    fn records_of_one_stream_get_places_of_their_own_and_others_are_left_where_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("a.warc.gz"), dir.path().join("b.warc.gz"));
        let whole: String = (1..6).map(record).collect();
        std::fs::write(&from, [member(&record(0)), member(&whole), member(&record(9))].concat()).unwrap();
        let file = WarcFile::all_of(&from).unwrap().remove(0);
        assert_eq!(unshare(&file, &to).unwrap().len(), 0);
        let (lines, indexed) = index_file(&to).unwrap();
        assert_eq!((lines.sorted().count(), indexed.holes.len()), (5, 0));
        let (alone, _) = index_file(&from).unwrap();
        assert_eq!(alone.sorted().count(), 2);
        let whole = member(&whole);
        std::fs::write(&from, &whole[..whole.len() - 50]).unwrap();
        let cut = WarcFile::all_of(&from).unwrap().remove(0);
        assert_eq!(unshare(&cut, &to).unwrap().len(), 1, "what is cut off is told");
    }
}
