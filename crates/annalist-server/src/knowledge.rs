//! What crawls found, ready to be asked: search indexes and graphs stay open between questions, and are opened again when
//! they have grown. Bringing them up to their archives is in `deriving.rs`.

mod asked;
mod kept;
mod tables;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, TryLockError};
use std::time::Duration;

use annalist_crawl::job::JobDir;
use annalist_disk::RealDisk;
use annalist_knowledge::graph::Graph;
use annalist_knowledge::search::{Reader, SearchError};
use annalist_knowledge::{Mark, Needed, Places};
use axum::http::StatusCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub use asked::{Asked, SHOWN};
pub use kept::{Kept, Stamp, stamp};
pub use tables::{Row, Table};

use crate::deriving::{Freshness, Listing, listing};
use crate::problem::Problem;
use crate::service::Service;

/// Indexes and graphs that stay open.
const MOST_READERS: usize = 16;
const MOST_GRAPHS: usize = 8;
/// For blocks of one graph that were read lately.
const CACHE_BYTES: usize = 32 << 20;
/// Questions in SPARQL at once, and how long others wait for their turn.
const MOST_QUESTIONS: usize = 4;
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// What all crawls of a service found.
#[derive(Clone, Debug)]
pub struct Knowledge {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    service: Service,
    readers: Kept<Reader>,
    graphs: Kept<Graph>,
    questions: Arc<Semaphore>,
    /// Held by who opens an index before it is asked.
    readying: Mutex<()>,
}

/// A store, and how it stands to the archive.
#[derive(Debug)]
pub struct Opened<T> {
    pub store: Arc<T>,
    pub freshness: Freshness,
}

impl Knowledge {
    pub fn new(service: Service) -> Knowledge {
        let (readers, graphs) = (Kept::new(MOST_READERS), Kept::new(MOST_GRAPHS));
        let questions = Arc::new(Semaphore::new(MOST_QUESTIONS));
        let readying = Mutex::new(());
        Knowledge { shared: Arc::new(Shared { service, readers, graphs, questions, readying }) }
    }

    /// The search indexes of some crawls, to be asked together.
    pub fn search(&self, ids: &[String]) -> Result<Opened<Reader>, Problem> {
        let jobs = ids.iter().map(|id| self.shared.service.job(id)).collect::<Result<Vec<_>, _>>()?;
        let mut freshness = Freshness::Current;
        for (id, job) in ids.iter().zip(&jobs) {
            let listed = listing(job);
            if listed.is_empty() {
                return Err(Problem::conflict(format!("crawl {id:?} has captured nothing yet: start it")));
            }
            let known = self.reader(std::slice::from_ref(job)).ok();
            let mark = known.as_ref().and_then(|reader| reader.marks().next());
            let its = self.fresh(id, Needed::Search, mark, &listed);
            if its != Freshness::Current {
                freshness = its;
            }
        }
        match self.reader(&jobs) {
            Ok(store) => Ok(Opened { store, freshness }),
            Err(fault) => Err(unreadable(&freshness, &fault)),
        }
    }

    /// Opens the search index of a crawl, where there is one, and counts what all of it amounts to: who looks at a crawl may
    /// search it next, and the first question is the slowest. Nothing is read that the index does not have. One at a time:
    /// who looks twenty times must not have it opened twenty times at once.
    pub fn make_ready(&self, id: &str) {
        let _alone = match self.shared.readying.try_lock() {
            Ok(alone) => alone,
            Err(TryLockError::Poisoned(alone)) => alone.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        let Ok(job) = self.shared.service.job(id) else { return };
        // What is wrong with it is told to who asks.
        let (Ok(reader), Ok(question)) = (self.reader(&[job]), Asked::everything().question()) else {
            return;
        };
        if !reader.has_counted(&question) {
            let _ = reader.ask(&question);
        }
    }

    fn reader(&self, jobs: &[JobDir]) -> Result<Arc<Reader>, SearchError> {
        let folders: Vec<PathBuf> = jobs.iter().map(|job| Places::of(job.root()).search()).collect();
        let stamps = folders.iter().map(|folder| stamp(&folder.join("meta.json"))).collect();
        self.shared.readers.get(folders, stamps, Reader::open)
    }

    /// What is known of a crawl.
    pub fn graph(&self, id: &str) -> Result<Opened<Graph>, Problem> {
        let job = self.shared.service.job(id)?;
        let open = || {
            let folders = Places::of(job.root()).layers().to_vec();
            let stamps = folders.iter().map(|folder| stamp(&folder.join("manifest"))).collect();
            let open = |folders: &[PathBuf]| Graph::open_on(&RealDisk, folders, CACHE_BYTES);
            self.shared.graphs.get(folders, stamps, open)
        };
        let mark = |graph: &Graph| -> Option<Mark> { serde_json::from_slice(graph.marks().first()?).ok() };
        let listed = listing(&job);
        let known = open().ok();
        let mark = known.as_deref().and_then(mark);
        let freshness = match listed.is_empty() {
            true => Freshness::Current,
            false => self.fresh(id, Needed::Graph, mark.as_ref(), &listed),
        };
        let store = open().map_err(|fault| unreadable(&freshness, &fault))?;
        if mark.is_none() && matches!(freshness, Freshness::Reading | Freshness::Failed(_)) {
            return Err(unreadable(&freshness, &"nothing of it is known yet"));
        }
        Ok(Opened { store, freshness })
    }

    fn fresh(&self, id: &str, needed: Needed, mark: Option<&Mark>, listed: &Listing) -> Freshness {
        let service = &self.shared.service;
        service.deriving().refresh(service, id, needed, mark, listed)
    }

    /// What a study wrote of a crawl; nothing where there was none.
    pub fn table(&self, id: &str, name: &str) -> Result<Table, Problem> {
        Ok(Table::read(&self.study(id)?.join(name)))
    }

    /// The first rows of such a table.
    pub fn beginning(&self, id: &str, name: &str) -> Result<Table, Problem> {
        Ok(Table::beginning(&self.study(id)?.join(name)))
    }

    fn study(&self, id: &str) -> Result<PathBuf, Problem> {
        Ok(Places::of(self.shared.service.job(id)?.root()).study())
    }

    /// Leave to ask one question in SPARQL; it is given back when the permit is dropped.
    pub async fn turn(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let questions = Arc::clone(&self.shared.questions).acquire_owned();
        match tokio::time::timeout(LONGEST_WAIT, questions).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(Problem::later(5, "others are asking: ask again in a moment")),
        }
    }
}

/// Why a store cannot be asked.
fn unreadable(freshness: &Freshness, fault: &dyn std::fmt::Display) -> Problem {
    match freshness {
        Freshness::Growing => Problem::later(
            15,
            "the crawl has just begun: nothing can be asked yet; ask again in half a minute",
        ),
        Freshness::Reading => Problem::later(2, "the archive is being read: ask again in a moment"),
        Freshness::Failed(why) => {
            Problem::new(StatusCode::INTERNAL_SERVER_ERROR, format!("the archive could not be read: {why}"))
        }
        Freshness::Current => Problem::internal("what was found cannot be read", fault),
    }
}
