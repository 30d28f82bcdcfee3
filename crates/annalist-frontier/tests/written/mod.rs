//! A frontier with something of everything, for the fixture of a stored version.

#![allow(clippy::unwrap_used, reason = "its URLs are known to be good")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use annalist_disk::Disk;
use annalist_frontier::{
    Change, FrontierError, Merging, Place, Purpose, Settings, Transaction, Urgency, host_key, open,
};
use annalist_model::{CanonicalUrl, Link, Outcome, SkipReason, Time, UrlKey};

/// One part in runs, one in the journal behind them.
pub fn write(disk: Arc<dyn Disk>, dir: &Path) -> Result<(), FrontierError> {
    let (mut frontier, mut journal) = open(disk, dir, settings(), at(0))?;
    frontier.apply(journal.commit(&Transaction { changes: merged() })?)?;
    frontier.checkpoint()?;
    frontier.apply(journal.commit(&Transaction { changes: journalled() })?)
}

pub fn settings() -> Settings {
    Settings {
        memory_bytes: 1 << 20,
        links_per_turn: 2,
        default_delay: Duration::ZERO,
        merging: Merging::Inline,
        ..Settings::default()
    }
}

pub fn at(seconds: u64) -> Time {
    Time::from_millis(1_700_000_000_000 + seconds * 1000)
}

pub fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).unwrap()
}

pub fn key(text: &str) -> UrlKey {
    url(text).key()
}

fn found(text: &str, value: f32, urgency: Urgency) -> Change {
    let anchor = format!("to {text}");
    let link = Link { depth: 2, via: Some(key("http://a.test/")), anchor, ..Link::seed(url(text), 1) };
    Change::Discovered { link, value, urgency }
}

fn done(text: &str, outcome: Outcome, digest: Option<&str>) -> Change {
    Change::Done {
        key: key(text),
        outcome,
        place: Some(Place { file: "a.warc.gz".to_owned(), offset: 10, length: 20 }),
        digest: digest.map(str::to_owned),
        at: at(1),
        bytes: 100,
        purpose: Purpose::Page,
    }
}

/// Everything that version 1 could say, in a run.
fn merged() -> Vec<Change> {
    let refused = Link::seed(url("http://c.test/no"), 0);
    let captured = Outcome::Captured { status: 200 };
    vec![
        Change::Discovered {
            link: Link::seed(url("http://a.test/"), 0),
            value: 1.0,
            urgency: Urgency::Normal,
        },
        found("http://a.test/best", 0.9, Urgency::Normal),
        found("http://a.test/image", 0.1, Urgency::Urgent),
        found("http://a.test/later", 0.8, Urgency::Normal),
        found("http://b.test/1", 0.5, Urgency::Normal),
        found("http://b.test/2", 0.25, Urgency::Normal),
        found("http://d.test/waits", 0.5, Urgency::Normal),
        Change::Refused { link: refused, reason: SkipReason::OutOfScope, detail: "elsewhere".to_owned() },
        done("http://a.test/", captured, Some("sha1:X")),
        Change::Retry {
            key: key("http://a.test/later"),
            not_before: at(30),
            tries: 1,
            reason: "reset".to_owned(),
        },
        Change::Valued { key: key("http://b.test/2"), value: 0.75 },
        Change::SiteRests { site: key("http://b.test/").site, until: at(10), delay: Duration::from_secs(3) },
        Change::HostRests {
            site: key("http://b.test/").site,
            host: host_key("http://b.test"),
            until: at(20),
        },
        Change::SiteClosed { site: key("http://d.test/").site, reason: SkipReason::SiteBudget },
        Change::Note { name: "counters".to_owned(), value: b"old".to_vec() },
    ]
}

/// And in the journal behind it.
pub fn journalled() -> Vec<Change> {
    let detail = "its seed's page limit is reached".to_owned();
    vec![
        found("http://e.test/new", 0.3, Urgency::Normal),
        found("http://b.test/1", 0.6, Urgency::Normal),
        done("http://a.test/best", Outcome::Skipped { reason: SkipReason::Budget, detail }, None),
        Change::Note { name: "counters".to_owned(), value: b"new".to_vec() },
    ]
}
