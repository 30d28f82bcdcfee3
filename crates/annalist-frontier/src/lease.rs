//! Leases: some links of one site, for one visitor, now. How a site's head is filled is in `refill.rs`.

use std::cmp::Reverse;

use annalist_model::spec::SiteOrder;
use annalist_model::{Link, Time, UrlKey};

use crate::bucket::Reading;
use crate::entry::{Entry, Kind};
use crate::error::FrontierError;
use crate::frontier::Frontier;
use crate::host_key;
use crate::rank::Rank;
use crate::record::{self, Record};
use crate::settings::{Urgency, bucket_of};
use crate::site::Phase;

/// Which lease; a number is used once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LeaseId {
    pub site: u64,
    serial: u64,
}

/// Permission to fetch some links of one site now, best first.
#[derive(Clone, Debug, PartialEq)]
pub struct Lease {
    pub id: LeaseId,
    pub site: u64,
    pub links: Vec<LeasedLink>,
    /// When it is over, released or not.
    pub expires: Time,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LeasedLink {
    pub link: Link,
    pub key: UrlKey,
    pub value: f32,
    /// How often it was tried before.
    pub tries: u16,
    pub urgency: Urgency,
}

/// A lease that is out.
#[derive(Debug)]
pub(crate) struct Held {
    serial: u64,
    /// Links without an outcome so far.
    pub(crate) urls: Vec<u64>,
}

/// What became of a link whose turn it was.
enum Turn {
    Leased(Box<LeasedLink>),
    /// It had its outcome meanwhile, or another place.
    Passed,
    /// Its host rests.
    Aside,
}

impl Frontier {
    /// The best links of the next site that may be asked, if any may.
    pub fn next(&mut self, now: Time) -> Result<Option<Lease>, FrontierError> {
        self.usable()?;
        self.now = self.now.max(now);
        self.attend()?;
        self.expire()?;
        self.call_due();
        if let Some(lease) = self.first_lease()? {
            return Ok(Some(lease));
        }
        self.look_for_more()?;
        self.first_lease()
    }

    fn usable(&self) -> Result<(), FrontierError> {
        if self.broken { Err(FrontierError::Broken) } else { Ok(()) }
    }

    fn first_lease(&mut self) -> Result<Option<Lease>, FrontierError> {
        // Sites that turn out to have nothing cost time: a call gives up after some.
        const TRIES: usize = 16;
        let mut tries = 0;
        while tries < TRIES
            && let Some(ticket) = self.agenda.next_ready()
        {
            if !self.is_valid(ticket) {
                continue;
            }
            tries += 1;
            if let Some(lease) = self.lease_of(ticket.site)? {
                return Ok(Some(lease));
            }
        }
        Ok(None)
    }

    /// Sites whose rest is over become ready.
    fn call_due(&mut self) {
        while let Some(ticket) = self.agenda.next_due(self.now) {
            if self.is_valid(ticket) {
                self.set_phase(ticket.site, Phase::Idle);
                self.wake(ticket.site);
            }
        }
        // So that `next_ready_at` speaks of a site that does wait.
        while let Some((_, ticket)) = self.agenda.earliest()
            && !self.is_valid(ticket)
        {
            self.agenda.drop_earliest();
        }
        self.tidy_agenda();
    }

    fn lease_of(&mut self, site: u64) -> Result<Option<Lease>, FrontierError> {
        self.set_phase(site, Phase::Idle);
        let now = self.now;
        let least = usize::from(self.settings.links_per_turn.max(1));
        let Some(loaded) = self.site_mut(site) else { return Ok(None) };
        if loaded.due().is_none_or(|due| due > now) {
            self.wake(site);
            return Ok(None);
        }
        let promised = loaded.weight;
        self.call_back(site)?;
        if self.site_mut(site).is_some_and(|s| s.more && !s.wanted && s.head.len() < least) {
            self.refill(site)?;
        }
        self.resolve_doubts(site)?;
        if self.is_lighter(site, promised)? {
            self.set_phase(site, Phase::Idle);
            self.wake(site);
            return Ok(None);
        }
        // From here on what is taken counts as leased: a refill on the way must not bring it again.
        let serial = self.next_lease;
        self.leases.insert(site, Held { serial, urls: Vec::new() });
        match self.take_links(site, least) {
            Ok(links) if !links.is_empty() => Ok(Some(self.hold(site, serial, links))),
            other => {
                self.leases.remove(&site);
                if let Some(loaded) = self.site_mut(site) {
                    // After an error, what was taken is only in the store.
                    loaded.more |= other.is_err();
                }
                self.wake(site);
                other.map(|_| None)
            }
        }
    }

