//! The regions of a page whose objects are known: what was written is what the page is there for, all else is beside the matter.
//! What markup says of regions is in `annalist-read`.

use std::ops::Range;

use annalist_model::Page;
use annalist_model::page::{Part, PartKind};
use annalist_read::tree::{NodeId, Tree};

/// The place of an object in the tree: an element, or several neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    pub first: NodeId,
    pub last: NodeId,
}

impl Extent {
    /// In the page's text.
    fn stretch(self, tree: &Tree) -> Option<Range<usize>> {
        Some(tree.stands_at(self.first)?.start..tree.stands_at(self.last)?.end)
    }
}

/// The regions of a page with objects at these places: no region goes beyond an object's ends. Outside of them, regions are what
/// their markup says they are, and beside the matter where it says nothing. Without objects, all is as it was.
pub fn parts(page: &Page, tree: &Tree, objects: &[Extent]) -> Vec<Part> {
    let objects = objects.iter().filter_map(|extent| extent.stretch(tree));
    let objects: Vec<Range<usize>> = objects.filter(|stretch| !stretch.is_empty()).collect();
    if objects.is_empty() {
        return page.parts.clone();
    }
    let mut begins: Vec<usize> = objects.iter().map(|stretch| stretch.start).collect();
    let mut ends: Vec<usize> = objects.iter().map(|stretch| stretch.end).collect();
    begins.sort_unstable();
    ends.sort_unstable();
    let mut cuts: Vec<usize> = page.parts.iter().map(|part| part.from).collect();
    cuts.extend(begins.iter().chain(&ends).copied().chain([0]));
    cuts.retain(|cut| *cut < page.text.len());
    cuts.sort_unstable();
    cuts.dedup();
    let until = |places: &[usize], at: usize| places.partition_point(|place| *place <= at);
    let kind = |at: usize| {
        if until(&begins, at) > until(&ends, at) {
            return PartKind::Main;
        }
        let before = page.parts.partition_point(|part| part.from <= at).checked_sub(1);
        match before.and_then(|place| page.parts.get(place)).map(|part| part.kind) {
            None | Some(PartKind::Main) => PartKind::Aside,
            Some(other) => other,
        }
    };
    cuts.into_iter().map(|from| Part { kind: kind(from), from }).collect()
}

#[cfg(test)]
mod tests {
    use annalist_model::page::PartKind;
    use annalist_model::{CanonicalUrl, Page, ResponseHead};
    use annalist_read::Reader;
    use annalist_read::tree::{NodeId, Step, Tree};

    use super::{Extent, parts};

    fn read(html: &str) -> (Page, Tree) {
        let url = CanonicalUrl::parse("http://a.test/").unwrap();
        let fields = vec![("content-type".to_owned(), b"text/html".to_vec())];
        let head = ResponseHead { status: 200, fields };
        let (page, tree) = Reader::new(Default::default()).read_with_tree(&url, &head, html.as_bytes());
        (page, tree.unwrap())
    }

    fn by_id(tree: &Tree, id: &str) -> NodeId {
        let entered = tree.walk(NodeId::ROOT).filter_map(|step| match step {
            Step::Enter(node) => tree.element(node).map(|element| (node, element)),
            Step::Leave(_) => None,
        });
        let mut found = entered.filter(|(_, element)| element.attribute("id") == Some(id));
        found.next().unwrap().0
    }

    fn told(page: &Page, tree: &Tree, objects: &[(&str, &str)]) -> Vec<(PartKind, String)> {
        let extent =
            |(first, last): &(&str, &str)| Extent { first: by_id(tree, first), last: by_id(tree, last) };
        let objects: Vec<Extent> = objects.iter().map(extent).collect();
        let parts = parts(page, tree, &objects);
        let ends = parts.iter().skip(1).map(|part| part.from).chain([page.text.len()]);
        let text = |from: usize, end: usize| page.text[from..end].trim().replace('\n', " ");
        parts.iter().zip(ends).map(|(part, end)| (part.kind, text(part.from, end))).collect()
    }

    #[test]
    fn what_was_written_is_the_matter_and_the_rest_is_beside_it() {
        let (page, tree) = read(
            "<div>Links to friends</div><nav>Home</nav><div id=a>First post<blockquote id=b>its comment</blockquote>its \
             end</div><div id=c>Second post</div><p>Who is online<footer>Imprint</footer>",
        );
        let expected = [
            (PartKind::Aside, "Links to friends"),
            (PartKind::Navigation, "Home"),
            (PartKind::Main, "First post"),
            (PartKind::Main, "its comment"),
            (PartKind::Main, "its end"),
            (PartKind::Main, "Second post"),
            (PartKind::Aside, "Who is online"),
            (PartKind::Footer, "Imprint"),
        ];
        let found = told(&page, &tree, &[("a", "a"), ("c", "c"), ("b", "b")]);
        assert_eq!(found, expected.map(|(kind, text)| (kind, text.to_owned())));
    }

    #[test]
    fn an_object_may_be_several_neighbours_and_markup_stands_where_there_is_none() {
        let (page, tree) = read("<p>x<p id=a>who<p>when<p id=z>what<p>y");
        let expected = [(PartKind::Aside, "x"), (PartKind::Main, "who when what"), (PartKind::Aside, "y")];
        assert_eq!(told(&page, &tree, &[("a", "z")]), expected.map(|(kind, text)| (kind, text.to_owned())));
        assert_eq!(parts(&page, &tree, &[]), page.parts);
    }
}
