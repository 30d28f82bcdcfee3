//! Main text, title, author, date and comments of pages that no catalogue describes.
//!
//! - `body`: the main text; `blocks` cuts a page, `names` and `phrases` know what pages put around their matter
//! - `facts`: who wrote it, as far as the page says; `linked` reads JSON-LD, `marked` markup and meta tags
//! - `comments`: what readers answered
//!
//! Not here: what applications and their templates are, and when a page was published.

mod blocks;
mod body;
mod comments;
mod facts;
pub(crate) mod linked;
mod marked;
mod names;
mod phrases;

use annalist_model::{CanonicalUrl, Evidence, Object, Page, Precision, Published, ResponseHead, Time};
pub use annalist_read::text::plain_text;
use annalist_read::tree::{NodeId, Tree};

use crate::dates::Hints;
use crate::published::{self, Captured, Dates};
use blocks::Blocks;
use body::Matter;
use facts::Facts;

/// A text shorter than this gives way to the one that is said to machines.
const SHORT_WORDS: u32 = 25;

/// What is written on a page: the main object first, then its comments.
pub fn read(tree: &Tree, page: &Page, url: &CanonicalUrl, now: Option<Time>) -> Vec<Object> {
    let hints = Hints { now, ..Hints::default() };
    let address = address(page, url);
    let dates = dates(tree, page, url, now);
    let mut facts = Facts::new(url, &hints);
    marked::read(tree, &mut facts);
    let linked = linked::read(&mut facts, page.title.as_deref());
    let title = facts.title(page.title.as_deref());
    let (blocks, matter) = matter(tree);
    let mut body =
        matter.as_ref().map_or_else(String::new, |matter| matter.text(tree, &blocks, title.as_deref()));
    if let Some(said) = facts.body()
        && blocks::count(&body) < SHORT_WORDS
        && blocks::count(said) > blocks::count(&body)
    {
        body = said.to_owned();
    }
    let article = Object {
        kind: "article".to_owned(),
        id: object_id(&address),
        url: Some(address.clone()),
        author: facts.author(),
        author_url: facts.author_url(),
        date: dates.published.filter(is_said).map(|published| published.rfc3339()),
        modified: dates.modified.map(|modified| modified.rfc3339().replace(".000Z", "Z")),
        title,
        body,
        ..Object::default()
    };
    let mut comments = comments::read(tree, url, &article.id, &hints);
    if comments.is_empty() {
        comments = linked.comments(&facts, &article.id);
    }
    let mut objects = vec![article];
    objects.extend(comments);
    objects
}

/// What was found out before, or else is now.
fn dates(tree: &Tree, page: &Page, url: &CanonicalUrl, now: Option<Time>) -> Dates {
    if page.published.is_some() {
        return Dates { published: page.published, modified: page.modified };
    }
    let captured = now.map_or(Captured::Before(Time::MAX), Captured::At);
    published::dates(tree, page, url, &ResponseHead::default(), captured)
}

/// What is only guessed is no date of an object.
fn is_said(published: &Published) -> bool {
    published.precision == Precision::Day && published.evidence < Evidence::Comments
}

/// What two spellings of an object's address have in common: anchors stay, as they tell comments apart.
pub fn object_id(url: &str) -> String {
    let tidy = url.trim().trim_end_matches('#');
    tidy.split_once("://").map_or(tidy, |(_, rest)| rest).to_owned()
}

/// The address a page gives itself, unless that is another site's or its front page.
fn address(page: &Page, url: &CanonicalUrl) -> String {
    let own = page
        .canonical
        .as_ref()
        .filter(|own| own.site() == url.site() && (own.path() != "/" || url.path() == "/"));
    own.unwrap_or(url).as_str().to_owned()
}

/// The element that holds the main text of a page.
pub fn main_node(tree: &Tree) -> Option<NodeId> {
    matter(tree).1.map(|matter| matter.node)
}

/// The main text of a page, a line for each block. Headings that only repeat the title are no part of it.
pub fn main_text(tree: &Tree, title: Option<&str>) -> String {
    let (blocks, matter) = matter(tree);
    matter.map_or_else(String::new, |matter| matter.text(tree, &blocks, title))
}

fn matter(tree: &Tree) -> (Blocks, Option<Matter>) {
    let mut blocks = Blocks::of(tree);
    let mut matter = Matter::find(tree, &blocks);
    if matter.is_none() {
        blocks.lift_all();
        matter = Matter::find(tree, &blocks);
    }
    (blocks, matter)
}

#[cfg(test)]
mod tests;
