//! The logs of a crawl, read from their end: the newest lines that fit a question. One answer looks through a piece of a log
//! only; where it ended is a place in the file, so that the next one goes on from there, whatever was written meanwhile.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// How much is done for one answer.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// No more than this is looked through.
    most: u64,
    /// Read at once.
    piece: u64,
    /// A longer line was written by nobody, and is left out. Less than `most`: every answer gets further.
    longest: usize,
}

const BOUNDS: Bounds = Bounds { most: 64 << 20, piece: 256 << 10, longest: 256 << 10 };

/// What fits, the newest first.
#[derive(Debug, PartialEq, Eq)]
pub struct Found<T> {
    pub found: Vec<T>,
    /// Before this place in the file there is more, or there may be: it was not looked at. `None` when the beginning of the
    /// file was reached.
    pub next: Option<u64>,
    /// Where the lines end that were looked through: what is written later stands behind it.
    pub end: u64,
}

/// What `fits` makes of the newest lines that end at or before the place `before` (of all of them where there is none), as
/// many as `limit`.
pub fn newest<T>(
    path: &Path,
    before: Option<u64>,
    limit: usize,
    fits: impl FnMut(&str) -> Option<T>,
) -> io::Result<Found<T>> {
    newest_within(BOUNDS, path, before, limit, fits)
}

fn newest_within<T>(
    bounds: Bounds,
    path: &Path,
    before: Option<u64>,
    limit: usize,
    mut fits: impl FnMut(&str) -> Option<T>,
) -> io::Result<Found<T>> {
    let mut answer = Found { found: Vec::new(), next: None, end: 0 };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(answer),
        Err(e) => return Err(e),
    };
    let mut lines = Backwards::new(file, before, bounds)?;
    loop {
        let step = lines.step()?;
        answer.end = lines.end.unwrap_or(lines.from);
        match step {
            Step::Line { text, end } => {
                let Some(one) = fits(&text) else { continue };
                // One more than is wanted: only then it is sure that there is more.
                if answer.found.len() == limit {
                    answer.next = Some(end);
                    return Ok(answer);
                }
                answer.found.push(one);
            }
            Step::Enough { at } => {
                answer.next = Some(at);
                return Ok(answer);
            }
            Step::Beginning => return Ok(answer),
        }
    }
}

/// What was written behind a place.
#[derive(Debug, PartialEq, Eq)]
pub struct Fresh {
    /// Whole lines, the oldest first, each with the place where it ends.
    pub lines: Vec<(String, u64)>,
    /// Where they end.
    pub end: u64,
    /// It is too much to be told line by line, or the file is not the one it was: begin anew.
    pub is_gap: bool,
}

/// Longer pieces are not followed: who was away for so long looks at the log anew.
const MOST_FRESH: u64 = 1 << 20;

/// The lines of a log behind the place `after`, where a line ends.
pub fn fresh(path: &Path, after: u64) -> io::Result<Fresh> {
    let nothing = |is_gap| Fresh { lines: Vec::new(), end: after, is_gap };
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(nothing(after > 0)),
        Err(e) => return Err(e),
    };
    let length = file.seek(SeekFrom::End(0))?;
    if length < after || length - after > MOST_FRESH {
        return Ok(nothing(true));
    }
    file.seek(SeekFrom::Start(after))?;
    let mut piece = Vec::new();
    file.take(length - after).read_to_end(&mut piece)?;
    let whole = piece.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
    piece.truncate(whole);
    let mut end = after;
    let line = |line: &[u8]| {
        end += line.len() as u64;
        (String::from_utf8_lossy(line.trim_ascii_end()).into_owned(), end)
    };
    let lines = piece.split_inclusive(|b| *b == b'\n').map(line).collect();
    Ok(Fresh { lines, end, is_gap: false })
}

/// A file on its way from the end to the beginning.
struct Backwards {
    file: File,
    bounds: Bounds,
    begun: u64,
    /// The place of the first byte that was read.
    from: u64,
    /// What was read and not given out; its last byte is the end of a line.
    held: Vec<u8>,
    /// What comes next belongs to a line that is left out: one that has no end yet, or is too long.
    in_the_middle: bool,
    /// Where its last whole line ends, once that is known.
    end: Option<u64>,
}

