//! Visible text as it is gathered: whitespace collapsed, one line a block. Which elements are visible and which
//! are blocks is said here; the walk that finds links on the way is in `html.rs`.

use crate::tree::{Element, LocalName, NodeId, Step, Tree, Vocabulary, local_name};

/// Text under construction.
#[derive(Debug, Default)]
pub struct VisibleText {
    text: String,
    gap: Gap,
}

/// What stands between the text so far and the next word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    None,
    Space,
    Line,
}

impl VisibleText {
    pub fn with_capacity(bytes: usize) -> VisibleText {
        VisibleText { text: String::with_capacity(bytes), gap: Gap::None }
    }

    pub fn push(&mut self, text: &str) {
        let mut rest = text;
        loop {
            let words = rest.trim_ascii_start();
            if words.len() < rest.len() {
                self.gap = self.gap.max(Gap::Space);
            }
            if words.is_empty() {
                return;
            }
            let end = tidy_length(words.as_bytes());
            self.fill_gap();
            self.text.push_str(&words[..end]);
            rest = &words[end..];
        }
    }

    fn break_for(&mut self, element: &Element<'_>) {
        match breaks(element) {
            Break::Block => self.end_block(),
            Break::Cell => self.end_cell(),
            Break::Inline => {}
        }
    }

    /// The next word begins a new line.
    pub fn end_block(&mut self) {
        self.gap = Gap::Line;
    }

    pub fn end_cell(&mut self) {
        self.gap = self.gap.max(Gap::Space);
    }

    fn fill_gap(&mut self) {
        let gap = std::mem::take(&mut self.gap);
        if !self.text.is_empty() {
            match gap {
                Gap::None => {}
                Gap::Space => self.text.push(' '),
                Gap::Line => self.text.push('\n'),
            }
        }
    }

    pub fn len(&self) -> usize {
        self.text.len()
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub fn into_string(self) -> String {
        self.text
    }
}

/// How far words go on with one space between them: what can be taken over as it is.
fn tidy_length(words: &[u8]) -> usize {
    // Most text is tidy: whole stretches of it are looked at without a branch for each byte.
    const AT_ONCE: usize = 32;
    let is_tidy = |pair: (&u8, &u8)| *pair.0 >= b' ' && !(*pair.0 == b' ' && *pair.1 == b' ');
    let stretches = words.chunks_exact(AT_ONCE).zip(words.get(1..).unwrap_or_default().chunks_exact(AT_ONCE));
    let tidy = stretches
        .take_while(|(one, next)| one.iter().zip(*next).fold(true, |tidy, pair| tidy & is_tidy(pair)))
        .count()
        * AT_ONCE;
    let mut last_was_space = words.get(..tidy).is_some_and(|before| before.last() == Some(&b' '));
    for (at, byte) in words.iter().enumerate().skip(tidy) {
        if !byte.is_ascii_whitespace() {
            last_was_space = false;
        } else if *byte == b' ' && !last_was_space {
            last_was_space = true;
        } else {
            return at - usize::from(last_was_space);
        }
    }
    words.len() - usize::from(last_was_space)
}

/// The visible text of a node with all below it, one line a block; `left_out` says what does not belong to it.
pub fn plain(tree: &Tree, top: NodeId, left_out: &dyn Fn(NodeId) -> bool) -> String {
    gathered(tree, top, usize::MAX, left_out)
}

fn gathered(tree: &Tree, top: NodeId, most_nodes: usize, left_out: &dyn Fn(NodeId) -> bool) -> String {
    let mut text = VisibleText::default();
    if let Some(own) = tree.text(top) {
        text.push(own);
    }
    // The element whose content nobody sees, until it is left again.
    let mut unseen: Option<NodeId> = None;
    // Each is entered and left.
    for step in tree.walk(top).take(most_nodes.saturating_mul(2)) {
        match step {
            Step::Enter(_) if unseen.is_some() => {}
            Step::Enter(node) => match (tree.element(node), tree.text(node)) {
                (Some(element), _) if is_hidden(&element) => unseen = Some(node),
                (Some(element), _) if left_out(node) => {
                    // The words around it do not become one.
                    text.break_for(&element);
                    unseen = Some(node);
                }
                (Some(element), _) => text.break_for(&element),
                (_, Some(words)) => text.push(words),
                _ => {}
            },
            Step::Leave(node) if unseen == Some(node) => unseen = None,
            Step::Leave(node) => {
                if let Some(element) = tree.element(node).filter(|_| unseen.is_none()) {
                    text.break_for(&element);
                }
            }
        }
    }
    text.into_string()
}

/// Whitespace collapsed, on one line.
pub fn collapsed(text: &str) -> String {
    let mut collapsed = VisibleText::default();
    collapsed.push(text);
    collapsed.into_string()
}

/// The visible text of a node and what is in it: a line for each block. The node itself may be hidden.
pub fn plain_text(tree: &Tree, top: NodeId) -> String {
    plain(tree, top, &|_| false)
}

/// The same for a line: no more than so many nodes are looked at. Pages nest lines in lines without measure.
pub fn beginning(tree: &Tree, top: NodeId, most_nodes: usize) -> String {
    gathered(tree, top, most_nodes, &|_| false)
}

/// Elements whose text nobody sees.
pub fn is_hidden(element: &Element<'_>) -> bool {
    let never_shown = matches!(
        *element.name(),
        local_name!("script")
            | local_name!("style")
            | local_name!("noscript")
            | local_name!("template")
            | local_name!("head")
            | local_name!("iframe")
            | local_name!("noframes")
            | local_name!("noembed")
            | local_name!("svg")
            | local_name!("datalist")
            | local_name!("textarea")
    );
    never_shown
        || element.attributes().any(|(name, value)| match *name {
            local_name!("hidden") => true,
            local_name!("style") => hides(value),
            _ => false,
        })
}

fn hides(style: &str) -> bool {
    let mut words = style.split(';').filter_map(|rule| rule.split_once(':'));
    words.any(|(name, value)| {
        name.trim().eq_ignore_ascii_case("display")
            && value.trim().get(..4).is_some_and(|start| start.eq_ignore_ascii_case("none"))
    })
}

/// How an element breaks the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Break {
    Inline,
    Cell,
    Block,
}

