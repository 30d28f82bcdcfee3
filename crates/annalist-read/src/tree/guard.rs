//! Keeps html5ever from markup that would cost it more than its length: it searches its open elements for
//! nearly every tag, so their number must stay small. Stands between the tokenizer and the tree builder.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::hash::{BuildHasher, Hash, Hasher};

use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{Tracer, TreeBuilder};
use html5ever::{LocalName, local_name};

use super::TreeLimits;
use super::build::{Arena, Cut, Handle};

/// Comparing two formatting tags copies and sorts their attributes.
const WORK_PER_FORMATTING_PAIR: u64 = 20;
/// So many open formatting elements cost nothing worth counting; they are counted anew after as many more.
const FREE_FORMATTING: usize = 32;
/// So many different formatting tags are told apart.
const MOST_KINDS: usize = 1_000;
/// Elements that leave a marker in html5ever's list of formatting elements, which only some end tags clear.
const MOST_MARKERS: u32 = 1_000;
/// How far back an end tag looks for the start tag that was left out.
const LOOK_BACK: usize = 16;

pub(super) struct Guard {
    builder: TreeBuilder<Handle, Arena>,
    limits: TreeLimits,
    most_work: u64,
    extra_work: Cell<u64>,
    /// Open and formatting elements when they were last counted.
    counted: Cell<Open>,
    created_when_counted: Cell<usize>,
    formatting_since: Cell<usize>,
    /// Hashes of the different formatting tags so far: html5ever keeps three of each at most.
    formatting_tags: RefCell<HashSet<u64>>,
    /// An end tag went through since: there may be fewer now.
    shrunk: Cell<bool>,
    markers: Cell<u32>,
    /// Start tags left out whose end tags must not close anything else.
    left_out: RefCell<Vec<LocalName>>,
    cut: Cell<Option<Cut>>,
    exhausted: Cell<bool>,
}

#[derive(Clone, Copy, Default)]
struct Open {
    all: usize,
    formatting: usize,
}

impl Guard {
    pub(super) fn new(
        builder: TreeBuilder<Handle, Arena>,
        limits: &TreeLimits,
        source_bytes: usize,
    ) -> Guard {
        Guard {
            builder,
            limits: *limits,
            most_work: limits.work.saturating_add(limits.work_per_byte.saturating_mul(source_bytes as u64)),
            extra_work: Cell::new(0),
            counted: Cell::default(),
            created_when_counted: Cell::new(0),
            formatting_since: Cell::new(0),
            formatting_tags: RefCell::default(),
            shrunk: Cell::new(false),
            markers: Cell::new(0),
            left_out: RefCell::default(),
            cut: Cell::new(None),
            exhausted: Cell::new(false),
        }
    }

    /// Nothing more will go into the tree.
    pub(super) fn is_exhausted(&self) -> bool {
        self.exhausted.get()
    }

    pub(super) fn cut(&self) -> Option<Cut> {
        self.cut.get()
    }

    pub(super) fn into_arena(self) -> Arena {
        self.builder.sink
    }

    fn count(&self) {
        let tally = Tally::default();
        self.builder.trace_handles(&tally);
        self.counted.set(tally.0.get());
        self.created_when_counted.set(self.builder.sink.created());
        self.formatting_since.set(0);
        self.shrunk.set(false);
    }

    /// Whether one more element may be opened. Every open element was created once, so the last count and the
    /// elements created since are a bound that is cheap to keep; only when it is reached are they counted.
    fn has_room(&self) -> bool {
        let bound = || {
            let created = self.builder.sink.created().saturating_sub(self.created_when_counted.get());
            self.counted.get().all.saturating_add(created)
        };
        if bound() < self.limits.depth {
            return true;
        }
        if self.shrunk.get() || self.builder.sink.created() != self.created_when_counted.get() {
            self.count();
        }
        bound() < self.limits.depth
    }

    fn admits(&self, tag: &Tag) -> bool {
        if is_formatting(&tag.name) {
            self.charge_formatting(tag);
        }
        if leaves_marker(&tag.name) {
            self.markers.set(self.markers.get().saturating_add(1));
            if self.markers.get() > MOST_MARKERS {
                return false;
            }
        }
        has_no_children(&tag.name) || self.has_room()
    }

    /// A formatting tag is compared with every formatting element of its name that may have to be reopened.
    fn charge_formatting(&self, tag: &Tag) {
        self.formatting_since.set(self.formatting_since.get() + 1);
        if self.formatting_since.get() > FREE_FORMATTING {
            self.count();
        }
        let mut kinds = self.formatting_tags.borrow_mut();
        // There is never more than one link to reopen.
        if tag.name != local_name!("a") && kinds.len() < MOST_KINDS {
            let mut hasher = kinds.hasher().build_hasher();
            tag.name.hash(&mut hasher);
            for attribute in &tag.attrs {
                attribute.name.local.hash(&mut hasher);
                attribute.value.hash(&mut hasher);
            }
            kinds.insert(hasher.finish());
        }
        let to_reopen = self.counted.get().formatting.min(3 * kinds.len() + 1);
        let pairs = to_reopen.saturating_sub(FREE_FORMATTING) as u64;
        self.extra_work.set(self.extra_work.get().saturating_add(pairs * WORK_PER_FORMATTING_PAIR));
    }

