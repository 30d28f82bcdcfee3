//! What was asked of a crawl while somebody removed it fails wherever it happens to be. That is nobody's fault: it is told as
//! it would be a moment later.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::cockpit::Failed;
use crate::serve::App;

pub async fn told(State(app): State<App>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let (rest, is_for_programs) = match path.strip_prefix("/api") {
        Some(rest) => (rest, true),
        None => (path, false),
    };
    let crawl = rest.strip_prefix("/crawls/").and_then(|rest| rest.split('/').next()).map(str::to_owned);
    let response = next.run(request).await;
    if response.status() != StatusCode::INTERNAL_SERVER_ERROR {
        return response;
    }
    match crawl.map(|id| app.service.job(&id)) {
        Some(Err(gone)) if is_for_programs => gone.into_response(),
        Some(Err(gone)) => Failed(gone).into_response(),
        _ => response,
    }
}
