//! How a running crawl is steered: it takes another spec, pauses, and goes on, without being stopped. A change is what a
//! restart with the changed spec would be, taken up at once.

use std::io;
use std::sync::{Arc, PoisonError};

use annalist_disk::{Disk, RealDisk};
use annalist_frontier::LeasedLink;
use annalist_model::spec::Spec;
use annalist_model::{LinkKind, Score, SkipReason, UrlKey};

use crate::apps::{Apps, left_out};
use crate::clock;
use crate::engine::CrawlError;
use crate::explain::{Explanation, explain_by};
use crate::findings::widen_again;
use crate::injecting::BLACKLISTED;
use crate::job::JobDir;
use crate::judging::rules;
use crate::keeper::WIDENED_NOTE;
use crate::logs::Severity;
use crate::reopen::is_other_scope;
use crate::rounds::once_more;
use crate::scope::{Facts, Scope, Verdict};
use crate::set_up::in_order_of;
use crate::stages::{Stages, passed};

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
        self.call_helper(&spec);
        if is_other_scope(&before, &spec) {
            self.stages.told.take_other_scope();
        }
        self.stages.live.replace(Arc::clone(&spec), Arc::clone(&scope));
        self.stages.budget.change(&spec.limits, &spec.seeds);
        // Who waits for a rest looks how long it is now; of sites that rest the frontier is told.
        self.stages.pool.shorter_rests.notify_waiters();
        let revalued = self.stages.judging.as_ref().map(|judging| judging.change(rules(&spec)));
        let mut changes = revalued.unwrap_or_default();
        changes.extend(self.stages.site_rests.by_other_delays(&before, &spec, clock::now()));
        self.stages.keeper.changed(spec, scope, changes);
        self.stages.keeper.event(Severity::Info, "crawl", "the spec was changed");
        self.stages.changed.notify_one();
        Ok(later)
    }

    /// The application-aware helper, where the crawl was begun without it and the spec wants it now.
    fn call_helper(&self, spec: &Spec) {
        if self.stages.helper().is_some() {
            return;
        }
        let (apps, mistakes) = Apps::of(spec, Some(&self.job));
        for mistake in mistakes {
            self.stages.keeper.event(Severity::Warning, "apps", left_out(&mistake));
        }
        *self.stages.helper.write().unwrap_or_else(PoisonError::into_inner) = apps.map(Arc::new);
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

    /// These addresses are asked for no more, also before they are taken out of the queue that they are about to be put into.
    pub fn bar(&self, keys: &[UrlKey]) {
        self.stages.barred.add(keys);
    }

    /// They could not be put into the queue.
    pub fn unbar(&self, keys: &[UrlKey]) {
        self.stages.barred.forget(keys);
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
        ("extract", before.extract != after.extract),
    ];
    differ.into_iter().filter_map(|(name, differs)| differs.then_some(name)).collect()
}

/// Why a link is not asked for though it was leased: its site was blocked, the scope has become narrower since it was found,
/// or it was blacklisted and came into the queue all the same.
pub(crate) fn forbidden(leased: &LeasedLink, stages: &Stages) -> Option<(SkipReason, String)> {
    // What the frontier cannot tell now, it is asked again just before the request.
    if stages.is_blacklisted(leased.key).unwrap_or(false) {
        return Some((SkipReason::Blacklisted, BLACKLISTED.to_owned()));
    }
    by_other_settings(leased, stages)
}

/// Why the spec of now does not want a link that was in scope when it was found.
fn by_other_settings(leased: &LeasedLink, stages: &Stages) -> Option<(SkipReason, String)> {
    let shut = stages.scope().shut(leased.link.url.host_name());
    shut.map(|detail| (SkipReason::Blocked, detail)).or_else(|| out_of_scope_by_now(leased, stages))
}

/// Why a link is out of scope that was in scope when it was found.
fn out_of_scope_by_now(leased: &LeasedLink, stages: &Stages) -> Option<(SkipReason, String)> {
    // What somebody handed over is fetched wherever it lies.
    if !stages.told.has_other_scope() || leased.link.kind == LinkKind::Injected {
        return None;
    }
    if leased.link.kind == LinkKind::Sitemap && !stages.spec().scope.sitemaps {
        return Some((SkipReason::OutOfScope, "sitemaps are not read".to_owned()));
    }
    let via = leased.link.via.and_then(|page| passed(&stages.frontier(), page));
    let way = stages.way_from(leased.link.via);
    let facts = Facts {
        via_url: via.as_ref().map(|page| page.link.url.as_str()),
        via_beyond: via.as_ref().map_or(0, |page| stages.beyond(&page.link)),
        score: Some(Score::new(leased.value)),
        way: Some(&way),
        was_in_scope: true,
        ..Facts::default()
    };
    match stages.scope().admit(&leased.link, &facts) {
        Verdict::In { .. } => None,
        Verdict::Out { reason, detail } => Some((reason, detail.into_owned())),
    }
}

/// Whether a leased link may be asked for at this moment: waiting may have taken long enough for somebody to forbid it.
pub(crate) fn is_still_wanted(leased: &LeasedLink, stages: &Stages) -> bool {
    let is_open = matches!(stages.is_blacklisted(leased.key), Ok(false));
    is_open && stages.frontier().is_leased(leased.key) && by_other_settings(leased, stages).is_none()
}
