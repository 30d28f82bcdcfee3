//! A site's turn: its leased links, one after the other, each on the server it lives on, with the rests in between.
//! What happens to one link is in `visit.rs`; who may ask a server is in `servers.rs`.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use annalist_frontier::{Lease, LeasedLink};
use annalist_model::{Outcome, SkipReason, Time, UrlKey};
use annalist_sources::FetchError;

use crate::asking::{NoLeave, leave};
use crate::budget::Allowance;
use crate::clock;
use crate::collect;
use crate::control::{forbidden, is_still_wanted};
use crate::delay::{HostRules, rules_for};
use crate::finish::{
    After, close_site, finish_closed_host, finish_failure, finish_lost, finish_refusal,
    finish_second_thought, finish_unread, finish_visit, give_back_budgets,
};
use crate::keeper::{KeepError, Release};
use crate::logs::Severity;
use crate::rest::Rest;
use crate::robots::Permission;
use crate::servers;
use crate::stages::{Line, Stages};
use crate::stop::Urge;
use crate::visit::{Visit, VisitError, Way, visit};

/// How long a site waits when too many wait for its server.
const CROWDED: Duration = Duration::from_secs(1);

/// How long a site waits for pages that say what the crawl is about.
pub(crate) const UNTIL_TOPIC: Duration = Duration::from_millis(100);
/// Longer than a visit waits for its acknowledgement.
const UNTIL_ACKNOWLEDGED: Duration = Duration::from_secs(1);
/// A turn that would have to rest longer than this is given back: leases do not live for ever.
pub(crate) const LONGEST_HOLD: Duration = Duration::from_secs(60);

/// A lease on its way through its links.
#[derive(Debug)]
pub struct Turn {
    lease: Lease,
    next: usize,
    /// Links that had their outcome in this turn: not to be leased again though it is not acknowledged yet.
    visited: Vec<UrlKey>,
    /// The site rests.
    rest: Rest,
}

impl Turn {
    pub fn new(lease: Lease, now: Time) -> Turn {
        Turn { lease, next: 0, visited: Vec::new(), rest: Rest::no_sooner(now) }
    }

    fn current(&self) -> Option<LeasedLink> {
        self.lease.links.get(self.next).cloned()
    }

    /// Ends the turn: what was not visited goes back to the queue.
    pub fn give_back(self, stages: &Stages) {
        let until = self.rests_until(stages);
        let released = stages.frontier().release(self.lease.id, until, &self.visited);
        if let Err(fault) = released {
            stages.keeper.event(Severity::Error, "frontier", fault.to_string());
        }
    }

    /// What the keeper needs to end the turn after this link.
    fn release_after(&self, key: UrlKey, stages: &Stages) -> Release {
        let visited = self.visited.iter().copied().chain([key]).collect();
        Release { lease: self.lease.id, until: self.rests_until(stages), visited }
    }

    /// What the keeper needs to end the turn before the next link.
    pub(crate) fn release_now(&self, stages: &Stages) -> Release {
        Release { lease: self.lease.id, until: self.rests_until(stages), visited: self.visited.clone() }
    }

    /// Until when the site rests, for the frontier, which is told again should the delays be changed.
    fn rests_until(&self, stages: &Stages) -> Time {
        let spec = stages.spec();
        stages.site_rests.keep(self.lease.site, &self.rest, &spec);
        self.rest.until(&spec)
    }

    /// All of its links.
    pub(crate) fn links(&self) -> Vec<LeasedLink> {
        self.lease.links.clone()
    }

    /// The site is left alone until then.
    pub(crate) fn rest_until(&mut self, until: Time) {
        self.rest.lengthen(until);
    }

    pub(crate) fn had(&mut self, key: UrlKey) {
        self.visited.push(key);
        self.next += 1;
    }
}

/// Starts a turn on its own task. `held`: the line to a server that was handed over with it.
pub fn start(turn: Turn, held: Option<Line>, stages: &Arc<Stages>) {
    stages.turns.fetch_add(1, Ordering::Relaxed);
    let stages = Arc::clone(stages);
    let driving: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(async move {
        match &stages.archive {
            Some(_) => collect::drive(turn, &stages).await,
            None => drive(turn, held, &stages).await,
        }
        stages.turns.fetch_sub(1, Ordering::Relaxed);
        stages.changed.notify_one();
    });
    tokio::spawn(driving);
}

