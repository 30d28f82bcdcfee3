//! Style sheets: addresses are found once each, and one that is written out in full is read as it was.

use annalist_read::css::{Use, urls};

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut total = 0;
    for (_, address) in urls(&text) {
        total += 1;
        assert!(total <= text.len(), "more addresses than characters");
        assert!(address.len() <= 3 * text.len(), "an address longer than the style sheet");
        for (before, after, usage) in [("@import \"", "\";", Use::Import), ("a{b:url(", ")}", Use::Url)] {
            if usage == Use::Url && address.is_empty() {
                continue;
            }
            let written = format!("{before}{}{after}", in_escapes(&address));
            let read: Vec<_> = urls(&written).collect();
            assert_eq!(read, [(usage, address.clone())], "{written}");
        }
    }
}

fn in_escapes(address: &str) -> String {
    address.chars().map(|c| format!("\\{:x} ", u32::from(c))).collect()
}
