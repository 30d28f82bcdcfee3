//! How far the server was told, kept beside the other derived stores.

use std::io;
use std::path::Path;

use annalist_disk::{Disk, RealDisk};
use serde::{Deserialize, Serialize};

use crate::derived::{DerivedError, Mark};
use crate::graph::Layer;

const NAME: &str = "state.json";
/// The layer of statements of studies and imports that the server may have.
pub(super) const SENT: &str = "sent";

/// What is told of a store elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// Its address, without any secret.
    pub address: String,
    /// Up to where the archive was told.
    pub mark: Mark,
    pub captures: u64,
    pub statements: u64,
    /// Statements that the server did not take, or that could not be said: `refused.jsonl` has them.
    pub refused: u64,
    /// Why it could not be told the last time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

impl Told {
    /// How a job's store elsewhere stands; nothing where there is none yet.
    pub fn read(dir: &Path) -> io::Result<Option<Told>> {
        match std::fs::read(dir.join(NAME)) {
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => Ok(None),
            read => Ok(serde_json::from_slice::<State>(&read?).ok().map(|state| state.told)),
        }
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct State {
    version: u32,
    /// What the job is called at the server.
    job: String,
    /// The server has nothing of this job but what it was told since.
    pub(super) is_cleared: bool,
    /// What is in `sent` counts.
    pub(super) has_sent: bool,
    #[serde(flatten)]
    pub(super) told: Told,
}

/// The first one told jobs in graphs that they shared.
const VERSION: u32 = 2;

impl State {
    pub(super) fn open(dir: &Path, address: &str, job: &str) -> Result<State, DerivedError> {
        let fault = |source| DerivedError::Io { what: dir.display().to_string(), source };
        std::fs::create_dir_all(dir).map_err(fault)?;
        let new = || State { version: VERSION, job: job.to_owned(), ..State::default() };
        let mut state = match std::fs::read(dir.join(NAME)) {
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => new(),
            read => match serde_json::from_slice::<State>(&read.map_err(fault)?) {
                Ok(state) if state.version > VERSION => {
                    let what = format!("{} was written by a newer annalist", dir.join(NAME).display());
                    return Err(DerivedError::Damaged(what));
                }
                Ok(state) if state.version == VERSION && state.job == job => state,
                Ok(_) | Err(_) => new(),
            },
        };
        let is_lost = || Layer::mark_of(&RealDisk, &dir.join(SENT)).map_or(true, |mark| mark.is_empty());
        if state.told.address != address || state.has_sent && is_lost() {
            // Nobody knows what this server has: it may be one that was told before.
            state.told.address = address.to_owned();
            state.forget(dir)?;
        }
        Ok(state)
    }

    pub(super) fn forget(&mut self, dir: &Path) -> Result<(), DerivedError> {
        let sent = dir.join(SENT);
        match std::fs::remove_dir_all(&sent) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(DerivedError::Io { what: sent.display().to_string(), source });
            }
            _ => {}
        }
        self.told = Told { address: std::mem::take(&mut self.told.address), ..Told::default() };
        (self.is_cleared, self.has_sent) = (false, false);
        self.write(dir)
    }

    pub(super) fn write(&self, dir: &Path) -> Result<(), DerivedError> {
        let bytes =
            serde_json::to_vec_pretty(self).map_err(|fault| DerivedError::Damaged(fault.to_string()))?;
        let fault = |source| DerivedError::Io { what: dir.join(NAME).display().to_string(), source };
        RealDisk.replace(&dir.join(NAME), &bytes).map_err(fault)
    }
}
