//! What was acknowledged, kept apart from everything under test, and whether frontier and archive say the same.

use std::collections::{HashMap, HashSet};
use std::io::Cursor;
use std::path::Path;

use annalist_disk::{Disk, SimDisk};
use annalist_frontier::{Frontier, State};
use annalist_model::{CanonicalUrl, Outcome};
use annalist_warc::{Reader, verify_reader};

use super::life::{ARCHIVE, INDEXES, SALT};
use super::visits::{CameTo, Fact, Got};
use crate::counters::Counters;
use crate::keeper::{Archive, Counts};
use crate::record::response_id;

#[derive(Default)]
pub(super) struct Ledger {
    /// In the order of their acknowledgement.
    sure: Vec<Fact>,
    /// Handed over, and no answer yet: all of them count, or none.
    open_group: Vec<Fact>,
    /// Begun in this life.
    begun: Vec<Fact>,
    done: HashSet<String>,
}

impl Ledger {
    pub(super) fn begun(&mut self, fact: &Fact) {
        self.begun.push(fact.clone());
    }

    pub(super) fn handed_over(&mut self, group: Vec<Fact>) {
        self.open_group = group;
    }

    pub(super) fn acknowledged(&mut self, counters: &Counters) {
        self.settle_group();
        assert_eq!(Tally::told(counters), Tally::of(&self.sure));
    }

    fn settle_group(&mut self) {
        for fact in self.open_group.drain(..) {
            if !matches!(fact.came_to, CameTo::Retry | CameTo::CapturedForNow(_)) {
                self.done.insert(fact.link.url.to_string());
            }
            self.sure.push(fact);
        }
    }

    pub(super) fn is_done(&self, url: &CanonicalUrl) -> bool {
        self.done.contains(url.as_str())
    }

    pub(super) fn captures(&self) -> usize {
        self.sure.iter().filter(|fact| fact.got().is_some()).count()
    }

    pub(super) fn visits(&self) -> usize {
        self.sure.len()
    }

    /// Everything that was acknowledged is there, and of the rest nothing counts. A group that was handed over and not
    /// answered counts as a whole from now on, or it never did.
    pub(super) fn assert_kept(&mut self, disk: &SimDisk, archive: &Archive, context: &str) {
        let told = Tally::told(&archive.counters);
        let with_group: Vec<Fact> = self.sure.iter().chain(&self.open_group).cloned().collect();
        if told == Tally::of(&with_group) {
            self.settle_group();
        }
        self.open_group.clear();
        assert_eq!(told, Tally::of(&self.sure), "{context}: the counters");
        let records = Records::read(disk, context);
        let frontier = archive.frontier();
        // Of a page that was fetched again the last outcome counts.
        let latest: HashMap<&str, usize> =
            self.sure.iter().enumerate().map(|(n, fact)| (fact.link.url.as_str(), n)).collect();
        for (number, fact) in self.sure.iter().enumerate() {
            assert_links_known(fact, &frontier, context);
            if let Some(got) = fact.got() {
                records.assert_hold(fact, got, context);
            }
            if latest.get(fact.link.url.as_str()) == Some(&number) {
                assert_outcome_known(fact, &frontier, &records, context);
            }
        }
        for fact in self.begun.drain(..).filter(|fact| !self.done.contains(fact.link.url.as_str())) {
            let known = frontier.lookup(fact.link.url.key()).unwrap();
            let done = known.is_some_and(|known| matches!(known.state, State::Done { .. }));
            assert!(!done, "{context}: {} was never acknowledged", fact.link.url);
        }
    }

    /// After a crawl that was never interrupted: no record of anything else.
    pub(super) fn assert_nothing_else(&self, disk: &SimDisk, context: &str) {
        let records = Records::read(disk, context);
        let captures = records.all.values().filter(|r| matches!(&*r.kind, "response" | "revisit")).count();
        assert_eq!(captures, self.captures(), "{context}: captures in the archive");
    }
}

fn assert_links_known(fact: &Fact, frontier: &Frontier, context: &str) {
    for url in fact.discovered.iter().chain(&fact.refused) {
        let known = frontier.lookup(url.key()).unwrap();
        assert!(known.is_some(), "{context}: {url}, found on {}, is not known", fact.link.url);
    }
}

fn assert_outcome_known(fact: &Fact, frontier: &Frontier, records: &Records, context: &str) {
    let url = &fact.link.url;
    let known = frontier.lookup(url.key()).unwrap();
    let known = known.unwrap_or_else(|| panic!("{context}: {url} is not known"));
    match (&fact.came_to, &known.state) {
        (CameTo::Captured(got), State::Done { outcome, place: Some(place), at, bytes, .. }) => {
            let record = records.of(fact, got);
            assert_eq!((&*place.file, place.offset, place.length), record.place(), "{context}: {url}");
            assert_eq!((*at, *bytes), (got.started, got.response.len() as u64), "{context}: {url}");
            let kind = if matches!(outcome, Outcome::Revisit { .. }) { "revisit" } else { "response" };
            assert_eq!(record.kind, kind, "{context}: {url}");
        }
        (CameTo::Refused | CameTo::Failed, State::Done { outcome: Outcome::Skipped { .. }, .. }) => {}
        (CameTo::Retry | CameTo::CapturedForNow(_), State::Queued { not_before: Some(_) }) => {
            assert_eq!(
                known.retries.first().map(String::as_str),
                Some("come back later"),
                "{context}: {url}"
            );
        }
        (came_to, state) => panic!("{context}: {url} came to {came_to:?}, the frontier says {state:?}"),
    }
}

/// What the counters have to say.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    captures: u64,
    pages: u64,
    bytes: u64,
    retries: u64,
    failed: u64,
    skipped: u64,
    links: u64,
}

