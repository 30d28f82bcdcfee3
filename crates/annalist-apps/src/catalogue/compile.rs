//! All descriptions together, made ready for use: one automaton for their expressions, one search for their addresses, one
//! for their texts, and from each sign the way back to the applications it tells.

use std::collections::HashMap;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, Input, MatchKind};
use annalist_model::CanonicalUrl;
use annalist_read::tree::Tree;
use url::Url;

use super::inherit::{Whole, complete};
use super::{
    Description, FieldRule, LevelDescription, LevelKind, Mistake, ObjectRule, Others, Paging, Rule, Ruling,
    Sign,
};
use crate::address::{Address, Addresses};
use crate::automaton::{Automaton, Builder, Matches, Pattern, State};
use crate::xpath::{Axis, Expression};

/// What is known of applications, ready for use.
#[derive(Debug)]
pub struct Catalogue {
    pub applications: Vec<Application>,
    pub automaton: Automaton,
    by_state: HashMap<State, Vec<usize>>,
    addresses: Addresses,
    by_address: Vec<usize>,
    texts: Option<Texts>,
    by_text: Vec<usize>,
}

#[derive(Debug)]
pub struct Application {
    pub id: String,
    pub name: String,
    /// The nearest first; the last is its general type.
    pub ancestors: Vec<String>,
    pub levels: Vec<Level>,
    /// For pages on no level.
    pub links: Links,
    pub paging: Vec<Paging>,
    pub drops: Vec<String>,
    pub others: Others,
    signs: Vec<Compiled>,
}

impl Application {
    /// Its own id, or, where it is the description of one site, that of the software it runs.
    pub fn software(&self) -> &str {
        let is_site = self.id.contains('@');
        let above = self.ancestors.iter().find(|id| !id.contains('@')).filter(|_| is_site);
        above.unwrap_or(&self.id)
    }

    /// blog, forum, wiki, news: the most general of its line.
    pub fn general_type(&self) -> &str {
        self.ancestors.last().unwrap_or(&self.id)
    }
}

#[derive(Debug)]
pub struct Level {
    pub id: String,
    pub kind: LevelKind,
    pub is_index: bool,
    pub links: Links,
    pub paging: Vec<Paging>,
    pub next: Vec<Pattern>,
    pub others: Others,
    pub fields: Vec<FieldPlan>,
    pub objects: Vec<ObjectPlan>,
    signs: Option<Vec<Compiled>>,
    /// As it was written: what adaptation begins with.
    pub description: LevelDescription,
}

/// Rules for links, in the order in which they are tried.
#[derive(Debug)]
pub struct Links {
    pub rules: Vec<LinkRule>,
    addresses: Addresses,
    has_embeds: bool,
}

impl Links {
    /// The first rule for links that an address alone fulfils.
    pub fn by_address(&self, url: &CanonicalUrl) -> Option<&LinkRule> {
        self.first(url, |_, rule| rule.at.is_none() && !rule.is_for_embeds)
    }

    /// The first rule for what is embedded that an address fulfils.
    pub fn for_embed(&self, url: &CanonicalUrl) -> Option<&LinkRule> {
        self.has_embeds.then(|| self.first(url, |_, rule| rule.is_for_embeds)).flatten()
    }

    /// The first that an address fulfils of those that are wanted, by their number and what they say.
    pub fn first(
        &self,
        url: &CanonicalUrl,
        is_wanted: impl Fn(usize, &LinkRule) -> bool,
    ) -> Option<&LinkRule> {
        let is_wanted = |place| self.rules.get(place).is_some_and(|rule| is_wanted(place, rule));
        self.addresses.first(url.as_url(), is_wanted).and_then(|place| self.rules.get(place))
    }
}

#[derive(Debug)]
pub struct LinkRule {
    pub ruling: Ruling,
    pub name: String,
    pub at: Option<Pattern>,
    pub is_for_embeds: bool,
}

#[derive(Debug)]
pub struct ObjectPlan {
    pub rule: ObjectRule,
    pub at: Pattern,
    pub fields: Vec<FieldPlan>,
}

#[derive(Debug)]
pub struct FieldPlan {
    pub rule: FieldRule,
    pub at: Option<Pattern>,
    pub leave_out: Vec<Pattern>,
}

/// A sign that can be looked up.
#[derive(Debug)]
enum Compiled {
    Markup(Pattern),
    Address(Address),
    /// Its number among all texts.
    Text(usize),
    All(Vec<Compiled>),
    Any(Vec<Compiled>),
    None(Vec<Compiled>),
}

/// All texts that tell something.
#[derive(Debug)]
struct Texts {
    all: AhoCorasick,
    /// Finds where the first of them begins, in most pages none, much faster than `all` can.
    first: AhoCorasick,
}

