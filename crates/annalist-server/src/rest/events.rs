//! What happened: events, pages that were fetched, addresses that were not.

use axum::Json;
use axum::extract::{Path, State};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::crawls::blocking;
use super::reading::Asking;
use crate::logs::newest;
use crate::problem::Problem;
use crate::serve::App;

/// Which lines are wanted.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct Asked {
    /// Words that have to be in it, whatever their case.
    pub q: String,
    /// `info`, `warning` or `error`.
    pub severity: String,
    /// The part of the program: `crawl`, `archive`, `frontier`, …
    pub subsystem: String,
    /// Why an address was skipped.
    pub reason: String,
    /// So many of the newest are left out.
    pub offset: usize,
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

    /// Whether a line has all the words.
    fn fits(&self, line: &str) -> bool {
        if self.q.trim().is_empty() {
            return true;
        }
        let line = line.to_lowercase();
        self.q.to_lowercase().split_whitespace().all(|word| line.contains(word))
    }
}

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
    /// The newest first.
    pub events: Vec<Event>,
    /// There may be older ones.
    pub more: bool,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct SkippedList {
    pub skipped: Vec<Skipped>,
    pub more: bool,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct FetchedList {
    pub fetched: Vec<Fetched>,
    pub more: bool,
}

fn unreadable(fault: std::io::Error) -> Problem {
    Problem::internal("the log cannot be read", &fault)
}

impl Events {
    pub fn of(app: &App, id: &str, asked: &Asked) -> Result<Events, Problem> {
        let (job, limit) = (app.service.job(id)?, asked.limit()?);
        let event = |line: &str| serde_json::from_str::<Event>(line).ok();
        let named = |wanted: &str, found: &str| wanted.is_empty() || wanted == found;
        let fits = |line: &str| {
            asked.fits(line)
                && event(line).is_some_and(|event| {
                    named(&asked.severity, &event.severity) && named(&asked.subsystem, &event.subsystem)
                })
        };
        let found = newest(&job.logs().join("events.jsonl"), asked.offset, limit, fits);
        let found = found.map_err(unreadable)?;
        Ok(Events { events: found.lines.iter().filter_map(|line| event(line)).collect(), more: found.is_cut })
    }
}

impl SkippedList {
    pub fn of(app: &App, id: &str, asked: &Asked) -> Result<SkippedList, Problem> {
        let (job, limit) = (app.service.job(id)?, asked.limit()?);
        let skipped = |line: &str| serde_json::from_str::<Skipped>(line).ok();
        let fits = |line: &str| {
            asked.fits(line)
                && (asked.reason.is_empty() || skipped(line).is_some_and(|one| one.reason == asked.reason))
        };
        let found = newest(&job.logs().join("skipped.jsonl"), asked.offset, limit, fits);
        let found = found.map_err(unreadable)?;
        let skipped = found.lines.iter().filter_map(|line| skipped(line)).collect();
        Ok(SkippedList { skipped, more: found.is_cut })
    }
}

impl FetchedList {
    pub fn of(app: &App, id: &str, asked: &Asked) -> Result<FetchedList, Problem> {
        let (job, limit) = (app.service.job(id)?, asked.limit()?);
        let found = newest(&job.logs().join("crawl.log"), asked.offset, limit, |line| asked.fits(line));
        let found = found.map_err(unreadable)?;
        let fetched = found.lines.iter().filter_map(|line| fetched_of(line)).collect();
        Ok(FetchedList { fetched, more: found.is_cut })
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
    Path(id): Path<String>,
    Asking(asked): Asking<Asked>,
) -> Result<Json<Events>, Problem> {
    blocking(move || Ok(Json(Events::of(&app, &id, &asked)?))).await
}

/// Addresses that were not fetched, with the reason.
#[utoipa::path(get, path = "/api/crawls/{id}/skipped", params(("id" = String, Path), Asked), responses(
    (status = 200, body = SkippedList), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn skipped(
    State(app): State<App>,
    Path(id): Path<String>,
    Asking(asked): Asking<Asked>,
) -> Result<Json<SkippedList>, Problem> {
    blocking(move || Ok(Json(SkippedList::of(&app, &id, &asked)?))).await
}

/// What was asked for, the newest first: the lines of `crawl.log`.
#[utoipa::path(get, path = "/api/crawls/{id}/fetched", params(("id" = String, Path), Asked), responses(
    (status = 200, body = FetchedList), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn fetched(
    State(app): State<App>,
    Path(id): Path<String>,
    Asking(asked): Asking<Asked>,
) -> Result<Json<FetchedList>, Problem> {
    blocking(move || Ok(Json(FetchedList::of(&app, &id, &asked)?))).await
}
