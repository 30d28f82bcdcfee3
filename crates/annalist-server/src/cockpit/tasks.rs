//! Long work on a crawl as people see it: what runs, what waits, what came of it, and buttons to ask for it.

use std::collections::HashMap;

use axum::extract::State;
use axum::response::{IntoResponse, Redirect};
use maud::{Markup, html};
use serde::Deserialize;

use super::asking_twice::{Question, SURE};
use super::forms::Sent;
use super::{Page, forms};
use crate::problem::Problem;
use crate::rest::{Place, blocking};
use crate::serve::App;
use crate::tasks::{Format, Kind, NewTask, STAGES, State as Stand, Told};

/// What a form asks for.
#[derive(Deserialize)]
pub struct Asked {
    #[serde(default)]
    kind: String,
    #[serde(default)]
    format: String,
    #[serde(default)]
    selected: String,
    /// The view it was asked on.
    #[serde(default)]
    back: String,
    /// `only_topics` and the like.
    #[serde(flatten)]
    rest: HashMap<String, String>,
}

/// The views that have buttons for tasks; nothing else is led back to.
const VIEWS: [&str; 5] = ["export", "review", "annotate", "knowledge", "search"];

fn back(id: &str, view: &str) -> String {
    let view = VIEWS.iter().find(|known| **known == view).unwrap_or(&"export");
    format!("/crawls/{id}/{view}#tasks")
}

impl Asked {
    fn task(&self) -> Result<NewTask, Problem> {
        let kind = match self.kind.as_str() {
            "study" => Kind::Study,
            "export" => Kind::Export,
            "rebuild" => Kind::Rebuild,
            "select" => Kind::Select,
            "sample" => Kind::Sample,
            _ => return Err(Problem::field("kind", "there is no such task")),
        };
        let format = match self.format.as_str() {
            "" => None,
            "wacz" => Some(Format::Wacz),
            "warc" => Some(Format::Warc),
            "csv" => Some(Format::Csv),
            "nquads" => Some(Format::Nquads),
            "parquet" => Some(Format::Parquet),
            _ => return Err(Problem::field("format", "there is no such format")),
        };
        let chosen = |stage: &&&str| self.rest.contains_key(&format!("only_{stage}"));
        let only: Vec<String> = STAGES.iter().filter(chosen).map(|stage| (*stage).to_owned()).collect();
        // All of them are asked for by none.
        let only = if only.len() == STAGES.len() { Vec::new() } else { only };
        Ok(NewTask { kind, format, selected: !self.selected.is_empty(), only })
    }
}

pub async fn add(State(app): State<App>, Place(id): Place<String>, Sent(asked): Sent<Asked>) -> Page {
    let to = back(&id, &asked.back);
    if asked.kind == "sample" && !asked.rest.contains_key(SURE) {
        let (own, name) = (app.clone(), id.clone());
        let (seen, drawn) =
            blocking(move || Ok((own.service.see(&name)?, own.annotations.sample(&name)?))).await?;
        if !drawn.is_empty() {
            let question = Question {
                title: "Draw other pages?".to_owned(),
                what: html! { p { "The list of " (drawn.len()) " pages that were drawn is replaced. What people have judged already stays and goes on to count." } },
                action: format!("/crawls/{id}/tasks"),
                fields: vec![("kind", asked.kind), ("back", asked.back)],
                yes: "Draw other pages",
                back: format!("/crawls/{id}/annotate"),
                tab: "/annotate",
            };
            return question.page(&app, &seen);
        }
    }
    blocking(move || app.tasks.add(&id, asked.task()?)).await?;
    Ok(Redirect::to(&to).into_response())
}

#[derive(Deserialize)]
pub struct Back {
    #[serde(default)]
    back: String,
}

/// Stops a task, or asks for the same again.
pub async fn act(
    State(app): State<App>,
    Place((id, number, action)): Place<(String, u64, String)>,
    Sent(fields): Sent<Back>,
) -> Page {
    let to = back(&id, &fields.back);
    blocking(move || match action.as_str() {
        "stop" => app.tasks.stop(&id, number).map(drop),
        "again" => app.tasks.add(&id, app.tasks.one(&id, number)?.task.what).map(drop),
        _ => Err(Problem::not_found("there is no such action")),
    })
    .await?;
    Ok(Redirect::to(&to).into_response())
}

/// A form of one button that asks for a task.
pub fn ask(app: &App, id: &str, view: &str, kind: &str, label: &str, class: &str) -> Markup {
    html! {
        form.inline method="post" action={ "/crawls/" (id) "/tasks" } {
            (forms::token(app))
            input type="hidden" name="kind" value=(kind);
            input type="hidden" name="back" value=(view);
            button class=(class) { (label) }
        }
    }
}

/// A study, with the parts that it has.
pub fn study(app: &App, id: &str, view: &str) -> Markup {
    let hints = [
        "who and what is named",
        "how it is spoken of",
        "what it is about",
        "what happened when",
        "who writes to whom",
        "which pictures, and where else",
    ];
    html! {
        form method="post" action={ "/crawls/" (id) "/tasks" } {
            (forms::token(app))
            input type="hidden" name="kind" value="study";
            input type="hidden" name="back" value=(view);
            fieldset.choices {
                legend { "Parts; all where none is chosen" }
                @for (stage, hint) in STAGES.iter().zip(hints) {
                    label { input type="checkbox" name={ "only_" (stage) } value="1"; " " (stage) " " span.hint { (hint) } }
                }
            }
            button.primary { "Study the archive" }
        }
    }
}

