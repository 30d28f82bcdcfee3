//! Why a URL was, or was not, fetched: every decision with its reason, from what the frontier remembers, what the
//! archive says of the capture, and, for what was never a URL to fetch, what the log says.

mod kept;
mod logged;

use std::sync::Arc;

use annalist_disk::RealDisk;
use annalist_frontier::{Frontier, Known, Place, Settings, State};
use annalist_model::spec::Spec;
use annalist_model::{
    CanonicalUrl, Hop, HopPath, LinkKind, Outcome, SkipReason, Time, Unusable, UrlError, UrlKey,
};
use serde::Serialize;

use crate::clock;
use crate::engine::CrawlError;
use crate::injecting::{BLACKLISTED, Injected, handed_over};
use crate::job::JobDir;
use crate::scope::Scope;

/// How far back the way from the seed is told.
const LONGEST_WAY: usize = 20;

#[derive(Clone, Debug, Default, Serialize)]
pub struct Explanation {
    pub url: String,
    /// `never-seen`, `queued`, `in-progress`, `captured`, `revisit`, `skipped`.
    pub state: &'static str,
    /// The reason, when it was skipped.
    pub reason: Option<&'static str>,
    /// One sentence per decision, the first one first.
    pub decisions: Vec<String>,
    /// The pages that led to it, the seed first.
    pub way: Vec<String>,
}

/// What the frontier knows of a link.
type Lookup<'a> = dyn FnMut(UrlKey) -> Result<Option<Known>, CrawlError> + 'a;

/// Looks an address up in a job that may or may not be running.
pub fn explain(job: &JobDir, spec: &Spec, address: &str) -> Result<Explanation, CrawlError> {
    let mut frontier: Option<Frontier> = None;
    explain_by(job, spec, address, &mut |key| {
        let frontier = match &mut frontier {
            Some(frontier) => frontier,
            None => frontier.insert(annalist_frontier::read_only(
                Arc::new(RealDisk),
                &job.frontier(),
                Settings::default(),
            )?),
        };
        Ok(frontier.lookup(key)?)
    })
}

/// The same by a frontier that somebody else holds.
pub(crate) fn explain_by(
    job: &JobDir,
    spec: &Spec,
    address: &str,
    lookup: &mut Lookup<'_>,
) -> Result<Explanation, CrawlError> {
    match spec.canonical.parse_typed(address) {
        Ok(url) => explain_url(job, spec, &url, lookup),
        Err(fault) => Ok(explain_unusable(job, address, &fault)),
    }
}

/// What can be no link: whether a page named it stands in the log alone.
fn explain_unusable(job: &JobDir, address: &str, fault: &UrlError) -> Explanation {
    let url = Unusable::spelling(None, address);
    let mut decisions = logged::skips_of(job, &url);
    let state = if decisions.is_empty() { "never-seen" } else { "skipped" };
    if decisions.is_empty() {
        decisions.push("never seen: no page that was read is known to name it".to_owned());
    }
    decisions.push(format!("it could not be fetched in any case: {fault}"));
    Explanation { url, state, reason: Some(SkipReason::Unusable.name()), decisions, way: Vec::new() }
}

fn explain_url(
    job: &JobDir,
    spec: &Spec,
    url: &CanonicalUrl,
    lookup: &mut Lookup<'_>,
) -> Result<Explanation, CrawlError> {
    let mut explanation = Explanation { url: url.as_str().to_owned(), ..Explanation::default() };
    match lookup(url.key())? {
        Some(known) => {
            tell(lookup, spec, &known, &mut explanation)?;
            let done = known.earlier.as_ref().unwrap_or(&known.state);
            if let State::Done { place: Some(place), .. } = done {
                tell_kept(lookup, job, url, place, &mut explanation)?;
            }
        }
        None => tell_unknown(job, spec, url, &mut explanation),
    }
    Ok(explanation)
}

/// What the frontier does not know: perhaps somebody handed it over, and the crawl has not run since.
fn tell_unknown(job: &JobDir, spec: &Spec, url: &CanonicalUrl, told: &mut Explanation) {
    match handed_over(job, url, spec) {
        Ok(Some(Injected { blacklisted: true, .. })) => {
            (told.state, told.reason) = ("skipped", Some(SkipReason::Blacklisted.name()));
            told.decisions.push(BLACKLISTED.to_owned());
        }
        Ok(Some(_)) => {
            told.state = "queued";
            told.decisions.push("handed over by somebody, to be taken up when the crawl runs".to_owned());
        }
        Ok(None) | Err(_) => {
            told.state = "never-seen";
            let none = "never seen: no page that was read links to it, and it is no seed";
            told.decisions.push(none.to_owned());
        }
    }
}

