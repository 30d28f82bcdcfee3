//! robots.txt exactly as RFC 9309: which paths of a host may be fetched. Bytes in, verdicts out; the fetching, the
//! following of its redirects and the policy of the spec are the engine's.

mod path;
mod read;

use std::time::Duration;

use path::{Pattern, normalised_target};

/// What is read at the least, and here at the most (RFC 9309 2.5).
const MOST_BYTES: usize = 500 * 1024;
/// RFC 9309 2.4 asks for a day at the most.
const LIFETIME: Duration = Duration::from_secs(24 * 3600);
/// A host whose robots.txt could not be had is asked again sooner: until then all of it is closed.
const UNREACHABLE_LIFETIME: Duration = Duration::from_secs(30 * 60);

/// How the request for robots.txt ended, after its redirects were followed.
#[derive(Clone, Copy, Debug)]
pub enum RobotsReply<'a> {
    Status {
        status: u16,
        body: &'a [u8],
    },
    /// More redirects than the engine follows (five at the least), or one that leads nowhere.
    LostInRedirects,
    /// No name, no connection, no answer.
    Unreachable,
}

/// What a host's robots.txt, or the lack of one, means for us.
#[derive(Clone, Debug, PartialEq)]
pub enum RobotsRules {
    Rules(Robots),
    /// There is none (4xx, lost in redirects): nothing is forbidden.
    AllowAll,
    /// It could not be had (5xx, unreachable): everything is forbidden for the time being.
    DisallowAll,
}

impl RobotsRules {
    /// RFC 9309 2.3.1: every way the request can end.
    pub fn from_reply(reply: RobotsReply<'_>, product_token: &str) -> RobotsRules {
        match reply {
            RobotsReply::Status { status: 200..=299, body } => {
                RobotsRules::Rules(Robots::parse(body, product_token))
            }
            RobotsReply::Status { status: 300..=499, .. } | RobotsReply::LostInRedirects => {
                RobotsRules::AllowAll
            }
            RobotsReply::Status { .. } | RobotsReply::Unreachable => RobotsRules::DisallowAll,
        }
    }

    /// `target` is path and query, as in a request line.
    pub fn allowed(&self, target: &str) -> Verdict {
        match self {
            RobotsRules::Rules(robots) => robots.allowed(target),
            RobotsRules::AllowAll => Verdict::ALLOWED,
            RobotsRules::DisallowAll => Verdict { allowed: is_robots_txt(target), rule: None },
        }
    }

    pub fn crawl_delay(&self) -> Option<Duration> {
        match self {
            RobotsRules::Rules(robots) => robots.crawl_delay(),
            RobotsRules::AllowAll | RobotsRules::DisallowAll => None,
        }
    }

    pub fn sitemaps(&self) -> &[String] {
        match self {
            RobotsRules::Rules(robots) => robots.sitemaps(),
            RobotsRules::AllowAll | RobotsRules::DisallowAll => &[],
        }
    }

    /// How long this may be relied upon.
    pub fn lifetime(&self) -> Duration {
        match self {
            RobotsRules::Rules(_) | RobotsRules::AllowAll => LIFETIME,
            RobotsRules::DisallowAll => UNREACHABLE_LIFETIME,
        }
    }

    /// What this holds on the heap, roughly.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            RobotsRules::Rules(robots) => robots.bytes(),
            RobotsRules::AllowAll | RobotsRules::DisallowAll => 0,
        }
    }
}

/// Whether a path may be fetched, and the line that decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub allowed: bool,
    /// `Disallow: /private`; `None` when no line matched.
    pub rule: Option<String>,
}

impl Verdict {
    const ALLOWED: Verdict = Verdict { allowed: true, rule: None };
}

/// The part of a robots.txt file that concerns one crawler.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Robots {
    /// The most specific first; of equals the allowing one. So the first that matches decides.
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
    sitemaps: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Allow,
    Disallow,
}

#[derive(Clone, Debug, PartialEq)]
struct Rule {
    kind: Kind,
    pattern: Pattern,
    /// The value as the file spells it.
    written: Box<str>,
}

impl Robots {
    /// `product_token` is the crawler's name: `annalist` of `annalist/1.0 (+https://…)`.
    pub fn parse(bytes: &[u8], product_token: &str) -> Robots {
        let mut robots = read::read(bytes, product_token);
        robots.rules.sort_by_key(|rule| (std::cmp::Reverse(rule.pattern.octets()), rule.kind));
        robots
    }

    /// `target` is path and query, as in a request line.
    pub fn allowed(&self, target: &str) -> Verdict {
        if is_robots_txt(target) {
            return Verdict::ALLOWED;
        }
        let target = normalised_target(target);
        match self.rules.iter().find(|rule| rule.pattern.matches(&target)) {
            Some(rule) => Verdict { allowed: rule.kind == Kind::Allow, rule: Some(rule.line()) },
            None => Verdict::ALLOWED,
        }
    }

    /// Seconds between two requests that the group asks for.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// Sitemap lines, for every crawler, as written: they may be anything.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }

    fn bytes(&self) -> usize {
        let rules: usize = self.rules.iter().map(|r| r.written.len() + r.pattern.octets() + 96).sum();
        rules + self.sitemaps.iter().map(|s| s.len() + 32).sum::<usize>()
    }
}

impl Rule {
    fn line(&self) -> String {
        let kind = match self.kind {
            Kind::Allow => "Allow",
            Kind::Disallow => "Disallow",
        };
        format!("{kind}: {}", self.written)
    }
}

/// RFC 9309 2.2.2: the file itself is always allowed.
fn is_robots_txt(target: &str) -> bool {
    target == "/robots.txt"
}

#[cfg(test)]
mod tests;