/// What runs, what waits and what is over, of some kinds; fresh by itself while something is under way.
pub fn list(app: &App, id: &str, view: &str, tasks: &[Told], kinds: &[Kind]) -> Markup {
    let shown: Vec<&Told> = tasks.iter().filter(|told| kinds.contains(&told.task.what.kind)).collect();
    let is_busy = shown.iter().any(|told| !told.task.is_over());
    html! {
        section #tasks data-refresh=[is_busy.then_some("1000")] {
            h2 { "Tasks" }
            @if shown.is_empty() { p.hint { "Nothing was asked for yet. What you start here goes on while you look elsewhere." } } @else {
                @if is_busy { p.hint { a href="" { "Look again" } " for news; with script this happens by itself." } }
                table {
                    thead { tr { th scope="col" { "Task" } th scope="col" { "State" } th scope="col" { "What it says" } th scope="col" { "Asked" } th scope="col" { "" } } }
                    tbody { @for told in shown { (row(app, id, view, told)) } }
                }
            }
        }
    }
}

fn row(app: &App, id: &str, view: &str, told: &Told) -> Markup {
    let task = &told.task;
    let action = |name: &str| format!("/crawls/{id}/tasks/{}/{name}", task.number);
    let button = |name: &str, label: &str| {
        html! {
            form.inline method="post" action=(action(name)) {
                (forms::token(app)) input type="hidden" name="back" value=(view);
                button aria-label={ (label) " task " (task.number) } { (label) }
            }
        }
    };
    let (word, class) = state(task.state);
    html! {
        tr {
            td { (task.number) ". " (name(&task.what)) }
            td { span class={ "badge " (class) } { (word) } }
            td {
                @match task.state {
                    Stand::Queued => { "It waits for its turn" @if task.what.kind.needs_rest() { ", and until the crawl rests" } "." }
                    Stand::Running => {
                        @let line = told.lines.last().map_or("…", String::as_str);
                        @match percent(line) {
                            Some(part) => progress max="100" value=(part) aria-label="How far it is" { (part) " %" },
                            None => progress aria-label="It runs" {},
                        }
                        " " span.hint { (line) }
                    }
                    _ => {
                        (task.message.as_deref().unwrap_or_default())
                        @for file in &task.files {
                            " " a href={ "/api/crawls/" (id) "/exports/" (file) } download { (file) }
                        }
                        @if told.report.len() > 1 || !told.lines.is_empty() {
                            details { summary { "More" }
                                pre { @for line in told.report.iter().chain(&told.lines) { (line) "\n" } } }
                        }
                    }
                }
            }
            td.time { (task.asked.get(..16).unwrap_or_default().replace('T', " ")) }
            td {
                @match task.state {
                    Stand::Queued | Stand::Running => (button("stop", "Stop")),
                    Stand::Interrupted | Stand::Failed | Stand::Stopped => (button("again", "Again")),
                    Stand::Done => {}
                }
            }
        }
    }
}

/// `… (61 %)` at the end of a line.
fn percent(line: &str) -> Option<u8> {
    let (_, part) = line.strip_suffix(" %)")?.rsplit_once('(')?;
    part.parse().ok().filter(|part| *part <= 100)
}

fn state(state: Stand) -> (&'static str, &'static str) {
    match state {
        Stand::Queued => ("waits", "rest"),
        Stand::Running => ("running", "busy"),
        Stand::Done => ("done", "good"),
        Stand::Failed => ("failed", "bad"),
        Stand::Stopped => ("stopped", "rest"),
        Stand::Interrupted => ("interrupted", "bad"),
    }
}

fn name(what: &NewTask) -> String {
    match what.kind {
        Kind::Study if what.only.is_empty() => "Study".to_owned(),
        Kind::Study => format!("Study: {}", what.only.join(", ")),
        Kind::Rebuild => "Rebuild graph and search index".to_owned(),
        Kind::Select => "Read the archive for the review".to_owned(),
        Kind::Sample => "Draw pages to judge".to_owned(),
        Kind::Export => {
            let format = match what.format {
                Some(Format::Wacz) | None => "WACZ",
                Some(Format::Warc) => "WARC",
                Some(Format::Csv) => "CSV",
                Some(Format::Nquads) => "N-Quads",
                Some(Format::Parquet) => "Parquet",
            };
            format!("Export as {format}{}", if what.selected { ", the selection" } else { "" })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{back, percent};

    #[test]
    fn how_far_a_task_is_stands_at_the_end_of_a_line() {
        assert_eq!(percent("copying: 6 MB of 10 MB (61 %)"), Some(61));
        for line in ["copying", "(x %)", "(300 %)", " %)"] {
            assert_eq!(percent(line), None, "{line}");
        }
    }

    #[test]
    fn nobody_is_led_away_from_the_cockpit() {
        assert_eq!(back("x", "review"), "/crawls/x/review#tasks");
        assert_eq!(back("x", "//evil.test"), "/crawls/x/export#tasks");
    }
}
