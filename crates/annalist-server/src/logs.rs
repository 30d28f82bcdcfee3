//! The logs of a crawl, read from their end: the newest lines that fit a question.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// No more than this is looked through for one answer.
const MOST_BYTES: u64 = 64 << 20;
const PIECE: usize = 256 << 10;

/// The lines of an answer, the newest first.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Lines {
    pub lines: Vec<String>,
    /// There may be older ones that were not looked at.
    pub is_cut: bool,
}

/// The newest lines of a file for which `fits` holds, after leaving out `offset` of them.
pub fn newest(path: &Path, offset: usize, limit: usize, fits: impl Fn(&str) -> bool) -> io::Result<Lines> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Lines::default()),
        Err(e) => return Err(e),
    };
    let length = file.seek(SeekFrom::End(0))?;
    let (mut at, mut left_out) = (length, 0);
    let mut found = Lines::default();
    // The beginning of a line whose end was in the piece before.
    let mut tail: Vec<u8> = Vec::new();
    while at > 0 {
        if length - at >= MOST_BYTES {
            found.is_cut = true;
            return Ok(found);
        }
        let from = at.saturating_sub(PIECE as u64);
        let mut piece = vec![0; (at - from) as usize];
        file.seek(SeekFrom::Start(from))?;
        file.read_exact(&mut piece)?;
        piece.extend_from_slice(&tail);
        // What stands before the first end of line may begin further up.
        let whole =
            if from == 0 { 0 } else { piece.iter().position(|b| *b == b'\n').map_or(piece.len(), |n| n + 1) };
        for line in piece[whole..].split(|b| *b == b'\n').rev().filter(|line| !line.is_empty()) {
            let line = String::from_utf8_lossy(line);
            if !fits(&line) {
                continue;
            }
            if left_out < offset {
                left_out += 1;
                continue;
            }
            found.lines.push(line.into_owned());
            if found.lines.len() >= limit {
                found.is_cut = from > 0 || whole > 0;
                return Ok(found);
            }
        }
        tail = piece[..whole].to_vec();
        if whole == piece.len() && tail.len() > MOST_BYTES as usize {
            found.is_cut = true;
            return Ok(found);
        }
        at = from;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::newest;

    #[test]
    fn the_newest_lines_come_first_however_long_the_file_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        assert!(newest(&path, 0, 10, |_| true).unwrap().lines.is_empty());
        let text: String = (0..50_000).map(|n| format!("line {n} {}\n", "x".repeat(n % 40))).collect();
        std::fs::write(&path, text).unwrap();
        let numbers = |offset, limit, word: &str| -> Vec<usize> {
            let found = newest(&path, offset, limit, |line| line.contains(word)).unwrap();
            found.lines.iter().map(|line| line.split(' ').nth(1).unwrap().parse().unwrap()).collect()
        };
        assert_eq!(numbers(0, 3, "line"), [49_999, 49_998, 49_997]);
        assert_eq!(numbers(2, 2, "line"), [49_997, 49_996]);
        assert_eq!(numbers(0, 5, "line 7 "), [7]);
        let all = numbers(0, 60_000, "line");
        assert_eq!(all, (0..50_000).rev().collect::<Vec<_>>());
    }
}
