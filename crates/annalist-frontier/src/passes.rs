//! When passes run and how their results are taken in: in small pieces, so that no lease waits for one.

use std::sync::Arc;
use std::time::Duration;

use annalist_model::Time;

use crate::bucket::{Bucket, Novelty};
use crate::change::{Change, Transaction};
use crate::entry::Entry;
use crate::error::FrontierError;
use crate::frontier::Frontier;
use crate::journal::Journal;
use crate::manifest::Ended;
use crate::merge::{FoundSite, Gathering, Pass};
use crate::settings::{Merging, bucket_of};
use crate::worker::{Finished, Job, Passed, Worker};

/// Something a pass found.
#[derive(Debug)]
pub(crate) enum Arrival {
    Site(FoundSite),
    News(Entry, Novelty),
    /// The site was looked for by name; if it was not among the found ones it has nothing.
    Sought(u64),
}

/// Buckets merged in one job: one manifest is written for all of them.
const BUCKETS_A_JOB: usize = 8;
/// Links taken in by one call.
const LINKS_A_CALL: usize = 1024;
/// Mentions looked up by a call that has nothing else to do.
const CHECKS_A_CALL: usize = 256;
const TRY_AGAIN_AFTER: Duration = Duration::from_secs(1);

impl Frontier {
    /// Takes in what the worker has done and gives it more, as far as needed.
    pub(crate) fn attend(&mut self) -> Result<(), FrontierError> {
        self.attend_merges()?;
        self.seek(Hurry::None)
    }

    pub(crate) fn attend_merges(&mut self) -> Result<(), FrontierError> {
        if let Some(finished) = self.worker.poll()? {
            self.finished(finished);
        }
        self.take_in_arrivals(LINKS_A_CALL)?;
        if self.may_give_job() {
            let buckets = self.to_merge();
            if !buckets.is_empty() {
                self.give_merges(&buckets)?;
            }
        }
        Ok(())
    }

    fn may_give_job(&self) -> bool {
        let patient = self.settings.merging == Merging::Background
            && self.trouble.as_ref().is_some_and(|(since, _)| self.now < since.plus(TRY_AGAIN_AFTER));
        !self.at_work && self.arrivals.is_empty() && !patient && !matches!(self.worker, Worker::None)
    }

    /// Buckets whose pending part should go to disk now.
    fn to_merge(&self) -> Vec<usize> {
        let all = || self.buckets.iter().enumerate();
        let unfinished: Vec<usize> = all().filter(|(_, b)| b.frozen.is_some()).map(|(n, _)| n).collect();
        if !unfinished.is_empty() {
            return unfinished;
        }
        if self.pending_bytes() >= self.settings.pending_bytes() / 4 * 3 {
            return first_by(all().map(|(n, b)| (u64::MAX - b.pending.bytes(), n)));
        }
        let runs: u64 = all().filter_map(|(_, b)| b.run.as_ref()).map(|run| run.bytes()).sum();
        let most = self.settings.journal_bytes() + runs / 4;
        let late = |b: &Bucket| !b.pending.is_empty() && self.position - b.pending.since > most;
        if all().any(|(_, b)| late(b)) {
            return first_by(all().filter(|(_, b)| !b.pending.is_empty()).map(|(n, b)| (b.pending.since, n)));
        }
        Vec::new()
    }

    fn give_merges(&mut self, buckets: &[usize]) -> Result<(), FrontierError> {
        for number in buckets {
            let position = self.position;
            let bucket = &mut self.buckets[*number];
            if bucket.frozen.is_none() && !bucket.pending.is_empty() {
                let fresh = bucket.pending.sibling();
                bucket.frozen = Some(Arc::new(std::mem::replace(&mut bucket.pending, fresh)));
                bucket.frozen_mark = position;
            }
        }
        let passes = buckets.iter().map(|number| self.pass(*number, Freeze::Merge)).collect();
        self.give(self.job(passes, Ended::Unknown))
    }

    fn job(&self, passes: Vec<Pass>, ended: Ended) -> Job {
        let idle = |b: &Bucket| b.pending.is_empty() && b.frozen.is_none();
        Job {
            passes,
            idle: (0..self.buckets.len()).filter(|n| idle(&self.buckets[*n])).collect(),
            position: self.position,
            sequence: self.sequence,
            notes: self.notes.clone(),
            ended,
        }
    }

    fn pass(&self, number: usize, freeze: Freeze) -> Pass {
        let bucket = &self.buckets[number];
        Pass {
            bucket: number,
            run: bucket.run.clone(),
            frozen: bucket.frozen.clone().filter(|_| freeze == Freeze::Merge),
            update: self.update,
            gathering: Gathering {
                ranking: self.ranking,
                loaded: bucket.sites.keys().copied().collect(),
                wanted: bucket.wanted.clone(),
                from_site: bucket.cold_from.unwrap_or(0),
                most_sites: self.settings.bucket_sites().saturating_sub(bucket.sites.len()),
                head_limit: self.head_limit(),
            },
            mark: bucket.frozen_mark,
        }
    }

