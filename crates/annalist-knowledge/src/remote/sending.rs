//! Batches to the server: tried again where that may help, taken apart where the server does not want something in
//! them. What the server refuses for good is written down and passed, so that nothing is tried without end.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use annalist_model::spec::RemoteRules;

use super::Change;
use super::wording::{Said, posts, update};

/// After so many refusals without anything taken it is the server, and not what it is told.
const MOST_IN_VAIN: u64 = 100;
/// The file of what was refused gets no longer.
const MOST_WRITTEN: u64 = 1 << 20;
const UPDATE: &str = "application/sparql-update";
/// What no server understands.
const NOTHING: &str = "This is no statement.\n";
const NOBODYS: &str = "urn%3Aannalist%3Anothing";
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// A request to the server.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub address: &'a str,
    pub content_type: &'static str,
    pub body: &'a str,
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Status {
        status: u16,
        told: String,
        /// It says that this is HTML.
        is_page: bool,
        retry_after: Option<Duration>,
        location: Option<String>,
    },
    /// Nobody answered; trying again may help.
    None(String),
    /// Nobody may be asked there, or cannot be trusted.
    Never(String),
    /// Somebody wants an end.
    Stopped,
}

/// Who brings requests to the server.
pub trait Carrier {
    fn carry(&mut self, request: &Request<'_>) -> Answer;
    /// Waits before another try; `false` where somebody wants an end.
    fn wait(&mut self, long: Duration) -> bool;
}

/// Why the server cannot be told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It will be told later.
    #[error("the remote store is away: {0}")]
    Away(String),
    /// Somebody must do something about it.
    #[error("the remote store cannot be told: {0}")]
    Denied(String),
    #[error("interrupted")]
    Stopped,
    #[error("what the remote store refuses cannot be written down: {0}")]
    Unwritten(String),
}

pub(super) struct Sending<'a> {
    rules: RemoteRules,
    carrier: &'a mut dyn Carrier,
    refused_file: PathBuf,
    sent: u64,
    refused: u64,
    /// Refusals since something was taken.
    in_vain: u64,
    /// It was seen to refuse what is nothing.
    is_known: bool,
    /// Something was taken by one of whom it is not known whether it takes everything, as a login page does.
    is_doubtful: bool,
}

/// How hard it is tried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    Full,
    /// A part of what was tried often enough.
    Once,
    /// It ought to be refused, in whatever way.
    Probe,
}

enum Outcome {
    Taken(String),
    Refused(String),
}

