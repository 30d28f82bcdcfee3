//! One pass over a bucket: its run and what is pending become a new run, and on the way the best links of each site
//! are gathered. Without anything pending a pass only gathers. When and where a pass runs is decided in `worker.rs`.

use std::sync::Arc;

use annalist_model::spec::Update;

use crate::bucket::Novelty;
use crate::entry::{Entry, Kind, overlay};
use crate::error::FrontierError;
use crate::hash::Set;
use crate::pending::Pending;
use crate::rank::{Rank, Ranking};
use crate::run::{Run, RunWriter};
use crate::text::TextWriter;

/// What a pass is to do.
#[derive(Debug)]
pub(crate) struct Pass {
    pub(crate) bucket: usize,
    pub(crate) run: Option<Arc<Run>>,
    pub(crate) frozen: Option<Arc<Pending>>,
    pub(crate) update: Update,
    pub(crate) gathering: Gathering,
    /// Journal position that the new run includes.
    pub(crate) mark: u64,
}

/// Which sites' links are gathered.
#[derive(Debug)]
pub(crate) struct Gathering {
    pub(crate) ranking: Ranking,
    /// Sites in memory: only their news are of interest.
    pub(crate) loaded: Set<u64>,
    /// Sites in memory that ran dry.
    pub(crate) wanted: Set<u64>,
    /// Sites not in memory are taken from here on, so that each has its turn.
    pub(crate) from_site: u64,
    pub(crate) most_sites: usize,
    pub(crate) head_limit: HeadLimit,
}

/// A site's best links, as of the pass.
#[derive(Debug)]
pub(crate) struct FoundSite {
    pub(crate) site: u64,
    pub(crate) queued: u64,
    pub(crate) best: Vec<Rank>,
    /// Links to be tried again at some time, the earliest first.
    pub(crate) later: Vec<Rank>,
    /// There are more that could be leased.
    pub(crate) more: bool,
    /// There are more to be tried again.
    pub(crate) more_later: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Gathered {
    pub(crate) sites: Vec<FoundSite>,
    /// Links of sites in memory that were only mentions before the pass, and are queued.
    pub(crate) news: Vec<(Entry, Novelty)>,
    /// Where the next pass should go on, when there was no room for all sites.
    pub(crate) left_out: Option<u64>,
}

/// Merges into a new run.
pub(crate) fn merge(
    pass: &Pass,
    frozen: &Pending,
    run: &mut RunWriter,
    texts: &mut TextWriter,
) -> Result<Gathered, FrontierError> {
    let mut gatherer = Gatherer::new(&pass.gathering);
    let mut olds = pass.run.iter().flat_map(|run| run.rows());
    let news = frozen.sorted();
    let mut news = news.iter().peekable();
    let mut old = olds.next().transpose()?;
    loop {
        let over = match (&old, news.peek()) {
            (None, None) => return Ok(gatherer.finish()),
            (Some(base), Some(over)) if base.key < over.key => None,
            (Some(_), None) => None,
            _ => news.next(),
        };
        let Some(over) = over else {
            if let Some(base) = old {
                run.push(&base)?;
                gatherer.see(&base, Seen::Before);
            }
            old = olds.next().transpose()?;
            continue;
        };
        let base = old.filter(|base| base.key == over.key);
        let overlaid = overlay(pass.update, base.as_ref(), over);
        let mut entry = overlaid.entry;
        if overlaid.adds_text {
            entry.text = move_texts(frozen, over, entry.text, texts)?;
        }
        run.push(&entry)?;
        gatherer.see(&entry, if over.is_unchecked() { Seen::OnlyMentioned(base) } else { Seen::Before });
        if base.is_some() {
            old = olds.next().transpose()?;
        }
    }
}

/// Appends a row's pending texts to the log, oldest first, after what the log has of it.
fn move_texts(
    frozen: &Pending,
    entry: &Entry,
    earlier: u64,
    texts: &mut TextWriter,
) -> Result<u64, FrontierError> {
    let mut bodies = Vec::new();
    for body in frozen.texts(entry) {
        bodies.push(body?);
    }
    bodies.iter().rev().try_fold(earlier, |earlier, body| texts.append(earlier, body))
}

/// Gathers without changing anything.
pub(crate) fn scan(pass: &Pass) -> Result<Gathered, FrontierError> {
    let mut gatherer = Gatherer::new(&pass.gathering);
    for row in pass.run.iter().flat_map(|run| run.rows()) {
        gatherer.see(&row?, Seen::Before);
    }
    Ok(gatherer.finish())
}

#[derive(Clone, Copy)]
enum Seen {
    Before,
    /// Until now memory did not know what the older row, if there was one, and the mentions come to.
    OnlyMentioned(Option<Entry>),
}

/// How the present site is treated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Interest {
    None,
    /// In memory, and well fed.
    News,
    /// All its best links.
    Best,
    /// There was no room for it.
    LeftOut,
}

struct Gatherer<'a> {
    plan: &'a Gathering,
    gathered: Gathered,
    site: Option<u64>,
    interest: Interest,
    best: Vec<Rank>,
    later: Vec<Rank>,
    best_dropped: Option<Rank>,
    later_dropped: bool,
    queued: u64,
    fresh_sites: usize,
}

