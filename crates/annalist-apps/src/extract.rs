//! What was written on a page: the objects of its level, with their fields.

use std::collections::{HashMap, HashSet};

use annalist_model::Object;
use annalist_read::text;
use annalist_read::tree::{NodeId, Tree};

use crate::automaton::{Matches, Pattern, Spot, select};
use crate::catalogue::{Application, Field, FieldPlan, Level};
use crate::dates;
use crate::helper::Input;
use crate::navigate::paged;
use crate::parts::Extent;
use crate::place::{Base, base_of};

/// More objects than this on one page are made by a machine.
const MOST_OBJECTS: usize = 5_000;

/// The objects of a page on that level, in the page's order, and where they are.
pub(crate) fn objects(
    application: &Application,
    level: &Level,
    matches: &Matches,
    input: &Input<'_>,
) -> (Vec<Object>, Vec<Extent>) {
    let found = Found::of(level, matches, input.tree);
    if found.places.is_empty() {
        return Default::default();
    }
    let reading = Reading { matches, input, base: base_of(input), found: &found };
    let of_page = reading.page_fields(&level.fields);
    let mut values: Vec<Values> = found.places.iter().map(|_| Values::default()).collect();
    for (kind, plan) in level.objects.iter().enumerate() {
        for field in &plan.fields {
            reading.gather(field, kind, &mut values);
        }
    }
    let thread = paged(input.url.as_url(), &level.paging).thread.to_string();
    let mut objects: Vec<Object> = Vec::with_capacity(values.len());
    for ((_, kind), values) in found.places.iter().zip(values) {
        let name = level.objects.get(*kind).map_or("", |plan| plan.rule.kind.as_str());
        objects.push(reading.object(name, values.or(&of_page), &thread, application));
    }
    reading.relate(level, &mut objects, &thread);
    let counts =
        |object: &Object| !object.body.is_empty() || object.title.is_some() || !object.attachments.is_empty();
    let extents = found.places.iter().map(|(node, _)| found.extent(input.tree, *node));
    objects.into_iter().zip(extents).filter(|(object, _)| counts(object)).unzip()
}

/// Where the objects of a page are, in the page's order.
struct Found {
    /// With the number of their plan.
    places: Vec<(NodeId, usize)>,
    by_node: HashMap<NodeId, usize>,
    /// The parents of objects that go on in their neighbours.
    runs: HashSet<NodeId>,
    run_starts: HashSet<NodeId>,
}

impl Found {
    fn of(level: &Level, matches: &Matches, tree: &Tree) -> Found {
        let mut places: Vec<(NodeId, usize)> = Vec::new();
        let mut seen = HashSet::new();
        let (mut runs, mut run_starts) = (HashSet::new(), HashSet::new());
        for (number, plan) in level.objects.iter().enumerate() {
            for spot in select(tree, matches, &plan.at) {
                // An element that two plans find is the first one's.
                if !seen.insert(spot.node) {
                    continue;
                }
                places.push((spot.node, number));
                if plan.rule.is_run {
                    runs.extend(tree.parent(spot.node));
                    run_starts.insert(spot.node);
                }
            }
        }
        let order = positions(tree, &seen);
        places.sort_by_key(|(node, _)| order.get(node).copied().unwrap_or(usize::MAX));
        places.truncate(MOST_OBJECTS);
        let by_node = places.iter().enumerate().map(|(place, (node, _))| (*node, place)).collect();
        Found { places, by_node, runs, run_starts }
    }

    /// The innermost object that a node is in, beginning with the node itself.
    fn owner(&self, tree: &Tree, node: NodeId) -> Option<usize> {
        let mut at = Some(node);
        while let Some(node) = at {
            if let Some(place) = self.by_node.get(&node) {
                return Some(*place);
            }
            let parent = tree.parent(node);
            if parent.is_some_and(|parent| self.runs.contains(&parent)) {
                let mut before = tree.previous_sibling(node);
                while let Some(sibling) = before {
                    if self.run_starts.contains(&sibling) {
                        return self.by_node.get(&sibling).copied();
                    }
                    before = tree.previous_sibling(sibling);
                }
            }
            at = parent;
        }
        None
    }

    fn extent(&self, tree: &Tree, first: NodeId) -> Extent {
        let mut last = first;
        while self.run_starts.contains(&first)
            && let Some(next) = tree.next_sibling(last).filter(|next| !self.run_starts.contains(next))
        {
            last = next;
        }
        Extent { first, last }
    }

    /// The object around an object.
    fn enclosing(&self, tree: &Tree, node: NodeId) -> Option<usize> {
        self.owner(tree, tree.parent(node)?)
    }
}

