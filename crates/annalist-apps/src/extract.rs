//! What was written on a page: the objects of its level, with their fields.

use std::collections::{BTreeMap, HashMap, HashSet};

use annalist_model::Object;
use annalist_read::text;
use annalist_read::tree::{NodeId, Step, Tree};

use crate::automaton::{Map, Matches, Spot, select};
use crate::catalogue::{Application, Field, FieldPlan, Level};
use crate::dates;
use crate::helper::Input;
use crate::navigate::{paged, without};
use crate::parts::Extent;
use crate::place::{Base, base_of};

mod split;

/// More objects than this on one page are made by a machine.
pub(crate) const MOST_OBJECTS: usize = 5_000;

/// The objects of a page, in its order.
#[derive(Debug, Default)]
pub(crate) struct Lifted {
    pub objects: Vec<Object>,
    /// Where each of them is.
    pub places: Vec<Extent>,
    /// There were more than [`MOST_OBJECTS`].
    pub is_cut: bool,
}

/// The objects of a page on that level.
pub(crate) fn objects(
    application: &Application,
    level: &Level,
    matches: &Matches,
    input: &Input<'_>,
) -> Lifted {
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
    let parts = split::join(&found, input.tree, &mut values);
    // A page that can be had under several addresses says which is its own.
    let own = input.page.canonical.as_ref().filter(|own| own.host() == input.url.host());
    let own = own.unwrap_or(input.url);
    let plain = without(own, &application.drops);
    let thread = paged(plain.as_ref().unwrap_or(own).as_url(), &level.paging).thread.to_string();
    let mut objects: Vec<Object> = Vec::with_capacity(values.len());
    for ((node, kind), values) in found.places.iter().zip(values) {
        let name = level.objects.get(*kind).map_or("", |plan| plan.rule.kind.as_str());
        objects.push(reading.object(*node, name, values.or(&of_page), &thread, application));
    }
    reading.relate(level, &mut objects, &thread);
    let extents =
        found.places.iter().enumerate().map(|(place, (node, _))| found.extent(input.tree, place, *node));
    let mut extents: Vec<Extent> = extents.collect();
    for (part, whole) in parts.iter().enumerate().filter_map(|(part, whole)| Some((part, (*whole)?))) {
        let last = extents.get(part).map(|extent| extent.last);
        if let (Some(whole), Some(last)) = (extents.get_mut(whole), last) {
            whole.last = last;
        }
    }
    let all = objects.into_iter().zip(extents).zip(parts);
    let counting = all.filter(|((object, _), part)| part.is_none() && counts(object));
    let (objects, places) = counting.map(|(one, _)| one).unzip();
    Lifted { objects, places, is_cut: found.is_cut }
}

/// Where the objects of a page are, in the page's order.
struct Found {
    /// With the number of their plan.
    places: Vec<(NodeId, usize)>,
    by_node: Map<NodeId, usize>,
    /// The neighbours of objects that go on in them, with the object each belongs to.
    runs: Map<NodeId, usize>,
    /// There are more.
    is_cut: bool,
}

impl Found {
    fn of(level: &Level, matches: &Matches, tree: &Tree) -> Found {
        let mut places: Vec<(NodeId, usize)> = Vec::new();
        let mut seen = HashSet::new();
        let mut parents: Vec<NodeId> = Vec::new();
        for (number, plan) in level.objects.iter().enumerate() {
            for spot in select(tree, matches, &plan.at) {
                // An element that two plans find is the first one's.
                if !seen.insert(spot.node) {
                    continue;
                }
                places.push((spot.node, number));
                if plan.rule.is_run {
                    parents.extend(tree.parent(spot.node));
                }
            }
        }
        places.sort_by_key(|(node, _)| matches.place(*node));
        let is_cut = places.len() > MOST_OBJECTS;
        places.truncate(MOST_OBJECTS);
        let by_node: Map<NodeId, usize> =
            places.iter().enumerate().map(|(place, (node, _))| (*node, place)).collect();
        let is_run = |place: &usize| {
            let plan = places.get(*place).and_then(|(_, plan)| level.objects.get(*plan));
            plan.is_some_and(|plan| plan.rule.is_run)
        };
        parents.sort_unstable();
        parents.dedup();
        let mut runs = Map::default();
        for parent in parents {
            let mut open = None;
            for child in tree.children(parent) {
                match by_node.get(&child) {
                    Some(place) => open = Some(*place).filter(is_run),
                    None => drop(open.map(|place| runs.insert(child, place))),
                }
            }
        }
        Found { places, by_node, runs, is_cut }
    }

    /// The number of an object's plan.
    fn kind(&self, place: usize) -> Option<usize> {
        self.places.get(place).map(|(_, kind)| *kind)
    }

