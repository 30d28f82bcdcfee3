//! Takes the addresses that were handed over out of the job's queue while the crawl runs, beside the dispatcher: however
//! many there are, nobody else waits for them.

use std::sync::Arc;
use std::time::Duration;

use crate::clock;
use crate::injecting::{INJECTED_NOTE, Place, take};
use crate::job::JobDir;
use crate::logs::Severity;
use crate::stages::Stages;

/// How often the queue is looked into when it was empty.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub struct Intake {
    stages: Arc<Stages>,
    job: JobDir,
    /// One at a time: where the queue was left is in the frontier.
    taking: tokio::sync::Mutex<()>,
}

impl Intake {
    pub fn new(stages: &Arc<Stages>, job: &JobDir) -> Intake {
        Intake { stages: Arc::clone(stages), job: job.clone(), taking: tokio::sync::Mutex::default() }
    }

    /// Never ends by itself.
    pub async fn watch(&self) {
        loop {
            self.take_up().await;
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }

    /// Tells the frontier of all that is in the queue, and says whether there was anything.
    pub async fn take_up(&self) -> bool {
        let _one = self.taking.lock().await;
        let mut any = false;
        while self.take_some().await {
            any = true;
            self.stages.changed.notify_one();
        }
        any
    }

    async fn take_some(&self) -> bool {
        let keeper = &self.stages.keeper;
        let (stages, job) = (Arc::clone(&self.stages), self.job.clone());
        let taken = tokio::task::spawn_blocking(move || {
            let from = Place::of(stages.frontier().note(INJECTED_NOTE));
            take(&job, from, &stages.spec(), &stages.scope(), clock::now())
        });
        let taken = match taken.await.map_err(std::io::Error::from).and_then(|taken| taken) {
            Ok(Some(taken)) => taken,
            Ok(None) => return false,
            Err(fault) => {
                let told = format!("addresses that were handed over cannot be read: {fault}");
                keeper.event(Severity::Error, "injection", told);
                return false;
            }
        };
        if taken.unreadable > 0 {
            let told = format!("{} lines of the queue of addresses cannot be read", taken.unreadable);
            keeper.event(Severity::Warning, "injection", told);
        }
        keeper.injected(taken.changes).await.is_ok()
    }
}
