//! Which records of an archive belong to one capture: the answer first, what is known about it later, perhaps in the next file.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, Seek};
use std::path::Path;
use std::sync::Arc;

use annalist_model::CanonicalUrl;
use annalist_warc::{BlockRecord, Fields, ReadError, Span, millis_of_warc_date};

/// Blocks longer than this are read again when their turn comes, in place of being held until then.
pub(super) const LARGE_BLOCK: u64 = 1 << 20;
/// More than this is not held at a time: the others are read again, too.
const MOST_HELD: usize = 64 << 20;
/// Where nothing need be said about a capture, it waits for that behind so many others.
const MOST_WAITING: usize = 1000;
/// What is known about a capture, and what was written on it, is no longer than this.
const LONGEST_NOTE: u64 = 64 << 20;
/// The records that hold what was written on a page.
const OBJECTS: &str = "urn:objects:";

/// Where a record stands: the number of its file, its offset there, and how many records come before it in the same
/// compressed member, which have that offset, too.
pub(super) type Position = (usize, u64, u64);

/// A capture with everything the archive says about it, not read yet.
#[derive(Debug)]
pub(super) struct Raw {
    pub path: Arc<Path>,
    pub at: Position,
    /// Where its record ends.
    pub end: u64,
    pub fields: Fields,
    /// Absent where it is large.
    pub block: Option<Vec<u8>>,
    /// The fields of its metadata record.
    pub metadata: Vec<(String, String)>,
    /// What was written on it, as JSON.
    pub objects: Option<Vec<u8>>,
}

impl Raw {
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.get(name)
    }

    fn name(&self) -> Option<String> {
        self.field("WARC-Record-ID").map(name_of)
    }

    fn visit(&self) -> Option<Visit> {
        visit_of(&self.fields, target(&self.fields)?)
    }
}

/// The address of a record. Some writers put it into angle brackets.
pub(super) fn target(fields: &Fields) -> Option<&str> {
    fields.get("WARC-Target-URI").map(unbracketed)
}

/// What stands in a field, without the angle brackets.
pub(super) fn unbracketed(value: &str) -> &str {
    value.trim_matches(['<', '>'])
}

/// The name of a record, in one spelling: who copies the records of others says of them what is read from theirs.
fn name_of(id: &str) -> String {
    unbracketed(id).to_ascii_lowercase()
}

/// Whether a record is a capture. A resource of a web address is one that was kept without the exchange that brought it.
pub(super) fn is_capture(fields: &Fields) -> bool {
    let target = || target(fields).unwrap_or_default();
    match fields.get("WARC-Type").unwrap_or_default() {
        "response" | "revisit" => true,
        "resource" => is_web(target()),
        _ => false,
    }
}

/// Whether an address is one of the web.
pub(super) fn is_web(target: &str) -> bool {
    target.get(..4).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http"))
}

/// Address and time of a capture, in one spelling. Before version 1.1 records know whole seconds.
type Visit = (String, u64);

fn visit_of(fields: &Fields, url: &str) -> Option<Visit> {
    let canonical = CanonicalUrl::parse(url).map_or_else(|_| url.to_owned(), |url| url.as_str().to_owned());
    Some((canonical, millis_of_warc_date(fields.get("WARC-Date")?)?))
}

/// A capture of which everything was seen, but for what was written on it.
#[derive(Debug)]
struct Ready {
    raw: Raw,
    /// What its metadata record calls it. Who writes that names what was written alike, whatever the capture was archived as.
    visit: Option<Visit>,
}

/// Captures of which not everything was seen yet.
#[derive(Debug, Default)]
pub(super) struct Pairing {
    pending: BTreeMap<Position, Raw>,
    by_id: HashMap<String, Position>,
    by_visit: HashMap<Visit, Position>,
    /// What was written on it follows at once, if there is any.
    ready: Option<Ready>,
    /// Bytes of blocks that are held.
    held: usize,
}

impl Pairing {
    /// Where the captures stand of which not everything was seen.
    pub fn waiting(&self) -> impl Iterator<Item = Position> {
        self.pending.keys().copied().chain(self.midway())
    }

    /// Whether the last record was about a capture, so that the next may tell what was written on it. Who stops here would
    /// not find the one when reading on.
    pub fn is_midway(&self) -> bool {
        self.ready.is_some()
    }

    /// The capture of which that is true.
    pub fn midway(&self) -> Option<Position> {
        self.ready.as_ref().map(|ready| ready.raw.at)
    }

