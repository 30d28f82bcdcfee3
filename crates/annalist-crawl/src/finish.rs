//! How a link's turn ends: what the keeper is told for a capture, a failure or a refusal, and when to try again.

use std::time::Duration;

use annalist_frontier::{Change, LeasedLink, State, Urgency, host_key};
use annalist_model::spec::duration;
use annalist_model::{CanonicalUrl, Capture, Link, Outcome, Page, Readability, Score, SkipReason, UrlKey};
use annalist_sources::{FetchError, retry_after};

use crate::apps::objects_of;
use crate::clock;
use crate::judging::Asked;
use crate::keeper::{Captured, Counts, Ended, Finished, Release};
use crate::logs::{CODE_BUDGET, CODE_MISSING, CODE_ROBOTS, CODE_SCOPE, Severity};
use crate::stages::Stages;
use crate::visit::Visit;

/// No server can make a link wait longer than this.
pub(crate) const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(24 * 3600);
/// Heritrix's code for what was lost on the way.
const CODE_LOST: i32 = -5;

/// What a turn does after a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    Next,
    /// The host wants to be left alone: the rest of the turn is given back.
    EndTurn,
    /// The page embeds what nobody has asked for yet: the keeper ends the turn when the frontier knows of it.
    Embeds,
    /// Others of the turn come before it; it goes back.
    PassedOver,
    /// The link did not have its turn and goes back too.
    NotHad,
}

/// Snapshots of an address, acknowledged together with their links. `archived`: how many the archive has.
pub fn finish_snapshots(leased: &LeasedLink, visits: Vec<Visit>, archived: usize, stages: &Stages) {
    let last = visits.len().saturating_sub(1);
    let mut finished = Vec::with_capacity(visits.len());
    for (place, mut visit) in visits.into_iter().enumerate() {
        let mut changes = Vec::new();
        topic_grew(leased, &mut changes, stages);
        visit.beside.push(("snapshotsInArchive", archived.to_string()));
        stages.budget.done();
        let mut captured = captured(leased, visit, None, changes, stages);
        if let Ended::Captured(captured) = &mut captured.ended {
            captured.is_followed = place < last;
        }
        finished.push(captured);
    }
    hand_in(finished, stages);
}

/// The archive has it under another address: with `www.` or without, by http or https. That one is collected, once, whoever
/// links to which.
pub fn finish_alias(leased: &LeasedLink, home: CanonicalUrl, stages: &Stages) {
    let detail = format!("the archive has it as {home}");
    let link = Link { url: home, ..leased.link.clone() };
    let key = link.url.key();
    let mut urgency = leased.urgency;
    if let Some(judging) = &stages.judging {
        judging.redirected(leased.key, key);
        urgency = if judging.is_reference(key) { Urgency::Urgent } else { urgency };
    }
    let discovered = Change::Discovered { link, value: leased.value, urgency };
    let outcome = Outcome::Skipped { reason: SkipReason::Duplicate, detail };
    let ended = Ended::Refused { status: CODE_SCOPE, outcome, started: clock::now() };
    finish(leased, ended, vec![discovered], Counts::AsPage, stages);
}

/// The archive has it, and it cannot be read.
pub fn finish_unread(leased: &LeasedLink, why: &str, stages: &Stages) -> After {
    fail_link(leased, why, CODE_LOST, None, stages)
}

/// A capture: acknowledged with its links; one that says "later" is tried again.
pub fn finish_visit(
    leased: &LeasedLink,
    visit: Visit,
    rest: Duration,
    release: Release,
    stages: &Stages,
) -> After {
    stages.hosts.answered(leased.link.url.host());
    let mut changes = Vec::new();
    topic_grew(leased, &mut changes, stages);
    if !rest.is_zero() {
        changes.push(Change::SiteRests { site: leased.key.site, until: release.until, delay: rest });
    }
    let retry = later(leased, &visit, &mut changes, stages);
    let after = match &retry {
        Some(_) => After::EndTurn,
        None if embeds_more(leased, &visit, stages) => After::Embeds,
        None => After::Next,
    };
    if retry.is_some() {
        give_back_budgets(leased, stages);
    } else {
        stages.budget.done();
        let outcome = Outcome::Captured { status: visit.capture.head.status };
        changes.extend(stages.rounds().after(leased.key, &outcome, clock::now()));
    }
    let mut finished = captured(leased, visit, retry, changes, stages);
    finished.release = (after == After::Embeds).then_some(release);
    hand_in(vec![finished], stages);
    after
}

