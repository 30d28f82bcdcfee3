//! What happened, what was fetched, and what was not: lists with filters.

use std::collections::BTreeSet;

use axum::extract::State;
use axum::response::IntoResponse;
use maud::{Markup, html};

use super::{Page, fetched_words, hints, layout, words};
use crate::rest::{Asking, Events, FetchedList, LogAsked, Place, SEVERITIES, SkippedList, blocking};
use crate::serve::App;
use crate::service::Seen;

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

/// What is said where nothing fits, after a look through the whole log or a part of it.
fn nothing(asked: &LogAsked, next: Option<u64>, in_all: &str) -> Markup {
    html! {
        section.empty {
            @if next.is_some() {
                p { "Nothing that fits is in " @if asked.before.is_some() { "this part" } @else { "the newest part" } " of the log. Its older part was not looked through yet." }
            } @else if asked.before.is_some() {
                p { "Nothing older fits: this is where the log begins." }
            } @else { p { (in_all) } }
        }
    }
}

fn older(asked: &LogAsked, next: Option<u64>, shown: usize) -> Markup {
    html! {
        @if let Some(next) = next {
            form.inline method="get" {
                input type="hidden" name="q" value=(asked.q);
                input type="hidden" name="severity" value=(asked.severity);
                input type="hidden" name="subsystem" value=(asked.subsystem);
                input type="hidden" name="reason" value=(asked.reason);
                input type="hidden" name="before" value=(next);
                button { @if shown == 0 { "Look further back" } @else { "Older" } }
            }
        }
    }
}

/// Where what happens next is told, by the same filters.
fn followed(id: &str, asked: &LogAsked, after: u64) -> String {
    let query = form_urlencoded::Serializer::new(String::new())
        .extend_pairs([("q", &asked.q), ("severity", &asked.severity), ("subsystem", &asked.subsystem)])
        .append_pair("after", &after.to_string())
        .finish();
    format!("/api/crawls/{id}/events/live?{query}")
}

/// The parts of the program that have told something.
fn subsystems(seen: &Seen) -> Vec<&str> {
    let named = seen.status.counters.events.keys();
    let named: BTreeSet<&str> = named.map(|name| name.split(' ').next().unwrap_or(name)).collect();
    named.into_iter().collect()
}

pub async fn events(
    State(app): State<App>,
    Place(id): Place<String>,
    Asking(asked): Asking<LogAsked>,
) -> Page {
    let asked = narrowed(asked);
    let question = asked.clone();
    let (seen, found) =
        blocking(move || Ok((app.service.see(&id)?, Events::of(&app, &id, &question)?))).await?;
    let filters = html! {
        (choice("severity", "Severity", &asked.severity, &SEVERITIES))
        (choice("subsystem", "Part", &asked.subsystem, &subsystems(&seen)))
    };
    let body = html! {
        (search(&asked, &filters))
        div data-log-source=[asked.before.is_none().then(|| followed(&seen.id, &asked, found.end))] {
            @if found.events.is_empty() { (nothing(&asked, found.next, "Nothing that fits has happened.")) }
            table.log hidden[found.events.is_empty()] {
                caption { "What happened, the newest first" @if asked.before.is_none() { span.live hidden { " · new lines appear by themselves" } } }
                thead { tr { th scope="col" { "When (UTC)" } th scope="col" { "Severity" } th scope="col" { "Part" } th scope="col" { "What" } } }
                tbody { @for event in &found.events { tr class=(event.severity) {
                    td.time { (words::second(&event.time)) } td { (event.severity) } td { (event.subsystem) } td { (event.message) }
                } } }
            }
        }
        (older(&asked, found.next, found.events.len()))
    };
    Ok(layout::crawl_page(&seen, "/log", &body).into_response())
}

pub async fn skipped(
    State(app): State<App>,
    Place(id): Place<String>,
    Asking(asked): Asking<LogAsked>,
) -> Page {
    let asked = narrowed(asked);
    let question = asked.clone();
    let (seen, found) =
        blocking(move || Ok((app.service.see(&id)?, SkippedList::of(&app, &id, &question)?))).await?;
    let reasons: Vec<&str> = annalist_model::SkipReason::ALL.iter().map(|reason| reason.name()).collect();
    let body = html! {
        (search(&asked, &choice("reason", "Reason", &asked.reason, &reasons)))
        @if found.skipped.is_empty() { (nothing(&asked, found.next, "Nothing that fits was skipped.")) } @else {
            table {
                caption { "Addresses that were not fetched, the newest first" }
                thead { tr { th scope="col" { "When (UTC)" } th scope="col" { "Address" } th scope="col" { "Reason" } th scope="col" { "Detail" } th scope="col" { "Found on" } } }
                tbody { @for one in &found.skipped { tr {
                    td.time { (words::second(&one.time)) } td.url { (one.url) }
                    td { (one.reason) @if let Some(meaning) = words::reason(&one.reason) { span.hint { ": " (meaning) } } } td { (one.detail) } td.url { (one.via.as_deref().unwrap_or("–")) }
                } } }
            }
        }
        (older(&asked, found.next, found.skipped.len()))
    };
    Ok(layout::crawl_page(&seen, "/skipped", &body).into_response())
}

/// A status with its meaning behind it, where something is to be said of it.
fn status(code: i32) -> Markup {
    match fetched_words::status(code) {
        Some(meaning) => hints::term(&code.to_string(), meaning),
        None => html! { (code) },
    }
}

pub async fn fetched(
    State(app): State<App>,
    Place(id): Place<String>,
    Asking(asked): Asking<LogAsked>,
) -> Page {
    let asked = narrowed(asked);
    let question = asked.clone();
    let (seen, found) =
        blocking(move || Ok((app.service.see(&id)?, FetchedList::of(&app, &id, &question)?))).await?;
    let body = html! {
        (search(&asked, &html! {}))
        @if found.fetched.is_empty() { (nothing(&asked, found.next, "Nothing that fits was fetched.")) } @else {
            table {
                caption { "What was asked for, the newest first" }
                thead { tr { th scope="col" { "When (UTC)" } th.number scope="col" { "Status" } th.number scope="col" { "Bytes" } th scope="col" { "Address" } th scope="col" { "Type" } th scope="col" { "Notes" } } }
                tbody { @for one in &found.fetched { tr class=[(one.status < 0).then_some("error")] {
                    td.time { (words::second(&one.time)) } td.number { (status(one.status)) } td.number { (words::bytes(one.bytes)) }
                    td.url { @if one.status > 0 { a href=(page_of(&seen.id, &one.url)) { (one.url) } } @else { (one.url) } } td { (one.mime) } td title=[(one.annotations != "-").then_some(&one.annotations)] { (fetched_words::notes(&one.annotations)) }
                } } }
            }
        }
        (older(&asked, found.next, found.fetched.len()))
    };
    Ok(layout::crawl_page(&seen, "/fetched", &body).into_response())
}