impl Texts {
    fn new(texts: &[String]) -> Option<Texts> {
        let made = |kind| AhoCorasickBuilder::new().match_kind(kind).build(texts).ok();
        let texts = Texts { all: made(MatchKind::Standard)?, first: made(MatchKind::LeftmostFirst)? };
        (texts.all.patterns_len() > 0).then_some(texts)
    }
}

/// What a page shows.
pub struct Shown<'p> {
    pub tree: &'p Tree,
    pub url: &'p Url,
    pub matches: &'p Matches,
    /// Which of the catalogue's texts are in it.
    pub texts: Vec<usize>,
}

impl Catalogue {
    /// Descriptions that cannot be completed are left out, and told of.
    pub fn new(descriptions: &[Description]) -> (Catalogue, Vec<Mistake>) {
        let (whole, mistakes) = complete(descriptions);
        let mut making = Making { builder: Builder::default(), texts: Vec::new() };
        let applications: Vec<Application> = whole.into_iter().map(|one| making.application(one)).collect();
        let mut by_state: HashMap<State, Vec<usize>> = HashMap::new();
        let (mut addresses, mut by_address) = (Vec::new(), Vec::new());
        let mut by_text = vec![0; making.texts.len()];
        for (number, application) in applications.iter().enumerate() {
            each_leaf(&application.signs, &mut |leaf| match leaf {
                Compiled::Markup(pattern) => {
                    for state in pattern.states() {
                        by_state.entry(state).or_default().push(number);
                    }
                }
                Compiled::Address(address) => {
                    addresses.push(address.clone());
                    by_address.push(number);
                }
                Compiled::Text(text) => {
                    if let Some(owner) = by_text.get_mut(*text) {
                        *owner = number;
                    }
                }
                Compiled::All(_) | Compiled::Any(_) | Compiled::None(_) => {}
            });
        }
        let catalogue = Catalogue {
            applications,
            automaton: making.builder.build(),
            by_state,
            addresses: Addresses::new(addresses),
            by_address,
            texts: Texts::new(&making.texts),
            by_text,
        };
        (catalogue, mistakes)
    }

    pub fn application(&self, id: &str) -> Option<&Application> {
        self.applications.iter().find(|application| application.id == id)
    }

    /// The catalogue's texts that a text has.
    pub fn texts_in(&self, text: &str) -> Vec<usize> {
        let Some(texts) = &self.texts else { return Vec::new() };
        let Some(first) = texts.first.find(text) else { return Vec::new() };
        let rest = Input::new(text).range(first.start()..);
        let mut found: Vec<usize> =
            texts.all.find_overlapping_iter(rest).map(|hit| hit.pattern().as_usize()).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The application that a page belongs to: the most specific, then the one with most signs, then the first.
    pub fn detect(&self, shown: &Shown<'_>) -> Option<&Application> {
        let mut hinted: Vec<usize> = Vec::new();
        hinted.extend(shown.matches.states().filter_map(|state| self.by_state.get(&state)).flatten());
        hinted
            .extend(self.addresses.holding(shown.url).iter().filter_map(|place| self.by_address.get(*place)));
        hinted.extend(shown.texts.iter().filter_map(|text| self.by_text.get(*text)));
        hinted.sort_unstable();
        hinted.dedup();
        let told = hinted.into_iter().filter_map(|number| {
            let application = self.applications.get(number)?;
            let signs = application.signs.iter().filter(|sign| sign.holds(shown)).count();
            (signs > 0).then_some((application, signs))
        });
        // The first of equals: `max_by_key` would take the last.
        let mut best: Option<(&Application, usize)> = None;
        for (application, signs) in told {
            let rank = |(one, signs): (&Application, usize)| (one.ancestors.len(), signs);
            if best.is_none_or(|best| rank((application, signs)) > rank(best)) {
                best = Some((application, signs));
            }
        }
        best.map(|(application, _)| application)
    }
}

impl Application {
    /// The level that a page is on.
    pub fn level(&self, shown: &Shown<'_>) -> Option<&Level> {
        self.levels.iter().find(|level| match &level.signs {
            Some(signs) => signs.iter().any(|sign| sign.holds(shown)),
            None => true,
        })
    }
}

impl Compiled {
    fn holds(&self, shown: &Shown<'_>) -> bool {
        match self {
            Compiled::Markup(pattern) => shown.matches.holds(pattern, shown.tree),
            Compiled::Address(address) => address.holds(shown.url),
            Compiled::Text(text) => shown.texts.binary_search(text).is_ok(),
            Compiled::All(signs) => signs.iter().all(|sign| sign.holds(shown)),
            Compiled::Any(signs) => signs.iter().any(|sign| sign.holds(shown)),
            Compiled::None(signs) => !signs.iter().any(|sign| sign.holds(shown)),
        }
    }
}

/// Those that are hints: what must not be there is none.
fn each_leaf(signs: &[Compiled], visit: &mut impl FnMut(&Compiled)) {
    for sign in signs {
        match sign {
            Compiled::All(inner) | Compiled::Any(inner) => each_leaf(inner, visit),
            Compiled::None(_) => {}
            leaf => visit(leaf),
        }
    }
}

struct Making {
    builder: Builder,
    texts: Vec<String>,
}

impl Making {
    fn application(&mut self, whole: Whole) -> Application {
        let Whole { description, ancestors } = whole;
        let others = description.others.unwrap_or(Others::Follow);
        Application {
            levels: description.levels.into_iter().map(|level| self.level(level, others)).collect(),
            links: self.links(&description.rules),
            signs: self.signs(&description.signs),
            paging: description.paging,
            drops: description.drops,
            id: description.id,
            name: description.name,
            ancestors,
            others,
        }
    }

