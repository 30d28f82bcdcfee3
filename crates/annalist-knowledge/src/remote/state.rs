//! How far the server was told, kept beside the other derived stores.

use std::io;
use std::path::Path;

use annalist_disk::{Disk, RealDisk};
use serde::{Deserialize, Serialize};

use crate::derived::{DerivedError, Mark};

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
    /// In the names of what has none.
    pub(super) job: String,
    #[serde(flatten)]
    pub(super) told: Told,
}

const VERSION: u32 = 1;

impl State {
    pub(super) fn open(dir: &Path, address: &str, fresh: &str) -> Result<State, DerivedError> {
        let fault = |source| DerivedError::Io { what: dir.display().to_string(), source };
        std::fs::create_dir_all(dir).map_err(fault)?;
        let new = State { version: VERSION, job: fresh.to_owned(), told: Told::default() };
        let mut state = match std::fs::read(dir.join(NAME)) {
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => new,
            read => match serde_json::from_slice::<State>(&read.map_err(fault)?) {
                Ok(state) if state.version > VERSION => {
                    let what = format!("{} was written by a newer annalist", dir.join(NAME).display());
                    return Err(DerivedError::Damaged(what));
                }
                Ok(state) => state,
                // Telling all of it again does no harm.
                Err(_) => new,
            },
        };
        if state.told.address != address {
            // Another server knows nothing yet.
            state.told = Told { address: address.to_owned(), ..Told::default() };
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
        self.write(dir)
    }

    pub(super) fn write(&self, dir: &Path) -> Result<(), DerivedError> {
        let bytes =
            serde_json::to_vec_pretty(self).map_err(|fault| DerivedError::Damaged(fault.to_string()))?;
        let fault = |source| DerivedError::Io { what: dir.join(NAME).display().to_string(), source };
        RealDisk.replace(&dir.join(NAME), &bytes).map_err(fault)
    }
}
