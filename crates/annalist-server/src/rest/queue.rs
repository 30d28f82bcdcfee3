//! What waits to be fetched, by site, while a crawl runs and while it rests.

use annalist_crawl::clock;
use annalist_frontier::SiteQueues;
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::crawls::{Page, blocking};
use super::reading::{Asking, Place};
use crate::problem::Problem;
use crate::serve::App;

/// A site that waits.
#[derive(Debug, Serialize, ToSchema)]
pub struct WaitingSite {
    /// Its name, as far as one of its links can be read.
    pub site: Option<String>,
    pub queued: u64,
    pub captures: u64,
    pub bytes: u64,
    /// The best of its links that wait, and what that is worth; none where all that is known of are being fetched.
    pub best_url: Option<String>,
    pub best_score: Option<f32>,
    /// Seconds until it may be asked again.
    pub rests_seconds: f64,
    /// Why nothing more is fetched of it.
    pub closed: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Queue {
    /// How many sites wait; while the crawl runs, of those that are in memory.
    pub total: usize,
    /// The sites with the most waiting links first.
    pub sites: Vec<WaitingSite>,
}

impl Queue {
    pub fn of(app: &App, id: &str, offset: usize, most: usize) -> Result<Queue, Problem> {
        let SiteQueues { total, part } = app.service.sites_that_wait(id, offset, most)?;
        let now = clock::now();
        let told = part.into_iter().map(|site| WaitingSite {
            site: site.name,
            queued: site.queued,
            captures: site.captures,
            bytes: site.bytes,
            best_url: site.example.map(|url| url.as_str().to_owned()),
            best_score: site.best,
            rests_seconds: site.rests_until.since(now).as_secs_f64(),
            closed: site.closed.map(|reason| reason.name().to_owned()),
        });
        Ok(Queue { total, sites: told.collect() })
    }
}

/// The queue of a crawl, by site.
#[utoipa::path(get, path = "/api/crawls/{id}/queue", params(("id" = String, Path), Page), responses(
    (status = 200, body = Queue), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn queue(
    State(app): State<App>,
    Place(id): Place<String>,
    Asking(page): Asking<Page>,
) -> Result<Json<Queue>, Problem> {
    let (offset, limit) = page.checked()?;
    blocking(move || Ok(Json(Queue::of(&app, &id, offset, limit)?))).await
}
