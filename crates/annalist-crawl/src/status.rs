//! How a crawl stands: published while it runs, kept in `state/status.json`, and reported at its end.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::counters::Counters;

/// A crawl at one moment. Counts are of acknowledged work only.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Status {
    /// `running`, `finishing`, `waiting`, or how it ended.
    pub state: String,
    /// What it waits for, when it waits.
    pub waits_for: Option<String>,
    /// Why nothing can be written at the moment.
    pub trouble: Option<String>,
    pub counters: Counters,
    pub queued: u64,
    pub sites: u64,
    pub visits_in_flight: u64,
    pub pages_per_second: f64,
    /// The last page that was kept.
    pub last_url: Option<String>,
    pub started: String,
    pub updated: String,
}

/// Where the running crawl publishes its status; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Board {
    status: Arc<Mutex<Status>>,
}

impl Board {
    pub fn read(&self) -> Status {
        self.status.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn update(&self, change: impl FnOnce(&mut Status)) {
        change(&mut self.status.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Status {
    /// Written beside and renamed, so that a reader never sees half of it.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let fresh = path.with_extension("new");
        std::fs::write(&fresh, serde_json::to_vec_pretty(self)?)?;
        std::fs::rename(fresh, path)
    }

    pub fn load(path: &Path) -> io::Result<Option<Status>> {
        match std::fs::read(path) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e),
        }
    }
}
