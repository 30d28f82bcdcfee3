//! What earlier runs left alone for a limit is taken up again once the spec allows more. Which limits there are is said in
//! `budget.rs`; here they are compared with what was kept of the earlier runs.

use std::collections::BTreeSet;
use std::fmt::Debug;

use annalist_frontier::{Change, Frontier, FrontierError, Known, State, Urgency};
use annalist_model::spec::{Expression, Spec};
use annalist_model::{Hop, LinkKind, Outcome, Score, SkipReason, Time, UrlKey};
use xxhash_rust::xxh3::xxh3_64;

use crate::budget::Before;
use crate::delay::rules_for;
use crate::findings::judge;
use crate::injecting::never;
use crate::scope::{Facts, Scope, Walked, Way};
use crate::stages::{beyond, passed};

/// Which limits of pages, bytes and time the job was last opened with.
const LIMITS_NOTE: &str = "limits";
/// Which depths the job was last opened with.
const DEPTHS_NOTE: &str = "depths";
/// Which scope links were found by: the same for all of them, or others before it.
const SCOPE_NOTE: &str = "scope";
const OTHERS_BEFORE: u8 = 1;
/// By which rules addresses are spelled.
const SPELLING_NOTE: &str = "spelling";
/// Which archives the collection was last taken from.
const ARCHIVES_NOTE: &str = "archives";

/// A change, and why and how often its link was skipped so far, if it is about one.
pub type Reopening = (Change, Option<(SkipReason, u32)>);

/// Links that were refused, by what may be another now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rejudged {
    pub depths: bool,
    pub scope: bool,
}

/// What the limits of this run allow again.
#[derive(Debug, Default)]
pub struct Reopened {
    pub changes: Vec<Reopening>,
    /// Whether what was skipped for a limit has to be looked at again: a piece at a time, too.
    pub limits: bool,
    /// Which links that were refused have to be judged again. There may be very many: that is done a piece at a time.
    pub refused: Rejudged,
    /// Whether addresses are spelled by other rules than before: what was blacklisted is to be known by these, too.
    pub spelling: bool,
    /// To be committed after all of these.
    pub notes: Vec<Reopening>,
}

impl Reopened {
    /// Looks through all that was skipped for a limit, where the limits are not those of the last run.
    pub fn of(spec: &Spec, scope: &Scope, frontier: &Frontier) -> Result<Reopened, FrontierError> {
        let mut reopened = Reopened::default();
        let limits = limits_of(spec);
        // Every run has a seed's time anew.
        let timed = spec.seeds.iter().any(|seed| seed.time.is_some());
        if timed || frontier.note(LIMITS_NOTE) != Some(limits.as_slice()) {
            reopened.limits = true;
            reopened.notes.push(note(LIMITS_NOTE, limits));
        }
        let depths = depths_of(spec);
        if frontier.note(DEPTHS_NOTE) != Some(depths.as_slice()) {
            reopened.refused.depths = true;
            reopened.notes.push(note(DEPTHS_NOTE, depths));
        }
        if had_other_scope(spec, frontier) && frontier.note(SCOPE_NOTE) != Some(&scope_note(spec, true)) {
            let skipped = skipped_for_scope(frontier)?;
            reopened.changes.extend(in_scope_again(&skipped, scope, frontier)?);
            reopened.refused.scope = true;
            reopened.notes.push(note(SCOPE_NOTE, scope_note(spec, true)));
        } else if frontier.note(SCOPE_NOTE).is_none() {
            reopened.notes.push(note(SCOPE_NOTE, scope_note(spec, false)));
        }
        let spelling = fingerprint(&spec.canonical);
        if frontier.note(SPELLING_NOTE) != Some(spelling.as_slice()) {
            reopened.spelling = frontier.note(SPELLING_NOTE).is_some();
            reopened.notes.push(note(SPELLING_NOTE, spelling));
        }
        let (given, archives) = given_by_archives(spec, frontier)?;
        reopened.changes.extend(given);
        reopened.notes.extend(archives);
        Ok(reopened)
    }
}

