//! A new site whose template is not the described one: expressions are relaxed, the fewest changes first, until what they find can
//! be believed. What the automaton has found for other applications of the same general type is tried first of all.

use std::collections::HashSet;

use annalist_model::Object;
use annalist_read::tree::{NodeId, Step as Walk, Tree};

use super::relax::{Relaxed, Taste, relaxations};
use super::search::{below, find, find_path, is_within};
use super::shape::{customary, is_believable, is_elsewhere};
use super::{Changed, Failure, Lesson, Setting, are_believable, tried, with_others};
use crate::automaton::{Spot, select};
use crate::catalogue::{Application, Field, FieldRule, Level, LevelKind, ObjectPlan, ObjectRule};
use crate::dates::{self, Hints};
use crate::xpath::{Axis, Expression, NodeTest, Path, Step};

/// Relaxed places of objects that are looked at closely.
const MOST_LOOKED_AT: usize = 25;
/// Objects that a field is looked for in: what holds in these holds in the others.
const MOST_CONTEXTS: usize = 20;

impl Setting<'_> {
    /// The level's failing actions, repaired.
    pub(super) fn renew(&self, level: &Level, failures: &[Failure]) -> Option<(Vec<Object>, Lesson)> {
        let mut rules: Vec<ObjectRule> = Vec::new();
        let mut changes = Vec::new();
        for failure in failures {
            match failure {
                Failure::Object(kind) => {
                    if let Some((rule, told)) = self.new_object(kind, level) {
                        rules.push(rule);
                        changes.extend(told);
                    }
                }
                Failure::Field(kind, field) => {
                    let place = rules.iter().position(|rule| rule.kind == *kind);
                    let known = level.objects.iter().find(|plan| {
                        plan.rule.kind == *kind && !select(self.input.tree, self.matches, &plan.at).is_empty()
                    });
                    let rule = place.and_then(|place| rules.get(place)).or(known.map(|plan| &plan.rule));
                    let Some(mut rule) = rule.cloned() else { continue };
                    let Some(told) = self.mend_field(&mut rule, *field) else { continue };
                    changes.push(told);
                    match place.and_then(|place| rules.get_mut(place)) {
                        Some(slot) => *slot = rule,
                        None => rules.push(rule),
                    }
                }
            }
        }
        if changes.is_empty() {
            return None;
        }
        let all = with_others(&rules, level);
        let objects = tried(&all, Some(&level.description), self.application.software(), self.input);
        Some((objects, self.lesson(&level.id, rules, changes)))
    }

    /// The level of a page whose signs are not the described ones: the first whose objects can be found.
    pub(super) fn find_level(&self) -> Option<(Vec<Object>, Lesson)> {
        for level in self.application.levels.iter().filter(|level| level.kind == LevelKind::Terminal) {
            let Some(kind) = level.objects.first().map(|plan| plan.rule.kind.clone()) else { continue };
            let Some((rule, mut changes)) =
                self.known_object(&kind, level).or_else(|| self.new_object(&kind, level))
            else {
                continue;
            };
            let sign = rule.at.clone();
            changes.insert(
                0,
                Changed {
                    what: format!("level {}", level.id),
                    before: "its signs are not on the page".to_owned(),
                    now: sign.to_string(),
                    how: "its objects are".to_owned(),
                    example: String::new(),
                },
            );
            let all = with_others(std::slice::from_ref(&rule), level);
            let objects = tried(&all, Some(&level.description), self.application.software(), self.input);
            let mut lesson = self.lesson(&level.id, vec![rule], changes);
            lesson.sign = Some(sign);
            return Some((objects, lesson));
        }
        None
    }

    /// A rule of the level itself that works on the page.
    fn known_object(&self, kind: &str, level: &Level) -> Option<(ObjectRule, Vec<Changed>)> {
        let works = |plan: &&ObjectPlan| {
            plan.rule.kind == kind
                && !select(self.input.tree, self.matches, &plan.at).is_empty()
                && are_believable(&tried(
                    std::slice::from_ref(&plan.rule),
                    Some(&level.description),
                    self.application.software(),
                    self.input,
                ))
        };
        level.objects.iter().find(works).map(|plan| (plan.rule.clone(), Vec::new()))
    }

    /// A rule that finds objects of a type where the described ones find none.
    fn new_object(&self, kind: &str, level: &Level) -> Option<(ObjectRule, Vec<Changed>)> {
        let own: Vec<&ObjectPlan> = level.objects.iter().filter(|plan| plan.rule.kind == kind).collect();
        // A page without comments says nothing against the rules that find comments on others.
        let is_main = level.objects.first().is_some_and(|plan| plan.rule.kind == kind);
        let fields: Vec<FieldRule> = own.iter().flat_map(|plan| plan.rule.fields.clone()).collect();
        let before: Vec<String> = own.iter().map(|plan| plan.rule.at.to_string()).collect();
        let changed = |rule: &ObjectRule, how: String, objects: &[Object]| Changed {
            what: kind.to_owned(),
            before: before.join(" | "),
            now: rule.at.to_string(),
            how,
            example: example_of(objects),
        };
        let try_out = |rule: ObjectRule| -> Option<(ObjectRule, Vec<Changed>, Vec<Object>)> {
            let mut rule = rule;
            let mut changes = Vec::new();
            let run = |rule: &ObjectRule| {
                tried(
                    std::slice::from_ref(rule),
                    Some(&level.description),
                    self.application.software(),
                    self.input,
                )
            };
            let mut objects = run(&rule);
            for field in [Field::Date, Field::Author, Field::Body, Field::Title] {
                let lacking = objects.iter().filter(|object| !super::has(object, field)).count();
                let wanted = field != Field::Title || kind != "comment";
                if wanted && (lacking * 2 > objects.len() || objects.is_empty()) {
                    changes.extend(self.mend_field(&mut rule, field));
                    objects = run(&rule);
                }
            }
            are_believable(&objects).then_some((rule, changes, objects))
        };
        // What others of its kind do.
        for (application, plan) in self.siblings(kind) {
            let mut rule = ObjectRule { is_only: is_main, ..plan.rule.clone() };
            rule.fields.extend(fields.iter().cloned());
            if let Some((rule, mut changes, objects)) = try_out(rule) {
                changes.insert(0, changed(&rule, format!("as in {}", application.name), &objects));
                return Some((rule, changes));
            }
        }
        // What is called otherwise here.
        let known = self.known_steps(|plan| plan.rule.kind == kind, |plan| vec![&plan.rule.at]);
        let words = object_words(kind);
        let taste = Taste { known: &known, customary: words };
        let dated = dated_nodes(self.input.tree);
        let mut tried_sets: HashSet<Vec<NodeId>> = HashSet::new();
        let mut candidates: Vec<(Relaxed, &ObjectPlan)> = Vec::new();
        for plan in &own {
            for path in &plan.rule.at.paths {
                let relaxed = relaxations(self.input.tree, &[NodeId::ROOT], path, &taste);
                candidates.extend(relaxed.into_iter().map(|relaxed| (relaxed, *plan)));
            }
        }
        candidates.sort_by_key(|(relaxed, _)| (relaxed.dislike, relaxed.changes));
        // Of those that are liked alike, the one that makes most of the page.
        let mut best: Option<(u32, usize, ObjectRule, Vec<Changed>)> = None;
        let mut looked_at = 0;
        for (relaxed, plan) in candidates {
            if best.as_ref().is_some_and(|(dislike, ..)| *dislike < relaxed.dislike)
                || looked_at > MOST_LOOKED_AT
            {
                break;
            }
            if !self.spend(self.input.tree.len()) {
                break;
            }
            let spots = find_path(self.input.tree, NodeId::ROOT, &relaxed.path);
            let nodes: Vec<NodeId> = spots.iter().map(|spot| spot.node).collect();
            if !self.may_be_objects(&nodes, &dated, kind) || !tried_sets.insert(nodes) {
                continue;
            }
            looked_at += 1;
            if !self.spend(self.input.tree.len() * 4) {
                break;
            }
            let at = Expression { paths: vec![relaxed.path.clone()] };
            let rule = ObjectRule { at, fields: fields.clone(), is_only: is_main, ..plan.rule.clone() };
            let Some((rule, mut changes, objects)) = try_out(rule) else { continue };
            let worth = worth(&objects);
            if best.as_ref().is_none_or(|(_, most, ..)| worth > *most) {
                changes.insert(0, changed(&rule, told(&relaxed), &objects));
                best = Some((relaxed.dislike, worth, rule, changes));
            }
        }
        best.map(|(_, _, rule, changes)| (rule, changes))
    }

    /// Whether these elements look like one object each, before anything is read from them.
    fn may_be_objects(&self, nodes: &[NodeId], dated: &HashSet<NodeId>, kind: &str) -> bool {
        const MOST: usize = 500;
        if nodes.is_empty() || nodes.len() > MOST {
            return false;
        }
        let tree = self.input.tree;
        let is_whole = |node: &NodeId| {
            tree.element(*node).is_some_and(|element| matches!(&**element.name(), "html" | "body" | "head"))
        };
        if nodes.iter().any(is_whole) || nodes.iter().any(|node| is_beside(tree, *node)) {
            return false;
        }
        let holding = nodes.iter().filter(|node| dated.contains(node)).count();
        // The words of a post are more than its date.
        let wordy = nodes.iter().filter(|node| text_length(tree, **node) >= 30).count();
        let least = if kind == "comment" { 1 } else { nodes.len().div_ceil(2) };
        holding * 2 >= nodes.len() && wordy >= least
    }

    /// Plans for the same type of object in applications of the same general type that find something on this page.
    fn siblings(&self, kind: &str) -> Vec<(&Application, &ObjectPlan)> {
        let general = self.application.general_type();
        let mut found = Vec::new();
        for other in &self.catalogue.applications {
            let is_own = other.id == self.application.id || self.application.ancestors.contains(&other.id);
            if other.general_type() != general || is_own {
                continue;
            }
            for plan in other.levels.iter().flat_map(|level| &level.objects) {
                if plan.rule.kind == kind && !select(self.input.tree, self.matches, &plan.at).is_empty() {
                    found.push((other, plan));
                }
            }
        }
        found
    }

    /// The last steps of what applications of the same general type use for a purpose.
    fn known_steps<'e>(
        &'e self,
        is_meant: impl Fn(&ObjectPlan) -> bool,
        expressions: impl Fn(&'e ObjectPlan) -> Vec<&'e Expression>,
    ) -> HashSet<Step> {
        let general = self.application.general_type();
        let alike = self.catalogue.applications.iter().filter(|other| other.general_type() == general);
        let plans = alike.flat_map(|other| other.levels.iter().flat_map(|level| &level.objects));
        let paths = plans.filter(|plan| is_meant(plan)).flat_map(expressions).flat_map(|at| &at.paths);
        let last = paths
            .filter_map(|path| path.split().0.last())
            .map(|step| Step { axis: Axis::Below, ..step.clone() });
        // A tag alone says little, but for those that are made for the purpose.
        last.filter(|step| !step.predicates.is_empty() || is_telling(&step.test)).collect()
    }

    /// Gives an object's rule an expression for a field that its own do not find.
    fn mend_field(&self, rule: &mut ObjectRule, field: Field) -> Option<Changed> {
        let tree = self.input.tree;
        let contexts: Vec<NodeId> =
            find(tree, NodeId::ROOT, &rule.at).iter().map(|spot| spot.node).take(MOST_CONTEXTS).collect();
        let width: usize = contexts.iter().map(|context| below(tree, *context).count()).sum();
        let own: Vec<FieldRule> =
            rule.fields.iter().filter(|one| one.field == field && one.at.is_some()).cloned().collect();
        let first = own.first()?;
        let hints = Hints { now: self.input.at, ..first.hints.clone() };
        let known = self.known_steps(
            |_| true,
            |plan| {
                plan.rule
                    .fields
                    .iter()
                    .filter(|one| one.field == field)
                    .filter_map(|one| one.at.as_ref())
                    .collect()
            },
        );
        let taste = Taste { known: &known, customary: customary(field) };
        let taken = self.taken(rule, field, &contexts);
        let mut best: Option<((u32, usize), Relaxed, String)> = None;
        let paths = own.iter().filter_map(|one| one.at.as_ref()).flat_map(|at| at.paths.iter());
        let mut seen: HashSet<Path> = HashSet::new();
        for path in paths {
            for relaxed in relaxations(tree, &contexts, path, &taste) {
                if !is_told(&relaxed, field) {
                    continue;
                }
                for path in endings(&relaxed.path, field) {
                    if !seen.insert(path.clone()) {
                        continue;
                    }
                    if !self.spend(width) {
                        break;
                    }
                    let values: Vec<Option<(NodeId, String)>> = contexts
                        .iter()
                        .map(|context| self.first_value(*context, &path, &contexts, field == Field::Date))
                        .collect();
                    let is_good = |value: &Option<(NodeId, String)>| {
                        value.as_ref().is_some_and(|(node, value)| {
                            is_believable(field, value, &hints) && self.is_free(*node, field, &taken)
                        })
                    };
                    let good = values.iter().filter(|value| is_good(value)).count();
                    if good == 0 || good * 5 < contexts.len() * 4 {
                        continue;
                    }
                    let example =
                        values.iter().flatten().next().map(|(_, value)| short(value)).unwrap_or_default();
                    let candidate = Relaxed { path: path.clone(), ..relaxed.clone() };
                    if field != Field::Body {
                        return Some(self.adopt(rule, field, first, candidate, example));
                    }
                    // Of bodies, one that is called so, then the one that says most.
                    let length: usize = values.iter().flatten().map(|(_, value)| value.len()).sum();
                    let rank = (2 - relaxed.dislike.min(2), length);
                    if best.as_ref().is_none_or(|(most, _, _)| rank > *most) {
                        best = Some((rank, candidate, example));
                    }
                }
            }
        }
        let (_, relaxed, example) = best?;
        Some(self.adopt(rule, field, first, relaxed, example))
    }

    fn adopt(
        &self,
        rule: &mut ObjectRule,
        field: Field,
        like: &FieldRule,
        relaxed: Relaxed,
        example: String,
    ) -> Changed {
        let before: Vec<String> = rule
            .fields
            .iter()
            .filter(|one| one.field == field)
            .filter_map(|one| Some(one.at.as_ref()?.to_string()))
            .collect();
        let how = told(&relaxed);
        let at = Expression { paths: vec![relaxed.path] };
        let now = at.to_string();
        let new = FieldRule { at: Some(at), value: None, matches: None, ..like.clone() };
        rule.fields.insert(0, new);
        Changed {
            what: format!("{} of {}", field.name(), rule.kind),
            before: before.join(" | "),
            now,
            how,
            example,
        }
    }

    /// The first thing a path finds in an object that is not another object's.
    fn first_value(
        &self,
        context: NodeId,
        path: &Path,
        contexts: &[NodeId],
        is_date: bool,
    ) -> Option<(NodeId, String)> {
        let tree = self.input.tree;
        let spots = find_path(tree, context, path);
        let is_own = |spot: &&Spot<'_>| {
            let owner = super::search::around(tree, spot.node).find(|node| contexts.contains(node));
            owner == Some(context)
        };
        let spot = spots.iter().find(is_own)?;
        let is_inner = |node: NodeId| node != context && contexts.contains(&node);
        let value = match spot.attribute {
            Some(value) => value.to_owned(),
            None if is_date => crate::extract::spaced(tree, spot.node),
            None => annalist_read::text::plain(tree, spot.node, &is_inner),
        };
        (!value.trim().is_empty()).then(|| (spot.node, value.trim().to_owned()))
    }

    /// Where the other fields of an object stand.
    fn taken(&self, rule: &ObjectRule, but: Field, contexts: &[NodeId]) -> Vec<(Field, NodeId)> {
        let mut taken = Vec::new();
        for context in contexts {
            for field in [Field::Author, Field::Date, Field::Title, Field::Body] {
                let rules = rule.fields.iter().filter(|one| one.field == field && field != but);
                let spot = rules
                    .filter_map(|one| one.at.as_ref())
                    .find_map(|at| find(self.input.tree, *context, at).first().map(|spot| spot.node));
                taken.extend(spot.map(|node| (field, node)));
            }
        }
        taken
    }

    /// Whether there is effort left for looking at so many elements more.
    fn spend(&self, elements: usize) -> bool {
        let left = self.effort.get().saturating_sub(elements);
        self.effort.set(left);
        left > 0
    }

    /// Names and dates do not stand in bodies, and bodies do not hold names and dates.
    fn is_free(&self, node: NodeId, field: Field, taken: &[(Field, NodeId)]) -> bool {
        let tree = self.input.tree;
        // Who writes beside the matter has not written the matter.
        if field != Field::Body && is_beside(tree, node) {
            return false;
        }
        taken.iter().all(|(other, place)| match (field, other) {
            (Field::Body, Field::Author | Field::Date) => !is_within(tree, *place, node),
            (Field::Body, Field::Title) => true,
            (_, Field::Body) => !is_within(tree, node, *place),
            _ => node != *place || matches!((field, other), (Field::Title, _)),
        })
    }
}

