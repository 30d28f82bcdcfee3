//! A page that was read before and whose template has changed: what was lifted out of it is looked for where it stands now, and
//! the rules that find it there are learned. What is no longer on the page was deleted, which is no change of the template.

use annalist_model::Object;
use annalist_read::tree::{NodeId, Step as Walk, Tree};

use super::describe::{all_of, first_in_each};
use super::relax::steps_for;
use super::renew::short;
use super::search::{around, below, find, is_within};
use super::{Changed, Lesson, Setting, tried, with_others};
use crate::automaton::holds::string_value;
use crate::catalogue::{Field, FieldRule, Level, ObjectRule};
use crate::dates::{self, Hints};
use crate::xpath::{Axis, Expression, NodeTest, Path, Step};

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
        let whole = words(&spaced(tree, NodeId::ROOT));
        let there: Vec<&Object> = before
            .iter()
            .filter(|object| object.body.split_whitespace().count() >= LEAST_WORDS)
            .filter(|object| spans(&whole, &words(&object.body)))
            .collect();
        // What says something else now was edited; what says nothing, the rules do not find any more.
        let lost = there.iter().filter(|object| {
            let found: Vec<&Object> = now.iter().filter(|other| near(object, other)).collect();
            !has_same(object, now, Field::Body)
                || !found.iter().any(|other| says_as_much(object, other))
                || [Field::Author, Field::Date].into_iter().any(|field| is_blurred(object, now, field))
        });
        let mut kinds: Vec<&str> = lost.map(|object| object.kind.as_str()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let run = |rules: &[ObjectRule]| {
            tried(
                &with_others(rules, level),
                Some(&level.description),
                self.application.software(),
                self.input,
            )
        };
        let (mut rules, mut changes) = (Vec::new(), Vec::new());
        let mut objects = now.to_vec();
        for kind in kinds {
            // All of the kind: a rule must fit those that are found already, too.
            let of_kind = there.iter().filter(|object| object.kind == kind);
            let located: Vec<Located<'_>> = of_kind.filter_map(|object| self.locate(object)).collect();
            let candidates = self
                .same_places(kind, level, &located, now)
                .into_iter()
                .chain(self.rule_for(kind, level, &located));
            for (rule, told) in candidates {
                let more: Vec<ObjectRule> = rules.iter().cloned().chain([rule]).collect();
                let found = run(&more);
                // Only what is better than before is learned.
                if regained(&there, &found) > regained(&there, &objects) {
                    (rules, objects) = (more, found);
                    changes.extend(told);
                    break;
                }
            }
        }
        (!rules.is_empty()).then(|| (objects, self.lesson(&level.id, rules, changes)))
    }

    /// Where the objects still are where they were: only the fields that are not.
    fn same_places(
        &self,
        kind: &str,
        level: &Level,
        located: &[Located<'_>],
        now: &[Object],
    ) -> Vec<(ObjectRule, Vec<Changed>)> {
        let tree = self.input.tree;
        let mut found = Vec::new();
        for plan in level.objects.iter().filter(|plan| plan.rule.kind == kind && !plan.rule.is_run) {
            let nodes: Vec<NodeId> =
                find(tree, NodeId::ROOT, &plan.rule.at).iter().map(|spot| spot.node).collect();
            let place = |one: &Located<'_>| around(tree, one.body).find(|node| nodes.contains(node));
            let places: Option<Vec<NodeId>> = located.iter().map(place).collect();
            let Some(places) = places.filter(|places| !places.is_empty()) else { continue };
            let mut distinct = places.clone();
            distinct.sort_unstable();
            distinct.dedup();
            if distinct.len() < places.len() {
                continue;
            }
            // A new rule may have to come before those that find something else, or after those that find it for some.
            for is_first in [true, false] {
                let mut rule = plan.rule.clone();
                let mut changes = Vec::new();
                for field in [Field::Body, Field::Author, Field::Date, Field::Title] {
                    let lacking: Vec<usize> = (0..located.len())
                        .filter(|number| {
                            located.get(*number).is_some_and(|one| is_lacking(one.object, now, field))
                        })
                        .collect();
                    let wanted: Vec<(&Located<'_>, NodeId)> = lacking
                        .iter()
                        .filter_map(|number| Some((located.get(*number)?, *places.get(*number)?)))
                        .collect();
                    let Some(new) = self.field_for(field, &plan.rule, &wanted, false) else { continue };
                    changes.push(self.told(field, &plan.rule, &new, wanted.first().map(|(one, _)| *one)));
                    if is_first {
                        rule.fields.insert(0, new);
                    } else {
                        rule.fields.push(new);
                    }
                }
                if !changes.is_empty() {
                    found.push((rule, changes));
                }
            }
        }
        found
    }

    /// A rule for a field that stands at known places in known objects.
    fn field_for(
        &self,
        field: Field,
        plan: &ObjectRule,
        wanted: &[(&Located<'_>, NodeId)],
        is_run: bool,
    ) -> Option<FieldRule> {
        let tree = self.input.tree;
        let mut spots: Vec<(NodeId, NodeId)> = Vec::new();
        let mut attribute = None;
        for (one, place) in wanted {
            let found = if field == Field::Body {
                Some((one.body, None))
            } else {
                one.fields
                    .iter()
                    .find(|(own, ..)| *own == field)
                    .map(|(_, node, attribute)| (*node, *attribute))
            };
            if let Some((node, said)) = found.filter(|(node, _)| is_run || is_within(tree, *node, *place)) {
                spots.push((*place, node));
                attribute = said;
            }
        }
        let mut path = if is_run {
            all_of(tree, &spots.iter().map(|(_, node)| *node).collect::<Vec<_>>())?
        } else {
            first_in_each(tree, &spots)?
        };
        if let Some(name) = attribute {
            path.steps.push(attribute_step(name));
        }
        let like = plan.fields.iter().find(|rule| rule.field == field);
        let mut leave_out = Vec::new();
        if field == Field::Body {
            leave_out = plan
                .fields
                .iter()
                .filter(|rule| rule.field == field)
                .flat_map(|rule| rule.leave_out.clone())
                .collect();
            for (one, _) in wanted {
                left_out(tree, one.body, &words(&one.object.body), &mut leave_out);
            }
        }
        Some(FieldRule {
            field,
            at: Some(Expression { paths: vec![path] }),
            value: None,
            matches: None,
            leave_out,
            hints: like.map(|rule| rule.hints.clone()).unwrap_or_default(),
            is_local: false,
        })
    }

    fn told(&self, field: Field, plan: &ObjectRule, new: &FieldRule, one: Option<&Located<'_>>) -> Changed {
        let rules = plan.fields.iter().filter(|rule| rule.field == field);
        let before: Vec<String> = rules.filter_map(|rule| Some(rule.at.as_ref()?.to_string())).collect();
        let example = one.and_then(|one| match field {
            Field::Author => one.object.author.clone(),
            Field::Date => one.object.date.clone(),
            Field::Title => one.object.title.clone(),
            _ => Some(one.object.body.clone()),
        });
        Changed {
            what: format!("{} of {}", field.name(), plan.kind),
            before: before.join(" | "),
            now: new.at.as_ref().map(ToString::to_string).unwrap_or_default(),
            how: "stands here now".to_owned(),
            example: short(&example.unwrap_or_default()),
        }
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

    /// A rule for objects that stand at new places.
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
        let before: Vec<String> = level
            .objects
            .iter()
            .filter(|plan| plan.rule.kind == kind)
            .map(|plan| plan.rule.at.to_string())
            .collect();
        let mut changes = vec![Changed {
            what: kind.to_owned(),
            before: before.join(" | "),
            now: at.to_string(),
            how: "stands here now".to_owned(),
            example: located.first().map(|one| short(&one.object.body)).unwrap_or_default(),
        }];
        let wanted: Vec<(&Located<'_>, NodeId)> = located.iter().zip(places).collect();
        let mut fields: Vec<FieldRule> = Vec::new();
        for field in [Field::Body, Field::Author, Field::Date, Field::Title] {
            if let Some(new) = self.field_for(field, &plan.rule, &wanted, is_run) {
                changes.push(self.told(field, &plan.rule, &new, located.first()));
                fields.push(new);
            }
        }
        fields.extend(plan.rule.fields.iter().cloned());
        let rule = ObjectRule { at, is_run, is_only: true, fields, ..plan.rule.clone() };
        Some((rule, changes))
    }
}

/// Whether what was found now has a field as it was before.
fn has_same(before: &Object, now: &[Object], field: Field) -> bool {
    let same_body = |other: &&Object| other.kind == before.kind && words(&other.body) == words(&before.body);
    match field {
        Field::Body => now.iter().any(|other| same_body(&other)),
        _ => now.iter().filter(|other| near(before, other)).any(|other| match field {
            Field::Author => before.author.is_none() || before.author == other.author,
            Field::Title => before.title.is_none() || before.title == other.title,
            _ => match (&before.date, &other.date) {
                (Some(before), Some(now)) => same_moment(before, now),
                (before, _) => before.is_none(),
            },
        }),
    }
}

/// Whether an object has all the fields that it had before, whatever is in them.
fn says_as_much(before: &Object, now: &Object) -> bool {
    let keeps = |before: &Option<String>, now: &Option<String>| before.is_none() || now.is_some();
    keeps(&before.author, &now.author) && keeps(&before.date, &now.date) && keeps(&before.title, &now.title)
}

/// Whether a name has more around it than it had, or a day has lost its time: that is no other author, and no other date.
fn is_blurred(before: &Object, now: &[Object], field: Field) -> bool {
    const DAY: usize = "2011-03-05".len();
    let mut found = now.iter().filter(|other| near(before, other));
    !has_same(before, now, field)
        && found.any(|other| match field {
            Field::Author => match (&before.author, &other.author) {
                (Some(before), Some(now)) => now.contains(before.as_str()),
                _ => false,
            },
            _ => match (&before.date, &other.date) {
                (Some(before), Some(now)) => before.get(..DAY) == now.get(..DAY),
                _ => false,
            },
        })
}

/// Whether a field that was there is not found any more.
fn is_lacking(before: &Object, now: &[Object], field: Field) -> bool {
    let mut found = now.iter().filter(|other| near(before, other));
    match field {
        Field::Body => !has_same(before, now, Field::Body),
        Field::Author | Field::Date if is_blurred(before, now, field) => true,
        Field::Author => before.author.is_some() && !found.any(|other| other.author.is_some()),
        Field::Date => before.date.is_some() && !found.any(|other| other.date.is_some()),
        _ => before.title.is_some() && !found.any(|other| other.title.is_some()),
    }
}

/// Whether two are about the same body, however much was cut off or added.
fn near(before: &Object, now: &Object) -> bool {
    let (old, new) = (words(&before.body), words(&now.body));
    before.kind == now.kind && (spans(&new, &old) || spans(&old, &new))
}

/// How much of what was there is found: a point for each body and each field.
fn regained(there: &[&Object], found: &[Object]) -> usize {
    let fields = [Field::Body, Field::Author, Field::Date, Field::Title];
    let points = |object: &&Object| fields.iter().filter(|field| has_same(object, found, **field)).count();
    let extra = found.iter().filter(|object| object.body.is_empty()).count();
    (there.iter().map(points).sum::<usize>() * 10).saturating_sub(extra)
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
            // What has its place in the page for a name is the object, else what is just large enough.
            let anchor = one.object.url.as_deref().and_then(|url| Some(url.split_once('#')?.1));
            let is_named = |outer: &NodeId| {
                let id = tree.element(*outer).and_then(|element| element.attribute("id"));
                id.is_some() && id == anchor
            };
            let named = around(tree, node).take_while(|outer| !holds_other(*outer)).find(is_named);
            return Some((named.unwrap_or(node), false));
        }
    }
    None
}

/// Parts of a body that were no part of it before: each named by what it is called.
fn left_out(tree: &Tree, body: NodeId, wanted: &[String], found: &mut Vec<Expression>) {
    for child in tree.children(body).filter(|child| tree.element(*child).is_some()) {
        let said = words(&spaced(tree, child));
        if said.is_empty() || contains(wanted, &said) {
            continue;
        }
        let says_nothing = !below(tree, child)
            .chain([child])
            .flat_map(|node| tree.children(node))
            .filter_map(|node| tree.text(node))
            .any(|text| contains(wanted, &words(text)));
        if !says_nothing {
            left_out(tree, child, wanted, found);
            continue;
        }
        let named = steps_for(tree, child).into_iter().find(|step| !step.predicates.is_empty());
        if let Some(step) = named {
            let at = Expression { paths: vec![Path { steps: vec![step] }] };
            if !found.contains(&at) {
                found.push(at);
            }
        }
    }
}

/// The smallest element that has all these words in a row.
fn smallest_with(tree: &Tree, wanted: &[String]) -> Option<NodeId> {
    let has = |node: NodeId| spans(&words(&spaced(tree, node)), wanted);
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

/// Whether words stand there in their order, with little in between: what was left out may be shown now.
fn spans(all: &[String], wanted: &[String]) -> bool {
    const ENDS: usize = 4;
    let head = wanted.get(..ENDS.min(wanted.len())).unwrap_or(wanted);
    let tail = wanted.get(wanted.len().saturating_sub(ENDS)..).unwrap_or(wanted);
    let Some(from) = all.windows(head.len().max(1)).position(|window| window == head) else { return false };
    let rest = all.get(from..).unwrap_or_default();
    let Some(until) = rest.windows(tail.len().max(1)).rposition(|window| window == tail) else {
        return false;
    };
    let stretch = rest.get(..until + tail.len()).unwrap_or_default();
    // In their order.
    let mut next = stretch.iter();
    let in_order = wanted.iter().filter(|word| next.any(|other| other == *word)).count();
    in_order == wanted.len()
}

fn same_moment(one: &str, other: &str) -> bool {
    let moment = |text: &str| text.parse::<jiff::Timestamp>().ok();
    one == other || moment(one).is_some_and(|at| moment(other) == Some(at))
}
