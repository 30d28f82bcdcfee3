//! How crawls stand, for people and programs: those that run, those at rest, and those that something is wrong with, which
//! keep nobody from seeing the others.

use std::time::{Duration, Instant};

use annalist_crawl::engine::status_of;
use annalist_crawl::job::JobDir;
use annalist_crawl::status::Status;
use annalist_model::with_causes;

use super::Service;
use crate::problem::Problem;
use crate::wanted::Wanted;

/// The state of a crawl that cannot be read, or not be started, before somebody repairs it.
const DAMAGED: &str = "damaged";
/// That of one that ends.
pub const FINISHING: &str = "finishing";
/// That of one that is being opened.
const STARTING: &str = "starting";
/// After a kill, exact counts are waited for when somebody looks; those of a very large crawl come later.
const LONGEST_COUNTING: Duration = Duration::from_secs(2);

/// A crawl as people see it.
#[derive(Clone, Debug)]
pub struct Seen {
    pub id: String,
    /// What its spec calls it; its id where the spec cannot be read.
    pub name: String,
    pub status: Status,
    pub is_running: bool,
    pub wanted: Wanted,
    /// What has to end before it can be started, where it is to be.
    pub awaits: Option<String>,
}

/// A limit that is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    Pages(u64),
    Bytes(u64),
}

impl Service {
    /// All crawls, in the order of their names.
    pub fn all(&self) -> Result<Vec<Seen>, Problem> {
        let until = Instant::now() + LONGEST_COUNTING;
        let ids = self.ids().map_err(|fault| Problem::internal("the root cannot be read", &fault))?;
        // What is removed meanwhile is not there.
        Ok(ids.iter().filter_map(|id| self.see_by(id, until).ok()).collect())
    }

    /// The limit of its spec that keeps a crawl at rest from fetching anything more; time counts anew with each run.
    pub fn reached(&self, seen: &Seen) -> Option<Reached> {
        let limits = &self.spec(&seen.id).ok().filter(|_| !seen.is_running)?.limits;
        let counters = &seen.status.counters;
        let pages = limits.pages.filter(|most| counters.pages >= *most).map(Reached::Pages);
        pages.or_else(|| limits.size_bytes.filter(|most| counters.bytes >= *most).map(Reached::Bytes))
    }

    /// One crawl as it stands; an error only where there is none.
    pub fn see(&self, id: &str) -> Result<Seen, Problem> {
        self.see_by(id, Instant::now() + LONGEST_COUNTING)
    }

    /// `until`: how long to wait for exact counts.
    fn see_by(&self, id: &str, until: Instant) -> Result<Seen, Problem> {
        let job = self.job(id)?;
        let mut wanted = Wanted::load(job.root()).unwrap_or_else(|fault| Wanted {
            failed: Some(format!("state/service.json cannot be read: {fault}")),
            ..Wanted::default()
        });
        // Before the lock below is taken, which this needs as well.
        let name = self.name_of(id, &job);
        let id = id.to_owned();
        if let Some(running) = self.running().get(&id).cloned() {
            let mut status = running.board.read();
            // Counts that were seen before a kill are not to be seen going back.
            while status.is_behind && status.state == STARTING && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(5));
                status = running.board.read();
            }
            // A stop is seen at once, not when the crawl has heard it.
            if running.stop.is_asked() && status.state != FINISHING {
                (status.state, status.waits_for) = (FINISHING.to_owned(), None);
            }
            return Ok(Seen { id, name, status, is_running: true, wanted, awaits: None });
        }
        let found = resting(&job);
        let damage = found.as_ref().err().cloned().or_else(|| self.mistake_in_spec(&id, &job));
        let mut status = found.unwrap_or_default();
        if let Some(why) = damage {
            // It may have been removed just now.
            self.job(&id)?;
            (status.state, wanted.failed) = (DAMAGED.to_owned(), Some(why));
        }
        let awaits = self.awaiting().get(&id).map(|awaiting| awaiting.obstacle.waited_for());
        Ok(Seen { id, name, status, is_running: false, wanted, awaits })
    }
}

/// What a crawl had come to, to be seen while it is opened.
pub(super) fn before_start(job: &JobDir) -> Status {
    let kept = Status::load(&job.status()).ok().flatten();
    let is_behind = kept.as_ref().map_or(job.exists(), |kept| was_under_way(&kept.state));
    let state = STARTING.to_owned();
    Status { state, is_behind, visits_in_flight: 0, waits_for: None, ..kept.unwrap_or_default() }
}

/// The words of a crawl that runs, which a kill leaves in its file.
fn was_under_way(state: &str) -> bool {
    matches!(state, "running" | "waiting" | "paused" | FINISHING | STARTING)
}

/// What was acknowledged since the file was written last is in the frontier; it is kept, and not looked for twice.
fn interrupted(job: &JobDir, status: Status) -> Status {
    let exact = status_of(job).map(|(exact, _)| exact);
    let status = Status { state: "interrupted".to_owned(), ..exact.unwrap_or(status) };
    let _ = status.write(&job.status());
    status
}

/// A crawl that does not run here; it may run in another process. The error is for people.
fn resting(job: &JobDir) -> Result<Status, String> {
    if !job.exists() {
        return Ok(Status { state: "new".to_owned(), ..Status::default() });
    }
    let Some(mut status) = Status::load(&job.status()).ok().flatten() else {
        let told = status_of(job).map(|(status, _)| status);
        return told.map_err(|fault| format!("its state cannot be read: {}", with_causes(&fault)));
    };
    if was_under_way(&status.state) {
        status.state = "elsewhere".to_owned();
        if job.holder().ok().flatten().is_none() {
            status = interrupted(job, status);
        }
    }
    status.visits_in_flight = 0;
    Ok(status)
}
