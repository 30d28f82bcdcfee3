//! Requests to the servers of archives: by the program's own exchange with its guard, one at a time for each server, tried
//! again where that may help, and redirects followed. What is asked is said in `server.rs`.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use annalist_model::spec::FetchRules;
use annalist_model::{Block, CanonicalUrl, Canonicaliser, Capture, Time};
use tokio::runtime::Handle;

use super::NotThere;
use crate::connection::Connection;
use crate::error::FetchError;
use crate::request::Wanted;
use crate::retry_after::retry_after;
use crate::web::WebSource;

/// Someone waits for the answer: a server that asks for more is asked another time.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// How servers are reached.
#[derive(Clone, Debug)]
pub struct Remote {
    pub web: WebSource,
    pub rules: FetchRules,
    /// Where the exchanges run; the threads that wait for them are not its workers.
    pub runtime: Handle,
    pub now: fn() -> Time,
}

/// Asks servers, each by one request at a time.
#[derive(Debug)]
pub(super) struct Asker {
    remote: Remote,
    gates: Mutex<HashMap<IpAddr, Arc<tokio::sync::Mutex<Connection>>>>,
}

/// What becomes of an answer.
enum Next {
    Done(Box<Capture>),
    Elsewhere(CanonicalUrl),
    Again { wait: Duration, why: String },
}

impl Asker {
    pub(super) fn new(remote: Remote) -> Asker {
        Asker { remote, gates: Mutex::default() }
    }

    /// The answer to a request, whatever its status, unless that says to come again. Redirects are followed if `follow`
    /// says so of their target. Blocks.
    pub(super) fn ask(
        &self,
        url: &CanonicalUrl,
        wanted: Wanted<'_>,
        follow: &(dyn Fn(&CanonicalUrl) -> bool + Sync),
    ) -> Result<Capture, NotThere> {
        self.remote.runtime.block_on(self.persist(url, wanted, follow))
    }

    async fn persist(
        &self,
        url: &CanonicalUrl,
        wanted: Wanted<'_>,
        follow: &(dyn Fn(&CanonicalUrl) -> bool + Sync),
    ) -> Result<Capture, NotThere> {
        let rules = &self.remote.rules;
        let (mut url, mut hops, mut tries) = (url.clone(), 0, 0);
        loop {
            tries += 1;
            let (wait, why) = match self.once(&url, wanted).await {
                Ok(capture) => match self.next(capture, &url, follow) {
                    Next::Done(capture) => return Ok(*capture),
                    Next::Elsewhere(target) if hops < rules.max_redirects => {
                        (url, hops, tries) = (target, hops + 1, 0);
                        continue;
                    }
                    Next::Elsewhere(_) => (None, "it redirects without end".to_owned()),
                    Next::Again { wait, why } => (Some(wait).filter(|_| tries < rules.tries), why),
                },
                Err(error) => (error.retry_in(tries, rules), error.to_string()),
            };
            let Some(wait) = wait.filter(|_| tries < rules.tries) else {
                return Err(NotThere::Unanswered(format!("{}: {why}", url.host())));
            };
            tokio::time::sleep(wait.min(LONGEST_WAIT)).await;
        }
    }

    async fn once(&self, url: &CanonicalUrl, wanted: Wanted<'_>) -> Result<Capture, FetchError> {
        let web = &self.remote.web;
        let now = (self.remote.now)();
        let at = web.locate(url, now).await?.address?;
        let gate = {
            let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(gates.entry(at.ip()).or_default())
        };
        let mut connection = gate.lock().await;
        match web.ask(url, at, &mut connection, wanted, now).await {
            // The server gave the kept connection up: that is no answer yet.
            Err(FetchError::Stale) => web.ask(url, at, &mut connection, wanted, now).await,
            answer => answer,
        }
    }

    fn next(
        &self,
        capture: Capture,
        url: &CanonicalUrl,
        follow: &(dyn Fn(&CanonicalUrl) -> bool + Sync),
    ) -> Next {
        let status = capture.head.status;
        if capture.head.is_redirect() {
            let target = capture.head.location();
            let target = target.and_then(|to| Canonicaliser::default().join(url.as_url(), &to).ok());
            if let Some(target) = target.filter(|target| follow(target)) {
                drop_block(capture);
                return Next::Elsewhere(target);
            }
        }
        if matches!(status, 429 | 500 | 502 | 503 | 504) {
            let asked = capture.head.field("retry-after");
            let wait = asked.and_then(|value| retry_after(value, (self.remote.now)(), LONGEST_WAIT));
            drop_block(capture);
            let wait = wait.unwrap_or(self.remote.rules.retry_delay);
            return Next::Again { wait, why: format!("it answers with status {status}") };
        }
        Next::Done(Box::new(capture))
    }
}

/// For who wants no bytes: a long answer is in a file.
pub(crate) fn drop_block(capture: Capture) {
    if let Block::File { path, .. } = capture.response {
        let _ = std::fs::remove_file(path);
    }
}
