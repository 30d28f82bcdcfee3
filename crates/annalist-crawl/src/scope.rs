//! Which links are fetched, and why. How soon one is fetched is the frontier's business; whether robots.txt allows it
//! is the source's.
//!
//! A link is in scope when the scope of a seed holds it, a SURT prefix begins its URL, or an `include` expression holds;
//! when a page that is fetched embeds it; or when it is at most `extra_hops` hops away from the scope. Blocked sites, too
//! many clicks or redirects, traps and `exclude` expressions keep it out all the same. Every seed has its own depth, and
//! its links have it too wherever they lead; a link that leads into another seed's scope is in scope, but nothing is
//! because another seed's scope is `any`.
//!
//! Expressions read `url`, `host` (its name), `site`, `path`, `query` (both as escaped in the URL), `depth`, `hops`
//! (such as `LLE`), `via` (the URL of the page that named the link, empty for a seed), `mime`, `language` and `score`;
//! `passed(…)` asks the same of every page on the way from the seed, which is looked up only then.
//! [`Scope::admit`] decides about a link before it is fetched: there `mime` and `language` are those of the page the link
//! was found on, and `score` is the link's. [`Scope::follow`] decides about the links of a page that has been fetched:
//! there all three are the page's own.

mod areas;
mod expression;
mod names;
mod query;
mod surts;
mod traps;
mod way;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use annalist_model::spec::{Expression, Mistake, ScopeKind, Spec};
use annalist_model::{CanonicalUrl, Hop, Link, Score, SkipReason};

use areas::{Areas, Widened};
use expression::{About, Rule, Subject};
use names::Names;
pub use query::{Query, link_of};
use surts::Surts;
pub use way::{Passed, Walked, Way};

/// A frame in a frame in a frame is shown; what lies deeper is hardly part of the page.
const MOST_EMBEDS_IN_A_ROW: usize = 3;

/// The spec's scope, ready to decide.
#[derive(Debug)]
pub struct Scope {
    areas: Areas,
    widened: Widened,
    /// By the seed's number.
    seeds: Vec<SeedRules>,
    surts: Surts,
    include: Vec<Rule>,
    exclude: Vec<Rule>,
    blocked: Names<()>,
    /// What a site's own rules say about depth.
    site_depths: Names<Option<u16>>,
    depth: Option<u16>,
    extra_hops: u16,
    embeds: Embeds,
    only_injected: bool,
    max_redirects: u16,
}

#[derive(Debug)]
struct SeedRules {
    kind: ScopeKind,
    depth: Option<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Embeds {
    Fetched,
    LeftOut,
}

/// What is known about a link beside itself. What is not known leaves the expressions that need it undecided.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts<'a> {
    /// The URL of the page that named it.
    pub via_url: Option<&'a str>,
    /// The MIME type of that page; in [`Scope::follow`], of the page itself.
    pub mime: Option<&'a str>,
    /// The language of that page; in [`Scope::follow`], of the page itself.
    pub language: Option<&'a str>,
    pub score: Option<Score>,
    /// The pages that led to it.
    pub way: Option<&'a Way<'a>>,
    /// What is known of a page in an archive, where it is asked about and not a link.
    pub page: Option<&'a PageFacts<'a>>,
    /// How many hops beyond the scope that page is: what [`Verdict::In`] said of it, 0 inside.
    pub via_beyond: u16,
    /// It was in scope once, when more was known of that page: an `include` expression that cannot be decided any more
    /// counts for it.
    pub was_in_scope: bool,
}

/// What is known of a page that was read.
#[derive(Clone, Copy, Debug, Default)]
pub struct PageFacts<'a> {
    pub title: Option<&'a str>,
    /// What software made it.
    pub application: Option<&'a str>,
    /// What it is to its application.
    pub level: Option<&'a str>,
    /// The day, `2011-03-05`: days compare as texts do.
    pub published: Option<&'a str>,
    /// Words of its matter.
    pub words: u32,
    /// Posts, comments and articles on it.
    pub objects: u32,
    /// Whether it nearly repeats a page that was captured before.
    pub is_duplicate: bool,
}

/// Whether a link is fetched, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict<'s> {
    In {
        why: &'s str,
        /// How many hops beyond the scope it is, 0 inside: the next link's [`Facts::via_beyond`].
        beyond: u16,
    },
    Out {
        reason: SkipReason,
        detail: Cow<'s, str>,
    },
}

