//! What is around a date on a page: the names of its element, the region it stands in, and how far the headline is.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use annalist_model::Page;
use annalist_read::tree::{Element, LocalName, NodeId, Tree, local_name};

/// So much text may stand in an element that is named for its date.
const LONGEST_NAMED: usize = 200;
/// An item of a list that is longer is about something else; bylines are lists too.
const LONGEST_ITEM: usize = 70;
/// What begins so near to the headline belongs to it.
pub(super) const NEAR: usize = 300;
/// An article with a headline of its own that is shorter is a teaser.
const LONG_ARTICLE: usize = 1000;
/// So many elements up is a date named.
const NAMED_WITHIN: usize = 4;

/// Where the headline of a page is, and what else depends on it.
pub(super) struct Places<'p> {
    tree: &'p Tree,
    /// In the text of the page.
    pub(super) headline: Option<Range<usize>>,
    /// What the headline stands in, inside out.
    above: Vec<NodeId>,
    /// The article under a headline that stands in none.
    article: Option<NodeId>,
    known: RefCell<HashMap<NodeId, Region>>,
}

/// What a walk over a page finds that says where things are.
#[derive(Default)]
pub(super) struct Landmarks {
    /// The first ones.
    pub(super) headings: Vec<NodeId>,
    pub(super) articles: Vec<NodeId>,
}

/// What is known of a date by where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) named: Named,
    pub(super) region: Region,
    /// How many elements it is up to what holds the headline too.
    pub(super) up: usize,
}

/// What the elements around a date are called, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Named {
    Published,
    Date,
    Modified,
    /// What holds dates among other things.
    Loosely,
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Region {
    Matter,
    /// An article that has not the headline.
    Another,
    Footer,
    Beside,
    Comments,
}

impl<'p> Places<'p> {
    /// `texts`: where its text stands.
    pub(super) fn of(
        tree: &'p Tree,
        page: &Page,
        found: &Landmarks,
        texts: &[(usize, NodeId)],
    ) -> Places<'p> {
        let headline = headline(tree, page, &found.headings, texts);
        let parents = |node: NodeId| std::iter::successors(tree.parent(node), |node| tree.parent(*node));
        let above: Vec<NodeId> = headline.map_or_else(Vec::new, |node| parents(node).collect());
        let is_inside = found.articles.iter().any(|article| above.contains(article));
        let length = |node: &NodeId| tree.stands_at(*node).map_or(0, |stands| stands.len());
        let has_heading = |node: NodeId| {
            found.headings.iter().any(|heading| parents(*heading).any(|around| around == node))
        };
        let may_be_own = |node: &NodeId| !is_inside && (length(node) > LONG_ARTICLE || !has_heading(*node));
        Places {
            tree,
            headline: headline.and_then(|node| tree.stands_at(node)),
            above,
            article: found.articles.iter().copied().filter(may_be_own).max_by_key(length),
            known: RefCell::default(),
        }
    }

    pub(super) fn look(&self, node: NodeId) -> Place {
        let mut place = Place { named: Named::Nothing, region: Region::Matter, up: 0 };
        let mut next = Some(node);
        while let Some(node) = next.filter(|node| !self.above.contains(node)) {
            next = self.tree.parent(node);
            let Some(element) = self.tree.element(node) else { continue };
            if place.up < NAMED_WITHIN && place.named > Named::Modified && self.is_small(node) {
                place.named = place.named.min(named(&element));
            }
            place.region = place.region.max(self.region(node, &element));
            place.up += 1;
        }
        // What holds the headline and little else names its date too.
        if let Some(node) = next.filter(|node| place.named > Named::Modified && self.is_small(*node))
            && let Some(element) = self.tree.element(node)
        {
            place.named = place.named.min(named(&element)).max(Named::Loosely);
        }
        place
    }

    /// Whether a property is one of what the headline belongs to.
    pub(super) fn is_own(&self, node: NodeId) -> bool {
        let mut around = std::iter::successors(self.tree.parent(node), |node| self.tree.parent(*node));
        let scope = around.find(|node| {
            self.tree.element(*node).is_some_and(|element| element.attribute("itemscope").is_some())
        });
        scope.is_some_and(|scope| self.above.contains(&scope) || self.article == Some(scope))
    }

    fn is_small(&self, node: NodeId) -> bool {
        self.tree.stands_at(node).is_none_or(|stands| stands.len() <= LONGEST_NAMED)
    }

    fn region(&self, node: NodeId, element: &Element<'_>) -> Region {
        if let Some(known) = self.known.borrow().get(&node) {
            return *known;
        }
        let region = self.region_of(node, element);
        self.known.borrow_mut().insert(node, region);
        region
    }

    fn region_of(&self, node: NodeId, element: &Element<'_>) -> Region {
        let stands = self.tree.stands_at(node).unwrap_or_default();
        let is_another = !self.above.is_empty() && self.article != Some(node);
        let said = match *element.name() {
            local_name!("body") | local_name!("html") => return Region::Matter,
            local_name!("nav")
            | local_name!("form")
            | local_name!("select")
            | local_name!("figure")
            | local_name!("figcaption")
            | local_name!("option")
            | local_name!("button")
            | local_name!("marquee") => return Region::Beside,
            local_name!("footer") => Region::Footer,
            local_name!("article") if is_another => Region::Another,
            local_name!("li") if is_another && stands.len() > LONGEST_ITEM => Region::Another,
            // A small one at the headline holds what is to be known of the article.
            local_name!("aside") if stands.len() > LONGEST_NAMED || !self.is_at_headline(&stands) => {
                Region::Beside
            }
            _ => Region::Matter,
        };
        class_names(element).map(named_region).fold(said, Region::max)
    }

    fn is_at_headline(&self, stands: &Range<usize>) -> bool {
        self.headline.as_ref().is_some_and(|headline| stands.start.abs_diff(headline.end) <= NEAR)
    }
}

