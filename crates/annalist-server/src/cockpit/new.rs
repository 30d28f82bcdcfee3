//! A new crawl: a spec is written with help, checked as it is typed, and started.

use axum::extract::{Query, State};
use axum::response::{IntoResponse, Redirect};
use maud::{Markup, html};
use serde::Deserialize;

use super::forms::Sent;
use super::{Page, forms, layout};
use crate::problem::Problem;
use crate::rest::blocking;
use crate::serve::App;

/// To begin with: name, what it is for, text.
const EXAMPLES: &[(&str, &str, &str)] = &[
    ("topic", "A topic: best pages first", include_str!("examples/topic.toml")),
    ("event", "An event, with its dates", include_str!("examples/event.toml")),
    ("site", "Whole sites, up to a limit", include_str!("examples/site.toml")),
    ("service", "Only addresses that other programs hand over", include_str!("examples/service.toml")),
];

#[derive(Deserialize)]
pub struct Asked {
    #[serde(default)]
    example: String,
}

pub async fn new(State(app): State<App>, Query(asked): Query<Asked>) -> Page {
    let chosen = EXAMPLES.iter().find(|(name, _, _)| *name == asked.example).or(EXAMPLES.first());
    let text = chosen.map_or("", |(_, _, text)| text);
    Ok(layout::page("New crawl", &form(&app, text, "", None)).into_response())
}

fn form(app: &App, text: &str, id: &str, problem: Option<&Problem>) -> Markup {
    html! {
        h1 { "New crawl" }
        p.hint {
            "Begin with an example: "
            @for (place, (name, what, _)) in EXAMPLES.iter().enumerate() {
                @if place > 0 { " · " }
                a href={ "/new?example=" (name) } { (what) }
            }
        }
        form method="post" action="/new" {
            (forms::token(app))
            label for="spec" { "Spec" }
            textarea #spec name="spec" rows="24" spellcheck="false" autocomplete="off" data-check="/api/check" aria-describedby="verdict" { "\n" (text) }
            p.hint {
                "Or take a file: " input type="file" accept=".toml,text/plain" data-into="spec" aria-label="Take the spec from a file";
                " (needs script; without it, paste the text above)"
            }
            div #verdict role="status" aria-live="polite" {
                @if let Some(problem) = problem { (mistakes(problem)) }
            }
            label for="id" { "Name in addresses and on disk" }
            input #id name="id" value=(id) maxlength="64" pattern="[A-Za-z0-9_][A-Za-z0-9_.\\-]*" placeholder="made of the spec's name";
            div.buttons {
                button.primary name="then" value="start" { "Keep and start" }
                button name="then" value="keep" { "Keep" }
                button name="then" value="check" { "Check only" }
            }
        }
    }
}

fn mistakes(problem: &Problem) -> Markup {
    html! {
        p.bad { (problem.detail) }
        ul.mistakes { @for error in &problem.errors { li { (forms::mistake(error)) } } }
    }
}

#[derive(Deserialize)]
pub struct New {
    spec: String,
    #[serde(default)]
    id: String,
    #[serde(default)]
    then: String,
}

pub async fn create(State(app): State<App>, Sent(new): Sent<New>) -> Page {
    let text = new.spec.replace("\r\n", "\n");
    if new.then == "check" {
        let examined = app.service.program().examine(&text);
        let problem = match examined.spec {
            Some(_) => Problem::new(axum::http::StatusCode::OK, "There is nothing wrong with it."),
            None => Problem::mistakes(&examined.mistakes),
        };
        return Ok(layout::page("New crawl", &form(&app, &text, &new.id, Some(&problem))).into_response());
    }
    let (asked, given, id) = (app.clone(), text.clone(), new.id.clone());
    let start = new.then == "start";
    let made = blocking(move || {
        let id = asked.service.create(&given, Some(id.as_str()).filter(|id| !id.is_empty()))?;
        if start {
            asked.service.start(&id)?;
        }
        Ok(id)
    });
    match made.await {
        Ok(id) => Ok(Redirect::to(&format!("/crawls/{id}")).into_response()),
        Err(problem) => {
            let page = layout::page("New crawl", &form(&app, &text, &new.id, Some(&problem)));
            Ok((problem.code(), page).into_response())
        }
    }
}
