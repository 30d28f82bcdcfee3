//! Asking for permission: robots.txt of each host, fetched politely over the same line, archived like any other
//! capture, kept for a day. What its lines mean is in `annalist-sources`.

use std::sync::Arc;
use std::time::Duration;

use annalist_frontier::{Change, LeasedLink, Urgency};
use annalist_model::spec::RobotsPolicy;
use annalist_model::{CanonicalUrl, Capture, Hop, Link, LinkKind, Outcome, SkipReason, Truncated, Unusable};
use annalist_sources::{FetchError, RobotsCache, RobotsReply, RobotsRules, retry_after};

use crate::asking::{NoLeave, leave};
use crate::clock;
use crate::delay::HostRules;
use crate::finish::{LONGEST_RETRY_AFTER, finish, finish_prerequisite};
use crate::keeper::{Captured, Counts, Ended};
use crate::scope::{Facts, Verdict};
use crate::stages::{Line, Stages};
use crate::turn::hand_over;

/// RFC 9309 asks for at least five.
const MOST_REDIRECTS: usize = 5;
const CACHE_BYTES: usize = 64 << 20;

/// Whether a link may be fetched.
#[derive(Debug)]
pub enum Permission {
    Granted {
        crawl_delay: Option<Duration>,
    },
    Refused {
        outcome: Outcome,
    },
    /// robots.txt gave a server error: everything is closed for the time being.
    Closed {
        why: String,
        /// How long the server asked to be left alone.
        asked: Option<Duration>,
    },
    /// Another server is needed, and busy.
    Later,
    /// The host did not answer.
    Failed {
        fault: FetchError,
    },
    /// The crawl is ending.
    Stopped,
}

#[derive(Debug)]
pub struct RobotsDesk {
    known: RobotsCache,
    product_token: String,
}

/// What became of fetching robots.txt.
enum Fetched {
    Rules(RobotsRules),
    /// Somebody put it, or where it redirects to, on the blacklist.
    Barred(CanonicalUrl),
    Closed(String, Option<Duration>),
    Failed(FetchError),
    Later,
    Stopped,
}

/// One exchange on the way to robots.txt.
enum Step {
    Answer(Box<Capture>),
    Failed(FetchError),
    Busy,
    Barred,
    Stopped,
}

/// For whom robots.txt is fetched, and how.
struct Errand<'a> {
    leased: &'a LeasedLink,
    stages: &'a Arc<Stages>,
}

impl RobotsDesk {
    pub fn new(product_token: &str) -> RobotsDesk {
        RobotsDesk { known: RobotsCache::new(CACHE_BYTES), product_token: product_token.to_owned() }
    }

    /// Whether this link may be fetched over this line.
    pub async fn permission(
        &self,
        leased: &LeasedLink,
        line: &mut Line,
        rules: &HostRules,
        stages: &Arc<Stages>,
    ) -> Permission {
        let url = &leased.link.url;
        if rules.politeness.robots == RobotsPolicy::Ignore {
            return self.sitemaps_only(leased, line, stages).await;
        }
        let robots = match self.known.get(url.host(), clock::now()) {
            Some(robots) => robots,
            None => match self.fetch(&Errand { leased, stages }, line).await {
                Fetched::Rules(robots) => {
                    line.learn_crawl_delay(robots.crawl_delay(), stages);
                    self.known.put(url.host(), robots, clock::now())
                }
                Fetched::Barred(robots) => {
                    // Its host is not asked once more for each of its links.
                    self.known.put(url.host(), RobotsRules::DisallowAll, clock::now());
                    return Permission::Refused { outcome: unasked(&robots) };
                }
                Fetched::Closed(why, asked) => return Permission::Closed { why, asked },
                Fetched::Failed(fault) => return failed(fault),
                Fetched::Later => return Permission::Later,
                Fetched::Stopped => return Permission::Stopped,
            },
        };
        let verdict = robots.allowed(url.target());
        if verdict.allowed {
            return Permission::Granted { crawl_delay: robots.crawl_delay() };
        }
        let detail = verdict.rule.unwrap_or_else(|| "robots.txt forbids it".to_owned());
        Permission::Refused { outcome: Outcome::Skipped { reason: SkipReason::Robots, detail } }
    }

