//! Keeps the access log while the server runs. What can be read from it is in `log.rs`.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::StartError;
use crate::log::{Entry, Log};

/// The only place of this crate that reads a clock.
pub(super) struct Recorder {
    started: Instant,
    entries: Mutex<Vec<Entry>>,
    file: Option<Mutex<File>>,
    /// Requests so far per host and target, on flaky hosts.
    attempts: Mutex<HashMap<(usize, String), u64>>,
}

impl Recorder {
    pub(super) fn new(path: Option<&Path>) -> Result<Recorder, StartError> {
        let open = |path: &Path| {
            let file = OpenOptions::new().create(true).append(true).open(path);
            file.map_err(|source| StartError::LogFile { path: path.to_owned(), source })
        };
        let file = path.map(open).transpose()?.map(Mutex::new);
        let (entries, attempts) = (Mutex::default(), Mutex::default());
        Ok(Recorder { started: Instant::now(), entries, file, attempts })
    }

    pub(super) fn now_us(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    pub(super) fn record(&self, entry: Entry) {
        if let Some(file) = &self.file
            && let Ok(mut line) = serde_json::to_vec(&entry)
        {
            line.push(b'\n');
            // One write per line, so that a reader sees whole lines; a full disk must not stop the server.
            let _ = locked(file).write_all(&line);
        }
        locked(&self.entries).push(entry);
    }

    pub(super) fn log(&self) -> Log {
        Log { entries: locked(&self.entries).clone() }
    }

    pub(super) fn clear(&self) {
        locked(&self.entries).clear();
    }

    /// How often the target was asked for before.
    pub(super) fn attempt(&self, host: usize, target: &str) -> u64 {
        let mut attempts = locked(&self.attempts);
        let count = attempts.entry((host, target.to_owned())).or_default();
        *count += 1;
        *count - 1
    }
}

/// The lists stay whole whatever a thread that held them did.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