/// What the keeper is told of a capture.
fn captured(
    leased: &LeasedLink,
    visit: Visit,
    retry: Option<String>,
    mut changes: Vec<Change>,
    stages: &Stages,
) -> Finished {
    let Visit { ticket, capture, received, mut page, seen, verdict, findings, via, beside } = visit;
    let score = verdict.and_then(|verdict| verdict.score);
    let mut metadata = metadata(leased, &capture, &page, score, &findings.outlinks, via.as_deref(), stages);
    metadata.extend(beside);
    changes.extend(findings.changes);
    stages.budget.received(leased.link.seed, received);
    let captured = Captured {
        ticket,
        status: capture.head.status,
        mime: if page.mime.is_empty() { "application/octet-stream".to_owned() } else { page.mime.clone() },
        bytes: received,
        started: capture.started,
        elapsed: capture.elapsed,
        payload_digest: capture.payload_digest.clone(),
        retry,
        is_followed: false,
        truncated: capture.truncated.map(annalist_model::Truncated::name),
        language: page.language.clone(),
        application: seen.as_ref().and_then(|seen| seen.application.clone()),
        metadata,
        objects: objects_of(seen.as_ref(), &page, &capture),
        // What others chose says nothing about how well links were chosen.
        score: score
            .filter(|_| !stages.judging.as_ref().is_some_and(|judging| judging.is_reference(leased.key)))
            .filter(|_| !was_captured(leased, stages)),
        notes: notes(&page),
        unusable: std::mem::take(&mut page.unusable),
    };
    let ended = Ended::Captured(Box::new(captured));
    let link = leased.link.clone();
    Finished { link, via, ended, changes, counts: Counts::AsPage, release: None }
}

/// Whether the link has been captured before: such a page was found once, however often it is visited.
fn was_captured(leased: &LeasedLink, stages: &Stages) -> bool {
    let known = stages.frontier().lookup(leased.key).ok().flatten();
    let earlier = known.and_then(|known| known.earlier);
    matches!(earlier, Some(State::Done { outcome: Outcome::Captured { .. } | Outcome::Revisit { .. }, .. }))
}

/// Whether the page needs something of its own site that the frontier has not heard of: it comes next.
fn embeds_more(leased: &LeasedLink, visit: &Visit, stages: &Stages) -> bool {
    let embedded = visit.findings.changes.iter().filter_map(|change| match change {
        Change::Discovered { link, urgency: Urgency::Urgent, .. } => Some(link.url.key()),
        _ => None,
    });
    let mut own = embedded.filter(|key| key.site == leased.key.site);
    own.any(|key| matches!(stages.frontier().lookup(key), Ok(None)))
}

/// Whether the link has to be asked for again, and the changes that say so: the server said "later", or sent it back to
/// the same address with something to remember (a cookie wall, a session in the path).
fn later(leased: &LeasedLink, visit: &Visit, changes: &mut Vec<Change>, stages: &Stages) -> Option<String> {
    let head = &visit.capture.head;
    let rules = &stages.spec().fetch;
    let tries = leased.tries.saturating_add(1);
    if tries >= rules.tries {
        return None;
    }
    let now = clock::now();
    if visit.findings.leads_back {
        let reason = "redirected to itself".to_owned();
        changes.push(Change::Retry { key: leased.key, not_before: now, tries, reason: reason.clone() });
        return Some(reason);
    }
    if !matches!(head.status, 429 | 502 | 503 | 504) {
        return None;
    }
    let asked = head.field("retry-after").and_then(|v| retry_after(v, now, LONGEST_RETRY_AFTER));
    let own = rules.retry_delay.saturating_mul(1 << u32::from(tries - 1).min(16)).min(LONGEST_RETRY_AFTER);
    let not_before = now.plus(asked.unwrap_or(own));
    let reason = match asked {
        Some(time) => format!("status {}, Retry-After {}", head.status, duration::display(time)),
        None => format!("status {}", head.status),
    };
    changes.push(Change::Retry { key: leased.key, not_before, tries, reason: reason.clone() });
    if matches!(head.status, 429 | 503) {
        changes.push(Change::HostRests {
            site: leased.key.site,
            host: host_key(leased.link.url.host()),
            until: not_before,
        });
    }
    Some(reason)
}

