//! Takes the addresses that were handed over out of the job's queue while the crawl runs, beside the dispatcher: however
//! many there are, nobody else waits for them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crate::clock;
use crate::injecting::{INJECTED_NOTE, Place, Taken, take, tidy};
use crate::job::JobDir;
use crate::logs::Severity;
use crate::stages::Stages;

/// How often the queue is looked into when it was empty.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);
/// So many pieces of it are with the keeper, who has visits to acknowledge, too, while the next is read.
const AHEAD: usize = 8;

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

    /// Tells the frontier of all that is in the queue, and says whether there was anything. While the keeper has some of it in
    /// hand, what follows is read.
    pub async fn take_up(&self) -> bool {
        let _one = self.taking.lock().await;
        let before = Place::of(self.stages.frontier().note(INJECTED_NOTE));
        let (mut place, mut handed_over) = (before, VecDeque::new());
        while let Some(taken) = self.take_some(place).await {
            place = taken.to;
            handed_over.push_back((self.stages.keeper.injected(taken.changes), taken.barred));
            let first = if handed_over.len() < AHEAD { None } else { handed_over.pop_front() };
            if let Some((done, barred)) = first {
                if done.await.is_err() {
                    // The keeper has ended: what he did not take is taken by the next run.
                    return true;
                }
                self.stages.barred.forget(&barred);
            }
            self.stages.changed.notify_one();
        }
        for (done, barred) in handed_over {
            if done.await.is_err() {
                return true;
            }
            self.stages.barred.forget(&barred);
        }
        if place == before {
            return false;
        }
        tidy(&self.job, place);
        self.stages.changed.notify_one();
        true
    }

    async fn take_some(&self, from: Place) -> Option<Taken> {
        let keeper = &self.stages.keeper;
        let (stages, job) = (Arc::clone(&self.stages), self.job.clone());
        let taken = tokio::task::spawn_blocking(move || take(&job, from, &stages.spec(), clock::now()));
        let taken = match taken.await.map_err(std::io::Error::from).and_then(|taken| taken) {
            Ok(taken) => taken?,
            Err(fault) => {
                let told = format!("addresses that were handed over cannot be read: {fault}");
                keeper.event(Severity::Error, "injection", told);
                return None;
            }
        };
        if taken.unreadable > 0 {
            let told = format!("{} lines of the queue of addresses cannot be read", taken.unreadable);
            keeper.event(Severity::Warning, "injection", told);
        }
        Some(taken)
    }
}
