//! A site's turn in an archive. No server has to rest and nobody has to be asked for leave, so the links of a turn are visited
//! side by side; what happens to one is in `visit.rs`.

use std::sync::Arc;

use annalist_frontier::{Change, LeasedLink, State};
use annalist_model::{Outcome, SkipReason, Time};
use annalist_sources::{ArchiveSource, NotThere, Snapshot};
use tokio::task::JoinSet;

use crate::budget::Allowance;
use crate::choice::worthwhile;
use crate::clock;
use crate::control::{forbidden, is_still_wanted};
use crate::delay::rules_for;
use crate::finish::{
    finish_alias, finish_refusal, finish_snapshots, finish_unread, give_back_budgets, put_back,
};
use crate::keeper::KeepError;
use crate::logs::Severity;
use crate::near::Shingles;
use crate::snapshots::Wanted;
use crate::stages::Stages;
use crate::stop::Urge;
use crate::turn::{Turn, UNTIL_TOPIC, over_site_budget, seed_spent};
use crate::visit::{Visit, VisitError, Way, visit};

/// What a collection is taken from.
#[derive(Debug)]
pub struct Collecting {
    pub source: ArchiveSource,
    pub wanted: Wanted,
}

/// Whether a link had its turn.
#[derive(Clone, Debug)]
enum Turned {
    Had,
    /// Others are worth more by now.
    PutBack(Change),
    /// It waits for pages that say what the topic is.
    TooEarly,
    NotHad,
}

pub async fn drive(mut turn: Turn, stages: &Arc<Stages>) {
    let mut under_way = JoinSet::new();
    for leased in worthwhile(turn.links(), stages) {
        let stages = Arc::clone(stages);
        under_way.spawn(async move {
            let turned = collect(&leased, &stages).await;
            (leased, turned)
        });
    }
    let mut worth_less = Vec::new();
    while let Some(done) = under_way.join_next().await {
        match done {
            Ok((leased, Turned::Had)) => turn.had(leased.key),
            Ok((leased, Turned::PutBack(change))) => worth_less.push((leased, change)),
            Ok((_, Turned::TooEarly)) => turn.rest_until(clock::after(UNTIL_TOPIC)),
            Ok((_, Turned::NotHad)) | Err(_) => {}
        }
    }
    if worth_less.is_empty() {
        turn.give_back(stages);
    } else {
        // The keeper ends the turn when the new values are in: else the links would come again with the old ones.
        put_back(worth_less, turn.release_now(stages), stages);
    }
}

/// One link: its snapshots looked up, chosen and visited, or the reason why there is none.
async fn collect(leased: &LeasedLink, stages: &Arc<Stages>) -> Turned {
    let Some(collecting) = &stages.archive else { return Turned::NotHad };
    if stages.stop.is_asked() {
        return Turned::NotHad;
    }
    if stages.judging.as_ref().is_some_and(|judging| judging.must_wait(leased)) {
        return Turned::TooEarly;
    }
    // Apart from what follows, which asks the frontier, too.
    let second = stages.apps().and_then(|apps| apps.second_thought(&leased.link, &stages.frontier()));
    if let Some(detail) = second {
        finish_refusal(leased, Outcome::Skipped { reason: SkipReason::Application, detail }, stages);
        return Turned::Had;
    }
    if let Some((reason, detail)) = forbidden(leased, stages) {
        finish_refusal(leased, Outcome::Skipped { reason, detail }, stages);
        return Turned::Had;
    }
    let found = match collecting.source.snapshots(&leased.link.url).await {
        Ok(found) => found,
        Err(NotThere::Missing) => Vec::new(),
        Err(fault) => {
            finish_unread(leased, &fault.to_string(), stages);
            return Turned::Had;
        }
    };
    let archived = found.len();
    let wanted = wanted(leased, collecting, stages);
    let chosen = wanted.of_these(found);
    if chosen.is_empty() {
        let detail = match archived {
            0 => "not in the archive".to_owned(),
            many => format!("the archive has {many} snapshots of it, all of them errors"),
        };
        finish_refusal(leased, Outcome::Skipped { reason: SkipReason::Missing, detail }, stages);
        return Turned::Had;
    }
    if let Some(change) = second_thought(leased, &chosen, stages) {
        return Turned::PutBack(change);
    }
    if let Some(home) = chosen.first().filter(|first| first.url != leased.link.url) {
        finish_alias(leased, home.url.clone(), stages);
        return Turned::Had;
    }
    let Ok(_place) = stages.visits.acquire().await else { return Turned::NotHad };
    if !is_still_wanted(leased, stages) {
        return Turned::NotHad;
    }
    match allowance(leased, stages) {
        Allowed::Yes => {}
        Allowed::Never => return Turned::Had,
        Allowed::NotNow => return Turned::NotHad,
    }
    match take(leased, chosen, wanted, stages).await {
        Ok(visits) => {
            finish_snapshots(leased, named_near_duplicates(visits), archived, stages);
            Turned::Had
        }
        Err(fault) => {
            give_back_budgets(leased, stages);
            match fault {
                VisitError::Keep(KeepError::Closed(_)) => {
                    stages.stop.raise(Urge::Finish);
                    Turned::NotHad
                }
                fault => {
                    finish_unread(leased, &fault.to_string(), stages);
                    Turned::Had
                }
            }
        }
    }
}

