//! The addresses of a healthy host: every route is written and read here, so that what pages link to is what the
//! server answers. What stands on a page is in `pages/`.

use crate::calendar::{Moment, push_two};
use crate::config::Junk;
use crate::html::push_number;
use crate::item::Item;
use crate::layout::{FeedKind, Host, HostKind, RobotsKind, SitemapKind};
use crate::views::{self, View};
use crate::words::topic_name;
use crate::world::World;

/// Items in one part of a sitemap index.
pub(crate) const SITEMAP_PART: usize = 50;
/// Most redirects before an item.
pub(crate) const MOST_HOPS: usize = 2;

/// What an address of a host leads to. Pages of lists and items are counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    Home,
    List {
        list: usize,
        page: usize,
    },
    Item {
        item: usize,
        page: usize,
    },
    /// The item's first page under its second address.
    Duplicate(usize),
    /// The redirect that is still `hops` steps before the item.
    Detour {
        item: usize,
        hops: usize,
    },
    Feed,
    Style,
    Icon,
    Image(usize),
    Robots,
    Sitemap,
    SitemapPart(usize),
    View(View),
}

impl World {
    /// Path and query of a route.
    pub(crate) fn push_path(&self, out: &mut String, host: &Host, route: Route) {
        match route {
            Route::Home => out.push('/'),
            Route::List { list, page } => push_list(out, host, list, page),
            Route::Item { item, page } => self.push_item_path(out, host, &self.item(host, item), page),
            Route::Duplicate(item) => numbered(out, duplicate_prefix(host), item, duplicate_suffix(host)),
            Route::Detour { item, hops } => numbered(out, detour_prefix(host, hops), item, ""),
            Route::Feed => out.push_str(feed_path(host)),
            Route::Style => out.push_str(style_path(host)),
            Route::Icon => out.push_str("/favicon.ico"),
            Route::Image(image) => numbered(out, image_prefix(host), image, image_suffix(image)),
            Route::Robots => out.push_str("/robots.txt"),
            Route::Sitemap => out.push_str("/sitemap.xml"),
            Route::SitemapPart(part) => numbered(out, "/sitemap-", part, sitemap_suffix(part)),
            Route::View(view) => views::push_path(out, self, host, view),
        }
    }

    pub(crate) fn push_item_path(&self, out: &mut String, host: &Host, item: &Item, page: usize) {
        let date = Moment::new(item.published);
        match host.kind {
            HostKind::Blog => {
                if item.forbidden {
                    out.push_str("/private/");
                } else {
                    out.push('/');
                    push_number(out, date.year);
                    out.push('/');
                    push_two(out, date.month);
                    out.push('/');
                }
                item.push_slug(out);
                numbered(out, "-", item.number, "/");
            }
            HostKind::Forum => {
                numbered(out, "/viewtopic.php?f=", board_number(host, item.number), "&t=");
                push_number(out, item.number as u64);
                if page > 1 {
                    numbered(out, "&start=", (page - 1) * self.posts_per_page(), "");
                }
            }
            _ => {
                out.push('/');
                out.push_str(if item.forbidden {
                    "private"
                } else {
                    section(host, item.number % host.lists())
                });
                out.push('/');
                push_number(out, date.year);
                out.push('/');
                item.push_slug(out);
                numbered(out, "-", item.number, ".html");
            }
        }
    }

    /// The route of a target, or none where the host has no such page.
    pub(crate) fn route(&self, host: &Host, target: &str) -> Option<Route> {
        let target = target.split('#').next().unwrap_or_default();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        if self.config.junk == Junk::On
            && let Some(view) = views::parse(self, host, path, query)
        {
            return Some(Route::View(view));
        }
        let route = self.resource_route(host, path).or_else(|| match host.kind {
            HostKind::Blog => self.blog_route(host, path, query),
            HostKind::Forum => self.forum_route(host, path, query),
            HostKind::News => self.news_route(host, path),
            HostKind::Hazard(_) => None,
        })?;
        self.exists(host, route).then_some(route)
    }

