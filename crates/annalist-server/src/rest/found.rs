//! What a study wrote of a crawl, as it stands in its tables, and why an address was or was not fetched.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::Value;
use utoipa::IntoParams;

use super::crawls::blocking;
use super::reading::{Asking, Place};
use crate::problem::Problem;
use crate::serve::App;

/// The tables of a study.
const TABLES: [&str; 9] =
    ["entities", "opinions", "together", "topics", "topics-over-time", "events", "authors", "ties", "images"];

/// Which rows of a table are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Rows {
    /// From which one on, counted from 0.
    #[serde(default)]
    pub offset: usize,
    /// How many at most; all where nothing is said.
    pub limit: Option<usize>,
}

/// A table of what a study found (docs/study.md): entities, opinions, together, topics, topics-over-time, events, authors, ties
/// or images. There is none before a study was run. The first line names the columns, whichever rows are asked for.
#[utoipa::path(get, path = "/api/crawls/{id}/study/{table}", params(("id" = String, Path), ("table" = String, Path), Rows),
    responses((status = 200, body = String, content_type = "text/csv", headers(("annalist-rows" = u64, description = "How many rows the table has"))),
        (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn table(
    State(app): State<App>,
    Place((id, table)): Place<(String, String)>,
    Asking(rows): Asking<Rows>,
) -> Result<Response, Problem> {
    let known = TABLES.iter().find(|known| **known == table);
    let Some(known) = known else {
        return Err(Problem::not_found(format!("there is no such table; there are {}", TABLES.join(", "))));
    };
    let part = blocking(move || {
        let table = app.knowledge.table(&id, &format!("{known}.csv"))?;
        Ok((!table.is_missing()).then(|| table.part(rows.offset, rows.limit.unwrap_or(usize::MAX))))
    });
    let Some((total, text)) = part.await? else {
        return Err(Problem::not_found("nobody has studied this archive yet: run a study"));
    };
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8"));
    let count = (HeaderName::from_static("annalist-rows"), HeaderValue::from(total));
    Ok(([kind, count], text).into_response())
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Address {
    pub url: String,
}

/// Why an address was, or was not, fetched, as `annalist explain --json` tells it; also while the crawl runs.
#[utoipa::path(get, path = "/api/crawls/{id}/explain", params(("id" = String, Path), Address),
    responses((status = 200, body = Value), (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn explain(
    State(app): State<App>,
    Place(id): Place<String>,
    Asking(asked): Asking<Address>,
) -> Result<Json<Value>, Problem> {
    blocking(move || {
        if !app.service.job(&id)?.exists() {
            return Err(Problem::conflict("the crawl was never started: it knows of no address yet"));
        }
        let told = app.service.explain(&id, &asked.url)?;
        let unwritable = |fault| Problem::internal("the answer cannot be written", &fault);
        serde_json::to_value(&told).map(Json).map_err(unwritable)
    })
    .await
}
