//! The main text of a page: the element where running text outweighs links and labels, and what of it is worth keeping.
//! How a page is cut into blocks is in `blocks.rs`; what regions are called in `names.rs`.

use std::collections::HashSet;

use annalist_read::tree::{NodeId, Step, Tree, local_name};

use super::blocks::{Block, Blocks, Kind};
use super::names::Says;
use super::phrases;

/// Where a word may be broken; no part of it.
const SOFT_HYPHEN: char = '\u{ad}';

/// What is in a node, and in all nodes below it.
#[derive(Clone, Copy, Debug, Default)]
struct Weight {
    /// Running text counts for it, links and labels against it.
    score: f32,
    words: u32,
    linked: u32,
}

/// The main part of a page.
pub(super) struct Matter {
    pub(super) node: NodeId,
    weights: Vec<Weight>,
    /// Whether the node is in the main part, by index.
    inside: Vec<bool>,
}

impl Matter {
    /// The element that holds the main text, if there is any running text.
    pub(super) fn find(tree: &Tree, blocks: &Blocks) -> Option<Matter> {
        let mut weights = vec![Weight::default(); tree.len()];
        for block in &blocks.blocks {
            if let Some(weight) = weights.get_mut(block.node.index())
                && !blocks.is_shaded(block)
            {
                weight.score += value(block);
                weight.words += block.words;
                weight.linked += block.linked;
            }
        }
        let mut best: Option<(f32, NodeId)> = None;
        for step in tree.walk(NodeId::ROOT) {
            let Step::Leave(node) = step else { continue };
            let Some(weight) = weights.get(node.index()).copied() else { continue };
            // Children are left before their parents: of equals the innermost stays.
            if weight.score > best.map_or(0.0, |(score, _)| score) && tree.element(node).is_some() {
                best = Some((weight.score, node));
            }
            if let Some(outer) = tree.parent(node).and_then(|parent| weights.get_mut(parent.index())) {
                outer.score += weight.score;
                outer.words += weight.words;
                outer.linked += weight.linked;
            }
        }
        let (score, mut node) = best.or_else(|| Some((0.0, fullest(tree, blocks, &weights)?)))?;
        // What calls itself the body is preferred to what only holds more.
        let named = |wanted: Says, share: f32| {
            blocks
                .named
                .iter()
                .filter(move |(_, says)| *says == wanted)
                .filter_map(|(node, _)| Some((*node, weights.get(node.index())?.score)))
                .filter(|(_, own)| *own >= share * score)
                .max_by(|(_, one), (_, other)| one.total_cmp(other))
        };
        if let Some((body, _)) = named(Says::Body, 0.6).or_else(|| named(Says::Matter, 0.85)) {
            node = body;
        }
        let mut inside = vec![false; tree.len()];
        mark(&mut inside, node);
        for step in tree.walk(node) {
            if let Step::Enter(node) = step {
                mark(&mut inside, node);
            }
        }
        Some(Matter { node, weights, inside })
    }

    /// Plain text of the main part, a line for each block.
    pub(super) fn text(&self, tree: &Tree, blocks: &Blocks, title: Option<&str>) -> String {
        let inside = blocks.blocks.iter().filter(|block| self.holds(block.node) && !blocks.is_shaded(block));
        let kept = without_tails(tree, blocks, inside.collect());
        let begin = kept.iter().position(|block| block.is_running()).unwrap_or(0);
        let mut text = String::new();
        // Headings wait for what they head.
        let mut headings: Vec<&str> = Vec::new();
        let mut seen = HashSet::new();
        for (place, block) in kept.into_iter().enumerate() {
            let words = blocks.text(block);
            if block.kind == Kind::Heading {
                let is_title = title.is_some_and(|title| title.starts_with(words))
                    || (place < begin && is_top(tree, block));
                if !is_title && block.linked < block.words {
                    headings.push(words);
                }
                continue;
            }
            // Names and dates stand before the first sentence.
            let is_preface = place < begin && block.kind == Kind::Loose;
            let is_repeated = block.kind == Kind::Loose && block.words >= 10 && !seen.insert(words);
            if !is_preface && !is_repeated && self.keeps(tree, block, words) {
                for line in headings.drain(..).chain([words]) {
                    if !text.is_empty() {
                        text.push('\n');
                    }
                    text.push_str(line);
                }
            }
        }
        if text.is_empty() {
            let inside =
                blocks.blocks.iter().filter(|block| self.holds(block.node) && !blocks.is_shaded(block));
            text = inside.map(|block| blocks.text(block)).collect::<Vec<_>>().join("\n");
        }
        if text.contains(SOFT_HYPHEN) { text.replace(SOFT_HYPHEN, "") } else { text }
    }

    pub(super) fn holds(&self, node: NodeId) -> bool {
        self.inside.get(node.index()).copied().unwrap_or(false)
    }