async fn drive(mut turn: Turn, mut line: Option<Line>, stages: &Arc<Stages>) {
    while let Some(leased) = turn.current() {
        if stages.stop.is_asked() || stages.told.is_paused() {
            break;
        }
        if let Some(detail) = stages.scope().shut(leased.link.url.host_name()) {
            // Not even its address is asked for.
            finish_refusal(&leased, Outcome::Skipped { reason: SkipReason::Blocked, detail }, stages);
            turn.had(leased.key);
            continue;
        }
        let address = match stages.locate(&leased.link.url).await {
            Ok(address) => address,
            Err(fault) => {
                finish_failure(&leased, &fault, stages);
                turn.had(leased.key);
                continue;
            }
        };
        let server = address.ip();
        if line.as_ref().is_none_or(|held| held.server() != server) {
            if let Some(old) = line.take() {
                hand_over(&old, stages);
            }
            match stages.servers.take(server, turn, &stages.spec(), clock::now()) {
                servers::Turn::Yours { lease, rest } => {
                    turn = lease;
                    line = Some(Line::new(address, rest));
                }
                servers::Turn::Waiting => return,
                servers::Turn::Crowded(lease) => {
                    turn = lease;
                    turn.rest_until(clock::now().plus(CROWDED));
                    break;
                }
            }
        }
        let Some(held) = line.as_mut() else { break };
        held.address = address;
        // The site rests too, on whichever server it was asked last.
        let spec = stages.spec();
        held.rest.and(&turn.rest, &spec);
        if held.rest.until(&spec).since(clock::now()) > LONGEST_HOLD {
            turn.rest = held.rest.clone();
            break;
        }
        match ask(&leased, held, &mut turn, stages).await {
            After::Next => turn.had(leased.key),
            After::EndTurn => {
                turn.had(leased.key);
                // The host's rest is in the journal soon; until then the site's has to do.
                turn.rest_until(clock::now().plus(UNTIL_ACKNOWLEDGED));
                break;
            }
            After::Embeds => {
                hand_over(held, stages);
                return;
            }
            After::PassedOver => turn.next += 1,
            After::NotHad => break,
        }
    }
    turn.give_back(stages);
    if let Some(line) = line {
        hand_over(&line, stages);
    }
}

/// Ends the turn of a server and starts the next one that waits for it.
pub fn hand_over(line: &Line, stages: &Arc<Stages>) {
    if let Some(next) = stages.servers.pass_on(line.server(), &line.rest, &stages.spec()) {
        start(next, Some(Line::new(line.address, line.rest.clone())), stages);
    }
}

/// Asks for one link, when everything allows it.
async fn ask(leased: &LeasedLink, line: &mut Line, turn: &mut Turn, stages: &Arc<Stages>) -> After {
    let url = &leased.link.url;
    let rules = rules_for(&stages.spec(), url.host_name(), url.site());
    if let Some(judging) = &stages.judging {
        if judging.must_wait(leased) {
            turn.rest_until(clock::now().plus(UNTIL_TOPIC));
            return After::PassedOver;
        }
        if let Some(change) = judging.second_thought(leased) {
            return finish_second_thought(change, turn.release_now(stages), leased, stages);
        }
    }
    // Apart from what follows, which asks the frontier, too.
    let second = stages.apps().and_then(|apps| apps.second_thought(&leased.link, &stages.frontier()));
    if let Some(detail) = second {
        return finish_refusal(leased, Outcome::Skipped { reason: SkipReason::Application, detail }, stages);
    }
    if let Some((reason, detail)) = forbidden(leased, stages) {
        return finish_refusal(leased, Outcome::Skipped { reason, detail }, stages);
    }
    if let Some(outcome) = given_up(leased, stages) {
        return finish_refusal(leased, outcome, stages);
    }
    let permission = stages.robots.permission(leased, line, &rules, stages).await;
    turn.rest.and(&line.rest, &stages.spec());
    let crawl_delay = match permission {
        Permission::Granted { crawl_delay } => crawl_delay,
        Permission::Refused { outcome } => return finish_refusal(leased, outcome, stages),
        Permission::Failed { fault } => return finish_failure(leased, &fault, stages),
        Permission::Closed { why, asked } => return finish_closed_host(leased, &why, asked, stages),
        Permission::Later => {
            turn.rest_until(clock::now().plus(CROWDED));
            return After::NotHad;
        }
        Permission::Stopped => return After::NotHad,
    };
    if over_site_budget(leased, &rules, stages) {
        return After::EndTurn;
    }
    match stages.budget.begin(leased.link.seed, clock::now()) {
        Allowance::Granted => {}
        Allowance::SeedSpent { why } => {
            stages.budget.give_back_on_site(leased.key.site);
            return finish_refusal(leased, seed_spent(why), stages);
        }
        Allowance::Spent => {
            stages.budget.give_back_on_site(leased.key.site);
            return After::NotHad;
        }
    }
    line.rest.and(&turn.rest, &stages.spec());
    let visited = match politely(leased, line, crawl_delay, stages).await {
        Ok(visited) => visited,
        Err(none) => {
            give_back_budgets(leased, stages);
            turn.rest.and(&line.rest, &stages.spec());
            if none == NoLeave::Forbidden {
                return After::PassedOver;
            }
            if none == NoLeave::Elsewhere {
                turn.rest_until(clock::now().plus(CROWDED));
            }
            return After::NotHad;
        }
    };
    turn.rest = line.rest.clone();
    match visited {
        Ok(visit) => {
            let delay = line.rest.delay(&stages.spec());
            finish_visit(leased, visit, delay, turn.release_after(leased.key, stages), stages)
        }
        Err(fault) => {
            give_back_budgets(leased, stages);
            match fault {
                VisitError::Fetch(fault) => finish_failure(leased, &fault, stages),
                VisitError::Archive(fault) => finish_unread(leased, &fault.to_string(), stages),
                VisitError::Keep(KeepError::Lost(why)) => finish_lost(leased, &why, stages),
                // The archive is closed: nothing can be finished any more.
                VisitError::Keep(KeepError::Closed(_)) => {
                    stages.stop.raise(Urge::Finish);
                    After::NotHad
                }
            }
        }
    }
}

