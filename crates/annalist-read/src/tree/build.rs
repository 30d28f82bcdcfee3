//! Markup becomes a tree: html5ever reads, this is where it puts its nodes. What is kept from it because it
//! would cost too much is decided in `guard.rs`.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{
    Attribute as ParsedAttribute, ExpandedName, LocalName, Namespace, QualName, TokenizerResult,
};
use html5ever::{local_name, ns};

use super::guard::Guard;
use super::{Attribute, Content, NodeId, Stretch, Tree, TreeLimits, Vocabulary, giant};

/// What was left out of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Start tags nested deeper than the limit.
    Depth,
    /// Everything after the point where the tree had grown to its limit.
    Size,
    /// Everything after the point where misnested markup had cost more than its length allows.
    Work,
    /// Attributes beyond the first thousand of one tag.
    Attributes,
}

/// Markup goes to the tokenizer in pieces of this size, so that it can be stopped in between.
const PIECE: usize = 8 << 10;

/// A second `<html>` or `<body>` tag adds its attributes to the first; a thousand of them must not add a thousand.
const MOST_REPEATED_ATTRIBUTES: usize = 64;

/// Reads HTML the way a browser without scripts does. Never fails; says what it left out.
pub fn parse(html: &str, limits: &TreeLimits) -> (Tree, Option<Cut>) {
    let builder = TreeBuilder::new(
        Arena::new(html.len()),
        TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() },
    );
    let tokenizer = Tokenizer::new(Guard::new(builder, limits, html.len()), TokenizerOpts::default());
    let input = BufferQueue::default();
    let mut giants = None;
    'reading: for part in giant::without_giant_tags(html) {
        if part.follows_a_cut {
            giants = Some(Cut::Attributes);
        }
        for piece in pieces(part.text) {
            input.push_back(StrTendril::from_slice(piece));
            while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
            if tokenizer.sink.is_exhausted() {
                break 'reading;
            }
        }
    }
    tokenizer.end();
    let guard = tokenizer.sink;
    let cut = guard.cut().or(giants);
    (guard.into_arena().finish(), cut)
}

/// The text in pieces that end between characters.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let piece = annalist_model::link::shortened(rest, PIECE);
        rest = &rest[piece.len()..];
        (!piece.is_empty()).then_some(piece)
    })
}

/// What html5ever holds on to: it asks for names far more often than for anything else, so they travel along.
#[derive(Clone)]
pub(super) struct Handle {
    id: NodeId,
    namespace: Namespace,
    name: LocalName,
}

impl Handle {
    fn unnamed(id: NodeId) -> Handle {
        Handle { id, namespace: ns!(), name: local_name!("") }
    }

    pub(super) fn name(&self) -> &LocalName {
        &self.name
    }
}

/// The tree while it grows.
pub(super) struct Arena {
    tree: RefCell<Tree>,
    /// Names asked for, nodes compared, moved: what html5ever's searching costs.
    work: Cell<u64>,
    created: Cell<usize>,
    most_string_bytes: usize,
}

impl Arena {
    fn new(source_bytes: usize) -> Arena {
        Arena {
            tree: RefCell::new(Tree::new(source_bytes)),
            work: Cell::new(0),
            created: Cell::new(0),
            // Reopened formatting elements repeat their attributes: a long one must not fill the memory.
            most_string_bytes: source_bytes.saturating_mul(2).saturating_add(1 << 20).min(u32::MAX as usize),
        }
    }

    pub(super) fn work(&self) -> u64 {
        self.work.get()
    }

    /// How many elements were ever made.
    pub(super) fn created(&self) -> usize {
        self.created.get()
    }

    pub(super) fn nodes(&self) -> usize {
        self.tree.borrow().nodes.len()
    }

    fn worked(&self, steps: u64) {
        self.work.set(self.work.get().saturating_add(steps));
    }

