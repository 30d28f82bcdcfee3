//! How WARC files are called: `Prefix-Timestamp17-Serial-Host.warc.gz`, with `.open` behind it until the file is closed.

use crate::date::digits17;

/// Behind the name of every file that is still being written.
pub const OPEN_SUFFIX: &str = ".open";
const EXTENSION: &str = ".warc.gz";

pub(crate) fn file_name(prefix: &str, at_ms: u64, serial: u32, host: &str) -> String {
    format!("{}-{}-{serial:05}-{}{EXTENSION}", safe(prefix), digits17(at_ms), safe(host))
}

/// The final name of an open file.
pub(crate) fn closed_name(name: &str) -> Option<&str> {
    name.strip_suffix(OPEN_SUFFIX).filter(|name| name.ends_with(EXTENSION))
}

pub(crate) fn is_warc(name: &str) -> bool {
    name.ends_with(EXTENSION)
}

/// The name of the index beside a WARC file.
pub fn index_name(warc_name: &str) -> String {
    format!("{}.cdxj", warc_name.strip_suffix(EXTENSION).unwrap_or(warc_name))
}

/// The serial number in a name, open or closed.
pub(crate) fn serial_of(name: &str) -> Option<u32> {
    let name = name.strip_suffix(OPEN_SUFFIX).unwrap_or(name).strip_suffix(EXTENSION)?;
    // Prefix and host have no hyphen-digit-only parts of this shape next to each other: look for timestamp, serial.
    let parts: Vec<&str> = name.split('-').collect();
    parts.windows(2).find_map(|pair| {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        (pair[0].len() == 17 && digits(pair[0]) && pair[1].len() >= 5 && digits(pair[1]))
            .then(|| pair[1].parse().ok())
            .flatten()
    })
}

/// Only what every file system and every CDX reader takes.
fn safe(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::{closed_name, file_name, index_name, serial_of};

    #[test]
    fn a_name_tells_when_and_where_a_file_was_made() {
        let name = file_name("euro crisis/1", 1_794_776_361_123, 7, "crawler-1.test");
        assert_eq!(name, "euro_crisis_1-20261115205921123-00007-crawler-1.test.warc.gz");
        assert_eq!(serial_of(&name), Some(7));
        assert_eq!(serial_of(&format!("{name}.open")), Some(7));
        assert_eq!(closed_name(&format!("{name}.open")), Some(name.as_str()));
        assert_eq!(closed_name(&name), None);
        assert_eq!(index_name(&name), "euro_crisis_1-20261115205921123-00007-crawler-1.test.cdxj");
        assert_eq!(serial_of("other.warc.gz"), None);
    }
}
