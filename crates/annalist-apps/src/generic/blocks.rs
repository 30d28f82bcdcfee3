//! A page as blocks of text: what stands between two breaks, how much of it is link, and in which regions it lies.
//! Which of them are the matter is decided in `body.rs`.

use std::ops::Range;

use annalist_read::text::{self, Break, VisibleText};
use annalist_read::tree::{LocalName, NodeId, Step, Tree, local_name};

use super::names::{self, Says};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Paragraph,
    Heading,
    Item,
    Cell,
    /// Text of any other element.
    Loose,
}

#[derive(Clone, Debug)]
pub(super) struct Block {
    /// The element whose text it is.
    pub(super) node: NodeId,
    pub(super) kind: Kind,
    /// Its place in the text of the page.
    pub(super) at: Range<usize>,
    pub(super) words: u32,
    pub(super) linked: u32,
    /// The innermost region around it that is not the matter, if any.
    pub(super) shade: Option<usize>,
}

/// A region that says it is not the matter.
#[derive(Clone, Debug)]
struct Shade {
    says: Says,
    outer: Option<usize>,
    /// Of running text in it, inner regions included.
    words: u32,
    /// Not an element made for it: names of classes mislead.
    is_by_name: bool,
    /// It is one for comments, or lies in one.
    is_answer: bool,
    /// It is not the matter, or lies in what is not, after all of it was seen.
    is_dark: bool,
}

#[derive(Debug, Default)]
pub(super) struct Blocks {
    pub(super) text: String,
    pub(super) blocks: Vec<Block>,
    shades: Vec<Shade>,
    /// Elements that say they are the matter, or its body.
    pub(super) named: Vec<(NodeId, Says)>,
}

impl Blocks {
    pub(super) fn of(tree: &Tree) -> Blocks {
        let mut walker = Walker {
            tree,
            text: VisibleText::with_capacity(tree.len() * 8),
            found: Blocks::default(),
            hidden: None,
            link: None,
            shades: Vec::new(),
            open: Vec::new(),
            begin: None,
            linked: 0,
        };
        for step in tree.walk(NodeId::ROOT) {
            match step {
                Step::Enter(node) => walker.enter(node),
                Step::Leave(node) => walker.leave(node),
            }
        }
        walker.flush();
        let Walker { text, mut found, .. } = walker;
        found.text = text.into_string();
        found.lift();
        found
    }

    pub(super) fn text(&self, block: &Block) -> &str {
        self.text.get(block.at.clone()).unwrap_or("").trim()
    }

    /// Whether it lies in a region that is not the matter.
    pub(super) fn is_shaded(&self, block: &Block) -> bool {
        block.shade.and_then(|at| self.shades.get(at)).is_some_and(|shade| shade.is_dark)
    }

    /// A region with more than half of all running text is misnamed: `<form>` around a page, `class="sidebar-left"` on
    /// the body of a page that has one. So are regions that together leave next to nothing.
    fn lift(&mut self) {
        let (mut all, mut open) = (0, 0);
        for block in self.blocks.iter().filter(|block| block.is_running()) {
            match block.shade.and_then(|at| self.shades.get_mut(at)) {
                Some(shade) => {
                    shade.words += block.words;
                    all += if shade.is_answer { 0 } else { block.words };
                }
                None => {
                    open += block.words;
                    all += block.words;
                }
            }
        }
        // Regions come after those around them.
        for at in (0..self.shades.len()).rev() {
            let inner = self.shades.get(at).map(|shade| (shade.words, shade.outer));
            if let Some((words, Some(outer))) = inner
                && let Some(outer) = self.shades.get_mut(outer)
            {
                outer.words += words;
            }
        }
        let leaves_little = open * 4 < all;
        for at in 0..self.shades.len() {
            let is_around_dark = self
                .shades
                .get(at)
                .and_then(|shade| self.shades.get(shade.outer?))
                .is_some_and(|outer| outer.is_dark);
            let Some(shade) = self.shades.get_mut(at) else { continue };
            let is_large = shade.words * 2 > all;
            let is_lifted = is_large || (leaves_little && shade.is_by_name && shade.words * 12 > all);
            shade.is_dark = is_around_dark || shade.says == Says::Comments || !is_lifted;
        }
    }

    /// Nothing is known of any region: what is left when regions leave no text at all.
    pub(super) fn lift_all(&mut self) {
        for shade in &mut self.shades {
            shade.is_dark = false;
        }
    }
}

impl Block {
    /// Sentences rather than labels.
    pub(super) fn is_running(&self) -> bool {
        self.kind != Kind::Heading && self.words >= 10 && self.linked * 2 < self.words
    }
}

struct Walker<'t> {
    tree: &'t Tree,
    text: VisibleText,
    found: Blocks,
    hidden: Option<NodeId>,
    link: Option<NodeId>,
    /// Open regions that are not the matter.
    shades: Vec<(NodeId, usize)>,
    /// Open elements that make blocks.
    open: Vec<(NodeId, Kind)>,
    /// Where the present block began, once it has text.
    begin: Option<usize>,
    linked: u32,
}