    /// The innermost object that a node is in, beginning with the node itself.
    fn owner(&self, tree: &Tree, node: NodeId) -> Option<usize> {
        let mut at = Some(node);
        while let Some(node) = at {
            if let Some(place) = self.by_node.get(&node) {
                return Some(*place);
            }
            if let Some(place) = self.runs.get(&node) {
                return Some(*place);
            }
            at = tree.parent(node);
        }
        None
    }

    /// The element of an object, and the last of those it goes on in.
    fn extent(&self, tree: &Tree, place: usize, first: NodeId) -> Extent {
        let mut last = first;
        while let Some(next) = tree.next_sibling(last).filter(|next| self.runs.get(next) == Some(&place)) {
            last = next;
        }
        Extent { first, last }
    }

    /// The object around an object.
    fn enclosing(&self, tree: &Tree, node: NodeId) -> Option<usize> {
        self.owner(tree, tree.parent(node)?)
    }
}

/// What was found for each field.
#[derive(Clone, Debug, Default)]
struct Values {
    of: BTreeMap<Field, Vec<String>>,
    /// The place in the page that the id is, where it stands in an `id` attribute.
    anchor: Option<String>,
    /// The id counts within the thread only.
    is_local: bool,
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
            let left = self.left_out(field);
            let mut read: Vec<String> =
                spots.iter().filter_map(|spot| self.value(field, Some(spot), &left)).collect();
            if field.at.is_none() {
                read.extend(self.value(field, None, &left));
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
            let constant = self.value(field, None, &HashSet::new());
            for (values, own) in values.iter_mut().zip(kinds()) {
                if own == kind
                    && let Some(constant) = &constant
                {
                    values.of.entry(field.rule.field).or_insert_with(|| vec![constant.clone()]);
                }
            }
            return;
        };
        let left = self.left_out(field);
        // Values of an earlier field of the same name stand.
        let taken: Vec<bool> =
            values.iter().map(|values| values.of.contains_key(&field.rule.field)).collect();
        // The last element of each body, which may go on in the next.
        let mut ends: Map<usize, NodeId> = Map::default();
        for spot in select(self.input.tree, self.matches, at) {
            let Some(place) = self.found.owner(self.input.tree, spot.node) else { continue };
            let is_own = self.found.places.get(place).is_some_and(|(_, own)| *own == kind);
            if !is_own || taken.get(place) == Some(&true) {
                continue;
            }
            let Some(values) = values.get_mut(place) else { continue };
            let is_more = field.rule.field == Field::Body
                && ends.get(&place).is_some_and(|end| split::goes_on(self.input.tree, *end, spot.node));
            if values.of.contains_key(&field.rule.field) && !field.rule.field.is_list() && !is_more {
                continue;
            }
            let Some(value) = self.value(field, Some(&spot), &left) else { continue };
            if field.rule.field == Field::Body {
                ends.insert(place, spot.node);
            }
            if is_more && let Some(body) = values.of.get_mut(&Field::Body).and_then(|all| all.first_mut()) {
                body.push('\n');
                body.push_str(&value);
                continue;
            }
            if field.rule.field == Field::Id {
                values.anchor = self.anchor(&spot);
                values.is_local = field.rule.is_local;
            }
            values.of.entry(field.rule.field).or_default().push(value);
        }
    }

    fn anchor(&self, spot: &Spot<'_>) -> Option<String> {
        let element = self.input.tree.element(spot.node)?;
        let own = element.attribute("id").or_else(|| element.attribute("name"))?;
        (Some(own) == spot.attribute).then(|| own.to_owned())
    }

    /// Whether an object is all of the page.
    fn is_whole(&self, node: NodeId) -> bool {
        let element = self.input.tree.element(node);
        element.is_some_and(|element| matches!(&**element.name(), "html" | "body"))
    }

    fn value(&self, field: &FieldPlan, spot: Option<&Spot<'_>>, left: &HashSet<NodeId>) -> Option<String> {
        let rule = &field.rule;
        let raw = match (spot, &rule.value) {
            (None, value) => value.clone()?,
            (Some(Spot { attribute: Some(value), .. }), _) => (*value).to_owned(),
            (Some(spot), _) if matches!(rule.field, Field::Date | Field::Modified) => {
                spaced(self.input.tree, spot.node)
            }
            (Some(spot), _) => self.text(spot.node, left),
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

    /// What does not belong to a field.
    fn left_out(&self, field: &FieldPlan) -> HashSet<NodeId> {
        let spots = field.leave_out.iter().flat_map(|pattern| select(self.input.tree, self.matches, pattern));
        spots.map(|spot| spot.node).collect()
    }

    /// The text of a place, without objects inside of it: they speak for themselves.
    fn text(&self, node: NodeId, left: &HashSet<NodeId>) -> String {
        let is_left = |other: NodeId| left.contains(&other) || self.found.by_node.contains_key(&other);
        text::plain(self.input.tree, node, &is_left)
    }

    fn object(
        &self,
        node: NodeId,
        kind: &str,
        mut values: Values,
        thread: &str,
        application: &Application,
    ) -> Object {
        let native = values.first(Field::Id);
        let own_url = values.first(Field::Url);
        let is_whole = self.is_whole(node);
        let anchor = values.anchor.take().filter(|_| !is_whole);
        let at_anchor = |anchor: String| {
            let mut url = self.input.url.as_url().clone();
            url.set_fragment(Some(&anchor));
            url.to_string()
        };
        // What stands for the whole page has the page's address.
        let of_page = || (kind != "comment").then(|| self.input.url.as_str().to_owned());
        let url = own_url.or_else(|| anchor.map(at_anchor)).or_else(of_page);
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
        let native = match native {
            Some(native) if values.is_local => Some(format!("{native}@{:016x}", hash(thread))),
            // An article that is edited is still the same.
            None if is_whole => Some(format!("{:016x}", hash(thread))),
            native => native,
        };
        object.id = identity(&object, native.as_deref(), self.input, application);
        object
    }

    /// Who answers whom.
    fn relate(&self, level: &Level, objects: &mut [Object], thread: &str) {
        let address = |object: &Object| object.url.clone().unwrap_or_else(|| object.id.clone());
        // By the software's own number, and by the digits in it: `comment-12` and `12` are the same.
        let mut by_native: HashMap<String, usize> = HashMap::new();
        let mut first_of: HashMap<String, usize> = HashMap::new();
        for (place, object) in objects.iter().enumerate() {
            first_of.entry(object.kind.clone()).or_insert(place);
            let native = object.id.rsplit(':').next().unwrap_or_default();
            by_native.entry(native.to_owned()).or_insert(place);
            if let Some(digits) = digits(native) {
                by_native.entry(digits).or_insert(place);
            }
        }
        for place in 0..objects.len() {
            let Some((node, kind)) = self.found.places.get(place).copied() else { continue };
            let Some(plan) = level.objects.get(kind) else { continue };
            let named = objects.get(place).and_then(|object| object.parent.clone());
            let named = named.map(|named| {
                let known = by_native.get(&named).or_else(|| by_native.get(&digits(&named)?));
                known.and_then(|known| objects.get(*known)).map_or(named.clone(), address)
            });
            let enclosing = || self.enclosing(node, objects);
            let of_page = || {
                let wanted = plan.rule.parent.as_deref()?;
                let found = first_of
                    .get(wanted)
                    .filter(|found| **found != place)
                    .and_then(|found| objects.get(*found));
                Some(found.map_or_else(|| thread.to_owned(), address))
            };
            let parent = named.or_else(|| enclosing().map(address)).or_else(of_page);
            if let Some(object) = objects.get_mut(place) {
                object.parent = parent;
            }
        }
    }

    /// The innermost object around another that says something.
    fn enclosing<'o>(&self, node: NodeId, objects: &'o [Object]) -> Option<&'o Object> {
        let mut at = node;
        loop {
            let place = self.found.enclosing(self.input.tree, at)?;
            let outer = objects.get(place)?;
            if counts(outer) {
                return Some(outer);
            }
            at = self.found.places.get(place)?.0;
        }
    }
}

