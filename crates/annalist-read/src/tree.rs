//! One page as one tree: elements, attributes and text in an arena that links, text, and later applications
//! and judging all read from. How markup becomes a tree is in `tree/build.rs`; nothing here is changed later, only where
//! the text of each node stands in the page's is added when the page has been read.
//!
//! All strings of a page lie in one buffer, all attributes in one list: a node owns no memory of its own, and
//! a tree can go to another thread.

use std::ops::Range;

mod build;
mod giant;
mod guard;

pub use build::{Cut, parse};
pub use html5ever::{LocalName, local_name};

/// How much markup is read before reading stops. What was read until then stays.
#[derive(Clone, Copy, Debug)]
pub struct TreeLimits {
    /// Start tags nested deeper are left out: html5ever takes quadratic time in nesting.
    pub depth: usize,
    /// Nodes in all: misnested formatting makes more of them than there are tags.
    pub nodes: usize,
    /// Comparisons that any page may cost, and that each of its bytes adds. Real pages need one for four bytes.
    pub work: u64,
    pub work_per_byte: u64,
}

impl Default for TreeLimits {
    fn default() -> Self {
        TreeLimits { depth: 512, nodes: 1_000_000, work: 5_000_000, work_per_byte: 10 }
    }
}

/// The place of a node in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// The document itself, in every tree.
    pub const ROOT: NodeId = NodeId(0);
    /// Where a link to another node would be, and there is none.
    const NONE: NodeId = NodeId(u32::MAX);

    fn known(self) -> Option<NodeId> {
        (self != NodeId::NONE).then_some(self)
    }

    /// Less than the length of its tree, and no other node's there.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The tree of one page.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    attributes: Vec<Attribute>,
    strings: String,
    /// In the visible text of the page, for each node; empty until that was read.
    stands: Vec<Stretch>,
}

#[derive(Clone, Debug)]
struct Node {
    parent: NodeId,
    first_child: NodeId,
    last_child: NodeId,
    prev_sibling: NodeId,
    next_sibling: NodeId,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    Document,
    /// `count` attributes from `first` on in the tree's list.
    Element {
        name: LocalName,
        vocabulary: Vocabulary,
        first: u32,
        count: u16,
    },
    Text(Stretch),
    Comment(Stretch),
}

/// The language an element's name belongs to: `a` is a link in HTML and in SVG, `title` a title in HTML only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vocabulary {
    Html,
    Svg,
    Other,
}

#[derive(Clone, Debug)]
struct Attribute {
    name: LocalName,
    value: Stretch,
}

/// A part of the tree's string buffer, or of the page's text.
#[derive(Clone, Copy, Debug, Default)]
struct Stretch {
    from: u32,
    until: u32,
}

impl Tree {
    fn new(capacity: usize) -> Tree {
        let mut tree = Tree {
            // Markup has about one node and half an attribute in 20 bytes.
            nodes: Vec::with_capacity(capacity / 20 + 8),
            attributes: Vec::with_capacity(capacity / 40 + 8),
            strings: String::with_capacity(capacity),
            stands: Vec::new(),
        };
        tree.add(Content::Document);
        tree
    }

