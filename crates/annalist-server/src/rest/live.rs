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

/// How the crawl stands, once a second: events named `status`, with the same data as `GET /api/crawls/{id}`. When it is
/// removed, one named `gone`, and the stream ends.
#[utoipa::path(get, path = "/api/crawls/{id}/live", params(("id" = String, Path)), responses(
    (status = 200, body = CrawlView, content_type = "text/event-stream"), (status = 404, body = Problem)))]
pub async fn live(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    app.service.job(&id)?;
    let ticks = tokio_stream::wrappers::IntervalStream::new(tokio::time::interval(EVERY));
    let mut is_gone = false;
    let told = ticks.map_while(move |_| {
        if is_gone {
            return None;
        }
        let seen = app.service.see(&id).ok();
        let json = seen.and_then(|seen| serde_json::to_string(&CrawlView::of(seen)).ok());
        is_gone = json.is_none();
        Some(Ok(match json {
            Some(json) => Event::default().event("status").data(json),
            None => Event::default().event("gone").data("{}"),
        }))
    });
    Ok(Sse::new(told).keep_alive(KeepAlive::default()))
}
