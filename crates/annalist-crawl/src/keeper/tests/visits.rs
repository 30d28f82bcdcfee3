//! Visits made by hand: pages of a small web that repeats itself, some spooled, some refused, some to be tried again.

use std::time::Duration;

use annalist_disk::Dice;
use annalist_frontier::{Change, Urgency};
use annalist_model::{Block, CanonicalUrl, Link, LinkKind, Outcome, SkipReason, Time, Truncated, Unusable};
use annalist_sources::Lookup;
use annalist_warc::{DigestKind, Packing};
use tempfile::TempDir;

use crate::keeper::{Captured, Counts, Ended, Finished, Ticket};
use crate::record::Exchanged;

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
const SITES: u64 = 8;
const PAGES: u64 = 60;

pub(super) fn url(site: u64, page: u64) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://s{site}.test/page/{page}")).unwrap()
}

/// Makes visits. The same seed makes the same ones.
pub(super) struct Web {
    dice: Dice,
    spool: TempDir,
    millis: u64,
}

/// A visit that has ended and is not acknowledged.
pub(super) struct Visit {
    /// Absent when nothing was received.
    pub(super) exchanged: Option<Exchanged>,
    pub(super) fact: Fact,
    pub(super) changes: Vec<Change>,
}

/// What has to be known of a visit once it is acknowledged.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) link: Link,
    pub(super) counts: Counts,
    pub(super) came_to: CameTo,
    pub(super) discovered: Vec<CanonicalUrl>,
    pub(super) refused: Vec<CanonicalUrl>,
}

#[derive(Clone, Debug)]
pub(super) enum CameTo {
    Captured(Got),
    /// Kept, and to be asked for again.
    CapturedForNow(Got),
    Retry,
    Refused,
    Failed,
}

#[derive(Clone, Debug)]
pub(super) struct Got {
    pub(super) response: Vec<u8>,
    pub(super) digest: String,
    pub(super) started: Time,
    truncated: Option<&'static str>,
}

impl Web {
    pub(super) fn new(seed: u64) -> Web {
        Web { dice: Dice::new(seed), spool: tempfile::tempdir().unwrap(), millis: 1_700_000_000_000 }
    }

    /// A moment after all others. Readers of archives tell captures of a page apart by the second.
    pub(super) fn now(&mut self) -> Time {
        self.millis += 1_000;
        Time::from_millis(self.millis)
    }

    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.dice.below(bound)
    }

    fn one_in(&mut self, many: u64) -> bool {
        self.dice.below(many) == 0
    }

    pub(super) fn visit(&mut self, link: &Link) -> Visit {
        match self.below(12) {
            0 => self.without_answer(link, CameTo::Retry),
            1 => self.without_answer(link, CameTo::Refused),
            2 => self.without_answer(link, CameTo::Failed),
            3 => self.captured(link, Counts::AsPage, CameTo::CapturedForNow),
            _ => self.captured(link, Counts::AsPage, CameTo::Captured),
        }
    }

    /// robots.txt of the link's host: fetched though nobody discovered it.
    pub(super) fn prerequisite(&mut self, link: &Link) -> Visit {
        let robots = CanonicalUrl::parse(&format!("{}/robots.txt", link.url.host())).unwrap();
        let link = link.child(robots, LinkKind::Robots, "");
        self.captured(&link, Counts::AsPrerequisite, CameTo::Captured)
    }

    fn without_answer(&mut self, link: &Link, came_to: CameTo) -> Visit {
        let mut changes = Vec::new();
        if matches!(came_to, CameTo::Retry) {
            changes.push(self.retry(link));
        }
        let (discovered, refused) = (Vec::new(), Vec::new());
        let fact = Fact { link: link.clone(), counts: Counts::AsPage, came_to, discovered, refused };
        Visit { exchanged: None, fact, changes }
    }

    fn captured(&mut self, link: &Link, counts: Counts, came_to: fn(Got) -> CameTo) -> Visit {
        let payload = self.payload();
        let truncated = self.one_in(10).then_some(Truncated::Length);
        let response = [HEAD, &payload].concat();
        let digest = DigestKind::Sha1.of(&payload).to_string();
        let started = self.now();
        let mut exchanged = Exchanged {
            url: link.url.clone(),
            started,
            server: [127, 0, 0, 1].into(),
            request: format!("GET {} HTTP/1.1\r\n\r\n", link.url).into_bytes(),
            response: self.block(&response),
            payload_digest: digest.clone(),
            payload_length: payload.len() as u64,
            truncated,
            certificate_fault: None,
            packed: None,
            copies: Vec::new(),
        };
        if self.one_in(2) {
            exchanged.pack(super::life::SALT, Packing { level: 6, digest: DigestKind::Sha1 });
        }
        let got = Got { response, digest, started, truncated: truncated.map(Truncated::name) };
        let came_to = came_to(got);
        let (mut changes, discovered, refused) = self.links_of(link);
        if matches!(came_to, CameTo::CapturedForNow(_)) {
            changes.push(self.retry(link));
        }
        let fact = Fact { link: link.clone(), counts, came_to, discovered, refused };
        Visit { exchanged: Some(exchanged), fact, changes }
    }

    /// Some payloads come again and again, some are empty, most come once.
    fn payload(&mut self) -> Vec<u8> {
        match self.below(8) {
            0..3 => format!("the same as {} others", self.below(5)).into_bytes(),
            3 => Vec::new(),
            _ => (0..1 + self.below(60)).flat_map(|_| self.dice.roll().to_le_bytes()).collect(),
        }
    }

    fn block(&mut self, response: &[u8]) -> Block {
        if !self.one_in(6) {
            return Block::Memory(response.to_vec());
        }
        let name = self.now().millis().to_string();
        let path = self.spool.path().join(name);
        std::fs::write(&path, response).unwrap();
        Block::File { path, length: response.len() as u64 }
    }

    fn links_of(&mut self, link: &Link) -> (Vec<Change>, Vec<CanonicalUrl>, Vec<CanonicalUrl>) {
        let mut any = |many: u64| -> Vec<CanonicalUrl> {
            let count = self.dice.below(many);
            (0..count).map(|_| url(self.dice.below(SITES), self.dice.below(PAGES))).collect()
        };
        let (discovered, refused) = (any(6), any(2));
        let child = |url: &CanonicalUrl| link.child(url.clone(), LinkKind::Anchor, "some words");
        let found = discovered.iter().map(|url| Change::Discovered {
            link: child(url),
            value: 0.5,
            urgency: Urgency::Normal,
        });
        let left = refused.iter().map(|url| Change::Refused {
            link: child(url),
            reason: SkipReason::OutOfScope,
            detail: String::new(),
        });
        (found.chain(left).collect(), discovered, refused)
    }

    fn retry(&mut self, link: &Link) -> Change {
        let not_before = self.now();
        Change::Retry { key: link.url.key(), not_before, tries: 1, reason: "come back later".to_owned() }
    }
}