fn tell(
    lookup: &mut Lookup<'_>,
    spec: &Spec,
    known: &Known,
    told: &mut Explanation,
) -> Result<(), CrawlError> {
    if let Some(link) = &known.link {
        told.way = way(lookup, known)?;
        told.decisions.push(match told.way.last() {
            Some(page) => format!(
                "found as {} on {page}, {} {} from its seed (by {}){}",
                link.kind.name(),
                link.depth,
                if link.depth == 1 { "click" } else { "clicks" },
                steps(&link.hops),
                if link.anchor.is_empty() { String::new() } else { format!(", anchor {:?}", link.anchor) },
            ),
            None if link.kind == LinkKind::Injected => "handed over by somebody".to_owned(),
            None => "a seed of the spec".to_owned(),
        });
    }
    let often = if known.times_seen == 1 { "once".to_owned() } else { format!("{} times", known.times_seen) };
    told.decisions.push(format!("seen {often}, value {:.4}", known.value));
    if let Some(State::Done { outcome, place, at, .. }) = &known.earlier {
        tell_done(outcome, place.as_ref(), *at, told);
        match (&known.state, outcome) {
            (State::Queued { not_before }, Outcome::Skipped { .. }) => {
                told.reason = None;
                told.decisions
                    .extend(known.retries.first().map(|reason| format!("it waits again: {reason}")));
                tell_queued(spec, known, *not_before, told);
            }
            (State::Queued { not_before: Some(time) }, _) => {
                told.decisions.push(format!("to be visited again, not before {}", time.rfc3339()));
            }
            _ => {}
        }
        return Ok(());
    }
    for reason in known.retries.iter().rev() {
        told.decisions.push(format!("tried, to be tried again: {reason}"));
    }
    match &known.state {
        State::Queued { not_before } => tell_queued(spec, known, *not_before, told),
        State::Leased => {
            told.state = "in-progress";
            told.decisions.push("being fetched at the moment".to_owned());
        }
        State::Refused { reason, detail } => {
            told.state = "skipped";
            told.reason = Some(reason.name());
            told.decisions.push(format!("not fetched: {} ({detail})", reason.name()));
        }
        State::Done { outcome, place, at, .. } => tell_done(outcome, place.as_ref(), *at, told),
    }
    Ok(())
}

fn tell_done(outcome: &Outcome, place: Option<&Place>, at: Time, told: &mut Explanation) {
    tell_outcome(outcome, at, told);
    if let Some(Place { file, offset, length }) = place {
        told.decisions.push(format!("kept in {file} at byte {offset}, {length} bytes"));
    }
}

