//! What the service needs of the program around it, which knows how specs are read and topics are learned.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use annalist_crawl::engine::Crawl;
use annalist_crawl::pool::Pool;
use annalist_crawl::status::Board;
use annalist_crawl::stop::Stop;
use annalist_knowledge::Needed;
use annalist_model::spec::{Mistake, Spec};

/// What reading a spec came to.
#[derive(Debug, Default)]
pub struct Examined {
    /// Present when there are no mistakes.
    pub spec: Option<Spec>,
    pub mistakes: Vec<Mistake>,
    pub warnings: Vec<Mistake>,
}

/// Why a crawl could not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unopened {
    /// Another process has its folder; which one, where that is known. It can be tried again.
    Busy(Option<u32>),
    /// For people.
    Failed(String),
}

/// Implemented by the program; tests have their own.
pub trait Program: Send + Sync + 'static {
    /// Reads and checks the text of a spec that was sent. Who writes it does not sit at this machine: of it, it names only what
    /// the operator allowed, and what `kept` has already, the spec that it is to replace.
    fn examine(&self, text: &str, kept: Option<&Spec>) -> Examined;

    /// Reads and checks the spec that a job directory keeps, which somebody at this machine may have written. The error is for
    /// people.
    fn kept(&self, job: &Path) -> Result<Examined, String>;

    /// Gets the crawl of a job directory ready, by the spec that is kept there. May take a while.
    fn open(&self, job: &Path, pool: Pool, stop: Stop, board: Board) -> Result<Crawl, Unopened>;

    /// Why pages of a job are judged by another topic than this spec names, also after its next start; for people. `None` where
    /// that start goes by the spec.
    fn judged_apart(&self, job: &Path, spec: &Spec) -> Option<String>;

    /// Sets aside what a job has learned or been told about its topic: its next start learns from the spec. Whether there was
    /// anything; the error is for people.
    fn learn_again(&self, job: &Path) -> Result<bool, String>;

    /// Brings a store of a job at rest up to its archive, which may take long; ends soon where it can once `stop` is set.
    /// While the job is crawled, the crawl does that. The error is for people.
    fn derive(&self, job: &Path, needed: Needed, stop: Arc<AtomicBool>) -> Result<(), String>;

    /// The program itself, for work that is done by one of its commands.
    fn command(&self) -> Command;
}