/// What a link is worth by all that was learned since it was found, and by when its page was first archived, if that is less.
fn second_thought(leased: &LeasedLink, chosen: &[Snapshot], stages: &Stages) -> Option<Change> {
    let judging = stages.judging.as_ref()?;
    if let Some(first) = chosen.iter().map(|snapshot| snapshot.at).min() {
        judging.first_seen(leased.key, first);
    }
    judging.second_thought(leased)
}

/// Pages are wanted as the spec says; what they embed, as it was when they were captured.
fn wanted(leased: &LeasedLink, collecting: &Collecting, stages: &Stages) -> Wanted {
    let embedded = leased.link.hops.embeds_in_a_row() > 0 && collecting.wanted != Wanted::All;
    let page = leased.link.via.filter(|_| embedded);
    page.and_then(|key| captured_at(key, stages)).map_or(collecting.wanted, Wanted::with_page)
}

fn captured_at(key: annalist_model::UrlKey, stages: &Stages) -> Option<Time> {
    match stages.frontier().lookup(key).ok().flatten()?.state {
        State::Done { at, outcome: Outcome::Captured { .. } | Outcome::Revisit { .. }, .. } => Some(at),
        _ => None,
    }
}

enum Allowed {
    Yes,
    Never,
    NotNow,
}

fn allowance(leased: &LeasedLink, stages: &Stages) -> Allowed {
    let url = &leased.link.url;
    if over_site_budget(leased, &rules_for(&stages.spec(), url.host_name(), url.site()), stages) {
        return Allowed::Never;
    }
    match stages.budget.begin(leased.link.seed, clock::now()) {
        Allowance::Granted => Allowed::Yes,
        Allowance::SeedSpent { why } => {
            stages.budget.give_back_on_site(leased.key.site);
            finish_refusal(leased, seed_spent(why), stages);
            Allowed::Never
        }
        Allowance::Spent => {
            stages.budget.give_back_on_site(leased.key.site);
            Allowed::NotNow
        }
    }
}

/// Visits the best snapshot that can be read, or all of them. What cannot be read is told.
async fn take(
    leased: &LeasedLink,
    chosen: Vec<Snapshot>,
    wanted: Wanted,
    stages: &Stages,
) -> Result<Vec<Visit>, VisitError> {
    let mut visits = Vec::new();
    let mut failed = None;
    for snapshot in chosen {
        // The first has its part of the budget already.
        let further = !visits.is_empty();
        if further && !matches!(stages.budget.begin(leased.link.seed, clock::now()), Allowance::Granted) {
            break;
        }
        match visit(leased, Way::Archive(&snapshot), stages).await {
            Ok(visit) => visits.push(visit),
            Err(VisitError::Archive(fault)) => {
                let told =
                    format!("the snapshot of {} of {}: {fault}", leased.link.url, snapshot.at.rfc3339());
                stages.keeper.event(Severity::Warning, "archive", told);
                failed = Some(VisitError::Archive(fault));
                if further {
                    stages.budget.give_back(leased.link.seed);
                }
                continue;
            }
            Err(fault) => return Err(fault),
        }
        if wanted != Wanted::All {
            break;
        }
    }
    match failed {
        Some(fault) if visits.is_empty() => Err(fault),
        _ => Ok(visits),
    }
}

/// Says of each snapshot which earlier one it nearly repeats.
fn named_near_duplicates(mut visits: Vec<Visit>) -> Vec<Visit> {
    if visits.len() < 2 {
        return visits;
    }
    let mut earlier: Vec<(Time, Shingles)> = Vec::new();
    for visit in visits.iter_mut().filter(|visit| !visit.page.text.is_empty()) {
        let own = Shingles::of(&visit.page.text);
        let near = earlier.iter().find(|(_, other)| own.is_near(other));
        match near {
            Some((at, _)) => visit.beside.push(("nearDuplicateOf", at.rfc3339())),
            None => earlier.push((visit.capture.started, own)),
        }
    }
    visits
}
