//! From the WARC files of a job to the stores that are made of them: the one way in, while a crawl runs, after it, and when they
//! are made again.
//!
//! ```text
//! records ─▶ pairing (what belongs to one capture) ─▶ reading (on all threads) ─▶ stores, in the archive's order
//! ```

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use annalist_model::Canonicaliser;
use annalist_warc::{OPEN_SUFFIX, Reader};

use self::pairing::{Pairing, Position, Raw};
use self::reading::DocumentReader;
use crate::derived::{Derived, DerivedError, Mark};
use crate::document::Document;
use crate::parallel::in_order;

mod pairing;
mod payloads;
mod reading;

pub use self::payloads::{Payload, payloads};

/// What is handed to a thread at once: so many captures, or so many bytes of them.
const BATCH: usize = 32;
const BATCH_BYTES: usize = 2 << 20;

/// A WARC file, and how much of it may be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    pub path: PathBuf,
    /// Up to this byte it is durable; of a finished file, to its end.
    pub until: u64,
}

impl Extent {
    pub fn whole(path: impl Into<PathBuf>) -> Extent {
        Extent { path: path.into(), until: u64::MAX }
    }
}

/// The name under which a file is known to marks and documents, whether or not it is finished.
pub fn plain_name(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.strip_suffix(OPEN_SUFFIX).map(str::to_owned).unwrap_or(name)
}

/// Which files nobody adds to, and about which nobody says more.
#[derive(Clone, Debug, Default)]
pub enum Over {
    #[default]
    None,
    These(BTreeSet<String>),
    All,
}

impl Over {
    fn has(&self, name: &str) -> bool {
        match self {
            Over::None => false,
            Over::These(names) => names.contains(name),
            Over::All => true,
        }
    }
}

/// How an archive is followed.
#[derive(Clone, Debug)]
pub struct FollowSettings {
    /// How addresses were spelled in the crawl.
    pub canonical: Canonicaliser,
    /// How many threads read pages.
    pub threads: usize,
    /// Whether captures about which nothing is known belong to nobody yet (a crawl's own archive), or are documents all the
    /// same (anybody's).
    pub awaits_metadata: bool,
    /// When so many files behind a capture's are finished and nothing was said about it, nothing will be: the crawl that
    /// fetched it was killed.
    pub patience: usize,
    /// Files of which nothing more will be said anywhere: whoever wrote them has ended.
    pub over: Over,
    /// How many documents, and how long, between two commits.
    pub commit_documents: u64,
    pub commit_after: Duration,
}