    fn level(&mut self, level: LevelDescription, others: Others) -> Level {
        let page = Expression { paths: vec![crate::xpath::Path::default()] };
        Level {
            id: level.id.clone(),
            kind: level.kind.unwrap_or(if level.objects.is_empty() {
                LevelKind::Intermediate
            } else {
                LevelKind::Terminal
            }),
            is_index: level.is_index.unwrap_or(false),
            links: self.links(&level.rules),
            paging: level.paging.clone(),
            next: level.next.iter().map(|at| self.builder.add(at)).collect(),
            others: level.others.unwrap_or(others),
            fields: level.fields.iter().map(|field| self.field(field, &page, false)).collect(),
            objects: level.objects.iter().map(|object| self.object(object)).collect(),
            signs: level.signs.as_ref().map(|signs| self.signs(signs)),
            description: level,
        }
    }

    fn object(&mut self, rule: &ObjectRule) -> ObjectPlan {
        ObjectPlan {
            at: self.builder.add(&rule.at),
            fields: rule.fields.iter().map(|field| self.field(field, &rule.at, rule.is_run)).collect(),
            rule: rule.clone(),
        }
    }

    fn field(&mut self, rule: &FieldRule, object: &Expression, is_run: bool) -> FieldPlan {
        let at = rule.at.as_ref().map(|at| inside(at, object, is_run));
        let leave_out = match &at {
            Some(at) => rule.leave_out.iter().map(|left| self.builder.add(&left.within(at))).collect(),
            None => Vec::new(),
        };
        FieldPlan { at: at.map(|at| self.builder.add(&at)), leave_out, rule: rule.clone() }
    }

    fn links(&mut self, rules: &[Rule]) -> Links {
        let addresses = rules.iter().map(|rule| rule.address.clone()).collect();
        let rule = |rule: &Rule| LinkRule {
            ruling: rule.ruling,
            name: rule.name.clone(),
            at: rule.at.as_ref().map(|at| self.builder.add(at)),
            is_for_embeds: rule.is_for_embeds,
        };
        let has_embeds = rules.iter().any(|rule| rule.is_for_embeds);
        Links { rules: rules.iter().map(rule).collect(), addresses: Addresses::new(addresses), has_embeds }
    }

    fn signs(&mut self, signs: &[Sign]) -> Vec<Compiled> {
        let made = signs.iter().map(|sign| match sign {
            Sign::Markup(at) => Compiled::Markup(self.builder.add(at)),
            Sign::Address(address) => Compiled::Address(address.clone()),
            Sign::Text(text) => {
                self.texts.push(text.clone());
                Compiled::Text(self.texts.len() - 1)
            }
            Sign::All(signs) => Compiled::All(self.signs(signs)),
            Sign::Any(signs) => Compiled::Any(self.signs(signs)),
            // Completed before; where there is nothing to inherit, nothing tells it.
            Sign::Inherited => Compiled::Any(Vec::new()),
            Sign::None(signs) => Compiled::None(self.signs(signs)),
        });
        made.collect()
    }
}

/// A field's expression from its object on. Of an object that goes on in its neighbours, only what is said to be its own (`./@id`)
/// begins at its element; the rest is anywhere, and belongs to it by its place.
fn inside(at: &Expression, object: &Expression, is_run: bool) -> Expression {
    let mut paths = Vec::new();
    for path in &at.paths {
        let alone = Expression { paths: vec![path.clone()] };
        let is_own = path.steps.first().is_none_or(|step| step.axis == Axis::Child);
        if is_run && !is_own {
            paths.extend(alone.paths);
        } else {
            paths.extend(alone.within(object).paths);
        }
    }
    Expression { paths }
}
