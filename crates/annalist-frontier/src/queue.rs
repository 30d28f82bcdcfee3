//! The queue by site, for people to look at: of a frontier at work as far as it is in memory, of one at rest all of it.

use std::cmp::Reverse;
use std::collections::hash_map::Entry as Slot;

use annalist_model::{CanonicalUrl, SkipReason, Time, UrlKey};

use crate::bucket::Bucket;
use crate::entry::Entry;
use crate::error::FrontierError;
use crate::frontier::Frontier;
use crate::hash::{Map, Set};
use crate::rank::Rank;
use crate::settings::bucket_of;

/// Of a site's links, so many are looked at for its name: some were never mentioned anywhere, and are known by number only.
const LINKS_FOR_A_NAME: usize = 8;

/// A site that waits, for people to look at.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteQueue {
    /// Its name, as far as one of its links can be read.
    pub name: Option<String>,
    /// The best of its links that wait, where it is in memory.
    pub example: Option<CanonicalUrl>,
    /// What that is worth.
    pub best: Option<f32>,
    pub queued: u64,
    pub captures: u64,
    pub bytes: u64,
    pub rests_until: Time,
    pub closed: Option<SkipReason>,
}

/// Some of the sites that wait, those with the most links first.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SiteQueues {
    /// How many there are.
    pub total: usize,
    pub part: Vec<SiteQueue>,
}

impl Frontier {
    /// The sites with the most waiting links after leaving out `offset` of them, as far as they are in memory.
    pub fn busiest_sites(&self, offset: usize, most: usize) -> SiteQueues {
        let loaded = self.buckets.iter().flat_map(|bucket| bucket.sites.iter());
        let mut busiest: Vec<_> = loaded.filter(|(_, site)| site.queued > 0).collect();
        busiest.sort_by_key(|(id, site)| (Reverse(site.queued), **id));
        let total = busiest.len();
        let described = busiest.into_iter().skip(offset).take(most).map(|(id, site)| {
            // Links that were tried, and whose host rests, wait, too.
            let aside = || site.aside.iter().map(|(_, rank)| rank).max();
            let best = site.head.best().or_else(aside);
            let example = best.and_then(|best| self.url_at(UrlKey { site: *id, url: best.url }));
            SiteQueue {
                name: self.name_of(*id, example.as_ref()),
                example,
                best: best.map(Rank::value),
                queued: site.queued,
                captures: u64::from(site.row.captures),
                bytes: site.row.bytes,
                rests_until: site.rest,
                closed: site.row.closed,
            }
        });
        SiteQueues { total, part: described.collect() }
    }

    /// The same of all sites. Goes over every row of the store.
    pub fn all_sites_that_wait(&self, offset: usize, most: usize) -> Result<SiteQueues, FrontierError> {
        let mut waiting: Map<u64, (u64, Rank, f32)> = Map::default();
        let mut add = |entry: &Entry| {
            let (rank, value) = (self.ranking.rank(entry), entry.value);
            match waiting.entry(entry.key.site) {
                Slot::Vacant(slot) => drop(slot.insert((1, rank, value))),
                Slot::Occupied(mut slot) => {
                    let (queued, best, worth) = slot.get_mut();
                    *queued += 1;
                    if rank > *best {
                        (*best, *worth) = (rank, value);
                    }
                }
            }
        };
        self.buckets.iter().try_for_each(|bucket| self.each_queued(bucket, &mut add))?;
        let total = waiting.len();
        let mut busiest: Vec<_> = waiting.into_iter().collect();
        busiest.sort_by_key(|(site, (queued, ..))| (Reverse(*queued), *site));
        let described = busiest.into_iter().skip(offset).take(most).map(|(site, (queued, best, worth))| {
            let state = self.site_state(site)?;
            let example = self.url_at(UrlKey { site, url: best.url });
            Ok(SiteQueue {
                name: self.name_of(site, example.as_ref()),
                example,
                best: Some(worth),
                queued,
                captures: state.captures,
                bytes: state.bytes,
                rests_until: state.rests_until,
                closed: state.closed,
            })
        });
        Ok(SiteQueues { total, part: described.collect::<Result<_, FrontierError>>()? })
    }

    /// Calls `f` with the row of every queued link of a bucket, without its text.
    fn each_queued(&self, bucket: &Bucket, f: &mut dyn FnMut(&Entry)) -> Result<(), FrontierError> {
        let above = bucket.keys_in_memory();
        let newer: Set<UrlKey> = above.iter().copied().collect();
        // Of a crawl that came to its end nothing waits: no row of it has to be read.
        for row in bucket.run.iter().filter(|run| run.tally.queued > 0).flat_map(|run| run.rows()) {
            let row = row?;
            if row.is_queued() && !newer.contains(&row.key) {
                f(&row);
            }
        }
        for key in above {
            if let Some(row) = bucket.peek(self.update, key)?.filter(Entry::is_queued) {
                f(&row);
            }
        }
        Ok(())
    }

    /// The name of a site, by any of its links: one that is known already, those that are being fetched, some of the store.
    fn name_of(&self, site: u64, known: Option<&CanonicalUrl>) -> Option<String> {
        if let Some(url) = known {
            return Some(url.site().to_owned());
        }
        let leased = self.leases.get(&site).into_iter().flat_map(|held| held.urls.iter().copied());
        let leased = leased.map(|url| UrlKey { site, url });
        let mut links = leased.chain(self.buckets[bucket_of(site)].some_links(site, LINKS_FOR_A_NAME));
        links.find_map(|key| Some(self.url_at(key)?.site().to_owned()))
    }

    fn url_at(&self, key: UrlKey) -> Option<CanonicalUrl> {
        Some(self.lookup(key).ok()??.link?.url)
    }
}
