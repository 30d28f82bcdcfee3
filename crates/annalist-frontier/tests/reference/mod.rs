//! What the frontier should do, said as plainly as possible: everything in one map, nothing on disk.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use annalist_frontier::{Change, Frontier, Purpose, State, Urgency, host_key};
use annalist_model::spec::{Order, Update};
use annalist_model::{CanonicalUrl, Link, Time, UrlKey};

#[derive(Clone, Debug, PartialEq)]
pub enum RowState {
    Queued,
    Done,
    Refused,
}

#[derive(Clone, Debug)]
pub struct Row {
    pub state: RowState,
    pub value: f32,
    pub count: u32,
    pub urgent: bool,
    pub depth: u16,
    pub turn: u64,
    pub not_before: Option<Time>,
    pub tries: u16,
    pub host: u64,
    pub url: String,
}

#[derive(Clone, Debug, Default)]
pub struct SiteRow {
    pub rest: Time,
    pub committed_rest: Time,
    pub delay: Duration,
    pub closed: bool,
    pub captures: u64,
}

#[derive(Clone, Debug)]
pub struct Reference {
    pub order: Order,
    pub update: Update,
    pub rows: BTreeMap<UrlKey, Row>,
    pub sites: BTreeMap<u64, SiteRow>,
    pub hosts: BTreeMap<(u64, u64), Time>,
    pub notes: BTreeMap<String, Vec<u8>>,
    pub digests: BTreeMap<String, String>,
    pub out: BTreeSet<UrlKey>,
    sequence: u64,
}

/// A URL of the small web that tests use: `site`, `host` of it, `page` of that.
pub fn url(site: usize, host: usize, page: usize) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://h{host}.site{site}.test/{page}")).unwrap()
}

pub fn found(url: CanonicalUrl, value: f32, urgency: Urgency, depth: u16) -> Change {
    Change::Discovered { link: Link { depth, ..Link::seed(url, 0) }, value, urgency }
}

impl Reference {
    pub fn new(order: Order, update: Update) -> Reference {
        Reference {
            order,
            update: if order == Order::Opic { Update::Sum } else { update },
            rows: BTreeMap::new(),
            sites: BTreeMap::new(),
            hosts: BTreeMap::new(),
            notes: BTreeMap::new(),
            digests: BTreeMap::new(),
            out: BTreeSet::new(),
            sequence: 1,
        }
    }

    pub fn apply(&mut self, changes: &[Change]) {
        for change in changes {
            let turn = self.sequence;
            self.sequence += 1;
            self.change(change, turn);
        }
    }

    fn change(&mut self, change: &Change, turn: u64) {
        match change {
            Change::Discovered { link, value, urgency } => self.discovered(link, *value, *urgency, turn),
            Change::Refused { link, .. } => {
                let fresh = row(link, RowState::Refused, 0.0, false, turn);
                let row = self.rows.entry(link.url.key()).or_insert(Row { count: 0, ..fresh });
                if row.state == RowState::Refused {
                    row.count += 1;
                }
            }
            Change::Done { key, digest, purpose, .. } => {
                let url = self.rows.get(key).map(|row| row.url.clone()).unwrap_or_default();
                if let Some(row) = self.rows.get_mut(key) {
                    row.state = RowState::Done;
                }
                if let Some(digest) = digest {
                    self.digests.entry(digest.clone()).or_insert(url);
                }
                self.sites.entry(key.site).or_default().captures += u64::from(*purpose == Purpose::Page);
                self.out.remove(key);
            }
            Change::Retry { key, not_before, tries, .. } => {
                if let Some(row) = self.rows.get_mut(key).filter(|row| row.state == RowState::Queued) {
                    row.not_before = Some(*not_before);
                    row.turn = not_before.millis();
                    row.tries = *tries;
                }
                self.out.remove(key);
            }
            Change::Again { key, not_before, .. } => {
                if let Some(row) = self.rows.get_mut(key).filter(|row| row.state == RowState::Done) {
                    row.state = RowState::Queued;
                    row.not_before = Some(*not_before);
                    row.turn = not_before.millis();
                    row.tries = 0;
                }
            }
            Change::Valued { key, value } => {
                if let Some(row) = self.rows.get_mut(key).filter(|row| row.state == RowState::Queued) {
                    row.value = *value;
                }
            }
            Change::SiteRests { site, until, delay } => {
                let site = self.sites.entry(*site).or_default();
                site.committed_rest = site.committed_rest.max(*until);
                site.rest = site.rest.max(*until);
                site.delay = *delay;
            }
            Change::SiteRestsAnew { site, until, delay } => {
                let site = self.sites.entry(*site).or_default();
                (site.committed_rest, site.rest, site.delay) = (*until, *until, *delay);
            }
            Change::HostRests { site, host, until } => {
                let rest = self.hosts.entry((*site, *host)).or_default();
                *rest = (*rest).max(*until);
            }
            Change::SiteClosed { site, .. } => self.sites.entry(*site).or_default().closed = true,
            Change::SiteOpened { site } => self.sites.entry(*site).or_default().closed = false,
            Change::Note { name, value } => {
                self.notes.insert(name.clone(), value.clone());
            }
        }
    }