/// The page's order of some nodes: their numbers follow it nearly, but not where markup was repaired.
fn positions(tree: &Tree, nodes: &HashSet<NodeId>) -> HashMap<NodeId, usize> {
    let entered = tree.walk(NodeId::ROOT).filter_map(|step| match step {
        annalist_read::tree::Step::Enter(node) => Some(node),
        annalist_read::tree::Step::Leave(_) => None,
    });
    entered.enumerate().filter(|(_, node)| nodes.contains(node)).map(|(place, node)| (node, place)).collect()
}

/// What was found for each field.
#[derive(Clone, Debug, Default)]
struct Values {
    of: HashMap<Field, Vec<String>>,
    /// The id stands in an `id` attribute: it is also a place in the page.
    is_anchor: bool,
}

impl Values {
    fn first(&mut self, field: Field) -> Option<String> {
        self.of.remove(&field)?.into_iter().next()
    }

    fn all(&mut self, field: Field) -> Vec<String> {
        self.of.remove(&field).unwrap_or_default()
    }

    /// With what the page says of all its objects.
    fn or(mut self, of_page: &Values) -> Values {
        for (field, values) in &of_page.of {
            self.of.entry(*field).or_insert_with(|| values.clone());
        }
        self
    }
}

struct Reading<'r> {
    matches: &'r Matches,
    input: &'r Input<'r>,
    base: Base,
    found: &'r Found,
}

