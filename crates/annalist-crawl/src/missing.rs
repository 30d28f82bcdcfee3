//! What belongs to a collection and was not to be had: a list by estimated relevance. What an archive does not have can be
//! given to a live crawl for its seeds.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

use annalist_disk::RealDisk;
use annalist_frontier::{Frontier, FrontierError, Known, Settings, State};
use annalist_model::{CanonicalUrl, LinkKind, Outcome, SkipReason, UrlKey};

use crate::engine::CrawlError;
use crate::job::JobDir;

/// Left alone because nobody wanted them: these are not missing.
const DECISIONS: [SkipReason; 10] = [
    SkipReason::OutOfScope,
    SkipReason::Excluded,
    SkipReason::TooDeep,
    SkipReason::Trap,
    SkipReason::Blocked,
    SkipReason::RedirectLoop,
    SkipReason::Nofollow,
    SkipReason::Unusable,
    SkipReason::Application,
    SkipReason::Duplicate,
];

/// An address that was wanted and not to be had.
#[derive(Clone, Debug, PartialEq)]
pub struct Missing {
    pub url: String,
    /// What it is probably worth, by what is said of it.
    pub value: f32,
    /// How often it was named.
    pub mentions: u32,
    /// The page that named it first.
    pub via: Option<String>,
    pub anchor: String,
    pub kind: LinkKind,
    pub reason: SkipReason,
    pub detail: String,
    /// Whether it is part of a page, and no page.
    pub is_embedded: bool,
}

/// What a job wanted and did not get, for whatever reason, the best first, pages before what they embed.
pub fn missing(job: &JobDir) -> Result<Vec<Missing>, CrawlError> {
    let frontier = annalist_frontier::read_only(Arc::new(RealDisk), &job.frontier(), Settings::default())?;
    // What was learned last of links to what an archive does not have is in the list that the extraction left.
    let listed = std::fs::read_to_string(job.missing()).unwrap_or_default();
    let listed: HashMap<UrlKey, f32> = listed.lines().filter_map(listed_value).collect();
    let is_wanted = |reason| !DECISIONS.contains(&reason);
    Ok(missing_in(&frontier, &is_wanted, &|key| listed.get(&key).copied())?)
}

/// One line of [`write_seeds`].
fn listed_value(line: &str) -> Option<(UrlKey, f32)> {
    let (url, value) = line.split_once("\tscore=")?;
    Some((CanonicalUrl::parse(url).ok()?.key(), value.parse().ok()?))
}

/// What a frontier has left alone for one of these reasons. `estimate`: what a link is worth by what was learned last.
pub fn missing_in(
    frontier: &Frontier,
    is_missing: &dyn Fn(SkipReason) -> bool,
    estimate: &dyn Fn(UrlKey) -> Option<f32>,
) -> Result<Vec<Missing>, FrontierError> {
    let mut found: Vec<(Missing, Option<UrlKey>)> = Vec::new();
    frontier.each_done(&mut |known: &Known| {
        let State::Done { outcome: Outcome::Skipped { reason, detail }, .. } = &known.state else { return };
        if !is_missing(*reason) {
            return;
        }
        let Some(link) = &known.link else { return };
        let missing = Missing {
            url: link.url.as_str().to_owned(),
            value: estimate(known.key).unwrap_or(known.value),
            mentions: known.times_seen,
            via: None,
            anchor: link.anchor.clone(),
            kind: link.kind,
            reason: *reason,
            detail: detail.clone(),
            is_embedded: link.hops.embeds_in_a_row() > 0,
        };
        found.push((missing, link.via));
    })?;
    let mut missing = Vec::with_capacity(found.len());
    for (one, via) in found {
        let via = via.map(|key| frontier.lookup(key)).transpose()?.flatten();
        let via = via.and_then(|known| known.link).map(|link| link.url.as_str().to_owned());
        missing.push(Missing { via, ..one });
    }
    missing.sort_by(|a, b| {
        let order = a.is_embedded.cmp(&b.is_embedded).then(b.value.total_cmp(&a.value));
        order.then(b.mentions.cmp(&a.mentions)).then_with(|| a.url.cmp(&b.url))
    });
    Ok(missing)
}

/// Writes the pages of a list as seeds: `annalist crawl --seeds FILE` fetches them from the live web, the best first.
pub fn write_seeds(missing: &[Missing], out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "# Pages that belong to the collection and are not in the archive, the most relevant first."
    )?;
    writeln!(
        out,
        "# annalist crawl --seeds THIS_FILE --scope page --contact URL    fetches them from the live web"
    )?;
    for one in missing.iter().filter(|one| !one.is_embedded) {
        writeln!(out, "{}\tscore={:.4}", one.url, one.value.clamp(0.0, 1.0))?;
    }
    Ok(())
}
