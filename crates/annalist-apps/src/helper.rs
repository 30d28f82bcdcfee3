//! The helper: looks at a page once and says what it is, what was written on it, and which of its links lead to more.
//! Recognising is in `catalogue/`, lifting objects out in `extract.rs`, choosing links in `navigate.rs`.

use std::sync::{Mutex, PoisonError};

use annalist_model::{CanonicalUrl, Object, Page, ResponseHead, Time};
use annalist_read::tree::Tree;

use crate::adapt::{Changed, Lesson, Looked, Notebook, Standing};
use crate::automaton::Beside;
use crate::catalogue::{Catalogue, Description, Level, LevelKind, Shown};
use crate::extract::Lifted;
use crate::navigate::{Choice, choose, paged};
use crate::parts::Extent;
use crate::{adapt, extract, generic};

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
    /// It is a list that leads to everything below this folder of its host.
    pub index_of: Option<String>,
    pub objects: Vec<Object>,
    /// There were more objects than are kept of a page.
    pub is_cut: bool,
    /// Where each of them is; nowhere if no description says it.
    pub places: Vec<Extent>,
    /// What becomes of each of the page's links.
    pub choices: Vec<Choice>,
    /// The next page of the same thread or list.
    pub next: Option<String>,
    /// What had to be changed in the rules to see it.
    pub changes: Vec<Changed>,
}

/// What was learned of a site has proved true: a description of it, and the same as a file.
#[derive(Clone, Debug)]
pub struct Proven {
    pub description: Description,
    pub file: String,
}

/// Looks at a page.
pub fn recognise(catalogue: &Catalogue, input: &Input<'_>) -> Seen {
    look(catalogue, input, None)
}

/// Looks at a page, and learns from it where the rules do not fit. `before`: what was lifted out of it the last time.
pub fn recognise_and_learn(
    catalogue: &Catalogue,
    notebook: &Mutex<Notebook>,
    before: Option<&[Object]>,
    input: &Input<'_>,
) -> (Seen, Option<Proven>) {
    let mut proven = None;
    let mut learning = Learning { notebook, before, proven: &mut proven };
    let seen = look(catalogue, input, Some(&mut learning));
    (seen, proven)
}

struct Learning<'l> {
    notebook: &'l Mutex<Notebook>,
    before: Option<&'l [Object]>,
    proven: &'l mut Option<Proven>,
}

fn look(catalogue: &Catalogue, input: &Input<'_>, learning: Option<&mut Learning<'_>>) -> Seen {
    let matches = catalogue.automaton.run(input.tree, &beside(input.url, input.head));
    let texts = catalogue.texts_in(&input.page.text);
    let shown = Shown { tree: input.tree, url: input.url.as_url(), matches: &matches, texts };
    let Some(application) = catalogue.detect(&shown) else {
        let objects = generic::read(input.tree, input.page, input.url, input.at);
        return Seen { objects, ..Seen::default() };
    };
    let mut level = application.level(&shown);
    let mut lifted = Lifted::default();
    let mut changes = Vec::new();
    if level.is_none_or(|level| level.kind == LevelKind::Terminal) {
        if let Some(level) = level {
            lifted = extract::objects(application, level, &matches, input);
        }
        let page =
            Looked { catalogue, application, level, matches: &matches, input, objects: &lifted.objects };
        if let Some((learned, lesson)) = learning.and_then(|learning| learning.learn(&page)) {
            // Where they stand is not kept: the page is judged by its markup.
            lifted = Lifted { objects: learned, ..Lifted::default() };
            changes = lesson.changes;
            level = application.levels.iter().find(|level| level.id == lesson.level);
        }
        if lifted.objects.is_empty() {
            lifted.objects = generic::read(input.tree, input.page, input.url, input.at);
        }
    }
    let navigation = choose(application, level, &matches, input);
    Seen {
        application: Some(application.software().to_owned()),
        general_type: Some(application.general_type().to_owned()),
        level: level.map(|level| level.id.clone()),
        index_of: level.filter(|level| level.is_index).map(|level| index_of(level, input)),
        objects: lifted.objects,
        is_cut: lifted.is_cut,
        places: lifted.places,
        choices: navigation.choices,
        next: navigation.next,
        changes,
    }
}

impl Learning<'_> {
    /// What is on the page by repaired rules; nothing where the rules work, or cannot be repaired.
    fn learn(&mut self, page: &Looked<'_>) -> Option<(Vec<Object>, Lesson)> {
        // On pages without a level, only those with something to read are worth it.
        const LEAST_TEXT: usize = 300;
        let Looked { application, level, input, objects, .. } = *page;
        if level.is_none() && input.page.text.len() < LEAST_TEXT {
            return None;
        }
        let host = input.url.host_name().to_owned();
        let looked_for = level.map(|level| level.id.as_str());
        let software = application.software();
        let working: Vec<String> = {
            let mut notebook = self.notebook.lock().unwrap_or_else(PoisonError::into_inner);
            let kinds =
                level.into_iter().flat_map(|level| &level.objects).map(|plan| plan.rule.kind.as_str());
            for kind in objects.iter().map(|object| object.kind.as_str()) {
                notebook.works(&host, software, looked_for, kind);
            }
            kinds
                .filter(|kind| notebook.is_working(&host, software, looked_for, kind))
                .map(str::to_owned)
                .collect()
        };
        let works = |kind: &str| working.iter().any(|known| known == kind);
        let is_failing =
            level.is_none_or(|level| !adapt::failures(level, objects, input.tree, &works).is_empty());
        if !is_failing && self.before.is_none() {
            return None;
        }
        let known = {
            let notebook = self.notebook.lock().unwrap_or_else(PoisonError::into_inner);
            if !notebook.is_hopeful(&host, application.software(), looked_for) {
                return None;
            }
            notebook.lesson(&host, application.software(), looked_for).cloned()
        };
        let again = known.and_then(|lesson| Some((adapt::again(application, &lesson, input)?, lesson)));
        let learned = again.or_else(|| adapt::adapt(page, self.before, &works));
        let mut notebook = self.notebook.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((objects, lesson)) = learned else {
            if is_failing {
                notebook.in_vain(&host, application.software(), looked_for);
            }
            return None;
        };
        if notebook.learn(looked_for, lesson.clone()) == Standing::Proven {
            let site = notebook.site(&host, application.software());
            *self.proven = site.map(|(description, file)| Proven { description, file });
        }
        Some((objects, lesson))
    }
}

/// The folder that a list is for: that of its first page.
fn index_of(level: &Level, input: &Input<'_>) -> String {
    let first = paged(input.url.as_url(), &level.paging).thread;
    let path = first.path();
    path.get(..=path.rfind('/').unwrap_or(0)).unwrap_or("/").to_owned()
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