    /// Looks at a record, hands over the captures of which everything was seen, and says where the record ends.
    pub fn take<R: BufRead + Seek>(
        &mut self,
        mut record: BlockRecord<'_, R>,
        path: &Arc<Path>,
        (file, nth): (usize, u64),
        is_known: bool,
        done: &mut dyn FnMut(Raw),
    ) -> Result<Span, ReadError> {
        let is_capture = is_capture(&record.fields);
        if record.kind() != "resource" || is_capture {
            self.flush(done);
        }
        let span = match record.kind() {
            // What is said about it finds nobody, and that is right.
            _ if is_capture && is_known => record.finish()?,
            _ if is_capture => {
                // Inside a member it could not be found again without all that comes before it.
                let most = if nth == 0 { LARGE_BLOCK } else { LONGEST_NOTE };
                let is_large = record.content_length > most;
                let block = if is_large { None } else { Some(record.read_block(most)?) };
                let fields = record.fields.clone();
                let at = (file, record.offset, nth);
                let span = record.finish()?;
                self.begin(Raw {
                    path: Arc::clone(path),
                    at,
                    end: span.offset + span.length,
                    fields,
                    block,
                    metadata: Vec::new(),
                    objects: None,
                });
                span
            }
            "metadata" => {
                let block = record.read_block(LONGEST_NOTE)?;
                let visit = target(&record.fields).and_then(|url| visit_of(&record.fields, url));
                let position = self.about(&record.fields, visit.as_ref());
                let span = record.finish()?;
                if let Some(mut raw) = position.and_then(|position| self.end(position)) {
                    raw.metadata = fields_of(&block);
                    self.leave_payload_of(&raw);
                    self.ready = Some(Ready { raw, visit });
                }
                span
            }
            "resource" => {
                let page = target(&record.fields).and_then(|name| name.strip_prefix(OBJECTS));
                let visit = page.and_then(|url| visit_of(&record.fields, url));
                let ready = self.ready.as_mut().filter(|ready| visit.is_some() && ready.visit == visit);
                if let Some(ready) = ready {
                    ready.raw.objects = Some(record.read_block(LONGEST_NOTE)?);
                }
                let span = record.finish()?;
                self.flush(done);
                span
            }
            _ => record.finish()?,
        };
        Ok(span)
    }

    /// Gives up the captures of some files, and says which they were.
    pub fn forget(&mut self, is_hopeless: impl Fn(usize) -> bool) -> Vec<Position> {
        let given_up: Vec<Position> = self.pending.keys().copied().filter(|at| is_hopeless(at.0)).collect();
        given_up.iter().for_each(|at| drop(self.end(*at)));
        given_up
    }

    /// Hands over what only waited for what might have been written on it.
    pub fn flush(&mut self, done: &mut dyn FnMut(Raw)) {
        if let Some(ready) = self.ready.take() {
            done(ready.raw);
        }
    }

    /// Hands over those that have waited long enough for what might be said about them.
    pub fn flush_old(&mut self, done: &mut dyn FnMut(Raw)) {
        while (self.pending.len() > MOST_WAITING || self.held > MOST_HELD)
            && let Some(at) = self.pending.keys().next().copied()
            && let Some(raw) = self.end(at)
        {
            done(raw);
        }
    }

    /// Hands over everything, whether or not more is known about it: nobody adds to this archive.
    pub fn flush_all(&mut self, done: &mut dyn FnMut(Raw)) {
        self.flush(done);
        self.by_id.clear();
        self.by_visit.clear();
        self.held = 0;
        std::mem::take(&mut self.pending).into_values().for_each(done);
    }

    fn begin(&mut self, mut raw: Raw) {
        let length = raw.block.as_ref().map_or(0, Vec::len);
        if self.held + length > MOST_HELD && raw.at.2 == 0 {
            raw.block = None;
        } else {
            self.held += length;
        }
        if let Some(id) = raw.name() {
            self.by_id.insert(id, raw.at);
        }
        if let Some(visit) = raw.visit() {
            self.by_visit.insert(visit, raw.at);
        }
        self.pending.insert(raw.at, raw);
    }

    /// Which capture a metadata record is about. One that tells of a failure is about none.
    fn about(&self, fields: &Fields, visit: Option<&Visit>) -> Option<Position> {
        match fields.get("WARC-Concurrent-To") {
            Some(id) => self.by_id.get(&name_of(id)).copied(),
            None => self.by_visit.get(visit?).copied(),
        }
    }

    /// What a copy of a revisit says: the record behind it holds its payload and is no capture of its own.
    fn leave_payload_of(&mut self, revisit: &Raw) {
        let told = revisit.metadata.iter().find(|(name, _)| name == "payloadRecord");
        let behind = (revisit.at.0, revisit.end, 0);
        let payload = self.pending.get(&behind).and_then(Raw::name);
        if told.is_some_and(|(_, id)| payload == Some(name_of(id))) {
            self.end(behind);
        }
    }

    fn end(&mut self, position: Position) -> Option<Raw> {
        let raw = self.pending.remove(&position)?;
        self.held -= raw.block.as_ref().map_or(0, Vec::len);
        // Another copy of it may wait by now.
        if let Some(id) = raw.name()
            && self.by_id.get(&id) == Some(&position)
        {
            self.by_id.remove(&id);
        }
        if let Some(visit) = raw.visit()
            && self.by_visit.get(&visit) == Some(&position)
        {
            self.by_visit.remove(&visit);
        }
        Some(raw)
    }
}

/// The fields of an `application/warc-fields` block; the last of several lines wins nothing, all are kept.
fn fields_of(block: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(block);
    let lines = text.lines().filter_map(|line| line.split_once(": "));
    // Links are read from the page itself, with their words.
    let told = lines.filter(|(name, _)| *name != "outlink");
    told.map(|(name, value)| (name.to_owned(), value.trim().to_owned())).collect()
}
