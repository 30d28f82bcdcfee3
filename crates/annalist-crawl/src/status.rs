//! How a crawl stands: published while it runs, kept in `state/status.json`, and reported at its end.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::counters::Counters;

/// A status file is at least this long.
const LEAST_BYTES: usize = 8 << 10;

/// How often the file is written while a crawl runs.
const BETWEEN_FILES: Duration = Duration::from_secs(1);

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
    /// The counts are those of an older file: what was acknowledged since is not known yet.
    #[serde(skip)]
    pub is_behind: bool,
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

/// Keeps `status.json` as fresh as people who ask need it, until this is dropped. The truth is in the journal.
#[derive(Debug)]
pub struct Fresh {
    is_over: Arc<Mutex<bool>>,
}

impl Fresh {
    /// Has to be called in a runtime.
    pub fn begin(board: &Board, path: PathBuf) -> Fresh {
        let is_over = Arc::new(Mutex::new(false));
        let (over, board) = (Arc::clone(&is_over), board.clone());
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(BETWEEN_FILES).await;
                let over = over.lock().unwrap_or_else(PoisonError::into_inner);
                if *over {
                    break;
                }
                let _ = board.read().write(&path);
            }
        });
        Fresh { is_over }
    }
}

impl Drop for Fresh {
    /// Waits for a write that is under way: who comes next has the last word.
    fn drop(&mut self) {
        *self.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }
}

impl Status {
    /// Written beside and renamed, so that a reader never sees half of it. On a full disk, where there is no room
    /// beside, the old file is written over: that is when people ask.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let mut bytes = serde_json::to_vec_pretty(self)?;
        // Room to grow: what is longer than the old file could not be written over it.
        bytes.resize(bytes.len().next_multiple_of(LEAST_BYTES), b' ');
        let fresh = path.with_extension("new");
        let beside = std::fs::write(&fresh, &bytes).and_then(|()| std::fs::rename(&fresh, path));
        if beside.is_err() {
            std::fs::OpenOptions::new().write(true).open(path)?.write_all(&bytes)?;
        }
        Ok(())
    }

    pub fn load(path: &Path) -> io::Result<Option<Status>> {
        match std::fs::read(path) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Status;

    #[test]
    fn a_status_is_read_back_and_can_be_written_over_when_there_is_no_room_beside() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("status.json");
        Status { queued: 1, ..Status::default() }.write(&path).unwrap();
        // A folder in the way of the fresh file stands for a disk without room for it.
        std::fs::create_dir(path.with_extension("new")).unwrap();
        Status { queued: 2, ..Status::default() }.write(&path).unwrap();
        assert_eq!(Status::load(&path).unwrap().unwrap().queued, 2);
    }
}
