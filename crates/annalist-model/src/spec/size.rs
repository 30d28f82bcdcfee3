//! How sizes are written in a spec: `800`, `50GB` (powers of 1000), `10MiB` (powers of 1024).

use super::quantity;

const UNITS: [(&str, u64); 10] = [
    ("", 1),
    ("B", 1),
    ("kB", 1_000),
    ("KiB", 1 << 10),
    ("MB", 1_000_000),
    ("MiB", 1 << 20),
    ("GB", 1_000_000_000),
    ("GiB", 1 << 30),
    ("TB", 1_000_000_000_000),
    ("TiB", 1 << 40),
];

/// Bytes; `None` when the text is no number with one of the units.
pub fn parse(text: &str) -> Option<u64> {
    quantity::parse(text, &UNITS)
}

/// The shortest spelling that [`parse`] reads back.
pub fn display(bytes: u64) -> String {
    if bytes == 0 {
        return "0B".to_owned();
    }
    quantity::display(bytes, &UNITS)
}

#[cfg(test)]
mod tests {
    use super::{display, parse};
    use proptest::prelude::*;

    #[test]
    fn both_kinds_of_unit_are_read() {
        for (text, bytes) in [
            ("800", 800),
            ("0", 0),
            ("50GB", 50_000_000_000),
            ("10MiB", 10 << 20),
            ("1.5 kB", 1_500),
            ("2tib", 2 << 40),
        ] {
            assert_eq!(parse(text), Some(bytes), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in ["", "GB", "-1", "1.5", "1 GBit", "99999999999TB", "1e9"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_shortest_spelling_is_shown() {
        assert_eq!(display(1_000_000_000), "1GB");
        assert_eq!(display(512 << 20), "512MiB");
        assert_eq!(display(801), "801B");
        assert_eq!(display(0), "0B");
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_back(bytes in any::<u64>()) {
            prop_assert_eq!(parse(&display(bytes)), Some(bytes));
        }
    }
}
