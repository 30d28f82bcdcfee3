//! Image lists: candidates are single words, and a list made of them holds the same ones.

use annalist_read::srcset::candidates;

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let found: Vec<&str> = candidates(&text).collect();
    for address in &found {
        assert!(!address.is_empty() && !address.contains(|c: char| c.is_ascii_whitespace()), "{address:?}");
        assert!(!address.starts_with(',') && !address.ends_with(','), "{address:?}");
    }
    let written: String = found.iter().map(|address| format!(" {address} 2x (a,b) ,")).collect();
    assert_eq!(candidates(&written).collect::<Vec<_>>(), found, "{written:?}");
}