/// The heading that the title of the page repeats; else the first of the highest kind.
fn headline(tree: &Tree, page: &Page, headings: &[NodeId], texts: &[(usize, NodeId)]) -> Option<NodeId> {
    let text =
        |node: &NodeId| tree.stands_at(*node).and_then(|stands| page.text.get(stands)).map_or("", str::trim);
    let title = page.title.as_deref().unwrap_or("");
    let of_kind = |kind: LocalName| {
        let kind = move |node: &NodeId| tree.element(*node).is_some_and(|element| *element.name() == kind);
        headings.iter().copied().filter(kind)
    };
    // The name of the site is a heading of many pages, and the end of their titles.
    let repeats =
        |text: &str| text.len() > 10 && title.contains(text) && (!title.ends_with(text) || title == text);
    let longest = |nodes: &mut dyn Iterator<Item = NodeId>, most: usize| {
        nodes.max_by_key(|node| (text(node).len().min(most), std::cmp::Reverse(*node)))
    };
    longest(&mut headings.iter().copied().filter(|node| repeats(text(node))), usize::MAX)
        .or_else(|| of_title(page, title, texts))
        .or_else(|| longest(&mut of_kind(local_name!("h1")).filter(|node| text(node).len() > 2), 40))
        .or_else(|| of_kind(local_name!("h2")).find(|node| text(node).len() > 2))
}

/// Where the text repeats the title of the page, less the name of the site.
fn of_title(page: &Page, title: &str, texts: &[(usize, NodeId)]) -> Option<NodeId> {
    // Where words are not parted by spaces, names are not either.
    let mark = if title.contains(' ') { " - " } else { "-" };
    let parts = title.split(['|', '_', '–', '—', '»', '·', '•']).flat_map(|part| part.split(mark));
    let longest = parts.map(str::trim).max_by_key(|part| part.len()).filter(|part| part.len() > 15)?;
    let at = page.text.find(longest)?;
    let behind = texts.partition_point(|(from, _)| *from <= at);
    texts.get(behind.checked_sub(1)?).map(|(_, node)| *node)
}

/// The language that a page says it is in.
pub(super) fn language(tree: &Tree) -> Option<&str> {
    tree.children(NodeId::ROOT).find_map(|node| tree.element(node)?.attribute("lang"))
}

/// The words of a class or an id: `articleDate`, `entry-date`, `post_meta__time`.
fn words(names: &str) -> impl Iterator<Item = String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    for c in names.chars().take(300) {
        let begins = !c.is_ascii_alphanumeric() || (c.is_ascii_uppercase() && was_lower);
        if begins && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_ascii_alphanumeric() {
            word.push(c.to_ascii_lowercase());
        }
        was_lower = c.is_ascii_lowercase();
    }
    words.push(word);
    words.into_iter()
}

fn names<'e>(element: &Element<'e>) -> impl Iterator<Item = String> + use<'e> {
    let attributes = element.attributes();
    attributes
        .filter(|(name, _)| {
            matches!(
                **name,
                local_name!("class") | local_name!("id") | local_name!("itemprop") | local_name!("property")
            )
        })
        .flat_map(|(_, value)| words(value))
}

