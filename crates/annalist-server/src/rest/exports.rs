//! Files that tasks have made: listed, fetched whole or in part, removed.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use super::crawls::blocking;
use super::reading::Place;
use crate::download;
use crate::exports::{self, Export};
use crate::problem::Problem;
use crate::serve::App;

#[derive(Debug, Serialize, ToSchema)]
pub struct ExportList {
    /// The newest first.
    pub exports: Vec<Export>,
}

/// The files of a crawl that can be fetched.
#[utoipa::path(get, path = "/api/crawls/{id}/exports", params(("id" = String, Path)), responses(
    (status = 200, body = ExportList), (status = 404, body = Problem)))]
pub async fn list(State(app): State<App>, Place(id): Place<String>) -> Result<Json<ExportList>, Problem> {
    blocking(move || {
        let job = app.service.job(&id)?;
        let exports = exports::list(job.root());
        let exports = exports.map_err(|fault| Problem::internal("the folder cannot be read", &fault))?;
        Ok(Json(ExportList { exports }))
    })
    .await
}

/// One of them, whole or the range that is asked for.
#[utoipa::path(get, path = "/api/crawls/{id}/exports/{name}", params(("id" = String, Path), ("name" = String, Path)), responses(
    (status = 200, content(
        (String = "application/octet-stream"), (String = "application/wacz"), (String = "application/warc"), (String = "text/csv"),
        (String = "application/n-quads"), (String = "application/vnd.apache.parquet"))),
    (status = 206, content(
        (String = "application/octet-stream"), (String = "application/wacz"), (String = "application/warc"), (String = "text/csv"),
        (String = "application/n-quads"), (String = "application/vnd.apache.parquet"))),
    (status = 404, body = Problem), (status = 416, body = Problem)))]
pub async fn download(
    State(app): State<App>,
    Place((id, name)): Place<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let text =
        |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let (range, if_range) = (text(header::RANGE), text(header::IF_RANGE));
    blocking(move || {
        let path = exports::path_of(app.service.job(&id)?.root(), &name)?;
        download::file(&path, &name, range.as_deref(), if_range.as_deref())
    })
    .await
}

/// Removes one of them.
#[utoipa::path(delete, path = "/api/crawls/{id}/exports/{name}", params(("id" = String, Path), ("name" = String, Path)), responses(
    (status = 204), (status = 404, body = Problem)))]
pub async fn remove(
    State(app): State<App>,
    Place((id, name)): Place<(String, String)>,
) -> Result<Response, Problem> {
    blocking(move || exports::remove(app.service.job(&id)?.root(), &name)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
