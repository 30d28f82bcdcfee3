//! What a page's markup says of its author and title: microdata, microformats, meta tags, and the customary names of classes. One
//! walk; which of them counts is decided in `facts.rs`.

use annalist_read::text::beginning;
use annalist_read::tree::{Element, NodeId, Step, Tree, local_name};

use super::facts::{Facts, Rank};
use super::names::{self, Says};

/// More scripts, or longer ones, are not read.
const MOST_SCRIPTS: usize = 20;
const LONGEST_SCRIPT: usize = 1 << 20;

/// So many nodes make a line.
pub(super) const LONGEST_LINE: usize = 100;

pub(super) fn read(tree: &Tree, facts: &mut Facts<'_>) {
    let mut walker = Walker { tree, facts, scopes: Vec::new(), entry: None, beside: None };
    for step in tree.walk(NodeId::ROOT) {
        match step {
            Step::Enter(node) => walker.enter(node),
            Step::Leave(node) => walker.leave(node),
        }
    }
}

struct Walker<'w, 'p> {
    tree: &'w Tree,
    facts: &'w mut Facts<'p>,
    /// Open items of microdata.
    scopes: Vec<(NodeId, Scope)>,
    /// The open entry of microformats.
    entry: Option<NodeId>,
    /// Comments, navigation and the like: their authors are not the page's.
    beside: Option<NodeId>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Article,
    /// Who wrote the article around it.
    Author,
    Other,
}

impl Walker<'_, '_> {
    fn enter(&mut self, node: NodeId) {
        let Some(element) = self.tree.element(node) else { return };
        match *element.name() {
            local_name!("meta") if element.attribute("itemprop").is_none() => return self.meta(&element),
            local_name!("script") => return self.script(node, &element),
            _ => {}
        }
        if self.beside.is_some() {
            return;
        }
        if is_beside(&element) {
            self.beside = Some(node);
            return;
        }
        if let Some(property) = element.attribute("itemprop") {
            self.microdata(node, &element, property);
        }
        if let Some(kind) =
            element.attribute("itemtype").or_else(|| element.attribute("itemscope").map(|_| ""))
        {
            self.scopes.push((node, self.scope(&element, kind)));
        }
        let class = element.attribute("class").unwrap_or("");
        if !class.is_empty() {
            self.classes(node, &element, class);
        }
        self.element(node, &element);
    }

    fn leave(&mut self, node: NodeId) {
        if self.beside == Some(node) {
            self.beside = None;
        }
        if self.entry == Some(node) {
            self.entry = None;
        }
        if self.scopes.last().is_some_and(|(open, _)| *open == node) {
            self.scopes.pop();
        }
    }

    fn script(&mut self, node: NodeId, element: &Element<'_>) {
        let kind = element.attribute("type").unwrap_or("");
        if kind.trim().to_ascii_lowercase().starts_with("application/ld+json")
            && self.facts.scripts.len() < MOST_SCRIPTS
        {
            let text: String = self.tree.children(node).filter_map(|child| self.tree.text(child)).collect();
            if text.len() <= LONGEST_SCRIPT {
                self.facts.scripts.push(text);
            }
        }
    }

    fn meta(&mut self, element: &Element<'_>) {
        let Some(content) = element.attribute("content").filter(|content| !content.trim().is_empty()) else {
            return;
        };
        let name = element.attribute("property").or_else(|| element.attribute("name")).unwrap_or("");
        let facts = &mut *self.facts;
        match name.trim().to_ascii_lowercase().as_str() {
            "og:title" => facts.say_title(Rank::Microdata, content),
            "twitter:title" | "dc.title" | "dcterms.title" | "parsely-title" | "sailthru.title" => {
                facts.say_title(Rank::Named, content);
            }
            "og:site_name" => facts.say_site(Rank::Meta, content),
            "author" | "dc.creator" | "dcterms.creator" | "parsely-author" | "sailthru.author" | "byl"
            | "citation_author" => facts.say_author(Rank::Meta, content),
            "article:author" | "og:article:author" if content.contains("://") => {
                facts.say_author_url(Rank::Meta, content);
            }
            "article:author" | "og:article:author" => facts.say_author(Rank::Markup, content),
            _ => {}
        }
    }