impl Reading<'_> {
    fn page_fields(&self, fields: &[FieldPlan]) -> Values {
        let mut values = Values::default();
        for field in fields {
            if values.of.contains_key(&field.rule.field) {
                continue;
            }
            let spots = field.at.as_ref().map_or(Vec::new(), |at| select(self.input.tree, self.matches, at));
            let mut read: Vec<String> =
                spots.iter().filter_map(|spot| self.value(field, Some(spot))).collect();
            if field.at.is_none() {
                read.extend(self.value(field, None));
            }
            if !field.rule.field.is_list() {
                read.truncate(1);
            }
            if !read.is_empty() {
                values.of.insert(field.rule.field, read);
            }
        }
        values
    }

    /// One field for all objects of its plan.
    fn gather(&self, field: &FieldPlan, kind: usize, values: &mut [Values]) {
        let kinds = || self.found.places.iter().map(|(_, kind)| *kind);
        let Some(at) = &field.at else {
            let constant = self.value(field, None);
            for (values, own) in values.iter_mut().zip(kinds()) {
                if own == kind
                    && let Some(constant) = &constant
                {
                    values.of.entry(field.rule.field).or_insert_with(|| vec![constant.clone()]);
                }
            }
            return;
        };
        // Values of an earlier field of the same name stand.
        let taken: Vec<bool> =
            values.iter().map(|values| values.of.contains_key(&field.rule.field)).collect();
        for spot in select(self.input.tree, self.matches, at) {
            let Some(place) = self.found.owner(self.input.tree, spot.node) else { continue };
            let is_own = self.found.places.get(place).is_some_and(|(_, own)| *own == kind);
            if !is_own || taken.get(place) == Some(&true) {
                continue;
            }
            let Some(values) = values.get_mut(place) else { continue };
            if values.of.contains_key(&field.rule.field) && !field.rule.field.is_list() {
                continue;
            }
            let Some(value) = self.value(field, Some(&spot)) else { continue };
            if field.rule.field == Field::Id {
                values.is_anchor = self.is_anchor(&spot);
            }
            values.of.entry(field.rule.field).or_default().push(value);
        }
    }

    fn is_anchor(&self, spot: &Spot<'_>) -> bool {
        let element = self.input.tree.element(spot.node);
        element.is_some_and(|element| {
            let own = element.attribute("id").or_else(|| element.attribute("name"));
            own.is_some() && own == spot.attribute
        })
    }

    fn value(&self, field: &FieldPlan, spot: Option<&Spot<'_>>) -> Option<String> {
        let rule = &field.rule;
        let raw = match (spot, &rule.value) {
            (None, value) => value.clone()?,
            (Some(Spot { attribute: Some(value), .. }), _) => (*value).to_owned(),
            (Some(spot), _) => self.text(spot.node, &field.leave_out),
        };
        let raw = match &rule.matches {
            None => raw,
            Some(regex) => {
                let found = regex.captures(&raw)?;
                found.get(1).or_else(|| found.get(0))?.as_str().to_owned()
            }
        };
        let raw = raw.trim();
        if raw.is_empty() {
            return None;
        }
        match rule.field {
            Field::Url | Field::AuthorPage | Field::Attachment => Some(self.base.join(raw)?.to_string()),
            Field::Date | Field::Modified => {
                let hints = dates::Hints { now: self.input.at, ..rule.hints.clone() };
                dates::parse(raw, &hints)
            }
            Field::Body | Field::Quote => Some(raw.to_owned()),
            _ => Some(raw.split_whitespace().collect::<Vec<_>>().join(" ")),
        }
    }

    /// The text of a place, without objects inside of it: they speak for themselves.
    fn text(&self, node: NodeId, leave_out: &[Pattern]) -> String {
        let left: HashSet<NodeId> = leave_out
            .iter()
            .flat_map(|pattern| select(self.input.tree, self.matches, pattern))
            .map(|spot| spot.node)
            .collect();
        let is_left = |other: NodeId| left.contains(&other) || self.found.by_node.contains_key(&other);
        text::plain(self.input.tree, node, &is_left)
    }

    fn object(&self, kind: &str, mut values: Values, thread: &str, application: &Application) -> Object {
        let native = values.first(Field::Id);
        let own_url = values.first(Field::Url);
        let anchor = native.as_ref().filter(|_| values.is_anchor);
        let url = own_url.or_else(|| {
            let mut url = self.input.url.as_url().clone();
            url.set_fragment(Some(anchor?));
            Some(url.to_string())
        });
        let mut object = Object {
            kind: kind.to_owned(),
            id: String::new(),
            url,
            author: values.first(Field::Author),
            date: values.first(Field::Date),
            title: values.first(Field::Title),
            body: values.first(Field::Body).unwrap_or_default(),
            parent: values.first(Field::Parent),
            author_url: values.first(Field::AuthorPage),
            modified: values.first(Field::Modified),
            thread: Some(thread.to_owned()),
            thread_title: values.first(Field::ThreadTitle),
            forum: values.first(Field::Forum),
            rating: values.first(Field::Rating),
            quotes: values.all(Field::Quote),
            attachments: values.all(Field::Attachment),
            tags: values.all(Field::Tag),
        };
        object.id = identity(&object, native.as_deref(), self.input, application);
        object
    }

    /// Who answers whom.
    fn relate(&self, level: &Level, objects: &mut [Object], thread: &str) {
        let address = |object: &Object| object.url.clone().unwrap_or_else(|| object.id.clone());
        for place in 0..objects.len() {
            let Some((node, kind)) = self.found.places.get(place).copied() else { continue };
            let Some(plan) = level.objects.get(kind) else { continue };
            let named = objects.get(place).and_then(|object| object.parent.clone());
            let named = named.map(|named| {
                let ends = |id: &str| id.rsplit(':').next().is_some_and(|native| same_native(native, &named));
                let known = objects.iter().find(|other| ends(&other.id));
                known.map_or(named.clone(), address)
            });
            let enclosing =
                || self.found.enclosing(self.input.tree, node).and_then(|outer| objects.get(outer));
            let of_page = || {
                let wanted = plan.rule.parent.as_deref()?;
                let found = objects.iter().take(place).find(|other| other.kind == wanted);
                Some(found.map_or_else(|| thread.to_owned(), address))
            };
            let parent = named.or_else(|| enclosing().map(address)).or_else(of_page);
            if let Some(object) = objects.get_mut(place) {
                object.parent = parent;
            }
        }
        // What stands for the whole page has the page's address.
        for object in objects.iter_mut().filter(|object| object.url.is_none() && object.kind != "comment") {
            object.url = Some(self.input.url.as_str().to_owned());
        }
    }
}

/// `comment-12` and `12` are the same.
fn same_native(one: &str, other: &str) -> bool {
    let digits = |text: &str| text.trim_start_matches(|c: char| !c.is_ascii_digit()).to_owned();
    one == other || (!digits(one).is_empty() && digits(one) == digits(other))
}

/// The same for the same object, under whatever address it is seen: the software's own number of it, or else what it says.
fn identity(object: &Object, native: Option<&str>, input: &Input<'_>, application: &Application) -> String {
    let software = application.ancestors.iter().rev().nth(1).map_or(application.id.as_str(), String::as_str);
    let host = input.url.host_name();
    match native {
        Some(native) => format!("{software}:{host}:{}:{native}", object.kind),
        None => {
            let said =
                [&object.author, &object.date, &object.title].map(|part| part.as_deref().unwrap_or(""));
            let text = format!("{}\u{0}{}\u{0}{}", object.kind, said.join("\u{0}"), object.body);
            format!("{software}:{host}:{}:{:016x}", object.kind, xxhash_rust::xxh3::xxh3_64(text.as_bytes()))
        }
    }
}
