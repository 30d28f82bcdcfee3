//! Words in the archives of one or several crawls, with facets and the course over time.

use axum::Json;
use axum::extract::{RawQuery, State};
use serde_json::{Value, json};
use utoipa::IntoParams;

use super::crawls::blocking;
use super::reading::Place;
use crate::knowledge::Asked;
use crate::problem::Problem;
use crate::serve::App;

/// What can be asked; it is read by `knowledge/asked.rs`, since names may come several times.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(dead_code, reason = "describes what is read elsewhere")]
struct Question {
    /// The question in words; everything where there is none.
    q: Option<String>,
    /// Of this site only; several may be given.
    site: Option<Vec<String>>,
    host: Option<Vec<String>>,
    language: Option<Vec<String>>,
    /// `page`, `post`, `comment`, `article`
    #[param(rename = "type")]
    kind: Option<Vec<String>>,
    application: Option<Vec<String>>,
    mime: Option<Vec<String>>,
    author: Option<Vec<String>>,
    topic: Option<Vec<String>>,
    entity: Option<Vec<String>>,
    event: Option<Vec<String>>,
    /// Published from then on: 2011, 2011-03 or 2011-03-05.
    from: Option<String>,
    until: Option<String>,
    /// `from` and `until` are about when it was captured.
    captured: Option<bool>,
    /// `relevance`, `newest` or `oldest`
    sort: Option<String>,
    facets: Option<bool>,
    /// Count by month of publication.
    over_time: Option<bool>,
    /// Near duplicates as results of their own.
    all: Option<bool>,
    /// Results on a page, 0 to 100.
    limit: Option<usize>,
    /// From 1.
    page: Option<usize>,
}

/// Searches one crawl: everything that `annalist search --json` can be asked, and its answer, with `crawl` in each hit.
///
/// `freshness` says how the answer stands to the archive: `current`, `growing` (the crawl runs: what it found in the last half
/// minute may be missing), `reading` (the archive is being read: ask again in a moment) or `failed` (it could not be read).
#[utoipa::path(get, path = "/api/crawls/{id}/search", params(("id" = String, Path), Question),
    responses((status = 200, body = Value), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem), (status = 503, body = Problem)))]
pub async fn search(
    State(app): State<App>,
    Place(id): Place<String>,
    RawQuery(query): RawQuery,
) -> Result<Json<Value>, Problem> {
    let asked = Asked::read(&query.unwrap_or_default())?;
    if !asked.crawls.is_empty() {
        return Err(Problem::field("crawl", "several crawls are asked at /api/search"));
    }
    answer(app, asked, vec![id]).await
}

/// Searches several crawls together: `?crawl=a&crawl=b`, and what a search of one can be asked.
#[utoipa::path(get, path = "/api/search", params(
    ("crawl" = Vec<String>, Query, description = "A crawl that is asked, 1 to 100 of them"), Question),
    responses((status = 200, body = Value), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem), (status = 503, body = Problem)))]
pub async fn search_several(
    State(app): State<App>,
    RawQuery(query): RawQuery,
) -> Result<Json<Value>, Problem> {
    let mut asked = Asked::read(&query.unwrap_or_default())?;
    let mut ids = std::mem::take(&mut asked.crawls);
    ids.sort();
    ids.dedup();
    if ids.is_empty() || ids.len() > 100 {
        return Err(Problem::field("crawl", "name the crawls that are asked, 1 to 100"));
    }
    answer(app, asked, ids).await
}

async fn answer(app: App, asked: Asked, ids: Vec<String>) -> Result<Json<Value>, Problem> {
    blocking(move || {
        let question = asked.question()?;
        let opened = app.knowledge.search(&ids)?;
        let answer = opened.store.ask(&question)?;
        let unwritable = |fault: serde_json::Error| Problem::internal("the answer cannot be written", &fault);
        let mut told = serde_json::to_value(&answer).map_err(unwritable)?;
        let hits = told.get_mut("hits").and_then(Value::as_array_mut);
        for (hit, told) in answer.hits.iter().zip(hits.into_iter().flatten()) {
            if let Some(fields) = told.as_object_mut() {
                fields.insert("crawl".to_owned(), json!(ids.get(hit.index)));
            }
        }
        if let Some(fields) = told.as_object_mut() {
            fields.insert("freshness".to_owned(), json!(opened.freshness.word()));
        }
        Ok(Json(told))
    })
    .await
}