    fn discovered(&mut self, link: &Link, value: f32, urgency: Urgency, turn: u64) {
        let urgent = urgency == Urgency::Urgent;
        let fresh = row(link, RowState::Queued, value, urgent, turn);
        match self.rows.get_mut(&link.url.key()) {
            None => {
                self.rows.insert(link.url.key(), fresh);
            }
            Some(row) if row.state == RowState::Refused => *row = fresh,
            Some(row) => {
                row.value = match self.update {
                    Update::First => row.value,
                    Update::Last => value,
                    Update::Max => row.value.max(value),
                    Update::Sum => row.value + value,
                    Update::Avg => (row.value * row.count as f32 + value) / (row.count + 1) as f32,
                };
                row.count += 1;
                row.urgent |= urgent;
            }
        }
    }

    /// Greater comes first. Values are multiples of a power of two, so that sums are exact; averages are compared
    /// with some tolerance elsewhere.
    pub fn rank(&self, key: &UrlKey) -> (bool, f64, i128, u64) {
        let row = &self.rows[key];
        let by = match self.order {
            Order::BestFirst | Order::Opic => f64::from(row.value),
            Order::InDegree => f64::from(row.count),
            Order::BreadthFirst => -f64::from(row.depth),
        };
        (row.urgent, by, -i128::from(row.turn), key.url)
    }

    /// Links of a site that may be leased now.
    pub fn eligible(&self, site: u64, now: Time) -> Vec<UrlKey> {
        let may = |(key, row): &(&UrlKey, &Row)| {
            key.site == site
                && row.state == RowState::Queued
                && row.not_before.is_none_or(|time| time <= now)
                && self.hosts.get(&(site, row.host)).is_none_or(|time| *time <= now)
                && !self.out.contains(key)
        };
        self.rows.iter().filter(may).map(|(key, _)| *key).collect()
    }

    pub fn counts(&self) -> (usize, usize, usize) {
        let count = |state| self.rows.values().filter(|row| row.state == state).count();
        (count(RowState::Queued), count(RowState::Done), count(RowState::Refused))
    }

    /// The first difference between what the frontier knows and what it should.
    pub fn difference(&self, frontier: &Frontier) -> Option<String> {
        for (key, row) in &self.rows {
            let Some(known) = frontier.lookup(*key).unwrap() else {
                return Some(format!("{} is unknown", row.url));
            };
            let state = match known.state {
                State::Queued { .. } | State::Leased => RowState::Queued,
                State::Done { .. } => RowState::Done,
                State::Refused { .. } => RowState::Refused,
            };
            let url = known.link.map(|link| link.url.to_string()).unwrap_or_default();
            if (&state, known.times_seen, &url) != (&row.state, row.count, &row.url) {
                return Some(format!("{url} {state:?} {} is not {row:?}", known.times_seen));
            }
            if (known.value - row.value).abs() > 1e-4 || known.tries != row.tries {
                return Some(format!("{url} {} {} is not {row:?}", known.value, known.tries));
            }
        }
        for (name, value) in &self.notes {
            if frontier.note(name) != Some(value.as_slice()) {
                return Some(format!("note {name} is {:?}, not {value:?}", frontier.note(name)));
            }
        }
        for (digest, url) in &self.digests {
            let original = frontier.place_of_digest(digest).unwrap();
            if original.as_ref().map(|original| &original.url) != Some(url) {
                return Some(format!("{digest} is of {original:?}, not {url}"));
            }
        }
        for (site, row) in &self.sites {
            let known = frontier.site_counts(*site).unwrap();
            if (known.captures, known.closed.is_some()) != (row.captures, row.closed) {
                return Some(format!("site {site} {known:?} is not {row:?}"));
            }
        }
        None
    }
}

fn row(link: &Link, state: RowState, value: f32, urgent: bool, turn: u64) -> Row {
    Row {
        state,
        value,
        count: 1,
        urgent,
        depth: link.depth,
        turn,
        not_before: None,
        tries: 0,
        host: host_key(link.url.host()),
        url: link.url.to_string(),
    }
}
