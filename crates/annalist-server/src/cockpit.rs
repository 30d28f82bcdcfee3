//! The pages for people. Made on the server, whole without script; a little script keeps numbers fresh and checks a spec
//! as it is typed. Whatever was crawled is shown as text.

mod actions;
mod annotate;
mod ask;
mod asking_twice;
mod banner;
mod captured;
mod charts;
mod course;
mod courses;
mod crawl;
mod exporting;
pub mod fetched_words;
mod forms;
mod hints;
mod home;
mod knowledge;
mod layout;
mod logs;
mod new;
mod review;
mod search;
mod settings;
mod spec_form;
mod tasks;
mod words;

use axum::Router;
use axum::extract::Request;
use axum::http::{StatusCode, Uri, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use maud::html;

use crate::problem::{Problem, retold};
use crate::rest::Place;
use crate::serve::App;

pub fn router() -> Router<App> {
    Router::new()
        .route("/", get(home::home))
        .route("/login", get(home::login).merge(home::door()))
        .route("/logout", post(home::log_out))
        .route("/new", get(new::new).post(new::create))
        .route("/new/upload", post(new::upload))
        .route("/crawls/{id}", get(crawl::overview))
        .route("/crawls/{id}/queue", get(crawl::queue))
        .route("/crawls/{id}/settings", get(settings::settings).post(settings::change))
        .route("/crawls/{id}/page", get(captured::captured))
        .route("/crawls/{id}/search", get(search::search))
        .route("/crawls/{id}/knowledge", get(knowledge::names))
        .route("/crawls/{id}/knowledge/name", get(knowledge::name))
        .route("/crawls/{id}/knowledge/topics", get(knowledge::topics))
        .route("/crawls/{id}/knowledge/events", get(knowledge::events))
        .route("/crawls/{id}/knowledge/social", get(knowledge::social))
        .route("/crawls/{id}/ask", get(ask::ask))
        .route("/crawls/{id}/log", get(logs::events))
        .route("/crawls/{id}/fetched", get(logs::fetched))
        .route("/crawls/{id}/skipped", get(logs::skipped))
        .route("/crawls/{id}/do/{action}", post(actions::act))
        .route("/crawls/{id}/export", get(exporting::export))
        .route("/crawls/{id}/review", get(review::review).post(review::decide))
        .route("/crawls/{id}/annotate", get(annotate::annotate).post(annotate::judge))
        .route("/crawls/{id}/annotate/curves.svg", get(annotate::curves))
        .route("/crawls/{id}/exports/remove", post(exporting::remove))
        .route("/crawls/{id}/tasks", post(tasks::add))
        .route("/crawls/{id}/tasks/{number}/{action}", post(tasks::act))
        .route("/static/{name}", get(asset))
        .method_not_allowed_fallback(not_this_way)
        .layer(from_fn(only_pages))
        .layer(from_fn(with_way_back))
}

/// What is wrong with a request is told to people as a page, whoever found it out.
async fn only_pages(request: Request, next: Next) -> Response {
    retold(next.run(request).await, "text/html", |problem| Failed(problem).into_response()).await
}

/// What comes along with the pages.
async fn asset(Place(name): Place<String>) -> Response {
    let (kind, text) = match name.as_str() {
        "annalist.css" => ("text/css; charset=utf-8", include_str!("cockpit/annalist.css")),
        "finding.css" => ("text/css; charset=utf-8", include_str!("cockpit/finding.css")),
        "annalist.js" => ("text/javascript; charset=utf-8", include_str!("cockpit/annalist.js")),
        "icon.svg" => ("image/svg+xml", include_str!("cockpit/icon.svg")),
        _ => return Problem::not_found("there is no such file").into_response(),
    };
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "max-age=3600")], text).into_response()
}

/// A page, or a page that says what went wrong.
pub type Page = Result<Response, Failed>;

/// A problem as people see it.
#[derive(Clone, Debug)]
pub struct Failed(pub Problem);

impl From<Problem> for Failed {
    fn from(problem: Problem) -> Failed {
        Failed(problem)
    }
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        let mut response = self.page(None);
        response.extensions_mut().insert(self);
        response
    }
}

/// What went wrong with a crawl leads back to it.
async fn with_way_back(request: Request, next: Next) -> Response {
    let crawl = crawl_of(request.uri().path()).map(str::to_owned);
    let response = next.run(request).await;
    match (response.extensions().get::<Failed>(), crawl) {
        (Some(failed), Some(crawl)) if response.status() != StatusCode::NOT_FOUND => {
            failed.page(Some(&crawl))
        }
        _ => response,
    }
}

/// `/crawls/x` of `/crawls/x/do/seeds`, as it stands in the address.
fn crawl_of(path: &str) -> Option<&str> {
    let id = path.strip_prefix("/crawls/")?.split('/').next().filter(|id| !id.is_empty())?;
    path.get(.."/crawls/".len() + id.len())
}

impl Failed {
    fn page(&self, crawl: Option<&str>) -> Response {
        let Failed(problem) = self;
        let title = for_people(problem.code()).unwrap_or(&problem.title);
        let body = html! {
            h1 { (title) }
            section {
                p { (problem.detail) }
                // One is told by the sentence above.
                @if problem.errors.len() > 1 {
                    ul.mistakes { @for error in &problem.errors { li { (forms::mistake(error)) } } }
                }
                @if problem.status == 422 { p.hint { "Nothing was changed. Go back with your browser: what you typed is there still." } }
                p {
                    @if let Some(crawl) = crawl { a.button href=(crawl) { "Back to the crawl" } " " }
                    a.button href="/" { "All crawls" }
                }
            }
        };
        (problem.code(), layout::page(title, &body)).into_response()
    }
}

/// What a status means to who does not know HTTP.
fn for_people(status: StatusCode) -> Option<&'static str> {
    Some(match status.as_u16() {
        401 => "You are not logged in",
        403 => "This is not allowed",
        404 => "Nothing is here",
        405 => "This is no page",
        409 => "This cannot be done now",
        422 => "Something is wrong with what was sent",
        429 | 503 => "Not now",
        500 => "Something went wrong",
        507 => "The disk is full",
        _ => return None,
    })
}

/// An address that forms are sent to, opened like a page.
async fn not_this_way() -> Failed {
    Failed(Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "this address is for forms: go back and press the button",
    ))
}

/// What no page and no endpoint is at.
pub async fn nothing_there(uri: Uri) -> Response {
    let problem = Problem::not_found("there is nothing at this address");
    if uri.path() == "/api" || uri.path().starts_with("/api/") {
        return problem.into_response();
    }
    Failed(problem).into_response()
}