/// What the archive says of a capture beside its bytes: how far it was read, and where it led.
fn tell_kept(
    lookup: &mut Lookup<'_>,
    job: &JobDir,
    url: &CanonicalUrl,
    place: &Place,
    told: &mut Explanation,
) -> Result<(), CrawlError> {
    for (name, value) in kept::fields_about(job, place, url.as_str()) {
        match name.as_str() {
            "readInPart" => told.decisions.push(format!("read in part only: {value}")),
            "unusableLinks" => {
                told.decisions.push(format!("names {value} addresses that are no fetchable URL"));
            }
            "outlink" => {
                let Some(target) = value.strip_suffix(" R redirect") else { continue };
                let known = CanonicalUrl::restore(target).ok().map(|target| lookup(target.key()));
                let state = known.transpose()?.flatten().map_or("never seen", |known| word(&known));
                told.decisions.push(format!("it redirects to {target} ({state})"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Where a URL stands, in a word.
fn word(known: &Known) -> &'static str {
    match &known.state {
        State::Queued { .. } => known.site.closed.map_or("queued", SkipReason::name),
        State::Leased => "being fetched",
        State::Done { outcome: Outcome::Skipped { reason, .. }, .. } | State::Refused { reason, .. } => {
            reason.name()
        }
        State::Done { .. } => "captured",
    }
}

fn tell_outcome(outcome: &Outcome, at: Time, told: &mut Explanation) {
    let (state, text) = match outcome {
        Outcome::Captured { status } => {
            ("captured", format!("captured with status {status} at {}", at.rfc3339()))
        }
        Outcome::Revisit { status } => (
            "revisit",
            format!(
                "captured with status {status} at {}; the payload was known, a revisit record points to it",
                at.rfc3339()
            ),
        ),
        Outcome::Skipped { reason, detail } => {
            told.reason = Some(reason.name());
            ("skipped", format!("not fetched: {} ({detail}), decided at {}", reason.name(), at.rfc3339()))
        }
    };
    told.state = state;
    told.decisions.push(text);
}

fn tell_queued(spec: &Spec, known: &Known, not_before: Option<Time>, told: &mut Explanation) {
    told.state = "queued";
    if let Some(reason) = known.site.closed {
        told.state = "skipped";
        told.reason = Some(reason.name());
        let pages = known.site.captures;
        told.decisions.push(format!("not fetched: {} (its site has {pages} captures)", reason.name()));
        return;
    }
    if let Some(detail) = known.link.as_ref().and_then(|link| shut(spec, link.url.host_name())) {
        told.decisions.push(format!("queued, to be skipped at its turn: {detail}"));
        return;
    }
    told.decisions.push("in scope, queued, not fetched yet".to_owned());
    let now = clock::now();
    if let Some(time) = not_before.filter(|time| *time > now) {
        told.decisions.push(format!("not before {}", time.rfc3339()));
    }
    if known.site.rests_until > now {
        told.decisions.push(format!("its site rests until {}", known.site.rests_until.rfc3339()));
    }
    if let Some(limit) = spec.limits.pages {
        told.decisions.push(format!("the spec allows {limit} pages in all"));
    }
}

/// Why nothing of a host is fetched by the spec, if it is blocked.
fn shut(spec: &Spec, host_name: &str) -> Option<String> {
    Scope::compile(spec).ok()?.shut(host_name)
}

/// How many steps of which kind led from the seed to a link.
fn steps(hops: &HopPath) -> String {
    let kinds = [
        (Hop::Link, "link", "links"),
        (Hop::Redirect, "redirect", "redirects"),
        (Hop::Embed, "embed", "embeds"),
        (Hop::Manifest, "entry of a sitemap or feed", "entries of sitemaps or feeds"),
        (Hop::Inferred, "guess", "guesses"),
        (Hop::Submit, "form", "forms"),
        (Hop::Prerequisite, "file that another needs", "files that others need"),
    ];
    let counted = kinds.into_iter().filter_map(|(hop, one, many)| {
        let count = hops.as_str().chars().filter(|letter| *letter == hop.letter()).count();
        (count > 0).then(|| format!("{count} {}", if count == 1 { one } else { many }))
    });
    counted.collect::<Vec<String>>().join(", ")
}

/// The pages that led to a link, the seed first.
fn way(lookup: &mut Lookup<'_>, known: &Known) -> Result<Vec<String>, CrawlError> {
    let mut way = Vec::new();
    let mut next = known.link.as_ref().and_then(|link| link.via);
    while let Some(key) = next.filter(|_| way.len() < LONGEST_WAY) {
        let Some(link) = lookup(key)?.and_then(|parent| parent.link) else { break };
        next = link.via;
        way.push(link.url.as_str().to_owned());
    }
    way.reverse();
    Ok(way)
}

#[cfg(test)]
mod tests {
    use annalist_frontier::{Known, SiteState, State, Urgency};
    use annalist_model::spec::Spec;
    use annalist_model::{CanonicalUrl, HopPath, Link, Outcome, SkipReason, Time};

    use super::{Explanation, steps, tell};

    /// A link that waits, of a site that rested once.
    fn waiting() -> Known {
        let link = Link::injected(CanonicalUrl::parse("http://a.test/").unwrap());
        Known {
            key: link.url.key(),
            link: Some(link),
            state: State::Queued { not_before: None },
            earlier: None,
            value: 1.0,
            urgency: Urgency::Normal,
            times_seen: 1,
            tries: 0,
            retries: Vec::new(),
            site: SiteState { rests_until: Time::from_millis(1), ..SiteState::default() },
        }
    }

    fn told(known: &Known, spec: &Spec) -> Explanation {
        let mut told = Explanation::default();
        tell(&mut |_| Ok(None), spec, known, &mut told).unwrap();
        told
    }

    #[test]
    fn a_link_of_a_blocked_site_is_told_to_be_skipped_at_its_turn() {
        let mut spec = Spec::named("x");
        let open = told(&waiting(), &spec).decisions.join("; ");
        assert!(open.contains("in scope, queued") && !open.contains("rests until"), "{open}");
        spec.scope.blocked_sites.push("a.test".to_owned());
        let blocked = told(&waiting(), &spec).decisions.join("; ");
        assert!(blocked.contains("to be skipped at its turn: a.test is blocked"), "{blocked}");
        assert!(!blocked.contains("in scope"), "{blocked}");
    }

    #[test]
    fn a_skipped_link_that_waits_again_is_told_to_wait_and_why() {
        let outcome = Outcome::Skipped { reason: SkipReason::Blocked, detail: "a.test".to_owned() };
        let (place, digest, at, bytes) = (None, None, Time::default(), 0);
        let known = Known {
            state: State::Queued { not_before: Some(Time::default()) },
            earlier: Some(State::Done { outcome, place, digest, at, bytes }),
            retries: vec!["the scope allows it again".to_owned()],
            ..waiting()
        };
        let told = told(&known, &Spec::named("x"));
        let decisions = told.decisions.join("; ");
        assert_eq!((told.state, told.reason), ("queued", None), "{decisions}");
        assert!(decisions.contains("waits again: the scope allows it again"), "{decisions}");
        assert!(!decisions.contains("not before"), "{decisions}");
    }

    #[test]
    fn the_way_to_a_link_is_told_in_words() {
        assert_eq!(steps(&HopPath::parse("LLRLE")), "3 links, 1 redirect, 1 embed");
        assert_eq!(steps(&HopPath::parse("MM")), "2 entries of sitemaps or feeds");
    }
}
