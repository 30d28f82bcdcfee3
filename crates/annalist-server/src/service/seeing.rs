//! How crawls stand, for people and programs: those that run, those at rest, and those that something is wrong with, which
//! keep nobody from seeing the others.

use annalist_crawl::engine::status_of;
use annalist_crawl::job::JobDir;
use annalist_crawl::status::Status;
use annalist_model::with_causes;

use super::Service;
use crate::knowledge::{Stamp, stamp};
use crate::problem::Problem;
use crate::wanted::Wanted;

/// The state of a crawl that cannot be read, or not be started, before somebody repairs it.
const DAMAGED: &str = "damaged";

/// A crawl as people see it.
#[derive(Clone, Debug)]
pub struct Seen {
    pub id: String,
    pub status: Status,
    pub is_running: bool,
    pub wanted: Wanted,
    /// What has to end before it can be started, where it is to be.
    pub awaits: Option<String>,
}

/// A spec as it was, and what was wrong with it.
pub(super) type Examined = (Stamp, Option<String>);

impl Service {
    /// All crawls, in the order of their names.
    pub fn all(&self) -> Result<Vec<Seen>, Problem> {
        let ids = self.ids().map_err(|fault| Problem::internal("the root cannot be read", &fault))?;
        // What is removed meanwhile is not there.
        Ok(ids.iter().filter_map(|id| self.see(id).ok()).collect())
    }

    /// One crawl as it stands; an error only where there is none.
    pub fn see(&self, id: &str) -> Result<Seen, Problem> {
        let job = self.job(id)?;
        let mut wanted = Wanted::load(job.root()).unwrap_or_else(|fault| Wanted {
            failed: Some(format!("state/service.json cannot be read: {fault}")),
            ..Wanted::default()
        });
        let id = id.to_owned();
        if let Some(running) = self.running().get(&id).cloned() {
            return Ok(Seen { id, status: running.board.read(), is_running: true, wanted, awaits: None });
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
        Ok(Seen { id, status, is_running: false, wanted, awaits })
    }

    /// What keeps a spec from being used. It is read again when it has changed.
    fn mistake_in_spec(&self, id: &str, job: &JobDir) -> Option<String> {
        let now = stamp(&job.spec());
        let known = self.examined().get(id).filter(|(then, _)| *then == now).cloned();
        if let Some((_, mistake)) = known {
            return mistake;
        }
        let mistake = match self.shared.program.kept(job.root()) {
            Err(fault) => Some(format!("spec.toml cannot be read: {fault}")),
            Ok(examined) => {
                let first = examined.mistakes.first().map_or_else(String::new, ToString::to_string);
                examined.spec.is_none().then(|| format!("spec.toml cannot be used: {first}"))
            }
        };
        self.examined().insert(id.to_owned(), (now, mistake.clone()));
        mistake
    }

    /// The spec of a crawl as text: where it cannot be used, as it stands in its file, so that it can be repaired.
    pub fn spec_text(&self, id: &str) -> Result<String, Problem> {
        let job = self.job(id)?;
        if let Ok(spec) = self.spec(id) {
            return Ok(spec.to_toml());
        }
        let bytes = std::fs::read(job.spec());
        let bytes = bytes.map_err(|fault| Problem::internal("the spec cannot be read", &fault))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
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
    // A kill leaves the words of a crawl that ran.
    if matches!(status.state.as_str(), "running" | "waiting" | "paused" | "finishing" | "starting") {
        let holder = job.holder().ok().flatten();
        status.state = if holder.is_some() { "elsewhere" } else { "interrupted" }.to_owned();
    }
    status.visits_in_flight = 0;
    Ok(status)
}
