//! What a page leads to: each of its links in scope with a value, or refused with a reason. How links are read is in
//! `annalist-read`; what is in scope is in `scope.rs`; how a value becomes an order is the frontier's concern.

use annalist_apps::{Choice, Seen};
use annalist_frontier::{Change, LeasedLink, Urgency};
use annalist_model::spec::{Order, RobotsPolicy, Spec};
use annalist_model::{CanonicalUrl, Capture, Link, LinkKind, Page, Score, SkipReason};

use crate::clock;
use crate::delay::rules_for;
use crate::keeper::WIDENED_NOTE;
use crate::scope::{Facts, Scope, Verdict};
use crate::stages::Stages;

/// What the frontier is told about a page's links, and what the metadata record says of them.
#[derive(Debug, Default)]
pub struct Findings {
    pub changes: Vec<Change>,
    pub outlinks: Vec<String>,
    /// It redirects to itself: there is something to be remembered first.
    pub leads_back: bool,
}

/// A page with more links than this is a list made by a machine; the rest is left out.
const MOST_LINKS: usize = 100_000;
/// What each click takes off a link's value as long as nothing better is known.
const PER_CLICK: f32 = 0.9;

/// Judges every link of a page.
pub fn find(
    leased: &LeasedLink,
    capture: &Capture,
    page: &mut Page,
    seen: Option<&Seen>,
    verdict: Option<&annalist_judge::Verdict>,
    via: Option<&str>,
    stages: &Stages,
) -> Findings {
    let mut findings = Findings::default();
    let (spec, scope) = (stages.spec(), stages.scope());
    let way = stages.way_through(leased);
    let reached = Facts {
        via_beyond: stages.beyond(&leased.link),
        via_url: Some(capture.url.as_str()),
        way: Some(&way),
        ..Facts::default()
    };
    if capture.head.is_redirect()
        && let Some(target) = capture.head.location()
    {
        match spec.canonical.join(capture.url.as_url(), &target) {
            Ok(target) => follow_redirect(leased, target, &reached, &mut findings, stages),
            Err(fault) => page.unusable.note(Some(capture.url.as_url()), &target, fault),
        }
    }
    let here = Facts {
        mime: Some(page.mime.as_str()).filter(|mime| !mime.is_empty()),
        language: page.language.as_deref(),
        ..reached
    };
    let rules = rules_for(&spec, capture.url.host_name(), capture.url.site());
    // What pages ask of robots concerns their servers; an archive has none.
    let obeys = rules.politeness.robots == RobotsPolicy::Obey && stages.archive.is_none();
    let own = Facts { via_url: via, ..here };
    let barred = match scope.follow(&leased.link, &own) {
        Verdict::Out { reason, detail } => Some((reason, detail.into_owned())),
        Verdict::In { .. } if obeys && page.robots.nofollow => {
            Some((SkipReason::Nofollow, "the page asks robots not to follow its links".to_owned()))
        }
        Verdict::In { .. } => None,
    };
    let share = 1.0 / page.links.len().max(1) as f32;
    let neutral = stages.judging.as_ref().map(|judging| judging.neutral());
    let mut choices = Vec::new();
    if let Some(apps) = stages.apps() {
        let frontier = stages.frontier();
        findings.changes.extend(seen.and_then(|seen| apps.hear(&capture.url, seen, &frontier)));
        choices = apps.choices(&capture.url, page, seen, &frontier);
    }
    for (place, found) in page.links.iter().enumerate().take(MOST_LINKS) {
        let choice = choices.get(place).unwrap_or(&Choice::Untouched);
        let (url, factor) = match choice {
            Choice::Follow { score, instead, .. } => (instead.as_ref().unwrap_or(&found.url), *score),
            _ => (&found.url, 1.0),
        };
        let link = leased.link.child(url.clone(), found.kind, &found.anchor);
        findings.outlinks.push(format!("{} {} {}", link.url, found.kind.hop().letter(), found.kind.name()));
        let of_link = (obeys && found.nofollow)
            .then(|| (SkipReason::Nofollow, "the link is marked as not to be followed".to_owned()));
        let of_application = match choice {
            Choice::Never { reason } => Some((SkipReason::Application, reason.clone())),
            _ => None,
        };
        let barred_link = barred.clone().or(of_link).filter(|_| !is_embed(&link)).or(of_application);
        findings.changes.push(match barred_link {
            Some((reason, detail)) => Change::Refused { link, reason, detail },
            None => {
                let of_seed = stages.judging.as_ref().and_then(|judging| judging.seed_score(link.url.key()));
                let judged = of_seed.or_else(|| verdict?.values.get(place).copied().flatten());
                let value = judged.unwrap_or_else(|| match &neutral {
                    Some(neutral) => *neutral,
                    None => value_of(&link, leased.value * share, &spec),
                });
                admit(link, value * factor, &here, &scope)
            }
        });
    }
    let revalued = verdict.map(|verdict| verdict.revalued.as_slice()).unwrap_or_default();
    findings.changes.extend(revalued.iter().map(|(key, value)| Change::Valued { key: *key, value: *value }));
    findings
}

