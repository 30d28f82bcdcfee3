//! Lines in bytewise order, in a file or in memory, that are searched where they lie: a sample of them is kept, the rest
//! is found by halving. What the lines say is read elsewhere.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead};
use std::os::unix::fs::FileExt;

/// At most so many lines are kept as the sample.
const MOST_SAMPLES: u64 = 16 * 1024;
/// What is read in one piece, and not halved any more.
const PIECE_BYTES: u64 = 16 * 1024;
/// What is read to see one line; most are shorter.
const PEEK_BYTES: usize = 512;
/// What is kept of a line in the sample.
const SAMPLE_BYTES: usize = 128;
/// Longer lines are damage.
const MOST_LINE_BYTES: usize = 1 << 20;

enum Bytes {
    Memory(Vec<u8>),
    File { file: File, length: u64 },
}

impl Bytes {
    fn length(&self) -> u64 {
        match self {
            Bytes::Memory(bytes) => bytes.len() as u64,
            Bytes::File { length, .. } => *length,
        }
    }

    /// Fills what it can; fewer bytes only at the end.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let file = match self {
            Bytes::Memory(bytes) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
                let there = bytes.get(start..).unwrap_or_default();
                let amount = there.len().min(buffer.len());
                buffer[..amount].copy_from_slice(&there[..amount]);
                return Ok(amount);
            }
            Bytes::File { file, .. } => file,
        };
        let mut filled = 0;
        while filled < buffer.len() {
            match file.read_at(&mut buffer[filled..], offset + filled as u64) {
                Ok(0) => break,
                Ok(amount) => filled += amount,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(filled)
    }
}

/// Lines to be searched.
pub struct Sorted {
    bytes: Bytes,
    /// The beginnings of some lines, in their order, one after the other.
    sample: Vec<u8>,
    /// Where each of them ends in the sample, and where its line begins.
    samples: Vec<(u32, u64)>,
    /// Whether the sampled lines are in order.
    is_ordered: bool,
}

/// Not all that is in them.
impl fmt::Debug for Sorted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sorted").field("length", &self.bytes.length()).finish_non_exhaustive()
    }
}

impl Sorted {
    pub fn in_memory(lines: Vec<u8>) -> io::Result<Sorted> {
        Sorted::sampled(Bytes::Memory(lines))
    }

    pub fn of_file(file: File) -> io::Result<Sorted> {
        let length = file.metadata()?.len();
        Sorted::sampled(Bytes::File { file, length })
    }

    fn sampled(bytes: Bytes) -> io::Result<Sorted> {
        let length = bytes.length();
        let mut sorted = Sorted { bytes, sample: Vec::new(), samples: Vec::new(), is_ordered: true };
        let step = (length / MOST_SAMPLES).max(PIECE_BYTES);
        let (mut at, mut line) = (step, Vec::new());
        let mut before = Vec::new();
        while at < length {
            let start = sorted.line_after(at, SAMPLE_BYTES, &mut line)?;
            if start >= length {
                break;
            }
            line.truncate(SAMPLE_BYTES);
            sorted.is_ordered &= before <= line;
            sorted.sample.extend_from_slice(&line);
            let Ok(end) = u32::try_from(sorted.sample.len()) else { break };
            sorted.samples.push((end, start));
            std::mem::swap(&mut before, &mut line);
            at = start.max(at) + step;
        }
        Ok(sorted)
    }

    /// Whether the lines that were looked at are in order.
    pub fn is_ordered(&self) -> bool {
        self.is_ordered
    }

    /// All lines that begin with these bytes, without their ends.
    pub fn starting_with(&self, start: &[u8], take: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        self.around(start, &mut |line| {
            let is_one = line.starts_with(start);
            if is_one {
                take(line);
            }
            is_one || line < start
        })
    }

    /// Some lines that come before `sought`, the last before it among them, and those after it for as long as
    /// `take` wants more.
    pub fn around(&self, sought: &[u8], take: &mut dyn FnMut(&[u8]) -> bool) -> io::Result<()> {
        let (mut low, mut high) = self.sampled_around(sought);
        let mut line = Vec::new();
        while high - low > PIECE_BYTES {
            let start = self.line_after(low + (high - low) / 2, sought.len(), &mut line)?;
            if start >= high {
                break;
            }
            if line.as_slice() < sought {
                low = start;
            } else {
                high = start;
            }
        }
        self.from(low, take)
    }

    /// Every line in its order, without its end, for as long as `take` wants more.
    pub fn each(&self, take: &mut dyn FnMut(&[u8]) -> bool) -> io::Result<()> {
        self.from(0, take)
    }