impl Verdict<'_> {
    pub fn is_in(&self) -> bool {
        matches!(self, Verdict::In { .. })
    }
}

impl Scope {
    /// Compiles the spec's scope, or says everything that is wrong with its expressions.
    pub fn compile(spec: &Spec) -> Result<Scope, Vec<Mistake>> {
        let mut mistakes = Vec::new();
        let include = rules(&spec.scope.include, &mut mistakes);
        let exclude = rules(&spec.scope.exclude, &mut mistakes);
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let blocked_sites = spec.sites.iter().filter(|rules| rules.blocked).map(|rules| &rules.site);
        let blocked = spec.scope.blocked_sites.iter().chain(blocked_sites).map(|name| (name.as_str(), ()));
        let site_depths = spec.sites.iter().map(|rules| (rules.site.as_str(), rules.depth));
        Ok(Scope {
            areas: Areas::of(&spec.seeds),
            widened: Widened::default(),
            seeds: spec.seeds.iter().map(|seed| SeedRules { kind: seed.scope, depth: seed.depth }).collect(),
            surts: Surts::new(&spec.scope.surts),
            include,
            exclude,
            blocked: Names::new(blocked),
            site_depths: Names::new(site_depths),
            depth: spec.scope.depth,
            extra_hops: spec.scope.extra_hops,
            embeds: if spec.scope.embeds { Embeds::Fetched } else { Embeds::LeftOut },
            only_injected: spec.scope.only_injected,
            max_redirects: spec.fetch.max_redirects,
        })
    }

    /// What is wrong with expressions, for a spec that is wrong elsewhere too.
    pub fn mistakes(expressions: &[Expression]) -> Vec<Mistake> {
        expressions.iter().filter_map(|expression| Rule::compile(expression, About::Links).err()).collect()
    }

    /// Why nothing of a host is fetched, if it is blocked.
    pub fn shut(&self, host_name: &str) -> Option<String> {
        self.blocked.of(host_name).map(|(name, ())| format!("{name} is blocked by the spec"))
    }

    /// Before fetching: whether the link is in scope.
    pub fn admit<'s>(&'s self, link: &Link, facts: &Facts<'_>) -> Verdict<'s> {
        if let Some(detail) = self.shut(link.url.host_name()) {
            return out(SkipReason::Blocked, detail);
        }
        if link.hops.last() == Some(Hop::Prerequisite) {
            return Verdict::In { why: "something in scope needs it", beyond: facts.via_beyond };
        }
        let redirects = link.hops.redirects_in_a_row();
        if redirects > usize::from(self.max_redirects) {
            return out(SkipReason::RedirectLoop, format!("{redirects} redirects in a row"));
        }
        let standing = self.standing(link, facts);
        let refused = match &standing {
            Verdict::In { .. } => self.refused(link, facts),
            Verdict::Out { .. } => None,
        };
        refused.unwrap_or(standing)
    }

    /// After fetching: whether the page's links are followed. Only `exclude` expressions about MIME type, language or
    /// score can forbid it, for these are known only now.
    pub fn follow<'s>(&'s self, link: &Link, facts: &Facts<'_>) -> Verdict<'s> {
        let subject = Subject { link, facts };
        match self.exclude.iter().find(|rule| rule.is_about_pages() && rule.holds(&subject)) {
            Some(rule) => out(SkipReason::Excluded, rule.text.as_str()),
            None => Verdict::In { why: "no rule against its links", beyond: facts.via_beyond },
        }
    }

    /// Whether an `exclude` expression may keep the link out, as far as what is known of its page tells.
    pub fn may_exclude(&self, link: &Link, facts: &Facts<'_>) -> bool {
        let subject = Subject { link, facts };
        self.exclude.iter().any(|rule| rule.may_hold(&subject))
    }

    /// Whether the link is in scope in its own right: not as an embed, and not within the extra hops.
    pub fn holds(&self, link: &Link, facts: &Facts<'_>) -> bool {
        self.home(link, facts).is_some()
    }

    /// The seed was redirected to `target`: its scope now reaches over the target's host too.
    pub fn widen(&self, seed: u32, target: &CanonicalUrl) {
        let Some(rules) = self.rules_of(seed) else { return };
        if !self.areas.hold(target) {
            self.widened.add(seed, rules.kind, target);
        }
    }

    /// Every seed and target that [`Scope::widen`] was called with and that made a difference. After a restart, calling
    /// it with these again restores the scope.
    pub fn widened(&self) -> Vec<(u32, String)> {
        self.widened.all()
    }

