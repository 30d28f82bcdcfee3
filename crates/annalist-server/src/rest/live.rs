//! A crawl as it changes, as server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use tokio_stream::{Stream, StreamExt};

use super::crawls::CrawlView;
use crate::problem::Problem;
use crate::serve::App;

const EVERY: Duration = Duration::from_secs(1);

/// How the crawl stands, once a second: events named `status`, with the same data as `GET /api/crawls/{id}`.
#[utoipa::path(get, path = "/api/crawls/{id}/live", params(("id" = String, Path)), responses(
    (status = 200, body = CrawlView, content_type = "text/event-stream"), (status = 404, body = Problem)))]
pub async fn live(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    app.service.job(&id)?;
    let ticks = tokio_stream::wrappers::IntervalStream::new(tokio::time::interval(EVERY));
    let told = ticks.map(move |_| {
        let event = Event::default().event("status");
        let seen =
            app.service.see(&id).ok().and_then(|seen| serde_json::to_string(&CrawlView::of(seen)).ok());
        Ok(match seen {
            Some(json) => event.data(json),
            None => Event::default().event("gone").data("{}"),
        })
    });
    Ok(Sse::new(told).keep_alive(KeepAlive::default()))
}