fn follow_redirect(
    leased: &LeasedLink,
    target: CanonicalUrl,
    facts: &Facts<'_>,
    findings: &mut Findings,
    stages: &Stages,
) {
    let scope = stages.scope();
    if target == leased.link.url {
        findings.leads_back = true;
        return;
    }
    if leased.link.hops.as_str().chars().all(|hop| hop == 'R') {
        let before = scope.widened().len();
        scope.widen(leased.link.seed, &target);
        findings.changes.extend(widened_note(&scope, before));
    }
    findings.outlinks.push(format!("{target} R redirect"));
    let again = stages.rounds().with_redirect(leased, &target, &stages.frontier(), clock::now());
    let link = leased.link.child(target, LinkKind::Redirect, "");
    let judged = match &stages.judging {
        Some(judging) => {
            let key = link.url.key();
            judging.redirected(leased.key, key);
            sooner(admit(link, leased.value, facts, &scope), judging.is_reference(key))
        }
        None => judge(link, facts, leased.value, &stages.spec(), &scope),
    };
    let again = again.filter(|_| matches!(judged, Change::Discovered { .. }));
    findings.changes.push(judged);
    findings.changes.extend(again);
}

/// What a restart needs to know of a scope that has just become wider.
fn widened_note(scope: &Scope, before: usize) -> Option<Change> {
    let widened = scope.widened();
    let lines: String = widened.iter().map(|(seed, target)| format!("{seed}\t{target}\n")).collect();
    let note = || Change::Note { name: WIDENED_NOTE.to_owned(), value: lines.into_bytes() };
    (widened.len() > before).then(note)
}

/// Makes a scope as wide again as it was.
pub fn widen_again(scope: &Scope, note: Option<&[u8]>) {
    let note = note.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default();
    for (seed, target) in note.lines().filter_map(|line| line.split_once('\t')) {
        if let (Ok(seed), Ok(target)) = (seed.parse(), CanonicalUrl::restore(target)) {
            scope.widen(seed, &target);
        }
    }
}

/// One link: admitted with a value, or refused with a reason.
pub fn judge(link: Link, facts: &Facts<'_>, cash: f32, spec: &Spec, scope: &Scope) -> Change {
    let value = value_of(&link, cash, spec);
    admit(link, value, facts, scope)
}

/// What says what the topic is comes before all others of its site.
fn sooner(change: Change, is_reference: bool) -> Change {
    match change {
        Change::Discovered { link, value, .. } if is_reference => {
            Change::Discovered { link, value, urgency: Urgency::Urgent }
        }
        other => other,
    }
}

fn admit(link: Link, value: f32, facts: &Facts<'_>, scope: &Scope) -> Change {
    match scope.admit(&link, &Facts { score: Some(Score::new(value)), ..*facts }) {
        Verdict::In { .. } => {
            let urgency = if is_embed(&link) { Urgency::Urgent } else { Urgency::Normal };
            Change::Discovered { link, value, urgency }
        }
        Verdict::Out { reason, detail } => Change::Refused { link, reason, detail: detail.into_owned() },
    }
}

/// What the order sorts by: clicks from a good seed, mentions, or a share of the page's cash.
fn value_of(link: &Link, cash: f32, spec: &Spec) -> f32 {
    let seed = spec.seeds.get(link.seed as usize).map_or(1.0, |seed| seed.score.get());
    match spec.frontier.order {
        Order::BestFirst | Order::BreadthFirst => seed * PER_CLICK.powi(i32::from(link.depth)),
        Order::InDegree => 1.0,
        Order::Opic => cash,
    }
}

fn is_embed(link: &Link) -> bool {
    link.hops.embeds_in_a_row() > 0
}

/// A seed as the frontier hears of it: even a seed can be blocked or excluded.
pub fn seed_change(spec: &Spec, scope: &Scope, index: u32, url: CanonicalUrl) -> Change {
    judge(Link::seed(url, index), &Facts::default(), 1.0, spec, scope)
}