impl<'a> Sending<'a> {
    pub(super) fn new(rules: RemoteRules, carrier: &'a mut dyn Carrier, dir: &Path) -> Sending<'a> {
        Sending {
            rules,
            carrier,
            refused_file: dir.join("refused.jsonl"),
            sent: 0,
            refused: 0,
            in_vain: 0,
            is_known: false,
            is_doubtful: false,
        }
    }

    pub(super) fn rules(&self) -> &RemoteRules {
        &self.rules
    }

    /// What was taken and what was refused since this was asked.
    pub(super) fn take_counts(&mut self) -> (u64, u64) {
        (std::mem::take(&mut self.sent), std::mem::take(&mut self.refused))
    }

    /// Tells the server all of them; nothing is half done where it says so.
    pub(super) fn deliver(&mut self, change: Change, batch: &[Said]) -> Result<(), Fault> {
        if self.rules.update.is_some() {
            return self.deliver_part(change, batch, Effort::Full);
        }
        if change == Change::Delete {
            // The protocol can replace whole graphs only, and others may have written into them.
            for said in batch {
                self.leave_out(&said.line(), "no longer said, but only `update` can take it back")?;
            }
            return Ok(());
        }
        for (_, _, triples) in posts(batch) {
            let part: Vec<Said> = triples.into_iter().cloned().collect();
            self.deliver_part(change, &part, Effort::Full)?;
        }
        Ok(())
    }

    /// One of the updates that clear the job's graphs. A graph store cannot do that.
    pub(super) fn clear(&mut self, update: &str) -> Result<(), Fault> {
        let Some(address) = self.rules.update.clone() else { return Ok(()) };
        let request = Request { address: &address, content_type: UPDATE, body: update };
        match self.ask(&request, Effort::Full)? {
            Outcome::Taken(_) => Ok(()),
            Outcome::Refused(why) => Err(Fault::Denied(format!("{address} clears nothing: {why}"))),
        }
    }

    /// Whoever takes what is no update takes anything, and understands nothing of it: a login page, a web server. By its
    /// answers alone it cannot be told from the servers that answer updates with pages.
    pub(super) fn make_sure(&mut self) -> Result<(), Fault> {
        if !self.is_doubtful {
            return Ok(());
        }
        let (address, content_type, _) = worded(&self.rules, Change::Insert, &[]);
        let request = Request { address: &address, content_type, body: NOTHING };
        if let Outcome::Taken(told) = self.ask(&request, Effort::Probe)? {
            let what = "is no SPARQL server: it takes what is no statement, and says";
            return Err(Fault::Denied(format!("{address} {what}: {told}")));
        }
        (self.is_known, self.is_doubtful) = (true, false);
        Ok(())
    }

    fn deliver_part(&mut self, change: Change, batch: &[Said], effort: Effort) -> Result<(), Fault> {
        let (address, content_type, body) = worded(&self.rules, change, batch);
        let request = Request { address: &address, content_type, body: &body };
        let why = match self.ask(&request, effort)? {
            Outcome::Taken(_) => {
                self.sent += batch.iter().filter(|said| !said.is_entry).count() as u64;
                self.in_vain = 0;
                return Ok(());
            }
            Outcome::Refused(why) => why,
        };
        // Where it does not even take nothing, it is not for what is in the batch.
        if effort == Effort::Full {
            let (address, content_type, body) = worded(&self.rules, change, &[]);
            let empty = Request { address: &address, content_type, body: &body };
            if let Outcome::Refused(_) = self.ask(&empty, Effort::Once)? {
                return Err(Fault::Denied(format!("{address} takes nothing: {why}")));
            }
        }
        match batch {
            [said] => {
                self.in_vain += 1;
                if self.in_vain > MOST_IN_VAIN {
                    return Err(Fault::Denied(format!("it refuses everything: {why}")));
                }
                self.leave_out(&said.line(), &why)
            }
            _ => {
                let (first, second) = batch.split_at(batch.len() / 2);
                self.deliver_part(change, first, Effort::Once)?;
                self.deliver_part(change, second, Effort::Once)
            }
        }
    }

    /// Writes down a statement that the server is not told.
    pub(super) fn leave_out(&mut self, statement: &str, why: &str) -> Result<(), Fault> {
        self.refused += 1;
        let length = std::fs::metadata(&self.refused_file).map_or(0, |file| file.len());
        if length >= MOST_WRITTEN {
            return Ok(());
        }
        let line = serde_json::json!({ "statement": statement, "why": why });
        let file = std::fs::OpenOptions::new().append(true).create(true).open(&self.refused_file);
        let written = file.and_then(|mut file| writeln!(file, "{line}"));
        written.map_err(|fault| Fault::Unwritten(format!("{}: {fault}", self.refused_file.display())))
    }

    fn ask(&mut self, request: &Request<'_>, effort: Effort) -> Result<Outcome, Fault> {
        let mut tries = 0;
        loop {
            tries += 1;
            let is_last = tries >= self.rules.tries;
            let doublings = u32::from(tries - 1).min(16);
            let pause = self.rules.retry_delay.saturating_mul(1 << doublings).min(LONGEST_WAIT);
            let (why, wait) = match self.carrier.carry(request) {
                Answer::Stopped => return Err(Fault::Stopped),
                Answer::Never(why) => return Err(Fault::Denied(why)),
                Answer::None(why) => (why, pause),
                // Graph stores may pass over what they cannot read: of them only a page is a sign.
                Answer::Status { status: 200..=299, is_page: false, .. }
                    if effort == Effort::Probe && self.rules.update.is_none() =>
                {
                    return Ok(Outcome::Refused(String::new()));
                }
                Answer::Status { status: 200..=299, is_page, told, .. } => {
                    self.is_doubtful |= is_page || !self.is_known;
                    return Ok(Outcome::Taken(told));
                }
                Answer::Status { status, told, retry_after, location, .. } => {
                    let why = format!("{} answers with status {status}: {told}", request.address);
                    let why = why.trim_end_matches([' ', ':']).to_owned();
                    match status {
                        401 | 403 | 407 => {
                            let what = "check user and secret in [knowledge.remote]";
                            return Err(Fault::Denied(format!("{why}; {what}")));
                        }
                        300..=399 => {
                            let target = location.unwrap_or_else(|| "somewhere else".to_owned());
                            let what = "if that is right, write that address into [knowledge.remote]";
                            return Err(Fault::Denied(format!("{why}; it leads to {target}: {what}")));
                        }
                        404 | 405 | 410 | 415 | 501 if effort != Effort::Probe => {
                            let what = "nothing can be told at this address";
                            return Err(Fault::Denied(format!("{why}; {what}: see [knowledge.remote]")));
                        }
                        408 | 425 | 429 | 502..=504 => {
                            (why, retry_after.map_or(pause, |asked| asked.max(pause)))
                        }
                        400..=499 => return Ok(Outcome::Refused(why)),
                        // Perhaps it is what it was told, perhaps the server.
                        _ if is_last || effort != Effort::Full => return Ok(Outcome::Refused(why)),
                        _ => (why, pause),
                    }
                }
            };
            // Who asks for a long rest is told another time.
            if is_last || wait > LONGEST_WAIT {
                return Err(Fault::Away(why));
            }
            if !self.carrier.wait(wait) {
                return Err(Fault::Stopped);
            }
        }
    }
}

/// Address, media type and body of a request. For a graph store the batch is of one graph; where it is empty, of the
/// graph that is nobody's.
fn worded(rules: &RemoteRules, change: Change, batch: &[Said]) -> (String, &'static str, String) {
    if let Some(address) = &rules.update {
        return (address.clone(), UPDATE, update(change, batch));
    }
    let store = rules.graph_store.as_deref().unwrap_or_default();
    let first = posts(batch).into_iter().next().map(|(query, body, _)| (query, body));
    let (query, body) = first.unwrap_or_else(|| (format!("graph={NOBODYS}"), String::new()));
    let mark = if store.contains('?') { '&' } else { '?' };
    (format!("{store}{mark}{query}"), "application/n-triples", body)
}
