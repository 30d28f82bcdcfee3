//! What programs can ask, described by itself at `/api/openapi.json`.

mod annotations;
mod course;
mod crawls;
mod document;
mod events;
mod examples;
mod exports;
mod found;
mod live;
mod metrics;
mod page;
mod queue;
mod reading;
mod review;
mod searching;
mod sparql;
mod steering;
mod tasks;
mod urls;

use axum::middleware::from_fn;
use axum::routing::get;
use axum::{Json, Router};
use utoipa::OpenApi;
use utoipa::openapi::OpenApi as Document;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub use course::{Course, EventCounts, Point, Span};
pub use crawls::blocking;
pub use events::{Asked as LogAsked, Events, FetchedList, SEVERITIES, SkippedList};
pub use examples::{EXAMPLES, Example};
pub use queue::Queue;
pub use reading::{Asking, Place};
pub use review::{Asked as ReviewAsked, choice_of};
pub use sparql::{Abandoned, limits as query_limits};
pub use steering::{SiteChange, amend_seeds, amend_site, block_site, read_duration};

use crate::serve::App;

#[derive(OpenApi)]
#[openapi(info(
    title = "Annalist",
    description = "Build and steer topical web archives. Errors are application/problem+json and name the field at fault."
))]
struct Described;

fn described() -> (Router<App>, Document) {
    let (router, mut document) = OpenApiRouter::with_openapi(Described::openapi())
        .routes(routes!(crawls::list, crawls::create))
        .routes(routes!(crawls::one, crawls::remove))
        .routes(routes!(crawls::check))
        .routes(routes!(examples::list))
        .routes(routes!(steering::start))
        .routes(routes!(steering::pause))
        .routes(routes!(steering::stop))
        .routes(routes!(steering::spec, steering::change))
        .routes(routes!(steering::learn_again))
        .routes(routes!(steering::add_seeds))
        .routes(routes!(steering::site))
        .routes(routes!(steering::limits))
        .routes(routes!(steering::weights))
        .routes(routes!(steering::schedule, steering::unschedule))
        .routes(routes!(queue::queue))
        .routes(routes!(urls::inject))
        .routes(routes!(events::events))
        .routes(routes!(events::skipped))
        .routes(routes!(events::fetched))
        .routes(routes!(live::live))
        .routes(routes!(live::log))
        .routes(routes!(course::counters))
        .routes(routes!(course::course))
        .routes(routes!(tasks::list, tasks::add))
        .routes(routes!(tasks::one, tasks::stop))
        .routes(routes!(review::review))
        .routes(routes!(review::decide))
        .routes(routes!(review::rules, review::add_rule, review::remove_rule))
        .routes(routes!(annotations::list, annotations::judge))
        .routes(routes!(annotations::figures))
        .routes(routes!(exports::list))
        .routes(routes!(exports::download, exports::remove))
        .routes(routes!(metrics::metrics))
        .routes(routes!(found::table))
        .routes(routes!(found::explain))
        .routes(routes!(page::page))
        .routes(routes!(searching::search))
        .routes(routes!(searching::search_several))
        .routes(routes!(sparql::ask, sparql::ask_by_post))
        .split_for_parts();
    document::complete(&mut document);
    (router, document)
}

/// The document that describes all of it.
pub fn openapi() -> Document {
    described().1
}

pub fn router() -> Router<App> {
    let (router, document) = described();
    router
        .route("/api/openapi.json", get(move || async move { Json(document) }))
        .layer(from_fn(document::only_problems))
}