    fn give(&mut self, job: Job) -> Result<(), FrontierError> {
        self.at_work = true;
        for pass in &job.passes {
            self.buckets[pass.bucket].turned_cold = false;
        }
        if let Some(finished) = self.worker.give(job) {
            self.finished(finished);
            self.take_in_arrivals(usize::MAX)?;
        }
        Ok(())
    }

    /// The new runs are what is read from now on.
    fn finished(&mut self, finished: Finished) {
        self.at_work = false;
        self.trouble = finished.error.map(|error| (self.now, error));
        for passed in finished.passed {
            self.passed(passed);
        }
        self.queued = self.counts().queued;
    }

    fn passed(&mut self, passed: Passed) {
        let bucket = &mut self.buckets[passed.bucket];
        if let Some((run, texts, mark)) = passed.merged {
            bucket.run = Some(run);
            bucket.texts = texts;
            bucket.mark = mark;
            bucket.frozen = None;
            bucket.scanned = false;
        } else {
            // Sites whose links are all pending are in no run.
            bucket.turned_cold |= !bucket.pending.is_empty();
            bucket.scanned |= passed.gathered.left_out.is_none_or(|from| from == 0);
        }
        bucket.cold_from = passed.gathered.left_out.or(bucket.turned_cold.then_some(0));
        self.arrivals.extend(passed.gathered.sites.into_iter().map(Arrival::Site));
        let news = passed.gathered.news.into_iter();
        self.arrivals.extend(news.map(|(entry, novelty)| Arrival::News(entry, novelty)));
        let mut sought: Vec<u64> = passed.wanted.into_iter().collect();
        sought.sort_unstable();
        for site in sought {
            bucket.wanted.remove(&site);
            self.arrivals.push_back(Arrival::Sought(site));
        }
    }

    fn take_in_arrivals(&mut self, most: usize) -> Result<(), FrontierError> {
        let mut taken = 0;
        while taken < most
            && let Some(arrival) = self.arrivals.pop_front()
        {
            match arrival {
                Arrival::Site(found) => {
                    taken += 1 + found.best.len() + found.later.len();
                    self.take_in(found)?;
                }
                Arrival::News(entry, novelty) => {
                    taken += 1;
                    self.take_news(&entry, novelty)?;
                }
                Arrival::Sought(site) => {
                    // What came after the pass began waits in memory, where only a refill finds it.
                    let bucket = &mut self.buckets[bucket_of(site)];
                    let since = bucket.pending.of_site(site).next().is_some();
                    if let Some(loaded) = bucket.sites.get_mut(&site).filter(|loaded| loaded.wanted) {
                        (loaded.wanted, loaded.more) = (false, since);
                    }
                    self.wake(site);
                }
            }
        }
        Ok(())
    }

    /// Nothing is ready: whatever may bring something is done now.
    pub(crate) fn look_for_more(&mut self) -> Result<(), FrontierError> {
        self.check_mentions(CHECKS_A_CALL)?;
        self.seek(Hurry::NothingReady)
    }

    /// Looks on disk for sites that ran dry, and for sites that are not in memory while there is room for them.
    fn seek(&mut self, hurry: Hurry) -> Result<(), FrontierError> {
        if !self.may_give_job() {
            return Ok(());
        }
        let most = self.settings.bucket_sites();
        if hurry == Hurry::NothingReady {
            for number in 0..self.buckets.len() {
                if self.buckets[number].cold_from.is_some() {
                    self.shed(number, most);
                }
            }
        }
        let room = |b: &Bucket| match hurry {
            Hurry::NothingReady => b.sites.len() < most,
            // Sites go only when room is needed: a bucket that is nearly full would be looked through for a few.
            Hurry::None => !b.scanned && b.sites.len() < most / 4 * 3,
        };
        let seeks = |b: &Bucket| !b.wanted.is_empty() || (b.cold_from.is_some() && room(b));
        let all = self.buckets.iter().enumerate().filter(|(_, b)| seeks(b));
        let buckets: Vec<usize> = all.map(|(number, _)| number).take(BUCKETS_A_JOB).collect();
        // What was leased since the last merge is done in memory only: a run that does not know it shows the same
        // links again.
        let outdated = |number: &usize| {
            let bucket = &self.buckets[*number];
            !bucket.pending.is_empty() && (bucket.scanned || !bucket.wanted.is_empty())
        };
        let outdated: Vec<usize> = buckets.iter().copied().filter(outdated).collect();
        if !outdated.is_empty() {
            return self.give_merges(&outdated);
        }
        if buckets.is_empty() {
            return Ok(());
        }
        let passes = buckets.iter().map(|number| self.pass(*number, Freeze::Scan)).collect();
        self.give(self.job(passes, Ended::Unknown))
    }