    /// Where robots.txt forbids nothing, it is still asked for the sitemaps it names, once for each host the scope
    /// reaches. Whatever comes of it, the link may be fetched.
    async fn sitemaps_only(&self, leased: &LeasedLink, line: &mut Line, stages: &Arc<Stages>) -> Permission {
        let host = leased.link.url.host();
        let granted = Permission::Granted { crawl_delay: None };
        let is_wanted = stages.spec().scope.sitemaps && stages.scope().holds(&leased.link, &Facts::default());
        if !is_wanted || self.known.get(host, clock::now()).is_some() {
            return granted;
        }
        match self.fetch(&Errand { leased, stages }, line).await {
            Fetched::Later => Permission::Later,
            Fetched::Stopped => Permission::Stopped,
            Fetched::Rules(_) | Fetched::Barred(_) | Fetched::Closed(..) | Fetched::Failed(_) => {
                self.known.put(host, RobotsRules::AllowAll, clock::now());
                granted
            }
        }
    }

    async fn fetch(&self, errand: &Errand<'_>, line: &mut Line) -> Fetched {
        let Errand { leased, stages } = *errand;
        let mut url = leased.link.url.on_same_host("/robots.txt");
        for _ in 0..=MOST_REDIRECTS {
            let capture = match errand.ask(&url, line).await {
                Step::Answer(capture) => capture,
                Step::Failed(fault) => {
                    // Where it was redirected to is no fault of the link's own host, which is closed all the same.
                    let elsewhere = (url.host() != leased.link.url.host())
                        .then(|| format!("robots.txt redirects to {url}: {} ({fault})", fault.reason()));
                    // Of a robots.txt that is a link of its own the link tells.
                    if url != leased.link.url {
                        finish_prerequisite(&prerequisite(url, leased), &fault, stages);
                    }
                    return elsewhere.map_or(Fetched::Failed(fault), |why| Fetched::Closed(why, None));
                }
                Step::Busy => return Fetched::Later,
                Step::Barred => return Fetched::Barred(url),
                Step::Stopped => return Fetched::Stopped,
            };
            if !capture.head.is_redirect() {
                return self.ruled(&capture, line);
            }
            match capture.head.location().map(|target| stages.spec().canonical.join(url.as_url(), &target)) {
                Some(Ok(next)) => url = next,
                _ => break,
            }
        }
        Fetched::Rules(RobotsRules::from_reply(RobotsReply::LostInRedirects, &self.product_token))
    }

    /// What the answer means; a server that asks for time gets it.
    fn ruled(&self, capture: &Capture, line: &mut Line) -> Fetched {
        let status = capture.head.status;
        let now = clock::now();
        let asked = capture.head.field("retry-after").and_then(|v| retry_after(v, now, LONGEST_RETRY_AFTER));
        if matches!(capture.truncated, Some(Truncated::Disconnect | Truncated::Time)) {
            return Fetched::Closed("robots.txt was cut short".to_owned(), asked);
        }
        let reply = RobotsReply::Status { status, body: &capture.body };
        match RobotsRules::from_reply(reply, &self.product_token) {
            RobotsRules::DisallowAll => {
                Fetched::Closed(format!("robots.txt answered with status {status}"), asked)
            }
            rules => {
                line.rest.lengthen(now.plus(asked.unwrap_or_default()));
                Fetched::Rules(rules)
            }
        }
    }
}

impl Errand<'_> {
    /// One polite exchange, over the line where it leads to the same server, else over one of its own.
    async fn ask(&self, url: &CanonicalUrl, line: &mut Line) -> Step {
        let stages = self.stages;
        let address = match stages.locate(url).await {
            Ok(address) => address,
            Err(fault) => return Step::Failed(fault),
        };
        if address.ip() == line.server() {
            line.address = address;
            return self.exchange(url, line).await;
        }
        let Some(from) = stages.servers.try_take(address.ip()) else {
            // Waiting for a server while holding another could make two turns wait for each other.
            return Step::Busy;
        };
        let mut other = Line::new(address, from);
        let step = self.exchange(url, &mut other).await;
        if matches!(step, Step::Busy) {
            // Not to ask the first server for the same redirect before the second may be asked.
            line.rest.and(&other.rest, &stages.spec());
        }
        hand_over(&other, stages);
        step
    }

    async fn exchange(&self, url: &CanonicalUrl, line: &mut Line) -> Step {
        let Errand { leased, stages } = *self;
        loop {
            let (_place, leave) = match leave(line, url, None, stages).await {
                Ok(given) => given,
                Err(NoLeave::Elsewhere) => return Step::Busy,
                Err(NoLeave::Stopped | NoLeave::Forbidden) => return Step::Stopped,
            };
            // Nobody leased it, so nobody else has asked.
            match stages.is_blacklisted(url.key()) {
                Ok(false) => {}
                Ok(true) => return Step::Barred,
                Err(_) => return Step::Stopped,
            }
            match line.fetch(url, None, leave, stages).await {
                Ok(capture) => return keep(url, leased, capture, stages).await,
                Err(FetchError::Stale) => {}
                Err(fault) => return Step::Failed(fault),
            }
        }
    }
}

