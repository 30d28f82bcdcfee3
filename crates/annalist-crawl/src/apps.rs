//! The application-aware helper in a crawl: what it has seen of each host, and what that means for links. What a page is, is
//! found in `annalist-apps`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use annalist_apps::adapt::Notebook;
use annalist_apps::catalogue::{Application, Description, Mistake, Ruling, load};
use annalist_apps::published::{self, Captured, Dates};
use annalist_apps::{Catalogue, Choice, Input, Proven, Seen, parts, recognise_and_learn, report};
use annalist_disk::{Disk, RealDisk};
use annalist_frontier::{Change, Frontier};
use annalist_model::spec::Spec;
use annalist_model::{CanonicalUrl, Capture, FoundLink, Hop, Link, Page, ResponseHead, Time};
use annalist_read::Reader;
use annalist_read::tree::Tree;
use annalist_sources::Archived;

use crate::job::JobDir;
use crate::memory::Memory;

/// Lists that lead to everything, of one host.
const MOST_INDEXES: usize = 20;
/// Hosts remembered; the frontier knows all of them.
const MOST_HOSTS: usize = 100_000;

/// See the module.
#[derive(Debug)]
pub struct Apps {
    /// Grows by what is learned.
    catalogue: RwLock<Arc<Catalogue>>,
    descriptions: Mutex<Vec<Description>>,
    hosts: Mutex<HashMap<String, Known>>,
    notebook: Mutex<Notebook>,
    /// What was on pages the last time.
    memory: Mutex<Memory>,
    /// One at a time writes it down.
    saving: Mutex<()>,
    /// Where what is learned is written down.
    folder: Option<PathBuf>,
}

/// What came of looking at a page.
#[derive(Debug, Default)]
pub struct Sight {
    pub seen: Option<Seen>,
    /// What happened meanwhile that people should hear of.
    pub news: Vec<String>,
}

/// What is known of a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Known {
    /// The application of the last of its pages that had one.
    application: Option<String>,
    /// The folders for which a list was seen that leads to everything in them.
    indexes: Vec<String>,
}

impl Apps {
    /// `None` where the spec wants none. Mistakes in descriptions are told; the others are used.
    /// `job`: where a crawl keeps what it learns; nothing is kept without one.
    pub fn of(spec: &Spec, job: Option<&JobDir>) -> (Option<Apps>, Vec<Mistake>) {
        if !spec.apps {
            return (None, Vec::new());
        }
        let folder = job.map(JobDir::learned);
        let mut folders: Vec<PathBuf> = spec.catalogue.iter().map(PathBuf::from).collect();
        folders.extend(folder.clone().filter(|folder| has_files(folder)));
        let loaded = load(true, &folders);
        let (catalogue, unfinished) = Catalogue::new(&loaded.descriptions);
        let mistakes = loaded.mistakes.into_iter().chain(unfinished).collect();
        let apps = Apps {
            catalogue: RwLock::new(Arc::new(catalogue)),
            descriptions: Mutex::new(loaded.descriptions),
            hosts: Mutex::default(),
            notebook: Mutex::default(),
            memory: Mutex::new(job.map(|job| Memory::load(&job.objects())).unwrap_or_default()),
            saving: Mutex::default(),
            folder,
        };
        (Some(apps), mistakes)
    }

    /// What a page is. Where its objects are known, they are what the page is judged by. On any thread.
    pub fn look(&self, tree: &Tree, page: &mut Page, looked: &Looked<'_>) -> Sight {
        let Looked { url, head, at } = *looked;
        let catalogue = self.catalogue();
        let input = Input { tree, page, url, head, at: Some(at) };
        let before = self.memory().of(url.as_str());
        let (seen, proven) = recognise_and_learn(&catalogue, &self.notebook, before.as_deref(), &input);
        if seen.application.is_some()
            && let Some(level) = seen.level.as_deref().filter(|_| head.status < 400)
        {
            let place = format!("{} {level}", url.host());
            self.memory().keep(&place, url.as_str(), &seen.objects);
        }
        page.parts = parts(page, tree, &seen.places);
        let mut news: Vec<String> = proven.map(|proven| self.adopt(proven)).into_iter().collect();
        if seen.is_cut {
            news.push(format!("{url}: only the first {} objects of the page were kept", seen.objects.len()));
        }
        Sight { seen: Some(seen), news }
    }