/// Whether a name says enough: anything may be short enough for an author.
fn is_told(relaxed: &Relaxed, field: Field) -> bool {
    let is_heading = || {
        let (steps, _) = relaxed.path.split();
        let tag = steps.last().map(|step| &step.test);
        matches!(tag, Some(NodeTest::Tag(tag)) if matches!(tag.as_str(), "h1" | "h2" | "h3" | "h4"))
    };
    match field {
        Field::Author => relaxed.dislike < 2,
        // Any time on a page would do.
        Field::Date | Field::Modified => relaxed.dislike < 2 && !relaxed.path.steps.is_empty(),
        // A paragraph is not the whole of it.
        Field::Body => {
            let step = relaxed.path.split().0.last();
            relaxed.changes == 1
                || step.is_some_and(|step| !step.predicates.is_empty() || is_telling(&step.test))
        }
        Field::Title => relaxed.dislike < 2 || is_heading(),
        _ => true,
    }
}

fn is_telling(test: &NodeTest) -> bool {
    let NodeTest::Tag(tag) = test else { return false };
    matches!(tag.as_str(), "article" | "main" | "time" | "cite" | "address" | "h1" | "h2" | "h3")
}

/// The endings that values of a field are read from.
fn endings(path: &Path, field: Field) -> Vec<Path> {
    if !matches!(field, Field::Date | Field::Modified) {
        return vec![path.clone()];
    }
    let (steps, _) = path.split();
    let plain = Path { steps: steps.to_vec() };
    let with = |name: &str| {
        let mut path = plain.clone();
        path.steps.push(Step {
            axis: Axis::Child,
            test: NodeTest::Attribute(name.to_owned()),
            predicates: Vec::new(),
        });
        path
    };
    vec![with("datetime"), with("content"), with("title"), plain]
}