/// What an archive did not give: where it failed it may answer now, and where others have been added, they may have it.
fn given_by_archives(
    spec: &Spec,
    frontier: &Frontier,
) -> Result<(Vec<Reopening>, Option<Reopening>), FrontierError> {
    let Some(extract) = &spec.extract else { return Ok((Vec::new(), None)) };
    let archives = xxh3_64(extract.archives.join("\n").as_bytes()).to_be_bytes();
    let others = frontier.note(ARCHIVES_NOTE).is_some_and(|known| known != archives.as_slice());
    let mut changes = Vec::new();
    frontier.each_done(&mut |known| {
        let State::Done { outcome: Outcome::Skipped { reason, .. }, .. } = &known.state else { return };
        let again = *reason == SkipReason::Failed || (others && *reason == SkipReason::Missing);
        if again {
            let reason_told = "the archive may have it now".to_owned();
            let again = Change::Again { key: known.key, not_before: Time::default(), reason: reason_told };
            changes.push((again, (*reason == SkipReason::Missing).then_some((*reason, 1))));
        }
    })?;
    Ok((changes, Some(note(ARCHIVES_NOTE, archives))))
}

/// Whether links may wait, or have been skipped, that were found when another scope counted.
pub fn had_other_scope(spec: &Spec, frontier: &Frontier) -> bool {
    frontier.note(SCOPE_NOTE).is_some_and(|known| known != scope_note(spec, false))
}

/// Whether another scope counts with the changed spec.
pub fn is_other_scope(before: &Spec, after: &Spec) -> bool {
    scope_of(before) != scope_of(after)
}

fn scope_note(spec: &Spec, others_before: bool) -> [u8; 9] {
    let mut note = [0; 9];
    note[..8].copy_from_slice(&scope_of(spec));
    note[8] = if others_before { OTHERS_BEFORE } else { 0 };
    note
}

fn scope_of(spec: &Spec) -> [u8; 8] {
    let rules = &spec.scope;
    let texts = |rules: &[Expression]| rules.iter().map(|rule| rule.text.clone()).collect::<Vec<_>>();
    let seeds: Vec<_> = spec.seeds.iter().map(|seed| (seed.url.as_str(), seed.scope, seed.depth)).collect();
    let sites: Vec<_> = spec.sites.iter().map(|site| (&site.site, site.depth)).collect();
    let numbers = (rules.depth, rules.extra_hops, rules.embeds, rules.sitemaps, rules.only_injected);
    let blocked = spec.sites.iter().filter(|site| site.blocked).map(|site| &site.site);
    let blocked: Vec<_> = rules.blocked_sites.iter().chain(blocked).collect();
    let named = (texts(&rules.include), texts(&rules.exclude), &rules.surts, blocked);
    fingerprint(&(numbers, named, seeds, sites))
}

/// Links that were found in scope and skipped at their turn, when the scope had become narrower.
fn skipped_for_scope(frontier: &Frontier) -> Result<Vec<(UrlKey, SkipReason)>, FrontierError> {
    let mut found = Vec::new();
    frontier.each_done(&mut |known| {
        if let State::Done { outcome: Outcome::Skipped { reason, .. }, .. } = known.state
            && matches!(
                reason,
                SkipReason::OutOfScope | SkipReason::Excluded | SkipReason::TooDeep | SkipReason::Blocked
            )
        {
            found.push((known.key, reason));
        }
    })?;
    Ok(found)
}

/// Those of them that are in scope now.
fn in_scope_again(
    skipped: &[(UrlKey, SkipReason)],
    scope: &Scope,
    frontier: &Frontier,
) -> Result<Vec<Reopening>, FrontierError> {
    let mut changes = Vec::new();
    for (key, reason) in skipped {
        let Some(link) = frontier.lookup(*key)?.and_then(|known| known.link) else { continue };
        let page = link.via.and_then(|page| passed(frontier, page));
        let via = link.via;
        let way = Way::new(move || Walked::up(via, |page| passed(frontier, page)));
        let facts = Facts {
            via_url: page.as_ref().map(|page| page.link.url.as_str()),
            way: Some(&way),
            was_in_scope: true,
            ..Facts::default()
        };
        // What somebody handed over is fetched wherever it lies, unless its site is blocked.
        let is_in = match link.kind {
            LinkKind::Injected => scope.shut(link.url.host_name()).is_none(),
            _ => scope.admit(&link, &facts).is_in(),
        };
        if is_in {
            let told = "the scope allows it again".to_owned();
            let again = Change::Again { key: *key, not_before: Time::default(), reason: told };
            changes.push((again, Some((*reason, 1))));
        }
    }
    Ok(changes)
}

