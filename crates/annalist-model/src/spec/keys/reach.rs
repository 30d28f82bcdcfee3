//! The keys that say what is fetched: scope, limits, the one spelling of URLs, and what differs for a site.

use super::written::{decimal, duration, flag, list, optional, size, text, whole, word};
use crate::spec::shape::{ANY_DURATION, CLICKS, COUNT, SOME_BYTES, SOME_TIME, Shape, TEXT, words};
use crate::spec::table::{Key, set};
use crate::spec::value::Value;
use crate::spec::{Expression, Limits, RobotsPolicy, ScopeRules, SiteRules};
use crate::url::Canonicaliser;

const EXPRESSION: Shape = Shape::Described("an expression such as 'host.endsWith(\".gr\") && depth <= 4'");
const SITE_NAME: Shape = Shape::Described("a site or host name such as \"example.org\"");

pub(in crate::spec) const SCOPE: &[Key<ScopeRules>] = &[
    Key {
        name: "include",
        shape: Shape::List(&EXPRESSION),
        meaning: "a link that one of these holds for is in scope, wherever it is",
        read: |scope, value| set(&mut scope.include, value.list(expression)),
        write: |scope| list(scope.include.iter().map(|e| &e.text)),
    },
    Key {
        name: "exclude",
        shape: Shape::List(&EXPRESSION),
        meaning: "a link that one of these holds for is never fetched",
        read: |scope, value| set(&mut scope.exclude, value.list(expression)),
        write: |scope| list(scope.exclude.iter().map(|e| &e.text)),
    },
    Key {
        name: "surts",
        shape: Shape::List(&Shape::Described("a SURT prefix such as \"http://(org,example,\"")),
        meaning: "SURT prefixes that are in scope; http and https alike",
        read: |scope, value| set(&mut scope.surts, value.list(|item| item.parsed(surt))),
        write: |scope| list(&scope.surts),
    },
    Key {
        name: "depth",
        shape: CLICKS,
        meaning: "clicks from the seed; without limit when not set",
        read: |scope, value| set(&mut scope.depth, value.whole().map(Some)),
        write: |scope| optional(scope.depth, whole),
    },
    Key {
        name: "extra_hops",
        shape: Shape::Whole { least: 0, most: 100 },
        meaning: "how many hops beyond the scope are still fetched",
        read: |scope, value| set(&mut scope.extra_hops, value.whole()),
        write: |scope| whole(scope.extra_hops),
    },
    Key {
        name: "embeds",
        shape: Shape::Flag,
        meaning: "whether what a page embeds is fetched with it, wherever it is",
        read: |scope, value| set(&mut scope.embeds, value.flag()),
        write: |scope| flag(scope.embeds),
    },
    Key {
        name: "sitemaps",
        shape: Shape::Flag,
        meaning: "whether sitemaps are read: those that robots.txt names, and /sitemap.xml",
        read: |scope, value| set(&mut scope.sitemaps, value.flag()),
        write: |scope| flag(scope.sitemaps),
    },
    Key {
        name: "block",
        shape: Shape::List(&SITE_NAME),
        meaning: "sites and hosts that are never asked, with everything below them",
        read: |scope, value| set(&mut scope.blocked_sites, value.list(|item| item.parsed(host_name))),
        write: |scope| list(&scope.blocked_sites),
    },
    Key {
        name: "only_injected",
        shape: Shape::Flag,
        meaning: "whether nothing is fetched but seeds and addresses that are handed over, with what they embed; the crawl then waits for more of them until it is stopped",
        read: |scope, value| set(&mut scope.only_injected, value.flag()),
        write: |scope| flag(scope.only_injected),
    },
];

pub(in crate::spec) const LIMITS: &[Key<Limits>] = &[
    Key {
        name: "pages",
        shape: COUNT,
        meaning: "the crawl ends after this many captures of links, pages and what they embed alike",
        read: |limits, value| set(&mut limits.pages, value.whole().map(Some)),
        write: |limits| optional(limits.pages, whole),
    },
    Key {
        name: "size",
        shape: SOME_BYTES,
        meaning: "the crawl ends when this much was received, over all its runs",
        read: |limits, value| set(&mut limits.size_bytes, value.size().map(Some)),
        write: |limits| optional(limits.size_bytes, size),
    },
    Key {
        name: "time",
        shape: SOME_TIME,
        meaning: "the crawl ends after this long; each run has it anew",
        read: |limits, value| set(&mut limits.time, value.duration().map(Some)),
        write: |limits| optional(limits.time, duration),
    },
    Key {
        name: "site_pages",
        shape: COUNT,
        meaning: "captures of one site",
        read: |limits, value| set(&mut limits.site_pages, value.whole().map(Some)),
        write: |limits| optional(limits.site_pages, whole),
    },
    Key {
        name: "site_size",
        shape: SOME_BYTES,
        meaning: "bytes received from one site",
        read: |limits, value| set(&mut limits.site_size_bytes, value.size().map(Some)),
        write: |limits| optional(limits.site_size_bytes, size),
    },
];