impl Walker<'_> {
    fn enter(&mut self, node: NodeId) {
        if self.hidden.is_some() {
            return;
        }
        if let Some(words) = self.tree.text(node) {
            if self.begin.is_none() && words.bytes().any(|byte| !byte.is_ascii_whitespace()) {
                self.begin = Some(self.text.len());
            }
            if self.link.is_some() {
                self.linked += count(words);
            }
            self.text.push(words);
            return;
        }
        let Some(element) = self.tree.element(node) else { return };
        if text::is_hidden(&element) {
            self.hidden = Some(node);
            return;
        }
        let name = element.name();
        if *name == local_name!("br") {
            self.text.end_block();
            return;
        }
        if *name == local_name!("a") && self.link.is_none() && element.attribute("href").is_some() {
            self.link = Some(node);
        }
        let is_block = is_block(text::breaks(&element), name);
        if is_block {
            self.flush();
            self.text.end_block();
            self.open.push((node, kind(name, self.open.last().map(|(_, kind)| *kind))));
        }
        match names::says(&element) {
            Says::Nothing => {}
            says @ (Says::Body | Says::Matter) => self.found.named.push((node, says)),
            // A word in a sentence is no region.
            says if is_block || *name == local_name!("span") && self.begin.is_none() => {
                let outer = self.shades.last().map(|(_, at)| *at);
                self.shades.push((node, self.found.shades.len()));
                let is_by_name = !names::is_beside(name);
                let around = outer.and_then(|at| self.found.shades.get(at));
                let is_answer = says == Says::Comments || around.is_some_and(|around| around.is_answer);
                self.found.shades.push(Shade { says, outer, words: 0, is_by_name, is_answer, is_dark: true });
            }
            _ => {}
        }
    }

    fn leave(&mut self, node: NodeId) {
        if self.hidden == Some(node) {
            self.hidden = None;
            return;
        }
        if self.hidden.is_some() {
            return;
        }
        if self.link == Some(node) {
            self.link = None;
        }
        if self.open.last().is_some_and(|(open, _)| *open == node) {
            self.flush();
            self.text.end_block();
            self.open.pop();
        }
        if self.shades.last().is_some_and(|(open, _)| *open == node) {
            self.flush();
            self.shades.pop();
        }
    }

    /// The block so far is complete.
    fn flush(&mut self) {
        let linked = std::mem::take(&mut self.linked);
        let Some(begin) = self.begin.take() else { return };
        let at = begin..self.text.len();
        let words = count(self.text.as_str().get(at.clone()).unwrap_or(""));
        let (node, kind) = self.open.last().copied().unwrap_or((NodeId::ROOT, Kind::Loose));
        let shade = self.shades.last().map(|(_, at)| *at);
        self.found.blocks.push(Block { node, kind, at, words, linked: linked.min(words), shade });
    }
}

fn is_block(breaks: Break, name: &LocalName) -> bool {
    match breaks {
        Break::Block => true,
        Break::Cell => *name != local_name!("img"),
        Break::Inline => false,
    }
}

fn kind(name: &LocalName, outer: Option<Kind>) -> Kind {
    match *name {
        local_name!("p") | local_name!("pre") | local_name!("blockquote") => match outer {
            // A paragraph in an item or a cell is still that.
            Some(kind @ (Kind::Item | Kind::Cell)) => kind,
            _ => Kind::Paragraph,
        },
        local_name!("h1")
        | local_name!("h2")
        | local_name!("h3")
        | local_name!("h4")
        | local_name!("h5")
        | local_name!("h6") => Kind::Heading,
        local_name!("li") | local_name!("dd") | local_name!("dt") => Kind::Item,
        local_name!("td") | local_name!("th") => Kind::Cell,
        _ => Kind::Loose,
    }
}

/// Words; in scripts without spaces every other character counts as one.
pub(super) fn count(text: &str) -> u32 {
    let mut words = 0;
    let mut dense = 0;
    let mut in_word = false;
    for c in text.chars() {
        if c.is_ascii() {
            let is_word = c.is_ascii_alphanumeric() || (in_word && matches!(c, '\'' | '-'));
            words += u32::from(is_word && !in_word);
            in_word = is_word;
        } else if matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}')
        {
            dense += 1;
            in_word = false;
        } else {
            let is_word = c.is_alphanumeric() || (in_word && c == '’');
            words += u32::from(is_word && !in_word);
            in_word = is_word;
        }
    }
    words + dense / 2
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn words_are_counted_in_any_script() {
        for (text, words) in
            [("", 0), ("don't stop", 2), (" – a b-c. ", 2), ("für Ärzte", 2), ("東京都庁", 2)]
        {
            assert_eq!(count(text), words, "{text}");
        }
    }
}
