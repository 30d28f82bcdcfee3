//! How often the parser reads what stands where. It tries the longest form of a function first and, where that is not what
//! is written, reads all parameters once more; so it does with what is negated. One inside the other, each of them doubles
//! the work of all that it holds, and a short text would keep it busy for ever.

use super::MOST_BYTES;

/// What may be read in all, in bytes.
const MOST_READ: usize = 4 * MOST_BYTES;
/// Functions that may have one parameter more.
const READ_TWICE: [&str; 4] = ["REGEX", "SUBSTR", "REPLACE", "GROUP_CONCAT"];

#[derive(Default)]
pub struct Readings {
    /// How often the work is doubled by what is open.
    doubled: usize,
    /// The same by negations before the next bracket.
    negated: usize,
    read: usize,
}

impl Readings {
    pub fn doubled(&self) -> usize {
        self.doubled
    }

    /// A bracket opens, maybe that of a function whose parameters are read twice; tells what is to be said when it is closed.
    pub fn open(&mut self, is_read_twice: bool) -> usize {
        let outside = self.doubled;
        self.doubled += std::mem::take(&mut self.negated) + usize::from(is_read_twice);
        outside
    }

    pub fn close(&mut self, outside: usize) {
        (self.doubled, self.negated) = (outside, 0);
    }

    /// Any other sign.
    pub fn see(&mut self, byte: u8, next: Option<u8>) {
        match byte {
            b'!' if next != Some(b'=') => self.negated += 1,
            b'&' | b'|' | b'=' | b'<' | b'>' | b',' | b';' | b'.' | b'*' | b'/' | b'+' => self.negated = 0,
            _ => {}
        }
    }

    /// So many bytes were gone through; says whether that is not too much.
    #[must_use]
    pub fn read(&mut self, bytes: usize) -> bool {
        let times = u32::try_from(self.doubled + self.negated).ok().and_then(|n| 1_usize.checked_shl(n));
        self.read = self.read.saturating_add(bytes.saturating_mul(times.unwrap_or(usize::MAX)));
        self.read <= MOST_READ
    }
}

/// Whether a text ends with the name of a function whose parameters may be read twice. Nothing need stand before the name.
pub fn is_read_twice(before: &[u8]) -> bool {
    READ_TWICE.iter().any(|word| {
        let start = before.len().checked_sub(word.len());
        start
            .and_then(|start| before.get(start..))
            .is_some_and(|end| end.eq_ignore_ascii_case(word.as_bytes()))
    })
}