/// One visit, when the server may be asked. A kept connection that the server closed is no answer, and one that there was
/// no room for is none of the server's doing: once it has rested, it is asked again.
async fn politely(
    leased: &LeasedLink,
    line: &mut Line,
    crawl_delay: Option<Duration>,
    stages: &Stages,
) -> Result<Result<Visit, VisitError>, NoLeave> {
    loop {
        let (place, leave) = leave(line, &leased.link.url, crawl_delay, stages).await?;
        if !is_still_wanted(leased, stages) {
            return Err(NoLeave::Forbidden);
        }
        let visited = visit(leased, Way::Server(line, leave), stages).await;
        line.connection.settled();
        drop(place);
        let again = match &visited {
            Err(VisitError::Fetch(FetchError::Stale)) => true,
            Err(VisitError::Fetch(full @ FetchError::SpoolFull(_))) => stages.wait_for_room(full).await,
            _ => false,
        };
        if !again {
            return Ok(visited);
        }
    }
}

/// Waits until then; `false` when the crawl is told to stop meanwhile.
pub async fn rested(until: Time, stages: &Stages) -> bool {
    tokio::select! {
        () = clock::sleep_until(until) => true,
        () = stages.stop.reached(Urge::Finish) => false,
    }
}

pub(crate) fn seed_spent(why: &str) -> Outcome {
    Outcome::Skipped { reason: SkipReason::Budget, detail: why.to_owned() }
}

/// A host that failed too often in a row is not asked again for each of its links.
fn given_up(leased: &LeasedLink, stages: &Stages) -> Option<Outcome> {
    if stages.rounds().returns(leased.key) {
        // Somebody has to find out that it answers again.
        return None;
    }
    let trouble = stages.hosts.given_up(leased.link.url.host(), stages.spec().fetch.tries)?;
    let detail = format!("its host failed {} times in a row: {}", trouble.failures, trouble.detail);
    Some(Outcome::Skipped { reason: trouble.reason, detail })
}

/// Closes a site that had its share.
pub(crate) fn over_site_budget(leased: &LeasedLink, rules: &HostRules, stages: &Stages) -> bool {
    if rules.pages.is_none() && rules.size_bytes.is_none() {
        return false;
    }
    let Ok(counts) = stages.frontier().site_counts(leased.key.site) else { return false };
    let too_large = rules.size_bytes.is_some_and(|limit| counts.bytes >= limit);
    let spent = too_large
        || rules
            .pages
            .is_some_and(|limit| !stages.budget.begin_on_site(leased.key.site, counts.captures, limit));
    if spent {
        close_site(leased, stages);
    }
    spent
}
