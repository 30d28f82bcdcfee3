//! What happened: events, pages that were fetched, addresses that were not.

use annalist_crawl::logs::{EVENTS, was_asked_for};
use annalist_model::SkipReason;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::crawls::blocking;
use super::reading::{Asking, Place};
use crate::cockpit::fetched_words;
use crate::logs::{Found, newest};
use crate::problem::Problem;
use crate::serve::App;

/// Which lines are wanted.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct Asked {
    /// Words that have to be in it, whatever their case.
    pub q: String,
    /// `info`, `warning` or `error`.
    pub severity: String,
    /// The part of the program: `crawl`, `archive`, `frontier`, …
    pub subsystem: String,
    /// Why an address was skipped.
    pub reason: String,
    /// Only what stands before this place in the log: `next` of the answer before. It stays the same while the crawl writes.
    pub before: Option<u64>,
    /// How many at most: 1 to 1000, 100 where nothing is said.
    #[param(minimum = 1, maximum = 1000)]
    pub limit: Option<usize>,
}

impl Asked {
    fn limit(&self) -> Result<usize, Problem> {
        match self.limit.unwrap_or(100) {
            limit @ 1..=1000 => Ok(limit),
            _ => Err(Problem::field("limit", "give a number from 1 to 1000")),
        }
    }

    /// Finds words in what was written, not in how it is kept.
    fn words(&self) -> impl Fn(&[&str]) -> bool + use<> {
        let words: Vec<String> = self.q.to_lowercase().split_whitespace().map(str::to_owned).collect();
        move |texts| {
            if words.is_empty() {
                return true;
            }
            let text = texts.join("\n").to_lowercase();
            words.iter().all(|word| text.contains(word))
        }
    }
}

impl Asked {
    /// What is an event that is wanted.
    pub fn events(&self) -> Result<impl Fn(&str) -> Option<Event> + use<'_>, Problem> {
        one_of("severity", &self.severity, &SEVERITIES)?;
        let has_words = self.words();
        Ok(move |line: &str| {
            let event: Event = serde_json::from_str(line).ok()?;
            let fits = is_named(&self.severity, &event.severity)
                && is_named(&self.subsystem, &event.subsystem)
                && has_words(&[&event.time, &event.severity, &event.subsystem, &event.message]);
            fits.then_some(event)
        })
    }
}

/// Nothing, or one of these.
fn one_of(field: &str, value: &str, known: &[&str]) -> Result<(), Problem> {
    if value.is_empty() || known.contains(&value) {
        return Ok(());
    }
    Err(Problem::field(field, format!("give one of {}", known.join(", "))))
}

/// How grave events are.
pub const SEVERITIES: [&str; 3] = ["info", "warning", "error"];

/// Something that happened to the crawl itself.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Event {
    pub time: String,
    pub severity: String,
    pub subsystem: String,
    pub message: String,
}

/// An address that was not fetched.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct Skipped {
    pub time: String,
    pub url: String,
    pub reason: String,
    pub detail: String,
    pub via: Option<String>,
}