fn named(element: &Element<'_>) -> Named {
    let mut published = false;
    let is_time = *element.name() == local_name!("time");
    let (mut date, mut own, mut modified, mut loosely) = (false, false, false, false);
    for word in names(element) {
        match word.as_str() {
            "published" | "pubdate" | "publish" | "publishdate" | "publisheddate" | "datepublished"
            | "posted" | "postdate" | "entrydate" | "articledate" | "newsdate" | "publication" | "pub"
            | "created" | "datecreated" | "submitted" | "veroeffentlicht" | "erscheinungsdatum"
            | "dateline" | "postedon" | "issued" | "publie" | "pubblicato" | "publicado" | "postdatum"
            | "publishtime" | "publishedat" => published = true,
            "date" | "dates" | "datum" | "fecha" | "datetime" | "timestamp" | "time" | "data" | "stamp"
            | "tarih" | "dato" | "datestamp" | "datebox" | "blogdate" | "created_at" | "clock"
            | "postmetadata" | "when" | "day" => date = true,
            "updated" | "modified" | "update" | "datemodified" | "lastmod" | "lastmodified" | "changed"
            | "edited" => {
                modified = true;
            }
            "meta" | "byline" | "info" | "author" | "metadata" | "details" | "postinfo" | "postmeta"
            | "entrymeta" | "signature" | "autor" | "credit" | "credits" | "header" | "head" | "subline"
            | "kicker" | "dachzeile" | "subtitle" | "source" | "detail" | "infos" | "utility"
            | "attribution" => loosely = true,
            "entry" | "post" | "article" | "story" | "news" | "blog" => own = true,
            long if long.contains("pubdate")
                || long.contains("publishdate")
                || long.contains("publicationdate") =>
            {
                published = true;
            }
            _ => {}
        }
    }
    match () {
        () if published || (own && date) => Named::Published,
        () if modified && !date => Named::Modified,
        () if date || is_time => Named::Date,
        () if loosely => Named::Loosely,
        () => Named::Nothing,
    }
}

fn class_names<'e>(element: &Element<'e>) -> impl Iterator<Item = &'e str> + use<'e> {
    let of_page =
        element.attributes().filter(|(name, _)| matches!(**name, local_name!("class") | local_name!("id")));
    of_page.flat_map(|(_, value)| value.split_ascii_whitespace()).take(20)
}

/// What one name says of the region. Names that say how an element looks have brackets.
fn named_region(name: &str) -> Region {
    let mut region = Region::Matter;
    if name.contains('(') || name.contains('[') {
        return region;
    }
    let (mut is_own, mut is_dated) = (false, false);
    for word in words(name) {
        let said = match word.as_str() {
            "comment" | "comments" | "commentlist" | "kommentar" | "kommentare" | "commentaires"
            | "commentaire" | "comentarios" | "commenti" | "replies" | "respond" | "disqus" | "reacties"
            | "discussion" | "answers" | "commentarea" | "yorumlar" | "komentarze" => Region::Comments,
            "sidebar" | "aside" | "related" | "recommended" | "recommendations" | "teaser" | "teasers"
            | "widget" | "widgets" | "popular" | "trending" | "latest" | "recent" | "mostread"
            | "calendar" | "kalender" | "nav" | "navigation" | "navbar" | "menu" | "ticker" | "promo"
            | "newsletter" | "carousel" | "slider" | "similar" | "pagination" | "tweets" | "ads"
            | "advert" | "upcoming" | "events" | "termine" | "archives" | "rail" | "outbrain" | "taboola"
            | "bio" | "popup" | "cookie" | "login" | "caption" | "marginal" | "sidebox" | "breaking"
            | "readmore" | "navi" | "infobox" | "weather" | "wetter" | "recentposts" | "relatedposts"
            | "morenews" => Region::Beside,
            "footer" | "copyright" | "foot" | "imprint" | "colophon" => Region::Footer,
            // A footer or a widget of the article itself is where templates put its date.
            "entry" | "post" | "article" | "elementor" | "story" | "single" | "content" => {
                is_own = true;
                continue;
            }
            "date" | "time" | "meta" | "datetime" | "author" | "byline" => {
                is_dated = true;
                continue;
            }
            _ => continue,
        };
        region = region.max(said);
    }
    match region {
        Region::Footer if is_own => Region::Matter,
        Region::Comments | Region::Beside if is_dated => Region::Matter,
        region => region,
    }
}
