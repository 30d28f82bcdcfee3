//! A captured page in a frame, with the times of its captures around it, and why it was fetched.

use axum::extract::{Path, Query, State};
use axum::response::IntoResponse;
use maud::html;
use serde::Deserialize;

use super::{Page, layout};
use crate::problem::Problem;
use crate::rest::blocking;
use crate::serve::App;

#[derive(Deserialize)]
pub struct Asked {
    #[serde(default)]
    url: String,
    #[serde(default)]
    at: String,
}

pub async fn captured(State(app): State<App>, Path(id): Path<String>, Query(asked): Query<Asked>) -> Page {
    let service = app.service.clone();
    let (url, wanted) = (asked.url.clone(), asked.url.clone());
    let (seen, explained) = blocking(move || {
        let seen = service.see(&id)?;
        if url.is_empty() {
            return Ok((seen, None));
        }
        let (job, spec) = (service.job(&seen.id)?, service.spec(&seen.id)?);
        if let Err(fault) = spec.canonical.parse(&url) {
            return Err(Problem::field("url", fault.to_string()));
        }
        // A running crawl is asked by its own logs; why is told when it rests.
        let explained = (!seen.is_running).then(|| annalist_crawl::explain::explain(&job, &spec, &url).ok());
        Ok((seen, explained.flatten()))
    })
    .await?;
    let at: String = asked.at.chars().filter(char::is_ascii_digit).take(14).collect();
    let frame = format!("{}/{}/{at}mp_/{wanted}", app.frames, seen.id);
    let body = html! {
        form.filter method="get" role="search" {
            label for="url" { "Address" }
            input #url.wide type="text" name="url" value=(wanted) placeholder="https://www.example.org/";
            label for="at" { "Time" }
            input #at type="text" name="at" value=(at) inputmode="numeric" placeholder="20261116" size="16";
            button { "Show" }
        }
        @if wanted.is_empty() {
            section.empty {
                h2 { "Which page?" }
                p { "Type an address, or choose one from " a href={ "/crawls/" (seen.id) "/fetched" } { "what was fetched" } "." }
            }
        } @else {
            p.banner { strong { "Archived page" } " · " span.url { (wanted) } " · "
                a href={ (app.frames) "/" (seen.id) "/timemap/link/" (wanted) } rel="noreferrer" { "all its times" } " · "
                a href=(frame) rel="noreferrer" { "without this frame" } }
            iframe.replay title={ "The archived page " (wanted) } src=(frame) sandbox="allow-same-origin allow-forms allow-popups allow-downloads" referrerpolicy="no-referrer" {}
            @if let Some(explained) = explained {
                section {
                    h2 { "Why" }
                    ol { @for decision in &explained.decisions { li { (decision) } } }
                }
            }
        }
    };
    Ok(layout::crawl_page(&seen, "/page", &body).into_response())
}
