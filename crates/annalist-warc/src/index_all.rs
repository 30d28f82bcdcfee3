//! Many files indexed, on several threads, as fast as they can be unpacked. What a line says is in `cdx.rs`.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::cdx::CdxLine;
use crate::index::{Indexed, describe, index_reader};
use crate::members::Members;
use crate::read::{Framing, Reader};
use crate::unpack::Compression;
use crate::warc_file::{Section, WarcFile};

/// Hands over the index line of every record of a file that has one, and after each record how far in the file it is.
/// The same lines as `index_reader` gives; files as they should be are read several times as fast.
pub fn index_warc(
    file: &WarcFile,
    filename: &str,
    take: &mut dyn FnMut(CdxLine),
    advance: &mut dyn FnMut(u64),
) -> io::Result<Indexed> {
    let section = file.open()?;
    let mut members = Members::new(section.clone());
    while !members.is_at_end()? {
        let at = members.position();
        let mut listed = |line: CdxLine, offset, length| {
            take(CdxLine { offset, length, filename: filename.to_owned(), ..line });
        };
        if let Some(member) = members.next()?
            && let Some(line) = only_record(member.bytes)
        {
            if let Some(line) = line {
                listed(line, member.offset, member.length);
            }
            advance(member.offset + member.length);
            continue;
        }
        // Too large for memory, or not as it should be.
        let mut reader = section.records_at(at);
        match streamed_record(&mut reader) {
            Some((line, end)) => {
                if let Some(line) = line {
                    listed(line, at, end - at);
                }
                members.seek(end)?;
                advance(end);
            }
            None => {
                let mut reader = section.records_at(at);
                return Ok(index_reader(&mut reader, filename, &mut |line| {
                    advance(line.offset);
                    take(line);
                }));
            }
        }
    }
    Ok(Indexed { end: members.position(), holes: Vec::new() })
}

/// What is to be listed of a member that holds one whole WARC record and nothing else.
fn only_record(bytes: &[u8]) -> Option<Option<CdxLine>> {
    if !bytes.starts_with(b"WARC/") {
        return None;
    }
    let mut reader = Reader::new(io::Cursor::new(bytes));
    let mut record = reader.next_record().ok()??;
    let line = describe(&mut record).ok()?;
    let span = record.finish().ok()?;
    (span.length == bytes.len() as u64).then_some(line)
}

/// The record that a reader is at, if it is a gzip member of its own, and where it ends.
fn streamed_record(reader: &mut Reader<io::BufReader<Section>>) -> Option<(Option<CdxLine>, u64)> {
    let mut record = reader.next_record().ok()??;
    let line = describe(&mut record).ok()?;
    let span = record.finish().ok()?;
    (reader.compression() == Compression::Gzip && span.framing == Framing::Alone)
        .then_some((line, span.offset + span.length))
}

/// Deals with every file, on so many threads, each with something of its own; hands that back.
pub fn on_threads<F: Sync, T: Send>(
    files: &[F],
    threads: usize,
    own: &(dyn Fn() -> T + Sync),
    work: &(dyn Fn(&mut T, usize, &F) + Sync),
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut own = own();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = files.get(number) else { return own };
            work(&mut own, number, file);
        }
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(files.len())).map(|_| scope.spawn(run)).collect();
        let mut all = vec![run()];
        for other in others {
            match other.join() {
                Ok(own) => all.push(own),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::path::Path;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::{index_warc, on_threads};
    use crate::index::index_reader;
    use crate::read::Reader;
    use crate::warc_file::WarcFile;

    fn record(n: usize, length: usize) -> Vec<u8> {
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{}", "x".repeat(length));
        let head = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.test/{n}\r\nWARC-Date: 2010-01-01T00:00:00Z\r\n\
             Content-Length: {}\r\n\r\n",
            block.len()
        );
        [head.as_bytes(), block.as_bytes(), b"\r\n\r\n"].concat()
    }

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(bytes).unwrap();
        gzip.finish().unwrap()
    }

    fn slowly(path: &Path) -> Vec<String> {
        let mut lines = Vec::new();
        let _ = index_reader(&mut Reader::open(path).unwrap(), "f", &mut |line| lines.push(line.to_string()));
        lines
    }

    fn quickly(path: &Path) -> (Vec<String>, u64) {
        let (mut lines, mut end) = (Vec::new(), 0);
        for file in WarcFile::all_of(path).unwrap() {
            let mut take = |line: crate::cdx::CdxLine| lines.push(line.to_string());
            index_warc(&file, "f", &mut take, &mut |at| end = at).unwrap();
        }
        (lines, end)
    }

    #[test]
    fn the_lines_are_those_of_the_reader_for_files_of_every_kind() {
        let dir = tempfile::tempdir().unwrap();
        let alone: Vec<Vec<u8>> = (0..50).map(|n| packed(&record(n, n * 700))).collect();
        let large = packed(&record(7, 70 << 20));
        let mut damaged = alone.concat();
        let middle = damaged.len() / 2;
        damaged[middle] ^= 0x55;
        let files = [
            ("alone", alone.concat(), 50),
            ("large", [alone.concat(), large, alone.concat()].concat(), 101),
            ("cut", alone.concat()[..alone.concat().len() - 3].to_vec(), 49),
            ("plain", (0..9).flat_map(|n| record(n, 10)).collect(), 9),
            ("empty", Vec::new(), 0),
        ];
        for (name, bytes, count) in files {
            let path = dir.path().join(name);
            std::fs::write(&path, &bytes).unwrap();
            let (lines, end) = quickly(&path);
            assert_eq!(lines.len(), count, "{name}");
            assert_eq!(lines, slowly(&path), "{name}");
            if name == "large" || name == "alone" {
                assert_eq!(end, bytes.len() as u64);
            }
        }
        for (name, bytes) in [
            ("damaged", damaged),
            ("shared", packed(&[record(1, 5), record(2, 5)].concat())),
            ("nonsense", b"nonsense".to_vec()),
        ] {
            let path = dir.path().join(name);
            std::fs::write(&path, &bytes).unwrap();
            assert_eq!(quickly(&path).0, slowly(&path), "{name}");
        }
    }

    #[test]
    fn every_file_is_dealt_with_once() {
        let files: Vec<String> = (0..100).map(|n| n.to_string()).collect();
        let numbers = on_threads(&files, 4, &Vec::new, &|own: &mut Vec<usize>, number, file| {
            assert_eq!(*file, number.to_string());
            own.push(number);
        });
        let mut numbers = numbers.concat();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..100).collect::<Vec<_>>());
        assert_eq!(on_threads(&[(); 0], 4, &|| 1, &|_, _, ()| ()), [1]);
    }
}
