//! Files for others to have: asked for, watched while they are made, fetched, removed.

use axum::extract::State;
use axum::response::{IntoResponse, Redirect};
use maud::{Markup, html};
use serde::Deserialize;

use super::asking_twice::Question;
use super::forms::Sent;
use super::{Page, forms, layout, tasks, words};
use crate::exports::{self, Export};
use crate::problem::Problem;
use crate::rest::{Place, blocking};
use crate::serve::App;
use crate::tasks::Kind;

const VIEW: &str = "export";

/// Format, name, what it is for, whether a selection can be taken.
const FORMATS: [(&str, &str, &str, bool); 5] = [
    (
        "wacz",
        "WACZ",
        "One file with pages, index and archive: opens in ReplayWeb.page, nothing else is needed.",
        true,
    ),
    (
        "warc",
        "WARC",
        "The archive as institutions keep it, with an index: for pywb, OpenWayback and other archives.",
        true,
    ),
    ("csv", "CSV", "A table of all captures, and one of what is missing: for a spreadsheet or R.", true),
    ("nquads", "N-Quads", "All that is known, as statements: for a triple store or a SPARQL server.", false),
    ("parquet", "Parquet", "Typed tables of captures, links and posts: for DuckDB, pandas or Spark.", true),
];

pub async fn export(State(app): State<App>, Place(id): Place<String>) -> Page {
    let asked = app.clone();
    let (seen, told, files) = blocking(move || {
        let job = asked.service.job(&id)?;
        let files = exports::list(job.root());
        let files = files.map_err(|fault| Problem::internal("the folder cannot be read", &fault))?;
        Ok((asked.service.see(&id)?, asked.tasks.list(&id)?, files))
    })
    .await?;
    let is_blank = seen.status.counters.captures == 0;
    let body = html! {
        @if is_blank {
            section.empty {
                h2 { "Nothing is archived yet" }
                p { "Start the crawl; what it captures can be exported at any time, while it runs, too." }
            }
        } @else {
            section {
                h2 { "Make a file" }
                div.cards { @for format in &FORMATS { (card(&app, &seen.id, format)) } }
                p.hint { "“Only the selection” takes the pages that " a href={ "/crawls/" (seen.id) "/review" } { "Review" } " proposes to keep, with what they show." }
            }
        }
        (tasks::list(&app, &seen.id, VIEW, &told, &[Kind::Export, Kind::Study, Kind::Rebuild, Kind::Select, Kind::Sample]))
        (downloads(&app, &seen.id, &files))
        @if !is_blank {
            section {
                h2 { "Find out more" }
                p.hint { "A study reads all writings of the archive: names, opinions, topics, events, who writes to whom, pictures. It waits until the crawl rests." }
                (tasks::study(&app, &seen.id, VIEW))
                p.hint { "Rebuilding makes graph and search index again, out of the WARC files alone." }
                (tasks::ask(&app, &seen.id, VIEW, "rebuild", "Rebuild graph and search", ""))
            }
        }
    };
    Ok(layout::crawl_page(&seen, "/export", &body).into_response())
}

fn card(app: &App, id: &str, (format, name, hint, has_selection): &(&str, &str, &str, bool)) -> Markup {
    html! {
        form.card method="post" action={ "/crawls/" (id) "/tasks" } {
            (forms::token(app))
            input type="hidden" name="kind" value="export";
            input type="hidden" name="format" value=(format);
            input type="hidden" name="back" value=(VIEW);
            h3 { (name) }
            p.hint { (hint) }
            @if *has_selection {
                label.check { input type="checkbox" name="selected" value="1"; " only the selection" }
            }
            button.primary { "Make " (name) }
        }
    }
}

fn downloads(app: &App, id: &str, files: &[Export]) -> Markup {
    html! {
        @if !files.is_empty() {
            section {
                h2 { "Files" }
                table {
                    thead { tr { th scope="col" { "Name" } th.number scope="col" { "Size" } th scope="col" { "Made" } th scope="col" { "" } } }
                    tbody { @for file in files { tr {
                        td.url { a href={ "/api/crawls/" (id) "/exports/" (file.name) } download { (file.name) } }
                        td.number { (words::bytes(file.bytes)) }
                        td.time { (file.time.get(..16).unwrap_or_default().replace('T', " ")) }
                        td { form.inline method="post" action={ "/crawls/" (id) "/exports/remove" } {
                            (forms::token(app))
                            button name="name" value=(file.name) aria-label={ "Remove " (file.name) } { "Remove…" }
                        } }
                    } } }
                }
            }
        }
    }
}

#[derive(Deserialize)]
pub struct Named {
    #[serde(default)]
    name: String,
    /// Somebody was asked, and means it.
    #[serde(default)]
    sure: String,
}

pub async fn remove(State(app): State<App>, Place(id): Place<String>, Sent(file): Sent<Named>) -> Page {
    let to = format!("/crawls/{id}/export");
    if file.sure.is_empty() {
        let (service, name) = (app.service.clone(), id.clone());
        let seen = blocking(move || service.see(&name)).await?;
        let question = Question {
            title: format!("Remove {}?", file.name),
            what: html! { p { "The file is deleted, also for others who have its address. The archive stays as it is, and the file can be made again." } },
            action: format!("/crawls/{id}/exports/remove"),
            fields: vec![("name", file.name.clone())],
            yes: "Remove the file",
            back: to,
            tab: "/export",
        };
        return question.page(&app, &seen);
    }
    blocking(move || exports::remove(app.service.job(&id)?.root(), &file.name)).await?;
    Ok(Redirect::to(&to).into_response())
}