    /// From now on, what has proved true on a site is part of the catalogue of this crawl.
    fn adopt(&self, proven: Proven) -> String {
        let Proven { description, file } = proven;
        let id = description.id.clone();
        let name = format!("{}.xml", id.replace(['/', ':'], "-"));
        let path = self.folder.as_ref().map(|folder| folder.join(name)).unwrap_or_default();
        let written = match &self.folder {
            Some(folder) => std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, file)),
            None => Ok(()),
        };
        let mut descriptions = self.descriptions.lock().unwrap_or_else(PoisonError::into_inner);
        descriptions.retain(|other| other.id != id);
        descriptions.push(description);
        let (grown, _) = Catalogue::new(&descriptions);
        *self.catalogue.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(grown);
        match written {
            Ok(()) => format!("rules for {id} were learned: {}", path.display()),
            Err(fault) => {
                format!("rules for {id} were learned, and cannot be written to {}: {fault}", path.display())
            }
        }
    }

    /// Keeps for another run what was on pages, if there is anything new: durable when it returns.
    pub fn save(&self, job: &JobDir) -> std::io::Result<()> {
        let _alone = self.saving.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(news) = self.memory().news() else { return Ok(()) };
        let saved = RealDisk.replace(&job.objects(), &news);
        self.memory().is_new |= saved.is_err();
        saved
    }

    /// Whether there is anything that was not saved.
    pub fn has_news(&self) -> bool {
        self.memory().is_new
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn catalogue(&self) -> Arc<Catalogue> {
        Arc::clone(&self.catalogue.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// What a page tells of its host: remembered, and for the frontier to remember where it is new.
    pub fn hear(&self, url: &CanonicalUrl, seen: &Seen, frontier: &Frontier) -> Option<Change> {
        let application = seen.application.as_ref()?;
        let before = self.known(url.host(), frontier);
        let mut indexes = before.indexes.clone();
        let new: Vec<String> =
            seen.index_of.iter().filter(|folder| !indexes.contains(folder)).cloned().collect();
        indexes.extend(new);
        indexes.truncate(MOST_INDEXES);
        let now = Known { application: Some(application.clone()), indexes };
        if now == before {
            return None;
        }
        let change = Change::Note { name: note(url.host()), value: now.encode() };
        self.remember(url.host(), now);
        Some(change)
    }

    /// What becomes of the links of a page, in their order: those that are followed only for want of better are decided.
    pub fn choices(
        &self,
        url: &CanonicalUrl,
        page: &Page,
        seen: Option<&Seen>,
        frontier: &Frontier,
    ) -> Vec<Choice> {
        let known = self.known(url.host(), frontier);
        let decided = |(choice, found): (Choice, &FoundLink)| match choice {
            Choice::Spare { action, .. } if known.covers(&found.url) => {
                Choice::Never { reason: doubled(&action) }
            }
            Choice::Spare { score, action, instead } => Choice::Follow { score, action, instead },
            other => other,
        };
        match seen {
            Some(seen) if seen.application.is_some() => {
                seen.choices.iter().cloned().zip(&page.links).map(decided).collect()
            }
            Some(_) => Vec::new(),
            // Feeds and sitemaps name what the application's pages name, and more.
            None => {
                let catalogue = self.catalogue();
                let Some(application) = application(&catalogue, &known) else { return Vec::new() };
                let listed = page.links.iter().map(|found| {
                    let is_embed = found.url.host() == url.host() && found.kind.hop() == Hop::Embed;
                    if let Some(rule) = is_embed.then(|| application.links.for_embed(&found.url)).flatten() {
                        return Choice::Never { reason: rule.name.clone() };
                    }
                    let is_own = found.url.host() == url.host() && found.kind.hop() == Hop::Manifest;
                    let barred = is_own.then(|| barred(application, &found.url)).flatten();
                    barred.map_or(Choice::Untouched, |reason| Choice::Never { reason })
                });
                listed.collect()
            }
        }
    }

    /// Why a link that was found in a list of addresses, or for want of better, is left alone after all: by now more is
    /// known of its host.
    pub fn second_thought(&self, link: &Link, frontier: &Frontier) -> Option<String> {
        let is_listed = link.hops.last() == Some(Hop::Manifest);
        if link.via.is_none() || !(is_listed || link.hops.last() == Some(Hop::Link)) {
            return None;
        }
        let known = self.known(link.url.host(), frontier);
        let catalogue = self.catalogue();
        let application = application(&catalogue, &known)?;
        let ruling = application.links.by_address(&link.url)?;
        match ruling.ruling {
            Ruling::Never if is_listed => Some(ruling.name.clone()),
            Ruling::Spare { .. } if !is_listed && known.covers(&link.url) => Some(doubled(&ruling.name)),
            _ => None,
        }
    }

    fn known(&self, host: &str, frontier: &Frontier) -> Known {
        if let Some(known) = self.hosts.lock().unwrap_or_else(PoisonError::into_inner).get(host) {
            return known.clone();
        }
        let known = frontier.note(&note(host)).map(Known::decode).unwrap_or_default();
        self.remember(host, known.clone());
        known
    }

    fn remember(&self, host: &str, known: Known) {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= MOST_HOSTS {
            hosts.clear();
        }
        hosts.insert(host.to_owned(), known);
    }
}

fn application<'c>(catalogue: &'c Catalogue, known: &Known) -> Option<&'c Application> {
    catalogue.application(known.application.as_deref()?)
}