    /// The child as a node, or nothing when its text could be added to the node `before`.
    fn node_for(tree: &mut Tree, child: NodeOrText<Handle>, before: NodeId, most: usize) -> Option<NodeId> {
        match child {
            NodeOrText::AppendNode(handle) => {
                tree.detach(handle.id);
                Some(handle.id)
            }
            NodeOrText::AppendText(text) => {
                let stretch = tree.keep(&text, most);
                if let Some(Content::Text(last)) = tree.nodes.get_mut(before.index()).map(|n| &mut n.content)
                    && last.until == stretch.from
                {
                    last.until = stretch.until;
                    return None;
                }
                Some(tree.add(Content::Text(stretch)))
            }
        }
    }
}

impl Tree {
    /// Copies a string into the buffer; an empty stretch when the buffer is full.
    fn keep(&mut self, text: &str, most: usize) -> Stretch {
        let from = self.strings.len() as u32;
        if self.strings.len().saturating_add(text.len()) <= most {
            self.strings.push_str(text);
        }
        Stretch { from, until: self.strings.len() as u32 }
    }

    fn keep_attributes(&mut self, attributes: &[ParsedAttribute], most: usize) -> (u32, u16) {
        let first = self.attributes.len() as u32;
        for attribute in attributes.iter().take(usize::from(u16::MAX)) {
            let value = self.keep(&attribute.value, most);
            self.attributes.push(Attribute { name: attribute.name.local.clone(), value });
        }
        (first, (self.attributes.len() as u32 - first) as u16)
    }

    fn detach(&mut self, id: NodeId) {
        let Some(node) = self.nodes.get_mut(id.index()) else { return };
        let (parent, prev, next) = (node.parent, node.prev_sibling, node.next_sibling);
        node.parent = NodeId::NONE;
        node.prev_sibling = NodeId::NONE;
        node.next_sibling = NodeId::NONE;
        match self.nodes.get_mut(prev.index()) {
            Some(prev) => prev.next_sibling = next,
            None => {
                if let Some(parent) = self.nodes.get_mut(parent.index()) {
                    parent.first_child = next;
                }
            }
        }
        match self.nodes.get_mut(next.index()) {
            Some(next) => next.prev_sibling = prev,
            None => {
                if let Some(parent) = self.nodes.get_mut(parent.index()) {
                    parent.last_child = prev;
                }
            }
        }
    }

    /// Puts a detached node between two neighbours, either of which may be missing.
    fn attach(&mut self, id: NodeId, parent: NodeId, prev: NodeId, next: NodeId) {
        if let Some(node) = self.nodes.get_mut(id.index()) {
            node.parent = parent;
            node.prev_sibling = prev;
            node.next_sibling = next;
        }
        match self.nodes.get_mut(prev.index()) {
            Some(prev) => prev.next_sibling = id,
            None => {
                if let Some(parent) = self.nodes.get_mut(parent.index()) {
                    parent.first_child = id;
                }
            }
        }
        match self.nodes.get_mut(next.index()) {
            Some(next) => next.prev_sibling = id,
            None => {
                if let Some(parent) = self.nodes.get_mut(parent.index()) {
                    parent.last_child = id;
                }
            }
        }
    }

    fn last_child_or_none(&self, id: NodeId) -> NodeId {
        self.node(id).map_or(NodeId::NONE, |node| node.last_child)
    }
}

impl TreeSink for Arena {
    type Handle = Handle;
    type Output = Tree;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Tree {
        self.tree.into_inner()
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        Handle::unnamed(NodeId::ROOT)
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        self.worked(1);
        ExpandedName { ns: &target.namespace, local: &target.name }
    }

    fn create_element(&self, name: QualName, attrs: Vec<ParsedAttribute>, _flags: ElementFlags) -> Handle {
        let mut tree = self.tree.borrow_mut();
        let (first, count) = tree.keep_attributes(&attrs, self.most_string_bytes);
        let vocabulary = match name.ns {
            ns!(html) => Vocabulary::Html,
            ns!(svg) => Vocabulary::Svg,
            _ => Vocabulary::Other,
        };
        let id = tree.add(Content::Element { name: name.local.clone(), vocabulary, first, count });
        self.created.set(self.created.get() + 1);
        Handle { id, namespace: name.ns, name: name.local }
    }

