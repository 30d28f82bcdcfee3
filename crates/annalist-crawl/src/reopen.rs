//! What earlier runs left alone for a limit is taken up again once the spec allows more. Which limits there are is said in
//! `budget.rs`; here they are compared with what was kept of the earlier runs.

use std::collections::BTreeSet;

use annalist_frontier::{Change, Frontier, FrontierError, Known, State};
use annalist_model::spec::Spec;
use annalist_model::{Outcome, SkipReason, Time};
use xxhash_rust::xxh3::xxh3_64;

use crate::budget::Before;
use crate::counters::Counters;
use crate::delay::rules_for;

/// Which limits the job was last opened with.
pub const LIMITS_NOTE: &str = "limits";

/// A change, and why its link was skipped so far, if it is about one.
pub type Reopening = (Change, Option<SkipReason>);

/// What the limits of this run allow again: looks through all that was skipped, where they are not those of the last run.
pub fn reopened(
    spec: &Spec,
    frontier: &Frontier,
    counters: &Counters,
) -> Result<Vec<Reopening>, FrontierError> {
    let mut changes = Vec::new();
    let limits = fingerprint(spec);
    // Every run has a seed's time anew.
    let timed = spec.seeds.iter().any(|seed| seed.time.is_some());
    if !timed && frontier.note(LIMITS_NOTE) == Some(limits.as_slice()) {
        return Ok(changes);
    }
    let before = Before::of(counters, spec);
    let mut opened = BTreeSet::new();
    let mut failed = None;
    frontier.each_done(&mut |known| match allowed_again(spec, frontier, &before, known) {
        Ok(Some(reason)) => {
            if reason == SkipReason::SiteBudget && opened.insert(known.key.site) {
                changes.push((Change::SiteOpened { site: known.key.site }, None));
            }
            let again = Change::Again {
                key: known.key,
                not_before: Time::default(),
                reason: "its limit allows it again".to_owned(),
            };
            changes.push((again, Some(reason)));
        }
        Ok(None) => {}
        Err(fault) => failed = Some(fault),
    })?;
    if let Some(fault) = failed {
        return Err(fault);
    }
    // The last: should the start be interrupted, the next one looks again.
    changes.push((Change::Note { name: LIMITS_NOTE.to_owned(), value: limits.to_vec() }, None));
    Ok(changes)
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

/// A number that changes with every limit of a site or a seed.
fn fingerprint(spec: &Spec) -> [u8; 8] {
    let sites: Vec<_> = spec.sites.iter().map(|site| (&site.site, site.pages, site.size_bytes)).collect();
    let seeds: Vec<_> = spec.seeds.iter().map(|seed| (seed.pages, seed.size_bytes, seed.time)).collect();
    let limits = format!("{:?}", (spec.limits.site_pages, spec.limits.site_size_bytes, sites, seeds));
    xxh3_64(limits.as_bytes()).to_le_bytes()
}
