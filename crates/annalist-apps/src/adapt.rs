//! Adaptation: when a template is not the one that was described, the helper repairs its rules. With what was lifted out of the page
//! before (`relearn.rs`), it looks where that stands now; without (`renew.rs`), it relaxes expressions until what they find can be
//! believed. What was learned counts when it has held on several pages (`notebook.rs`), and is written down for people
//! (`write.rs`).

use std::cell::Cell;

use annalist_model::Object;
use annalist_read::tree::Tree;

use crate::automaton::Matches;
use crate::catalogue::{
    Application, Catalogue, Description, Field, Level, LevelDescription, LevelKind, ObjectRule, Sign,
};
use crate::extract;
use crate::helper::Input;
use crate::xpath::Expression;

mod describe;
mod notebook;
mod relax;
mod relearn;
mod renew;
mod search;
mod shape;
mod write;

pub use notebook::{Notebook, Standing};
pub use write::to_xml;

/// What was learned from a page.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// The application, as the catalogue calls it.
    pub application: String,
    pub host: String,
    pub level: String,
    /// What tells the level, where its signs did not.
    pub sign: Option<Expression>,
    /// Whole rules: they come before those of the catalogue.
    pub rules: Vec<ObjectRule>,
    /// What was changed, for people.
    pub changes: Vec<Changed>,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// `post`, or `author of post`, or `level thread`.
    pub what: String,
    pub before: String,
    pub now: String,
    /// How it was found.
    pub how: String,
    /// What it finds.
    pub example: String,
}

/// What is wrong with what a level's rules have found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// No object of that type.
    Object(String),
    /// Objects of that type mostly lack it.
    Field(String, Field),
}

/// Elements that are looked at to repair the rules for one page.
const MOST_EFFORT: usize = 600_000;
/// Fields that nearly every post has.
const NEEDED: [Field; 4] = [Field::Author, Field::Date, Field::Body, Field::Title];

/// What of a level's rules does not work on a page.
/// `works`: whether the rules for objects of a type have found some on other pages.
pub(crate) fn failures(
    level: &Level,
    objects: &[Object],
    tree: &Tree,
    works: &dyn Fn(&str) -> bool,
) -> Vec<Failure> {
    let mut failures = Vec::new();
    let mut kinds: Vec<&str> = Vec::new();
    for plan in &level.objects {
        if !kinds.contains(&plan.rule.kind.as_str()) {
            kinds.push(&plan.rule.kind);
        }
    }
    for (place, kind) in kinds.into_iter().filter(|kind| *kind != "pingback").enumerate() {
        let of_kind: Vec<&Object> = objects.iter().filter(|object| object.kind == kind).collect();
        if of_kind.is_empty() {
            // A list of comments may be empty; a page of content has content.
            if place == 0 || (kind == "comment" && !works(kind) && renew::has_comments(tree)) {
                failures.push(Failure::Object(kind.to_owned()));
            }
            continue;
        }
        for field in NEEDED {
            let has_rule = level.objects.iter().any(|plan| {
                plan.rule.kind == kind
                    && plan.rule.fields.iter().any(|rule| rule.field == field && rule.at.is_some())
            });
            let having = of_kind.iter().filter(|object| has(object, field)).count();
            let is_optional = field == Field::Title && kind == "comment";
            if has_rule && !is_optional && having * 2 < of_kind.len() {
                failures.push(Failure::Field(kind.to_owned(), field));
            }
        }
    }
    failures
}

fn has(object: &Object, field: Field) -> bool {
    match field {
        Field::Author => object.author.is_some(),
        Field::Date => object.date.is_some(),
        Field::Title => object.title.is_some(),
        Field::Body => !object.body.is_empty(),
        _ => true,
    }
}

/// Whether objects can be believed to be what a page is there for.
fn are_believable(objects: &[Object]) -> bool {
    let with = |test: fn(&Object) -> bool| objects.iter().filter(|object| test(object)).count();
    let bodies = with(|object| object.body.split_whitespace().count() >= 2);
    let signed = with(|object| object.author.is_some() || object.date.is_some());
    !objects.is_empty() && bodies * 5 >= objects.len() * 4 && signed * 2 >= objects.len()
}

/// New rules with those of the level that they do not take the place of.
fn with_others(rules: &[ObjectRule], level: &Level) -> Vec<ObjectRule> {
    let others = level.objects.iter().map(|plan| &plan.rule);
    let is_kept = |other: &&ObjectRule| {
        let same = rules.iter().find(|rule| rule.kind == other.kind && rule.at == other.at);
        same.is_none() && !rules.iter().any(|rule| rule.is_only && rule.kind == other.kind)
    };
    rules.iter().chain(others.filter(is_kept)).cloned().collect()
}