pub fn breaks(element: &Element<'_>) -> Break {
    if element.vocabulary() != Vocabulary::Html {
        return Break::Inline;
    }
    match *element.name() {
        local_name!("td") | local_name!("th") | local_name!("option") | local_name!("img") => Break::Cell,
        ref name if is_block(name) => Break::Block,
        _ => Break::Inline,
    }
}

fn is_block(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("address")
            | local_name!("article")
            | local_name!("aside")
            | local_name!("blockquote")
            | local_name!("body")
            | local_name!("br")
            | local_name!("button")
            | local_name!("caption")
            | local_name!("center")
            | local_name!("dd")
            | local_name!("details")
            | local_name!("dialog")
            | local_name!("dir")
            | local_name!("div")
            | local_name!("dl")
            | local_name!("dt")
            | local_name!("fieldset")
            | local_name!("figcaption")
            | local_name!("figure")
            | local_name!("footer")
            | local_name!("form")
            | local_name!("frameset")
            | local_name!("h1")
            | local_name!("h2")
            | local_name!("h3")
            | local_name!("h4")
            | local_name!("h5")
            | local_name!("h6")
            | local_name!("header")
            | local_name!("hr")
            | local_name!("legend")
            | local_name!("li")
            | local_name!("main")
            | local_name!("menu")
            | local_name!("nav")
            | local_name!("ol")
            | local_name!("p")
            | local_name!("pre")
            | local_name!("section")
            | local_name!("select")
            | local_name!("summary")
            | local_name!("table")
            | local_name!("tbody")
            | local_name!("tfoot")
            | local_name!("thead")
            | local_name!("title")
            | local_name!("tr")
            | local_name!("ul")
    )
}

#[cfg(test)]
mod tests {
    use super::{VisibleText, beginning, hides, plain_text};
    use crate::tree::{NodeId, Step, TreeLimits, parse};

    #[test]
    fn whitespace_collapses_and_blocks_are_lines() {
        let mut text = VisibleText::default();
        text.end_block();
        for piece in ["  one\n\t two", "three ", " four"] {
            text.push(piece);
        }
        text.end_block();
        text.push(" ");
        text.end_block();
        text.push("five");
        assert_eq!(text.as_str(), "one twothree four\nfive");
        for (written, collapsed) in
            [("a b", "a b"), ("a  b ", "a b"), (" a\n b", "a b"), ("a \t", "a"), ("é ö", "é ö")]
        {
            assert_eq!(super::collapsed(written), collapsed, "{written:?}");
        }
    }

    #[test]
    fn white_space_collapses_wherever_it_stands_in_a_long_text() {
        let words = |gap: &str, at: usize| format!("{}{gap}{}", "a".repeat(at), "b c ".repeat(30));
        for at in 1..100 {
            let expected = words(" ", at);
            for gap in [" ", "  ", "\n", "\t ", " \u{c}", "   "] {
                assert_eq!(super::collapsed(&words(gap, at)), expected.trim_end(), "{gap:?} at {at}");
            }
        }
    }

    #[test]
    fn the_text_of_a_subtree_leaves_out_what_is_hidden() {
        let html =
            "<div id=a><p>one <b>two</b><script>no</script><p>three<span hidden>no</span><br>four</div><p>no";
        let (tree, _) = parse(html, &TreeLimits::default());
        let top = tree.walk(NodeId::ROOT).find_map(|step| match step {
            Step::Enter(node) => tree.element(node)?.attribute("id").map(|_| node),
            Step::Leave(_) => None,
        });
        assert_eq!(plain_text(&tree, top.unwrap()), "one two\nthree\nfour");
        assert_eq!(beginning(&tree, top.unwrap(), 4), "one two");
    }

    #[test]
    fn a_style_can_hide() {
        for (style, expected) in [
            ("display:none", true),
            ("color: red; DISPLAY : None !important", true),
            ("display:block", false),
            ("x-display:none", false),
            ("display:é", false),
        ] {
            assert_eq!(hides(style), expected, "{style}");
        }
    }
}
