//! The slow lane: one thread of low priority for what a huge or hostile response takes, so that it never keeps the
//! others from theirs. What is done there is done when there is time for it.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// As `nice` counts: a hundredth of a core while everybody else is busy, all of it when nobody is.
const NICENESS: i32 = 19;

/// So many large responses are in memory at once, received, packed or read; others wait where they are.
const PLACES: usize = 64;

type Job = Box<dyn FnOnce() + Send>;

/// Clones share the thread; it ends with the last of them.
#[derive(Clone, Debug)]
pub struct SlowLane {
    jobs: Sender<Job>,
    places: Arc<Semaphore>,
}

/// A place for one large response, until it is dropped.
pub(crate) type Place = OwnedSemaphorePermit;

impl SlowLane {
    pub fn start() -> io::Result<SlowLane> {
        let (jobs, inbox) = channel::<Job>();
        std::thread::Builder::new().name("slow lane".to_owned()).spawn(move || {
            yield_to_others();
            inbox.into_iter().for_each(|job| job());
        })?;
        Ok(SlowLane { jobs, places: Arc::new(Semaphore::new(PLACES)) })
    }

    /// Waits until there is a place for one more large response.
    pub(crate) async fn enter(&self) -> Option<Place> {
        // Never closed.
        Arc::clone(&self.places).acquire_owned().await.ok()
    }

    /// Does the work when its turn comes, one after the other. An error says that it panicked.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
        let (reply, done) = oneshot::channel();
        let job: Job = Box::new(move || {
            if let Ok(result) = catch_unwind(AssertUnwindSafe(work)) {
                // Whoever asked may be gone.
                let _ = reply.send(result);
            }
        });
        let failed = || io::Error::other("the work in the slow lane failed");
        self.jobs.send(job).map_err(|_| failed())?;
        done.await.map_err(|_| failed())
    }
}

/// Lowers the priority of this thread; elsewhere than on Linux that would be the whole process.
pub fn yield_to_others() {
    #[cfg(target_os = "linux")]
    if let Err(fault) = rustix::process::nice(NICENESS) {
        tracing::debug!(%fault, "the slow lane keeps its priority");
    }
}

#[cfg(test)]
mod tests {
    use super::SlowLane;

    #[tokio::test]
    async fn work_is_done_in_its_order_and_a_panic_ends_only_its_own() {
        let lane = SlowLane::start().unwrap();
        assert_eq!(lane.run(|| 1).await.unwrap(), 1);
        assert!(lane.run(|| panic!("by a parser")).await.is_err());
        let (first, second) =
            tokio::join!(lane.run(std::time::Instant::now), lane.run(std::time::Instant::now));
        assert!(first.unwrap() <= second.unwrap());
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn it_has_a_lower_priority_than_the_others() {
        let niceness = || rustix::process::nice(0).unwrap();
        let lane = SlowLane::start().unwrap();
        assert!(lane.run(niceness).await.unwrap() > niceness());
    }
}
