//! A page that is being written: head, navigation, links, running text, foot. What goes on which page is decided in
//! the file of its kind.

use crate::charset::Charset;
use crate::config::Junk;
use crate::dice::Dice;
use crate::html::push_escaped;
use crate::item::{Item, push_heading};
use crate::layout::{FeedKind, Host, HostKind};
use crate::route::{Route, section};
use crate::views;
use crate::words::TOPICS;
use crate::world::World;

/// Closer than this to what was asked for, one more sentence would be further off.
const HALF_SENTENCE: usize = 50;

/// What the text of a link says.
#[derive(Clone, Copy)]
pub(super) enum Anchor<'a> {
    /// The target's title.
    Title,
    Words(&'a str),
}

/// Whether a forum's session id may hang on an address, where junk is on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Session {
    With,
    Without,
}

pub(super) struct Sheet<'w> {
    pub(super) world: &'w World,
    pub(super) host: &'w Host,
    pub(super) out: String,
    /// Addresses are put together here before they are escaped.
    path: String,
}

impl<'w> Sheet<'w> {
    pub(super) fn new(world: &'w World, host: &'w Host) -> Sheet<'w> {
        let out = String::with_capacity(world.config.page_bytes * 2);
        Sheet { world, host, out, path: String::with_capacity(128) }
    }

    pub(super) fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Everything up to the page's own content.
    pub(super) fn open(&mut self, title: &str, canonical: Option<Route>) {
        let host = self.host;
        self.push("<!DOCTYPE html>\n<html lang=\"");
        self.push(host.language.code());
        self.push("\">\n<head>\n");
        if host.charset != Charset::Utf16 {
            self.push("<meta charset=\"");
            self.push(host.charset.label());
            self.push("\">\n");
        }
        self.push("<title>");
        push_escaped(&mut self.out, title);
        self.push("</title>\n");
        if host.base {
            self.push("<base href=\"http://");
            self.push(&host.name);
            self.push("/\">\n");
        }
        self.push("<meta name=\"generator\" content=\"");
        self.push(match host.kind {
            HostKind::Blog => "WordPress 3.4.2",
            HostKind::Forum => "phpBB",
            _ => "Pressroom 2",
        });
        self.push("\">\n");
        self.head_link("stylesheet", "", Route::Style);
        self.head_link("shortcut icon", "", Route::Icon);
        let feed_type = match (host.kind, host.feed) {
            (HostKind::News, FeedKind::Atom) | (HostKind::Forum, _) => " type=\"application/atom+xml\"",
            _ => " type=\"application/rss+xml\"",
        };
        self.head_link("alternate", feed_type, Route::Feed);
        if let Some(route) = canonical {
            self.head_link("canonical", "", route);
        }
    }

    fn head_link(&mut self, rel: &str, attributes: &str, route: Route) {
        self.push("<link rel=\"");
        self.push(rel);
        self.push("\"");
        self.push(attributes);
        self.push(" href=\"");
        self.route_address(self.host, route, Session::Without);
        self.push("\">\n");
    }

    /// The end of the head, and the bar that all pages of a host share.
    pub(super) fn navigation(&mut self, body_class: &str) {
        self.push("</head>\n<body class=\"");
        self.push(body_class);
        self.push("\">\n<div id=\"header\"><ul class=\"menu\">\n<li>");
        self.link(Route::Home, "Home");
        self.push("</li>\n");
        if self.host.kind == HostKind::News {
            for list in 0..self.host.lists() {
                self.push("<li>");
                self.link(Route::List { list, page: 1 }, section(self.host, list));
                self.push("</li>\n");
            }
        }
        self.push("</ul></div>\n");
    }

    pub(super) fn close(mut self) -> String {
        self.push("<div id=\"footer\"><p>Hosted by ");
        self.push(self.host.site());
        self.push("</p></div>\n</body>\n</html>\n");
        self.out
    }

    /// A link on this host.
    pub(super) fn link(&mut self, route: Route, words: &str) {
        self.push("<a href=\"");
        self.address(self.host, route);
        self.push("\">");
        push_escaped(&mut self.out, words);
        self.push("</a>");
    }

    /// A link to an item of any host.
    pub(super) fn item_link(&mut self, host: &Host, item: &Item, anchor: Anchor<'_>) {
        self.push("<a href=\"");
        self.item_address(host, item);
        self.push("\">");
        match anchor {
            Anchor::Title => self.world.push_title(&mut self.out, host, item),
            Anchor::Words(words) => self.push(words),
        }
        self.push("</a>");
    }

    /// The link by which a list leads to an item: by its detour if it has one, and to its duplicate too.
    pub(super) fn listed_link(&mut self, item: &Item) {
        let direct = Route::Item { item: item.number, page: 1 };
        let route =
            item.detour.map_or(direct, |detour| Route::Detour { item: item.number, hops: detour.hops });
        self.push("<a class=\"title\" href=\"");
        self.address(self.host, route);
        self.push("\">");
        self.world.push_title(&mut self.out, self.host, item);
        self.push("</a>");
        if item.duplicate {
            self.push(" <small>(");
            self.link(Route::Duplicate(item.number), "archive copy");
            self.push(")</small>");
        }
    }

    /// The address of a route, as it stands in an attribute.
    pub(super) fn address(&mut self, host: &Host, route: Route) {
        let session = match route {
            Route::Style | Route::Icon | Route::Feed | Route::Image(_) | Route::View(_) => Session::Without,
            _ => Session::With,
        };
        self.route_address(host, route, session);
    }

    fn route_address(&mut self, host: &Host, route: Route, session: Session) {
        self.path.clear();
        self.world.push_path(&mut self.path, host, route);
        self.flush_address(host, session);
    }

    fn item_address(&mut self, host: &Host, item: &Item) {
        self.path.clear();
        self.world.push_item_path(&mut self.path, host, item, 1);
        self.flush_address(host, Session::With);
    }

    fn flush_address(&mut self, host: &Host, session: Session) {
        if session == Session::With && host.kind == HostKind::Forum && self.world.config.junk == Junk::On {
            self.path.push(if self.path.contains('?') { '&' } else { '?' });
            views::push_session(&mut self.path, host);
        }
        let mut path = self.path.as_str();
        if host.number != self.host.number {
            self.out.push_str("http://");
            self.out.push_str(&host.name);
        } else if host.base && path.len() > 1 {
            path = path.strip_prefix('/').unwrap_or(path);
        }
        push_escaped(&mut self.out, path);
    }

    /// Links that leave the usual paths: to nothing, and out of this web.
    pub(super) fn stray_links(&mut self, item: &Item) {
        if item.broken_link {
            self.push("<p class=\"stray\"><a href=\"http://");
            self.push(&self.host.name);
            self.push("/missing/");
            crate::html::push_number(&mut self.out, item.number as u64);
            self.push(".html\">an older version</a></p>\n");
        }
        if item.outside_link {
            self.push("<p class=\"stray\"><a href=\"http://outside.example/");
            crate::html::push_number(&mut self.out, item.number as u64);
            self.push("\">elsewhere</a></p>\n");
        }
    }

    /// A link that an author chose, with an anchor that describes it, says nothing, or lies.
    pub(super) fn chosen_link(&mut self, dice: &mut Dice, item: &Item) {
        let (host, number) = self.world.choose_link(dice, self.host, item);
        let target = self.world.item(host, number);
        let config = &self.world.config;
        let roll = dice.unit();
        if roll < config.vague_anchors {
            let anchors = self.host.language.vague_anchors();
            let words = dice.pick(anchors).copied().unwrap_or_default();
            self.item_link(host, &target, Anchor::Words(words));
        } else if roll < config.vague_anchors + config.lying_anchors {
            let mut words = String::new();
            let topic = (target.topic + 1 + dice.below(TOPICS - 1)) % TOPICS;
            push_heading(&mut words, dice, topic, host.language);
            self.item_link(host, &target, Anchor::Words(&words));
        } else {
            self.item_link(host, &target, Anchor::Title);
        }
    }

    /// Sentences about the item's topic, of about `bytes` in all, at least one.
    pub(super) fn sentences(&mut self, dice: &mut Dice, topic: usize, bytes: usize) {
        let end = self.out.len() + bytes;
        if let Some(society) = &self.world.society {
            self.out.push_str(&society.neutral(dice, topic, self.host.language, bytes));
            return;
        }
        loop {
            let missing = end.saturating_sub(self.out.len());
            let passage = self.world.prose.passage(dice, topic, self.host.language, missing);
            self.out.push_str(passage);
            if self.out.len() + HALF_SENTENCE >= end {
                return;
            }
        }
    }

    /// Paragraphs with links in them, of about `bytes` in all.
    pub(super) fn body(&mut self, dice: &mut Dice, item: &Item, bytes: usize, links: usize) {
        const PARAGRAPH: usize = 520;
        let start = self.out.len();
        let paragraphs = (bytes / PARAGRAPH).max(1);
        let mut linked = 0;
        for paragraph in 1..=paragraphs {
            self.push("<p>");
            let due = (links * paragraph).div_ceil(paragraphs);
            while linked < due {
                self.sentences(dice, item.topic, 1);
                self.chosen_link(dice, item);
                self.push(" ");
                linked += 1;
            }
            let wanted = bytes * paragraph / paragraphs;
            self.sentences(dice, item.topic, wanted.saturating_sub(self.out.len() - start + 8));
            self.push("</p>\n");
        }
    }

    /// A box of links beside the text.
    pub(super) fn related(&mut self, dice: &mut Dice, item: &Item, links: usize) {
        if links == 0 {
            return;
        }
        self.push("<div class=\"related\"><h3>Related</h3><ul>\n");
        for _ in 0..links {
            self.push("<li>");
            self.chosen_link(dice, item);
            self.push("</li>\n");
        }
        self.push("</ul></div>\n");
    }

    /// One picture in every third item, named in one of the ways pages do.
    pub(super) fn picture(&mut self, item: &Item) {
        if self.host.images == 0 || !item.number.is_multiple_of(3) {
            return;
        }
        let image = Route::Image(item.number / 3 % self.host.images);
        self.push(match item.number % 2 {
            0 => "<p class=\"picture\"><img alt=\"\" src=\"",
            _ => "<p class=\"picture\"><img alt=\"\" class=\"lazy\" data-src=\"",
        });
        self.address(self.host, image);
        self.push("\"></p>\n");
    }
}