impl<'a> Gatherer<'a> {
    fn new(plan: &'a Gathering) -> Gatherer<'a> {
        Gatherer {
            plan,
            gathered: Gathered::default(),
            site: None,
            interest: Interest::None,
            best: Vec::new(),
            later: Vec::new(),
            best_dropped: None,
            later_dropped: false,
            queued: 0,
            fresh_sites: 0,
        }
    }

    fn see(&mut self, entry: &Entry, seen: Seen) {
        if self.site != Some(entry.key.site) {
            self.end_site();
            self.site = Some(entry.key.site);
            self.interest = self.interest_in(entry.key.site);
        }
        // The site's own row is its first.
        if entry.kind() == Kind::Site && entry.tries != 0 {
            self.interest = Interest::None;
        }
        if !entry.is_queued() {
            return;
        }
        match self.interest {
            Interest::Best => self.collect(entry),
            Interest::News => self.tell(entry, seen),
            Interest::LeftOut => self.leave_out(entry.key.site),
            Interest::None => {}
        }
    }

    /// Of a site in memory only what is new, or has another rank than before, is of interest.
    fn tell(&mut self, entry: &Entry, seen: Seen) {
        let Seen::OnlyMentioned(base) = seen else { return };
        let novelty = Novelty::of(base.as_ref(), entry);
        let rank = |entry: &Entry| self.plan.ranking.rank(entry);
        if novelty == Novelty::New || base.as_ref().map(rank) != Some(rank(entry)) {
            self.gathered.news.push((*entry, novelty));
        }
    }

    /// The next pass begins where this one stopped, or at the start when it came to the end.
    fn leave_out(&mut self, site: u64) {
        if site < self.plan.from_site {
            self.gathered.left_out = Some(0);
        } else if self.gathered.left_out.is_none_or(|from| from < self.plan.from_site) {
            self.gathered.left_out = Some(site);
        }
    }

    fn interest_in(&self, site: u64) -> Interest {
        if self.plan.wanted.contains(&site) {
            Interest::Best
        } else if self.plan.loaded.contains(&site) {
            Interest::News
        } else if site >= self.plan.from_site && self.fresh_sites < self.plan.most_sites {
            Interest::Best
        } else {
            Interest::LeftOut
        }
    }

    fn collect(&mut self, entry: &Entry) {
        self.queued += 1;
        let rank = self.plan.ranking.rank(entry);
        if entry.not_before().is_some() {
            self.later.push(rank);
        } else {
            self.best.push(rank);
        }
        let limit = self.limit();
        if self.best.len() >= 4 * limit {
            self.shorten_best(2 * limit);
        }
        if self.later.len() >= 4 * limit {
            self.shorten_later(2 * limit);
        }
    }

    fn shorten_later(&mut self, limit: usize) {
        self.later_dropped |= self.later.len() > limit;
        keep_earliest(&mut self.later, limit);
    }

    /// The limit grows with the site: what was dropped early may be better than what comes later, so nothing below it
    /// can be called best.
    fn shorten_best(&mut self, limit: usize) {
        self.best.sort_unstable();
        let excess = self.best.len().saturating_sub(limit);
        let dropped = self.best.drain(..excess).next_back();
        self.best_dropped = self.best_dropped.max(dropped);
    }

    fn limit(&self) -> usize {
        self.plan.head_limit.of(self.queued)
    }

    fn end_site(&mut self) {
        let Some(site) = self.site.take().filter(|_| self.queued > 0) else { return };
        let limit = self.limit();
        self.shorten_best(limit);
        let dropped = self.best_dropped.take();
        self.best.retain(|rank| dropped.is_none_or(|dropped| *rank > dropped));
        self.shorten_later(limit);
        self.fresh_sites += usize::from(!self.plan.loaded.contains(&site));
        self.gathered.sites.push(FoundSite {
            site,
            queued: self.queued,
            best: std::mem::take(&mut self.best),
            later: std::mem::take(&mut self.later),
            more: dropped.is_some(),
            more_later: std::mem::take(&mut self.later_dropped),
        });
        self.queued = 0;
    }

    fn finish(mut self) -> Gathered {
        self.end_site();
        self.gathered
    }
}

/// How long the heads of sites may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeadLimit {
    /// For every site.
    pub(crate) least: usize,
    /// One link in so many that wait, so that a refill pays for itself.
    pub(crate) share: u64,
}

impl HeadLimit {
    pub(crate) fn of(self, queued: u64) -> usize {
        const MOST: u64 = 4096;
        self.least.max((queued / self.share.max(1)).min(MOST) as usize)
    }
}

/// Best last, as a head keeps them.
pub(crate) fn keep_best(ranks: &mut Vec<Rank>, limit: usize) {
    ranks.sort_unstable();
    ranks.drain(..ranks.len().saturating_sub(limit));
}

pub(crate) fn keep_earliest(ranks: &mut Vec<Rank>, limit: usize) {
    ranks.sort_unstable_by_key(|rank| (rank.turn(), rank.url));
    ranks.truncate(limit);
}