    /// Links whose time has come take their place in the head, which may be another than when they left it.
    fn call_back(&mut self, site: u64) -> Result<(), FrontierError> {
        let now = self.now;
        let due = self.site_mut(site).map(|site| site.take_due(now)).unwrap_or_default();
        for url in due {
            self.give_back(UrlKey { site, url })?;
        }
        Ok(())
    }

    /// Where the best link decides: whether the site promised a better one than it has.
    fn is_lighter(&mut self, site: u64, promised: (u64, u64)) -> Result<bool, FrontierError> {
        if self.settings.site_order != SiteOrder::BestLink {
            return Ok(false);
        }
        while let Some(best) = self.site_mut(site).and_then(|site| site.head.best().copied()) {
            let key = UrlKey { site, url: best.url };
            let entry = self.buckets[bucket_of(site)].peek(self.update, key)?.filter(Entry::is_queued);
            if entry.is_some_and(|entry| self.ranking.rank(&entry) == best && !self.is_out(key)) {
                return Ok(best.weight() < promised);
            }
            // Its score changed on disk: it has to stand in line again.
            if let Some(site) = self.site_mut(site) {
                site.head.pop();
            }
            self.give_back(key)?;
        }
        Ok(false)
    }

    fn take_links(&mut self, site: u64, most: usize) -> Result<Vec<LeasedLink>, FrontierError> {
        let mut links = Vec::new();
        let (mut set_aside, mut refills) = (0, 0);
        while links.len() < most && set_aside < 8 * most {
            let Some(rank) = self.site_mut(site).and_then(|site| site.head.pop()) else {
                // All of the head was of a host that rests, perhaps: the store may hold others.
                if refills > 0 || !self.site_mut(site).is_some_and(|site| site.more && !site.wanted) {
                    break;
                }
                refills += 1;
                self.refill(site)?;
                continue;
            };
            match self.turn_of(site, rank)? {
                Turn::Leased(link) => {
                    if let Some(held) = self.leases.get_mut(&site) {
                        held.urls.push(rank.url);
                    }
                    links.push(*link);
                }
                Turn::Passed => {}
                Turn::Aside => set_aside += 1,
            }
        }
        Ok(links)
    }

    fn turn_of(&mut self, site: u64, rank: Rank) -> Result<Turn, FrontierError> {
        let key = UrlKey { site, url: rank.url };
        let mut body = Vec::new();
        let bucket = &self.buckets[bucket_of(site)];
        let entry = bucket.examine(self.update, key, &mut |text| {
            if !record::names_link(text) {
                return Reading::Further;
            }
            text.clone_into(&mut body);
            Reading::Enough
        })?;
        let Some(entry) = entry.filter(|entry| entry.is_queued() && !self.is_out(key)) else {
            return Ok(Turn::Passed);
        };
        if self.ranking.rank(&entry) != rank {
            // Its score changed on disk: it has to stand in line again.
            self.offer(&entry)?;
            return Ok(Turn::Passed);
        }
        let record = record::read(&body).map_err(FrontierError::malformed("text log"))?;
        let (Record::Link(text) | Record::Refused { link: text, .. }) = record else {
            return Err(FrontierError::damaged("text log", "a link has no text"));
        };
        if let Some(until) = self.host_rest(site, &text.url)? {
            if let Some(site) = self.site_mut(site) {
                site.set_aside(until, rank);
            }
            return Ok(Turn::Aside);
        }
        let link = text.into_link().map_err(FrontierError::malformed("text log"))?;
        Ok(Turn::Leased(Box::new(LeasedLink {
            link,
            key,
            value: entry.value,
            tries: u16::from(entry.tries),
            urgency: if entry.is_urgent() { Urgency::Urgent } else { Urgency::Normal },
        })))
    }

    /// Until when the link's host rests, if it does.
    fn host_rest(&self, site: u64, url: &str) -> Result<Option<Time>, FrontierError> {
        let key = UrlKey { site, url: host_key(host_of(url)).max(1) };
        let entry = self.buckets[bucket_of(site)].peek(self.update, key)?;
        let until =
            entry.filter(|entry| entry.kind() == Kind::Host).map(|entry| Time::from_millis(entry.turn));
        Ok(until.filter(|until| *until > self.now))
    }

