//! What belongs to a collection and the archive does not have: a list by estimated relevance, which a live crawl can take for
//! its seeds.

use std::io::{self, Write};
use std::sync::Arc;

use annalist_disk::RealDisk;
use annalist_frontier::{Frontier, FrontierError, Known, Settings, State};
use annalist_model::{LinkKind, Outcome, SkipReason, UrlKey};

use crate::engine::CrawlError;
use crate::job::JobDir;

/// An address that the archive does not have.
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
    /// Whether it is part of a page, and no page.
    pub is_embedded: bool,
}

/// What a job's archive does not have, the best first, pages before what they embed.
pub fn missing(job: &JobDir) -> Result<Vec<Missing>, CrawlError> {
    let frontier = annalist_frontier::read_only(Arc::new(RealDisk), &job.frontier(), Settings::default())?;
    Ok(missing_in(&frontier, &|_| None)?)
}

/// The same of a frontier. `estimate`: what a link is worth by what was learned last.
pub fn missing_in(
    frontier: &Frontier,
    estimate: &dyn Fn(UrlKey) -> Option<f32>,
) -> Result<Vec<Missing>, FrontierError> {
    let mut found: Vec<(Missing, Option<UrlKey>)> = Vec::new();
    frontier.each_done(&mut |known: &Known| {
        let State::Done { outcome: Outcome::Skipped { reason: SkipReason::Missing, .. }, .. } = &known.state
        else {
            return;
        };
        let Some(link) = &known.link else { return };
        let missing = Missing {
            url: link.url.as_str().to_owned(),
            value: estimate(known.key).unwrap_or(known.value),
            mentions: known.times_seen,
            via: None,
            anchor: link.anchor.clone(),
            kind: link.kind,
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