enum Step {
    Line { text: String, end: u64 },
    Enough { at: u64 },
    Beginning,
}

impl Backwards {
    fn new(mut file: File, before: Option<u64>, bounds: Bounds) -> io::Result<Backwards> {
        let length = file.seek(SeekFrom::End(0))?;
        let begun = before.map_or(length, |before| before.min(length));
        Ok(Backwards { file, bounds, begun, from: begun, held: Vec::new(), in_the_middle: true, end: None })
    }

    fn step(&mut self) -> io::Result<Step> {
        // What was searched already has no end of a line but its last byte.
        let mut unsearched = self.held.len();
        loop {
            let searched = unsearched.min(self.held.len().saturating_sub(1));
            let above = self.held.get(..searched).and_then(|held| held.iter().rposition(|b| *b == b'\n'));
            let begins = above.map(|above| above + 1).or_else(|| (self.from == 0).then_some(0));
            if let Some(begins) = begins {
                if self.held.is_empty() {
                    return Ok(Step::Beginning);
                }
                if self.held.len() - begins <= self.bounds.longest {
                    return Ok(self.give(begins));
                }
                self.held.truncate(begins);
                unsearched = begins;
                continue;
            }
            if self.held.len() > self.bounds.longest {
                (self.held, self.in_the_middle) = (Vec::new(), true);
            }
            if self.begun - self.from >= self.bounds.most {
                return Ok(Step::Enough { at: self.from + self.held.len() as u64 });
            }
            unsearched = self.read()?;
        }
    }

    /// The line that begins here, without its end.
    fn give(&mut self, at: usize) -> Step {
        let end = self.from + self.held.len() as u64;
        let line = self.held.split_off(at);
        let line = line.strip_suffix(b"\n").unwrap_or(&line);
        Step::Line { text: String::from_utf8_lossy(line).into_owned(), end }
    }

