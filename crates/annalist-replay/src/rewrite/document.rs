//! What becomes of the elements of a document, be it HTML or XML: which of them go, and which attributes change.

use std::cell::RefCell;

use encoding_rs::UTF_8;

use super::Rewriting;
use super::attributes::{Edit, Element};
use super::html::at_depth;

/// Documents in attributes of documents; deeper ones go.
const DEEPEST: usize = 4;

/// What the elements of one document share.
pub(super) struct Document {
    rewriting: RefCell<Rewriting>,
    depth: usize,
}

/// What becomes of an element's attributes.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// By their places; those that are not named stay.
    pub(super) edited: Vec<(usize, Edit)>,
    /// Those that come new, or in place of one of that name.
    pub(super) added: Vec<(&'static str, String)>,
}

impl Document {
    pub(super) fn new(rewriting: Rewriting, depth: usize) -> Document {
        Document { rewriting: RefCell::new(rewriting), depth }
    }

    /// `None` for an element that has to go. `name` is in lower case and without a prefix, values are decoded.
    pub(super) fn changes(&self, name: &str, attributes: &[(String, String)]) -> Option<Changes> {
        // Of two with one name the first counts.
        let other =
            |sought: &str| attributes.iter().find(|(name, _)| name == sought).map(|(_, value)| value.clone());
        let element = Element { tag: name, other: &other };
        if element.must_go() {
            return None;
        }
        let mut changes = Changes::default();
        for (place, (attribute, value)) in attributes.iter().enumerate() {
            let edit = match attribute.as_str() {
                "srcdoc" => self.inner_document(value),
                _ => element.edit(attribute, value, &self.rewriting.borrow()),
            };
            match edit {
                Edit::Keep => {}
                Edit::Set(edited) if edited == *value => {}
                edit => changes.edited.push((place, edit)),
            }
        }
        if name == "base" {
            let mut rewriting = self.rewriting.borrow_mut();
            if let Some(href) = other("href") {
                rewriting.rebase(&href);
            }
            if let Some(target) = other("target") {
                rewriting.aim(&target);
            }
        }
        changes.added = shown_without_script(name, attributes, &self.rewriting.borrow());
        Some(changes)
    }

    pub(super) fn css(&self, text: &str) -> String {
        self.rewriting.borrow().css(text)
    }

    /// Another address than those of elements.
    pub(super) fn rewriting(&self) -> Rewriting {
        self.rewriting.borrow().clone()
    }

    /// A document in an attribute.
    fn inner_document(&self, markup: &str) -> Edit {
        if self.depth >= DEEPEST {
            return Edit::Remove;
        }
        let mut out = Vec::new();
        let rewriting = self.rewriting().in_encoding(UTF_8).inside().based_on_html(&mut |take| {
            take(markup.as_bytes());
        });
        let mut inner = at_depth(rewriting, self.depth + 1, |bytes: &[u8]| out.extend_from_slice(bytes));
        match inner.write(markup.as_bytes()).and_then(|()| inner.end()) {
            Ok(()) => Edit::Set(String::from_utf8_lossy(&out).into_owned()),
            Err(_) => Edit::Remove,
        }
    }
}

/// Pictures that a script would have shown once they come into view are shown at once.
fn shown_without_script(
    name: &str,
    attributes: &[(String, String)],
    rewriting: &Rewriting,
) -> Vec<(&'static str, String)> {
    let mut added = Vec::new();
    if !matches!(name, "img" | "source" | "iframe") {
        return added;
    }
    let value =
        |sought: &str| attributes.iter().find(|(name, _)| name == sought).map(|(_, value)| value.as_str());
    let is_placeholder = |value: Option<&str>| {
        value.is_none_or(|value| value.trim().is_empty() || value.trim().starts_with("data:"))
    };
    let pairs = [
        ("src", &["data-src", "data-lazy-src", "data-original"][..]),
        ("srcset", &["data-srcset", "data-lazy-srcset"]),
    ];
    for (shown, waiting) in pairs {
        let is_for_it = shown == "srcset" || name != "source" || value("srcset").is_none();
        let Some(waiting) =
            waiting.iter().find_map(|name| value(name)).filter(|value| !value.trim().is_empty())
        else {
            continue;
        };
        if is_for_it && is_placeholder(value(shown)) {
            let other = |_: &str| None;
            if let Edit::Set(edited) = (Element { tag: name, other: &other }).edit(shown, waiting, rewriting)
            {
                added.push((shown, edited));
            }
        }
    }
    added
}
