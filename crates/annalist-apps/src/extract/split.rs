//! What is one thing to its reader may stand in two elements that follow each other and are called the same: a body with an
//! advertisement's place in it, a post whose head and text have a frame each.

use std::collections::HashMap;

use annalist_read::tree::{NodeId, Tree};

use super::{Found, Values};
use crate::catalogue::Field;

/// Whether an element follows another with nothing in between, and is of its kind.
pub(super) fn goes_on(tree: &Tree, one: NodeId, next: NodeId) -> bool {
    let kind = |node| {
        let element = tree.element(node)?;
        Some((element.name(), element.attribute("class")))
    };
    before(tree, next) == Some(one) && kind(one).is_some() && kind(one) == kind(next)
}

/// The element before another, where there are only spaces between them.
fn before(tree: &Tree, node: NodeId) -> Option<NodeId> {
    let mut before = tree.previous_sibling(node);
    while let Some(node) = before {
        if tree.element(node).is_some() {
            return Some(node);
        }
        if tree.text(node).is_some_and(|text| !text.trim().is_empty()) {
            return None;
        }
        before = tree.previous_sibling(node);
    }
    None
}

/// Puts together the values of objects that are parts of one. Gives for each object the one that it is a part of.
pub(super) fn join(found: &Found, tree: &Tree, values: &mut [Values]) -> Vec<Option<usize>> {
    let mut parts: Vec<Option<usize>> = vec![None; values.len()];
    // Of each plan, whether its first object has a head. Where it has none, heads may follow their texts, and all would be mixed up.
    let mut begins: HashMap<usize, bool> = HashMap::new();
    for (place, (node, kind)) in found.places.iter().enumerate() {
        let (head, tail) = values.split_at_mut(place);
        let Some(part) = tail.first_mut() else { continue };
        let is_headed =
            *begins.entry(*kind).or_insert_with(|| HEAD.iter().any(|field| part.of.contains_key(field)));
        let neighbour = before(tree, *node)
            .filter(|before| is_headed && goes_on(tree, *before, *node))
            .and_then(|before| found.by_node.get(&before).copied());
        // One inside of another is another one, unless they have the same number.
        let is_same = |outer: &usize| head.get(*outer).is_some_and(|outer| is_same(outer, part));
        let whole = neighbour
            .or_else(|| found.enclosing(tree, *node).filter(is_same))
            .filter(|whole| found.kind(*whole) == Some(*kind))
            // Of three, the third is a part of the first.
            .map(|whole| parts.get(whole).copied().flatten().unwrap_or(whole));
        let Some((whole, first)) = whole.and_then(|whole| Some((whole, head.get_mut(whole)?))) else {
            continue;
        };
        if is_part(first, part) {
            first.take(part);
            if let Some(part) = parts.get_mut(place) {
                *part = Some(whole);
            }
        }
    }
    parts
}

/// What stands at the head of a post.
const HEAD: [Field; 2] = [Field::Author, Field::Date];

/// Where both are numbered, the number tells whether two are one; else each has what the other has not, and nothing is left to say.
fn is_part(whole: &Values, part: &Values) -> bool {
    let is_in = |values: &Values, field: &Field| values.of.contains_key(field);
    match (whole.of.get(&Field::Id), part.of.get(&Field::Id)) {
        (Some(_), Some(_)) => is_same(whole, part),
        (None, Some(_)) => false,
        (_, None) => HEAD.iter().all(|field| is_in(whole, field) != is_in(part, field)),
    }
}

/// Whether two have the same number. What is called the same everywhere is no number, nor is what different people wrote one thing.
fn is_same(one: &Values, other: &Values) -> bool {
    let number = |values: &Values| {
        values.of.get(&Field::Id)?.first().filter(|id| id.contains(|c: char| c.is_ascii_digit())).cloned()
    };
    let agree = |field: &Field| match (one.of.get(field), other.of.get(field)) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    };
    number(one).is_some() && number(one) == number(other) && HEAD.iter().all(agree)
}

impl Values {
    /// Takes over what another has: what it lacks itself, and the rest of the body.
    fn take(&mut self, part: &mut Values) {
        for (field, values) in std::mem::take(&mut part.of) {
            let own = self.of.entry(field).or_default();
            match own.first_mut() {
                Some(body) if field == Field::Body => {
                    for more in values {
                        body.push('\n');
                        body.push_str(&more);
                    }
                }
                Some(_) if !field.is_list() => {}
                _ => own.extend(values),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use annalist_model::{CanonicalUrl, ResponseHead};
    use annalist_read::Reader;

    use crate::catalogue::Loaded;
    use crate::{Catalogue, Input, recognise};

    /// Author, date and body of each object of a page.
    fn said(html: &str) -> Vec<String> {
        let mut loaded = Loaded::default();
        loaded.add(
            "app.xml",
            r#"<application id="board" name="Board"><detect><markup at="div"/></detect><level id="thread" kind="terminal">
               <object type="post" at="div[has(@class,'post')]"><id at="./@id"/><author at="b"/><date at="time"/>
               <body at="p[has(@class,'text')]"/></object></level></application>"#,
        );
        let (catalogue, mistakes) = Catalogue::new(&loaded.descriptions);
        assert_eq!((loaded.mistakes, mistakes), (vec![], vec![]));
        let url = CanonicalUrl::parse("http://a.test/").unwrap();
        let head =
            ResponseHead { status: 200, fields: vec![("content-type".to_owned(), b"text/html".to_vec())] };
        let (page, tree) = Reader::new(Default::default()).read_with_tree(&url, &head, html.as_bytes());
        let input = Input { tree: &tree.unwrap(), page: &page, url: &url, head: &head, at: None };
        let objects = recognise(&catalogue, &input).objects;
        let part = |part: &Option<String>| part.as_deref().unwrap_or("-").to_owned();
        objects
            .iter()
            .map(|object| format!("{} {} {}", part(&object.author), part(&object.date), object.body))
            .collect()
    }

    #[test]
    fn a_body_goes_on_in_the_next_element_of_its_kind_and_ends_where_something_else_stands() {
        let html = "<div class=post id=p1><b>Ida</b><time>2020-01-02</time>\
                    <p class=text>one</p> <p class=text>two</p>more<p class=text>three</p></div>";
        assert_eq!(said(html), ["Ida 2020-01-02T00:00:00Z one\ntwo"]);
    }

    #[test]
    fn a_head_and_its_text_are_one_post_though_each_has_an_element_of_its_own() {
        let html = "<div class=post id=p1><b>Ida</b><time>2020-01-02</time></div><div class=post><p class=text>one</p></div>\
                    <div class=post id=p2><b>Per</b></div><div class=post id=p2><time>2020-01-03</time><p class=text>two</p></div>";
        assert_eq!(said(html), ["Ida 2020-01-02T00:00:00Z one", "Per 2020-01-03T00:00:00Z two"]);
    }

    #[test]
    fn posts_of_different_people_stay_apart_whatever_they_are_called() {
        let html = "<div class=post id=p1><b>Ida</b><p class=text>one</p></div><div class=post id=p1><b>Per</b><p class=text>two</p></div>\
                    <div class=post id=post><p class=text>three</p></div><div class=post id=post><p class=text>four</p></div>";
        assert_eq!(said(html), ["Ida - one", "Per - two", "- - three", "- - four"]);
        let last = "<div class=post><p class=text>one</p></div><div class=post><b>Ida</b><time>2020-01-02</time></div>\
                    <div class=post><p class=text>two</p></div>";
        assert_eq!(said(last), ["- - one", "- - two"]);
    }
}
