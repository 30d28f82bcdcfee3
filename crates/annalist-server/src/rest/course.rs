//! How a crawl went: what it counted, and that over time.

use annalist_crawl::counters::Counters;
use annalist_crawl::series::{self, Sample};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::{IntoParams, ToSchema};

use super::blocking;
use super::reading::{Asking, Place};
use crate::problem::Problem;
use crate::serve::App;
use crate::service::Service;

/// What was counted over all runs of a crawl.
#[derive(Debug, Serialize, ToSchema)]
pub struct Counts {
    /// Captures by HTTP status.
    #[schema(value_type = BTreeMap<String, u64>)]
    pub by_status: BTreeMap<u16, u64>,
    /// Captures by media type.
    pub by_mime: BTreeMap<String, u64>,
    /// Pages by language, where it is known.
    pub by_language: BTreeMap<String, u64>,
    /// Pages by the application that made them, where it is known.
    pub by_application: BTreeMap<String, u64>,
    /// Pages by score, in ten steps from 0 to 1.
    pub by_score: Vec<u64>,
    /// Mentions of links that are not fetched, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Events of the log: by subsystem, by severity.
    #[schema(value_type = BTreeMap<String, BTreeMap<String, u64>>)]
    pub events: EventCounts,
    /// Now and then: pages so far, and how many of them are relevant.
    #[schema(value_type = Vec<Vec<u64>>)]
    pub harvest: Vec<(u64, u64)>,
}

/// Events by subsystem, by severity.
pub type EventCounts = BTreeMap<String, BTreeMap<String, u64>>;

/// Of counts by `subsystem severity`.
pub fn by_subsystem(counts: &BTreeMap<String, u64>) -> EventCounts {
    let mut events = EventCounts::new();
    for (name, count) in counts {
        let (subsystem, severity) = name.split_once(' ').unwrap_or((name, "info"));
        events.entry(subsystem.to_owned()).or_default().insert(severity.to_owned(), *count);
    }
    events
}

impl Counts {
    pub fn of(counters: Counters) -> Counts {
        let events = by_subsystem(&counters.events);
        Counts {
            by_status: counters.by_status,
            by_mime: counters.by_mime,
            by_language: counters.by_language,
            by_application: counters.by_application,
            by_score: counters.judged.by_score.to_vec(),
            skipped: counters.skipped,
            harvest: counters.judged.curve,
            events,
        }
    }
}

/// Everything a crawl counted, over all its runs.
#[utoipa::path(get, path = "/api/crawls/{id}/counters", params(("id" = String, Path)), responses(
    (status = 200, body = Counts), (status = 404, body = Problem)))]
pub async fn counters(State(app): State<App>, Place(id): Place<String>) -> Result<Json<Counts>, Problem> {
    let seen = blocking(move || app.service.see(&id)).await?;
    Ok(Json(Counts::of(seen.status.counters)))
}

/// How far back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Span {
    #[default]
    Hour,
    Day,
    Week,
}

impl Span {
    pub const ALL: [Span; 3] = [Span::Hour, Span::Day, Span::Week];

    pub fn word(self) -> &'static str {
        match self {
            Span::Hour => "hour",
            Span::Day => "day",
            Span::Week => "week",
        }
    }

    pub fn millis(self) -> u64 {
        let hours = match self {
            Span::Hour => 1,
            Span::Day => 24,
            Span::Week => 7 * 24,
        };
        hours * 3_600_000
    }
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Over {
    /// The last `hour`, `day` or `week`.
    #[serde(default)]
    #[param(inline)]
    pub over: Span,
}

/// What a crawl had come to at a moment, over all its runs.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct Point {
    /// Milliseconds since 1970.
    pub at: u64,
    pub captures: u64,
    pub bytes: u64,
    pub judged: u64,
    pub relevant: u64,
    pub failures: u64,
    pub skipped: u64,
    pub queued: u64,
    pub warnings: u64,
    pub errors: u64,
    /// Events of the log: by subsystem, by severity. `null` where an older version of the program counted.
    #[schema(value_type = Option<BTreeMap<String, BTreeMap<String, u64>>>)]
    pub events: Option<EventCounts>,
}

impl Point {
    fn of(sample: Sample) -> Point {
        Point {
            at: sample.at,
            captures: sample.captures,
            bytes: sample.bytes,
            judged: sample.judged,
            relevant: sample.relevant,
            failures: sample.failed,
            skipped: sample.skipped,
            queued: sample.queued,
            warnings: sample.warnings,
            errors: sample.errors,
            events: sample.events.as_ref().map(by_subsystem),
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Course {
    /// Milliseconds since 1970: the span ends now.
    pub until: u64,
    /// Every ten seconds in the last hour, every four minutes in the last day, every 28 minutes before; none where the crawl
    /// did not run.
    pub points: Vec<Point>,
}

impl Course {
    /// Whether anything happened in it.
    pub fn is_telling(&self) -> bool {
        self.points.len() > 1
    }

    /// With the last point before the span, so that what happened in it can be told.
    pub fn of(service: &Service, id: &str, over: Span) -> Result<Course, Problem> {
        let job = service.job(id)?;
        let until = annalist_crawl::clock::now().millis();
        let from = until.saturating_sub(over.millis());
        let samples = series::read(&job.series());
        let samples = samples.map_err(|fault| Problem::internal("the course cannot be read", &fault))?;
        let first = samples.partition_point(|sample| sample.at < from).saturating_sub(1);
        let points = samples.into_iter().skip(first).map(Point::of).collect();
        Ok(Course { until, points })
    }
}

/// How a crawl's counts grew over the last hour, day or week.
#[utoipa::path(get, path = "/api/crawls/{id}/course", params(("id" = String, Path), Over), responses(
    (status = 200, body = Course), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn course(
    State(app): State<App>,
    Place(id): Place<String>,
    Asking(asked): Asking<Over>,
) -> Result<Json<Course>, Problem> {
    blocking(move || Course::of(&app.service, &id, asked.over)).await.map(Json)
}
