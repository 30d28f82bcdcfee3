//! All crawls at a glance, and the door.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Form;
use axum::extract::{ConnectInfo, DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{MethodRouter, post};
use maud::{Markup, html};
use serde::Deserialize;

use super::forms::Sent;
use super::{Failed, Page, forms, layout, words};
use crate::access::own_path;
use crate::problem::Problem;
use crate::rest::{Asking, blocking};
use crate::serve::App;
use crate::service::{FINISHING, Reached, Seen};

/// The form at the door, and in it the way back to what was asked for: every byte of that may take three.
const LONGEST_FORM: usize = 16 << 10;
const LONGEST_WAY: usize = 4 << 10;
/// In which all of it has to be there.
const PATIENCE: Duration = Duration::from_secs(30);

pub async fn home(State(app): State<App>) -> Page {
    let asked = app.clone();
    let all = blocking(move || asked.service.all()).await?;
    let body = html! {
        h1 { "Crawls" }
        @if all.is_empty() {
            section.empty {
                h2 { "Nothing is archived here yet" }
                p { "A crawl begins with a spec: a few lines that say where to begin, what it is about and when to stop. A form helps you to write it." }
                p { a.button href="/new" { "Write the first one" } }
            }
        } @else {
            p { a.button href="/new" { "New crawl" } }
            div.cards { @for seen in &all { (card(&app, seen)) } }
        }
        @if app.access.needs_token() { (forms::button(&app, "/logout", "Log out", "")) }
    };
    Ok(layout::page("Crawls", &body).into_response())
}

fn card(app: &App, seen: &Seen) -> Markup {
    let counters = &seen.status.counters;
    html! {
        article.card data-fresh={ "card-" (seen.id) } data-every=[pace(seen)] {
            h2 { a href={ "/crawls/" (seen.id) } { (layout::called(seen)) } }
            (badge(seen))
            @if let Some(why) = &seen.wanted.failed { p.bad { (why) } }
            @if let Some(what) = seen.status.waits_for.as_ref().filter(|_| seen.is_running).or(seen.awaits.as_ref()) { p.hint { "waits for " (what) } }
            dl.facts {
                div { dt { "Captures" } dd { (words::count(counters.captures)) } }
                div { dt { "Received" } dd { (words::bytes(counters.bytes)) } }
                div { dt { "Queued" } dd { (words::count(seen.status.queued)) } }
                @if counters.judged.pages > 0 {
                    div { dt { "Relevant" } dd { (words::share(counters.judged.harvest_ratio())) } }
                }
            }
            (buttons(app, seen))
        }
    }
}

/// After how many milliseconds a page with script looks again how a crawl goes; never where it goes nowhere by itself.
pub fn pace(seen: &Seen) -> Option<&'static str> {
    let moves = seen.is_running || seen.awaits.is_some() || seen.wanted.schedule.is_some();
    moves.then_some("5000")
}

/// How a crawl stands, in a word.
pub fn badge(seen: &Seen) -> Markup {
    let (word, class) = words::state(&seen.status.state);
    html! { span class={ "badge " (class) } data-live="state" { (word) } }
}

/// What can be done with it now.
pub fn buttons(app: &App, seen: &Seen) -> Markup {
    let action = |name: &str| format!("/crawls/{}/do/{name}", seen.id);
    html! {
        div.buttons {
            @if seen.awaits.is_some() {
                (forms::button(app, &action("stop"), "Stop", ""))
            } @else if let Some(reached) = app.service.reached(seen) {
                (at_its_end(&seen.id, reached))
            } @else if !seen.is_running {
                (forms::button(app, &action("start"), if seen.status.counters.captures > 0 { "Go on" } else { "Start" }, "primary"))
            } @else if seen.status.state == FINISHING {
                // Asked again, a crawl does not finish the pages under way.
                (forms::button(app, &action("stop"), "Stop at once", ""))
            } @else {
                @if seen.status.state == "paused" {
                    (forms::button(app, &action("start"), "Go on", "primary"))
                } @else {
                    (forms::button(app, &action("pause"), "Pause", ""))
                }
                (forms::button(app, &action("stop"), "Stop", ""))
            }
        }
    }
}

/// It would end as soon as it is started.
fn at_its_end(id: &str, reached: Reached) -> Markup {
    let (limit, field) = match reached {
        Reached::Pages(most) => (words::some(most, "page", "pages"), "limit_pages"),
        Reached::Bytes(most) => (words::bytes(most), "limit_size"),
    };
    html! {
        p { "The limit of " (limit) " is reached: " a href={ "/crawls/" (id) "/settings#field-" (field) } { "raise it in Settings" } " to go on." }
    }
}

/// Where one wants to go.
#[derive(Deserialize)]
pub struct Wanted {
    #[serde(default)]
    to: String,
}

pub async fn login(State(app): State<App>, Asking(wanted): Asking<Wanted>) -> Response {
    if !app.access.needs_token() {
        return Redirect::to(own_path(&wanted.to)).into_response();
    }
    shown(None, &wanted.to).into_response()
}

fn shown(problem: Option<&str>, to: &str) -> Markup {
    let body = html! {
        h1 { "Who is there?" }
        @if let Some(problem) = problem { p.bad role="alert" { (problem) } }
        form method="post" action="/login" {
            label for="token" { "Token" }
            input #token type="password" name="token" autocomplete="current-password" required autofocus;
            input type="hidden" name="to" value=(Some(own_path(to)).filter(|to| to.len() <= LONGEST_WAY).unwrap_or("/"));
            button.primary { "Enter" }
            p.hint { "It was set in the environment variable ANNALIST_TOKEN where the service was started." }
        }
    };
    layout::page("Log in", &body)
}

#[derive(Deserialize)]
pub struct Given {
    token: String,
    #[serde(flatten)]
    wanted: Wanted,
}

/// Where anybody may send something. It is kept small and short: whoever has no token must not fill the memory.
pub fn door() -> MethodRouter<App> {
    post(log_in).layer::<_, Infallible>(from_fn(not_for_long)).layer(DefaultBodyLimit::max(LONGEST_FORM))
}

async fn not_for_long(request: Request, next: Next) -> Response {
    match tokio::time::timeout(PATIENCE, next.run(request)).await {
        Ok(answer) => answer,
        Err(_) => {
            let why = "the form took too long to arrive: send it once more";
            Failed(Problem::new(StatusCode::REQUEST_TIMEOUT, why)).into_response()
        }
    }
}

async fn log_in(
    State(app): State<App>,
    ConnectInfo(from): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
    Form(given): Form<Given>,
) -> Response {
    let to = &given.wanted.to;
    match app.access.log_in(&given.token, from.ip(), &headers) {
        Ok(cookie) => ([(header::SET_COOKIE, cookie)], Redirect::to(own_path(to))).into_response(),
        Err(problem) => {
            let wait = problem.retry_after.map(|seconds| [(header::RETRY_AFTER, seconds.to_string())]);
            (problem.code(), wait, shown(Some(&problem.detail), to)).into_response()
        }
    }
}

#[derive(Deserialize)]
pub struct Nothing {}

pub async fn log_out(State(app): State<App>, headers: HeaderMap, Sent(Nothing {}): Sent<Nothing>) -> Page {
    let cookie = app.access.log_out(&headers)?;
    Ok(([(header::SET_COOKIE, cookie)], Redirect::to("/login")).into_response())
}
