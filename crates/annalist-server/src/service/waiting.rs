//! What waits in crawls at rest. It is read from the frontier and remembered as long as that is the same: of a large crawl
//! every row has to be read.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use annalist_crawl::job::JobDir;
use annalist_crawl::queue::{files_of_queue, queue_at_rest};
use annalist_frontier::SiteQueues;

use super::Service;
use crate::knowledge::stamp;
use crate::problem::Problem;

/// The crawls that were looked at last.
pub(super) const MOST_QUEUES: usize = 16;
/// Of each; a part has 1,000 sites at most.
const MOST_PARTS: usize = 4;

/// Parts of one queue, by where they begin and how many sites they may have.
pub(super) type Parts = Mutex<HashMap<(usize, usize), SiteQueues>>;

impl Service {
    /// The sites with the most waiting links, a part of them.
    pub fn sites_that_wait(&self, id: &str, offset: usize, most: usize) -> Result<SiteQueues, Problem> {
        let job = self.job(id)?;
        match self.control(id) {
            Some(control) => Ok(control.busiest_sites(offset, most)),
            // One that was never started has none.
            None if !job.exists() => Ok(SiteQueues::default()),
            None => self.waiting_at_rest(&job, offset, most),
        }
    }

    fn waiting_at_rest(&self, job: &JobDir, offset: usize, most: usize) -> Result<SiteQueues, Problem> {
        let unreadable = |fault| Problem::internal("the queue cannot be read", &fault);
        // Before it is read: what changes meanwhile is read again.
        let files = files_of_queue(job).map_err(unreadable)?;
        let stamps = files.iter().map(|file| stamp(file)).collect();
        let none = |_: &[PathBuf]| Ok::<_, Problem>(Parts::default());
        let parts = self.shared.waiting.get(vec![job.frontier()], stamps, none)?;
        let locked = || parts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = locked().get(&(offset, most)) {
            return Ok(known.clone());
        }
        let read = queue_at_rest(job, offset, most).map_err(unreadable)?;
        let mut parts = locked();
        if parts.len() >= MOST_PARTS {
            parts.clear();
        }
        parts.insert((offset, most), read.clone());
        Ok(read)
    }
}
