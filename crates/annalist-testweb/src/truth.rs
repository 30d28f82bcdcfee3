//! What a crawl of this web should find, page by page, computed when asked for.

use serde::Serialize;

use crate::calendar::Moment;
use crate::charset::Charset;
use crate::item::Item;
use crate::layout::{Host, HostKind, RobotsKind, SitemapKind};
use crate::pages;
use crate::route::{Route, SITEMAP_PART};
use crate::society::SocietyTruth;
use crate::words::{Language, topic_name};
use crate::world::World;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageKind {
    Home,
    /// A section, a board, or a further page of a blog's index.
    List,
    Article,
    BlogPost,
    Thread,
    Feed,
    Sitemap,
    Style,
    Image,
}

impl PageKind {
    /// Whether it is a page of text for readers.
    pub fn is_document(self) -> bool {
        matches!(
            self,
            PageKind::Home | PageKind::List | PageKind::Article | PageKind::BlogPost | PageKind::Thread
        )
    }

    /// Whether it has a topic, an author and a date of its own.
    pub fn is_content(self) -> bool {
        matches!(self, PageKind::Article | PageKind::BlogPost | PageKind::Thread)
    }
}

/// Whether robots.txt lets a page be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Robots {
    Allowed,
    Forbidden,
}

/// An address that answers 200 and is linked, or named by robots.txt or a sitemap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PageTruth {
    pub url: String,
    pub host: String,
    /// Path and query.
    pub path: String,
    pub kind: PageKind,
    /// The topic's number; see `topic_name`.
    pub topic: usize,
    pub language: Language,
    pub charset: Charset,
    /// RFC 3339; content pages only.
    pub published: Option<String>,
    pub author: Option<String>,
    /// The URL of the page with the same body.
    pub duplicate_of: Option<String>,
    pub robots: Robots,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RedirectTruth {
    pub url: String,
    pub target: String,
    pub status: u16,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ObjectKind {
    #[default]
    Post,
    Comment,
}

/// A post or comment as an extractor should find it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ObjectTruth {
    pub kind: ObjectKind,
    /// The id of its element, where it has one.
    pub anchor: Option<String>,
    pub author: String,
    /// RFC 3339
    pub published: String,
    pub title: Option<String>,
    /// Plain text, white space folded.
    pub text: String,
    /// The anchor of what it answers.
    pub parent: Option<String>,
}

#[derive(Clone, Copy)]
pub struct Truth<'w> {
    world: &'w World,
}

impl<'w> Truth<'w> {
    pub(crate) fn new(world: &'w World) -> Truth<'w> {
        Truth { world }
    }

    pub(crate) fn world(self) -> &'w World {
        self.world
    }