/// What the frontier is told of those of these links, refused once, that are in scope now.
pub fn in_scope_now(
    keys: &[UrlKey],
    again: Rejudged,
    spec: &Spec,
    scope: &Scope,
    frontier: &Frontier,
) -> Result<Vec<Reopening>, FrontierError> {
    let mut changes = Vec::new();
    for key in keys {
        let Some(known) = frontier.lookup(*key)? else { continue };
        changes.extend(match &known.state {
            State::Refused { reason: SkipReason::TooDeep, .. } if again.depths => {
                within_depth(&known, spec, scope, frontier)
            }
            State::Refused { .. } if again.scope => wanted_now(&known, spec, scope, frontier),
            _ => None,
        });
    }
    Ok(changes)
}

/// A link that was refused for the scope when it was found or handed over, if the scope of now admits it. It is judged by
/// the page that named it first. Of that page only the way to it is kept: where a rule about its type or language might
/// keep the link out, it stays out.
fn wanted_now(known: &Known, spec: &Spec, scope: &Scope, frontier: &Frontier) -> Option<Reopening> {
    let State::Refused { reason, detail } = &known.state else { return None };
    let is_for_scope = match reason {
        SkipReason::OutOfScope | SkipReason::Blocked => true,
        // A rule about pages keeps their links out, which it need not name.
        SkipReason::Excluded => !spec.scope.exclude.iter().any(|rule| rule.text == *detail),
        _ => false,
    };
    let link = known.link.clone().filter(|_| is_for_scope)?;
    // Asked for by whoever needs it.
    let is_prerequisite = link.hops.last() == Some(Hop::Prerequisite);
    let is_unread = link.kind == LinkKind::Sitemap && !spec.scope.sitemaps;
    if is_prerequisite || is_unread || scope.shut(link.url.host_name()).is_some() {
        return None;
    }
    let skipped = Some((*reason, known.times_seen));
    if link.kind == LinkKind::Injected {
        return Some((Change::Discovered { link, value: 1.0, urgency: Urgency::Normal }, skipped));
    }
    let via = link.via;
    let page = via.and_then(|page| passed(frontier, page));
    let way = Way::new(move || Walked::up(via, |page| passed(frontier, page)));
    let look = |key| passed(frontier, key);
    let facts = Facts {
        via_url: page.as_ref().map(|page| page.link.url.as_str()),
        via_beyond: page.as_ref().map_or(0, |page| beyond(&page.link, spec, scope, &look)),
        way: Some(&way),
        ..Facts::default()
    };
    let Change::Discovered { link, value, urgency } = judge(link, &facts, 0.0, spec, scope) else {
        return None;
    };
    let may_be_excluded = scope.may_exclude(&link, &Facts { score: Some(Score::new(value)), ..facts });
    (!may_be_excluded).then_some((Change::Discovered { link, value, urgency }, skipped))
}

/// Those of these links that had their turn and were skipped for a limit that allows them now. `opened`: the sites that the
/// frontier was told of already.
pub fn allowed_now(
    keys: &[UrlKey],
    opened: &mut BTreeSet<u64>,
    before: &Before,
    spec: &Spec,
    frontier: &Frontier,
) -> Result<Vec<Reopening>, FrontierError> {
    let mut changes = Vec::new();
    for key in keys {
        let Some(known) = frontier.lookup(*key)? else { continue };
        let Some(reason) = allowed_again(spec, frontier, before, &known)? else { continue };
        if reason == SkipReason::SiteBudget && opened.insert(key.site) {
            changes.push((Change::SiteOpened { site: key.site }, None));
        }
        let told = "its limit allows it again".to_owned();
        let again = Change::Again { key: *key, not_before: Time::default(), reason: told };
        changes.push((again, Some((reason, 1))));
    }
    Ok(changes)
}

