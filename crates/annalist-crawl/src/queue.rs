//! What waits in a job that is not crawled at the moment. A running crawl tells it itself (`control.rs`).

use std::path::PathBuf;
use std::sync::Arc;

use annalist_disk::RealDisk;
use annalist_frontier::{Settings, SiteQueues};

use crate::engine::CrawlError;
use crate::job::JobDir;

/// The sites with the most waiting links, a part of them. Goes over all there is.
pub fn queue_at_rest(job: &JobDir, offset: usize, most: usize) -> Result<SiteQueues, CrawlError> {
    let frontier = annalist_frontier::read_only(Arc::new(RealDisk), &job.frontier(), Settings::default())?;
    Ok(frontier.all_sites_that_wait(offset, most)?)
}

/// As long as these files are the same, and no other of them is there, so is the queue.
pub fn files_of_queue(job: &JobDir) -> Result<Vec<PathBuf>, CrawlError> {
    Ok(annalist_frontier::files_that_tell_changes(&RealDisk, &job.frontier())?)
}
