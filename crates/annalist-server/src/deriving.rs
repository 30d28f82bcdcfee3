//! Graphs and search indexes of crawls at rest are brought up to their archives: in the background, once at a time for each,
//! and given up as soon as the crawl is started. While a crawl runs, it does that itself.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use annalist_crawl::job::JobDir;
use annalist_knowledge::{Mark, Needed, plain_name};

use crate::service::Service;

/// What failed is tried again after this.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long who asks waits for an archive that is being read, before what is there is asked.
const A_MOMENT: Duration = Duration::from_millis(1500);

/// The WARC files of an archive and how long they are.
pub type Listing = Vec<(String, u64)>;

#[derive(Debug, Default)]
pub struct Deriving {
    works: Mutex<HashMap<(String, Needed), Work>>,
    changed: Condvar,
}

#[derive(Debug)]
enum Work {
    UnderWay(Arc<AtomicBool>),
    /// What was there when it began.
    Done(Listing),
    Failed(Instant, String),
}

/// How what is asked stands to the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Freshness {
    Current,
    /// The crawl runs: what it found in the last half minute may be missing.
    Growing,
    /// The archive is being read: something may be missing.
    Reading,
    /// It could not be read.
    Failed(String),
}

impl Freshness {
    /// For programs.
    pub fn word(&self) -> &'static str {
        match self {
            Freshness::Current => "current",
            Freshness::Growing => "growing",
            Freshness::Reading => "reading",
            Freshness::Failed(_) => "failed",
        }
    }
}

/// What there is to be read.
pub fn listing(job: &JobDir) -> Listing {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(job.archive()).into_iter().flatten().flatten() {
        let name = plain_name(Path::new(&entry.file_name()));
        if let (true, Ok(file)) = (name.contains(".warc") || name.contains(".arc"), entry.metadata()) {
            files.push((name, file.len()));
        }
    }
    files.sort();
    files
}

/// Whether a store has followed an archive to its end.
fn covers(mark: &Mark, listing: &Listing) -> bool {
    listing.iter().all(|(name, length)| mark.of(name) >= *length)
}

impl Deriving {
    /// How a store that has followed its archive up to `mark` (nowhere, where there is none) stands to what is there. Sees to it
    /// that it is brought up to that, and waits a moment for it.
    pub fn refresh(
        &self,
        service: &Service,
        id: &str,
        needed: Needed,
        mark: Option<&Mark>,
        listing: &Listing,
    ) -> Freshness {
        let key = (id.to_owned(), needed);
        let mut works = self.works();
        // A crawl that is started is known as running before it asks for the way, as is one that is removed: one of the two
        // sees the other.
        if service.is_running(id) || service.is_being_removed(id) {
            return Freshness::Growing;
        }
        if mark.is_some_and(|mark| covers(mark, listing)) {
            return Freshness::Current;
        }
        match works.get(&key) {
            Some(Work::UnderWay(_)) => {}
            // What cannot be read of an archive is not tried again and again.
            Some(Work::Done(read)) if read == listing && mark.is_some() => return Freshness::Current,
            Some(Work::Failed(when, why)) if when.elapsed() < PATIENCE => {
                return Freshness::Failed(why.clone());
            }
            _ => {
                let stop = Arc::new(AtomicBool::new(false));
                works.insert(key.clone(), Work::UnderWay(Arc::clone(&stop)));
                if let Err(fault) = begin(service, &key, listing.clone(), stop) {
                    works.remove(&key);
                    return Freshness::Failed(format!("no thread to read the archive: {fault}"));
                }
            }
        }
        let is_under_way = |works: &mut HashMap<_, _>| matches!(works.get(&key), Some(Work::UnderWay(_)));
        let waited = self.changed.wait_timeout_while(works, A_MOMENT, is_under_way);
        let (works, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match works.get(&key) {
            Some(Work::Done(_)) => Freshness::Current,
            Some(Work::Failed(_, why)) => Freshness::Failed(why.clone()),
            _ => Freshness::Reading,
        }
    }

    /// Ends the work on a crawl's stores, and waits for that.
    pub fn give_way(&self, id: &str) {
        let mut works = self.works();
        loop {
            let mut busy = false;
            for ((of, _), work) in works.iter() {
                if let (true, Work::UnderWay(stop)) = (of == id, work) {
                    stop.store(true, Ordering::Relaxed);
                    busy = true;
                }
            }
            if !busy {
                works.retain(|(of, _), _| of != id);
                return;
            }
            works = self.changed.wait(works).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub fn stop_all(&self) {
        for work in self.works().values() {
            if let Work::UnderWay(stop) = work {
                stop.store(true, Ordering::Relaxed);
            }
        }
    }

    fn works(&self) -> MutexGuard<'_, HashMap<(String, Needed), Work>> {
        self.works.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, key: &(String, Needed), work: Option<Work>) {
        let mut works = self.works();
        match work {
            Some(work) => works.insert(key.clone(), work),
            None => works.remove(key),
        };
        self.changed.notify_all();
    }
}

fn begin(
    service: &Service,
    key: &(String, Needed),
    listing: Listing,
    stop: Arc<AtomicBool>,
) -> std::io::Result<()> {
    let (service, key) = (service.clone(), key.clone());
    let work = move || {
        // However it ends, nobody waits for ever.
        let mut ending = Ending { service, key, work: None };
        let Ok(job) = ending.service.job(&ending.key.0) else { return };
        let derived = ending.service.program().derive(job.root(), ending.key.1, Arc::clone(&stop));
        ending.work = match derived {
            _ if stop.load(Ordering::Relaxed) => None,
            Ok(()) => Some(Work::Done(listing)),
            Err(why) => Some(Work::Failed(Instant::now(), why)),
        };
    };
    std::thread::Builder::new().name("deriving".to_owned()).spawn(work).map(drop)
}

struct Ending {
    service: Service,
    key: (String, Needed),
    work: Option<Work>,
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.service.deriving().end(&self.key, self.work.take());
    }
}
