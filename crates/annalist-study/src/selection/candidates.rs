//! All candidates of a job. They are made of the archive as everything that is derived from it, and kept in a file so that the
//! next time only what is new has to be read.
//!
//! A line of the file is a candidate, or a mark that everything before it is as the archive was up to there.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use annalist_knowledge::{Derived, DerivedError, Document, Mark};
use serde::{Deserialize, Serialize};

use super::candidate::{Candidate, Looker};

/// Changes with what a candidate is made of: older files are made again.
const VERSION: u32 = 3;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Version(u32),
    Candidate(Box<Candidate>),
    Mark(Mark),
}

/// Candidates in the order in which their pages were first captured.
#[derive(Debug, Default)]
pub struct Candidates {
    list: Vec<Candidate>,
    by_url: HashMap<String, usize>,
    /// Pages whose content was captured at an address of which nothing is known yet.
    unread: Vec<Candidate>,
    mark: Mark,
    looker: Looker,
    /// Where they are kept, and up to which byte.
    path: PathBuf,
    end: u64,
    waiting: Vec<Candidate>,
}

impl Candidates {
    /// Those that were kept there.
    pub fn open(path: &Path) -> io::Result<Candidates> {
        let (mut candidates, end) = match File::open(path) {
            Ok(file) => Candidates::read(BufReader::new(file))?,
            Err(e) if e.kind() == io::ErrorKind::NotFound => (Candidates::default(), 0),
            Err(e) => return Err(e),
        };
        (candidates.path, candidates.end) = (path.to_owned(), end);
        Ok(candidates)
    }

    pub fn list(&self) -> &[Candidate] {
        &self.list
    }

    pub fn get(&self, url: &str) -> Option<&Candidate> {
        self.by_url.get(url).and_then(|place| self.list.get(*place))
    }

    /// Up to the last mark; what was written behind it, or cannot be read, is made again.
    fn read(mut input: impl BufRead) -> io::Result<(Candidates, u64)> {
        let (mut candidates, mut end, mut at) = (Candidates::default(), 0, 0);
        let (mut waiting, mut line, mut is_ours) = (Vec::new(), Vec::new(), false);
        while input.read_until(b'\n', &mut line)? > 0 {
            at += line.len() as u64;
            match serde_json::from_slice(&line) {
                Ok(Line::Version(VERSION)) => is_ours = true,
                Ok(Line::Candidate(candidate)) if is_ours => waiting.push(*candidate),
                Ok(Line::Mark(mark)) if is_ours && line.ends_with(b"\n") => {
                    candidates.mark = mark;
                    candidates.put_all(waiting.drain(..));
                    end = at;
                }
                _ => break,
            }
            line.clear();
        }
        Ok((candidates, end))
    }

    fn put_all(&mut self, candidates: impl Iterator<Item = Candidate>) {
        candidates.for_each(|candidate| self.put(candidate));
        // Of some that had to wait, the other address may be known now.
        for candidate in std::mem::take(&mut self.unread) {
            self.put(candidate);
        }
    }

    fn put(&mut self, candidate: Candidate) {
        let candidate = match candidate.same_as.as_deref().map(|original| self.get(original)) {
            None => candidate,
            Some(Some(read)) => candidate.with_content_of(read),
            Some(None) => {
                self.unread.push(candidate);
                return;
            }
        };
        match self.by_url.get(&candidate.url).and_then(|place| self.list.get_mut(*place)) {
            Some(known) => *known = candidate,
            None => {
                self.by_url.insert(candidate.url.clone(), self.list.len());
                self.list.push(candidate);
            }
        }
    }

    fn write(&mut self, mark: &Mark) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(&self.path)?;
        file.set_len(self.end)?;
        file.seek(io::SeekFrom::Start(self.end))?;
        let mut out = BufWriter::new(file);
        let mut put = |line: &Line| -> io::Result<()> {
            serde_json::to_writer(&mut out, line)?;
            out.write_all(b"\n")
        };
        if self.end == 0 {
            put(&Line::Version(VERSION))?;
        }
        for candidate in &self.waiting {
            put(&Line::Candidate(Box::new(candidate.clone())))?;
        }
        put(&Line::Mark(mark.clone()))?;
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        self.end = file.metadata()?.len();
        Ok(())
    }
}

impl Derived for Candidates {
    fn mark(&self) -> &Mark {
        &self.mark
    }

    fn add(&mut self, document: &Document) -> Result<(), DerivedError> {
        self.waiting.extend(self.looker.look(document));
        Ok(())
    }

    fn commit(&mut self, mark: &Mark) -> Result<(), DerivedError> {
        let fault = |source| DerivedError::Io { what: "the candidates cannot be kept".to_owned(), source };
        self.write(mark).map_err(fault)?;
        self.mark = mark.clone();
        let waiting = std::mem::take(&mut self.waiting);
        self.put_all(waiting.into_iter());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use annalist_knowledge::{Derived, Mark};

    use super::{Candidate, Candidates};

    fn mark(at: u64) -> Mark {
        Mark { files: [("a.warc.gz".to_owned(), at)].into(), ..Mark::default() }
    }

    fn page(url: &str, words: u32) -> Candidate {
        Candidate { url: url.to_owned(), words, ..Candidate::default() }
    }

    #[test]
    fn what_was_committed_is_there_again_and_what_was_torn_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("knowledge/candidates.jsonl");
        let mut candidates = Candidates::open(&path).unwrap();
        for (at, url, words) in
            [(10, "http://a.test/", 1), (20, "http://b.test/", 2), (30, "http://a.test/", 3)]
        {
            candidates.waiting.push(page(url, words));
            candidates.commit(&mark(at)).unwrap();
        }
        let whole = std::fs::read(&path).unwrap();
        for torn in
            ["", "{\"candidate\":{\"url\":\"http://c.test/\"}}\n", "{\"candidate\":{\"ur", "{\"mark\":{}}"]
        {
            std::fs::write(&path, &whole).unwrap();
            std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(torn.as_bytes()).unwrap();
            let mut again = Candidates::open(&path).unwrap();
            assert_eq!((again.list(), again.mark()), (candidates.list(), &mark(30)), "{torn}");
            assert_eq!(again.get("http://a.test/").map(|page| page.words), Some(3), "its last capture");
            again.waiting.push(page("http://d.test/", 4));
            again.commit(&mark(40)).unwrap();
            let again = Candidates::open(&path).unwrap();
            assert_eq!((again.list().len(), again.mark()), (3, &mark(40)), "{torn}");
        }
        // What another address had first is told of as of that, whichever is known first.
        let repeated = Candidate { same_as: Some("http://e.test/".to_owned()), ..page("http://f.test/", 0) };
        let mut again = Candidates::open(&path).unwrap();
        again.waiting.push(repeated);
        again.commit(&mark(50)).unwrap();
        assert!(again.get("http://f.test/").is_none());
        let mut again = Candidates::open(&path).unwrap();
        again.waiting.push(page("http://e.test/", 5));
        again.commit(&mark(60)).unwrap();
        for candidates in [again, Candidates::open(&path).unwrap()] {
            let told = candidates.get("http://f.test/").unwrap();
            assert_eq!((told.words, told.url.as_str(), candidates.list().len()), (5, "http://f.test/", 5));
        }
        // One of another version is made again.
        std::fs::write(&path, "{\"version\":0}\n{\"mark\":{\"a.warc.gz\":9}}\n").unwrap();
        assert_eq!(Candidates::open(&path).unwrap().mark(), &Mark::default());
    }
}
