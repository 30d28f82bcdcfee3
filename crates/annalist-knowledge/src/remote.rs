//! A store elsewhere that is told what the graph says: any SPARQL 1.1 server.
//!
//! ```text
//! documents behind the mark ─▶ wording ─▶ batches ─▶ sending ─▶ the server
//! studies and imports, what differs from `sent` ─┘
//! ```
//!
//! What the server has not yet been told waits in the archive: its statements are made again, so a server that is away
//! costs no room. Statements of studies and imports are in no archive: `sent` is a layer of those that the server may
//! have. Not here: how requests travel (whoever implements [`Carrier`]), and when to send.

mod layers;
mod sending;
mod state;
#[cfg(test)]
mod tests;
mod wording;

use std::path::{Path, PathBuf};

use annalist_model::spec::RemoteRules;

use self::sending::Sending;
use self::state::State;
use self::wording::{Said, Wording};
use crate::derived::{Derived, DerivedError, Mark};
use crate::document::Document;
use crate::statements::statements;

pub use self::sending::{Answer, Carrier, Fault, Request};
pub use self::state::Told;

/// What is done to statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Insert,
    Delete,
}

/// The store elsewhere, as it is told. There must be no other who tells it of the same job.
pub struct Remote<'a> {
    dir: PathBuf,
    state: State,
    sending: Sending<'a>,
    wording: Wording,
    batch: Vec<Said>,
    batch_bytes: usize,
    /// Captures since the last commit.
    added: u64,
}

/// So many bytes are sent at once at most, however few statements they are.
const BATCH_BYTES: usize = 1 << 20;

impl<'a> Remote<'a> {
    /// `dir` is where it is kept how far the server was told; `fresh` a name for this job if it has none yet.
    pub fn open(
        dir: &Path,
        rules: &RemoteRules,
        carrier: &'a mut dyn Carrier,
        fresh: &str,
    ) -> Result<Remote<'a>, DerivedError> {
        let state = State::open(dir, rules.address(), fresh)?;
        Ok(Remote {
            dir: dir.to_owned(),
            wording: Wording::of(&state.job),
            state,
            sending: Sending::new(rules.clone(), carrier, dir),
            batch: Vec::new(),
            batch_bytes: 0,
            added: 0,
        })
    }

    /// How far the server was told.
    pub fn told(&self) -> &Told {
        &self.state.told
    }

    /// The server has lost what it had: everything is told again.
    pub fn forget(&mut self) -> Result<(), DerivedError> {
        self.state.forget(&self.dir)
    }

    /// Why the server could not be told, for who asks later; nothing when all is well.
    pub fn note(&mut self, trouble: Option<String>) -> Result<(), DerivedError> {
        if self.state.told.trouble == trouble {
            return Ok(());
        }
        self.state.told.trouble = trouble;
        self.state.write(&self.dir)
    }

    /// Takes up a statement. One that no server could read is left out and written down.
    fn take(&mut self, change: Change, quad: &oxrdf::Quad) -> Result<(), DerivedError> {
        let Some(said) = self.wording.said(quad) else {
            return Ok(self.sending.leave_out(&quad.to_string(), "a name in it is none")?);
        };
        self.batch_bytes += said.bytes();
        self.batch.push(said);
        if self.batch.len() >= self.sending.rules().batch || self.batch_bytes >= BATCH_BYTES {
            self.deliver(change)?;
        }
        Ok(())
    }

    /// Sends what was taken up.
    fn deliver(&mut self, change: Change) -> Result<(), DerivedError> {
        let batch = std::mem::take(&mut self.batch);
        self.batch_bytes = 0;
        if !batch.is_empty() {
            self.sending.deliver(change, &batch)?;
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), DerivedError> {
        let (sent, refused) = self.sending.take_counts();
        self.state.told.statements += sent;
        self.state.told.refused += refused;
        self.state.told.trouble = None;
        self.state.write(&self.dir)
    }
}

impl Derived for Remote<'_> {
    fn mark(&self) -> &Mark {
        &self.state.told.mark
    }

    fn add(&mut self, document: &Document) -> Result<(), DerivedError> {
        let mut fault = None;
        statements(document, &mut |quad| {
            if fault.is_none() {
                fault = self.take(Change::Insert, &quad).err();
            }
        });
        self.added += 1;
        fault.map_or(Ok(()), Err)
    }

    fn commit(&mut self, mark: &Mark) -> Result<(), DerivedError> {
        self.deliver(Change::Insert)?;
        self.state.told.mark = mark.clone();
        self.state.told.captures += std::mem::take(&mut self.added);
        self.write()
    }
}
