//! One walk over a page's tree: links with their words, visible text, title, and what the page says of itself.
//! Which attributes are links is in `links.rs`, which elements are seen in `text.rs`.

use std::ops::Range;

use annalist_model::link::shortened;
use annalist_model::page::{Part, RobotsMeta};
use annalist_model::{CanonicalUrl, LinkKind};

use crate::found::{Found, Place, context};
use crate::links::{self, Relation};
use crate::parts::Parts;
use crate::text::{self, Break, VisibleText};
use crate::tree::{Element, NodeId, Stands, Step, Tree, Vocabulary, local_name};
use crate::{directives, found::Mention};

pub(crate) const LONGEST_TITLE: usize = 500;

/// What a tree says apart from its links.
#[derive(Debug, Default)]
pub(crate) struct Markup {
    pub(crate) title: Option<String>,
    pub(crate) text: String,
    pub(crate) parts: Vec<Part>,
    /// Where in the text each node of the tree is.
    pub(crate) stands: Stands,
    /// The `lang` attribute of the page.
    pub(crate) language: Option<String>,
    pub(crate) canonical: Option<CanonicalUrl>,
    pub(crate) robots: RobotsMeta,
}

/// What the page says its addresses are relative to: the first base with an address counts.
pub(crate) fn base(tree: &Tree) -> Option<&str> {
    tree.elements_named(&local_name!("base")).find_map(|base| base.attribute("href"))
}

/// Reads a tree and adds its links to `found`.
pub(crate) fn read(tree: &Tree, found: &mut Found<'_>) -> Markup {
    let mut walker = Walker {
        tree,
        found,
        markup: Markup::default(),
        text: VisibleText::with_capacity(tree.len() * 8),
        hidden: None,
        open_link: None,
        words: Vec::new(),
        parts: Parts::default(),
        stands: Stands::of(tree),
    };
    for step in tree.walk(NodeId::ROOT) {
        match step {
            Step::Enter(node) => {
                walker.stands.enter(node, walker.text.len());
                walker.enter(node);
            }
            Step::Leave(node) => {
                walker.stands.leave(node, walker.text.len());
                walker.leave(node);
            }
        }
    }
    walker.finish()
}

struct Walker<'t, 'f, 'r> {
    tree: &'t Tree,
    found: &'f mut Found<'r>,
    markup: Markup,
    text: VisibleText,
    /// The outermost hidden element around this place.
    hidden: Option<NodeId>,
    open_link: Option<OpenLink<'t>>,
    /// Where in the text each link stands: its context is known when the text is complete.
    words: Vec<Words<'t>>,
    parts: Parts,
    stands: Stands,
}

/// A link whose end tag has not come yet.
struct OpenLink<'t> {
    node: NodeId,
    place: Place,
    start: usize,
    /// What stands for its words if it has none: the text for its picture, its title.
    instead: &'t str,
}

struct Words<'t> {
    place: Place,
    range: Range<usize>,
    instead: &'t str,
}

impl<'t> Walker<'t, '_, '_> {
    fn enter(&mut self, node: NodeId) {
        if let Some(text) = self.tree.text(node) {
            if self.hidden.is_none() {
                self.text.push(text);
            }
            return;
        }
        let Some(element) = self.tree.element(node) else { return };
        if self.hidden.is_none() && text::is_hidden(&element) {
            self.hidden = Some(node);
        }
        self.break_text(&element);
        if self.hidden.is_none() {
            self.parts.enter(node, &element, self.text.len());
        }
        self.collect(node, &element);
        self.note(node, &element);
    }

    fn leave(&mut self, node: NodeId) {
        if let Some(link) = self.open_link.take_if(|link| link.node == node) {
            let range = link.start..self.text.len();
            self.words.push(Words { place: link.place, range, instead: link.instead });
        }
        if let Some(element) = self.tree.element(node) {
            self.break_text(&element);
        }
        self.parts.leave(node, self.text.len());
        if self.hidden == Some(node) {
            self.hidden = None;
        }
    }

    fn break_text(&mut self, element: &Element<'_>) {
        if self.hidden.is_none() {
            match text::breaks(element) {
                Break::Inline => {}
                Break::Cell => self.text.end_cell(),
                Break::Block => self.text.end_block(),
            }
        }
    }

    fn collect(&mut self, node: NodeId, element: &Element<'t>) {
        let start = self.text.len();
        let (found, words) = (&mut *self.found, &mut self.words);
        let mut opened = None;
        links::mentions(element, |mention| {
            let Some(place) = found.mention(mention) else { return };
            match mention.kind {
                LinkKind::Anchor => opened = Some(place),
                LinkKind::Script | LinkKind::Style | LinkKind::Relation | LinkKind::MetaRefresh => {}
                _ => words.push(Words { place, range: start..start, instead: described(element) }),
            }
        });
        if let Some(place) = opened {
            let instead = element.attribute("title").unwrap_or("");
            self.open_link = Some(OpenLink { node, place, start, instead });
        } else if *element.name() == local_name!("img")
            && let Some(link) = &mut self.open_link
            && link.instead.is_empty()
        {
            link.instead = described(element);
        }
    }

    /// Things said once on a page.
    fn note(&mut self, node: NodeId, element: &Element<'t>) {
        if element.vocabulary() != Vocabulary::Html {
            return;
        }
        match *element.name() {
            local_name!("title") if self.markup.title.is_none() => {
                let title = text::collapsed(&self.own_text(node));
                self.markup.title =
                    Some(shortened(&title, LONGEST_TITLE).to_owned()).filter(|t| !t.is_empty());
            }
            local_name!("html") | local_name!("body") if self.markup.language.is_none() => {
                let language = element.attribute("lang").or_else(|| element.attribute("xml:lang"));
                self.markup.language = language.map(str::to_owned);
            }
            local_name!("meta") => {
                let name = element.attribute("name").unwrap_or("");
                if name.trim().eq_ignore_ascii_case("robots") {
                    let content = element.attribute("content").unwrap_or("");
                    directives::add_robots(content, &mut self.markup.robots);
                }
            }
            local_name!("link") if self.markup.canonical.is_none() => {
                let rel = element.attribute("rel").unwrap_or("");
                if (Relation { rel, destination: "" }).has("canonical") {
                    let href = element.attribute("href").filter(|href| !href.trim_ascii().is_empty());
                    self.markup.canonical = href.and_then(|href| self.found.resolve(href).ok());
                }
            }
            local_name!("style") => {
                let css = self.own_text(node);
                links::style_mentions(&css, &mut |mention: Mention<'_>| {
                    self.found.mention(mention);
                });
            }
            _ => {}
        }
    }

    fn own_text(&self, node: NodeId) -> String {
        self.tree.children(node).filter_map(|child| self.tree.text(child)).collect()
    }

    fn finish(mut self) -> Markup {
        let text = self.text.as_str();
        for Words { place, range, instead } in self.words {
            if self.found.has_anchor(place) {
                continue;
            }
            let said = text.get(range.clone()).unwrap_or("").trim_ascii();
            let anchor = if said.is_empty() { text::collapsed(instead) } else { said.to_owned() };
            self.found.describe(place, &anchor, context(text, range.clone()), range);
        }
        self.markup.text = self.text.into_string();
        self.markup.stands = self.stands;
        self.markup.parts = self.parts.into_parts(self.markup.text.len());
        self.markup
    }
}

/// The words an element has instead of text.
fn described<'t>(element: &Element<'t>) -> &'t str {
    let alt = element.attribute("alt").filter(|alt| !alt.trim_ascii().is_empty());
    alt.or_else(|| element.attribute("title")).unwrap_or("")
}
