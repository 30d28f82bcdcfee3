//! All candidates of a job. They are made of the archive as everything that is derived from it, and kept in a file so that the
//! next time only what is new has to be read.
//!
//! A line of the file is a candidate, something about frames, or a mark that everything before it is as the archive was up to there.
//! What a page shows in a frame comes along with that page; it is a candidate where some page leads to it, too.

use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use annalist_knowledge::{Derived, DerivedError, Document, Mark};
use annalist_model::LinkKind;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::candidate::{Candidate, Looker};

/// Changes with what a candidate is made of: older files are made again.
const VERSION: u32 = 3;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Version(u32),
    Candidate(Box<Candidate>),
    /// The hash of an address that a page shows in a frame.
    Framed(u64),
    /// Of one of these, to which another page leads.
    Linked(u64),
    Mark(Mark),
}

/// Candidates in the order in which their pages were first captured.
#[derive(Debug, Default)]
pub struct Candidates {
    list: Vec<Candidate>,
    by_url: HashMap<String, usize>,
    /// Pages whose content was captured at an address of which nothing is known yet.
    unread: Vec<Candidate>,
    /// What others show and nobody leads to, by the hashes of the addresses.
    shown: HashMap<u64, Candidate>,
    framed: HashSet<u64>,
    linked: HashSet<u64>,
    mark: Mark,
    looker: Looker,
    /// Where they are kept, and up to which byte.
    path: PathBuf,
    end: u64,
    waiting: Vec<Line>,
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
                Ok(line @ (Line::Candidate(_) | Line::Framed(_) | Line::Linked(_))) if is_ours => {
                    waiting.push(line);
                }
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

    fn put_all(&mut self, lines: impl Iterator<Item = Line>) {
        for line in lines {
            match line {
                Line::Candidate(page) if page.is_shown() && !self.is_page(&page.url) => {
                    self.shown.insert(key(&page.url), *page);
                }
                Line::Candidate(page) => self.put(*page),
                Line::Framed(page) => {
                    self.framed.insert(page);
                }
                Line::Linked(page) => {
                    self.linked.insert(page);
                    if let Some(page) = self.shown.remove(&page) {
                        self.put(page);
                    }
                }
                Line::Version(_) | Line::Mark(_) => {}
            }
        }
        // Of some that had to wait, the other address may be known now.
        for candidate in std::mem::take(&mut self.unread) {
            self.put(candidate);
        }
    }

    /// Whether it is known as one that some page leads to.
    fn is_page(&self, url: &str) -> bool {
        self.by_url.contains_key(url) || self.linked.contains(&key(url))
    }