    /// Whether this end tag belongs to a start tag that was left out.
    fn closes_left_out(&self, name: &LocalName) -> bool {
        let mut left_out = self.left_out.borrow_mut();
        let recent = left_out.len().saturating_sub(LOOK_BACK);
        match left_out[recent..].iter().rposition(|open| open == name) {
            Some(place) => {
                left_out.truncate(recent + place);
                true
            }
            None => {
                // It closes something further out, and with it whatever was left out inside.
                left_out.clear();
                false
            }
        }
    }

    fn check_limits(&self) {
        let arena = &self.builder.sink;
        let work = arena.work().saturating_add(self.extra_work.get());
        let cut = if arena.nodes() >= self.limits.nodes {
            Cut::Size
        } else if work > self.most_work {
            Cut::Work
        } else {
            return;
        };
        self.cut.set(Some(cut));
        self.exhausted.set(true);
    }
}

impl TokenSink for Guard {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        if self.exhausted.get() {
            return TokenSinkResult::Continue;
        }
        if let Token::TagToken(tag) = &token {
            match tag.kind {
                TagKind::StartTag if !self.admits(tag) => {
                    self.left_out.borrow_mut().push(tag.name.clone());
                    self.cut.set(Some(Cut::Depth));
                    return TokenSinkResult::Continue;
                }
                TagKind::StartTag => {}
                TagKind::EndTag if self.closes_left_out(&tag.name) => return TokenSinkResult::Continue,
                TagKind::EndTag => self.shrunk.set(true),
            }
            self.check_limits();
        }
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Counts the elements html5ever holds: the open ones, and the formatting ones it would open again.
#[derive(Default)]
struct Tally(Cell<Open>);

impl Tracer for Tally {
    type Handle = Handle;

    fn trace_handle(&self, node: &Handle) {
        let mut open = self.0.get();
        open.all += 1;
        open.formatting += usize::from(is_formatting(node.name()));
        self.0.set(open);
    }
}

fn is_formatting(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("a")
            | local_name!("b")
            | local_name!("big")
            | local_name!("code")
            | local_name!("em")
            | local_name!("font")
            | local_name!("i")
            | local_name!("nobr")
            | local_name!("s")
            | local_name!("small")
            | local_name!("strike")
            | local_name!("strong")
            | local_name!("tt")
            | local_name!("u")
    )
}

fn leaves_marker(name: &LocalName) -> bool {
    matches!(*name, local_name!("applet") | local_name!("marquee") | local_name!("object"))
}

/// Elements that are closed at once, or hold text only: they make no nesting. Leaving out a `script` would
/// turn its text into markup.
fn has_no_children(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("area")
            | local_name!("base")
            | local_name!("br")
            | local_name!("col")
            | local_name!("embed")
            | local_name!("frame")
            | local_name!("hr")
            | local_name!("iframe")
            | local_name!("img")
            | local_name!("input")
            | local_name!("link")
            | local_name!("meta")
            | local_name!("noembed")
            | local_name!("noframes")
            | local_name!("param")
            | local_name!("script")
            | local_name!("source")
            | local_name!("style")
            | local_name!("textarea")
            | local_name!("title")
            | local_name!("track")
            | local_name!("wbr")
            | local_name!("xmp")
    )
}

#[cfg(test)]
mod tests {
    use crate::tree::{Cut, NodeId, Step, Tree, TreeLimits, local_name, parse};

    fn deepest(tree: &Tree) -> usize {
        let (mut depth, mut deepest) = (0_usize, 0);
        for step in tree.walk(NodeId::ROOT) {
            match step {
                Step::Enter(_) => depth += 1,
                Step::Leave(_) => depth -= 1,
            }
            deepest = deepest.max(depth);
        }
        deepest
    }

    #[test]
    fn nesting_ends_at_the_limit_and_the_page_goes_on_after_it() {
        let html = format!("{}<img src=deep>{}<p><i>after</i>", "<div>".repeat(2000), "</div>".repeat(2000));
        let (tree, cut) = parse(&html, &TreeLimits::default());
        assert_eq!(cut, Some(Cut::Depth));
        assert!(deepest(&tree) <= 513, "{}", deepest(&tree));
        assert_eq!(tree.elements_named(&local_name!("img")).count(), 1);
        assert_eq!(tree.elements_named(&local_name!("i")).count(), 1);
    }

    #[test]
    fn a_script_beyond_the_limit_is_still_no_markup() {
        let html = format!("{}<script>'<img src=no>'</script>", "<div>".repeat(600));
        let (tree, _) = parse(&html, &TreeLimits::default());
        assert_eq!(tree.elements_named(&local_name!("img")).count(), 0);
        assert_eq!(tree.elements_named(&local_name!("script")).count(), 1);
    }

    #[test]
    fn reopened_formatting_stops_at_the_limit_of_nodes() {
        let formatting: String = (0..200).map(|n| format!("<b id={n}>")).collect();
        let html = format!("<p>{formatting}{}", "<p>x".repeat(50_000));
        let (tree, cut) = parse(&html, &TreeLimits { nodes: 20_000, ..TreeLimits::default() });
        assert!(matches!(cut, Some(Cut::Size | Cut::Work)), "{cut:?}");
        assert!(tree.len() < 22_000, "{}", tree.len());
    }

    #[test]
    fn ordinary_markup_is_whole() {
        let row = "<tr><td><a href=x><b>cell</b></a></td><td><ul><li>one<li>two</ul></td></tr>";
        let html = format!("<table>{}</table>", row.repeat(5000));
        let (tree, cut) = parse(&html, &TreeLimits::default());
        assert_eq!(cut, None);
        assert_eq!(tree.elements_named(&local_name!("li")).count(), 10_000);
    }
}