/// What the frontier is told of those of these addresses that were blacklisted, where they are spelled otherwise now.
pub fn never_by_other_spelling(
    keys: &[UrlKey],
    spec: &Spec,
    frontier: &Frontier,
    now: Time,
) -> Result<Vec<Reopening>, FrontierError> {
    let mut changes = Vec::new();
    for key in keys {
        let Some(known) = frontier.lookup(*key)? else { continue };
        let State::Done { outcome, .. } = &known.state else { continue };
        let Some(link) = known.link.as_ref().filter(|_| outcome.is_blacklisting()) else { continue };
        let Ok(url) = spec.canonical.parse(link.url.as_str()) else { continue };
        if url.key() != *key && !frontier.is_blacklisted(url.key())? {
            changes.extend(never(url, now).map(|change| (change, None)));
        }
    }
    Ok(changes)
}

/// A link that was refused as too deep, if it is in scope now. What the page that named it was, beside its address, is not
/// kept: a rule about its type or language brings no link back.
fn within_depth(known: &Known, spec: &Spec, scope: &Scope, frontier: &Frontier) -> Option<Reopening> {
    let link = known.link.clone()?;
    let via = link.via;
    let page = via.and_then(|page| passed(frontier, page));
    let way = Way::new(move || Walked::up(via, |page| passed(frontier, page)));
    // It was refused for its depth, so its page was near enough to the scope.
    let facts = Facts {
        via_url: page.as_ref().map(|page| page.link.url.as_str()),
        way: Some(&way),
        ..Facts::default()
    };
    let judged = judge(link, &facts, 0.0, spec, scope);
    let skipped = Some((SkipReason::TooDeep, known.times_seen));
    matches!(judged, Change::Discovered { .. }).then_some((judged, skipped))
}

/// Why a link was left alone, if that is no reason any more.
fn allowed_again(
    spec: &Spec,
    frontier: &Frontier,
    before: &Before,
    known: &Known,
) -> Result<Option<SkipReason>, FrontierError> {
    let State::Done { outcome: Outcome::Skipped { reason, .. }, .. } = &known.state else { return Ok(None) };
    let Some(link) = &known.link else { return Ok(None) };
    let allowed = match reason {
        SkipReason::Budget => {
            let (pages, bytes) = before.by_seed.get(link.seed as usize).copied().unwrap_or_default();
            spec.seeds.get(link.seed as usize).is_some_and(|seed| {
                seed.pages.is_none_or(|limit| pages < limit)
                    && seed.size_bytes.is_none_or(|limit| bytes < limit)
            })
        }
        // The link at which its site was closed.
        SkipReason::SiteBudget => {
            let rules = rules_for(spec, link.url.host_name(), link.url.site());
            let had = frontier.site_counts(known.key.site)?;
            rules.pages.is_none_or(|pages| had.captures < pages)
                && rules.size_bytes.is_none_or(|bytes| had.bytes < bytes)
        }
        _ => false,
    };
    Ok(allowed.then_some(*reason))
}

fn limits_of(spec: &Spec) -> [u8; 8] {
    let sites: Vec<_> = spec.sites.iter().map(|site| (&site.site, site.pages, site.size_bytes)).collect();
    let seeds: Vec<_> = spec.seeds.iter().map(|seed| (seed.pages, seed.size_bytes, seed.time)).collect();
    fingerprint(&(spec.limits.site_pages, spec.limits.site_size_bytes, sites, seeds))
}

fn depths_of(spec: &Spec) -> [u8; 8] {
    let sites: Vec<_> = spec.sites.iter().map(|site| (&site.site, site.depth)).collect();
    let seeds: Vec<_> = spec.seeds.iter().map(|seed| seed.depth).collect();
    fingerprint(&(spec.scope.depth, sites, seeds))
}

/// A number that changes with every limit.
fn fingerprint(limits: &dyn Debug) -> [u8; 8] {
    xxh3_64(format!("{limits:?}").as_bytes()).to_le_bytes()
}

fn note<const N: usize>(name: &str, value: [u8; N]) -> Reopening {
    (Change::Note { name: name.to_owned(), value: value.to_vec() }, None)
}

#[cfg(test)]
mod tests;