    /// What a page says of frames, its own and others'.
    fn note_frames(&mut self, document: &Document) {
        for link in document.links.iter().filter(|link| link.kind == LinkKind::Frame) {
            let page = key(link.url.as_str());
            if self.framed.insert(page) {
                self.waiting.push(Line::Framed(page));
            }
        }
        if self.framed.is_empty() {
            return;
        }
        let is_led_to = |kind: LinkKind| matches!(kind, LinkKind::Anchor | LinkKind::Area);
        for link in document.links.iter().filter(|link| is_led_to(link.kind) && link.url != document.url) {
            let page = key(link.url.as_str());
            if self.framed.contains(&page) && self.linked.insert(page) {
                self.waiting.push(Line::Linked(page));
            }
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
        self.waiting.iter().try_for_each(&mut put)?;
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
        self.note_frames(document);
        let page = self.looker.look(document);
        self.waiting.extend(page.map(|page| Line::Candidate(Box::new(page))));
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

fn key(url: &str) -> u64 {
    xxh3_64(url.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::path::Path;

    use annalist_knowledge::{Derived, Document, Mark};
    use annalist_model::{CanonicalUrl, FoundLink, LinkKind, Time};

    use super::{Candidate, Candidates, Line};

    fn mark(at: u64) -> Mark {
        Mark { files: [("a.warc.gz".to_owned(), at)].into(), ..Mark::default() }
    }

    fn page(url: &str, words: u32) -> Candidate {
        Candidate { url: url.to_owned(), words, ..Candidate::default() }
    }

    fn line(candidate: Candidate) -> Line {
        Line::Candidate(Box::new(candidate))
    }

    fn url(name: &str) -> CanonicalUrl {
        CanonicalUrl::parse(&format!("http://a.test/{name}")).unwrap()
    }

    fn document(name: &str, hops: &str, links: &[(&str, LinkKind)]) -> Document {
        let link = |(name, kind): &(&str, LinkKind)| FoundLink {
            url: url(name),
            kind: *kind,
            anchor: String::new(),
            context: String::new(),
            at: 0..0,
            nofollow: false,
        };
        Document {
            record: format!("urn:x:{name}"),
            file: "a.warc.gz".to_owned(),
            offset: 0,
            url: url(name),
            captured: Time::from_millis(0),
            status: 200,
            mime: "text/html".to_owned(),
            length: 9,
            digest: None,
            original: None,
            via: None,
            hops: hops.to_owned(),
            relevance: None,
            published: None,
            language: None,
            title: None,
            text: "Some words.".to_owned(),
            parts: Vec::new(),
            links: links.iter().map(link).collect(),
            canonical: None,
            application: None,
            level: None,
            objects: Vec::new(),
        }
    }

    /// The names of the candidates, the file written after each document and read again.
    fn candidates(path: &Path, documents: &[Document]) -> Vec<String> {
        for (at, document) in (1..).zip(documents) {
            let mut candidates = Candidates::open(path).unwrap();
            candidates.add(document).unwrap();
            candidates.commit(&mark(at)).unwrap();
        }
        let kept = Candidates::open(path).unwrap();
        let name = |page: &Candidate| page.url.trim_start_matches("http://a.test/").to_owned();
        kept.list().iter().map(name).collect()
    }

    #[test]
    fn what_is_shown_in_a_frame_is_a_candidate_where_some_page_leads_to_it_too() {
        let frames = [("framed", LinkKind::Frame), ("advert", LinkKind::Frame)];
        let front = document("front", "", &frames);
        let framed = document("framed", "E", &[("framed", LinkKind::Anchor)]);
        let advert = document("advert", "E", &[]);
        let news = document("news", "L", &[("framed", LinkKind::Anchor)]);
        let dir = tempfile::tempdir().unwrap();
        let of = |name: &str, documents: &[&Document]| {
            let documents: Vec<Document> = documents.iter().map(|one| (*one).clone()).collect();
            candidates(&dir.path().join(name), &documents)
        };
        assert_eq!(
            of("alone", &[&front, &framed, &advert]),
            ["front"],
            "what leads to itself is led to by nobody"
        );
        assert_eq!(of("later", &[&front, &framed, &advert, &news]), ["front", "framed", "news"]);
        assert_eq!(of("before", &[&front, &news, &framed, &advert]), ["front", "news", "framed"]);
        let both = document("front", "", &[frames[0], ("framed", LinkKind::Anchor)]);
        assert_eq!(of("both", &[&both, &framed]), ["front", "framed"]);
    }

    #[test]
    fn what_was_committed_is_there_again_and_what_was_torn_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("knowledge/candidates.jsonl");
        let mut candidates = Candidates::open(&path).unwrap();
        for (at, url, words) in
            [(10, "http://a.test/", 1), (20, "http://b.test/", 2), (30, "http://a.test/", 3)]
        {
            candidates.waiting.push(line(page(url, words)));
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
            again.waiting.push(line(page("http://d.test/", 4)));
            again.commit(&mark(40)).unwrap();
            let again = Candidates::open(&path).unwrap();
            assert_eq!((again.list().len(), again.mark()), (3, &mark(40)), "{torn}");
        }
        // What another address had first is told of as of that, whichever is known first.
        let repeated = Candidate { same_as: Some("http://e.test/".to_owned()), ..page("http://f.test/", 0) };
        let mut again = Candidates::open(&path).unwrap();
        again.waiting.push(line(repeated));
        again.commit(&mark(50)).unwrap();
        assert!(again.get("http://f.test/").is_none());
        let mut again = Candidates::open(&path).unwrap();
        again.waiting.push(line(page("http://e.test/", 5)));
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