    fn check_mentions(&mut self, mut left: usize) -> Result<(), FrontierError> {
        for number in 0..self.buckets.len() {
            let mut place = 0;
            while left > 0 && self.buckets[number].pending.unchecked > 0 {
                let bucket = &mut self.buckets[number];
                let Some(entry) = bucket.pending.at(place) else { break };
                place += 1;
                if !entry.is_unchecked() {
                    continue;
                }
                left -= 1;
                if let Some(checked) = bucket.check(self.update, place - 1)? {
                    self.looked_up(&checked)?;
                }
            }
        }
        Ok(())
    }

    /// Brings everything applied so far into the runs, and waits for it.
    pub fn checkpoint(&mut self) -> Result<(), FrontierError> {
        if let Worker::None = self.worker {
            return Err(FrontierError::ReadOnly);
        }
        self.wait_for_worker()?;
        // A merge that failed before leaves a layer of its own, below what is pending.
        for _ in 0..2 {
            let full = |b: &Bucket| b.frozen.is_some() || !b.pending.is_empty();
            let buckets: Vec<usize> = (0..self.buckets.len()).filter(|n| full(&self.buckets[*n])).collect();
            if !buckets.is_empty() {
                self.give_merges(&buckets)?;
                self.wait_for_worker()?;
            }
            if let Some((_, error)) = self.trouble.take() {
                return Err(error);
            }
        }
        Ok(())
    }

    fn wait_for_worker(&mut self) -> Result<(), FrontierError> {
        if self.at_work
            && let Some(finished) = self.worker.wait()?
        {
            self.finished(finished);
        }
        self.take_in_arrivals(usize::MAX)
    }

    /// Waits until a merge made room, for whoever reads the journal faster than it can be merged.
    pub(crate) fn make_room(&mut self) -> Result<(), FrontierError> {
        while self.crowded() {
            self.attend_merges()?;
            if !self.at_work {
                return Ok(());
            }
            self.wait_for_worker()?;
            if let Some((_, error)) = self.trouble.take() {
                return Err(error);
            }
        }
        Ok(())
    }

    /// Ends well: rests are committed, and the next start knows that nothing was asked since.
    pub fn close(mut self, journal: &mut Journal) -> Result<(), FrontierError> {
        self.end(journal)
    }

    /// As `close`, for a frontier that others still hold: it can be read afterwards, and nothing else.
    pub fn end(&mut self, journal: &mut Journal) -> Result<(), FrontierError> {
        // Larger stores are left as they are: reading the journal again is faster than merging all of them.
        const SMALL: u64 = 256 << 20;
        let rests = self.uncommitted_rests();
        if !rests.changes.is_empty() {
            let committed = journal.commit(&rests)?;
            self.apply(committed)?;
        }
        let runs: u64 = self.buckets.iter().filter_map(|b| b.run.as_ref()).map(|run| run.bytes()).sum();
        self.wait_for_worker()?;
        if runs <= SMALL {
            self.checkpoint()?;
        }
        let job = self.job(Vec::new(), Ended::Cleanly);
        self.give(job)?;
        self.wait_for_worker()?;
        if let Some((_, error)) = self.trouble.take() {
            return Err(error);
        }
        // A change after this would not be known to be one: the mark says that nothing happened since.
        self.broken = true;
        Ok(())
    }

    /// Rests of sites that were released, and whose rest is not in the journal.
    fn uncommitted_rests(&self) -> Transaction {
        let loaded = self.buckets.iter().flat_map(|bucket| bucket.sites.iter());
        let resting = loaded.filter(|(_, site)| site.rest > site.row.until && site.rest > self.now);
        let mut rests: Vec<(u64, Time, Duration)> =
            resting.map(|(key, site)| (*key, site.rest, site.delay())).collect();
        rests.sort_unstable();
        let change = |(site, until, delay)| Change::SiteRests { site, until, delay };
        Transaction { changes: rests.into_iter().map(change).collect() }
    }
}

/// How urgent it is to find something.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hurry {
    None,
    NothingReady,
}

/// Whether a pass takes along what is frozen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Freeze {
    Merge,
    Scan,
}

/// The buckets with the smallest numbers before them.
fn first_by(buckets: impl Iterator<Item = (u64, usize)>) -> Vec<usize> {
    let mut buckets: Vec<(u64, usize)> = buckets.collect();
    buckets.sort_unstable();
    buckets.into_iter().map(|(_, number)| number).take(BUCKETS_A_JOB).collect()
}