impl Default for FollowSettings {
    fn default() -> Self {
        FollowSettings {
            canonical: Canonicaliser::default(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            awaits_metadata: true,
            patience: 1,
            over: Over::None,
            commit_documents: 50_000,
            commit_after: Duration::from_secs(60),
        }
    }
}

/// Who looks on, and may end it.
pub trait Watch: Sync {
    /// So many more bytes of the archive were read, and so many documents are in.
    fn advance(&self, bytes: u64, documents: u64);
    fn is_stopped(&self) -> bool;
}

/// Nobody looks on.
impl Watch for () {
    fn advance(&self, _: u64, _: u64) {}
    fn is_stopped(&self) -> bool {
        false
    }
}

/// What following brought.
#[derive(Debug, Default)]
pub struct Followed {
    pub documents: u64,
    /// Places that could not be read, in words.
    pub holes: Vec<String>,
    /// Whether everything that may be read is in the stores.
    pub is_complete: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    #[error("{path}")]
    Read { path: String, source: io::Error },
    #[error(transparent)]
    Store(#[from] DerivedError),
}

/// Some captures on their way to the stores.
struct Batch<T> {
    captures: Vec<T>,
    /// How far the archive was read when they were complete.
    mark: Mark,
    bytes: u64,
}

/// Brings the stores up to the archive. Files are read in the order of their names.
pub fn follow(
    extents: &[Extent],
    stores: &mut [&mut dyn Derived],
    settings: &FollowSettings,
    watch: &dyn Watch,
) -> Result<Followed, FollowError> {
    let mut extents = extents.to_vec();
    extents.sort_by_key(|extent| plain_name(&extent.path));
    let marks: Vec<Mark> = stores.iter().map(|store| store.mark().clone()).collect();
    let ended = AtomicBool::new(false);
    let walk = Mutex::new(Walk::new(extents, marks.clone(), settings));
    let reader = DocumentReader::new(settings.canonical.clone());
    let mut followed = Followed::default();
    let mut fault = None;
    let mut last = None;
    let mut since = (Instant::now(), 0);
    in_order(
        settings.threads,
        || {
            if watch.is_stopped() || ended.load(Ordering::Relaxed) {
                return None;
            }
            walk.lock().unwrap_or_else(PoisonError::into_inner).next_batch()
        },
        |batch: Batch<Raw>| Batch {
            captures: batch.captures.into_iter().filter_map(|raw| reader.read(raw)).collect::<Vec<_>>(),
            mark: batch.mark,
            bytes: batch.bytes,
        },
        |batch: Batch<Document>| {
            let count = batch.captures.len() as u64;
            let mut taken = take(&batch.captures, stores, &marks);
            since.1 += count;
            if taken.is_ok()
                && (since.1 >= settings.commit_documents || since.0.elapsed() >= settings.commit_after)
            {
                taken = commit(stores, &batch.mark);
                since = (Instant::now(), 0);
            }
            followed.documents += count;
            watch.advance(batch.bytes, count);
            last = Some(batch.mark);
            fault = taken.err();
            ended.store(fault.is_some(), Ordering::Relaxed);
            fault.is_none()
        },
    );
    if let Some(fault) = fault {
        return Err(fault.into());
    }
    let walk = walk.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(mark) = last
        && (since.1 > 0 || marks.iter().any(|before| mark.or(before) != *before))
    {
        commit(stores, &mark)?;
    }
    if let Some((path, source)) = walk.fault {
        return Err(FollowError::Read { path: path.display().to_string(), source });
    }
    followed.is_complete = walk.is_at_end;
    followed.holes = walk.holes;
    Ok(followed)
}

fn take(documents: &[Document], stores: &mut [&mut dyn Derived], marks: &[Mark]) -> Result<(), DerivedError> {
    for document in documents {
        for (store, mark) in stores.iter_mut().zip(marks) {
            // Another store may be behind this one.
            if !mark.has(&document.file, document.offset) {
                store.add(document)?;
            }
        }
    }
    Ok(())
}

fn commit(stores: &mut [&mut dyn Derived], mark: &Mark) -> Result<(), DerivedError> {
    stores.iter_mut().try_for_each(|store| {
        let mark = mark.or(store.mark());
        store.commit(&mark)
    })
}

/// What every store has.
fn common(marks: &[Mark]) -> Mark {
    let Some((first, others)) = marks.split_first() else { return Mark::default() };
    let least = |(file, offset): (&String, &u64)| {
        (file.clone(), others.iter().map(|mark| mark.of(file)).fold(*offset, u64::min))
    };
    Mark { files: first.files.iter().map(least).collect(), ..Mark::default() }
}

/// The way through the files.
struct Walk {
    extents: Vec<Extent>,
    /// Where it began.
    before: Mark,
    /// What each store has.
    marks: Vec<Mark>,
    /// Captures that were handed over, or that every store has, and that the mark has not reached.
    taken: BTreeSet<Position>,
    /// Which file is next.
    next: usize,
    open: Option<Opened>,
    /// Up to where the file that is open was read.
    at: u64,
    pairing: Pairing,
    awaits_metadata: bool,
    patience: usize,
    over: Over,
    holes: Vec<String>,
    is_at_end: bool,
    fault: Option<(PathBuf, io::Error)>,
}

impl Walk {
    fn new(extents: Vec<Extent>, marks: Vec<Mark>, settings: &FollowSettings) -> Walk {
        Walk {
            extents,
            before: common(&marks),
            marks,
            taken: BTreeSet::new(),
            next: 0,
            open: None,
            at: 0,
            pairing: Pairing::default(),
            awaits_metadata: settings.awaits_metadata,
            patience: settings.patience,
            over: settings.over.clone(),
            holes: Vec::new(),
            is_at_end: false,
            fault: None,
        }
    }

