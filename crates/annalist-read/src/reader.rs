//! A capture becomes a page: the one way in. Each form of content is read in a file of its own; here is the
//! order of things, and what happens to the pieces.

use std::panic::{AssertUnwindSafe, catch_unwind};

use annalist_model::link::shortened;
use annalist_model::{CanonicalUrl, Canonicaliser, LinkKind, Page, Readability, ResponseHead};

use crate::found::{Found, MOST_LINKS, Mention};
use crate::language::language;
use crate::mime::{self, Detected, Form};
use crate::tree::{self, Cut, Tree, TreeLimits};
use crate::{charset, css, directives, feed, html, sitemap, text};

/// The reason given for a page that a fault in the reader itself left unread.
pub const READER_FAULT: &str = "a fault in the reader";

/// Reads captures. Cheap to clone, no state between pages.
#[derive(Clone, Debug)]
pub struct Reader {
    canonical: Canonicaliser,
    limits: Limits,
}

/// How much of a page is read.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub tree: TreeLimits,
    /// Bodies are cut here before reading.
    pub body_bytes: usize,
    /// So are lists of addresses that come packed, once they are not.
    pub unpacked_bytes: u64,
    /// The visible text is cut here.
    pub text_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            tree: TreeLimits::default(),
            body_bytes: 16 << 20,
            unpacked_bytes: sitemap::MOST_BYTES,
            text_bytes: 64 << 10,
        }
    }
}

impl Limits {
    /// What nearly every page stays within, and what is read in a few milliseconds.
    fn light(&self) -> Limits {
        let tree = TreeLimits { nodes: 100_000, work: 50_000, work_per_byte: 1, ..self.tree };
        let body_bytes = self.body_bytes.min(512 << 10);
        Limits { tree, body_bytes, unpacked_bytes: self.unpacked_bytes.min(2 << 20), ..*self }
    }
}

impl Reader {
    pub fn new(canonical: Canonicaliser) -> Reader {
        Reader::with_limits(canonical, Limits::default())
    }

    pub fn with_limits(canonical: Canonicaliser, limits: Limits) -> Reader {
        Reader { canonical, limits }
    }

    /// Reads a capture: `url` is its address, `body` its bytes with transfer and content coding removed. Never
    /// fails and never panics.
    pub fn read(&self, url: &CanonicalUrl, head: &ResponseHead, body: &[u8]) -> Page {
        self.read_with_tree(url, head, body).0
    }

    /// The same for a link of a kind, with the tree.
    pub fn read_as(
        &self,
        kind: LinkKind,
        url: &CanonicalUrl,
        head: &ResponseHead,
        body: &[u8],
    ) -> (Page, Option<Tree>) {
        let done = self.read_within(&self.limits, false, kind, url, head, body);
        (done.page, done.tree)
    }

    /// The page, if it is quickly read. Those that are not (huge, entangled, nested without measure) should be read by
    /// `read_as`, where nobody waits for it.
    pub fn read_light(
        &self,
        kind: LinkKind,
        url: &CanonicalUrl,
        head: &ResponseHead,
        body: &[u8],
    ) -> Option<(Page, Option<Tree>)> {
        let done = self.read_within(&self.limits.light(), true, kind, url, head, body);
        (!done.exceeded).then_some((done.page, done.tree))
    }

    /// The same, with the tree for those who read on; there is one when the page is HTML.
    pub fn read_with_tree(
        &self,
        url: &CanonicalUrl,
        head: &ResponseHead,
        body: &[u8],
    ) -> (Page, Option<Tree>) {
        self.read_as(LinkKind::Anchor, url, head, body)
    }