    /// How many nodes there are, the document included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the document has nothing in it.
    pub fn is_empty(&self) -> bool {
        self.first_child(NodeId::ROOT).is_none()
    }

    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.node(node)?.parent.known()
    }

    pub fn first_child(&self, node: NodeId) -> Option<NodeId> {
        self.node(node)?.first_child.known()
    }

    pub fn last_child(&self, node: NodeId) -> Option<NodeId> {
        self.node(node)?.last_child.known()
    }

    pub fn next_sibling(&self, node: NodeId) -> Option<NodeId> {
        self.node(node)?.next_sibling.known()
    }

    pub fn previous_sibling(&self, node: NodeId) -> Option<NodeId> {
        self.node(node)?.prev_sibling.known()
    }

    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.first_child(node), |child| self.next_sibling(*child))
    }

    /// The element, if the node is one.
    pub fn element(&self, node: NodeId) -> Option<Element<'_>> {
        match &self.node(node)?.content {
            Content::Element { name, vocabulary, first, count } => {
                let from = *first as usize;
                let attributes = self.attributes.get(from..from + usize::from(*count)).unwrap_or(&[]);
                Some(Element { name, vocabulary: *vocabulary, attributes, strings: &self.strings })
            }
            _ => None,
        }
    }

    /// The text, if the node is a text node. One run of text may be several neighbouring nodes.
    pub fn text(&self, node: NodeId) -> Option<&str> {
        match &self.node(node)?.content {
            Content::Text(stretch) => Some(stretch.of(&self.strings)),
            _ => None,
        }
    }

    pub fn comment(&self, node: NodeId) -> Option<&str> {
        match &self.node(node)?.content {
            Content::Comment(stretch) => Some(stretch.of(&self.strings)),
            _ => None,
        }
    }

    /// Where what is seen of a node, with all below it, stands in the text of the page as it was read; the text may have been cut
    /// since.
    pub fn stands_at(&self, node: NodeId) -> Option<Range<usize>> {
        let Stretch { from, until } = self.stands.get(node.index())?;
        Some(*from as usize..*until as usize)
    }

    pub(crate) fn set_stands(&mut self, stands: Stands) {
        self.stands = stands.0;
    }

    /// Every node below `top`, in document order, entered once and left once.
    pub fn walk(&self, top: NodeId) -> Walk<'_> {
        Walk { tree: self, top, next: self.first_child(top).map(Step::Enter) }
    }

    /// Elements of that name, in the order in which the page names them.
    pub fn elements_named<'t>(&'t self, name: &LocalName) -> impl Iterator<Item = Element<'t>> {
        (0..self.nodes.len() as u32)
            .filter_map(|id| self.element(NodeId(id)))
            .filter(move |element| element.name() == name)
    }

    fn node(&self, node: NodeId) -> Option<&Node> {
        self.nodes.get(node.index())
    }

    fn add(&mut self, content: Content) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node {
            parent: NodeId::NONE,
            first_child: NodeId::NONE,
            last_child: NodeId::NONE,
            prev_sibling: NodeId::NONE,
            next_sibling: NodeId::NONE,
            content,
        });
        id
    }
}

/// Where the text of each node stands, as it is being read.
#[derive(Debug, Default)]
pub(crate) struct Stands(Vec<Stretch>);

impl Stands {
    pub(crate) fn of(tree: &Tree) -> Stands {
        Stands(vec![Stretch::default(); tree.len()])
    }

    /// `at`: how long the text is so far.
    pub(crate) fn enter(&mut self, node: NodeId, at: usize) {
        let at = at as u32;
        if let Some(stretch) = self.0.get_mut(node.index()) {
            *stretch = Stretch { from: at, until: at };
        }
    }

    pub(crate) fn leave(&mut self, node: NodeId, at: usize) {
        if let Some(stretch) = self.0.get_mut(node.index()) {
            stretch.until = at as u32;
        }
    }
}

impl Stretch {
    fn of(self, strings: &str) -> &str {
        strings.get(self.from as usize..self.until as usize).unwrap_or("")
    }
}

/// An element seen in its tree.
#[derive(Clone, Copy)]
pub struct Element<'t> {
    name: &'t LocalName,
    vocabulary: Vocabulary,
    attributes: &'t [Attribute],
    strings: &'t str,
}

impl<'t> Element<'t> {
    pub fn name(&self) -> &'t LocalName {
        self.name
    }

    pub fn vocabulary(&self) -> Vocabulary {
        self.vocabulary
    }

    /// The value of the attribute of that name (in lower case), whatever its namespace.
    pub fn attribute(&self, name: &str) -> Option<&'t str> {
        let found = self.attributes.iter().find(|attribute| &*attribute.name == name)?;
        Some(found.value.of(self.strings))
    }

    pub fn attributes(&self) -> impl Iterator<Item = (&'t LocalName, &'t str)> + use<'t> {
        let strings = self.strings;
        self.attributes.iter().map(move |attribute| (&attribute.name, attribute.value.of(strings)))
    }
}

/// One step of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Enter(NodeId),
    Leave(NodeId),
}