    /// Puts the piece before what is held; how long it is.
    fn read(&mut self) -> io::Result<usize> {
        let to = self.from;
        self.from = to.saturating_sub(self.bounds.piece);
        let mut piece = vec![0; (to - self.from) as usize];
        self.file.seek(SeekFrom::Start(self.from))?;
        self.file.read_exact(&mut piece)?;
        if self.in_the_middle {
            let whole = piece.iter().rposition(|b| *b == b'\n');
            piece.truncate(whole.map_or(0, |end| end + 1));
            self.in_the_middle = whole.is_none();
            if let Some(end) = whole {
                self.end.get_or_insert(self.from + end as u64 + 1);
            }
        }
        let length = piece.len();
        piece.append(&mut self.held);
        self.held = piece;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{BOUNDS, Bounds, Found, MOST_FRESH, fresh, newest, newest_within};

    fn written(dir: &tempfile::TempDir, text: &str) -> PathBuf {
        let path = dir.path().join("log");
        std::fs::write(&path, text).unwrap();
        path
    }

    /// The numbers of lines that have a word.
    fn numbers(
        bounds: Bounds,
        path: &Path,
        before: Option<u64>,
        limit: usize,
        word: &str,
    ) -> (Vec<usize>, Option<u64>) {
        let number = |line: &str| line.split(' ').nth(1).and_then(|number| number.parse().ok());
        let fits = |line: &str| line.contains(word).then(|| number(line)).flatten();
        let Found { found, next, .. } = newest_within(bounds, path, before, limit, fits).unwrap();
        (found, next)
    }

    /// All of them, page by page.
    fn paged(bounds: Bounds, path: &Path, limit: usize, word: &str) -> (Vec<usize>, usize) {
        let (mut all, mut before, mut pages) = (Vec::new(), None, 0);
        loop {
            let (found, next) = numbers(bounds, path, before, limit, word);
            assert!(found.len() <= limit && (next < before || before.is_none()), "{next:?}");
            all.extend(found);
            pages += 1;
            before = next;
            if before.is_none() {
                return (all, pages);
            }
        }
    }

    #[test]
    fn a_short_log_has_more_exactly_when_it_has() {
        let dir = tempfile::tempdir().unwrap();
        assert!(newest(&dir.path().join("none"), None, 10, |_| Some(())).unwrap().found.is_empty());
        let path = written(&dir, "line 0\nodd 1\nline 2\nodd 3\nline 4\n");
        let asked = |before, limit, word| numbers(BOUNDS, &path, before, limit, word);
        let (found, next) = asked(None, 2, "line");
        assert_eq!((found.as_slice(), next.is_some()), ([4, 2].as_slice(), true));
        assert_eq!(asked(next, 2, "line"), (vec![0], None));
        assert_eq!(asked(None, 3, "line"), (vec![4, 2, 0], None), "what does not fit is nothing more");
        assert_eq!(asked(None, 5, ""), (vec![4, 3, 2, 1, 0], None));
        assert_eq!(asked(Some(1 << 40), 1, "odd 3"), (vec![3], None));
        assert_eq!(asked(Some(0), 1, ""), (vec![], None));
        assert_eq!(asked(Some(10), 5, ""), (vec![0], None), "of a line that is cut, nothing");
    }

    #[test]
    fn a_log_of_any_length_is_searched_to_its_beginning_though_it_grows_meanwhile() {
        let dir = tempfile::tempdir().unwrap();
        let text: String = (0..50_000).map(|n| format!("line {n} {}\n", "x".repeat(n % 40))).collect();
        let path = written(&dir, &text);
        let expected: Vec<usize> = (0..50_000).rev().collect();
        assert_eq!(paged(BOUNDS, &path, 60_000, "line"), (expected.clone(), 1));
        let small = Bounds { most: 60_000, piece: 1000, longest: 100 };
        assert_eq!(paged(small, &path, 7_777, "line").0, expected);
        assert_eq!(paged(small, &path, 100_000, "line").0, expected);
        let (found, pages) = paged(small, &path, 10, "line 7 ");
        assert!(found == [7] && pages > 20, "{found:?} after {pages} pages");
        // What is written between two questions is not in the second answer, and moves nothing.
        let (first, next) = numbers(small, &path, None, 3, "line");
        std::fs::write(&path, format!("{text}line 50000 x\nline 50001 x\n")).unwrap();
        assert_eq!(first, [49_999, 49_998, 49_997]);
        assert_eq!(numbers(small, &path, next, 2, "line").0, [49_996, 49_995]);
    }

    #[test]
    fn a_line_without_an_end_and_one_that_is_too_long_are_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let long = "x".repeat(5000);
        let path = written(&dir, &format!("line 0\nline 1 {long}\nline 2\nline 3 is being wri"));
        for piece in [7, 100, 100_000] {
            let bounds = Bounds { most: 300, piece, longest: 200 };
            assert_eq!(paged(bounds, &path, 10, "line").0, [2, 0], "{piece}");
        }
        let path = written(&dir, "line 0 has no end");
        assert_eq!(paged(BOUNDS, &path, 10, "line"), (vec![], 1));
    }

    #[test]
    fn what_is_written_after_a_look_is_told_once_and_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = written(&dir, "line 0\nline 1\nline 2 is being wri");
        let looked = newest(&path, None, 1, |line| Some(line.to_owned())).unwrap();
        assert_eq!((looked.found, looked.end), (vec!["line 1".to_owned()], 14));
        let told = |after| {
            let fresh = fresh(&path, after).unwrap();
            (fresh.lines, fresh.end, fresh.is_gap)
        };
        assert_eq!(told(14), (vec![], 14, false), "it is not whole yet");
        std::fs::write(&path, "line 0\nline 1\nline 2 is being written\nline 3\nli").unwrap();
        let lines = vec![("line 2 is being written".to_owned(), 38), ("line 3".to_owned(), 45)];
        assert_eq!(told(14), (lines, 45, false));
        assert_eq!(told(45), (vec![], 45, false));
        // Another file, or too much of it.
        assert_eq!(told(1000), (vec![], 1000, true));
        std::fs::write(&path, vec![b'\n'; MOST_FRESH as usize + 1]).unwrap();
        assert_eq!(told(0), (vec![], 0, true));
        std::fs::remove_file(&path).unwrap();
        assert_eq!((told(0), told(1)), ((vec![], 0, false), (vec![], 1, true)));
        assert_eq!(newest(&path, None, 1, |_| Some(())).unwrap().end, 0);
    }
}