    fn read_within(
        &self,
        limits: &Limits,
        gives_up: bool,
        kind: LinkKind,
        url: &CanonicalUrl,
        head: &ResponseHead,
        body: &[u8],
    ) -> Done {
        let whole = body.len() <= limits.body_bytes;
        let body = &body[..body.len().min(limits.body_bytes)];
        let mut reading = Reading {
            limits,
            found: Found::new(&self.canonical, url),
            page: Page::default(),
            tree: None,
            left_out: Vec::new(),
            exceeded: !whole,
            gives_up,
        };
        if !whole && gives_up {
            return Done { page: reading.page, tree: None, exceeded: true };
        }
        if !whole {
            reading.left_out.push(format!("longer than {} bytes", limits.body_bytes));
        }
        // The parsers below are other people's, and one bad page must not end a crawl.
        let read = catch_unwind(AssertUnwindSafe(|| {
            reading.read_head(head);
            reading.read_body(mime::detect(head.field("content-type"), body), kind, head, body);
            reading.finish()
        }));
        read.unwrap_or_else(|_| {
            let mime = mime::detect(head.field("content-type"), body).mime;
            let readability = Readability::Partial(READER_FAULT.to_owned());
            Done { page: Page { mime, readability, ..Page::default() }, tree: None, exceeded: false }
        })
    }
}

/// What came of reading.
struct Done {
    page: Page,
    tree: Option<Tree>,
    /// A limit of effort was reached: with more of it there would be more to read.
    exceeded: bool,
}

/// A page under way.
struct Reading<'r> {
    limits: &'r Limits,
    found: Found<'r>,
    page: Page,
    tree: Option<Tree>,
    left_out: Vec<String>,
    exceeded: bool,
    /// Whether what exceeds a limit will be read anew, so that nothing more need be done.
    gives_up: bool,
}

