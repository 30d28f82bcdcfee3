//! What programs can ask, described by itself at `/api/openapi.json`.

mod crawls;
mod events;
mod found;
mod live;
mod metrics;
mod reading;
mod searching;
mod sparql;
mod steering;
mod urls;

use axum::routing::get;
use axum::{Json, Router};
use utoipa::OpenApi;
use utoipa::openapi::OpenApi as Document;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub use crawls::blocking;
pub use events::{Asked as LogAsked, Events, FetchedList, SkippedList};
pub use sparql::{Abandoned, limits as query_limits};
pub use steering::{Queue, amend_seeds, block_site};

use crate::serve::App;

#[derive(OpenApi)]
#[openapi(info(
    title = "Annalist",
    description = "Build and steer topical web archives. Errors are application/problem+json and name the field at fault."
))]
struct Described;

fn described() -> (Router<App>, Document) {
    OpenApiRouter::with_openapi(Described::openapi())
        .routes(routes!(crawls::list, crawls::create))
        .routes(routes!(crawls::one, crawls::remove))
        .routes(routes!(crawls::check))
        .routes(routes!(steering::start))
        .routes(routes!(steering::pause))
        .routes(routes!(steering::stop))
        .routes(routes!(steering::spec, steering::change))
        .routes(routes!(steering::add_seeds))
        .routes(routes!(steering::site))
        .routes(routes!(steering::limits))
        .routes(routes!(steering::weights))
        .routes(routes!(steering::schedule, steering::unschedule))
        .routes(routes!(steering::queue))
        .routes(routes!(urls::inject))
        .routes(routes!(events::events))
        .routes(routes!(events::skipped))
        .routes(routes!(events::fetched))
        .routes(routes!(live::live))
        .routes(routes!(metrics::metrics))
        .routes(routes!(found::table))
        .routes(routes!(found::explain))
        .routes(routes!(searching::search))
        .routes(routes!(searching::search_several))
        .routes(routes!(sparql::ask, sparql::ask_by_post))
        .split_for_parts()
}

/// The document that describes all of it.
pub fn openapi() -> Document {
    described().1
}

pub fn router() -> Router<App> {
    let (router, document) = described();
    router.route("/api/openapi.json", get(move || async move { Json(document) }))
}
