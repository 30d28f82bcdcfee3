//! A new crawl: a spec is written with help, checked as it is typed, and started.

use std::ops::ControlFlow;

use axum::extract::{Multipart, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect};
use maud::{Markup, html};
use serde::Deserialize;

use super::forms::Sent as FormSent;
use super::spec_form::{self, Draft, Manner, Sent};
use super::{Page, layout};
use crate::problem::Problem;
use crate::rest::{Asking, EXAMPLES, Example, blocking};
use crate::serve::App;
use crate::service::Then;

#[derive(Deserialize)]
pub struct Asked {
    #[serde(default)]
    example: String,
    /// `toml` for the text itself.
    #[serde(default, rename = "as")]
    manner: String,
}

pub async fn new(State(app): State<App>, Asking(asked): Asking<Asked>) -> Page {
    let chosen = EXAMPLES.iter().find(|example| example.name == asked.example);
    // Nothing is there by itself: what somebody does not look at would be crawled for.
    let text = chosen.map_or("", |example| example.spec);
    let draft = Draft::new(text.to_owned(), Manner::named(&asked.manner));
    let body = html! {
        (head(&app, draft.manner, chosen))
        (form(&app, &draft, ""))
    };
    Ok(layout::page("New crawl", &body).into_response())
}

fn head(app: &App, manner: Manner, chosen: Option<&Example>) -> Markup {
    let manner = if manner == Manner::Toml { "&as=toml" } else { "" };
    html! {
        h1 { "New crawl" }
        p.hint {
            "Begin with an example: "
            @for (place, example) in EXAMPLES.iter().enumerate() {
                @if place > 0 { " · " }
                @let is_chosen = chosen.is_some_and(|chosen| chosen.name == example.name);
                a href={ "/new?example=" (example.name) (manner) } aria-current=[is_chosen.then_some("true")] { (example.what) }
            }
        }
        @if let Some(example) = chosen {
            p.busy role="status" { "This is an example (" (example.what) "): put your own into its fields. What you leave in them counts." }
        }
        (spec_form::upload(app, "/new/upload"))
    }
}

fn form(app: &App, draft: &Draft, id: &str) -> Markup {
    let buttons = html! {
        label for="id" { "Name in addresses and on disk" }
        input #id name="id" value=(id) maxlength="64" pattern="[A-Za-z0-9_][A-Za-z0-9_.\\-]*" aria-describedby="id-hint";
        p.hint #id-hint { "Made of the name above where nothing is given." }
        div.buttons {
            button.primary name="then" value="start" { "Keep and start" }
            button name="then" value="keep" { "Keep" }
            button name="then" value="check" { "Check only" }
        }
    };
    html! { form method="post" action="/new" { (spec_form::inside(app, draft, &buttons)) } }
}

/// What was sent, with what is said of it.
fn shown(app: &App, draft: &Draft, id: &str) -> Markup {
    let body = html! {
        (head(app, draft.manner, None))
        (form(app, draft, id))
    };
    layout::page(&format!("{}New crawl", draft.mark()), &body)
}

pub async fn create(State(app): State<App>, FormSent(sent): FormSent<Sent>) -> Page {
    let mut draft = match Draft::of(&sent).looked_at(&app, &sent.then) {
        ControlFlow::Break(seen) => {
            return Ok((seen.status(), shown(&app, &seen, &sent.id)).into_response());
        }
        ControlFlow::Continue(draft) => draft,
    };
    let (asked, given, id) = (app.clone(), draft.text.clone(), sent.id.clone());
    let then = if sent.then == "start" { Then::Start } else { Then::Keep };
    let made =
        blocking(move || asked.service.create(&given, Some(id.as_str()).filter(|id| !id.is_empty()), then));
    match made.await {
        Ok(id) => Ok(Redirect::to(&format!("/crawls/{id}")).into_response()),
        Err(problem) => {
            draft.problem = Some(problem);
            Ok((draft.status(), shown(&app, &draft, &sent.id)).into_response())
        }
    }
}

/// A file that was sent: shown for a look before anything is made of it.
pub async fn upload(State(app): State<App>, mut parts: Multipart) -> Page {
    let unreadable =
        |fault: axum::extract::multipart::MultipartError| Problem::new(fault.status(), fault.body_text());
    let (mut token, mut text) = (String::new(), None);
    while let Some(part) = parts.next_field().await.map_err(unreadable)? {
        match part.name() {
            Some("token") => token = part.text().await.map_err(unreadable)?,
            Some("file") => {
                let bytes = part.bytes().await.map_err(unreadable)?;
                text =
                    Some(String::from_utf8(bytes.to_vec()).map_err(|_| {
                        Problem::field("file", "this is no text in UTF-8: choose a TOML file")
                    })?);
            }
            _ => {}
        }
    }
    if !app.access.is_form_token(&token) {
        let why = "the form is too old, or not one of ours: load the page again and send it from there";
        return Err(Problem::new(StatusCode::FORBIDDEN, why).into());
    }
    let text = text.unwrap_or_default().trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let draft = Draft::new(text, Manner::Form);
    let (ControlFlow::Break(draft) | ControlFlow::Continue(draft)) = draft.looked_at(&app, "check");
    // Nothing was refused: it is only looked at.
    Ok(shown(&app, &draft, "").into_response())
}
