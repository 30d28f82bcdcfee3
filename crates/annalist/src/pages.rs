//! Pages to be looked at one by one: out of files, and out of small crawls that fetch nothing but them.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use annalist_apps::published::Captured;
use annalist_crawl::apps::{Apps, date, read_as_judged};
use annalist_crawl::clock;
use annalist_crawl::engine::{Origin, Report};
use annalist_crawl::explain::explain;
use annalist_crawl::job::JobDir;
use annalist_model::spec::{Limits, Order, ScopeKind, ScopeRules, Seed, Spec, Topic};
use annalist_model::{CanonicalUrl, Canonicaliser, Page, ResponseHead};
use annalist_read::Reader;
use annalist_sources::{ArchiveSource, Archived};
use anyhow::{Context, Result, bail};

use crate::cli::CrawlArgs;
use crate::commands::crawl::{crawl, require_contact, shared_book};
use crate::commands::verify::warc_files_in;
use crate::exit::BadConfiguration;
use crate::progress::Progress;
use crate::spec_file;

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
    let (mut page, tree) = Reader::new(canonical.clone()).read_with_tree(&url, &head, &bytes);
    if let Some(tree) = tree {
        date(&tree, &mut page, &url, &head, Captured::Before(clock::now()));
    }
    Ok((url, page))
}

/// A spec that fetches these addresses, and what they lead to within so many clicks, with the manners of another.
pub fn fetching(spec: &Spec, name: &str, urls: &[CanonicalUrl], clicks: u16, pages: Option<u64>) -> Spec {
    let mut small =
        Spec { name: name.to_owned(), topic: Topic::default(), event: None, extract: None, ..spec.clone() };
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
    crawl(spec, job, None, Origin::Web(shared_book()), Progress::Shown)
}

/// The documents in a job's archive, in the order of their addresses.
pub fn of_job(job: &Path, spec: &Spec) -> Result<Vec<(CanonicalUrl, Page)>> {
    let files = warc_files_in(&JobDir::new(job).archive())?;
    let limits = annalist_read::Limits::default();
    let source = ArchiveSource::open(&files, limits.body_bytes as u64)?;
    let reader = Reader::with_limits(spec.canonical.clone(), limits);
    let apps = Apps::of(spec, None).0;
    let documents = source.documents().iter().filter_map(|url| source.newest(url).ok());
    Ok(documents.map(|found| (found.url.clone(), read_as_judged(&reader, apps.as_ref(), &found))).collect())
}

/// A page of the web, by a crawl of its own that leaves nothing behind.
pub fn of_address(spec: &Spec, address: &str) -> Result<(CanonicalUrl, Page)> {
    let found = response_of(spec, address)?;
    let page = read_as_judged(&Reader::new(spec.canonical.clone()), Apps::of(spec, None).0.as_ref(), &found);
    Ok((found.url, page))
}

/// An answer of the web to somebody who has no spec.
pub fn fetched(address: &str, contact: Option<&str>, allow: &[String]) -> Result<Archived> {
    let typed = CrawlArgs {
        url: vec![address.to_owned()],
        contact: contact.map(str::to_owned),
        allow: allow.to_vec(),
        ..CrawlArgs::default()
    };
    response_of(&spec_file::for_crawl(&typed)?.0.spec, address)
}

/// The same before it is read.
pub fn response_of(spec: &Spec, address: &str) -> Result<Archived> {
    let url = spec
        .canonical
        .parse_typed(address)
        .map_err(|e| BadConfiguration(format!("{address} cannot be fetched: {e}")))?;
    let job = Temporary::new()?;
    let mut one = fetching(spec, &spec.name, std::slice::from_ref(&url), 0, None);
    // Any scope holds what a page embeds, too.
    one.seeds.iter_mut().for_each(|seed| seed.scope = ScopeKind::Page);
    fetch(one, &job.0)?;
    let files = warc_files_in(&JobDir::new(&job.0).archive())?;
    let source = ArchiveSource::open(&files, annalist_read::Limits::default().body_bytes as u64)?;
    // Where a redirect led is the page.
    let documents = source.documents();
    let found = documents.iter().find(|found| **found == url).or_else(|| documents.first());
    match found.and_then(|found| source.newest(found).ok()) {
        Some(found) => Ok(found),
        None => bail!("{url} gave no page: {}", why_none(spec, &job.0, &url)),
    }
}

/// A folder that is gone in the end.
struct Temporary(PathBuf);

impl Temporary {
    /// A fresh one: what an interrupted run left behind is not read again.
    fn new() -> Result<Temporary> {
        let mut number = 0;
        loop {
            let name = format!("annalist-page-{}-{number}", std::process::id());
            let path = std::env::temp_dir().join(name);
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Temporary(path)),
                Err(e) if e.kind() == ErrorKind::AlreadyExists => number += 1,
                Err(e) => return Err(e).with_context(|| format!("{} cannot be made", path.display())),
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What became of an address that is no page in a job's archive.
pub fn why_none(spec: &Spec, job: &Path, url: &CanonicalUrl) -> String {
    let decisions = explain(&JobDir::new(job), spec, url.as_str()).map(|told| told.decisions);
    // Where the answer is kept is of no use to somebody who wants a page.
    let mut decisions = decisions.unwrap_or_default().into_iter().filter(|told| !told.starts_with("kept in"));
    decisions.next_back().unwrap_or_else(|| "nothing is known of it".to_owned())
}