fn has_files(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

/// A page out of an archive, as it was judged when it was fetched.
pub fn read_as_judged(reader: &Reader, apps: Option<&Apps>, found: &Archived) -> Page {
    let Archived { url, at, head, body } = found;
    let (mut page, tree) = reader.read_with_tree(url, head, body);
    let Some(tree) = tree else { return page };
    date(&tree, &mut page, url, head, Captured::At(*at));
    if let Some(apps) = apps {
        apps.look(&tree, &mut page, &Looked { url, head, at: *at });
    }
    page
}

/// Finds out when a page was published and last changed.
pub fn date(tree: &Tree, page: &mut Page, url: &CanonicalUrl, head: &ResponseHead, captured: Captured) {
    let Dates { published, modified } = published::dates(tree, page, url, head, captured);
    (page.published, page.modified) = (published, modified);
}

/// Where and when a page was captured, and what came with it.
#[derive(Clone, Copy, Debug)]
pub struct Looked<'c> {
    pub url: &'c CanonicalUrl,
    pub head: &'c ResponseHead,
    pub at: Time,
}

/// Who lists an address wants it to be read: only what is never followed is left out.
fn barred(application: &Application, url: &CanonicalUrl) -> Option<String> {
    let rule = application.links.by_address(url)?;
    (rule.ruling == Ruling::Never).then(|| rule.name.clone())
}

/// A mistake in a description, in words; it never keeps a crawl from going on.
pub fn left_out(mistake: &Mistake) -> String {
    format!("{mistake}; it is left out")
}

fn doubled(action: &str) -> String {
    format!("{action}: another list of the site leads to everything")
}

/// The record that is kept beside a capture; none where nothing was written on the page.
pub fn objects_of(seen: Option<&Seen>, page: &Page, capture: &Capture) -> Option<Vec<u8>> {
    let says_something = |seen: &&Seen| {
        seen.application.is_some() || seen.objects.iter().any(|object| !object.body.is_empty())
    };
    let seen = seen.filter(says_something)?;
    if !(200..300).contains(&capture.head.status) {
        return None;
    }
    serde_json::to_vec(&report(seen, page)).ok()
}

fn note(host: &str) -> String {
    format!("application of {host}")
}

impl Known {
    /// Whether a list leads to everything around an address.
    fn covers(&self, url: &CanonicalUrl) -> bool {
        self.indexes.iter().any(|folder| url.path().starts_with(folder.as_str()))
    }

    fn encode(&self) -> Vec<u8> {
        let application = self.application.as_deref().unwrap_or_default();
        format!("{application}\t{}", self.indexes.join("\t")).into_bytes()
    }

    fn decode(bytes: &[u8]) -> Known {
        let text = String::from_utf8_lossy(bytes);
        let mut parts = text.split('\t').map(str::to_owned).filter(|part| !part.is_empty());
        Known { application: parts.next(), indexes: parts.collect() }
    }
}

#[cfg(test)]
mod tests {
    use annalist_model::{CanonicalUrl, ResponseHead, Time};
    use annalist_read::Reader;
    use annalist_sources::Archived;

    use super::read_as_judged;

    #[test]
    fn a_page_out_of_an_archive_has_its_date_without_the_helper_too() {
        let found = Archived {
            url: CanonicalUrl::parse("http://news.example/story").unwrap(),
            // 19 May 2014.
            at: Time::from_millis(1_400_486_400_000),
            head: ResponseHead { status: 200, fields: Vec::new() },
            body: b"<html><h1>The bridge</h1><time>2 days ago</time><p class=date>3 June 2014".to_vec(),
        };
        let page = read_as_judged(&Reader::new(Default::default()), None, &found);
        assert_eq!(
            page.published.unwrap().day.to_string(),
            "2014-05-17",
            "the other lies behind the capture"
        );
    }
}
