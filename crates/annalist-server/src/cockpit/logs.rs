//! What happened, what was fetched, and what was not: lists with filters.

use axum::extract::{Path, Query, State};
use axum::response::IntoResponse;
use maud::{Markup, html};

use super::{Page, layout, words};
use crate::rest::{Events, FetchedList, LogAsked, SkippedList, blocking};
use crate::serve::App;

const SHOWN: usize = 200;

/// Where a captured page is shown.
fn page_of(id: &str, url: &str) -> String {
    let query: String = form_urlencoded::byte_serialize(url.as_bytes()).collect();
    format!("/crawls/{id}/page?url={query}")
}

fn narrowed(mut asked: LogAsked) -> LogAsked {
    asked.limit = Some(SHOWN);
    asked
}

fn search(asked: &LogAsked, more: &Markup) -> Markup {
    html! {
        form.filter method="get" role="search" {
            label for="q" { "Words" }
            input #q type="search" name="q" value=(asked.q);
            (more)
            button { "Show" }
        }
    }
}

fn choice(name: &str, label: &str, chosen: &str, options: &[&str]) -> Markup {
    html! {
        label for=(name) { (label) }
        select id=(name) name=(name) {
            option value="" selected[chosen.is_empty()] { "all" }
            @for option in options { option value=(option) selected[chosen == *option] { (option) } }
        }
    }
}

fn older(asked: &LogAsked, more: bool, shown: usize) -> Markup {
    html! {
        @if more {
            form.inline method="get" {
                input type="hidden" name="q" value=(asked.q);
                input type="hidden" name="severity" value=(asked.severity);
                input type="hidden" name="subsystem" value=(asked.subsystem);
                input type="hidden" name="reason" value=(asked.reason);
                input type="hidden" name="offset" value=(asked.offset + shown);
                button { "Older" }
            }
        }
    }
}

pub async fn events(State(app): State<App>, Path(id): Path<String>, Query(asked): Query<LogAsked>) -> Page {
    let asked = narrowed(asked);
    let question = asked.clone();
    let (seen, found) =
        blocking(move || Ok((app.service.see(&id)?, Events::of(&app, &id, &question)?))).await?;
    let subsystems = ["crawl", "archive", "frontier", "web", "politeness", "apps", "knowledge", "injection"];
    let filters = html! {
        (choice("severity", "Severity", &asked.severity, &["info", "warning", "error"]))
        (choice("subsystem", "Part", &asked.subsystem, &subsystems))
    };
    let body = html! {
        (search(&asked, &filters))
        @if found.events.is_empty() { section.empty { p { "Nothing that fits has happened." } } } @else {
            table {
                caption { "What happened, the newest first" }
                thead { tr { th scope="col" { "When" } th scope="col" { "Severity" } th scope="col" { "Part" } th scope="col" { "What" } } }
                tbody { @for event in &found.events { tr class=(event.severity) {
                    td.time { (event.time) } td { (event.severity) } td { (event.subsystem) } td { (event.message) }
                } } }
            }
        }
        (older(&asked, found.more, found.events.len()))
    };
    Ok(layout::crawl_page(&seen, "/log", &body).into_response())
}

pub async fn skipped(State(app): State<App>, Path(id): Path<String>, Query(asked): Query<LogAsked>) -> Page {
    let asked = narrowed(asked);
    let question = asked.clone();
    let (seen, found) =
        blocking(move || Ok((app.service.see(&id)?, SkippedList::of(&app, &id, &question)?))).await?;
    let reasons: Vec<&str> = annalist_model::SkipReason::ALL.iter().map(|reason| reason.name()).collect();
    let body = html! {
        (search(&asked, &choice("reason", "Reason", &asked.reason, &reasons)))
        @if found.skipped.is_empty() { section.empty { p { "Nothing that fits was skipped." } } } @else {
            table {
                caption { "Addresses that were not fetched, the newest first" }
                thead { tr { th scope="col" { "Address" } th scope="col" { "Reason" } th scope="col" { "Detail" } th scope="col" { "Found on" } } }
                tbody { @for one in &found.skipped { tr {
                    td.url { (one.url) } td { (one.reason) } td { (one.detail) } td.url { (one.via.as_deref().unwrap_or("–")) }
                } } }
            }
        }
        (older(&asked, found.more, found.skipped.len()))
    };
    Ok(layout::crawl_page(&seen, "/skipped", &body).into_response())
}

pub async fn fetched(State(app): State<App>, Path(id): Path<String>, Query(asked): Query<LogAsked>) -> Page {
    let asked = narrowed(asked);
    let question = asked.clone();
    let (seen, found) =
        blocking(move || Ok((app.service.see(&id)?, FetchedList::of(&app, &id, &question)?))).await?;
    let body = html! {
        (search(&asked, &html! {}))
        @if found.fetched.is_empty() { section.empty { p { "Nothing that fits was fetched." } } } @else {
            table {
                caption { "What was asked for, the newest first" }
                thead { tr { th scope="col" { "When" } th.number scope="col" { "Status" } th.number scope="col" { "Bytes" } th scope="col" { "Address" } th scope="col" { "Type" } th scope="col" { "Notes" } } }
                tbody { @for one in &found.fetched { tr class=[(one.status < 0).then_some("error")] {
                    td.time { (one.time) } td.number { (one.status) } td.number { (words::bytes(one.bytes)) }
                    td.url { @if one.status > 0 { a href=(page_of(&seen.id, &one.url)) { (one.url) } } @else { (one.url) } } td { (one.mime) } td { (one.annotations) }
                } } }
            }
        }
        (older(&asked, found.more, found.fetched.len()))
    };
    Ok(layout::crawl_page(&seen, "/fetched", &body).into_response())
}
