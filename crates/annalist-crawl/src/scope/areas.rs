//! Where the seeds' scopes reach: pages, folders, hosts and sites. Looking a URL up costs the same for one seed as for a
//! hundred thousand. http and https are one place, and so are their default ports.

use std::collections::{HashMap, HashSet};
use std::sync::{PoisonError, RwLock};

use annalist_model::CanonicalUrl;
use annalist_model::spec::{ScopeKind, Seed};

/// A seed that leads to ever new hosts is not followed further than this.
const MOST_WIDENED_PER_SEED: usize = 16;

#[derive(Debug, Default)]
pub(super) struct Areas {
    sites: HashSet<String>,
    /// By host name, then by port; hardly any name has two.
    hosts: HashMap<String, Vec<Host>>,
}

#[derive(Debug, Default)]
struct Host {
    /// `None` for the default port of either scheme.
    port: Option<u16>,
    reach: Reach,
    /// Paths that end in a slash.
    folders: HashSet<String>,
    /// Paths with their queries.
    pages: HashSet<String>,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum Reach {
    Whole,
    #[default]
    Parts,
}

impl Areas {
    pub(super) fn of(seeds: &[Seed]) -> Areas {
        let mut areas = Areas::default();
        for seed in seeds {
            match seed.scope {
                ScopeKind::Domain => {
                    areas.sites.insert(seed.url.site().to_owned());
                }
                kind => areas.add(kind, &seed.url),
            }
        }
        areas
    }

    pub(super) fn hold(&self, url: &CanonicalUrl) -> bool {
        let on_host = self.hosts.get(url.host_name()).and_then(|hosts| {
            let port = url.as_url().port();
            hosts.iter().find(|host| host.port == port)
        });
        on_host.is_some_and(|host| host.holds(url))
            || (!self.sites.is_empty() && self.sites.contains(url.site()))
    }

    /// Adds what the kind of scope means around `url`, on its host only.
    fn add(&mut self, kind: ScopeKind, url: &CanonicalUrl) {
        match kind {
            ScopeKind::Page => {
                self.host(url).pages.insert(url.target().to_owned());
            }
            ScopeKind::Prefix => {
                self.host(url).folders.insert(folder(url.path()).to_owned());
            }
            ScopeKind::Host | ScopeKind::Domain => self.host(url).reach = Reach::Whole,
            // No place, but a property of the seed's links; or left to the rules.
            ScopeKind::Any | ScopeKind::Custom => {}
        }
    }

    fn host(&mut self, url: &CanonicalUrl) -> &mut Host {
        // A URL in its one spelling names its port only where it is not the scheme's own.
        let port = url.as_url().port();
        let hosts = self.hosts.entry(url.host_name().to_owned()).or_default();
        let index = hosts.iter().position(|host| host.port == port).unwrap_or_else(|| {
            hosts.push(Host { port, ..Host::default() });
            hosts.len() - 1
        });
        &mut hosts[index]
    }
}

impl Host {
    fn holds(&self, url: &CanonicalUrl) -> bool {
        self.reach == Reach::Whole
            || (!self.pages.is_empty() && self.pages.contains(url.target()))
            || (!self.folders.is_empty() && self.holds_folder_of(url.path()))
    }

    fn holds_folder_of(&self, path: &str) -> bool {
        path.match_indices('/').any(|(slash, _)| self.folders.contains(&path[..=slash]))
    }
}

/// `/a/b` and `/a/` are in the folder `/a/`.
fn folder(path: &str) -> &str {
    path.rfind('/').map_or("/", |slash| &path[..=slash])
}

/// What redirected seeds have added. Read for every link, written a few times in a crawl.
#[derive(Debug, Default)]
pub(super) struct Widened(RwLock<Additions>);

#[derive(Debug, Default)]
struct Additions {
    areas: Areas,
    targets: Vec<(u32, String)>,
}

impl Widened {
    pub(super) fn hold(&self, url: &CanonicalUrl) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).areas.hold(url)
    }

    pub(super) fn add(&self, seed: u32, kind: ScopeKind, target: &CanonicalUrl) {
        let mut additions = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let already = additions.targets.iter().filter(|(of, _)| *of == seed).count();
        let is_place = !matches!(kind, ScopeKind::Any | ScopeKind::Custom);
        if !is_place || already >= MOST_WIDENED_PER_SEED || additions.areas.hold(target) {
            return;
        }
        additions.areas.add(kind, target);
        additions.targets.push((seed, target.as_str().to_owned()));
    }

    pub(super) fn all(&self) -> Vec<(u32, String)> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).targets.clone()
    }
}
