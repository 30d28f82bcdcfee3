//! What the crawls of one process share, so that together they ask for no more than the machine has: visits in flight,
//! reading threads and the slow lane. A crawl that runs alone has a pool of its own.

use std::io;
use std::sync::Arc;

use annalist_model::spec::Spec;
use annalist_sources::SlowLane;
use tokio::sync::Semaphore;

/// Clones share it. Places are given in the order in which they were asked for, so no crawl starves another.
#[derive(Clone, Debug)]
pub struct Pool {
    /// Visits in flight: the first of the two numbers of back-pressure.
    pub visits: Arc<Semaphore>,
    /// Reading threads: the second.
    pub reading: Arc<Semaphore>,
    /// For what would keep the others waiting.
    pub lane: SlowLane,
}

impl Pool {
    pub fn new(visits: usize, reading_threads: usize) -> io::Result<Pool> {
        Ok(Pool {
            visits: Arc::new(Semaphore::new(visits)),
            reading: Arc::new(Semaphore::new(reading_threads)),
            lane: SlowLane::start()?,
        })
    }

    /// For one crawl alone.
    pub fn of(spec: &Spec) -> io::Result<Pool> {
        Pool::new(spec.frontier.visits, spec.frontier.reading_threads)
    }
}
