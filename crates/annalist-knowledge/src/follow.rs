//! From the WARC files of a job to the stores that are made of them: the one way in, while a crawl runs, after it, and when they
//! are made again.
//!
//! ```text
//! walk (records) ─▶ pairing (what belongs to one capture) ─▶ reading (on all threads) ─▶ stores, in the archive's order
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use annalist_model::Canonicaliser;
use annalist_warc::OPEN_SUFFIX;

use self::pairing::Raw;
use self::reading::DocumentReader;
use self::walk::Walk;
use crate::derived::{Derived, DerivedError, Mark};
use crate::document::Document;
use crate::parallel::in_order;

mod files;
mod pairing;
mod payloads;
mod reading;
mod walk;

pub use self::payloads::{Content, Payload, payloads};

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
    /// What is said about a capture is in its file or in one of so many behind it. When these are finished and nothing was
    /// said, nothing will be: the crawl that fetched it was killed.
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
    /// Places that could not be read, in words. What the disk did not give is tried again the next time.
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
    /// How far the archive was read when they were complete; nothing where nobody could read on from there.
    mark: Option<Mark>,
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
    let walk = Mutex::new(Walk::new(extents, marks.clone(), settings.clone()));
    let reader = DocumentReader::new(settings.canonical.clone());
    let mut followed = Followed::default();
    let mut fault = None;
    let mut last = None;
    let mut since = (Instant::now(), 0);
    // What nothing can be told of, by file and reason.
    let mut lost: BTreeMap<(Arc<Path>, &str), u64> = BTreeMap::new();
    in_order(
        settings.threads,
        || {
            if watch.is_stopped() || ended.load(Ordering::Relaxed) {
                return None;
            }
            walk.lock().unwrap_or_else(PoisonError::into_inner).next_batch()
        },
        |batch: Batch<Raw>| {
            let (mut captures, mut lost) = (Vec::with_capacity(batch.captures.len()), Vec::new());
            for raw in batch.captures {
                let path = Arc::clone(&raw.path);
                match reader.read(raw) {
                    Ok(document) => captures.extend(document),
                    Err(why) => lost.push((path, why)),
                }
            }
            (Batch { captures, mark: batch.mark, bytes: batch.bytes }, lost)
        },
        |(batch, unread): (Batch<Document>, Vec<(Arc<Path>, &'static str)>)| {
            unread.into_iter().for_each(|one| *lost.entry(one).or_default() += 1);
            let count = batch.captures.len() as u64;
            let mut taken = take(&batch.captures, stores, &marks);
            since.1 += count;
            if let Some(mark) = &batch.mark
                && taken.is_ok()
                && (since.1 >= settings.commit_documents || since.0.elapsed() >= settings.commit_after)
            {
                taken = commit(stores, mark);
                since = (Instant::now(), 0);
            }
            followed.documents += count;
            watch.advance(batch.bytes, count);
            last = batch.mark;
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
        && (since.1 > 0 || marks.iter().any(|before| mark.after(before) != *before))
    {
        commit(stores, &mark)?;
    }
    if let Some((path, source)) = walk.fault {
        return Err(FollowError::Read { path: path.display().to_string(), source });
    }
    followed.is_complete = walk.is_at_end;
    followed.holes = walk.holes;
    let told = lost
        .iter()
        .map(|((path, why), count)| format!("{}: captures ({count}) are left out: {why}", path.display()));
    followed.holes.extend(told);
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
        let mark = mark.after(store.mark());
        store.commit(&mark)
    })
}