/// A line of `crawl.log`.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Fetched {
    pub time: String,
    /// HTTP status, or a negative number for what went wrong.
    pub status: i32,
    pub bytes: u64,
    pub url: String,
    pub hops: String,
    pub via: String,
    pub mime: String,
    pub annotations: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Events {
    /// The newest first. May be empty though there is more: one answer looks through 64 MB of a log.
    pub events: Vec<Event>,
    /// There are older ones, or there may be: the log was not looked through to its beginning.
    pub more: bool,
    /// They are asked for with this as `before`.
    pub next: Option<u64>,
    /// Where the log ended when it was read: what comes later is told by `events/live` with this as `after`.
    pub end: u64,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct SkippedList {
    pub skipped: Vec<Skipped>,
    pub more: bool,
    pub next: Option<u64>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct FetchedList {
    pub fetched: Vec<Fetched>,
    pub more: bool,
    pub next: Option<u64>,
}

/// A part of a log of a crawl.
fn part<T>(
    app: &App,
    id: &str,
    log: &str,
    asked: &Asked,
    fits: impl FnMut(&str) -> Option<T>,
) -> Result<Found<T>, Problem> {
    let (job, limit) = (app.service.job(id)?, asked.limit()?);
    newest(&job.logs().join(log), asked.before, limit, fits)
        .map_err(|fault| Problem::internal("the log cannot be read", &fault))
}

fn is_named(wanted: &str, found: &str) -> bool {
    wanted.is_empty() || wanted == found
}

impl Events {
    pub fn of(app: &App, id: &str, asked: &Asked) -> Result<Events, Problem> {
        let Found { found, next, end } = part(app, id, EVENTS, asked, asked.events()?)?;
        Ok(Events { events: found, more: next.is_some(), next, end })
    }
}

impl SkippedList {
    pub fn of(app: &App, id: &str, asked: &Asked) -> Result<SkippedList, Problem> {
        one_of("reason", &asked.reason, &SkipReason::ALL.map(SkipReason::name))?;
        let has_words = asked.words();
        let fits = |line: &str| {
            let one: Skipped = serde_json::from_str(line).ok()?;
            let via = one.via.as_deref().unwrap_or_default();
            let fits = is_named(&asked.reason, &one.reason)
                && has_words(&[&one.time, &one.url, &one.reason, &one.detail, via]);
            fits.then_some(one)
        };
        let Found { found, next, .. } = part(app, id, "skipped.jsonl", asked, fits)?;
        Ok(SkippedList { skipped: found, more: next.is_some(), next })
    }
}

impl FetchedList {
    pub fn of(app: &App, id: &str, asked: &Asked) -> Result<FetchedList, Problem> {
        let has_words = asked.words();
        // What is to be tried again waits for an answer that was asked for: its robots.txt, for one.
        let is_told = |one: &Fetched| was_asked_for(one.status) || one.annotations.starts_with("retry:");
        let fits = |line: &str| {
            let one = fetched_of(line).filter(is_told)?;
            if asked.q.trim().is_empty() {
                return Some(one);
            }
            // As it stands in the file, which some know, and as people are shown it.
            let status = fetched_words::status(one.status).unwrap_or_default();
            has_words(&[line, status, &fetched_words::notes(&one.annotations)]).then_some(one)
        };
        let Found { found, next, .. } = part(app, id, "crawl.log", asked, fits)?;
        Ok(FetchedList { fetched: found, more: next.is_some(), next })
    }
}

fn fetched_of(line: &str) -> Option<Fetched> {
    let mut fields = line.split_whitespace();
    let mut next = || fields.next().map(str::to_owned);
    let (time, status, bytes) = (next()?, next()?.parse().ok()?, next()?.parse().ok()?);
    let (url, hops, via, mime) = (next()?, next()?, next()?, next()?);
    let annotations = line.split_whitespace().nth(11).unwrap_or("-").to_owned();
    Some(Fetched { time, status, bytes, url, hops, via, mime, annotations })
}

/// Events of a crawl, the newest first, by part of the program, severity and words.
#[utoipa::path(get, path = "/api/crawls/{id}/events", params(("id" = String, Path), Asked), responses(
    (status = 200, body = Events), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn events(
    State(app): State<App>,
    Place(id): Place<String>,
    Asking(asked): Asking<Asked>,
) -> Result<Json<Events>, Problem> {
    blocking(move || Ok(Json(Events::of(&app, &id, &asked)?))).await
}

/// Addresses that were not fetched, with the reason.
#[utoipa::path(get, path = "/api/crawls/{id}/skipped", params(("id" = String, Path), Asked), responses(
    (status = 200, body = SkippedList), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn skipped(
    State(app): State<App>,
    Place(id): Place<String>,
    Asking(asked): Asking<Asked>,
) -> Result<Json<SkippedList>, Problem> {
    blocking(move || Ok(Json(SkippedList::of(&app, &id, &asked)?))).await
}

/// What was asked for, answered or not, the newest first: the lines of `crawl.log`, without those of addresses that were
/// skipped.
#[utoipa::path(get, path = "/api/crawls/{id}/fetched", params(("id" = String, Path), Asked), responses(
    (status = 200, body = FetchedList), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn fetched(
    State(app): State<App>,
    Place(id): Place<String>,
    Asking(asked): Asking<Asked>,
) -> Result<Json<FetchedList>, Problem> {
    blocking(move || Ok(Json(FetchedList::of(&app, &id, &asked)?))).await
}