pub(super) fn lookup(url: &CanonicalUrl) -> Lookup {
    let text = format!("20231114221320\n{}. 60 IN A 127.0.0.1\n", url.host_name());
    let name = url.host_name().to_owned();
    Lookup { name, addresses: vec![[127, 0, 0, 1].into()], ttl: Duration::from_secs(60), text }
}

impl Fact {
    pub(super) fn got(&self) -> Option<&Got> {
        match &self.came_to {
            CameTo::Captured(got) | CameTo::CapturedForNow(got) => Some(got),
            CameTo::Retry | CameTo::Refused | CameTo::Failed => None,
        }
    }

    /// The visit as it is handed over for acknowledgement.
    pub(super) fn finished(&self, ticket: Option<Ticket>, changes: Vec<Change>) -> Finished {
        let started = Time::from_millis(1);
        let skipped = |reason| Outcome::Skipped { reason, detail: "made so".to_owned() };
        let ended = match &self.came_to {
            CameTo::Captured(got) => captured(ticket.unwrap(), got, None),
            CameTo::CapturedForNow(got) => captured(ticket.unwrap(), got, Some("503".to_owned())),
            CameTo::Retry => Ended::Retrying { status: -2, reason: "come back later".to_owned(), started },
            CameTo::Refused => {
                Ended::Refused { status: -9998, outcome: skipped(SkipReason::Robots), started }
            }
            CameTo::Failed => Ended::Refused { status: -2, outcome: skipped(SkipReason::Failed), started },
        };
        Finished { link: self.link.clone(), via: None, ended, changes, counts: self.counts, release: None }
    }
}

fn captured(ticket: Ticket, got: &Got, retry: Option<String>) -> Ended {
    Ended::Captured(Box::new(Captured {
        ticket,
        status: 200,
        mime: "text/html".to_owned(),
        bytes: got.response.len() as u64,
        started: got.started,
        elapsed: Duration::from_millis(1),
        payload_digest: got.digest.clone(),
        retry,
        is_followed: false,
        truncated: got.truncated,
        metadata: vec![("fetchTimeMs", "1".to_owned())],
        score: None,
        language: None,
        application: None,
        objects: None,
        notes: Vec::new(),
        unusable: Unusable::default(),
    }))
}