impl Tally {
    fn of(facts: &[Fact]) -> Tally {
        let mut tally = Tally::default();
        for fact in facts {
            let got = fact.got();
            tally.captures += u64::from(got.is_some());
            let for_now = matches!(fact.came_to, CameTo::CapturedForNow(_));
            tally.pages += u64::from(got.is_some() && !for_now && fact.counts == Counts::AsPage);
            tally.bytes += got.map_or(0, |got| got.response.len() as u64);
            tally.retries += u64::from(matches!(fact.came_to, CameTo::Retry | CameTo::CapturedForNow(_)));
            tally.failed += u64::from(matches!(fact.came_to, CameTo::Failed));
            tally.skipped += u64::from(matches!(fact.came_to, CameTo::Refused)) + fact.refused.len() as u64;
            tally.links += fact.discovered.len() as u64;
        }
        tally
    }

    fn told(counters: &Counters) -> Tally {
        assert_eq!(counters.captures, counters.responses + counters.revisits);
        let &Counters { captures, pages, bytes, retries, failed, links, .. } = counters;
        Tally { captures, pages, bytes, retries, failed, skipped: counters.skipped_in_all(), links }
    }
}

/// The archive, record by record.
struct Records {
    /// By record id.
    all: HashMap<String, Stored>,
    /// Kinds of the records that say they belong to another, by that one's id.
    beside: HashMap<String, Vec<String>>,
}

struct Stored {
    file: String,
    offset: u64,
    length: u64,
    kind: String,
    url: String,
    date: String,
    digest: String,
    refers_to: Option<[String; 3]>,
    block: Vec<u8>,
}

impl Stored {
    fn place(&self) -> (&str, u64, u64) {
        (&self.file, self.offset, self.length)
    }
}

impl Records {
    /// Reads all files. Each is closed, indexed and clean, and no id is there twice.
    fn read(disk: &SimDisk, context: &str) -> Records {
        let mut records = Records { all: HashMap::new(), beside: HashMap::new() };
        let mut together = Vec::new();
        for name in disk.list(Path::new(ARCHIVE)).unwrap() {
            assert!(name.ends_with(".warc.gz"), "{context}: {name} is still there");
            let index = Path::new(INDEXES).join(name.replace(".warc.gz", ".cdxj"));
            assert!(disk.read(&index).is_ok(), "{context}: {name} has no index");
            let bytes = disk.read(&Path::new(ARCHIVE).join(&name)).unwrap();
            let report = verify_reader(Cursor::new(bytes.as_slice()));
            assert!(report.is_clean(), "{context}: {name}: {:?}", report.problems);
            records.add(&name, &bytes, context);
            together.extend(bytes);
        }
        if !together.is_empty() {
            let report = verify_reader(Cursor::new(together.as_slice()));
            assert!(report.is_clean(), "{context}: {:?}", report.problems);
            assert_eq!(report.unresolved, 0, "{context}: references lead out of the archive");
        }
        for stored in records.all.values() {
            records.assert_refers_to_a_response(stored, context);
        }
        records
    }

    fn add(&mut self, file: &str, bytes: &[u8], context: &str) {
        let mut reader = Reader::new(Cursor::new(bytes));
        while let Some(mut record) = reader.next_record().unwrap() {
            let field = |name: &str| record.fields.get(name).unwrap_or_default().to_owned();
            let id = field("WARC-Record-ID");
            let kind = field("WARC-Type");
            for other in record.fields.all("WARC-Concurrent-To") {
                self.beside.entry(other.to_owned()).or_default().push(kind.clone());
            }
            let (url, date, digest) =
                (field("WARC-Target-URI"), field("WARC-Date"), field("WARC-Payload-Digest"));
            let refers_to = (kind == "revisit")
                .then(|| ["WARC-Refers-To", "WARC-Refers-To-Target-URI", "WARC-Refers-To-Date"].map(field));
            let block = record.read_block(u64::MAX).unwrap();
            let span = record.finish().unwrap();
            let (offset, length) = (span.offset, span.length);
            let file = file.to_owned();
            let stored = Stored { file, offset, length, kind, url, date, digest, refers_to, block };
            assert!(self.all.insert(id.clone(), stored).is_none(), "{context}: {id} is there twice");
        }
    }

    fn assert_refers_to_a_response(&self, stored: &Stored, context: &str) {
        let Some([id, url, date]) = &stored.refers_to else { return };
        let original = self.all.get(id);
        let original = original.unwrap_or_else(|| panic!("{context}: {} revisits nothing", stored.url));
        assert_eq!(original.kind, "response", "{context}: {}", stored.url);
        let said = (url, date, &stored.digest);
        assert_eq!(said, (&original.url, &original.date, &original.digest), "{context}: {}", stored.url);
    }

    fn of(&self, fact: &Fact, got: &Got) -> &Stored {
        let id = response_id(SALT, fact.link.url.as_str(), got.started, &got.digest).to_string();
        self.all.get(&id).unwrap_or_else(|| panic!("{} has no record", fact.link.url))
    }

    /// The capture, its request and its metadata.
    fn assert_hold(&self, fact: &Fact, got: &Got, context: &str) {
        let url = fact.link.url.as_str();
        let id = response_id(SALT, url, got.started, &got.digest).to_string();
        let stored = self.all.get(&id).unwrap_or_else(|| panic!("{context}: {url} has no record"));
        assert_eq!((&*stored.url, &stored.digest), (url, &got.digest), "{context}");
        let whole = stored.block == got.response;
        assert!(whole || stored.kind == "revisit", "{context}: {url} has other bytes");
        let mut beside = self.beside.get(&id).cloned().unwrap_or_default();
        beside.sort();
        assert_eq!(beside, ["metadata", "request"], "{context}: what belongs to {url}");
    }
}
