//! What readers answered, where the markup says so: elements called comment, alone or in one another.

use annalist_model::{CanonicalUrl, Object};
use annalist_read::text::{self, Break, VisibleText, collapsed};
use annalist_read::tree::{Element, NodeId, Step, Tree, local_name};

use crate::dates::{self, Hints};

use super::facts::name_of;
use super::marked::{LONGEST_LINE, line, value};
use super::object_id;
use super::phrases;

const MOST: usize = 2000;

/// The comments of a page in its order; `article` is what they answer.
pub(super) fn read(tree: &Tree, url: &CanonicalUrl, article: &str, hints: &Hints) -> Vec<Object> {
    let mut walker = Walker { tree, url, hints, drafts: Vec::new(), open: Vec::new(), hidden: None };
    for step in tree.walk(NodeId::ROOT) {
        match step {
            Step::Enter(node) => walker.enter(node),
            Step::Leave(node) => walker.leave(node),
        }
    }
    finished(walker.drafts, url, article)
}

/// A comment under way.
struct Draft {
    node: NodeId,
    outer: Option<usize>,
    anchor: Option<String>,
    permalink: Option<String>,
    author: Option<String>,
    author_url: Option<String>,
    date: Option<String>,
    /// All that is said, without author and date.
    text: VisibleText,
    /// The element that is called its text, and what is in it.
    content: Option<NodeId>,
    body: VisibleText,
    in_content: bool,
    /// Author or date: read, and no part of the text.
    aside: Option<NodeId>,
}

struct Walker<'w> {
    tree: &'w Tree,
    url: &'w CanonicalUrl,
    hints: &'w Hints,
    drafts: Vec<Draft>,
    open: Vec<usize>,
    hidden: Option<NodeId>,
}

impl Walker<'_> {
    fn enter(&mut self, node: NodeId) {
        if self.hidden.is_some() {
            return;
        }
        let tree = self.tree;
        if let Some(words) = tree.text(node) {
            if let Some(draft) = self.draft()
                && draft.aside.is_none()
            {
                let text = if draft.in_content { &mut draft.body } else { &mut draft.text };
                text.push(words);
            }
            return;
        }
        let Some(element) = tree.element(node) else { return };
        if text::is_hidden(&element) || matches!(*element.name(), local_name!("form") | local_name!("button"))
        {
            self.hidden = Some(node);
            return;
        }
        if is_comment(&element) && self.drafts.len() < MOST {
            self.begin(node, &element);
        } else if !self.open.is_empty() {
            self.notice(node, &element);
        }
        self.break_text(&element);
    }

    fn leave(&mut self, node: NodeId) {
        if let Some(hidden) = self.hidden {
            if hidden == node {
                self.hidden = None;
            }
            return;
        }
        if let Some(element) = self.tree.element(node) {
            self.break_text(&element);
        }
        if let Some(draft) = self.draft() {
            if draft.aside == Some(node) {
                draft.aside = None;
            }
            if draft.content == Some(node) {
                draft.in_content = false;
            }
            if draft.node == node {
                self.open.pop();
            }
        }
    }

    fn draft(&mut self) -> Option<&mut Draft> {
        self.drafts.get_mut(*self.open.last()?)
    }

    fn break_text(&mut self, element: &Element<'_>) {
        if let Some(draft) = self.draft() {
            let text = if draft.in_content { &mut draft.body } else { &mut draft.text };
            match text::breaks(element) {
                Break::Inline => {}
                Break::Cell => text.end_cell(),
                Break::Block => text.end_block(),
            }
        }
    }

    fn begin(&mut self, node: NodeId, element: &Element<'_>) {
        let anchor = element.attribute("id").or_else(|| element.attribute("name")).map(str::to_owned);
        self.drafts.push(Draft {
            node,
            outer: self.open.last().copied(),
            anchor,
            permalink: None,
            author: None,
            author_url: None,
            date: None,
            text: VisibleText::default(),
            content: None,
            body: VisibleText::default(),
            in_content: false,
            aside: None,
        });
        self.open.push(self.drafts.len() - 1);
    }

    /// Author, date, address and text of the comment around this element.
    fn notice(&mut self, node: NodeId, element: &Element<'_>) {
        let (tree, url, hints) = (self.tree, self.url, self.hints);
        let Some(draft) = self.draft() else { return };
        if draft.aside.is_some() && draft.author.is_some() && draft.date.is_some() {
            return;
        }
        let property = element.attribute("itemprop").unwrap_or("");
        let class = element.attribute("class").unwrap_or("");
        let has = |wanted: &[&str]| class.split_ascii_whitespace().any(|name| wanted.contains(&name));
        if let Some(address) = element.attribute("href").filter(|_| *element.name() == local_name!("a")) {
            let anchor = draft.anchor.as_deref().map(|anchor| format!("#{anchor}"));
            let is_own = has(&["u-url", "permalink", "comment-permalink"])
                || element.attribute("rel") == Some("bookmark")
                || anchor.is_some_and(|anchor| address.ends_with(&anchor))
                || (address.contains("#comment-") && !address.contains("respond"));
            if is_own && draft.permalink.is_none() {
                draft.permalink = url.as_url().join(address).ok().map(|url| url.to_string());
            }
        }
        let is_time = *element.name() == local_name!("time")
            || matches!(property, "datePublished" | "dateCreated" | "commentTime");
        if draft.date.is_none()
            && (is_time || has(DATES) || class_word(class, &["date", "time", "timestamp"]))
            && !draft.in_content
        {
            draft.date = dates::parse(&value(tree, node, element), hints);
            if draft.date.is_some() && draft.aside.is_none() {
                draft.aside = Some(node);
            }
        }
        let is_author = matches!(property, "author" | "creator")
            || has(AUTHORS)
            || element.attribute("rel") == Some("author");
        let is_named = class_word(class, &["author", "username", "commenter"])
            && *element.name() != local_name!("article");
        if (is_author || is_named) && draft.author.is_none() && !draft.in_content {
            let author = author(tree, node);
            if author.is_some() {
                draft.author = author;
                draft.author_url = author_link(tree, node, url);
                draft.aside = draft.aside.or(Some(node));
            }
        }
        if draft.content.is_none() && (matches!(property, "text" | "commentText") || has(CONTENTS)) {
            draft.content = Some(node);
            draft.in_content = true;
        }
    }
}