/// How much was made of a page: objects that have everything count for what they say, others for half of it.
fn worth(objects: &[Object]) -> usize {
    let one = |object: &Object| {
        let words = object.body.split_whitespace().count().min(500) + 10;
        if object.author.is_some() && object.date.is_some() { 2 * words } else { words }
    };
    objects.iter().map(one).sum()
}

fn object_words(kind: &str) -> &'static [&'static str] {
    match kind {
        "comment" => &["comment", "reply", "response"],
        "post" => &["post", "article", "entry", "message", "story", "hentry"],
        _ => &["article", "content", "page", "entry", "main"],
    }
}

/// Whether a place is beside the matter: in a menu, a list of the latest, a footer.
fn is_beside(tree: &Tree, node: NodeId) -> bool {
    super::search::around(tree, node).any(|outer| {
        tree.element(outer).is_some_and(|element| {
            let mut names = ["class", "id"].into_iter().filter_map(|name| element.attribute(name));
            matches!(&**element.name(), "nav" | "aside" | "footer")
                || (!matches!(&**element.name(), "html" | "body") && names.any(is_elsewhere))
        })
    })
}

/// Whether the page shows comments: something called so, more than once, with a date in it.
pub(super) fn has_comments(tree: &Tree) -> bool {
    const LEAST: usize = 2;
    let is_named = |node: &NodeId| {
        let Some(element) = tree.element(*node) else { return false };
        let mut names = ["class", "id"].into_iter().filter_map(|name| element.attribute(name));
        names.any(|name| name.to_ascii_lowercase().contains("comment")) && !is_beside(tree, *node)
    };
    // Names first: dates are dear to look for, and most pages have none of these names.
    let named: Vec<NodeId> = below(tree, NodeId::ROOT).filter(is_named).collect();
    if named.len() < LEAST {
        return false;
    }
    let dated = dated_nodes(tree);
    named.iter().filter(|node| dated.contains(node)).take(LEAST).count() >= LEAST
}