    fn resource_route(&self, host: &Host, path: &str) -> Option<Route> {
        match path {
            "/favicon.ico" => return Some(Route::Icon),
            "/robots.txt" => return Some(Route::Robots),
            "/sitemap.xml" => return Some(Route::Sitemap),
            _ if path == feed_path(host) => return Some(Route::Feed),
            _ if path == style_path(host) => return Some(Route::Style),
            _ => {}
        }
        if let Some(rest) = path.strip_prefix("/sitemap-") {
            let part = rest.split('.').next().and_then(number)?;
            return (rest.get(rest.find('.')?..)? == sitemap_suffix(part))
                .then_some(Route::SitemapPart(part));
        }
        if let Some(rest) = path.strip_prefix(image_prefix(host)) {
            let image = rest.split('.').next().and_then(number)?;
            return rest.ends_with(image_suffix(image)).then_some(Route::Image(image));
        }
        if let Some(item) = between(path, duplicate_prefix(host), duplicate_suffix(host)) {
            return Some(Route::Duplicate(item));
        }
        let hops = (1..=MOST_HOPS).find(|hops| between(path, detour_prefix(host, *hops), "").is_some())?;
        Some(Route::Detour { item: between(path, detour_prefix(host, hops), "")?, hops })
    }

    fn news_route(&self, host: &Host, path: &str) -> Option<Route> {
        if path == "/" {
            return Some(Route::Home);
        }
        if let Some(stem) = path.strip_suffix(".html")
            && let Some((_, item)) = stem.rsplit_once('-')
            && !stem.contains("/page-")
        {
            return self.item_if_same_path(host, number(item)?, path);
        }
        let list = (0..host.lists()).find(|list| {
            let rest = path.strip_prefix('/').and_then(|rest| rest.strip_prefix(section(host, *list)));
            rest.is_some_and(|rest| rest.starts_with('/'))
        })?;
        let rest = path.get(section(host, list).len() + 2..)?;
        if rest.is_empty() {
            return Some(Route::List { list, page: 1 });
        }
        let page = between(rest, "page-", ".html")?;
        (page > 1).then_some(Route::List { list, page })
    }

    fn blog_route(&self, host: &Host, path: &str, query: &str) -> Option<Route> {
        if path == "/" {
            return match parameter(query, "p").and_then(number) {
                Some(item) => Some(Route::Detour { item, hops: 1 }),
                None => Some(Route::Home),
            };
        }
        if let Some(page) = between(path, "/page/", "/") {
            return (page > 1).then_some(Route::List { list: 0, page });
        }
        let (_, item) = path.strip_suffix('/')?.rsplit_once('-')?;
        self.item_if_same_path(host, number(item)?, path)
    }

    fn forum_route(&self, host: &Host, path: &str, query: &str) -> Option<Route> {
        let start = parameter(query, "start").map_or(Some(0), number)?;
        match path {
            "/" | "/index.php" => Some(Route::Home),
            "/viewforum.php" => {
                let list = parameter(query, "f").and_then(number)?.checked_sub(1)?;
                Some(Route::List { list, page: page_from(start, host.items_per_list_page())? })
            }
            "/viewtopic.php" => {
                let item = parameter(query, "t").and_then(number)?;
                let board = parameter(query, "f").and_then(number);
                let page = page_from(start, self.posts_per_page())?;
                board
                    .is_none_or(|board| board == board_number(host, item))
                    .then_some(Route::Item { item, page })
            }
            _ => None,
        }
    }

    /// An address with a wrong date, section or slug is no page.
    fn item_if_same_path(&self, host: &Host, item: usize, path: &str) -> Option<Route> {
        let mut expected = String::with_capacity(path.len());
        self.push_path(&mut expected, host, Route::Item { item, page: 1 });
        (expected == path).then_some(Route::Item { item, page: 1 })
    }

