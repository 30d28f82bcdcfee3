//! What scripts hold of a page's date: JSON-LD, and what programs are given to work with.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use annalist_model::Evidence;
use annalist_read::tree::{NodeId, Tree};

use super::{Clues, Says};
use crate::generic::linked;

/// Longer scripts are programs.
const LONGEST: usize = 1 << 20;
/// So many places of a script are looked at.
const MOST_TRIES: usize = 20;

/// What JSON-LD says, of the thing that is most like an article.
pub(super) fn linked(clues: &mut Clues<'_>, scripts: &[NodeId]) {
    let tree = clues.tree;
    let (mut published, mut modified) = (None, None);
    for node in scripts.iter().filter(|node| is_linked(tree, **node)) {
        let text = text(tree, *node);
        if text.len() > LONGEST {
            continue;
        }
        linked::dates(&text, &mut |rank, key, date| {
            let (best, weight) = match key {
                "dateModified" => (&mut modified, 5.0),
                "datePublished" => (&mut published, weight(rank)),
                "dateCreated" => (&mut published, weight(rank) * 0.8),
                _ => (&mut published, weight(rank) * 0.5),
            };
            if best.as_ref().is_none_or(|(known, _)| weight > *known) {
                *best = Some((weight, date.to_owned()));
            }
        });
    }
    for (said, says) in [(published, Says::Published), (modified, Says::Modified)] {
        if let Some((weight, date)) = said {
            clues.say(Evidence::JsonLd, says, weight, &date);
        }
    }
}

/// How surely the date of a thing is that of the page.
fn weight(rank: u8) -> f32 {
    match rank {
        0 => 4.0,
        1 => 8.0,
        _ => 10.0,
    }
}

fn is_linked(tree: &Tree, node: NodeId) -> bool {
    let kind = tree.element(node).and_then(|element| element.attribute("type")).unwrap_or("");
    kind.trim().get(..19).is_some_and(|kind| kind.eq_ignore_ascii_case("application/ld+json"))
}

fn text(tree: &Tree, node: NodeId) -> std::borrow::Cow<'_, str> {
    let mut parts = tree.children(node).filter_map(|child| tree.text(child));
    let first = parts.next().unwrap_or("");
    match parts.next() {
        None => first.into(),
        Some(second) => {
            std::iter::once(first).chain(std::iter::once(second)).chain(parts).collect::<String>().into()
        }
    }
}

static KEYS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(["publish", "pubdate", "publication", "datecreated"])
        .ok()
});

/// The first date that a program is given for what was published.
pub(super) fn others(clues: &mut Clues<'_>, scripts: &[NodeId]) {
    let tree = clues.tree;
    let Some(keys) = &*KEYS else { return };
    for node in scripts.iter() {
        let text = text(tree, *node);
        if text.len() > LONGEST {
            continue;
        }
        for found in keys.find_iter(text.as_ref()).take(MOST_TRIES) {
            if let Some(date) = text.get(found.end()..).and_then(value) {
                let before = clues.all.len();
                clues.say(Evidence::Script, Says::Published, 3.5, date);
                if clues.all.len() > before {
                    return;
                }
            }
        }
    }
}

/// The value that follows a key: `ed_at": "2014-05-17T…"`.
fn value(rest: &str) -> Option<&str> {
    let name = rest
        .bytes()
        .take(24)
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'-')
        .count();
    let rest = rest.get(name..)?.trim_start_matches(['"', '\'', '\\', ' ']);
    let rest = rest.strip_prefix([':', '=', ','])?.trim_start_matches(['"', '\'', '\\', ' ']);
    let length = rest
        .bytes()
        .take(40)
        .take_while(|byte| {
            byte.is_ascii_digit() || matches!(byte, b'-' | b'/' | b':' | b'T' | b'Z' | b'+' | b'.' | b' ')
        })
        .count();
    let date = rest.get(..length)?.trim();
    (date.len() >= 8 && date.starts_with(|c: char| c.is_ascii_digit())).then_some(date)
}
