//! Crawls: which there are, how they stand, new ones, and their end.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::reading::{Asking, Body, Place};
use crate::problem::{FieldError, Problem};
use crate::serve::App;
use crate::service::{Seen, Then};
use crate::spec_form;
use crate::wanted::{Goal, Schedule};

/// A crawl as it stands. Counts are of acknowledged work: they survive a power cut.
#[derive(Debug, Serialize, ToSchema)]
pub struct CrawlView {
    pub id: String,
    /// What its spec calls it.
    pub name: String,
    /// `new`, `starting`, `running`, `waiting`, `paused`, `finishing`, `interrupted`, `elsewhere` (another process runs it),
    /// `damaged` (`failed` says what has to be repaired), or how it ended.
    pub state: String,
    pub is_running: bool,
    /// What it is to do; it goes on with that after a restart.
    pub goal: Goal,
    /// What it waits for, when it waits; also before it can be started.
    pub waits_for: Option<String>,
    /// Why it could not be started, or what is wrong with it.
    pub failed: Option<String>,
    pub schedule: Option<Schedule>,
    pub captures: u64,
    pub pages: u64,
    pub bytes: u64,
    pub stored_bytes: u64,
    pub responses: u64,
    pub revisits: u64,
    pub failures: u64,
    pub skipped: u64,
    pub queued: u64,
    pub sites: u64,
    pub visits_in_flight: u64,
    pub pages_per_second: f64,
    pub relevant: u64,
    pub harvest_ratio: Option<f64>,
    pub mean_score: Option<f64>,
    pub started: String,
    pub updated: String,
}

impl CrawlView {
    pub fn of(seen: Seen) -> CrawlView {
        let Seen { id, name, status, is_running, wanted, awaits } = seen;
        let counters = &status.counters;
        CrawlView {
            id,
            name,
            is_running,
            goal: wanted.goal,
            failed: wanted.failed,
            schedule: wanted.schedule,
            captures: counters.captures,
            pages: counters.pages,
            bytes: counters.bytes,
            stored_bytes: counters.stored_bytes,
            responses: counters.responses,
            revisits: counters.revisits,
            failures: counters.failed,
            skipped: counters.skipped_in_all(),
            relevant: counters.judged.relevant,
            harvest_ratio: counters.judged.harvest_ratio(),
            mean_score: counters.judged.mean_score(),
            queued: status.queued,
            sites: status.sites,
            visits_in_flight: status.visits_in_flight,
            pages_per_second: if is_running { status.pages_per_second } else { 0.0 },
            state: status.state,
            waits_for: status.waits_for.or(awaits),
            started: status.started,
            updated: status.updated,
        }
    }
}

/// Which part of a list is wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Page {
    /// From which one on, counted from 0.
    #[serde(default)]
    pub offset: usize,
    /// How many at most: 1 to 1000, 100 where nothing is said.
    #[serde(default = "usual")]
    #[param(minimum = 1, maximum = 1000)]
    pub limit: usize,
}

fn usual() -> usize {
    100
}

impl Page {
    pub fn checked(&self) -> Result<(usize, usize), Problem> {
        if (1..=1000).contains(&self.limit) {
            Ok((self.offset, self.limit))
        } else {
            Err(Problem::field("limit", "give a number from 1 to 1000"))
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Crawls {
    pub total: usize,
    pub crawls: Vec<CrawlView>,
}

/// All crawls, in the order of their names.
#[utoipa::path(get, path = "/api/crawls", params(Page), responses((status = 200, body = Crawls), (status = 422, body = Problem)))]
pub async fn list(State(app): State<App>, Asking(page): Asking<Page>) -> Result<Json<Crawls>, Problem> {
    let (offset, limit) = page.checked()?;
    let all = blocking(move || app.service.all()).await?;
    let total = all.len();
    let crawls = all.into_iter().skip(offset).take(limit).map(CrawlView::of).collect();
    Ok(Json(Crawls { total, crawls }))
}

/// A new crawl.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCrawl {
    /// The spec, in TOML.
    pub spec: String,
    /// Its name in addresses and on disk; made of the spec's name where none is given.
    #[serde(default)]
    pub id: Option<String>,
    /// Whether it starts at once.
    #[serde(default)]
    pub start: bool,
}

/// Makes a crawl of a spec, and starts it if that is wanted.
#[utoipa::path(post, path = "/api/crawls", request_body = NewCrawl, responses(
    (status = 201, body = CrawlView), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn create(
    State(app): State<App>,
    Body(new): Body<NewCrawl>,
) -> Result<(StatusCode, Json<CrawlView>), Problem> {
    let seen = blocking(move || {
        let then = if new.start { Then::Start } else { Then::Keep };
        let id = app.service.create(&new.spec, new.id.as_deref(), then)?;
        app.service.see(&id)
    });
    Ok((StatusCode::CREATED, Json(CrawlView::of(seen.await?))))
}

/// One crawl as it stands.
#[utoipa::path(get, path = "/api/crawls/{id}", params(("id" = String, Path)), responses((status = 200, body = CrawlView), (status = 404, body = Problem)))]
pub async fn one(State(app): State<App>, Place(id): Place<String>) -> Result<Json<CrawlView>, Problem> {
    let seen = blocking(move || app.service.see(&id)).await?;
    Ok(Json(CrawlView::of(seen)))
}

/// Removes a crawl with everything it has archived. It must not run.
#[utoipa::path(delete, path = "/api/crawls/{id}", params(("id" = String, Path)), responses(
    (status = 204), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn remove(State(app): State<App>, Place(id): Place<String>) -> Result<StatusCode, Problem> {
    blocking(move || app.service.remove(&id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ToCheck {
    /// The spec, in TOML.
    pub spec: String,
    /// What was typed into the fields of the cockpit's form, by their names; it is put into the spec, and mistakes then name
    /// the field.
    #[serde(default)]
    pub fields: std::collections::BTreeMap<String, String>,
}

/// What is wrong with a spec, and what is odd about it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Checked {
    pub is_good: bool,
    pub mistakes: Vec<FieldError>,
    pub warnings: Vec<FieldError>,
}

/// Which crawl's spec is to be changed, where it is not a new one.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Changing {
    /// What its spec says of the service's machine already may stay as it is.
    #[serde(default)]
    pub crawl: Option<String>,
}

/// Checks a spec without keeping it.
#[utoipa::path(post, path = "/api/check", params(Changing), request_body = ToCheck, responses(
    (status = 200, body = Checked), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn check(
    State(app): State<App>,
    Asking(changing): Asking<Changing>,
    Body(given): Body<ToCheck>,
) -> Result<Json<Checked>, Problem> {
    blocking(move || {
        let is_form = !given.fields.is_empty();
        let text = match is_form {
            true => spec_form::fill(&given.spec, &given.fields).map_err(|why| Problem::field("spec", why))?,
            false => given.spec,
        };
        let examined = app.service.examine(&text, changing.crawl.as_deref())?;
        let told = |mistake| {
            let mut error = FieldError::of(mistake);
            if let Some(field) = spec_form::field_of(&error.field).filter(|_| is_form) {
                (error.field, error.line) = (field.name.to_owned(), None);
                error.detail = spec_form::in_words(field, &error.detail);
            }
            error
        };
        Ok(Json(Checked {
            is_good: examined.spec.is_some(),
            mistakes: examined.mistakes.iter().map(told).collect(),
            warnings: examined.warnings.iter().map(told).collect(),
        }))
    })
    .await
}

/// Files are read on threads that may wait.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|fault| Err(Problem::internal("the work failed", &fault)))
}
