//! Mentions that may change what their site gives next. What a link had before is on disk, so what it comes to is
//! looked up when its site has its turn, for many links at once, and not for each mention.

use annalist_model::UrlKey;
use annalist_model::spec::Update;

use crate::agenda::Weight;
use crate::bucket::{Bucket, Checked};
use crate::entry::Entry;
use crate::error::FrontierError;
use crate::frontier::Frontier;
use crate::rank::MOST;
use crate::settings::bucket_of;
use crate::site::Site;

/// Mentions of one site: what a lease may have to look up.
const MOST_DOUBTS: usize = 512;

impl Frontier {
    /// A link was mentioned. If it may belong into the head of its site for that, it is looked up before the next lease.
    pub(crate) fn doubt(&mut self, mention: &Entry) -> Result<(), FrontierError> {
        if !mention.is_queued() {
            return Ok(());
        }
        let key = mention.key;
        let Some(site) = self.buckets[bucket_of(key.site)].sites.get(&key.site) else {
            return self.look_up_if_few_sites(mention);
        };
        let Some(promise) = self.promise(site, mention) else { return Ok(()) };
        let Some(site) = self.site_mut(key.site) else { return Ok(()) };
        site.promise = site.promise.max(promise);
        site.doubts.push(key.url);
        let many = site.doubts.len() >= MOST_DOUBTS;
        self.doubts += 1;
        if many || self.doubts > self.settings.doubts() {
            self.resolve_doubts(key.site)?;
        }
        self.wake(key.site);
        Ok(())
    }

    /// What the link of a mention may weigh, if that may give it a place in the head.
    fn promise(&self, site: &Site, mention: &Entry) -> Option<Weight> {
        if site.is_closed() {
            return None;
        }
        let Some((worst, best)) = site.head.worst().zip(site.head.best()) else {
            // A refill would see it anyway.
            return (!site.more).then_some(MOST);
        };
        let most = self.ranking.most(self.update, mention, worst, best);
        (!site.more || most >= worst.weight()).then_some(most)
    }

    /// The site of a mention is not in memory. Where there is little else to lease, it may be needed now.
    fn look_up_if_few_sites(&mut self, mention: &Entry) -> Result<(), FrontierError> {
        const FEW_SITES: usize = 16;
        if self.lookups_left == 0 || self.ready_sites + self.waiting_sites >= FEW_SITES {
            return Ok(());
        }
        self.lookups_left -= 1;
        let update = self.update;
        let bucket = &mut self.buckets[bucket_of(mention.key.site)];
        let Some(place) = bucket.pending.find(mention.key) else { return Ok(()) };
        match bucket.check(update, place)? {
            Some(checked) => self.looked_up(&checked),
            None => Ok(()),
        }
    }

    /// Takes a mention that was looked up to its place in memory.
    pub(crate) fn looked_up(&mut self, checked: &Checked) -> Result<(), FrontierError> {
        let Checked { entry, before } = checked;
        if !entry.is_queued() {
            return Ok(());
        }
        let Some(before) = before.filter(Entry::is_queued) else { return self.arrived(entry) };
        let old = self.ranking.rank(&before);
        if let Some(site) = self.site_mut(entry.key.site) {
            site.head.remove(&old);
        }
        self.offer(entry)
    }

    /// Looks up what is in doubt of a site, so that its head is right.
    pub(crate) fn resolve_doubts(&mut self, site: u64) -> Result<(), FrontierError> {
        let mut urls = self.forget_doubts(site);
        let unneeded = self.site_mut(site).is_none_or(|site| site.more && site.head.is_empty());
        if urls.is_empty() || unneeded {
            return Ok(());
        }
        urls.sort_unstable();
        urls.dedup();
        let blocks = self.buckets[bucket_of(site)].run.as_ref().map_or(0, |run| run.blocks_of(site).len());
        // Reading all of the site is less work than reading as many single rows.
        if blocks <= urls.len().min(self.settings.blocks_in_passing()) {
            return self.refill(site);
        }
        let update = self.update;
        for url in urls {
            let key = UrlKey { site, url };
            let bucket = &mut self.buckets[bucket_of(site)];
            if let Some(checked) = looked_up(bucket, update, key)? {
                self.looked_up(&checked)?;
            }
        }
        Ok(())
    }

    /// For a head that was made anew.
    pub(crate) fn forget_doubts(&mut self, site: u64) -> Vec<u64> {
        let Some(site) = self.site_mut(site) else { return Vec::new() };
        let doubts = std::mem::take(&mut site.doubts);
        site.promise = (0, 0);
        self.doubts -= doubts.len();
        doubts
    }
}

fn looked_up(bucket: &mut Bucket, update: Update, key: UrlKey) -> Result<Option<Checked>, FrontierError> {
    if let Some(place) = bucket.pending.find(key) {
        return bucket.check(update, place);
    }
    // It was merged meanwhile, or is being merged: the pass tells whether it is new.
    let entry = bucket.peek(update, key)?;
    Ok(entry.map(|entry| Checked { entry, before: Some(entry) }))
}
