//! What somebody wants a crawl to do, kept in its job directory: after a restart, a kill included, the service goes on
//! from here. How far the crawl itself got is in its own state.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use annalist_crawl::job::JobDir;
use annalist_disk::{Disk, RealDisk};
use annalist_model::Time;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::problem::Problem;
use crate::schedule::due;

/// What a crawl is to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Goal {
    /// Nothing, until somebody starts it.
    #[default]
    Rest,
    Run,
    /// Keep still, ready to go on.
    Pause,
}

/// Forms say minutes and clocks differ: a start that was to be so long ago is one now.
const JUST_NOW: Duration = Duration::from_secs(60);

/// When a crawl is started by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// The next start, RFC 3339.
    pub next: String,
    /// Seconds between starts; once, where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every_seconds: Option<u64>,
}

impl Schedule {
    /// Itself, where it can be kept to. One that began in the past goes on with its next start.
    pub fn checked(self, now: Time) -> Result<Schedule, Problem> {
        let Some(next) = Time::from_rfc3339(&self.next) else {
            return Err(Problem::field("next", "give a moment such as 2026-11-16T08:00:00Z"));
        };
        if self.every_seconds == Some(0) {
            return Err(Problem::field("every_seconds", "give at least 1"));
        }
        if now.since(next) <= JUST_NOW {
            return Ok(self);
        }
        let why = "this is in the past: give a moment to come, or start the crawl now";
        due(&self, now).flatten().ok_or_else(|| Problem::field("next", why))
    }
}

/// Kept in `state/service.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Wanted {
    pub goal: Goal,
    pub schedule: Option<Schedule>,
    /// The next start visits the seeds once more: its time had come.
    pub again: bool,
    /// Why the last start came to nothing.
    pub failed: Option<String>,
}

impl Wanted {
    fn path(job: &Path) -> PathBuf {
        job.join("state/service.json")
    }

    /// Nothing is wanted of a job that the service never had to do with.
    pub fn load(job: &Path) -> io::Result<Wanted> {
        match std::fs::read(Wanted::path(job)) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(io::Error::other),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Wanted::default()),
            Err(e) => Err(e),
        }
    }

    /// Durable when it returns: what somebody was told is so after a power cut.
    pub fn keep(&self, job: &Path) -> io::Result<()> {
        JobDir::new(job).make(&job.join("state"))?;
        RealDisk.replace(&Wanted::path(job), &serde_json::to_vec_pretty(self)?)
    }
}

#[cfg(test)]
mod tests {
    use super::{Goal, Schedule, Wanted};

    #[test]
    fn what_is_wanted_is_read_back_and_damage_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let gone = dir.path().join("gone");
        assert!(Wanted::default().keep(&gone).is_err() && !gone.exists(), "of a crawl that was removed");
        assert_eq!(Wanted::load(dir.path()).unwrap(), Wanted::default());
        let schedule = Schedule { next: "2026-11-16T00:00:00Z".to_owned(), every_seconds: Some(60) };
        let wanted =
            Wanted { goal: Goal::Pause, schedule: Some(schedule), again: true, failed: Some("x".to_owned()) };
        wanted.keep(dir.path()).unwrap();
        assert_eq!(Wanted::load(dir.path()).unwrap(), wanted);
        std::fs::write(dir.path().join("state/service.json"), "{").unwrap();
        assert!(Wanted::load(dir.path()).is_err());
    }
}