/// Of a host whose robots.txt is never to be fetched nobody knows what it allows.
fn unasked(robots: &CanonicalUrl) -> Outcome {
    let detail = format!("{robots} is on the blacklist, so nobody can ask what its host allows");
    Outcome::Skipped { reason: SkipReason::Robots, detail }
}

/// Whatever kept robots.txt from being read closes the host: it is no fault of the link that asked.
fn failed(fault: FetchError) -> Permission {
    if fault.is_about_host() || matches!(fault, FetchError::AddressRefused(_) | FetchError::Certificate(_)) {
        return Permission::Failed { fault };
    }
    Permission::Closed { why: format!("robots.txt: {} ({fault})", fault.reason()), asked: None }
}

/// robots.txt as a link: nobody queued it.
fn prerequisite(url: CanonicalUrl, leased: &LeasedLink) -> LeasedLink {
    let key = url.key();
    let link = leased.link.child(url, LinkKind::Robots, "");
    LeasedLink { key, value: 0.0, tries: 0, urgency: Urgency::Normal, link }
}

/// Archives the exchange, and tells the frontier of the sitemaps it names.
async fn keep(url: &CanonicalUrl, leased: &LeasedLink, mut capture: Capture, stages: &Stages) -> Step {
    let bytes = capture.response.length();
    let Ok(ticket) = stages.keeper.record(&mut capture, Vec::new()).await else { return Step::Stopped };
    let own = prerequisite(url.clone(), leased);
    let mut unusable = Unusable::default();
    let sitemaps = sitemaps(&own, &capture, &mut unusable, stages);
    let captured = Captured {
        ticket,
        status: capture.head.status,
        mime: "text/plain".to_owned(),
        bytes,
        started: capture.started,
        elapsed: capture.elapsed,
        payload_digest: capture.payload_digest.clone(),
        retry: None,
        is_followed: false,
        truncated: capture.truncated.map(annalist_model::Truncated::name),
        objects: None,
        language: None,
        application: None,
        metadata: vec![
            ("via", leased.link.url.as_str().to_owned()),
            ("hopsFromSeed", own.link.hops.as_str().to_owned()),
            ("fetchTimeMs", capture.elapsed.as_millis().to_string()),
        ],
        score: None,
        notes: Vec::new(),
        unusable,
    };
    finish(&own, Ended::Captured(Box::new(captured)), sitemaps, Counts::AsPrerequisite, stages);
    Step::Answer(Box::new(capture))
}

/// The sitemaps that robots.txt names, and the customary one of a seed's host. They lead to pages of their own
/// host's seed only as far as the scope allows.
fn sitemaps(robots: &LeasedLink, capture: &Capture, unusable: &mut Unusable, stages: &Stages) -> Vec<Change> {
    let spec = stages.spec();
    if !spec.scope.sitemaps || capture.head.is_redirect() {
        return Vec::new();
    }
    let mut urls: Vec<CanonicalUrl> = Vec::new();
    if (200..300).contains(&capture.head.status) {
        let rules = annalist_sources::Robots::parse(&capture.body, "");
        for named in rules.sitemaps() {
            match spec.canonical.join(capture.url.as_url(), named) {
                Ok(url) => urls.push(url),
                Err(fault) => unusable.note(Some(capture.url.as_url()), named, fault),
            }
        }
    }
    urls.sort();
    urls.dedup();
    let customary = capture.url.on_same_host("/sitemap.xml");
    let is_guessed = spec.seeds.iter().any(|seed| seed.url.host_name() == capture.url.host_name())
        && !urls.contains(&customary);
    let child = |url| robots.link.child(url, LinkKind::Sitemap, "");
    let mut links: Vec<Link> = urls.into_iter().map(child).collect();
    if is_guessed {
        let hops = robots.link.hops.then(Hop::Inferred);
        links.push(Link { hops, ..child(customary) });
    }
    links.into_iter().map(|link| sitemap_change(robots, link, capture, stages)).collect()
}

/// Only hosts that the scope reaches get their sitemaps read: an image's host does not.
fn sitemap_change(robots: &LeasedLink, link: Link, capture: &Capture, stages: &Stages) -> Change {
    let way = stages.way_through(robots);
    let facts = Facts { via_url: Some(capture.url.as_str()), way: Some(&way), ..Facts::default() };
    match stages.scope().admit(&link, &facts) {
        Verdict::In { .. } => Change::Discovered { link, value: 1.0, urgency: Urgency::Normal },
        Verdict::Out { reason, detail } => Change::Refused { link, reason, detail: detail.into_owned() },
    }
}
