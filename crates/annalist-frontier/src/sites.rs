//! How a site comes into memory and leaves it, and how it gets its place in the agenda. Its links on disk are found in
//! `refill.rs`.

use std::time::Duration;

use annalist_model::spec::SiteOrder;
use annalist_model::{Time, UrlKey};

use crate::agenda::{Agenda, Ticket, Weight};
use crate::entry::{Entry, SiteRow};
use crate::error::FrontierError;
use crate::frontier::Frontier;
use crate::merge::HeadLimit;
use crate::settings::bucket_of;
use crate::site::{Phase, Site};

impl Frontier {
    pub(crate) fn site_row(&self, site: u64) -> Result<Option<SiteRow>, FrontierError> {
        let row = self.buckets[bucket_of(site)].peek(self.update, SiteRow::key(site))?;
        Ok(row.as_ref().map(SiteRow::of))
    }

    pub(crate) fn site_mut(&mut self, site: u64) -> Option<&mut Site> {
        self.buckets[bucket_of(site)].sites.get_mut(&site)
    }

    /// Somebody's to visit, and without an outcome so far.
    pub fn is_leased(&self, key: UrlKey) -> bool {
        self.leases.get(&key.site).is_some_and(|held| held.urls.contains(&key.url))
    }

    /// Leased, or visited and not committed: not to be given out again.
    pub(crate) fn is_out(&self, key: UrlKey) -> bool {
        self.announced.contains(&key) || self.is_leased(key)
    }

    /// How many links a site's head may hold; fewer when there are many sites, or many links.
    pub(crate) fn head_limit(&self) -> HeadLimit {
        let room = self.settings.head_links();
        // A power of two: the memory of a head grows by doubling.
        let least = 1 << (room / 2 / self.loaded_sites.max(1)).clamp(8, 64).ilog2();
        HeadLimit { least, share: (2 * self.queued / room as u64).max(16) }
    }

    /// Brings a site into memory; `false` when there is no room for another.
    pub(crate) fn load(&mut self, site: u64) -> Result<bool, FrontierError> {
        let (update, most) = (self.update, self.settings.bucket_sites());
        let bucket = &mut self.buckets[bucket_of(site)];
        if bucket.sites.contains_key(&site) {
            return Ok(true);
        }
        if bucket.sites.len() >= most {
            self.shed(bucket_of(site), most);
        }
        let bucket = &mut self.buckets[bucket_of(site)];
        if bucket.sites.len() >= most {
            bucket.turn_cold();
            return Ok(false);
        }
        let row = bucket.resolve(update, SiteRow::key(site))?;
        let known = SiteRow::default();
        let row = match row {
            Some(row) => SiteRow::of(&row),
            None => {
                bucket.replace(None, known.entry(site), None);
                known
            }
        };
        let mut fresh = Site::new(row, self.rest_of(&row));
        let bucket = &mut self.buckets[bucket_of(site)];
        // Other links of it may be anywhere: the first refill finds out.
        fresh.more =
            bucket.run.is_some() || bucket.frozen.is_some() || bucket.pending.of_site(site).nth(1).is_some();
        bucket.sites.insert(site, fresh);
        self.loaded_sites += 1;
        Ok(true)
    }

    /// Lets sites go that have nothing to do, then, if need be, some that have: they come back with a later pass.
    pub(crate) fn shed(&mut self, bucket: usize, most: usize) {
        let now = self.now;
        let bucket = &mut self.buckets[bucket];
        let free = |site: &Site| {
            site.phase != Phase::Busy && site.announced == 0 && site.rest <= now && !site.wanted
        };
        let idle = bucket.sites.values().filter(|site| free(site) && site.phase == Phase::Idle).count();
        let mut excess = (bucket.sites.len() - idle).saturating_sub(most - most / 4);
        if bucket.sites.len() - idle < most {
            excess = 0;
        }
        let mut gone = Vec::new();
        let mut doubts = 0;
        bucket.sites.retain(|_, site| {
            let goes = free(site) && (site.phase == Phase::Idle || excess > 0);
            if goes {
                excess -= usize::from(site.phase != Phase::Idle);
                gone.push(site.phase);
                doubts += site.doubts.len();
            }
            !goes
        });
        if gone.iter().any(|phase| *phase != Phase::Idle) {
            bucket.turn_cold();
        }
        self.loaded_sites -= gone.len();
        self.doubts -= doubts;
        for phase in gone {
            self.count_phase(phase, Phase::Idle);
        }
    }

    /// What the site's own rest and a restart that nobody prepared for demand.
    pub(crate) fn rest_of(&self, row: &SiteRow) -> Time {
        let Some(restarted) = self.restarted else { return row.until };
        let delay = Duration::from_millis(u64::from(row.delay_millis)).max(self.settings.default_delay);
        row.until.max(restarted.plus(delay))
    }

