//! The helper: looks at a page once and says what it is, what was written on it, and which of its links lead to more.
//! Recognising is in `catalogue/`, lifting objects out in `extract.rs`, choosing links in `navigate.rs`.

use annalist_model::{CanonicalUrl, Object, Page, ResponseHead, Time};
use annalist_read::tree::Tree;

use crate::automaton::Beside;
use crate::catalogue::{Catalogue, LevelKind, Shown};
use crate::navigate::{Choice, choose};
use crate::parts::Extent;
use crate::{extract, generic};

/// A page as it was read.
#[derive(Clone, Copy)]
pub struct Input<'p> {
    pub tree: &'p Tree,
    pub page: &'p Page,
    pub url: &'p CanonicalUrl,
    pub head: &'p ResponseHead,
    /// When it was captured: what "yesterday" means on it.
    pub at: Option<Time>,
}

/// What the helper has seen in a page.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The id of the application; none where nothing is known.
    pub application: Option<String>,
    /// Its general type.
    pub general_type: Option<String>,
    pub level: Option<String>,
    /// It is a list that leads to everything.
    pub is_index: bool,
    pub objects: Vec<Object>,
    /// Where each of them is; nowhere if no description says it.
    pub places: Vec<Extent>,
    /// What becomes of each of the page's links.
    pub choices: Vec<Choice>,
    /// The next page of the same thread or list.
    pub next: Option<String>,
}

/// Looks at a page.
pub fn recognise(catalogue: &Catalogue, input: &Input<'_>) -> Seen {
    let matches = catalogue.automaton.run(input.tree, &beside(input.url, input.head));
    let texts = catalogue.texts_in(&input.page.text);
    let shown = Shown { tree: input.tree, url: input.url.as_url(), matches: &matches, texts };
    let Some(application) = catalogue.detect(&shown) else {
        let objects = generic::read(input.tree, input.page, input.url, input.at);
        return Seen { objects, ..Seen::default() };
    };
    let level = application.level(&shown);
    let (mut objects, mut places) = (Vec::new(), Vec::new());
    if level.is_none_or(|level| level.kind == LevelKind::Terminal) {
        if let Some(level) = level {
            (objects, places) = extract::objects(application, level, &matches, input);
        }
        if objects.is_empty() {
            objects = generic::read(input.tree, input.page, input.url, input.at);
        }
    }
    let navigation = choose(application, level, &matches, input);
    Seen {
        application: Some(application.id.clone()),
        general_type: Some(application.general_type().to_owned()),
        level: level.map(|level| level.id.clone()),
        is_index: level.is_some_and(|level| level.is_index),
        objects,
        places,
        choices: navigation.choices,
        next: navigation.next,
    }
}

/// What the address and the response's head say, as elements.
fn beside(url: &CanonicalUrl, head: &ResponseHead) -> Vec<Beside> {
    let mut beside = vec![Beside {
        tag: "url",
        attributes: vec![
            ("host", url.host_name().to_owned()),
            ("path", url.path().to_owned()),
            ("query", url.query().unwrap_or_default().to_owned()),
        ],
    }];
    for (name, value) in &head.fields {
        let value = String::from_utf8_lossy(value).trim().to_owned();
        if name.eq_ignore_ascii_case("set-cookie") {
            let (cookie, rest) = value.split_once('=').unwrap_or((value.as_str(), ""));
            let inner = rest.split(';').next().unwrap_or_default();
            beside.push(Beside {
                tag: "cookie",
                attributes: vec![("name", cookie.trim().to_owned()), ("value", inner.trim().to_owned())],
            });
        }
        let attributes = vec![("name", name.to_ascii_lowercase()), ("value", value)];
        beside.push(Beside { tag: "http-header", attributes });
    }
    beside
}
