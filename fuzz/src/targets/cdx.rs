//! Lines of an index: one that can be read is written and read as the same line, and lines come out in order.

use annalist_warc::{CdxLine, CdxLines, surt_key};

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut lines = CdxLines::default();
    for line in text.lines() {
        if let Some(parsed) = CdxLine::parse(line) {
            check(&parsed);
            lines.push(&parsed);
        }
        let made = line_for(line);
        check(&made);
        lines.push(&made);
    }
    let sorted: Vec<&str> = lines.sorted().collect();
    assert_eq!(sorted.len(), lines.len());
    assert!(sorted.is_sorted_by_key(|line| line.as_bytes()), "the index is not in order");
    assert!(sorted.iter().all(|line| line.find('\n') == Some(line.len() - 1)), "a line is not one line");
}

fn check(line: &CdxLine) {
    let written = line.to_string();
    assert_eq!(CdxLine::parse(&written).as_ref(), Some(line), "{written}");
}

/// The line of a capture whose every text a stranger chose.
fn line_for(text: &str) -> CdxLine {
    CdxLine {
        key: surt_key(text),
        timestamp: "20261115205921".to_owned(),
        url: text.to_owned(),
        mime: text.to_owned(),
        status: Some(text.to_owned()),
        digest: Some(text.to_owned()),
        length: u64::MAX,
        offset: text.len() as u64,
        filename: text.to_owned(),
    }
}