    fn keeps(&self, tree: &Tree, block: &Block, words: &str) -> bool {
        if block.words == 0 || phrases::is_chrome(words) {
            return false;
        }
        let mostly_link = block.linked * 10 >= block.words * 8;
        match block.kind {
            Kind::Paragraph => !(mostly_link && block.words < 25),
            Kind::Item => !self.is_index(tree, block.node, 0.5),
            Kind::Cell => !self.is_index(tree, block.node, 0.7),
            Kind::Loose | Kind::Heading => block.words >= 3 && block.linked * 2 < block.words,
        }
    }

    /// Whether it stands in a list or table that is mostly links.
    fn is_index(&self, tree: &Tree, node: NodeId, most_linked: f32) -> bool {
        let holder = std::iter::successors(Some(node), |node| tree.parent(*node))
            .take(12)
            .take_while(|node| self.holds(*node))
            .find(|node| {
                tree.element(*node).is_some_and(|element| {
                    matches!(
                        *element.name(),
                        local_name!("ul") | local_name!("ol") | local_name!("dl") | local_name!("table")
                    )
                })
            });
        let Some(weight) = holder.and_then(|holder| self.weights.get(holder.index())) else { return false };
        weight.linked as f32 > most_linked * weight.words as f32
    }
}

/// Where there is no running text: what calls itself the matter, or all of the page.
fn fullest(tree: &Tree, blocks: &Blocks, weights: &[Weight]) -> Option<NodeId> {
    let words = |node: NodeId| weights.get(node.index()).map_or(0, |weight| weight.words);
    let named = blocks.named.iter().map(|(node, _)| *node).max_by_key(|node| words(*node));
    let top = named.filter(|node| words(*node) > 0).unwrap_or(NodeId::ROOT);
    (words(top) > 0).then(|| if top == NodeId::ROOT { tree.first_child(top).unwrap_or(top) } else { top })
}

/// Whether it is a heading of the first rank: a title, not a part of the text.
fn is_top(tree: &Tree, block: &Block) -> bool {
    tree.element(block.node).is_some_and(|element| *element.name() == local_name!("h1"))
}

fn mark(inside: &mut [bool], node: NodeId) {
    if let Some(place) = inside.get_mut(node.index()) {
        *place = true;
    }
}

/// What a block says for its surroundings being the main text.
fn value(block: &Block) -> f32 {
    let words = block.words as f32;
    let own = (block.words - block.linked) as f32;
    if block.kind == Kind::Heading {
        return 0.0;
    }
    if block.linked * 2 >= block.words.max(1) {
        return -(block.linked as f32).min(15.0) * 0.5;
    }
    if block.words < 8 {
        return -1.0;
    }
    let factor = match block.kind {
        Kind::Paragraph => 1.0,
        Kind::Loose => 0.9,
        _ => 0.6,
    };
    factor * (own - 0.3 * (words - own))
}

/// Leaves out what follows a heading such as "Related stories", as far as its section goes.
fn without_tails<'b>(tree: &Tree, blocks: &Blocks, inside: Vec<&'b Block>) -> Vec<&'b Block> {
    let all: u32 = inside.iter().map(|block| block.words).sum();
    let mut passed = 0;
    let mut tail: Option<Tail> = None;
    let mut lost = 0;
    let mut kept = Vec::with_capacity(inside.len());
    for block in &inside {
        let begins = block.words <= 9 && passed * 3 > all && phrases::begins_tail(blocks.text(block));
        passed += block.words;
        if begins {
            tail = tree.parent(block.node).map(|section| Tail { section, rank: rank(tree, block) });
        } else if tail.as_ref().is_some_and(|tail| tail.goes_on(tree, block)) {
            lost += block.words;
        } else {
            tail = None;
            kept.push(*block);
        }
    }
    // A heading in the middle of a text is no end of it.
    if lost * 2 > all { inside } else { kept }
}

/// What comes after an article.
struct Tail {
    section: NodeId,
    rank: u8,
}

impl Tail {
    fn goes_on(&self, tree: &Tree, block: &Block) -> bool {
        let is_next_part = block.kind == Kind::Heading && block.linked == 0 && rank(tree, block) <= self.rank;
        !is_next_part && is_within(tree, block.node, self.section)
    }
}

/// Of a heading, 1 to 6; of anything else nothing a heading could be.
fn rank(tree: &Tree, block: &Block) -> u8 {
    if block.kind != Kind::Heading {
        return 0;
    }
    let name = tree.element(block.node).and_then(|element| element.name().as_bytes().get(1).copied());
    name.map_or(0, |digit| digit.saturating_sub(b'0'))
}

fn is_within(tree: &Tree, node: NodeId, outer: NodeId) -> bool {
    std::iter::successors(Some(node), |node| tree.parent(*node)).take(64).any(|node| node == outer)
}