const AUTHORS: &[&str] = &[
    "fn",
    "p-author",
    "comment-author",
    "comment-author-name",
    "commentauthor",
    "comment_author",
    "comment__author",
    "author",
    "author-name",
    "username",
    "user-name",
    "commenter",
    "commenter-name",
    "comment-user",
    "nickname",
    "c-author",
];
const DATES: &[&str] = &[
    "dt-published",
    "comment-date",
    "comment-time",
    "comment-metadata",
    "comment-meta",
    "commentmetadata",
    "comment_date",
    "comment__date",
    "date",
    "time",
    "timestamp",
    "published",
    "ago",
    "age",
];
const CONTENTS: &[&str] = &[
    "comment-content",
    "comment-text",
    "commenttext",
    "comment_text",
    "comment__text",
    "comment__content",
    "comment-message",
    "comment__body",
    "comment-body-text",
    "e-content",
    "p-content",
    "commentcontent",
    "comment_content",
    "comment-copy",
    "commtext",
    "comment-entry",
    "comment-post-text",
];

/// Whether a hyphenated name ends in one of the words: `c-comment__author`.
fn class_word(class: &str, words: &[&str]) -> bool {
    class.split_ascii_whitespace().any(|name| {
        name.contains("comment") && name.rsplit(['-', '_']).next().is_some_and(|last| words.contains(&last))
    })
}