impl Reading<'_> {
    fn read_head(&mut self, head: &ResponseHead) {
        self.page.robots = directives::header_robots(head);
        for link in directives::header_links(head) {
            self.found.mention(Mention::new(link.raw, link.kind));
            if link.is_canonical && self.page.canonical.is_none() {
                self.page.canonical = self.found.resolve(link.raw).ok();
            }
        }
    }

    fn read_body(&mut self, detected: Detected, kind: LinkKind, head: &ResponseHead, body: &[u8]) {
        self.page.mime = detected.mime;
        match detected.form {
            Form::Opaque => self.page.readability = Readability::Opaque,
            Form::Gzip => self.read_packed(body),
            // What was asked for as a sitemap may be a list of addresses, one a line.
            Form::Text if kind == LinkKind::Sitemap => self.read_list(&String::from_utf8_lossy(body)),
            form => {
                let label = head.field("content-type").and_then(charset::content_type_label);
                self.read_textual(form, body, label);
            }
        }
    }

    fn read_textual(&mut self, form: Form, body: &[u8], label: Option<&str>) {
        let decoded = charset::decode(body, label);
        self.page.charset = Some(decoded.charset());
        let source = &*decoded.text;
        match form {
            Form::Html => {
                // Feeds, sitemaps and style sheets spell their addresses in UTF-8 whatever they are written in.
                self.found.set_encoding(decoded.encoding);
                self.read_html(source);
            }
            Form::Feed => self.read_feed(source),
            Form::Sitemap => self.read_sitemap(source),
            Form::Css => self.read_css(source),
            Form::Text => {
                self.page.text = shortened(source, self.limits.text_bytes).to_owned();
                self.page.language = language(&self.page.text, None);
            }
            Form::Gzip | Form::Opaque => self.page.readability = Readability::Opaque,
        }
    }

    /// A gzip file is read only when there is a list of addresses in it.
    fn read_packed(&mut self, gzip: &[u8]) {
        let start = sitemap::inflate(gzip, 2048);
        let form = mime::detect(None, &start).form;
        if !matches!(form, Form::Sitemap | Form::Feed) {
            self.page.readability = Readability::Opaque;
            return;
        }
        let most = self.limits.unpacked_bytes;
        let body = sitemap::inflate(gzip, most);
        if body.len() as u64 == most {
            self.exceeded = true;
            self.left_out.push(format!("longer than {most} bytes unpacked"));
        }
        self.read_textual(form, &body, None);
    }

    fn read_html(&mut self, source: &str) {
        let (mut tree, cut) = tree::parse(source, &self.limits.tree);
        self.note_cut(cut);
        if self.exceeded && self.gives_up {
            return;
        }
        if let Some(base) = html::base(&tree) {
            self.found.set_base(base);
        }
        let markup = html::read(&tree, &mut self.found);
        let page = &mut self.page;
        page.language = language(&markup.text, markup.language.as_deref());
        page.text = markup.text;
        shorten(&mut page.text, self.limits.text_bytes);
        page.parts = markup.parts;
        page.title = markup.title;
        page.canonical = page.canonical.take().or(markup.canonical);
        page.robots.noindex |= markup.robots.noindex;
        page.robots.nofollow |= markup.robots.nofollow;
        page.robots.noarchive |= markup.robots.noarchive;
        tree.set_stands(markup.stands);
        self.tree = Some(tree);
    }

    fn note_cut(&mut self, cut: Option<Cut>) {
        self.exceeded |= matches!(cut, Some(Cut::Size | Cut::Work));
        let reason = match cut {
            None => return,
            Some(Cut::Depth) => format!("nesting deeper than {}", self.limits.tree.depth),
            Some(Cut::Size) => format!("more than {} nodes", self.limits.tree.nodes),
            Some(Cut::Work) => "markup too entangled to follow".to_owned(),
            Some(Cut::Attributes) => "a tag with more than 1000 attributes".to_owned(),
        };
        // Every entry of a feed may have the same to say.
        if !self.left_out.contains(&reason) {
            self.left_out.push(reason);
        }
    }

    fn read_css(&mut self, source: &str) {
        for (usage, raw) in css::urls(source) {
            let kind = match usage {
                css::Use::Import => LinkKind::Style,
                css::Use::Url => LinkKind::CssUrl,
            };
            self.found.mention(Mention::new(&raw, kind));
        }
    }

    fn read_sitemap(&mut self, source: &str) {
        let sitemap = sitemap::read(source);
        for address in &sitemap.addresses {
            self.found.mention(Mention::new(&address.raw, address.kind));
        }
        self.left_out.extend(sitemap.fault);
    }

    fn read_list(&mut self, source: &str) {
        let list = sitemap::read_text(source);
        for address in &list.addresses {
            self.found.mention(Mention::new(&address.raw, address.kind));
        }
        self.left_out.extend(list.fault);
    }

    fn read_feed(&mut self, source: &str) {
        let feed = feed::read(source);
        if let Some(base) = &feed.base {
            self.found.set_base(base);
        }
        for link in &feed.links {
            self.found.mention(Mention::new(&link.raw, link.kind));
        }
        let mut text = text::VisibleText::default();
        for entry in &feed.entries {
            self.read_entry(entry, &mut text);
        }
        self.page.text = text.into_string();
        shorten(&mut self.page.text, self.limits.text_bytes);
        self.page.language = language(&self.page.text, feed.language.as_deref());
        self.page.title = feed.title.map(|t| shortened(&text::collapsed(&t), html::LONGEST_TITLE).to_owned());
        self.left_out.extend(feed.fault);
    }

    fn read_entry(&mut self, entry: &feed::Entry, text: &mut text::VisibleText) {
        let title = entry.title.as_deref().map(text::collapsed).unwrap_or_default();
        let places: Vec<_> =
            entry.links.iter().filter_map(|l| self.found.mention(Mention::new(&l.raw, l.kind))).collect();
        text.push(&title);
        text.end_block();
        let mut summary = String::new();
        for source in &entry.html {
            let (tree, cut) = tree::parse(source, &self.limits.tree);
            self.note_cut(cut);
            let markup = html::read(&tree, &mut self.found);
            for line in markup.text.lines() {
                text.push(line);
                text.end_block();
            }
            if summary.is_empty() {
                summary = shortened(&markup.text, 300).replace('\n', " ");
            }
        }
        let page = places.first().and_then(|place| self.found.url(*place)).cloned();
        self.page.dated.extend(page.zip(entry.date.clone()));
        for place in places {
            self.found.describe(place, &title, &summary, 0..0);
        }
    }

    fn finish(mut self) -> Done {
        if self.found.overflowed() {
            self.left_out.push(format!("more than {MOST_LINKS} links"));
        }
        if !self.left_out.is_empty() {
            self.page.readability = Readability::Partial(self.left_out.join("; "));
        }
        (self.page.links, self.page.unusable) = self.found.into_parts();
        Done { page: self.page, tree: self.tree, exceeded: self.exceeded }
    }
}

fn shorten(text: &mut String, bytes: usize) {
    let length = shortened(text, bytes).len();
    text.truncate(length);
}
