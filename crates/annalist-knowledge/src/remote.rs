//! A store elsewhere that is told what the graph says: any SPARQL 1.1 server.
//!
//! ```text
//! documents behind the mark ─▶ wording ─▶ batches ─▶ sending ─▶ the server
//! studies and imports, what differs from `sent` ─┘
//! ```
//!
//! A job has graphs of its own there, and touches no others. Where it is not known what the server has in them, they are
//! cleared before anything is told.
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

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use annalist_model::spec::RemoteRules;

use self::sending::Sending;
use self::state::State;
use self::wording::{Said, Source, Wording};
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
    /// The graphs of the batch.
    batch_graphs: HashSet<String>,
    /// Captures since the last commit.
    added: u64,
}

/// So many bytes are sent at once at most, however few statements they are.
const BATCH_BYTES: usize = 1 << 20;

impl<'a> Remote<'a> {
    /// `dir` is where it is kept how far the server was told; `job` is what this job is called there, always.
    pub fn open(
        dir: &Path,
        rules: &RemoteRules,
        carrier: &'a mut dyn Carrier,
        job: &str,
    ) -> Result<Remote<'a>, DerivedError> {
        let state = State::open(dir, rules.address(), job)?;
        Ok(Remote {
            dir: dir.to_owned(),
            wording: Wording::of(job),
            state,
            sending: Sending::new(rules.clone(), carrier, dir),
            batch: Vec::new(),
            batch_bytes: 0,
            batch_graphs: HashSet::new(),
            added: 0,
        })
    }

    /// How far the server was told.
    pub fn told(&self) -> &Told {
        &self.state.told
    }

    /// Nobody knows what the server has: everything is told again.
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
    fn take(&mut self, change: Change, source: Source, quad: &oxrdf::Quad) -> Result<(), DerivedError> {
        let Some(said) = self.wording.said(source, quad) else {
            return Ok(self.sending.leave_out(&quad.to_string(), "a name in it is none")?);
        };
        // Before what is in it: a graph that is not listed could not be cleared.
        if change == Change::Insert && !self.batch_graphs.contains(&said.graph) {
            self.batch_graphs.insert(said.graph.clone());
            self.batch.extend(self.wording.listed(&said.graph, quad));
        }
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
        self.batch_graphs.clear();
        if !batch.is_empty() {
            self.clear_first()?;
            self.sending.deliver(change, &batch)?;
        }
        Ok(())
    }

    /// Takes back whatever the server has of this job, where nobody knows what that is. A kill on the way changes
    /// nothing: it is done again.
    fn clear_first(&mut self) -> Result<(), DerivedError> {
        if !self.state.is_cleared {
            for request in self.wording.clearing() {
                self.sending.clear(&request)?;
            }
            self.sending.make_sure()?;
            self.state.is_cleared = true;
            self.state.write(&self.dir)?;
        }
        Ok(())
    }

    /// Keeps how far the server was told, if it is one.
    fn write(&mut self) -> Result<(), DerivedError> {
        self.sending.make_sure()?;
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
                fault = self.take(Change::Insert, Source::Archive, &quad).err();
            }
        });
        self.added += 1;
        fault.map_or(Ok(()), Err)
    }

    fn commit(&mut self, mark: &Mark) -> Result<(), DerivedError> {
        // What is not taken now is told again, and counted then.
        let added = std::mem::take(&mut self.added);
        self.deliver(Change::Insert)?;
        // Before the state changes: whoever notes a failure writes all of it.
        self.sending.make_sure()?;
        self.state.told.mark = mark.clone();
        self.state.told.captures += added;
        self.write()
    }
}
