//! What people do with a crawl by pressing something.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect};
use serde::Deserialize;

use super::Page;
use super::forms::Sent;
use crate::problem::Problem;
use crate::rest::{amend_seeds, block_site, blocking};
use crate::serve::App;

#[derive(Deserialize)]
pub struct Fields {
    #[serde(default)]
    urls: String,
    #[serde(default)]
    site: String,
}

pub async fn act(
    State(app): State<App>,
    Path((id, action)): Path<(String, String)>,
    Sent(fields): Sent<Fields>,
) -> Page {
    let back = match action.as_str() {
        "block" | "unblock" => format!("/crawls/{id}/queue"),
        "remove" => "/".to_owned(),
        _ => format!("/crawls/{id}"),
    };
    blocking(move || match action.as_str() {
        "start" => app.service.start(&id),
        "pause" => app.service.pause(&id),
        "stop" => app.service.stop(&id),
        "remove" => app.service.remove(&id),
        "seeds" => {
            let urls: Vec<String> = fields.urls.split_whitespace().map(str::to_owned).collect();
            amend_seeds(&app, &id, &urls).map(drop)
        }
        "block" => block_site(&app, &id, &fields.site, true).map(drop),
        "unblock" => block_site(&app, &id, &fields.site, false).map(drop),
        _ => Err(Problem::not_found("there is no such action")),
    })
    .await?;
    Ok(Redirect::to(&back).into_response())
}
