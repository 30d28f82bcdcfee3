//! The first walk through the archives: where every record is, and which captures are meant. Nothing is kept of a record
//! but a few numbers, so that archives of any size can be walked through; what is chosen is read again.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, Seek};
use std::ops::Range;

use annalist_model::CanonicalUrl;
use annalist_sources::is_being_written;
use annalist_warc::{
    BlockRecord, Compression, Ending, Fields, Format, Framing, Hole, HttpHead, Span, WarcFile,
};
use anyhow::{Context, Result};

use super::selection::{End, Known, Selection, Subject, digits};
use crate::watch::Watch;

/// Captures that wait for their metadata record; with more of them, the oldest are judged without.
const MOST_WAITING: usize = 100_000;
/// Enough of a metadata record: its outlinks come last, and those of what is chosen are read again.
const METADATA_BYTES: u64 = 64 << 10;
/// Resources that are about a capture: `urn:objects:http://…`.
const ATTACHED: &str = "urn:";

/// All that is remembered of a record. Texts are hashes.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub id: u64,
    /// The record it belongs to, 0 if it names none.
    pub belongs_to: u64,
    pub url: u64,
    /// Fourteen digits, 0 if it has no date.
    pub at: u64,
    /// The same, of its page; 0 if nobody knows.
    pub published: u64,
    pub offset: u64,
    pub length: u64,
    /// Negative if nobody knows.
    pub score: f32,
    /// Which record of its file it is.
    pub number: u32,
    pub kind: Kind,
    pub chosen: Chosen,
    pub is_seed: bool,
    pub is_embed: bool,
    /// Of a metadata record: whether it may name what its page shows.
    pub has_shown: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Warcinfo,
    Capture,
    Revisit,
    /// Something made or known of a capture, tied to it by address and time.
    Attached,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chosen {
    No,
    /// It is meant.
    Meant,
    /// Something that is meant needs it, or is told by it.
    Along,
}

/// A file of the archives, and which entries are its own.
#[derive(Debug)]
pub struct Surveyed {
    pub file: WarcFile,
    pub entries: Range<usize>,
    /// Whether every record is a WARC record in a gzip member of its own, so that it can be copied as it is.
    pub has_members: bool,
}

/// What a revisit refers to.
#[derive(Clone, Copy, Debug)]
pub struct Refers {
    pub revisit: usize,
    pub id: u64,
    pub url: u64,
    pub at: u64,
}

#[derive(Debug, Default)]
pub struct Survey {
    pub files: Vec<Surveyed>,
    pub entries: Vec<Entry>,
    pub refers: Vec<Refers>,
    /// What is shown on a page, and the page that shows it.
    pub embeds: Vec<(usize, u64)>,
    pub by_id: HashMap<u64, usize>,
    /// Captures whose ids no record of ours can name, by address and time: their metadata is told by these.
    pub by_moment: HashMap<(u64, u64), usize>,
    /// Records that were there already.
    pub doubles: u64,
    pub damaged: u64,
    pub waiting: Waiting,
}

/// Captures that are judged when their metadata record has come.
#[derive(Debug, Default)]
pub struct Waiting {
    queue: VecDeque<(usize, Subject)>,
    /// Which one it is, by the id of its record.
    numbers: HashMap<u64, usize>,
    /// How many have left the queue.
    passed: usize,
}

impl Survey {
    pub fn of(files: Vec<WarcFile>, selection: &Selection, watch: &Watch) -> Result<Survey> {
        let mut survey = Survey::default();
        watch.begin("looking", files.iter().map(|file| file.length).sum());
        for file in files {
            survey.walk(file, selection, watch)?;
        }
        while survey.judge_oldest(selection) {}
        Ok(survey)
    }

    fn walk(&mut self, file: WarcFile, selection: &Selection, watch: &Watch) -> Result<()> {
        let first = self.entries.len();
        let section = file.open().with_context(|| format!("{} cannot be read", file.shown()))?;
        let mut reader = section.records_at(0);
        let (mut number, mut as_ours, mut done) = (0, true, 0);
        let mut holes: Vec<Hole> = Vec::new();
        loop {
            let walked = match reader.next_record() {
                Ok(Some(mut record)) => {
                    number += 1;
                    as_ours &= record.format == Format::Warc;
                    let looked = Looked::at(&mut record);
                    record.finish().map(|span| (looked, span))
                }
                Ok(None) => break,
                Err(fault) => Err(fault),
            };
            match walked {
                Ok((looked, span)) => {
                    as_ours &= span.framing == Framing::Alone && span.ending == Ending::Regular;
                    self.take(looked, span, number - 1, selection);
                    watch.advance((span.offset + span.length).saturating_sub(done))?;
                    done = done.max(span.offset + span.length);
                }
                Err(error) => {
                    let bytes = reader.skip_broken();
                    match holes.last_mut() {
                        Some(last) if last.bytes.end >= bytes.start => last.bytes.end = bytes.end,
                        _ => holes.push(Hole { bytes, error }),
                    }
                }
            }
        }
        for hole in holes.iter().filter(|hole| !is_being_written(&file.path, hole)) {
            self.damaged += 1;
            watch.tell(&format!("{}: {hole}", file.shown()));
        }
        watch.advance(file.length.saturating_sub(done))?;
        let has_members = reader.compression() == Compression::Gzip && as_ours;
        self.files.push(Surveyed { file, entries: first..self.entries.len(), has_members });
        Ok(())
    }

