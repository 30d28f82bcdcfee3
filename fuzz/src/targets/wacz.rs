//! WACZ files: whatever the bytes are, reading and judging them ends, and nothing is looked for beyond the file.

use std::io::{Cursor, Read, Seek, SeekFrom, Write};

use annalist_warc::{About, Copier, CopySettings, Reader, Wacz, verify_all};

pub(crate) fn run(data: &[u8]) {
    let Ok(mut file) = tempfile::Builder::new().suffix(".wacz").tempfile() else { return };
    if file.write_all(data).is_err() {
        return;
    }
    if let Ok(wacz) = Wacz::open(file.path()) {
        for warc in wacz.warc_files().unwrap_or_default() {
            let end = warc.offset.checked_add(warc.length);
            assert!(end.is_some_and(|end| end <= data.len() as u64), "{} reaches past the end", warc.name);
        }
        let _ = wacz.each_index_line(&mut |line| assert!(!line.contains('\n')));
    }
    assert!(!verify_all(&[file.path()]).is_empty());
}

/// A small one of two WARC files.
pub(crate) fn made() -> Vec<Vec<u8>> {
    made_one().into_iter().collect()
}

fn made_one() -> Option<Vec<u8>> {
    let (prefix, host) = ("a".to_owned(), "b".to_owned());
    let settings = CopySettings { prefix, host, at_ms: 0, roll_bytes: 400, warcinfo: Vec::new() };
    let record = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x:1>\r\n\
        WARC-Date: 2011-03-05T10:00:00Z\r\nWARC-Target-URI: http://a.test/\r\nContent-Type: application/http\r\n\
        Content-Length: 19\r\n\r\nHTTP/1.1 200 OK\r\n\r\n\r\n\r\n";
    let mut file = tempfile::tempfile().ok()?;
    let mut copier = Copier::into_wacz(file.try_clone().ok()?, &std::env::temp_dir(), settings).ok()?;
    for _ in 0..2 {
        let mut reader = Reader::new(Cursor::new(record));
        copier.pack(reader.next_record().ok()??, "a").ok()?;
    }
    let page = r#"{"id":"1","url":"http://a.test/","ts":"2011-03-05T10:00:00Z"}"#.to_owned();
    copier.finish([page].into_iter(), &About::default()).ok()?;
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0)).ok()?;
    file.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