    /// Where a line begins that is before `sought`, and one that is not.
    fn sampled_around(&self, sought: &[u8]) -> (u64, u64) {
        let text = |index: usize| {
            let from = index.checked_sub(1).and_then(|before| self.samples.get(before)).map_or(0, |s| s.0);
            let to = self.samples.get(index).map_or(from, |s| s.0);
            self.sample.get(from as usize..to as usize).unwrap_or_default()
        };
        let (mut from, mut to) = (0, self.samples.len());
        while from < to {
            let middle = from + (to - from) / 2;
            // Cut as it is: what begins like it may come after it, and is found from further ahead.
            if text(middle) < sought && !sought.starts_with(text(middle)) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        let low = from.checked_sub(1).and_then(|before| self.samples.get(before)).map_or(0, |s| s.1);
        let high = self.samples.get(from).map_or(self.bytes.length(), |s| s.1);
        (low, high)
    }

    /// Reads the first line that begins after an offset, or `enough` bytes of it at least; gives where it begins.
    fn line_after(&self, offset: u64, enough: usize, line: &mut Vec<u8>) -> io::Result<u64> {
        let mut room = PEEK_BYTES;
        loop {
            line.resize(room, 0);
            let filled = self.bytes.read_at(offset, line)?;
            line.truncate(filled);
            let Some(end) = line.iter().position(|b| *b == b'\n') else {
                if filled < room || room >= MOST_LINE_BYTES {
                    line.clear();
                    return Ok(self.bytes.length());
                }
                room *= 8;
                continue;
            };
            let rest = line.get(end + 1..).unwrap_or_default();
            let whole = rest.iter().position(|b| *b == b'\n');
            if whole.is_none() && rest.len() < enough && filled == room && room < MOST_LINE_BYTES {
                room *= 8;
                continue;
            }
            let to = whole.unwrap_or(rest.len());
            line.truncate(end + 1 + to);
            line.drain(..=end);
            return Ok(offset + end as u64 + 1);
        }
    }

    fn from(&self, start: u64, take: &mut dyn FnMut(&[u8]) -> bool) -> io::Result<()> {
        let (mut buffer, mut at, mut kept) = (Vec::new(), start, 0);
        // Few lines are wanted as a rule, and many if the first piece was not enough.
        let mut piece = PIECE_BYTES as usize;
        loop {
            buffer.resize(kept + piece, 0);
            let filled = self.bytes.read_at(at, &mut buffer[kept..])?;
            at += filled as u64;
            buffer.truncate(kept + filled);
            let mut from = 0;
            while let Some(length) = line_length(&buffer[from..]) {
                if !take(without_return(&buffer[from..from + length])) {
                    return Ok(());
                }
                from += length + 1;
            }
            if filled == 0 {
                if from < buffer.len() {
                    take(without_return(&buffer[from..]));
                }
                return Ok(());
            }
            buffer.drain(..from);
            kept = buffer.len();
            piece = (piece * 2).min(1 << 18);
        }
    }
}

/// Of the first line that is whole. Quicker than looking at byte after byte.
fn line_length(bytes: &[u8]) -> Option<usize> {
    let mut rest = bytes;
    let end = rest.skip_until(b'\n').ok()?.checked_sub(1)?;
    (bytes.get(end) == Some(&b'\n')).then_some(end)
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::Sorted;

    fn lines(count: usize) -> Vec<String> {
        let mut lines: Vec<String> =
            (0..count).map(|n| format!("k{:06} {} {}", n / 3, n % 3, "x".repeat(n % 90))).collect();
        lines.sort_unstable();
        lines
    }

    fn found(sorted: &Sorted, start: &str) -> Vec<String> {
        let mut found = Vec::new();
        sorted
            .starting_with(start.as_bytes(), &mut |line| {
                found.push(String::from_utf8(line.to_vec()).unwrap());
            })
            .unwrap();
        found
    }

    #[test]
    fn every_line_is_found_by_its_beginning_in_a_file_and_in_memory() {
        let lines = lines(30_000);
        let mut file = tempfile::tempfile().unwrap();
        file.write_all((lines.join("\n") + "\n").as_bytes()).unwrap();
        let on_disk = Sorted::of_file(file).unwrap();
        let in_memory = Sorted::in_memory(lines.join("\r\n").into_bytes()).unwrap();
        for sorted in [on_disk, in_memory] {
            assert!(sorted.is_ordered());
            for group in (0..10_000).step_by(7).chain([9_999]) {
                let expected: Vec<&String> = lines[group * 3..group * 3 + 3].iter().collect();
                assert_eq!(found(&sorted, &format!("k{group:06} ")).iter().collect::<Vec<_>>(), expected);
            }
            assert!(found(&sorted, "k010000").is_empty());
            assert!(found(&sorted, "a").is_empty());
            assert!(found(&sorted, "z").is_empty());
        }
    }

    #[test]
    fn lines_of_any_length_do_not_hide_others() {
        let long = "m".repeat(300_000);
        let text = format!("a 1\nb 1\n{long} 1\n{}z 1", "n 1\n".repeat(20_000));
        let sorted = Sorted::in_memory(text.into_bytes()).unwrap();
        assert_eq!(found(&sorted, "a "), ["a 1"]);
        assert_eq!(found(&sorted, "b "), ["b 1"]);
        assert_eq!(found(&sorted, &long[..50]).len(), 1);
        assert_eq!(found(&sorted, "n ").len(), 20_000);
        assert_eq!(found(&sorted, "z "), ["z 1"]);
        assert!(found(&Sorted::in_memory(Vec::new()).unwrap(), "a").is_empty());
    }

    #[test]
    fn long_beginnings_are_told_apart() {
        let key = "k".repeat(700);
        let mut lines: Vec<String> = (0..500).map(|n| format!("{key}{n:05} 1")).collect();
        lines.sort_unstable();
        let sorted = Sorted::in_memory(lines.join("\n").into_bytes()).unwrap();
        for line in &lines {
            assert_eq!(found(&sorted, line), [line.as_str()]);
        }
    }

    #[test]
    fn disorder_is_noticed() {
        let mut lines = lines(10_000);
        lines.reverse();
        assert!(!Sorted::in_memory(lines.join("\n").into_bytes()).unwrap().is_ordered());
    }
}