    fn create_comment(&self, text: StrTendril) -> Handle {
        let mut tree = self.tree.borrow_mut();
        let stretch = tree.keep(&text, self.most_string_bytes);
        Handle::unnamed(tree.add(Content::Comment(stretch)))
    }

    fn create_pi(&self, _target: StrTendril, data: StrTendril) -> Handle {
        self.create_comment(data)
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        let mut tree = self.tree.borrow_mut();
        let last = tree.last_child_or_none(parent.id);
        if let Some(id) = Arena::node_for(&mut tree, child, last, self.most_string_bytes) {
            // Read again: the child may have been the last one itself.
            let last = tree.last_child_or_none(parent.id);
            tree.attach(id, parent.id, last, NodeId::NONE);
        }
    }

    fn append_based_on_parent_node(&self, element: &Handle, before: &Handle, child: NodeOrText<Handle>) {
        let has_parent = self.tree.borrow().parent(element.id).is_some();
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(before, child);
        }
    }

    fn append_doctype_to_document(&self, _name: StrTendril, _public: StrTendril, _system: StrTendril) {}

    fn get_template_contents(&self, target: &Handle) -> Handle {
        // A template's contents are its children here: nobody runs them.
        target.clone()
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        self.worked(1);
        x.id == y.id
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        let mut tree = self.tree.borrow_mut();
        let before = tree.previous_sibling(sibling.id).unwrap_or(NodeId::NONE);
        if let Some(id) = Arena::node_for(&mut tree, child, before, self.most_string_bytes)
            && let Some(parent) = tree.parent(sibling.id)
        {
            let before = tree.previous_sibling(sibling.id).unwrap_or(NodeId::NONE);
            tree.attach(id, parent, before, sibling.id);
        }
    }

    fn add_attrs_if_missing(&self, target: &Handle, attrs: Vec<ParsedAttribute>) {
        let mut tree = self.tree.borrow_mut();
        let Some(Content::Element { first, count, .. }) = tree.node(target.id).map(|n| n.content.clone())
        else {
            return;
        };
        if usize::from(count) >= MOST_REPEATED_ATTRIBUTES {
            return;
        }
        let known = first as usize..first as usize + usize::from(count);
        let mut all = tree.attributes.get(known).unwrap_or(&[]).to_vec();
        for attribute in attrs {
            if all.len() < MOST_REPEATED_ATTRIBUTES
                && !all.iter().any(|known| known.name == attribute.name.local)
            {
                let value = tree.keep(&attribute.value, self.most_string_bytes);
                all.push(Attribute { name: attribute.name.local, value });
            }
        }
        if all.len() == usize::from(count) {
            return;
        }
        let (new_first, new_count) = (tree.attributes.len() as u32, all.len() as u16);
        tree.attributes.extend(all);
        if let Some(Content::Element { first, count, .. }) =
            tree.nodes.get_mut(target.id.index()).map(|node| &mut node.content)
        {
            (*first, *count) = (new_first, new_count);
        }
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.tree.borrow_mut().detach(target.id);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        let mut tree = self.tree.borrow_mut();
        while let Some(child) = tree.first_child(node.id) {
            tree.detach(child);
            let last = tree.last_child_or_none(new_parent.id);
            tree.attach(child, new_parent.id, last, NodeId::NONE);
            self.worked(4);
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &Handle) -> bool {
        let tree = self.tree.borrow();
        let encoding = tree.element(handle.id).and_then(|element| element.attribute("encoding"));
        encoding.is_some_and(|e| {
            e.eq_ignore_ascii_case("text/html") || e.eq_ignore_ascii_case("application/xhtml+xml")
        })
    }
}