/// What rules find on a page: exactly what they would find in a catalogue.
fn tried(
    rules: &[ObjectRule],
    level: Option<&LevelDescription>,
    application: &str,
    input: &Input<'_>,
) -> Vec<Object> {
    let fields = level.map(|level| level.fields.clone()).unwrap_or_default();
    let paging = level.map(|level| level.paging.clone()).unwrap_or_default();
    let trial = LevelDescription {
        id: "trial".to_owned(),
        kind: Some(LevelKind::Terminal),
        is_index: None,
        inherits: true,
        signs: None,
        rules: Vec::new(),
        paging,
        next: Vec::new(),
        others: None,
        fields,
        objects: rules.to_vec(),
        acts: Vec::new(),
    };
    let description = Description {
        id: application.to_owned(),
        name: application.to_owned(),
        extends: None,
        inherits: true,
        signs: Vec::new(),
        rules: Vec::new(),
        paging: Vec::new(),
        drops: Vec::new(),
        others: None,
        levels: vec![trial],
        file: "trial".into(),
        line: 1,
    };
    let (catalogue, _) = Catalogue::new(std::slice::from_ref(&description));
    let Some(application) = catalogue.applications.first() else { return Vec::new() };
    let Some(level) = application.levels.first() else { return Vec::new() };
    let matches = catalogue.automaton.run(input.tree, &[]);
    extract::objects(application, level, &matches, input).objects
}

/// A page that an application was recognised in, and what its rules have found.
pub(crate) struct Looked<'l> {
    pub catalogue: &'l Catalogue,
    pub application: &'l Application,
    pub level: Option<&'l Level>,
    pub matches: &'l Matches,
    pub input: &'l Input<'l>,
    pub objects: &'l [Object],
}

/// Repairs what does not work on a page. `before`: what was lifted out of it the last time. Gives what is on the page by the repaired
/// rules, and what was learned.
pub(crate) fn adapt(
    page: &Looked<'_>,
    before: Option<&[Object]>,
    works: &dyn Fn(&str) -> bool,
) -> Option<(Vec<Object>, Lesson)> {
    let Looked { catalogue, application, level, matches, input, objects } = *page;
    let setting = Setting { catalogue, application, matches, input, effort: Cell::new(MOST_EFFORT) };
    let Some(level) = level else {
        // With what was on the page before, the level whose objects are found again is its level.
        let terminal = application.levels.iter().filter(|level| level.kind == LevelKind::Terminal);
        let again = before.and_then(|before| {
            let found = terminal.clone().find_map(|level| setting.relearn(level, objects, before));
            found.map(|(objects, mut lesson)| {
                lesson.sign = lesson.rules.first().map(|rule| rule.at.clone());
                (objects, lesson)
            })
        });
        return again.or_else(|| setting.find_level());
    };
    if let Some(before) = before
        && let Some(done) = setting.relearn(level, objects, before)
    {
        return Some(done);
    }
    let failures = failures(level, objects, input.tree, works);
    if failures.is_empty() { None } else { setting.renew(level, &failures) }
}

/// What an earlier lesson finds on another page, if that can be believed.
pub(crate) fn again(application: &Application, lesson: &Lesson, input: &Input<'_>) -> Option<Vec<Object>> {
    let level = application.levels.iter().find(|level| level.id == lesson.level)?;
    let rules = with_others(&lesson.rules, level);
    let objects = tried(&rules, Some(&level.description), application.software(), input);
    let first = level.objects.first().map(|plan| plan.rule.kind.as_str());
    let main: Vec<Object> =
        objects.iter().filter(|object| Some(object.kind.as_str()) == first).cloned().collect();
    are_believable(&main).then_some(objects)
}

/// What adaptation looks at.
struct Setting<'s> {
    catalogue: &'s Catalogue,
    application: &'s Application,
    matches: &'s Matches,
    input: &'s Input<'s>,
    /// Elements that may still be looked at.
    effort: Cell<usize>,
}

impl Setting<'_> {
    fn lesson(&self, level: &str, rules: Vec<ObjectRule>, changes: Vec<Changed>) -> Lesson {
        Lesson {
            application: self.application.software().to_owned(),
            host: self.input.url.host_name().to_owned(),
            level: level.to_owned(),
            sign: None,
            rules,
            changes,
        }
    }
}

/// A site as the catalogue describes one: an application of its own that extends the one it runs.
pub fn site_description(lessons: &[&Lesson]) -> Option<Description> {
    let first = lessons.first()?;
    let mut levels: Vec<LevelDescription> = Vec::new();
    for lesson in lessons {
        let place = levels.iter().position(|level| level.id == lesson.level).unwrap_or_else(|| {
            levels.push(LevelDescription {
                id: lesson.level.clone(),
                kind: None,
                is_index: None,
                inherits: true,
                signs: None,
                rules: Vec::new(),
                paging: Vec::new(),
                next: Vec::new(),
                others: None,
                fields: Vec::new(),
                objects: Vec::new(),
                acts: Vec::new(),
            });
            levels.len() - 1
        });
        if let Some(level) = levels.get_mut(place) {
            level.objects.extend(lesson.rules.iter().cloned());
            level.signs = lesson
                .sign
                .clone()
                .map(|sign| vec![Sign::Inherited, Sign::Markup(sign)])
                .or(level.signs.take());
        }
    }
    let here = crate::address::Address { host: Some(first.host.clone()), ..Default::default() };
    Some(Description {
        id: format!("{}@{}", first.application, first.host),
        name: format!("{} at {}", first.application, first.host),
        extends: Some(first.application.clone()),
        inherits: true,
        signs: vec![Sign::All(vec![Sign::Address(here), Sign::Inherited])],
        rules: Vec::new(),
        paging: Vec::new(),
        drops: Vec::new(),
        others: None,
        levels,
        file: "learned".into(),
        line: 1,
    })
}
