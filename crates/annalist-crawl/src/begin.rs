//! What the frontier is told before anything is fetched: the seeds, and what may be fetched after all. What that is, is
//! found in `reopen.rs`.

use std::collections::BTreeSet;

use annalist_frontier::{Change, PARTS, Transaction};
use annalist_model::spec::Spec;
use annalist_warc::RecoverReport;

use crate::budget::Before;
use crate::clock;
use crate::engine::CrawlError;
use crate::findings::seed_change;
use crate::job::JobDir;
use crate::keeper::{Archive, COUNTERS_NOTE, INTERRUPTED_NOTE, KeepError};
use crate::left::Left;
use crate::logs::Severity;
use crate::reopen::{Rejudged, Reopened, Reopening, allowed_now, in_scope_now, never_by_other_spelling};
use crate::rounds::Rounds;
use crate::scope::Scope;
use crate::set_up::repairs;

/// Changes of one transaction.
pub(crate) const CHANGES_AT_ONCE: usize = 10_000;

/// Links that are judged again before others have their turn at the frontier: some hundredths of a second.
const JUDGED_AT_ONCE: usize = 1_000;

impl Archive {
    /// Tells the frontier of the seeds, of which those it knows change nothing, and of what may be fetched after all.
    pub fn begin(
        &mut self,
        spec: &Spec,
        scope: &Scope,
        reopened: Reopened,
        recovered: &RecoverReport,
    ) -> Result<(), CrawlError> {
        for repaired in repairs(recovered) {
            self.event(Severity::Warning, "archive", &repaired);
        }
        let seeds = spec.seeds.iter().zip(0u32..);
        let seeds = seeds.map(|(seed, index)| (seed_change(spec, scope, index, seed.url.clone()), None));
        let changes: Vec<Reopening> = seeds.chain(reopened.changes).collect();
        let mut links = 0;
        for piece in changes.chunks(CHANGES_AT_ONCE) {
            links += self.tell(piece)?;
        }
        if reopened.limits {
            links += self.allow_again(spec)?;
        }
        if reopened.spelling {
            self.blacklist_again(spec)?;
        }
        links += self.judge_again(reopened.refused, spec, scope)?;
        if links > 0 {
            let told = format!("the spec allows more: {links} skipped links wait again");
            self.event(Severity::Info, "crawl", &told);
        }
        // The last: should the start be interrupted, the next one looks again.
        self.tell(&reopened.notes)?;
        self.board.update(|status| status.counters = self.counters.clone());
        Ok(())
    }

    /// Takes up what was skipped for a limit that allows it now; how many wait again. Others come to the frontier in between.
    fn allow_again(&mut self, spec: &Spec) -> Result<usize, CrawlError> {
        let (mut links, mut opened) = (0, BTreeSet::new());
        let before = Before::of(&self.counters, spec);
        for part in 0..PARTS {
            let keys = self.frontier().done_in(part)?;
            for keys in keys.chunks(JUDGED_AT_ONCE) {
                let piece = allowed_now(keys, &mut opened, &before, spec, &self.frontier())?;
                if !piece.is_empty() {
                    links += self.tell(&piece)?;
                }
            }
        }
        Ok(links)
    }

    /// Puts what was blacklisted on the blacklist as it is spelled now. Others come to the frontier in between.
    fn blacklist_again(&mut self, spec: &Spec) -> Result<(), CrawlError> {
        for part in 0..PARTS {
            let keys = self.frontier().done_in(part)?;
            for keys in keys.chunks(JUDGED_AT_ONCE) {
                let piece = never_by_other_spelling(keys, spec, &self.frontier(), clock::now())?;
                if !piece.is_empty() {
                    self.tell(&piece)?;
                }
            }
        }
        Ok(())
    }

    /// Judges links that were refused once more; how many wait again. Others come to the frontier in between.
    fn judge_again(&mut self, refused: Rejudged, spec: &Spec, scope: &Scope) -> Result<usize, CrawlError> {
        let mut links = 0;
        let parts = if refused == Rejudged::default() { 0 } else { PARTS };
        for part in 0..parts {
            let keys = self.frontier().refused_in(part)?;
            for keys in keys.chunks(JUDGED_AT_ONCE) {
                let piece = in_scope_now(keys, refused, spec, scope, &self.frontier())?;
                if !piece.is_empty() {
                    links += self.tell(&piece)?;
                }
            }
        }
        Ok(links)
    }

    /// Takes up another spec while the crawl runs, as a start would.
    pub fn change(&mut self, spec: &Spec, scope: &Scope, mut changes: Vec<Change>) -> Result<(), KeepError> {
        let reopened = Reopened::of(spec, scope, &self.frontier());
        let reopened = reopened.map_err(|fault| KeepError::Closed(fault.to_string()))?;
        let begun = self.begin(spec, scope, reopened, &RecoverReport::default());
        begun.map_err(|fault| KeepError::Closed(fault.to_string()))?;
        self.seeds = spec.seeds.iter().map(|seed| seed.url.as_str().to_owned()).collect();
        let rounds = Rounds::of(spec);
        changes.extend(rounds.instead_of(&self.rounds, &self.frontier()));
        self.rounds = rounds;
        for piece in changes.chunks(CHANGES_AT_ONCE) {
            self.commit(Transaction { changes: piece.to_vec() })?;
        }
        self.changed.notify_one();
        Ok(())
    }

    /// Tells the frontier of addresses that were handed over, and counts those that are not to be fetched.
    pub fn inject(&mut self, mut changes: Vec<Change>) -> Result<(), KeepError> {
        let now = clock::now();
        for change in &changes {
            if let Change::Refused { link, reason, detail } = change {
                self.counters.skip(*reason);
                let _ = self.logs.skipped(now, link.url.key(), link.url.as_str(), *reason, detail, None);
            }
        }
        changes.push(Change::Note { name: COUNTERS_NOTE.to_owned(), value: self.counters.encode() });
        self.commit(Transaction { changes })?;
        self.changed.notify_one();
        Ok(())
    }

    /// Finds copies that earlier runs left without acknowledging them. `closed`: files that the last one left open.
    pub fn find_left(&mut self, closed: &[String], job: &JobDir) -> Result<(), CrawlError> {
        let known = self.frontier().note(INTERRUPTED_NOTE).map(<[u8]>::to_vec).unwrap_or_default();
        let known = String::from_utf8_lossy(&known).into_owned();
        let mut names: Vec<String> = known.lines().map(str::to_owned).collect();
        let before = names.len();
        names.extend(closed.iter().filter(|name| !known.lines().any(|old| old == *name)).cloned());
        if names.len() > before {
            let value = names.join("\n").into_bytes();
            let note = Change::Note { name: INTERRUPTED_NOTE.to_owned(), value };
            self.commit(Transaction { changes: vec![note] })?;
        }
        let left = Left::in_files(&names, job, &self.frontier());
        self.left = left;
        Ok(())
    }

    /// Commits changes with what they do to the counters; how many links wait again.
    fn tell(&mut self, changes: &[Reopening]) -> Result<usize, CrawlError> {
        let skipped: Vec<_> = changes.iter().filter_map(|(_, skipped)| *skipped).collect();
        for (reason, mentions) in &skipped {
            self.counters.unskip(*reason, u64::from(*mentions));
        }
        let mut changes: Vec<Change> = changes.iter().map(|(change, _)| change.clone()).collect();
        changes.push(Change::Note { name: COUNTERS_NOTE.to_owned(), value: self.counters.encode() });
        let committed = self.journal.commit(&Transaction { changes })?;
        self.frontier().apply(committed)?;
        Ok(skipped.len())
    }
}
