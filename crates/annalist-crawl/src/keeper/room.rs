//! What the keeper does when it cannot write: say why, wait, go on when there is room again. After a failed sync
//! the file is finished, and everything since the last good one is written again, to a new file.

use std::error::Error;
use std::time::Duration;

use annalist_frontier::{Committed, Transaction};
use annalist_warc::{Record, WriteError, Written};

use super::archive::Unsynced;
use super::{Archive, KeepError};
use crate::clock;
use crate::logs::Severity;

/// How long between two tries.
const PAUSE: Duration = Duration::from_millis(500);
/// A little wait that notices a stop.
const STEP: Duration = Duration::from_millis(50);

impl Archive {
    /// Commits to the journal when there is room.
    pub(super) fn commit_journal(&mut self, transaction: &Transaction) -> Result<Committed, KeepError> {
        loop {
            match self.journal.commit(transaction) {
                Ok(committed) => {
                    self.relieved();
                    return Ok(committed);
                }
                Err(fault) => self.troubled("the journal", &fault.to_string())?,
            }
        }
    }

    /// Appends records when there is room; a full disk is waited out.
    pub(super) fn append(&mut self, records: &[Record]) -> Result<Vec<Written>, KeepError> {
        loop {
            match self.writer.append(records, clock::now().millis()) {
                Ok(written) => {
                    self.relieved();
                    return Ok(written);
                }
                Err(fault @ WriteError::Spool { .. }) => return Err(KeepError::Lost(told(&fault))),
                Err(fault) => self.overcome(&fault)?,
            }
        }
    }

    /// Makes everything written so far durable. `name\tlength` of each open file, a line each.
    pub(super) fn sync_archive(&mut self) -> Result<String, KeepError> {
        loop {
            match self.writer.sync() {
                Ok(positions) => {
                    self.relieved();
                    return Ok(positions.iter().map(|p| format!("{}\t{}\n", p.file, p.end)).collect());
                }
                Err(fault) => self.overcome(&fault)?,
            }
        }
    }

    /// Says what is wrong, waits, and writes again what a failed sync lost.
    fn overcome(&mut self, fault: &WriteError) -> Result<(), KeepError> {
        self.troubled("the archive", &told(fault))?;
        let is_lost = |unsynced: &mut Unsynced| unsynced.written.iter().any(|written| fault.lost(written));
        let lost: Vec<Unsynced> = self.pending.unsynced.extract_if(.., is_lost).collect();
        for unsynced in lost {
            self.write(unsynced.ticket, unsynced.records)?;
        }
        Ok(())
    }

    fn troubled(&mut self, what: &str, fault: &str) -> Result<(), KeepError> {
        let reason = format!("{what} cannot be written: {fault}");
        if !self.in_trouble {
            self.in_trouble = true;
            self.event(Severity::Error, "keeper", &reason);
        }
        self.board.update(|status| status.trouble = Some(reason.clone()));
        self.pause(&reason)
    }

    fn relieved(&mut self) {
        if self.in_trouble {
            self.in_trouble = false;
            self.board.update(|status| status.trouble = None);
            self.event(Severity::Info, "keeper", "writing goes on");
        }
    }

    fn pause(&self, reason: &str) -> Result<(), KeepError> {
        let mut left = PAUSE;
        while !left.is_zero() {
            if self.stop.is_asked() {
                return Err(KeepError::Closed(reason.to_owned()));
            }
            std::thread::sleep(STEP);
            left = left.saturating_sub(STEP);
        }
        Ok(())
    }

    /// Closes everything in order; afterwards a restart needs no recovery.
    pub(super) fn close(&mut self) -> Result<(), KeepError> {
        self.writer.close().map_err(|e| KeepError::Closed(e.to_string()))?;
        self.frontier().checkpoint().map_err(|e| KeepError::Closed(e.to_string()))?;
        self.logs.flush().map_err(|e| KeepError::Closed(e.to_string()))
    }

    /// Leaves the files valid, as they were at the last acknowledgement.
    pub(super) fn abandon(&mut self) -> Result<(), KeepError> {
        self.logs.flush().map_err(|e| KeepError::Closed(e.to_string()))
    }
}

/// A fault with what caused it.
fn told(fault: &WriteError) -> String {
    match fault.source() {
        Some(cause) => format!("{fault}: {cause}"),
        None => fault.to_string(),
    }
}
