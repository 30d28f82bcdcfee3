//! Graph and search index grow with the archive: beside a running crawl, on a thread that gives way to it, and up to date at its
//! end. Which records become what is in `annalist-knowledge`.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use annalist_disk::RealDisk;
use annalist_knowledge::{
    DerivedError, Extent, FollowError, FollowSettings, Followed, Over, Stores, Watch, follow, plain_name,
};
use annalist_model::spec::Spec;
use annalist_model::with_causes;
use annalist_sources::yield_to_others;
use annalist_warc::OPEN_SUFFIX;

use crate::job::JobDir;
use crate::keeper::WARC_NOTE;
use crate::status::Board;
use crate::stop::Stop;

/// How long what was read waits at most before it is durable: a commit costs as much as some hundred pages.
const BETWEEN_COMMITS: Duration = Duration::from_secs(30);

#[derive(Debug, thiserror::Error)]
pub enum KnowingError {
    #[error("the archive cannot be listed: {0}")]
    List(#[source] io::Error),
    #[error("the frontier cannot be read: {0}")]
    Frontier(#[from] annalist_frontier::FrontierError),
    #[error(transparent)]
    Follow(#[from] FollowError),
    #[error(transparent)]
    Store(#[from] DerivedError),
}

/// Up to where the open WARC files are durable, as the keeper acknowledges it. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Durable {
    ends: Arc<Mutex<BTreeMap<String, u64>>>,
}

impl Durable {
    /// `note`: `name\tlength` a line, as the frontier keeps it.
    pub fn of_note(note: Option<&[u8]>) -> Durable {
        let durable = Durable::default();
        durable.set(note.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default());
        durable
    }

    pub fn set(&self, note: &str) {
        let lines = note.lines().filter_map(|line| line.split_once('\t'));
        let ends = lines.filter_map(|(name, end)| Some((plain_name(Path::new(name)), end.parse().ok()?)));
        let mut held = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        // A file that was closed since may be looked at as one that is open.
        held.extend(ends);
    }

    /// The names of the files that nobody adds to.
    pub(crate) fn finished(&self, archive: &Path) -> BTreeSet<String> {
        let extents = self.extents(archive).unwrap_or_default();
        let finished = extents.iter().filter(|extent| extent.until == u64::MAX);
        finished.map(|extent| plain_name(&extent.path)).collect()
    }

    /// What may be read of a job's archive.
    pub(crate) fn extents(&self, archive: &Path) -> Result<Vec<Extent>, KnowingError> {
        let files = match std::fs::read_dir(archive) {
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            files => files.map_err(KnowingError::List)?,
        };
        let mut extents = Vec::new();
        for file in files {
            let path = file.map_err(KnowingError::List)?.path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if name.ends_with(OPEN_SUFFIX) {
                let ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
                let until = ends.get(&plain_name(&path)).copied().unwrap_or_default();
                extents.push(Extent { path, until });
            } else if annalist_warc::is_warc_name(&name) {
                extents.push(Extent::whole(path));
            }
        }
        Ok(extents)
    }
}

pub(crate) fn settings(spec: &Spec, threads: usize) -> FollowSettings {
    // A copy that an interrupted extraction left is taken over by a later run.
    let patience = if spec.extract.is_some() { usize::MAX } else { FollowSettings::default().patience };
    FollowSettings { canonical: spec.canonical.clone(), threads, patience, ..FollowSettings::default() }
}

/// Brings the stores of a job that nobody crawls up to date. The caller holds the job's lock.
pub fn catch_up(job: &JobDir, spec: &Spec, watch: &dyn Watch) -> Result<Followed, KnowingError> {
    let mut stores = Stores::open(job.root(), &spec.knowledge)?;
    let followed = catch_up_with(job, spec, &mut stores.derived(), watch)?;
    stores.close()?;
    Ok(followed)
}

/// The same for stores of the caller's.
pub fn catch_up_with(
    job: &JobDir,
    spec: &Spec,
    stores: &mut [&mut dyn annalist_knowledge::Derived],
    watch: &dyn Watch,
) -> Result<Followed, KnowingError> {
    Ok(follow(&extents_of(job)?, stores, &settings_of(job, spec), watch)?)
}

/// How the archive of a job that nobody crawls is followed.
pub fn settings_of(job: &JobDir, spec: &Spec) -> FollowSettings {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let over = if spec.extract.is_some() { Over::None } else { Over::All };
    // Nobody adds to a folder of files that others made.
    FollowSettings { over, awaits_metadata: job.exists(), ..settings(spec, threads) }
}

/// What may be read of the archive of a job that nobody crawls.
pub fn extents_of(job: &JobDir) -> Result<Vec<Extent>, KnowingError> {
    let archive = job.archive();
    let extents = Durable::default().extents(&archive)?;
    if !job.exists() {
        // Copied without what belongs to it: every whole record counts.
        return Ok(extents.into_iter().map(|extent| Extent::whole(extent.path)).collect());
    }
    // Only an interrupted crawl leaves files open; what of them counts is in its frontier.
    if extents.iter().all(|extent| extent.until > 0) {
        return Ok(extents);
    }
    let settings = annalist_frontier::Settings::default();
    let frontier = annalist_frontier::read_only(Arc::new(RealDisk), &job.frontier(), settings)?;
    Durable::of_note(frontier.note(WARC_NOTE)).extents(&archive)
}

/// The thread beside a crawl.
#[derive(Debug)]
pub struct Knowing {
    thread: JoinHandle<Result<(), KnowingError>>,
    told: Arc<Told>,
    job: JobDir,
    spec: Arc<Spec>,
}

#[derive(Debug, Default)]
pub(crate) struct Told {
    stopped: AtomicBool,
    bell: Condvar,
    asleep: Mutex<()>,
}

impl Knowing {
    /// `None` where the spec wants nothing derived. `trouble` hears why it had to give up.
    pub fn start(
        job: &JobDir,
        spec: &Arc<Spec>,
        durable: Durable,
        trouble: impl FnOnce(String) + Send + 'static,
    ) -> io::Result<Option<Knowing>> {
        if !(spec.knowledge.graph || spec.knowledge.search) {
            return Ok(None);
        }
        let told = Arc::new(Told::default());
        let before = durable.finished(&job.archive());
        let (its, dir, rules) = (Arc::clone(&told), job.clone(), Arc::clone(spec));
        let thread = std::thread::Builder::new().name("knowing".to_owned()).spawn(move || {
            yield_to_others();
            let grown = grow(&dir, &rules, &before, &durable, &its);
            if let Err(fault) = &grown {
                trouble(format!("graph and search index do not grow: {}", with_causes(fault)));
            }
            grown
        })?;
        Ok(Some(Knowing { thread, told, job: job.clone(), spec: Arc::clone(spec) }))
    }

    /// Ends the thread. The archive is finished: where there is time, what is missing is made up for.
    pub fn finish(self, has_time: bool, watch: &dyn Watch) -> Result<(), KnowingError> {
        self.told.stop();
        // A panic in there costs nothing that cannot be made again.
        let grown = self.thread.join().unwrap_or(Ok(()));
        if has_time && grown.is_ok() {
            catch_up(&self.job, &self.spec, watch)?;
        }
        grown
    }
}

impl Told {
    /// Rests, unless it is to end.
    pub(crate) fn rest(&self, long: Duration) {
        let asleep = self.asleep.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = self.bell.wait_timeout_while(asleep, long, |_: &mut ()| !self.is_stopped());
    }

    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        // Who is about to fall asleep holds the lock.
        drop(self.asleep.lock().unwrap_or_else(PoisonError::into_inner));
        self.bell.notify_all();
    }
}

impl Watch for Told {
    fn advance(&self, _: u64, _: u64) {}
    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }
}

/// Follows the archive until it is told to stop.
fn grow(
    job: &JobDir,
    spec: &Spec,
    before: &BTreeSet<String>,
    durable: &Durable,
    told: &Told,
) -> Result<(), KnowingError> {
    let mut settings = settings(spec, 1);
    // What an earlier run fetched and did not acknowledge, it fetches again.
    settings.over = if spec.extract.is_some() { Over::None } else { Over::These(before.clone()) };
    settings.commit_after = BETWEEN_COMMITS;
    let mut stores: Option<Stores> = None;
    loop {
        told.rest(spec.knowledge.every);
        if told.is_stopped() {
            return Ok(());
        }
        let extents = durable.extents(&job.archive())?;
        // Not before there is something to be known: short crawls end without.
        let stores = match &mut stores {
            Some(stores) => stores,
            None => stores.insert(Stores::open(job.root(), &spec.knowledge)?),
        };
        match follow(&extents, &mut stores.derived(), &settings, told) {
            // A file that was finished between listing and opening has another name now.
            Err(FollowError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
            followed => drop(followed?),
        }
    }
}

/// Shows on the board how far the stores are, and gives up when somebody wants an end.
#[derive(Debug)]
pub(crate) struct Shown {
    pub board: Board,
    pub stop: Stop,
    /// Where `annalist stop` leaves its wish.
    pub request: PathBuf,
    /// What is brought up to the archive.
    pub what: &'static str,
    pub documents: AtomicU64,
}

impl Watch for Shown {
    fn advance(&self, _: u64, documents: u64) {
        let done = self.documents.fetch_add(documents, Ordering::Relaxed) + documents;
        let doing = format!("{}: {done} captures since the crawl ended", self.what);
        self.board.update(|status| status.waits_for = Some(doing));
    }
    fn is_stopped(&self) -> bool {
        self.stop.is_pressed() || self.request.exists()
    }
}