pub(in crate::spec) const CANONICAL: &[Key<Canonicaliser>] = &[
    Key {
        name: "strip_session_ids",
        shape: Shape::Flag,
        meaning: "take parameters that carry a session out of URLs",
        read: |rules, value| set(&mut rules.strip_session_ids, value.flag()),
        write: |rules| flag(rules.strip_session_ids),
    },
    Key {
        name: "strip_tracking",
        shape: Shape::Flag,
        meaning: "take parameters that only say where a visitor came from out of URLs",
        read: |rules, value| set(&mut rules.strip_tracking, value.flag()),
        write: |rules| flag(rules.strip_tracking),
    },
    Key {
        name: "sort_query",
        shape: Shape::Flag,
        meaning: "order query parameters by name",
        read: |rules, value| set(&mut rules.sort_query, value.flag()),
        write: |rules| flag(rules.sort_query),
    },
    Key {
        name: "merge_slashes",
        shape: Shape::Flag,
        meaning: "// inside a path is the same as /",
        read: |rules, value| set(&mut rules.merge_slashes, value.flag()),
        write: |rules| flag(rules.merge_slashes),
    },
    Key {
        name: "prefer_https",
        shape: Shape::Flag,
        meaning: "http and https of one address are one page, asked for by https",
        read: |rules, value| set(&mut rules.prefer_https, value.flag()),
        write: |rules| flag(rules.prefer_https),
    },
    Key {
        name: "strip_parameters",
        shape: Shape::List(&TEXT),
        meaning: "further query parameters to take out of URLs",
        read: |rules, value| set(&mut rules.strip_parameters, value.list(Value::text)),
        write: |rules| list(&rules.strip_parameters),
    },
];

pub(in crate::spec) const SITE: &[Key<SiteRules>] = &[
    Key {
        name: "site",
        shape: SITE_NAME,
        meaning: "the site or host name these settings are for",
        read: |rules, value| set(&mut rules.site, value.parsed(host_name)),
        write: |rules| text(&rules.site),
    },
    Key {
        name: "min_delay",
        shape: ANY_DURATION,
        meaning: "shortest pause between two requests",
        read: |rules, value| set(&mut rules.min_delay, value.duration().map(Some)),
        write: |rules| optional(rules.min_delay, duration),
    },
    Key {
        name: "max_delay",
        shape: ANY_DURATION,
        meaning: "longest pause between two requests",
        read: |rules, value| set(&mut rules.max_delay, value.duration().map(Some)),
        write: |rules| optional(rules.max_delay, duration),
    },
    Key {
        name: "delay_factor",
        shape: Shape::Decimal { least: 0.0, most: 1000.0 },
        meaning: "the pause is this many times the last download's time",
        read: |rules, value| set(&mut rules.delay_factor, value.decimal().map(Some)),
        write: |rules| optional(rules.delay_factor, decimal),
    },
    Key {
        name: "robots",
        shape: Shape::Word(words::<RobotsPolicy>),
        meaning: "what is obeyed of robots.txt, meta robots and nofollow",
        read: |rules, value| set(&mut rules.robots, value.word().map(Some)),
        write: |rules| optional(rules.robots, word),
    },
    Key {
        name: "pages",
        shape: COUNT,
        meaning: "pages of this site; limits.site_pages when not set",
        read: |rules, value| set(&mut rules.pages, value.whole().map(Some)),
        write: |rules| optional(rules.pages, whole),
    },
    Key {
        name: "size",
        shape: SOME_BYTES,
        meaning: "bytes of this site; limits.site_size when not set",
        read: |rules, value| set(&mut rules.size_bytes, value.size().map(Some)),
        write: |rules| optional(rules.size_bytes, size),
    },
    Key {
        name: "depth",
        shape: CLICKS,
        meaning: "clicks from the seed on this site, in place of the seed's own limit",
        read: |rules, value| set(&mut rules.depth, value.whole().map(Some)),
        write: |rules| optional(rules.depth, whole),
    },
    Key {
        name: "blocked",
        shape: Shape::Flag,
        meaning: "never ask this site",
        read: |rules, value| set(&mut rules.blocked, value.flag()),
        write: |rules| flag(rules.blocked),
    },
];

fn expression(item: &Value<'_>) -> Option<Expression> {
    let text = item.parsed(|text| (!text.trim().is_empty()).then(|| text.to_owned()))?;
    Some(Expression { text, key: item.key().to_owned(), line: item.line() })
}

/// A host name in the spelling that URLs have.
pub fn host_name(name: &str) -> Option<String> {
    let bare = name.trim_end_matches('.');
    let url = url::Url::parse(&format!("http://{bare}/")).ok()?;
    let host = url.host_str()?;
    let only_a_host = url.path() == "/"
        && url.port().is_none()
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && !bare.ends_with(['/', ':'])
        && !bare.contains(['@', '?', '#', '\\'])
        && !bare.contains(char::is_whitespace);
    (only_a_host && can_be_host(host)).then(|| host.to_owned())
}

/// Whether the labels of a name are as long as DNS lets them be, and none is empty.
fn can_be_host(name: &str) -> bool {
    name.len() <= 253 && name.split('.').all(|label| (1..=63).contains(&label.len()))
}

fn surt(prefix: &str) -> Option<String> {
    let rest = prefix.strip_prefix("http://(").or_else(|| prefix.strip_prefix("https://("))?;
    let fine = !rest.is_empty() && !rest.contains(|c: char| c.is_whitespace() || c.is_control());
    fine.then(|| prefix.to_owned())
}