    fn exists(&self, host: &Host, route: Route) -> bool {
        let there = |item: usize| item < host.items;
        match route {
            Route::List { list, page } => list < host.lists() && page <= host.list_pages(list),
            Route::Item { item, page } => {
                there(item) && page <= self.item_pages(host, &self.item(host, item))
            }
            Route::Duplicate(item) => there(item) && self.item(host, item).duplicate,
            Route::Detour { item, hops } => {
                there(item) && self.item(host, item).detour.is_some_and(|detour| hops <= detour.hops)
            }
            Route::Image(image) => image < host.images,
            Route::Robots => host.robots != RobotsKind::Absent,
            Route::Sitemap => host.sitemap != SitemapKind::Absent,
            Route::SitemapPart(part) => {
                host.sitemap == SitemapKind::Index && part < host.items.div_ceil(SITEMAP_PART)
            }
            Route::Home | Route::Feed | Route::Style | Route::Icon | Route::View(_) => true,
        }
    }
}

fn push_list(out: &mut String, host: &Host, list: usize, page: usize) {
    match host.kind {
        // The first page of a blog's only list is its home page.
        HostKind::Blog if page <= 1 => out.push('/'),
        HostKind::Blog => numbered(out, "/page/", page, "/"),
        HostKind::Forum => {
            numbered(out, "/viewforum.php?f=", list + 1, "");
            if page > 1 {
                numbered(out, "&start=", (page - 1) * host.items_per_list_page(), "");
            }
        }
        _ => {
            out.push('/');
            out.push_str(section(host, list));
            out.push('/');
            if page > 1 {
                numbered(out, "page-", page, ".html");
            }
        }
    }
}

/// The board that a thread is in, as its address says it.
fn board_number(host: &Host, item: usize) -> usize {
    item % host.lists() + 1
}

/// Sections are called after topics, the host's own first.
pub(crate) fn section(host: &Host, list: usize) -> &'static str {
    topic_name(host.topic + list)
}

fn feed_path(host: &Host) -> &'static str {
    match (host.kind, host.feed) {
        (HostKind::Blog, _) => "/feed/",
        (HostKind::Forum, _) => "/feed.php",
        (_, FeedKind::Rss) => "/feed.xml",
        (_, FeedKind::Atom) => "/atom.xml",
    }
}

fn style_path(host: &Host) -> &'static str {
    match host.kind {
        HostKind::Blog => "/wp-content/themes/plain/style.css",
        HostKind::Forum => "/styles/prosilver/style.css",
        _ => "/css/main.css",
    }
}

fn image_prefix(host: &Host) -> &'static str {
    match host.kind {
        HostKind::Blog => "/wp-content/uploads/picture-",
        _ => "/images/picture-",
    }
}

fn image_suffix(image: usize) -> &'static str {
    if image.is_multiple_of(2) { ".png" } else { ".gif" }
}

fn sitemap_suffix(part: usize) -> &'static str {
    if part.is_multiple_of(2) { ".xml" } else { ".xml.gz" }
}

fn duplicate_prefix(host: &Host) -> &'static str {
    match host.kind {
        HostKind::Blog => "/archives/",
        HostKind::Forum => "/topic",
        _ => "/archive/",
    }
}

fn duplicate_suffix(host: &Host) -> &'static str {
    match host.kind {
        HostKind::Blog => "",
        _ => ".html",
    }
}

fn detour_prefix(host: &Host, hops: usize) -> &'static str {
    match (host.kind, hops) {
        (HostKind::Blog, 1) => "/?p=",
        (HostKind::Blog, _) => "/p/",
        (HostKind::Forum, 1) => "/thread/",
        (HostKind::Forum, _) => "/t/",
        (_, 1) => "/moved/",
        _ => "/go/",
    }
}

pub(crate) fn numbered(out: &mut String, prefix: &str, number: usize, suffix: &str) {
    out.push_str(prefix);
    push_number(out, number as u64);
    out.push_str(suffix);
}

/// Only the one spelling that addresses are written in: `+7` and `007` are no numbers of ours.
pub(crate) fn number(text: &str) -> Option<usize> {
    let plain = text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
    (plain && (text == "0" || !text.starts_with('0'))).then(|| text.parse().ok()).flatten()
}

pub(crate) fn between(text: &str, prefix: &str, suffix: &str) -> Option<usize> {
    number(text.strip_prefix(prefix)?.strip_suffix(suffix)?)
}

pub(crate) fn parameter<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
}

fn page_from(start: usize, per_page: usize) -> Option<usize> {
    start.is_multiple_of(per_page).then_some(start / per_page + 1)
}