/// See [`Tree::walk`]. Needs no stack: a tree may be as deep as its limits allow.
pub struct Walk<'t> {
    tree: &'t Tree,
    top: NodeId,
    next: Option<Step>,
}

impl Iterator for Walk<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let step = self.next?;
        self.next = match step {
            Step::Enter(node) => match self.tree.first_child(node) {
                Some(child) => Some(Step::Enter(child)),
                None => Some(Step::Leave(node)),
            },
            Step::Leave(node) => match self.tree.next_sibling(node) {
                Some(sibling) => Some(Step::Enter(sibling)),
                None => self.tree.parent(node).filter(|parent| *parent != self.top).map(Step::Leave),
            },
        };
        Some(step)
    }
}

#[cfg(test)]
mod tests {
    use super::{NodeId, Step, Tree, TreeLimits, Vocabulary, local_name, parse};

    fn tree(html: &str) -> Tree {
        parse(html, &TreeLimits::default()).0
    }

    /// The tree as nested names, to compare whole trees.
    fn outline(tree: &Tree) -> String {
        let mut outline = String::new();
        for step in tree.walk(NodeId::ROOT) {
            match step {
                Step::Enter(node) => match (tree.element(node), tree.text(node)) {
                    (Some(element), _) => outline.push_str(&format!("{}(", element.name())),
                    (_, Some(text)) => outline.push_str(&format!("{text:?}")),
                    _ => {}
                },
                Step::Leave(node) if tree.element(node).is_some() => outline.push(')'),
                Step::Leave(_) => {}
            }
        }
        outline
    }

    #[test]
    fn a_tree_has_the_shape_a_browser_would_give_it() {
        for (html, expected) in [
            ("<p>one<p>two", r#"html(head()body(p("one")p("two")))"#),
            ("<b>1<p>2</b>3", r#"html(head()body(b("1")p(b("2")"3")))"#),
            ("<table>x<tr><td>y", r#"html(head()body("x"table(tbody(tr(td("y"))))))"#),
            (
                "<head><noscript><style>a</style></noscript><body><noscript><a>b</a></noscript>",
                r#"html(head(noscript(style("a")))body(noscript(a("b"))))"#,
            ),
            ("<template><a>x</a></template>", r#"html(head(template(a("x")))body())"#),
        ] {
            assert_eq!(outline(&tree(html)), expected, "{html}");
        }
    }

    #[test]
    fn text_that_arrives_in_pieces_is_one_node() {
        let long = "word &amp; ".repeat(40_000);
        let tree = tree(&format!("<p>{long}"));
        let p = tree.walk(NodeId::ROOT).find_map(|step| match step {
            Step::Enter(node) if tree.text(node).is_some() => Some(node),
            _ => None,
        });
        assert_eq!(tree.text(p.unwrap()), Some(long.replace("&amp;", "&").as_str()));
    }

    #[test]
    fn attributes_are_found_by_name() {
        let tree = tree("<a href='/x' DATA-y=1 href=second>z</a><svg><a xlink:href='/q'></svg>");
        let links: Vec<_> = tree.elements_named(&local_name!("a")).collect();
        assert_eq!(links[0].attribute("href"), Some("/x"));
        assert_eq!(links[0].attribute("data-y"), Some("1"));
        assert_eq!(links[0].attribute("title"), None);
        assert_eq!(links[0].attributes().count(), 2);
        assert_eq!((links[1].vocabulary(), links[1].attribute("href")), (Vocabulary::Svg, Some("/q")));
    }

    #[test]
    fn a_tree_can_go_to_another_thread() {
        let tree = tree("<p>x");
        assert!(std::thread::spawn(move || tree.len()).join().unwrap() > 3);
    }

    #[test]
    fn comments_are_kept_and_a_node_outside_the_tree_is_nothing() {
        let tree = tree("<!-- made by hand --><p>");
        let comment = tree.children(NodeId::ROOT).find_map(|node| tree.comment(node));
        assert_eq!(comment, Some(" made by hand "));
        assert_eq!(tree.element(NodeId(4_000_000)).map(|e| e.name().clone()), None);
    }
}
