//! Addresses are handed to a crawl: the crawler as a service.

use annalist_crawl::injecting::Injected;
use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use super::crawls::blocking;
use crate::problem::{FieldError, Problem};
use crate::serve::App;

/// One address.
#[derive(Debug, ToSchema)]
#[allow(dead_code, reason = "describes what is read as the engine's own type")]
pub struct Address {
    pub url: String,
    /// In [0, 1]; 1 where nothing is said.
    pub score: Option<f64>,
    /// Never to be fetched, now and later.
    pub blacklisted: Option<bool>,
}

/// What came of a batch. What was accepted is durable: it survives a power cut.
#[derive(Debug, Serialize, ToSchema)]
pub struct Accepted {
    pub accepted: usize,
    pub refused: usize,
    /// What is wrong with the first of those that were refused.
    pub errors: Vec<FieldError>,
}

/// Hands addresses to a crawl, whether it runs or not. It takes them up in order; an address that was blacklisted once is
/// never fetched.
#[utoipa::path(post, path = "/api/crawls/{id}/urls", params(("id" = String, Path)), request_body = Vec<Address>,
    responses((status = 202, body = Accepted), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn inject(
    State(app): State<App>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<(StatusCode, Json<Accepted>), Problem> {
    let accepted = blocking(move || {
        let addresses: Vec<Injected> =
            serde_json::from_slice(&body).map_err(|fault| Problem::field("body", fault.to_string()))?;
        app.service.inject(&id, addresses)
    });
    let accepted = accepted.await?;
    let told = Accepted { accepted: accepted.accepted, refused: accepted.refused, errors: accepted.errors };
    Ok((StatusCode::ACCEPTED, Json(told)))
}