    fn take(&mut self, looked: Looked, span: Span, number: u32, selection: &Selection) {
        let Looked { mut entry, refers, subject, known, is_named } = looked;
        (entry.offset, entry.length, entry.number) = (span.offset, span.length, number);
        let place = self.entries.len();
        if entry.id != 0 {
            let known = self.by_id.get(&entry.id).and_then(|place| self.entries.get(*place));
            if known.is_some_and(|known| (known.url, known.at) == (entry.url, entry.at)) {
                self.doubles += 1;
                return;
            }
            self.by_id.insert(entry.id, place);
        }
        if subject.is_some() && !is_named {
            self.by_moment.insert((entry.url, entry.at), place);
        }
        self.entries.push(entry);
        self.refers.extend(refers.map(|refers| Refers { revisit: place, ..refers }));
        if let Some(subject) = subject {
            if selection.needs_metadata() {
                self.waiting.add(entry.id, place, subject);
                if self.waiting.queue.len() > MOST_WAITING {
                    self.judge_oldest(selection);
                }
            } else if selection.holds(&subject) {
                self.choose(place);
            }
        }
        if let Some(known) = known {
            self.learn(&entry, known);
        }
    }

    /// What a metadata record says about its capture.
    fn learn(&mut self, metadata: &Entry, known: Known) {
        let place = match metadata.belongs_to {
            0 => self.by_moment.get(&(metadata.url, metadata.at)),
            id => self.by_id.get(&id),
        };
        let Some(place) = place.copied() else { return };
        let Some(entry) = self.entries.get_mut(place) else { return };
        entry.score = known.score.unwrap_or(entry.score);
        entry.published = known.published.unwrap_or(entry.published);
        (entry.is_seed, entry.is_embed) = (known.is_seed(), known.is_embed());
        let id = entry.id;
        if entry.is_embed {
            self.embeds.extend(known.via.as_deref().map(|via| (place, url_hash(via))));
        }
        if let Some(subject) = self.waiting.get_mut(id) {
            subject.known = known;
        }
    }

    fn judge_oldest(&mut self, selection: &Selection) -> bool {
        let Some((place, subject)) = self.waiting.queue.pop_front() else { return false };
        self.waiting.passed += 1;
        if let Some(entry) = self.entries.get(place) {
            self.waiting.numbers.remove(&entry.id);
        }
        if selection.holds(&subject) {
            self.choose(place);
        }
        true
    }

    fn choose(&mut self, place: usize) {
        if let Some(entry) = self.entries.get_mut(place) {
            entry.chosen = Chosen::Meant;
        }
    }
}

impl Waiting {
    fn add(&mut self, id: u64, place: usize, subject: Subject) {
        self.numbers.insert(id, self.passed + self.queue.len());
        self.queue.push_back((place, subject));
    }

    fn get_mut(&mut self, id: u64) -> Option<&mut Subject> {
        let number = self.numbers.get(&id)?.checked_sub(self.passed)?;
        self.queue.get_mut(number).map(|(_, subject)| subject)
    }
}

/// One record, before its place is known.
struct Looked {
    entry: Entry,
    refers: Option<Refers>,
    /// Of a capture.
    subject: Option<Subject>,
    /// Of a metadata record.
    known: Option<Known>,
    /// Whether its id is one that records of ours can name.
    is_named: bool,
}