/// Elements with a date in them, by a `time` element or a text that is nothing but a date.
fn dated_nodes(tree: &Tree) -> HashSet<NodeId> {
    const LONGEST: usize = 60;
    let mut dated = HashSet::new();
    let hints = Hints::default();
    for step in tree.walk(NodeId::ROOT) {
        let Walk::Enter(node) = step else { continue };
        let by_name = tree
            .element(node)
            .is_some_and(|element| &**element.name() == "time" || element.attribute("datetime").is_some());
        let has_digits =
            |text: &str| text.len() <= LONGEST && text.bytes().filter(u8::is_ascii_digit).count() >= 2;
        let by_text = || {
            tree.text(node)
                .is_some_and(|text| has_digits(text.trim()) && dates::parse(text.trim(), &hints).is_some())
        };
        if by_name || by_text() {
            for outer in super::search::around(tree, node) {
                if !dated.insert(outer) {
                    break;
                }
            }
        }
    }
    dated
}

fn text_length(tree: &Tree, node: NodeId) -> usize {
    let texts = tree.walk(node).filter_map(|step| match step {
        Walk::Enter(node) => tree.text(node),
        Walk::Leave(_) => None,
    });
    texts.map(|text| text.trim().len()).sum()
}

fn told(relaxed: &Relaxed) -> String {
    let times =
        if relaxed.changes == 1 { "1 change".to_owned() } else { format!("{} changes", relaxed.changes) };
    if relaxed.is_worst_case { format!("{times}, several in one step") } else { times }
}

fn example_of(objects: &[Object]) -> String {
    objects.first().map(|object| short(&object.body)).unwrap_or_default()
}

pub(super) fn short(text: &str) -> String {
    const LONGEST: usize = 60;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = line.chars().take(LONGEST).collect();
    if cut.len() < line.len() { format!("{cut} …") } else { cut }
}
