//! The regions of a page: what its markup says is navigation, header, footer or beside the matter, and, within each, what
//! stands under one heading. The walk over the tree is in `html.rs`.

use annalist_model::page::{Part, PartKind};

use crate::tree::{Element, LocalName, NodeId, Vocabulary, local_name};

/// A page with more regions has them for looks; the rest is one.
const MOST_PARTS: usize = 1000;

/// The regions under way.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    parts: Vec<Part>,
    /// The regions around this place, the innermost last.
    open: Vec<(NodeId, PartKind)>,
}

impl Parts {
    /// `at`: how long the text is so far.
    pub(crate) fn enter(&mut self, node: NodeId, element: &Element<'_>, at: usize) {
        if element.vocabulary() != Vocabulary::Html {
            return;
        }
        if let Some(kind) = kind(element) {
            self.open.push((node, kind));
            self.begin(at);
        } else if is_heading(element.name()) {
            self.begin(at);
        }
    }

    pub(crate) fn leave(&mut self, node: NodeId, at: usize) {
        if self.open.pop_if(|(open, _)| *open == node).is_some() {
            self.begin(at);
        }
    }

    fn begin(&mut self, from: usize) {
        let kind = self.open.last().map_or(PartKind::Main, |(_, kind)| *kind);
        // A region in which nothing was said is none.
        self.parts.pop_if(|last| last.from == from);
        if self.parts.len() < MOST_PARTS {
            self.parts.push(Part { kind, from });
        }
    }

    /// The regions of a text of that length.
    pub(crate) fn into_parts(mut self, length: usize) -> Vec<Part> {
        if self.parts.first().is_some_and(|first| first.from > 0) {
            self.parts.insert(0, Part { kind: PartKind::Main, from: 0 });
        }
        self.parts.retain(|part| part.from < length);
        self.parts
    }
}

/// By its name or role; where pages have neither, by what its class or id is called.
fn kind(element: &Element<'_>) -> Option<PartKind> {
    match *element.name() {
        local_name!("nav") => return Some(PartKind::Navigation),
        local_name!("header") => return Some(PartKind::Header),
        local_name!("footer") => return Some(PartKind::Footer),
        local_name!("aside") => return Some(PartKind::Aside),
        local_name!("main") | local_name!("article") => return Some(PartKind::Main),
        local_name!("div")
        | local_name!("section")
        | local_name!("ul")
        | local_name!("table")
        | local_name!("td") => {}
        _ => return None,
    }
    let mut named = None;
    for (name, value) in element.attributes() {
        match *name {
            local_name!("role") => {
                if let Some(kind) = of_role(value.trim_ascii()) {
                    return Some(kind);
                }
            }
            local_name!("class") | local_name!("id") if named.is_none() => named = of_name(value),
            _ => {}
        }
    }
    named
}

fn of_role(role: &str) -> Option<PartKind> {
    Some(match role {
        "navigation" | "menu" | "menubar" => PartKind::Navigation,
        "banner" => PartKind::Header,
        "contentinfo" => PartKind::Footer,
        "complementary" => PartKind::Aside,
        "main" | "article" => PartKind::Main,
        _ => return None,
    })
}

/// By the customary words in a class or id: `site-footer`, `left_sidebar`, `navMenu`.
fn of_name(names: &str) -> Option<PartKind> {
    const NAMES: [(&str, PartKind); 9] = [
        ("nav", PartKind::Navigation),
        ("navigation", PartKind::Navigation),
        ("navbar", PartKind::Navigation),
        ("menu", PartKind::Navigation),
        ("breadcrumbs", PartKind::Navigation),
        ("sidebar", PartKind::Aside),
        ("footer", PartKind::Footer),
        ("header", PartKind::Header),
        ("content", PartKind::Main),
    ];
    let mut words = names.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.find_map(|word| {
        NAMES.iter().find(|(name, _)| word.eq_ignore_ascii_case(name)).map(|(_, kind)| *kind)
    })
}

fn is_heading(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("h1")
            | local_name!("h2")
            | local_name!("h3")
            | local_name!("h4")
            | local_name!("h5")
            | local_name!("h6")
    )
}

#[cfg(test)]
mod tests {
    use annalist_model::page::PartKind;

    use super::of_name;

    #[test]
    fn customary_names_tell_what_a_region_is_for() {
        for (names, kind) in [
            ("site-footer", Some(PartKind::Footer)),
            ("left_sidebar wide", Some(PartKind::Aside)),
            ("main-menu", Some(PartKind::Navigation)),
            ("content", Some(PartKind::Main)),
            ("navigator-of-the-seas", None),
            ("", None),
        ] {
            assert_eq!(of_name(names), kind, "{names}");
        }
    }
}
