//! A page that was read before and whose template has changed: what was lifted out of it is looked for where it stands now, and
//! the rules that find it there are learned. What is no longer on the page was deleted, which is no change of the template.

use annalist_model::Object;
use annalist_read::tree::{NodeId, Step as Walk, Tree};

use super::describe::{all_of, first_in_each};
use super::renew::short;
use super::search::{around, below, is_within};
use super::{Changed, Lesson, Setting, tried};
use crate::automaton::holds::string_value;
use crate::catalogue::{Field, FieldRule, Level, ObjectRule};
use crate::dates::{self, Hints};
use crate::xpath::{Axis, Expression, NodeTest, Step};

/// Shorter bodies may stand anywhere.
const LEAST_WORDS: usize = 2;

/// Where an object of before stands now.
struct Located<'o> {
    object: &'o Object,
    body: NodeId,
    fields: Vec<(Field, NodeId, Option<&'static str>)>,
}

impl Setting<'_> {
    /// `None` where everything that is still there was found, or cannot be found again.
    pub(super) fn relearn(
        &self,
        level: &Level,
        now: &[Object],
        before: &[Object],
    ) -> Option<(Vec<Object>, Lesson)> {
        let tree = self.input.tree;
        let whole = words(&string_value(tree, NodeId::ROOT));
        let lost: Vec<&Object> = before
            .iter()
            .filter(|object| object.body.split_whitespace().count() >= LEAST_WORDS)
            .filter(|object| !now.iter().any(|other| is_same(object, other)))
            .filter(|object| contains(&whole, &words(&object.body)))
            .collect();
        let mut kinds: Vec<&str> = lost.iter().map(|object| object.kind.as_str()).collect();
        kinds.dedup();
        kinds.sort_unstable();
        kinds.dedup();
        let (mut rules, mut changes) = (Vec::new(), Vec::new());
        for kind in kinds {
            // All of the kind: a rule must fit those that are found already, too.
            let of_kind = before.iter().filter(|object| object.kind == kind);
            let located: Vec<Located<'_>> = of_kind.filter_map(|object| self.locate(object)).collect();
            if let Some((rule, told)) = self.rule_for(kind, level, &located) {
                rules.push(rule);
                changes.extend(told);
            }
        }
        if rules.is_empty() {
            return None;
        }
        let mut all: Vec<ObjectRule> = rules.clone();
        all.extend(level.objects.iter().map(|plan| plan.rule.clone()));
        let objects = tried(&all, Some(&level.description), &self.application.id, self.input);
        let again = lost.iter().filter(|object| objects.iter().any(|other| is_same(object, other))).count();
        (again * 5 >= lost.len() * 4).then(|| (objects, self.lesson(&level.id, rules, changes)))
    }

    fn locate<'o>(&self, object: &'o Object) -> Option<Located<'o>> {
        let tree = self.input.tree;
        let body = smallest_with(tree, &words(&object.body))?;
        let mut fields = Vec::new();
        for (field, value) in [
            (Field::Author, object.author.as_deref()),
            (Field::Date, object.date.as_deref()),
            (Field::Title, object.title.as_deref()),
        ] {
            if let Some(value) = value
                && let Some((node, attribute)) = self.nearest(body, field, value)
            {
                fields.push((field, node, attribute));
            }
        }
        Some(Located { object, body, fields })
    }

    /// The place nearest to a body that says what a field said.
    fn nearest(&self, body: NodeId, field: Field, value: &str) -> Option<(NodeId, Option<&'static str>)> {
        let tree = self.input.tree;
        let mut inner = body;
        for outer in around(tree, body).skip(1) {
            let found = below(tree, outer)
                .filter(|node| !is_within(tree, *node, inner))
                .find_map(|node| Some((node, self.says(node, field, value)?)));
            if let Some((node, attribute)) = found {
                // The innermost element that says it.
                let deepest = below(tree, node)
                    .filter(|below| self.says(*below, field, value) == Some(attribute))
                    .last();
                return Some((deepest.unwrap_or(node), attribute));
            }
            inner = outer;
        }
        None
    }

    /// Whether an element says a value, and in which attribute if not in its text.
    fn says(&self, node: NodeId, field: Field, value: &str) -> Option<Option<&'static str>> {
        let tree = self.input.tree;
        if field == Field::Date {
            let element = tree.element(node)?;
            let hints = Hints { now: self.input.at, ..Hints::default() };
            for name in ["datetime", "content", "title"] {
                let read = element.attribute(name).and_then(|text| dates::parse(text, &hints));
                if read.is_some_and(|read| same_moment(&read, value)) {
                    return Some(Some(name));
                }
            }
            const LONGEST: usize = 80;
            let text = string_value(tree, node);
            let read = (text.len() <= LONGEST).then(|| dates::parse(&text, &hints)).flatten();
            return read.is_some_and(|read| same_moment(&read, value)).then_some(None);
        }
        (string_value(tree, node) == value.split_whitespace().collect::<Vec<_>>().join(" ")).then_some(None)
    }

    fn rule_for(
        &self,
        kind: &str,
        level: &Level,
        located: &[Located<'_>],
    ) -> Option<(ObjectRule, Vec<Changed>)> {
        let tree = self.input.tree;
        let plan = level.objects.iter().find(|plan| plan.rule.kind == kind)?;
        let bodies: Vec<NodeId> = located.iter().map(|one| one.body).collect();
        let mut is_run = false;
        let mut places = Vec::new();
        for one in located {
            let (place, run) = container(tree, one, &bodies)?;
            is_run |= run;
            places.push(place);
        }
        let at = Expression { paths: vec![all_of(tree, &places)?] };
        let mut fields: Vec<FieldRule> = Vec::new();
        let mut changes = Vec::new();
        let example = located.first().map(|one| short(&one.object.body)).unwrap_or_default();
        let before = |field: Option<Field>| -> String {
            let expressions: Vec<String> = match field {
                None => level
                    .objects
                    .iter()
                    .filter(|plan| plan.rule.kind == kind)
                    .map(|plan| plan.rule.at.to_string())
                    .collect(),
                Some(field) => {
                    let rules = plan.rule.fields.iter().filter(|rule| rule.field == field);
                    rules.filter_map(|rule| Some(rule.at.as_ref()?.to_string())).collect()
                }
            };
            expressions.join(" | ")
        };
        let how = || "stands here now".to_owned();
        changes.push(Changed {
            what: kind.to_owned(),
            before: before(None),
            now: at.to_string(),
            how: how(),
            example,
        });
        for field in [Field::Body, Field::Author, Field::Date, Field::Title] {
            let mut spots: Vec<(NodeId, NodeId)> = Vec::new();
            let mut attribute = None;
            for (one, place) in located.iter().zip(&places) {
                let found = if field == Field::Body {
                    Some((one.body, None))
                } else {
                    one.fields
                        .iter()
                        .find(|(own, ..)| *own == field)
                        .map(|(_, node, attribute)| (*node, *attribute))
                };
                if let Some((node, said)) = found {
                    spots.push((*place, node));
                    attribute = said;
                }
            }
            let Some((_, first)) = spots.first().copied() else { continue };
            let path = if is_run {
                all_of(tree, &spots.iter().map(|(_, node)| *node).collect::<Vec<_>>())
            } else {
                first_in_each(tree, &spots)
            };
            let Some(mut path) = path else { continue };
            if let Some(name) = attribute {
                path.steps.push(attribute_step(name));
            }
            let like = plan.rule.fields.iter().find(|rule| rule.field == field);
            let at = Expression { paths: vec![path] };
            changes.push(Changed {
                what: format!("{} of {kind}", field.name()),
                before: before(Some(field)),
                now: at.to_string(),
                how: how(),
                example: short(&string_value(tree, first)),
            });
            fields.push(FieldRule {
                field,
                at: Some(at),
                value: None,
                matches: None,
                leave_out: like.map(|rule| rule.leave_out.clone()).unwrap_or_default(),
                hints: like.map(|rule| rule.hints.clone()).unwrap_or_default(),
            });
        }
        fields.extend(plan.rule.fields.iter().cloned());
        let rule = ObjectRule { at, is_run, fields, ..plan.rule.clone() };
        Some((rule, changes))
    }
}