fn metadata(
    leased: &LeasedLink,
    capture: &Capture,
    page: &Page,
    relevance: Option<Score>,
    outlinks: &[String],
    via: Option<&str>,
    stages: &Stages,
) -> Vec<(&'static str, String)> {
    let mut fields: Vec<(&'static str, String)> = Vec::with_capacity(outlinks.len() + 8);
    fields.extend(via.map(|via| ("via", via.to_owned())));
    fields.push(("hopsFromSeed", leased.link.hops.as_str().to_owned()));
    fields.push(("fetchTimeMs", capture.elapsed.as_millis().to_string()));
    fields.extend(
        stages.spec().seeds.get(leased.link.seed as usize).map(|s| ("seed", s.url.as_str().to_owned())),
    );
    fields.push(("score", format!("{:.4}", leased.value)));
    fields.extend(relevance.map(|score| ("relevance", format!("{:.4}", score.get()))));
    if let Some(published) = &page.published {
        fields.push(("published", published.rfc3339()));
        let by = format!("{}, confidence {:.2}", published.evidence, published.confidence);
        fields.push(("publishedBy", by));
    }
    if relevance.is_some() && stages.spec().event.is_some() {
        let time = page.time(capture.started);
        fields.push(("documentTime", format!("{} {}", time.at.rfc3339(), time.basis.word())));
    }
    fields.extend(page.charset.map(|c| ("charsetForLinkExtraction", c.to_owned())));
    fields.extend(page.language.clone().map(|l| ("language", l)));
    if let Readability::Partial(why) = &page.readability {
        fields.push(("readInPart", why.clone()));
    }
    if page.unusable.count > 0 {
        fields.push(("unusableLinks", page.unusable.count.to_string()));
    }
    fields.extend(capture.certificate_fault.clone().map(|f| ("certificateFault", f)));
    fields.extend(outlinks.iter().map(|outlink| ("outlink", outlink.clone())));
    fields
}

/// What `crawl.log` says of reading the page.
fn notes(page: &Page) -> Vec<String> {
    let mut notes = Vec::new();
    if let Readability::Partial(why) = &page.readability {
        notes.push(format!("readInPart:{why}"));
    }
    if page.unusable.count > 0 {
        notes.push(format!("unusableLinks:{}", page.unusable.count));
    }
    notes
}

/// A fetch that brought nothing: tried again later, or given up.
pub fn finish_failure(leased: &LeasedLink, fault: &FetchError, stages: &Stages) -> After {
    // Definite: asking again soon would bring the same answer.
    if let FetchError::AddressRefused(_) | FetchError::NoSuchName(_) = fault {
        end(leased, fault.code(), failure(fault), stages);
        return After::Next;
    }
    let why = told(fault);
    if fault.is_about_host() {
        return fail_host(leased, &why, fault.code(), SkipReason::Failed, None, stages);
    }
    let wait = fault.retry_in(leased.tries.saturating_add(1), &stages.spec().fetch);
    fail_link(leased, &why, fault.code(), wait, stages)
}

/// robots.txt could not be fetched: told like any fetch. Whether it is asked for again depends on the link that needs it.
pub fn finish_prerequisite(robots: &LeasedLink, fault: &FetchError, stages: &Stages) {
    let ended = Ended::Refused { status: fault.code(), outcome: failure(fault), started: clock::now() };
    finish(robots, ended, Vec::new(), Counts::AsPrerequisite, stages);
}

fn failure(fault: &FetchError) -> Outcome {
    match fault {
        FetchError::AddressRefused(refused) => {
            Outcome::Skipped { reason: SkipReason::Address, detail: refused.to_string() }
        }
        _ => Outcome::Skipped { reason: SkipReason::Failed, detail: told(fault) },
    }
}

fn told(fault: &FetchError) -> String {
    format!("{} ({fault})", fault.reason())
}

/// The bytes were received and could not be kept: tried again like any failure.
pub fn finish_lost(leased: &LeasedLink, why: &str, stages: &Stages) -> After {
    let rules = &stages.spec().fetch;
    let wait = (leased.tries.saturating_add(1) < rules.tries).then_some(rules.retry_delay);
    fail_link(leased, why, CODE_LOST, wait, stages)
}

/// robots.txt could not be had, so nothing of the host may be asked for.
pub fn finish_closed_host(leased: &LeasedLink, why: &str, asked: Option<Duration>, stages: &Stages) -> After {
    fail_host(leased, why, CODE_ROBOTS, SkipReason::RobotsUnreachable, asked, stages)
}

/// The link alone is at fault: the others of its host go on.
fn fail_link(leased: &LeasedLink, why: &str, code: i32, wait: Option<Duration>, stages: &Stages) -> After {
    let tries = leased.tries.saturating_add(1);
    let Some(wait) = wait else {
        let detail = format!("{why}; tried {tries} times");
        end(leased, code, Outcome::Skipped { reason: SkipReason::Failed, detail }, stages);
        return After::Next;
    };
    let not_before = clock::now().plus(wait);
    let retry = Change::Retry { key: leased.key, not_before, tries, reason: why.to_owned() };
    retrying(leased, why, code, vec![retry], stages);
    After::Next
}

/// The host does not answer, or not yet: all of it rests, twice as long each time, until it is given up.
fn fail_host(
    leased: &LeasedLink,
    why: &str,
    code: i32,
    reason: SkipReason,
    asked: Option<Duration>,
    stages: &Stages,
) -> After {
    let now = clock::now();
    let rules = &stages.spec().fetch;
    let host = leased.link.url.host();
    let in_a_row = stages.hosts.failed(host, reason, why, now);
    if in_a_row == rules.tries {
        // Once, however many of its links wait.
        let told = format!(
            "{host} is given up: it failed {in_a_row} times in a row ({why}); its links that wait are skipped"
        );
        stages.keeper.event(Severity::Warning, "web", told);
    }
    if in_a_row >= rules.tries {
        let detail = format!("{why}; its host failed {in_a_row} times in a row");
        end(leased, code, Outcome::Skipped { reason, detail }, stages);
        return After::Next;
    }
    let doublings = u32::from(in_a_row.saturating_sub(1)).min(16);
    let own = rules.retry_delay.saturating_mul(1 << doublings);
    let until = now.plus(asked.unwrap_or(own).min(LONGEST_RETRY_AFTER));
    // The host's failures are counted, not the link's: it keeps its tries.
    let changes = vec![
        Change::Retry { key: leased.key, not_before: until, tries: leased.tries, reason: why.to_owned() },
        Change::HostRests { site: leased.key.site, host: host_key(host), until },
    ];
    retrying(leased, why, code, changes, stages);
    After::EndTurn
}

fn retrying(leased: &LeasedLink, why: &str, code: i32, changes: Vec<Change>, stages: &Stages) {
    let ended = Ended::Retrying { status: code, reason: why.to_owned(), started: clock::now() };
    finish(leased, ended, changes, Counts::AsPage, stages);
}

/// A link that is not to be fetched, for good.
pub fn finish_refusal(leased: &LeasedLink, outcome: Outcome, stages: &Stages) -> After {
    let code = match &outcome {
        Outcome::Skipped { reason: SkipReason::Robots | SkipReason::RobotsUnreachable, .. } => CODE_ROBOTS,
        Outcome::Skipped { reason: SkipReason::Budget | SkipReason::SiteBudget, .. } => CODE_BUDGET,
        Outcome::Skipped { reason: SkipReason::Missing, .. } => CODE_MISSING,
        _ => CODE_SCOPE,
    };
    end(leased, code, outcome, stages);
    After::Next
}

/// Puts a link back into its place: others are worth more by now.
pub fn finish_second_thought(
    change: Change,
    release: Release,
    leased: &LeasedLink,
    stages: &Stages,
) -> After {
    put_back(vec![(leased.clone(), change)], release, stages);
    After::Embeds
}

/// Puts links back into their places, and then ends their turn.
pub fn put_back(links: Vec<(LeasedLink, Change)>, release: Release, stages: &Stages) {
    let finished = links.into_iter().map(|(leased, change)| Finished {
        via: stages.url_of(leased.link.via),
        link: leased.link,
        ended: Ended::PutBack,
        changes: vec![change],
        counts: Counts::AsPage,
        release: None,
    });
    let mut finished: Vec<Finished> = finished.collect();
    if let Some(last) = finished.last_mut() {
        last.release = Some(release);
    }
    hand_in(finished, stages);
}

fn end(leased: &LeasedLink, status: i32, outcome: Outcome, stages: &Stages) {
    let now = clock::now();
    let is_missing = matches!(outcome, Outcome::Skipped { reason: SkipReason::Missing, .. });
    // That an archive lacks a page says nothing against those that led to it.
    if let Some(judging) = stages.judging.as_ref().filter(|_| !is_missing) {
        judging.lost(leased.key);
    }
    let changes = stages.rounds().after(leased.key, &outcome, now).into_iter().collect();
    let ended = Ended::Refused { status, outcome, started: now };
    finish(leased, ended, changes, Counts::AsPage, stages);
}

/// A visit that brought nothing counts nowhere.
pub fn give_back_budgets(leased: &LeasedLink, stages: &Stages) {
    stages.budget.give_back(leased.link.seed);
    stages.budget.give_back_on_site(leased.key.site);
}

/// A site that had its share is asked for nothing more.
pub fn close_site(leased: &LeasedLink, stages: &Stages) {
    let reason = SkipReason::SiteBudget;
    let changes = vec![Change::SiteClosed { site: leased.key.site, reason }];
    let detail = "the site's limit is reached".to_owned();
    let outcome = Outcome::Skipped { reason, detail };
    let ended = Ended::Refused { status: CODE_BUDGET, outcome, started: clock::now() };
    finish(leased, ended, changes, Counts::AsPage, stages);
}

/// Hands a link's end in, with the page that named it looked up.
pub(crate) fn finish(
    leased: &LeasedLink,
    ended: Ended,
    mut changes: Vec<Change>,
    counts: Counts,
    stages: &Stages,
) {
    topic_grew(leased, &mut changes, stages);
    let via = stages.url_of(leased.link.via);
    let link = leased.link.clone();
    hand_in(vec![Finished { link, via, ended, changes, counts, release: None }], stages);
}

/// A reference that nothing will come of is waited for no longer.
pub fn finish_waiting(key: UrlKey, stages: &Stages) {
    let Ok(Some(known)) = stages.frontier().lookup(key) else {
        if let Some(judging) = &stages.judging {
            judging.asked(key);
        }
        return;
    };
    let (Some(link), urgency) = (known.link, known.urgency) else { return };
    let leased = LeasedLink { link, key, value: known.value, tries: known.tries, urgency };
    let mut changes = Vec::new();
    topic_grew(&leased, &mut changes, stages);
    let (link, counts) = (leased.link, Counts::AsPage);
    hand_in(
        vec![Finished { link, via: None, ended: Ended::PutBack, changes, counts, release: None }],
        stages,
    );
}

/// With the outcome of the last reference it is known what the topic is, or that nothing says so.
fn topic_grew(leased: &LeasedLink, changes: &mut Vec<Change>, stages: &Stages) {
    let Some(judging) = &stages.judging else { return };
    let (asked, revalued) = judging.asked(leased.key);
    changes.extend(revalued.into_iter().map(|(key, value)| Change::Valued { key, value }));
    if asked == Asked::AllInVain {
        let told = "no reference could be read: nothing says what the topic is, and links come in the order they are found";
        stages.keeper.event(Severity::Warning, "judge", told);
    }
}

fn hand_in(finished: Vec<Finished>, stages: &Stages) {
    if let Err(fault) = stages.keeper.finish(finished) {
        // The keeper has ended and the crawl with it; the link stays queued for the next run.
        tracing::debug!(%fault, "a visit was not acknowledged");
    }
}