/// Whether an element is one comment, by its type, class or anchor.
fn is_comment(element: &Element<'_>) -> bool {
    let can_be = matches!(
        *element.name(),
        local_name!("li")
            | local_name!("div")
            | local_name!("article")
            | local_name!("section")
            | local_name!("tr")
            | local_name!("td")
            | local_name!("dt")
    );
    if !can_be {
        return false;
    }
    let by_type = element
        .attribute("itemtype")
        .is_some_and(|kind| matches!(kind.rsplit('/').next(), Some("Comment" | "UserComments" | "Answer")));
    let by_class = || {
        element.attribute("class").unwrap_or("").split_ascii_whitespace().any(|name| {
            matches!(
                name,
                "comment"
                    | "comment-item"
                    | "comment_item"
                    | "commentitem"
                    | "single-comment"
                    | "user-comment"
                    | "usercomment"
                    | "reader-comment"
                    | "comment-block"
                    | "comment-wrapper"
                    | "comment-container"
                    | "h-cite"
                    | "u-comment"
                    | "p-comment"
            )
        })
    };
    let by_anchor = || {
        let anchor = element.attribute("id").unwrap_or("");
        let rest = anchor.strip_prefix("li-").unwrap_or(anchor).strip_prefix("comment");
        rest.map(|rest| rest.trim_start_matches(['-', '_']))
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    by_type || by_class() || by_anchor()
}

/// A name, where the element has few words.
fn author(tree: &Tree, node: NodeId) -> Option<String> {
    let text = line(tree, node);
    // The innermost name says it without what is around it.
    let inner = tree.walk(node).take(LONGEST_LINE).find_map(|step| match step {
        Step::Enter(inner) => {
            let element = tree.element(inner)?;
            let is_name = element.attribute("itemprop") == Some("name")
                || element
                    .attribute("class")
                    .is_some_and(|class| class.split_ascii_whitespace().any(|name| name == "fn"));
            is_name.then(|| line(tree, inner))
        }
        Step::Leave(_) => None,
    });
    let name = inner.filter(|name| !name.is_empty()).unwrap_or(text);
    (name.len() <= 160).then(|| name_of(&name))?
}

fn author_link(tree: &Tree, node: NodeId, url: &CanonicalUrl) -> Option<String> {
    let inside = tree.walk(node).take(LONGEST_LINE).filter_map(|step| match step {
        Step::Enter(inner) => tree.element(inner),
        Step::Leave(_) => None,
    });
    let link =
        tree.element(node).into_iter().chain(inside).find(|element| *element.name() == local_name!("a"))?;
    let address = url.as_url().join(link.attribute("href")?).ok()?;
    (matches!(address.scheme(), "http" | "https") && address.fragment().is_none())
        .then(|| address.to_string())
}

/// What of the drafts are comments: text, and somebody or some time to it. Wrappers pass their place on.
fn finished(drafts: Vec<Draft>, url: &CanonicalUrl, article: &str) -> Vec<Object> {
    let mut comments: Vec<Object> = Vec::new();
    let mut ids: Vec<String> = Vec::with_capacity(drafts.len());
    let mut wrapped: Option<(usize, String)> = None;
    for (place, draft) in drafts.into_iter().enumerate() {
        let parent = draft.outer.and_then(|outer| ids.get(outer)).map_or(article, String::as_str).to_owned();
        let body = if draft.body.is_empty() { draft.text.into_string() } else { draft.body.into_string() };
        let body: Vec<&str> = body.lines().filter(|line| !is_label(line)).collect();
        let is_one = !body.is_empty() && (draft.author.is_some() || draft.date.is_some());
        if !is_one {
            // A box around a comment often has its anchor.
            wrapped = draft.anchor.map(|anchor| (place, anchor));
            ids.push(parent);
            continue;
        }
        let boxed =
            wrapped.take().filter(|(around, _)| draft.outer == Some(*around)).map(|(_, anchor)| anchor);
        let anchor = draft.anchor.or(boxed);
        let base = url.as_str().split('#').next().unwrap_or("");
        let own = draft.permalink.or_else(|| anchor.map(|anchor| format!("{base}#{anchor}")));
        let id = object_id(&own.clone().unwrap_or_else(|| format!("{base}#comment-{}", comments.len() + 1)));
        ids.push(id.clone());
        comments.push(Object {
            kind: "comment".to_owned(),
            id,
            url: own,
            author: draft.author,
            author_url: draft.author_url,
            date: draft.date,
            body: body.join("\n"),
            parent: Some(parent),
            ..Object::default()
        });
    }
    comments
}

/// Lines that belong to every comment and are no part of any.
fn is_label(line: &str) -> bool {
    let line = collapsed(line).to_lowercase();
    let line = line.trim_matches(|c: char| !c.is_alphanumeric());
    line.is_empty()
        || matches!(
            line,
            "reply"
                | "permalink"
                | "link"
                | "edit"
                | "delete"
                | "report"
                | "flag"
                | "like"
                | "share"
                | "says"
                | "said"
                | "wrote"
                | "quote"
                | "antworten"
                | "melden"
                | "zitieren"
                | "répondre"
                | "signaler"
                | "responder"
                | "rispondi"
                | "ответить"
                | "at"
                | "on"
                | "log in to reply"
                | "report abuse"
                | "sagt"
                | "schrieb"
        )
        || phrases::is_chrome(line)
}