    fn hold(&mut self, site: u64, serial: u64, links: Vec<LeasedLink>) -> Lease {
        self.next_lease += 1;
        let expires = self.now.plus(self.settings.lease_time);
        self.set_phase(site, Phase::Busy);
        self.expiries.push(Reverse((expires, serial, site)));
        Lease { id: LeaseId { site, serial }, site, links, expires }
    }

    /// Ends a lease: the site may be asked again at `until`. Links that were visited wait for their `Done` or `Retry`,
    /// the others go back to the queue.
    pub fn release(&mut self, lease: LeaseId, until: Time, visited: &[UrlKey]) -> Result<(), FrontierError> {
        self.usable()?;
        if let Some(site) = self.site_mut(lease.site) {
            site.rest = site.rest.max(until);
        }
        let Some(held) = self.leases.remove(&lease.site) else { return self.announce_late(lease, visited) };
        if held.serial != lease.serial {
            self.leases.insert(lease.site, held);
            return self.announce_late(lease, visited);
        }
        for url in held.urls {
            let key = UrlKey { site: lease.site, url };
            if visited.contains(&key) { self.announce(key) } else { self.give_back(key)? }
        }
        self.set_phase(lease.site, Phase::Idle);
        self.wake(lease.site);
        Ok(())
    }

    /// The lease expired before: its links went back, and the visited ones among them are taken out again.
    fn announce_late(&mut self, lease: LeaseId, visited: &[UrlKey]) -> Result<(), FrontierError> {
        for key in visited.iter().filter(|key| key.site == lease.site) {
            let entry = self.buckets[bucket_of(key.site)].peek(self.update, *key)?;
            // What is queued for later has had its outcome already.
            let waits =
                |entry: Entry| entry.is_queued() && entry.not_before().is_none_or(|time| time <= self.now);
            if entry.is_some_and(waits) && !self.is_out(*key) {
                if let Some(site) = self.site_mut(key.site) {
                    site.remove(key.url);
                }
                self.announce(*key);
            }
        }
        self.set_waiting_again(lease.site);
        Ok(())
    }

    fn set_waiting_again(&mut self, site: u64) {
        if self.site_mut(site).is_some_and(|site| site.phase != Phase::Busy) {
            self.set_phase(site, Phase::Idle);
            self.wake(site);
        }
    }

    fn announce(&mut self, key: UrlKey) {
        if self.announced.insert(key)
            && let Some(site) = self.site_mut(key.site)
        {
            site.announced += 1;
        }
    }

    fn give_back(&mut self, key: UrlKey) -> Result<(), FrontierError> {
        let entry = self.buckets[bucket_of(key.site)].peek(self.update, key)?;
        match entry.filter(Entry::is_queued) {
            Some(entry) => self.offer(&entry),
            None => Ok(()),
        }
    }

    /// Leases that nobody released give their links back.
    fn expire(&mut self) -> Result<(), FrontierError> {
        while let Some(Reverse((expires, serial, site))) = self.expiries.peek().copied() {
            let held = self.leases.get(&site).is_some_and(|held| held.serial == serial);
            if held && expires > self.now {
                break;
            }
            self.expiries.pop();
            if held {
                tracing::debug!(site, "a lease expired");
                self.release(LeaseId { site, serial }, self.now, &[])?;
            }
        }
        Ok(())
    }
}

/// Scheme and authority of a canonical URL.
fn host_of(url: &str) -> &str {
    let authority = url.find("://").map_or(0, |at| at + 3);
    let end = url.get(authority..).and_then(|rest| rest.find('/'));
    end.and_then(|end| url.get(..authority + end)).unwrap_or(url)
}

#[cfg(test)]
mod tests {
    use annalist_model::CanonicalUrl;

    use super::host_of;

    #[test]
    fn a_host_is_what_the_model_says_it_is() {
        for url in ["http://a.test/", "https://b.test:8443/x?y=/z", "http://[::1]:80/a/b"] {
            let url = CanonicalUrl::parse(url).unwrap();
            assert_eq!(host_of(url.as_str()), url.host());
        }
    }
}