    fn rules_of(&self, seed: u32) -> Option<&SeedRules> {
        self.seeds.get(usize::try_from(seed).ok()?)
    }

    /// Where the link stands towards the scope, limits and rules aside.
    fn standing<'s>(&'s self, link: &Link, facts: &Facts<'_>) -> Verdict<'s> {
        if let Some(why) = self.home(link, facts) {
            return Verdict::In { why, beyond: 0 };
        }
        let embeds = link.hops.embeds_in_a_row();
        if self.embeds == Embeds::Fetched && (1..=MOST_EMBEDS_IN_A_ROW).contains(&embeds) {
            // One hop further out than its page: a frame's links get none of the extra hops that its page has left.
            return Verdict::In { why: "embedded in a page", beyond: facts.via_beyond.saturating_add(1) };
        }
        let beyond = match link.hops.last() {
            Some(Hop::Redirect) => facts.via_beyond.max(1),
            _ => facts.via_beyond.saturating_add(1),
        };
        if embeds == 0 && self.only_injected {
            return out(SkipReason::OutOfScope, "only seeds and injected addresses are fetched");
        }
        if embeds == 0 && beyond <= self.extra_hops {
            return Verdict::In { why: "within the extra hops beyond the scope", beyond };
        }
        let detail = match (embeds, self.embeds) {
            (0, _) if self.extra_hops > 0 => "further beyond every scope than the extra hops",
            (0, _) => "in no seed's scope, and no include rule holds",
            (_, Embeds::LeftOut) => "embedded, but in no seed's scope",
            (_, Embeds::Fetched) => "more than 3 embeds in a row",
        };
        out(SkipReason::OutOfScope, detail)
    }

    /// Why the link is in scope in its own right, if it is.
    fn home<'s>(&'s self, link: &Link, facts: &Facts<'_>) -> Option<&'s str> {
        if link.hops.is_empty() {
            return Some("a seed");
        }
        if link.hops.redirects_in_a_row() == link.hops.len() {
            return Some("where a seed redirects to");
        }
        if self.only_injected {
            return None;
        }
        if self.rules_of(link.seed).is_some_and(|rules| rules.kind == ScopeKind::Any) {
            return Some("its seed's scope is any");
        }
        if self.areas.hold(&link.url) {
            return Some("in a seed's scope");
        }
        if self.widened.hold(&link.url) {
            return Some("in the scope of a seed that was redirected");
        }
        if let Some(prefix) = self.surts.of(&link.url) {
            return Some(prefix);
        }
        let subject = Subject { link, facts };
        let holds = |rule: &&Rule| rule.holds(&subject) || (facts.was_in_scope && rule.may_hold(&subject));
        self.include.iter().find(holds).map(|rule| rule.text.as_str())
    }

    /// What keeps out a link that would be in scope.
    fn refused<'s>(&'s self, link: &Link, facts: &Facts<'_>) -> Option<Verdict<'s>> {
        if let Some(limit) = self.depth_limit(link)
            && link.depth > limit
        {
            let detail = format!("{} clicks from its seed, {limit} allowed", link.depth);
            return Some(out(SkipReason::TooDeep, detail));
        }
        // The archivist wrote the seeds: they are no traps, however they look.
        if !link.hops.is_empty()
            && let Some(trap) = traps::trap(&link.url)
        {
            return Some(out(SkipReason::Trap, trap));
        }
        let subject = Subject { link, facts };
        let rule = self.exclude.iter().find(|rule| rule.holds(&subject))?;
        Some(out(SkipReason::Excluded, rule.text.as_str()))
    }

    /// The most clicks from the seed: the site's own rule, the seed's, or everybody's.
    fn depth_limit(&self, link: &Link) -> Option<u16> {
        let of_site = self.site_depths.of(link.url.host_name()).and_then(|(_, depth)| *depth);
        of_site.or(self.rules_of(link.seed).and_then(|rules| rules.depth)).or(self.depth)
    }
}

fn rules(expressions: &[Expression], mistakes: &mut Vec<Mistake>) -> Vec<Rule> {
    let compiled = expressions.iter().map(|expression| Rule::compile(expression, About::Links));
    compiled.filter_map(|rule| rule.map_err(|mistake| mistakes.push(mistake)).ok()).collect()
}

fn out<'s>(reason: SkipReason, detail: impl Into<Cow<'s, str>>) -> Verdict<'s> {
    Verdict::Out { reason, detail: detail.into() }
}
