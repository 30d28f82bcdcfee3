//! What the keeper does when it cannot write: say why, wait, go on when there is room again. After a failed sync
//! the file is finished, and everything since the last good one is written again, to a new file.

use std::collections::VecDeque;
use std::error::Error;
use std::sync::PoisonError;
use std::time::Duration;

use annalist_frontier::{Committed, Transaction};
use annalist_warc::{WriteError, Writer};

use super::archive::Unsynced;
use super::{Archive, KeepError};
use crate::clock;
use crate::logs::Severity;

/// How long between two tries.
pub(crate) const PAUSE: Duration = Duration::from_millis(500);
/// A little wait that notices a stop.
const STEP: Duration = Duration::from_millis(50);

impl Archive {
    /// Commits to the journal when there is room.
    pub(super) fn commit_journal(&mut self, transaction: &Transaction) -> Result<Committed, KeepError> {
        let mut failures = 0;
        loop {
            match self.journal.commit(transaction) {
                Ok(committed) => {
                    self.relieved();
                    return Ok(committed);
                }
                Err(fault) => self.troubled("the journal", &fault.to_string(), &mut failures)?,
            }
        }
    }

    /// Writes records when there is room, in their order; what a failed sync takes meanwhile is written again first.
    pub(super) fn write(&mut self, records: Vec<Unsynced>) -> Result<(), KeepError> {
        let mut failures = 0;
        let mut todo = VecDeque::from(records);
        while let Some(mut next) = todo.pop_front() {
            match self.writer.append(&next.records, clock::now().millis()) {
                Ok(written) => {
                    next.written = written;
                    self.remember(next);
                }
                Err(fault @ WriteError::Spool { .. }) => {
                    self.event(Severity::Error, "keeper", &told(&fault));
                    self.forget_lost(&next);
                }
                Err(fault) => {
                    self.troubled("the archive", &told(&fault), &mut failures)?;
                    todo.push_front(next);
                    self.take_lost(&fault).into_iter().rev().for_each(|lost| todo.push_front(lost));
                }
            }
        }
        self.relieved();
        Ok(())
    }

    /// Makes everything written so far durable. `name\tlength` of each open file, a line each.
    pub(super) fn sync_archive(&mut self) -> Result<String, KeepError> {
        let positions = self.persist(Writer::sync)?;
        Ok(positions.iter().map(|p| format!("{}\t{}\n", p.file, p.end)).collect())
    }

    /// Syncs or closes, as often as it takes; what was lost on the way is written again.
    fn persist<T>(&mut self, step: impl Fn(&mut Writer) -> Result<T, WriteError>) -> Result<T, KeepError> {
        let mut failures = 0;
        loop {
            match step(&mut self.writer) {
                Ok(done) => {
                    self.relieved();
                    return Ok(done);
                }
                Err(fault) => {
                    self.troubled("the archive", &told(&fault), &mut failures)?;
                    let lost = self.take_lost(&fault);
                    self.write(lost)?;
                }
            }
        }
    }

    fn take_lost(&mut self, fault: &WriteError) -> Vec<Unsynced> {
        let is_lost = |unsynced: &mut Unsynced| unsynced.written.iter().any(|written| fault.lost(written));
        self.pending.unsynced.extract_if(.., is_lost).collect()
    }

    /// Says what is wrong and waits. The first failure is tried again at once: a failed sync is mended by a new file,
    /// not by waiting, and a crawl that is ending does not wait.
    fn troubled(&mut self, what: &str, fault: &str, failures: &mut u32) -> Result<(), KeepError> {
        let reason = format!("{what} cannot be written: {fault}");
        if !self.in_trouble {
            self.in_trouble = true;
            self.event(Severity::Error, "keeper", &reason);
        }
        self.board.update(|status| status.trouble = Some(reason.clone()));
        *failures = failures.saturating_add(1);
        if *failures == 1 { Ok(()) } else { self.wait(&reason) }
    }

    fn relieved(&mut self) {
        if self.in_trouble {
            self.in_trouble = false;
            self.board.update(|status| status.trouble = None);
            self.event(Severity::Info, "keeper", "writing goes on");
        }
    }

    fn wait(&self, reason: &str) -> Result<(), KeepError> {
        let mut left = self.pause;
        loop {
            if self.stop.is_asked() {
                return Err(KeepError::Closed(reason.to_owned()));
            }
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(STEP.min(left));
            left = left.saturating_sub(STEP);
        }
    }

    /// Closes everything in order; afterwards a restart needs no recovery.
    pub(super) fn close(&mut self) -> Result<(), KeepError> {
        self.persist(Writer::close)?;
        self.end_frontier()?;
        self.logs.flush().map_err(|e| KeepError::Closed(e.to_string()))
    }

    /// Ends the frontier well: the next start knows that nothing was asked since.
    fn end_frontier(&mut self) -> Result<(), KeepError> {
        let mut failures = 0;
        loop {
            let mut frontier = self.frontier.lock().unwrap_or_else(PoisonError::into_inner);
            let done = frontier.end(&mut self.journal);
            drop(frontier);
            match done {
                Ok(()) => {
                    self.relieved();
                    return Ok(());
                }
                Err(fault) => self.troubled("the frontier", &fault.to_string(), &mut failures)?,
            }
        }
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