    /// The next captures of which everything was seen. The last batch may be empty: it carries the mark.
    fn next_batch(&mut self) -> Option<Batch<Raw>> {
        if self.is_at_end || self.fault.is_some() {
            return None;
        }
        let mut captures: Vec<Raw> = Vec::new();
        let (mut held, mut bytes) = (0, 0);
        while captures.len() < BATCH && held < BATCH_BYTES {
            let before = self.at;
            let taken = &mut self.taken;
            let mut done = |raw: Raw| {
                held += raw.block.as_ref().map_or(0, Vec::len);
                taken.insert(raw.at);
                captures.push(raw);
            };
            match &mut self.open {
                Some(open) => {
                    let end = (self.at < open.until)
                        .then(|| open.step(&self.marks, &mut self.pairing, &mut self.holes, &mut done));
                    match end.flatten() {
                        Some(end) => {
                            self.at = self.at.max(end);
                            if !self.awaits_metadata {
                                self.pairing.flush_old(&mut done);
                            }
                        }
                        None => {
                            self.open = None;
                            self.give_up();
                        }
                    }
                    bytes += self.at.saturating_sub(before);
                }
                None => match self.extents.get(self.next) {
                    Some(extent) => {
                        let name = plain_name(&extent.path);
                        self.at = self.before.of(&name);
                        let (file, until) = (self.next, extent.until);
                        self.next += 1;
                        match Reader::open_at(&extent.path, self.at) {
                            Ok(reader) => {
                                let path = Arc::from(extent.path.as_path());
                                self.open = Some(Opened { path, name, reader, file, until });
                            }
                            Err(fault) => {
                                self.fault = Some((extent.path.clone(), fault));
                                return None;
                            }
                        }
                    }
                    None => {
                        if self.awaits_metadata {
                            self.pairing.flush(&mut done);
                        } else {
                            self.pairing.flush_all(&mut done);
                        }
                        self.is_at_end = true;
                        break;
                    }
                },
            }
        }
        Some(Batch { captures, mark: self.mark(), bytes })
    }

    /// Of captures that lie far enough behind, nothing more will be heard.
    fn give_up(&mut self) {
        if !self.awaits_metadata {
            return;
        }
        let is_finished = |extent: &Extent| extent.until == u64::MAX;
        let read = || self.extents.iter().take(self.next);
        let finished = read().take_while(|extent| is_finished(extent)).count();
        let over = read().take_while(|extent| self.over.has(&plain_name(&extent.path))).count();
        self.pairing.forget_before(finished.saturating_sub(self.patience).max(over));
    }

    /// Up to where everything is in captures that were handed over. Files behind one that is not finished stay where they
    /// were: what belongs to its captures may be in them.
    fn mark(&mut self) -> Mark {
        let mut mark = self.before.clone();
        let pending: Option<Position> = self.pairing.first_pending();
        for (number, extent) in self.extents.iter().enumerate().take(self.next) {
            let name = plain_name(&extent.path);
            let read = if number + 1 == self.next { self.at } else { self.ends_at(number) };
            let (reached, is_last) = match pending {
                Some((file, offset)) if file == number => (offset, true),
                Some((file, _)) if file < number => break,
                _ => (read, false),
            };
            let new = mark.files.entry(name).or_default();
            *new = reached.max(*new);
            if is_last {
                break;
            }
        }
        let names: Vec<String> = self.extents.iter().map(|extent| plain_name(&extent.path)).collect();
        self.taken.retain(|(file, offset)| names.get(*file).is_some_and(|name| *offset >= mark.of(name)));
        for (file, offset) in &self.taken {
            names.get(*file).into_iter().for_each(|name| mark.note(name, *offset));
        }
        mark
    }

    fn ends_at(&self, number: usize) -> u64 {
        let Some(extent) = self.extents.get(number) else { return 0 };
        let length = std::fs::metadata(&extent.path).map_or(0, |file| file.len());
        length.min(extent.until)
    }
}

/// A file on the way.
struct Opened {
    path: Arc<Path>,
    name: String,
    reader: Reader<io::BufReader<std::fs::File>>,
    /// Its number among the files, and how much of it may be read.
    file: usize,
    until: u64,
}

impl Opened {
    /// Takes one record, and says where it ends; nothing at the end of what may be read.
    fn step(
        &mut self,
        marks: &[Mark],
        pairing: &mut Pairing,
        holes: &mut Vec<String>,
        done: &mut dyn FnMut(Raw),
    ) -> Option<u64> {
        let name = &self.name;
        let is_known = |offset: u64| !marks.is_empty() && marks.iter().all(|mark| mark.has(name, offset));
        let taken = match self.reader.next_record() {
            Ok(Some(record)) if record.offset >= self.until => return None,
            Ok(Some(record)) => pairing.take(record, &self.path, self.file, &is_known, done),
            Ok(None) => return None,
            Err(error) => Err(error),
        };
        taken.map(Some).unwrap_or_else(|error| {
            let bytes = self.reader.skip_broken();
            let (shown, fault) = (self.path.display(), &error.fault);
            holes.push(format!("{shown}: bytes {} to {} are lost: {fault}", bytes.start, bytes.end));
            (bytes.end > bytes.start).then_some(bytes.end)
        })
    }
}