fn attribute_step(name: &str) -> Step {
    Step { axis: Axis::Child, test: NodeTest::Attribute(name.to_owned()), predicates: Vec::new() }
}

/// The element around everything of one object, or, where that has others in it, the first of the neighbours that it is spread over.
fn container(tree: &Tree, one: &Located<'_>, bodies: &[NodeId]) -> Option<(NodeId, bool)> {
    let holds_all = |node: NodeId| {
        one.fields
            .iter()
            .filter(|(field, ..)| *field != Field::Title)
            .all(|(_, place, _)| is_within(tree, *place, node))
    };
    let holds_other =
        |node: NodeId| bodies.iter().any(|body| *body != one.body && is_within(tree, *body, node));
    for node in around(tree, one.body) {
        if holds_other(node) {
            // Its parts are children of this one.
            let is_part = |child: &NodeId| {
                is_within(tree, one.body, *child)
                    || one.fields.iter().any(|(_, place, _)| is_within(tree, *place, *child))
            };
            let mut own_parts = tree.children(node).filter(is_part);
            return own_parts.next().map(|first| (first, true));
        }
        if holds_all(node) {
            // Where only the body is known, it is the object.
            return Some((node, false));
        }
    }
    None
}

/// The smallest element that has all these words in a row.
fn smallest_with(tree: &Tree, wanted: &[String]) -> Option<NodeId> {
    let has = |node: NodeId| contains(&words(&spaced(tree, node)), wanted);
    let mut at = tree.children(NodeId::ROOT).find(|node| tree.element(*node).is_some() && has(*node))?;
    loop {
        match tree.children(at).find(|child| tree.element(*child).is_some() && has(*child)) {
            Some(child) => at = child,
            None => return Some(at),
        }
    }
}

/// Text with a space between elements: bodies are lines of blocks.
fn spaced(tree: &Tree, node: NodeId) -> String {
    let mut text = String::new();
    for step in tree.walk(node) {
        match step {
            Walk::Enter(below) => text.push_str(tree.text(below).unwrap_or(" ")),
            Walk::Leave(_) => text.push(' '),
        }
    }
    text
}

/// Letters and digits only: markup may put signs and spaces anywhere.
fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn contains(all: &[String], wanted: &[String]) -> bool {
    !wanted.is_empty() && all.windows(wanted.len()).any(|window| window == wanted)
}

/// Whether two are the same object, with everything that the first one had.
fn is_same(before: &Object, now: &Object) -> bool {
    let keeps = |before: &Option<String>, now: &Option<String>| before.is_none() || before == now;
    let date = match (&before.date, &now.date) {
        (Some(before), Some(now)) => same_moment(before, now),
        (Some(_), None) => false,
        (None, _) => true,
    };
    before.kind == now.kind
        && words(&before.body) == words(&now.body)
        && keeps(&before.author, &now.author)
        && keeps(&before.title, &now.title)
        && date
}

fn same_moment(one: &str, other: &str) -> bool {
    let moment = |text: &str| text.parse::<jiff::Timestamp>().ok();
    one == other || moment(one).is_some_and(|at| moment(other) == Some(at))
}