    fn scope(&self, element: &Element<'_>, kind: &str) -> Scope {
        let kind = kind.trim().rsplit('/').next().unwrap_or("");
        let is_author = element.attribute("itemprop").is_some_and(|property| property.contains("author"));
        let within = self.scopes.last().map(|(_, scope)| *scope);
        if is_author && within.is_none_or(|within| within == Scope::Article) {
            Scope::Author
        } else if kind.ends_with("Article") || kind.ends_with("Posting") || kind == "Recipe" {
            Scope::Article
        } else {
            Scope::Other
        }
    }

    fn microdata(&mut self, node: NodeId, element: &Element<'_>, property: &str) {
        let scope = self.scopes.last().map(|(_, scope)| *scope);
        let value = || value(self.tree, node, element);
        let facts = &mut *self.facts;
        for property in property.split_ascii_whitespace() {
            match (scope, property) {
                (Some(Scope::Author), "name") => facts.say_author(Rank::Microdata, &value()),
                (Some(Scope::Author), "url") => facts.say_author_url(Rank::Microdata, &value()),
                (Some(Scope::Article) | None, "author") if element.attribute("itemscope").is_none() => {
                    facts.say_author(Rank::Microformat, &value());
                }
                (Some(Scope::Article), "author") => facts.say_author(Rank::Markup, &value()),
                (Some(Scope::Article) | None, "headline") => facts.say_title(Rank::Microformat, &value()),
                _ => {}
            }
        }
    }

    fn classes(&mut self, node: NodeId, element: &Element<'_>, class: &str) {
        let has = |names: &[&str]| class.split_ascii_whitespace().any(|name| names.contains(&name));
        if has(&["h-entry", "hentry"]) && self.entry.is_none() {
            self.entry = Some(node);
        }
        let facts = &mut *self.facts;
        if self.entry.is_some() {
            if has(&["p-name", "entry-title"]) {
                facts.say_title(Rank::Microformat, &line(self.tree, node));
            }
            if has(&["p-author", "fn"]) {
                facts.say_author(Rank::Microformat, &line(self.tree, node));
                if let Some(address) = element.attribute("href") {
                    facts.say_author_url(Rank::Microformat, address);
                }
            }
        }
        if has(&[
            "author-name",
            "authorname",
            "author_name",
            "byline-name",
            "byline__name",
            "post-author",
            "entry-author",
        ]) {
            facts.say_author(Rank::Named, &line(self.tree, node));
        } else if class.split_ascii_whitespace().any(is_byline) {
            facts.say_author(Rank::Loose, &line(self.tree, node));
        }
    }

    fn element(&mut self, node: NodeId, element: &Element<'_>) {
        let facts = &mut *self.facts;
        match *element.name() {
            local_name!("h1") => facts.say_heading(line(self.tree, node)),
            local_name!("a") | local_name!("link") => {
                let rel = element.attribute("rel").unwrap_or("");
                if rel.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case("author")) {
                    facts.say_author(Rank::Markup, &line(self.tree, node));
                    if let Some(address) = element.attribute("href") {
                        facts.say_author_url(Rank::Markup, address);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The text of an element that should hold no more than a line.
pub(super) fn line(tree: &Tree, node: NodeId) -> String {
    beginning(tree, node, LONGEST_LINE)
}

/// `author`, `byline`, and what ends so: `article__author`, `pb-byline`.
fn is_byline(name: &str) -> bool {
    matches!(name.rsplit(['-', '_']).next(), Some("author" | "authors" | "byline")) || name == "by-line"
}

/// What an element says in its attributes, else in its text.
pub(super) fn value(tree: &Tree, node: NodeId, element: &Element<'_>) -> String {
    let attribute = ["content", "datetime", "data-datetime"].iter().find_map(|name| element.attribute(name));
    let address = || match *element.name() {
        local_name!("link") => element.attribute("href"),
        _ => None,
    };
    let title = || match *element.name() {
        local_name!("abbr") => element.attribute("title"),
        _ => None,
    };
    let said = attribute.or_else(address).or_else(title).filter(|said| !said.trim().is_empty());
    said.map_or_else(|| line(tree, node), str::to_owned)
}

/// Headers of articles hold what is looked for here; elsewhere it is not the article's.
fn is_beside(element: &Element<'_>) -> bool {
    match *element.name() {
        local_name!("nav") | local_name!("aside") => true,
        local_name!("body") | local_name!("html") => false,
        _ => names::says(element) == Says::Comments || is_related(element),
    }
}

fn is_related(element: &Element<'_>) -> bool {
    element.attribute("class").is_some_and(|class| {
        class.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| matches!(word, "related" | "sidebar"))
    })
}