    /// Every address of the healthy hosts that answers 200, forbidden ones and duplicates included, robots.txt and
    /// junk views not. All are reachable from the seeds by links, robots.txt's sitemaps and redirects.
    pub fn pages(self) -> impl Iterator<Item = PageTruth> + 'w {
        self.world.layout.healthy_hosts().iter().flat_map(move |host| {
            let fixed =
                self.fixed_routes(host).into_iter().map(move |(route, kind)| self.fixed(host, route, kind));
            fixed.chain((0..host.items).flat_map(move |number| self.item_truths(host, number)))
        })
    }

    /// The pages a polite crawler gets: all but those that robots.txt forbids.
    pub fn allowed_pages(self) -> impl Iterator<Item = PageTruth> + 'w {
        self.pages().filter(|page| page.robots == Robots::Allowed)
    }

    pub fn forbidden_pages(self) -> impl Iterator<Item = PageTruth> + 'w {
        self.pages().filter(|page| page.robots == Robots::Forbidden)
    }

    /// Different documents that a polite crawler gets: duplicates count once.
    pub fn distinct_documents(self) -> usize {
        self.allowed_pages().filter(|page| page.kind.is_document() && page.duplicate_of.is_none()).count()
    }

    /// Content pages about a topic, duplicates not counted.
    pub fn relevant(self, topic: usize) -> impl Iterator<Item = PageTruth> + 'w {
        self.allowed_pages()
            .filter(move |page| page.kind.is_content() && page.topic == topic && page.duplicate_of.is_none())
    }

    /// Every redirect of the healthy hosts that is linked or that one of those leads to.
    pub fn redirects(self) -> impl Iterator<Item = RedirectTruth> + 'w {
        self.items().flat_map(move |(host, item)| {
            let hops = item.detour.map_or(0, |detour| detour.hops);
            let status = item.detour.map_or(302, |detour| detour.status);
            (1..=hops).map(move |hops| {
                let next = match hops {
                    1 => Route::Item { item: item.number, page: 1 },
                    more => Route::Detour { item: item.number, hops: more - 1 },
                };
                let url = self.url(host, Route::Detour { item: item.number, hops });
                RedirectTruth { url, target: self.url(host, next), status }
            })
        })
    }

    /// Addresses that are linked from allowed pages and answer 404.
    pub fn missing(self) -> impl Iterator<Item = String> + 'w {
        let broken = self.items().filter(|(_, item)| item.broken_link && !item.forbidden);
        broken.map(|(host, item)| format!("http://{}/missing/{}.html", host.name, item.number))
    }

    /// The posts and comments on a content page; none for other addresses.
    pub fn objects(self, host: &str, path: &str) -> Vec<ObjectTruth> {
        let Some(host) = self.world.host(host) else { return Vec::new() };
        match self.world.route(host, path) {
            Some(Route::Item { item, page }) => {
                pages::objects(self.world, host, &self.world.item(host, item), page)
            }
            Some(Route::Duplicate(item)) => pages::objects(self.world, host, &self.world.item(host, item), 1),
            _ => Vec::new(),
        }
    }

    /// Whether an address is one of the views that are junk to an archive.
    pub fn is_junk(self, host: &str, path: &str) -> bool {
        let Some(host) = self.world.host(host) else { return false };
        matches!(self.world.route(host, path), Some(Route::View(_)))
    }

    /// Hosts without hazards: the only ones that the truth speaks of.
    pub fn healthy_hosts(self) -> &'w [Host] {
        self.world.layout.healthy_hosts()
    }

    fn items(self) -> impl Iterator<Item = (&'w Host, Item)> {
        let hosts = self.world.layout.healthy_hosts().iter();
        hosts.flat_map(move |host| (0..host.items).map(move |number| (host, self.world.item(host, number))))
    }

    /// Everything but items.
    fn fixed_routes(self, host: &Host) -> Vec<(Route, PageKind)> {
        let mut routes = vec![
            (Route::Home, PageKind::Home),
            (Route::Feed, PageKind::Feed),
            (Route::Style, PageKind::Style),
            (Route::Icon, PageKind::Image),
        ];
        let first_page = if host.kind == HostKind::Blog { 2 } else { 1 };
        for list in 0..host.lists() {
            let pages = first_page..=host.list_pages(list);
            routes.extend(pages.map(|page| (Route::List { list, page }, PageKind::List)));
        }
        routes.extend((0..host.images).map(|image| (Route::Image(image), PageKind::Image)));
        if host.sitemap != SitemapKind::Absent {
            routes.push((Route::Sitemap, PageKind::Sitemap));
        }
        if host.sitemap == SitemapKind::Index {
            let parts = 0..host.items.div_ceil(SITEMAP_PART);
            routes.extend(parts.map(|part| (Route::SitemapPart(part), PageKind::Sitemap)));
        }
        routes
    }

    fn fixed(self, host: &Host, route: Route, kind: PageKind) -> PageTruth {
        let path = self.path(host, route);
        PageTruth {
            url: format!("http://{}{path}", host.name),
            host: host.name.clone(),
            path,
            kind,
            topic: host.topic,
            language: host.language,
            charset: if kind.is_document() { host.charset } else { Charset::Utf8 },
            published: None,
            author: None,
            duplicate_of: None,
            robots: Robots::Allowed,
        }
    }

    /// All pages of an item, and its duplicate.
    fn item_truths(self, host: &Host, number: usize) -> Vec<PageTruth> {
        let item = self.world.item(host, number);
        let pages = 1..=self.world.item_pages(host, &item);
        let mut truths: Vec<PageTruth> =
            pages.map(|page| self.item_truth(host, &item, Route::Item { item: number, page })).collect();
        if item.duplicate {
            let mut copy = self.item_truth(host, &item, Route::Duplicate(number));
            copy.duplicate_of = truths.first().map(|page| page.url.clone());
            truths.push(copy);
        }
        truths
    }

    fn item_truth(self, host: &Host, item: &Item, route: Route) -> PageTruth {
        let kind = match host.kind {
            HostKind::Blog => PageKind::BlogPost,
            HostKind::Forum => PageKind::Thread,
            HostKind::News | HostKind::Hazard(_) => PageKind::Article,
        };
        let mut published = String::with_capacity(25);
        Moment::new(item.published).push_iso(&mut published);
        PageTruth {
            topic: item.topic,
            published: Some(published),
            author: Some(self.author(host, item)),
            robots: if item.forbidden { Robots::Forbidden } else { Robots::Allowed },
            ..self.fixed(host, route, kind)
        }
    }

    /// A thread is by whoever wrote its first post.
    fn author(self, host: &Host, item: &Item) -> String {
        match host.kind {
            HostKind::Forum => self.world.reply(host, item, 0).author.to_owned(),
            _ => item.author.to_owned(),
        }
    }

    fn path(self, host: &Host, route: Route) -> String {
        let mut path = String::with_capacity(64);
        self.world.push_path(&mut path, host, route);
        path
    }

    pub(crate) fn url(self, host: &Host, route: Route) -> String {
        let mut url = format!("http://{}", host.name);
        self.world.push_path(&mut url, host, route);
        url
    }

    /// All of it as one JSON document.
    pub fn to_json(self) -> serde_json::Result<String> {
        let hosts: Vec<HostJson<'_>> = self.world.hosts().iter().map(HostJson::new).collect();
        serde_json::to_string(&TruthJson {
            seeds: self.world.seeds(),
            topics: (0..self.world.config.topics.clamp(1, crate::words::TOPICS)).map(topic_name).collect(),
            distinct_documents: self.distinct_documents(),
            hosts,
            pages: self.pages().collect(),
            redirects: self.redirects().collect(),
            missing: self.missing().collect(),
            society: self.society_truth(),
        })
    }
}

#[derive(Serialize)]
struct TruthJson<'w> {
    seeds: Vec<String>,
    topics: Vec<&'static str>,
    distinct_documents: usize,
    hosts: Vec<HostJson<'w>>,
    pages: Vec<PageTruth>,
    redirects: Vec<RedirectTruth>,
    missing: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    society: Option<SocietyTruth>,
}

#[derive(Serialize)]
struct HostJson<'w> {
    name: &'w str,
    kind: &'static str,
    hazard: Option<&'static str>,
    topic: &'static str,
    language: Language,
    robots_rules: bool,
    flaky: bool,
}

impl<'w> HostJson<'w> {
    fn new(host: &'w Host) -> HostJson<'w> {
        let (kind, hazard) = match host.kind {
            HostKind::News => ("news", None),
            HostKind::Blog => ("blog", None),
            HostKind::Forum => ("forum", None),
            HostKind::Hazard(hazard) => ("hazard", Some(hazard.name())),
        };
        HostJson {
            name: &host.name,
            kind,
            hazard,
            topic: topic_name(host.topic),
            language: host.language,
            robots_rules: host.robots == RobotsKind::Rules,
            flaky: host.flaky,
        }
    }
}
