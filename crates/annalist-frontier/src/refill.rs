//! How the head of a site is filled again from the store: in passing for most sites, by a pass over the bucket for the
//! largest.

use annalist_model::UrlKey;

use crate::bucket::Novelty;
use crate::entry::Entry;
use crate::error::FrontierError;
use crate::frontier::Frontier;
use crate::hash::Set;
use crate::head::Head;
use crate::merge::{FoundSite, keep_best};
use crate::rank::Rank;
use crate::settings::bucket_of;

impl Frontier {
    /// Fills a site's head with its best links, or asks for a pass when the site is too large for that.
    pub(crate) fn refill(&mut self, site: u64) -> Result<(), FrontierError> {
        let bucket = &mut self.buckets[bucket_of(site)];
        let most = self.settings.blocks_in_passing();
        let Some(rows) = bucket.site_rows(self.update, site, most)? else {
            bucket.wanted.insert(site);
            if let Some(site) = bucket.sites.get_mut(&site) {
                site.wanted = true;
            }
            return Ok(());
        };
        let (mut best, mut later) = (Vec::new(), Vec::new());
        let mut count = 0;
        let aside = self.aside(site);
        for entry in rows.iter().filter(|entry| entry.is_queued()) {
            count += 1;
            if aside.contains(&entry.key.url) || self.is_out(entry.key) {
                continue;
            }
            let rank = self.ranking.rank(entry);
            match entry.not_before() {
                Some(time) if time > self.now => later.push(rank),
                _ => best.push(rank),
            }
        }
        let limit = self.head_limit().of(count);
        let more = best.len() > limit;
        keep_best(&mut best, limit);
        self.forget_doubts(site);
        let Some(site) = self.site_mut(site) else { return Ok(()) };
        site.head = Head::of(best);
        site.more = more;
        site.queued = count;
        site.set_all_aside(later);
        Ok(())
    }

    /// Links of a site that are set aside.
    fn aside(&self, site: u64) -> Set<u64> {
        let loaded = self.buckets[bucket_of(site)].sites.get(&site);
        loaded.into_iter().flat_map(|site| site.aside.iter().map(|(_, rank)| rank.url)).collect()
    }

    /// Leased, visited or set aside: not for the head.
    fn is_elsewhere(&self, key: UrlKey) -> bool {
        let aside =
            self.buckets[bucket_of(key.site)].sites.get(&key.site).is_some_and(|s| s.is_aside(key.url));
        aside || self.is_out(key)
    }

    /// Takes in what a pass found of a site. Changes since the pass are in the pending layer.
    pub(crate) fn take_in(&mut self, found: FoundSite) -> Result<(), FrontierError> {
        let site = found.site;
        let known = self.site_mut(site).is_some_and(|loaded| !loaded.wanted);
        if known || !self.load(site)? {
            return Ok(());
        }
        let aside = self.aside(site);
        let (mut best, mut later) = (Vec::new(), Vec::new());
        for (ranks, kept) in [(&found.best, &mut best), (&found.later, &mut later)] {
            for rank in ranks.iter().filter(|rank| !aside.contains(&rank.url)) {
                self.still_queued(site, rank, kept)?;
            }
        }
        let (due, later): (Vec<Rank>, Vec<Rank>) =
            later.into_iter().partition(|r| r.not_before() <= self.now);
        best.extend(due);
        // What the pass did not see is in memory: it is offered now, or looked up later.
        let bucket = &self.buckets[bucket_of(site)];
        let layers = bucket.frozen.as_deref().into_iter().chain([&bucket.pending]);
        let fresh: Vec<Entry> =
            layers.flat_map(|layer| layer.of_site(site)).filter(|e| e.is_queued()).copied().collect();
        let limit = self.head_limit().of(found.queued);
        let overfull = best.len() > limit;
        keep_best(&mut best, limit);
        self.forget_doubts(site);
        let Some(loaded) = self.site_mut(site) else { return Ok(()) };
        loaded.head = Head::of(best);
        loaded.more = overfull || found.more;
        loaded.overflow |= found.more_later;
        loaded.wanted = false;
        loaded.queued = loaded.queued.max(found.queued);
        loaded.set_all_aside(later);
        for entry in fresh {
            self.doubt(&entry)?;
        }
        self.wake(site);
        Ok(())
    }

    /// Keeps a rank that a pass found, if its link is still to be leased, under its present rank.
    fn still_queued(&self, site: u64, rank: &Rank, kept: &mut Vec<Rank>) -> Result<(), FrontierError> {
        let key = UrlKey { site, url: rank.url };
        if self.is_out(key) {
            return Ok(());
        }
        let bucket = &self.buckets[bucket_of(site)];
        if bucket.pending.find(key).is_none() {
            kept.push(*rank);
            return Ok(());
        }
        if let Some(entry) = bucket.peek(self.update, key)?.filter(Entry::is_queued)
            && entry.not_before().is_none_or(|time| time <= self.now)
        {
            kept.push(self.ranking.rank(&entry));
        }
        Ok(())
    }

    /// Takes in a link that a merge found queued, of a site that was in memory then.
    pub(crate) fn take_news(&mut self, found: &Entry, novelty: Novelty) -> Result<(), FrontierError> {
        let (key, rank) = (found.key, self.ranking.rank(found));
        let Some(site) = self.site_mut(key.site) else { return Ok(()) };
        if novelty == Novelty::New {
            site.queued += 1;
        }
        let below = site.more && site.head.worst().is_none_or(|worst| rank < *worst);
        if below && !site.head.holds(key.url) {
            self.wake(key.site);
            return Ok(());
        }
        let bucket = &self.buckets[bucket_of(key.site)];
        let entry = match bucket.pending.find(key) {
            None => Some(*found),
            Some(_) => bucket.peek(self.update, key)?.filter(Entry::is_queued),
        };
        match entry {
            Some(entry) if !self.is_elsewhere(key) => self.offer_again(&entry),
            _ => Ok(()),
        }
    }
}