/// The text of a place with a space between its elements: a number before a date is not a part of it.
pub(crate) fn spaced(tree: &Tree, node: NodeId) -> String {
    const MOST_STEPS: usize = 200;
    let mut words: Vec<&str> = tree.text(node).unwrap_or_default().split_whitespace().collect();
    for step in tree.walk(node).take(MOST_STEPS) {
        if let Step::Enter(below) = step {
            words.extend(tree.text(below).unwrap_or_default().split_whitespace());
        }
    }
    words.join(" ")
}

/// Whether there is anything to it.
fn counts(object: &Object) -> bool {
    !object.body.is_empty() || object.title.is_some() || !object.attachments.is_empty()
}

fn hash(text: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(text.as_bytes())
}

/// The number at the end of a name.
fn digits(native: &str) -> Option<String> {
    let digits = native.trim_start_matches(|c: char| !c.is_ascii_digit());
    (!digits.is_empty()).then(|| digits.to_owned())
}

/// The same for the same object, under whatever address it is seen: the software's own number of it, or else what it says.
fn identity(object: &Object, native: Option<&str>, input: &Input<'_>, application: &Application) -> String {
    let software = application.software();
    let host = input.url.host_name();
    match native {
        Some(native) => format!("{software}:{host}:{}:{native}", object.kind),
        None => {
            let said =
                [&object.author, &object.date, &object.title].map(|part| part.as_deref().unwrap_or(""));
            let text = format!("{}\u{0}{}\u{0}{}", object.kind, said.join("\u{0}"), object.body);
            format!("{software}:{host}:{}:{:016x}", object.kind, hash(&text))
        }
    }
}

#[cfg(test)]
mod tests;