    /// Takes a queued link to its place in memory: the head of its site, or aside.
    pub(crate) fn offer(&mut self, entry: &Entry) -> Result<(), FrontierError> {
        let site = entry.key.site;
        if self.is_out(entry.key) || !self.load(site)? {
            return Ok(());
        }
        let rank = self.ranking.rank(entry);
        let (now, limit) = (self.now, self.head_limit());
        let Some(loaded) = self.site_mut(site) else { return Ok(()) };
        match entry.not_before() {
            Some(time) if time > now => loaded.set_aside(time, rank),
            _ => loaded.offer(rank, limit.of(loaded.queued)),
        }
        self.wake(site);
        Ok(())
    }

    /// As `offer`, for a link that may stand in the head under another rank.
    pub(crate) fn offer_again(&mut self, entry: &Entry) -> Result<(), FrontierError> {
        if let Some(site) = self.site_mut(entry.key.site) {
            site.remove(entry.key.url);
        }
        self.offer(entry)
    }

    /// Gives a site its place in the agenda, by what it has to do and when.
    pub(crate) fn wake(&mut self, key: u64) {
        let (now, order) = (self.now, self.settings.site_order);
        let Some(site) = self.buckets[bucket_of(key)].sites.get_mut(&key) else { return };
        if site.phase == Phase::Busy {
            return;
        }
        let (phase, until) = match site.due() {
            None => (Phase::Idle, Time::default()),
            Some(due) if due <= now => (Phase::Ready, Time::default()),
            Some(due) => (Phase::Waiting, due),
        };
        let weight = weight(order, site);
        let grown = weight > site.weight && phase == Phase::Ready && weighs_more(order, weight, site.weight);
        if phase == site.phase && until == site.waits && !grown {
            return;
        }
        self.stamps = self.stamps.wrapping_add(1);
        site.stamp = self.stamps;
        (site.waits, site.weight) = (until, weight);
        let ticket = Ticket { site: key, stamp: site.stamp };
        let before = std::mem::replace(&mut site.phase, phase);
        self.count_phase(before, phase);
        match phase {
            Phase::Ready => self.agenda.ready(ticket, weight),
            Phase::Waiting => self.agenda.wait(ticket, until),
            Phase::Idle | Phase::Busy => {}
        }
    }

    /// Changes a site's phase without a ticket.
    pub(crate) fn set_phase(&mut self, key: u64, phase: Phase) {
        self.stamps = self.stamps.wrapping_add(1);
        let stamp = self.stamps;
        let Some(site) = self.site_mut(key) else { return };
        site.stamp = stamp;
        let before = std::mem::replace(&mut site.phase, phase);
        self.count_phase(before, phase);
    }

    fn count_phase(&mut self, before: Phase, after: Phase) {
        for (phase, up) in [(before, false), (after, true)] {
            let count = match phase {
                Phase::Ready => &mut self.ready_sites,
                Phase::Waiting => &mut self.waiting_sites,
                Phase::Idle | Phase::Busy => continue,
            };
            *count = if up { *count + 1 } else { count.saturating_sub(1) };
        }
    }

    /// Whether a ticket still counts.
    pub(crate) fn is_valid(&self, ticket: Ticket) -> bool {
        let site = self.buckets[bucket_of(ticket.site)].sites.get(&ticket.site);
        site.is_some_and(|site| site.stamp == ticket.stamp)
    }

    /// Void tickets may not pile up.
    pub(crate) fn tidy_agenda(&mut self) {
        if self.agenda.len() > 4 * (self.ready_sites + self.waiting_sites) + 1024 {
            let mut agenda = std::mem::replace(&mut self.agenda, Agenda::new(self.settings.site_order));
            agenda.keep(|ticket| self.is_valid(ticket));
            self.agenda = agenda;
        }
    }
}

fn weight(order: SiteOrder, site: &Site) -> Weight {
    match order {
        SiteOrder::RoundRobin => (0, 0),
        // Unknown until it is refilled, which happens when its turn comes.
        SiteOrder::BestLink if site.head.is_empty() => (u64::MAX, 0),
        SiteOrder::BestLink => site.head.best().map_or((0, 0), |rank| rank.weight()).max(site.promise),
        SiteOrder::Largest => (site.queued, 0),
    }
}

/// Whether a site that is ready needs a better place. Sizes change with every link: small steps are not worth a ticket.
fn weighs_more(order: SiteOrder, now: Weight, then: Weight) -> bool {
    match order {
        SiteOrder::RoundRobin => false,
        SiteOrder::BestLink => true,
        SiteOrder::Largest => now.0 > then.0 + then.0 / 8,
    }
}