impl Looked {
    fn at<R: BufRead + Seek>(record: &mut BlockRecord<'_, R>) -> Looked {
        let mut entry = entry_of(&record.fields, record.kind());
        let (mut subject, mut known) = (None, None);
        if matches!(entry.kind, Kind::Capture | Kind::Revisit) {
            subject = Some(subject_of(record, entry.at));
        } else if record.kind() == "metadata" {
            let block = record.read_block(METADATA_BYTES).unwrap_or_default();
            let text = String::from_utf8_lossy(&block);
            known = Some(Known::read(&text));
            // What was not read to its end may name more.
            entry.has_shown = block.len() as u64 >= METADATA_BYTES || shown_in(&text, true).next().is_some();
        }
        let refers = (entry.kind == Kind::Revisit).then(|| {
            let field = |name| record.fields.get(name);
            Refers {
                revisit: 0,
                id: field("WARC-Refers-To").map_or(0, hash),
                url: field("WARC-Refers-To-Target-URI").map_or(0, url_hash),
                at: field("WARC-Refers-To-Date").and_then(|at| digits(at, End::First)).unwrap_or(0),
            }
        });
        if let Some(page) = attached_to(&record.fields).filter(|_| entry.kind == Kind::Attached) {
            entry.url = url_hash(page);
        }
        let is_named = record.fields.get("WARC-Record-ID").is_some_and(|id| id.starts_with("<urn:uuid:"));
        Looked { entry, refers, subject, known, is_named }
    }
}

fn entry_of(fields: &Fields, kind: &str) -> Entry {
    let target = target(fields);
    let belongs_to = ["WARC-Concurrent-To", "WARC-Segment-Origin-ID", "WARC-Refers-To"]
        .iter()
        .find_map(|name| fields.get(name));
    Entry {
        id: fields.get("WARC-Record-ID").map_or(0, hash),
        belongs_to: belongs_to.map_or(0, hash),
        url: target.map_or(0, url_hash),
        at: fields.get("WARC-Date").and_then(|at| digits(at, End::First)).unwrap_or(0),
        published: 0,
        offset: 0,
        length: 0,
        score: -1.0,
        number: 0,
        kind: match kind {
            "warcinfo" => Kind::Warcinfo,
            "response" => Kind::Capture,
            "resource" if target.is_some_and(|target| target.starts_with("dns:")) => Kind::Other,
            "resource" if attached_to(fields).is_some() => Kind::Attached,
            "resource" => Kind::Capture,
            "revisit" => Kind::Revisit,
            "metadata" if belongs_to.is_none() => Kind::Attached,
            _ => Kind::Other,
        },
        chosen: Chosen::No,
        is_seed: false,
        is_embed: false,
        has_shown: false,
    }
}

fn subject_of<R: BufRead + Seek>(record: &mut BlockRecord<'_, R>, at: u64) -> Subject {
    let url = target(&record.fields).unwrap_or_default().to_owned();
    let own_type = record.fields.get("Content-Type").unwrap_or_default().to_owned();
    let is_http = matches!(record.kind(), "response" | "revisit");
    let head = if is_http { http_head(record) } else { None };
    let mime = match &head {
        Some(head) => head.field("Content-Type").unwrap_or_default().to_owned(),
        None if is_http => String::new(),
        None => own_type,
    };
    Subject {
        canonical: CanonicalUrl::parse(&url).ok(),
        url,
        at,
        status: head.and_then(|head| head.status.parse().ok()),
        mime: plain_mime(&mime),
        known: Known::default(),
    }
}

fn http_head<R: BufRead + Seek>(record: &mut BlockRecord<'_, R>) -> Option<HttpHead> {
    let named = record.fields.get("WARC-Identified-Payload-Type").map(str::to_owned);
    HttpHead::read_or_bare(record, named.as_deref()).ok()?.0
}

/// Lower case, without parameters.
pub fn plain_mime(text: &str) -> String {
    text.split([';', ' ', ',']).next().unwrap_or_default().to_ascii_lowercase()
}

/// The target of a record. Some writers put it into angle brackets.
pub fn target(fields: &Fields) -> Option<&str> {
    fields.get("WARC-Target-URI").map(|uri| uri.trim_matches(['<', '>']))
}

/// The address of the page that a resource was made of.
fn attached_to(fields: &Fields) -> Option<&str> {
    let target = target(fields)?.strip_prefix(ATTACHED)?;
    target.find("http").and_then(|at| target.get(at..))
}

/// What the block of a metadata record says its page shows. What is shown on another page may lead to where it really is; a
/// page of its own does not show the one it leads to.
pub fn shown_in(block: &str, is_shown: bool) -> impl Iterator<Item = &str> {
    let outlinks = block.lines().filter_map(|line| line.strip_prefix("outlink: "));
    outlinks.filter_map(move |outlink| {
        let (url, rest) = outlink.split_once(' ')?;
        match rest.split(' ').next() {
            Some("E") => Some(url),
            Some("R") if is_shown => Some(url),
            _ => None,
        }
    })
}

pub fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    // 0 stands for none.
    hasher.finish().max(1)
}

/// The same for every spelling of an address.
pub fn url_hash(url: &str) -> u64 {
    let url = url.trim_matches(['<', '>']);
    CanonicalUrl::parse(url).map_or_else(|_| hash(url), |url| hash(url.as_str()))
}
