//! The whole path of a page. Each stage is one call, one hop away; when a link gets its turn is in `turn.rs`, for links of an
//! archive in `collect.rs`.

use annalist_apps::Seen;
use annalist_frontier::LeasedLink;
use annalist_judge::Verdict;
use annalist_model::{Capture, Page};
use annalist_sources::{FetchError, NotThere, Snapshot};

use crate::asking::Leave;
use crate::copying::Taken;
use crate::findings::{Findings, find};
use crate::keeper::{KeepError, Ticket};
use crate::stages::{Line, Read, Stages};

/// Where a capture comes from.
#[derive(Debug)]
pub enum Way<'a> {
    /// A server that may be asked now.
    Server(&'a mut Line, Leave),
    Archive(&'a Snapshot),
}

/// What a visit brought.
#[derive(Debug)]
pub struct Visit {
    /// Where the capture is in the archive, once that is durable.
    pub ticket: Ticket,
    pub capture: Capture,
    /// Bytes of the response as received.
    pub received: u64,
    pub page: Page,
    /// What application it is, and what was written on it.
    pub seen: Option<Seen>,
    /// What the page is worth; nothing where there is no topic, or it is no page.
    pub verdict: Option<Verdict>,
    pub findings: Findings,
    /// The address of the page that named the link.
    pub via: Option<String>,
    /// What else the metadata record is to say.
    pub beside: Vec<(&'static str, String)>,
}

#[derive(Debug, thiserror::Error)]
pub enum VisitError {
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error(transparent)]
    Archive(#[from] NotThere),
    #[error(transparent)]
    Keep(#[from] KeepError),
}

/// Takes one link through every stage, in the order the README draws them.
pub async fn visit(leased: &LeasedLink, way: Way<'_>, stages: &Stages) -> Result<Visit, VisitError> {
    let via = stages.url_of(leased.link.via);
    let Taken { mut capture, received, records } = match way {
        Way::Server(line, leave) => line.fetch(&leased.link.url, via.as_deref(), leave, stages).await?.into(),
        Way::Archive(snapshot) => stages.copy(snapshot).await?,
    };
    let ticket = stages.keeper.record(&mut capture, records).await?; // before reading: a parser bug must not lose bytes
    let Read { mut page, seen, reading } = stages.read(&mut capture, leased.link.kind).await; // cannot fail a visit: an unreadable page is a page with a reason
    let verdict = stages.judge(leased, &capture, &page, reading); // what it is worth, and what its links may be
    let findings = find(leased, &capture, &mut page, seen.as_ref(), verdict.as_ref(), via.as_deref(), stages); // links in scope with a value, others with a reason
    Ok(Visit { ticket, capture, received, page, seen, verdict, findings, via, beside: Vec::new() })
}
