//! Pages for the judge: out of files, and out of small crawls that fetch nothing but them.

use std::path::Path;

use annalist_crawl::engine::Report;
use annalist_crawl::explain::explain;
use annalist_crawl::job::JobDir;
use annalist_model::spec::{Limits, Order, ScopeKind, ScopeRules, Seed, Spec, Topic};
use annalist_model::{CanonicalUrl, Canonicaliser, Page, ResponseHead};
use annalist_read::Reader;
use annalist_sources::ArchiveSource;
use anyhow::{Context, Result};

use crate::commands::crawl::{crawl, require_contact, shared_book};
use crate::commands::verify::warc_files_in;
use crate::progress::Progress;

/// Where a page in a file is taken to be from: its links may be relative.
const NOWHERE: &str = "http://localhost/";
/// Nobody waits long for a page that is only looked at.
const MOST_TRIES: u16 = 2;

/// A page in a file, HTML or text.
pub fn of_file(path: &Path, canonical: &Canonicaliser) -> Result<(CanonicalUrl, Page)> {
    let bytes = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let name = path.file_name().map(|name| name.to_string_lossy().replace(['?', '#', '%'], "-"));
    let url = canonical
        .parse(&format!("{NOWHERE}{}", name.unwrap_or_default()))
        .or_else(|_| canonical.parse(NOWHERE))
        .context("a file has no address")?;
    let head = ResponseHead { status: 200, fields: Vec::new() };
    let page = Reader::new(canonical.clone()).read(&url, &head, &bytes);
    Ok((url, page))
}

/// A spec that fetches these addresses, and what they lead to within so many clicks, with the manners of another.
pub fn fetching(spec: &Spec, name: &str, urls: &[CanonicalUrl], clicks: u16, pages: Option<u64>) -> Spec {
    let mut small = Spec { name: name.to_owned(), topic: Topic::default(), event: None, ..spec.clone() };
    small.seeds = urls.iter().map(|url| Seed { scope: ScopeKind::Any, ..Seed::new(url.clone()) }).collect();
    small.scope = ScopeRules {
        exclude: spec.scope.exclude.clone(),
        blocked_sites: spec.scope.blocked_sites.clone(),
        depth: Some(clicks),
        embeds: false,
        sitemaps: false,
        ..ScopeRules::default()
    };
    for site in &mut small.sites {
        (site.depth, site.pages, site.size_bytes) = (None, None, None);
    }
    small.limits = Limits { pages, ..Limits::default() };
    small.frontier.order = Order::BreadthFirst;
    small.fetch.tries = small.fetch.tries.min(MOST_TRIES);
    small
}

/// Runs such a spec.
pub fn fetch(spec: Spec, job: &Path) -> Result<Report> {
    require_contact(&spec)?;
    crawl(spec, job, None, shared_book(), Progress::Shown)
}

/// The documents in a job's archive, in the order of their addresses.
pub fn of_job(job: &Path, canonical: &Canonicaliser) -> Result<Vec<(CanonicalUrl, Page)>> {
    let files = warc_files_in(&JobDir::new(job).archive())?;
    let limits = annalist_read::Limits::default();
    let source = ArchiveSource::open(&files, limits.body_bytes as u64)?;
    let reader = Reader::with_limits(canonical.clone(), limits);
    let documents = source.documents().iter().filter_map(|url| source.fetch(url).ok());
    Ok(documents
        .map(|found| (found.url.clone(), reader.read(&found.url, &found.head, &found.body)))
        .collect())
}

/// What became of an address that is no page in a job's archive.
pub fn why_none(spec: &Spec, job: &Path, url: &CanonicalUrl) -> String {
    let decisions = explain(&JobDir::new(job), spec, url.as_str()).map(|told| told.decisions);
    // Where the answer is kept is of no use to somebody who wants a page.
    let mut decisions = decisions.unwrap_or_default().into_iter().filter(|told| !told.starts_with("kept in"));
    decisions.next_back().unwrap_or_else(|| "nothing is known of it".to_owned())
}
