//! How a running crawl is steered: it takes another spec, pauses, and goes on, without being stopped. A change is what a
//! restart with the changed spec would be, taken up at once.

use std::io;
use std::sync::Arc;

use annalist_disk::{Disk, RealDisk};
use annalist_model::SkipReason;
use annalist_model::spec::Spec;

use crate::clock;
use crate::engine::CrawlError;
use crate::explain::{Explanation, explain_by};
use crate::findings::widen_again;
use crate::job::JobDir;
use crate::judging::rules;
use crate::keeper::WIDENED_NOTE;
use crate::logs::Severity;
use crate::rounds::once_more;
use crate::scope::Scope;
use crate::set_up::in_order_of;
use crate::stages::Stages;

/// A hold on a running crawl. Clones share it.
#[derive(Clone, Debug)]
pub struct Control {
    stages: Arc<Stages>,
    job: JobDir,
}

impl Control {
    pub(crate) fn new(stages: &Arc<Stages>, job: &JobDir) -> Control {
        Control { stages: Arc::clone(stages), job: job.clone() }
    }

    /// Nobody is asked until it goes on; what is under way is finished.
    pub fn pause(&self) {
        self.set_paused(true, "the crawl is paused");
    }

    pub fn resume(&self) {
        self.set_paused(false, "the crawl goes on");
    }

    fn set_paused(&self, paused: bool, said: &str) {
        if self.stages.told.is_paused() != paused {
            self.stages.told.pause(paused);
            self.stages.keeper.event(Severity::Info, "crawl", said);
            self.stages.changed.notify_one();
        }
    }

    pub fn is_paused(&self) -> bool {
        self.stages.told.is_paused()
    }

    /// The spec that counts now.
    pub fn spec(&self) -> Arc<Spec> {
        self.stages.spec()
    }

    /// Takes up a changed spec. Seeds can be added, not taken away. What cannot be changed while a crawl runs is kept for
    /// its next start, and named.
    pub fn change(&self, spec: Spec) -> Result<Vec<&'static str>, CrawlError> {
        let before = self.stages.spec();
        let spec = in_order_of(&before, spec)?;
        let scope = Scope::compile(&spec).map_err(|mistakes| CrawlError::Spec { mistakes })?;
        widen_again(&scope, self.stages.frontier().note(WIDENED_NOTE));
        let later = taken_up_later(&before, &spec);
        keep(&spec, &self.job).map_err(|fault| CrawlError::Io { what: "the spec cannot be kept", fault })?;
        let (spec, scope) = (Arc::new(spec), Arc::new(scope));
        self.stages.live.replace(Arc::clone(&spec), Arc::clone(&scope));
        self.stages.budget.change(&spec.limits, &spec.seeds);
        let revalued = self.stages.judging.as_ref().map(|judging| judging.change(rules(&spec)));
        self.stages.keeper.changed(spec, scope, revalued.unwrap_or_default());
        self.stages.keeper.event(Severity::Info, "crawl", "the spec was changed");
        self.stages.changed.notify_one();
        Ok(later)
    }

    /// Visits the seeds once more, those that had their visit. Durable when it returns.
    pub async fn visit_seeds_again(&self) -> Result<(), CrawlError> {
        let changes = once_more(&self.spec(), &self.stages.frontier(), clock::now());
        if !changes.is_empty() {
            self.stages.keeper.injected(changes).await?;
            self.stages.keeper.event(Severity::Info, "crawl", "the seeds are visited again");
        }
        Ok(())
    }

    /// Writes something into the crawl's log that who steers it knows.
    pub fn tell(&self, severity: Severity, subsystem: &'static str, message: impl Into<String>) {
        self.stages.keeper.event(severity, subsystem, message);
    }

    /// Why an address was, or was not, fetched so far.
    pub fn explain(&self, address: &str) -> Result<Explanation, CrawlError> {
        // The frontier is held for one look-up at a time: the crawl goes on.
        let mut lookup = |key| Ok(self.stages.frontier().lookup(key)?);
        explain_by(&self.job, &self.spec(), address, &mut lookup)
    }

    /// The sites with the most waiting links, a part of them, as far as they are in memory.
    pub fn busiest_sites(&self, offset: usize, most: usize) -> annalist_frontier::SiteQueues {
        self.stages.frontier().busiest_sites(offset, most)
    }
}

/// A kill leaves the old one or the new one, and who reads it sees one of them whole.
pub(crate) fn keep(spec: &Spec, job: &JobDir) -> io::Result<()> {
    RealDisk.replace(&job.spec(), spec.to_toml().as_bytes())
}

/// What is read once, at a start.
fn taken_up_later(before: &Spec, after: &Spec) -> Vec<&'static str> {
    let differ = [
        ("network", before.network != after.network),
        ("fetch", before.fetch != after.fetch),
        ("frontier", before.frontier != after.frontier),
        ("archive", before.archive != after.archive),
        ("knowledge", before.knowledge != after.knowledge),
        ("topic", before.topic != after.topic),
        ("catalogue", before.catalogue != after.catalogue),
        ("user_agent", (&before.user_agent, &before.contact) != (&after.user_agent, &after.contact)),
        ("canonical", before.canonical != after.canonical),
    ];
    differ.into_iter().filter_map(|(name, differs)| differs.then_some(name)).collect()
}

/// Why a link of a site that was blocked is not asked for though it was leased.
pub(crate) fn forbidden(host_name: &str, stages: &Stages) -> Option<(SkipReason, String)> {
    stages.scope().shut(host_name).map(|detail| (SkipReason::Blocked, detail))
}
