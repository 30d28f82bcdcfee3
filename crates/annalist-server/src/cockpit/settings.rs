//! What a crawl is to do: its spec, changed while it runs or rests, and its end.

use std::ops::ControlFlow;

use annalist_crawl::clock;
use annalist_model::Time;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect};
use maud::{Markup, html};
use serde::Deserialize;

use super::forms::Sent as FormSent;
use super::spec_form::{self, Draft, Manner, Sent};
use super::{Page, forms, layout, words};
use crate::problem::Problem;
use crate::rest::{Asking, Place, blocking};
use crate::serve::App;
use crate::service::{Seen, Service};
use crate::spec_form::{Merged, merge};

#[derive(Deserialize)]
pub struct Asked {
    #[serde(default)]
    done: String,
    /// `toml` for the text itself.
    #[serde(default, rename = "as")]
    manner: String,
}

pub async fn settings(
    State(app): State<App>,
    Place(id): Place<String>,
    Asking(asked): Asking<Asked>,
) -> Page {
    let service = app.service.clone();
    let (seen, text) = blocking(move || Ok((service.see(&id)?, service.spec_text(&id)?))).await?;
    let draft =
        Draft::new(text, Manner::named(&asked.manner)).opened().of_crawl(&seen.id).with_mistakes(&app);
    let body = html! {
        @if !asked.done.is_empty() { p.good role="status" { @if asked.done == "merged" { "Kept, together with what somebody else changed meanwhile. A running" } @else { "Kept. A running" } " crawl takes up delays, budgets, weights, scope and seeds at once, the rest with its next start." } }
        (form(&app, &seen, &draft))
    };
    Ok(layout::marked_page(&seen, "/settings", draft.mark(), &body).into_response())
}

fn form(app: &App, seen: &Seen, draft: &Draft) -> Markup {
    let buttons = html! {
        div.buttons {
            button.primary name="then" value="change" { "Change" }
            button name="then" value="check" { "Check only" }
        }
    };
    html! {
        form method="post" action={ "/crawls/" (seen.id) "/settings" } { (spec_form::inside(app, draft, &buttons)) }
        (topic(app, seen))
        (schedule(app, seen))
        @if !seen.is_running {
            section.danger {
                h2 { "Remove" }
                p { "Removes the crawl and everything it has archived. This cannot be undone." }
                (forms::button(app, &format!("/crawls/{}/do/remove", seen.id), "Remove…", "danger"))
            }
        }
    }
}

/// Where the crawl goes by another topic than its spec names.
fn topic(app: &App, seen: &Seen) -> Markup {
    html! {
        @if let Some(why) = app.service.judged_apart(&seen.id) {
            section #topic {
                h2 { "The topic does not follow the spec" }
                p { (why) "." }
                p.hint { "What is there now is kept beside it, as definition.toml.before." }
                (forms::button(app, &format!("/crawls/{}/do/learn-again", seen.id), "Learn again with the next start", ""))
            }
        }
    }
}

/// The next full hour: a start that lies ahead, however long somebody looks at the form.
fn next_hour(now: Time) -> Time {
    const HOUR: u64 = 3_600_000;
    Time::from_millis((now.millis() / HOUR).saturating_add(1).saturating_mul(HOUR))
}

/// When it starts by itself.
fn schedule(app: &App, seen: &Seen) -> Markup {
    let now = clock::now();
    let soon = next_hour(now).rfc3339();
    // As far as minutes, which is what browsers ask for.
    let soon = soon.get(..16).unwrap_or_default();
    html! {
        section #schedule {
            h2 { "Start by itself" }
            @if let Some(schedule) = &seen.wanted.schedule {
                p { "Next start: " strong { (words::schedule(schedule)) } }
                (forms::button(app, &format!("/crawls/{}/do/unschedule", seen.id), "Start only by hand…", ""))
            } @else {
                p.hint { "It starts when somebody starts it. Give a time, and it starts then, too; a crawl that has ended takes up what is new." }
            }
            form method="post" action={ "/crawls/" (seen.id) "/do/schedule" } {
                (forms::token(app))
                label for="next" { "First start, in UTC" }
                input #next type="datetime-local" name="next" required value=(soon) aria-describedby="next-hint";
                p.hint #next-hint { "It is " (words::date(&now.rfc3339())) " now." }
                label for="every" { "Again every" }
                input #every name="every" placeholder="1d" list="often" aria-describedby="every-hint";
                datalist #often { @for often in ["15m", "1h", "6h", "1d", "7d"] { option value=(often) {} } }
                p.hint #every-hint { "Such as 15m, 6h or 1d; nothing for one start only. A start that is missed, or falls into a run, is left out." }
                div.buttons { button { "Set" } }
            }
        }
    }
}

pub async fn change(
    State(app): State<App>,
    Place(id): Place<String>,
    FormSent(sent): FormSent<Sent>,
) -> Page {
    let shown = match Draft::of(&sent).of_crawl(&id).looked_at(&app, &sent.then) {
        ControlFlow::Break(seen) => seen,
        ControlFlow::Continue(mut draft) => {
            let (service, text, name) = (app.service.clone(), draft.text.clone(), id.clone());
            let base = draft.base.clone();
            match blocking(move || changed(&service, &name, base.as_deref(), &text)).await {
                Ok(Outcome::Kept(how)) => {
                    let manner = if draft.manner == Manner::Toml { "&as=toml" } else { "" };
                    let to = format!("/crawls/{id}/settings?done={how}{manner}");
                    return Ok(Redirect::to(&to).into_response());
                }
                Ok(Outcome::Disputed { text, keys, theirs }) => draft = draft.disputed(text, &keys, &theirs),
                Err(problem) => draft.problem = Some(problem),
            }
            draft
        }
    };
    let service = app.service.clone();
    let seen = blocking(move || service.see(&id)).await?;
    let body = form(&app, &seen, &shown);
    Ok((shown.status(), layout::marked_page(&seen, "/settings", shown.mark(), &body)).into_response())
}

/// What came of a change.
enum Outcome {
    /// `merged` where others have changed something, too.
    Kept(&'static str),
    Disputed {
        text: String,
        keys: Vec<&'static str>,
        theirs: String,
    },
}

/// Keeps what was made of `base`, with what others have made of it meanwhile.
fn changed(service: &Service, id: &str, base: Option<&str>, mine: &str) -> Result<Outcome, Problem> {
    let mut outcome = Outcome::Kept("1");
    let kept = service.rewrite(id, |theirs| match merge(base.unwrap_or(theirs), mine, theirs) {
        Merged::Text(text) => {
            if base.is_some_and(|base| base != theirs) {
                outcome = Outcome::Kept("merged");
            }
            Ok(text)
        }
        Merged::Disputed { text, keys } => {
            outcome = Outcome::Disputed { text, keys, theirs: theirs.to_owned() };
            Err(Problem::conflict("somebody else has changed the spec meanwhile"))
        }
    });
    match outcome {
        Outcome::Disputed { .. } => Ok(outcome),
        Outcome::Kept(_) => kept.map(|_| outcome),
    }
}

#[cfg(test)]
mod tests {
    use annalist_model::Time;

    use super::next_hour;

    #[test]
    fn a_start_that_is_proposed_lies_ahead() {
        for (now, next) in [("2026-11-17T20:59:59.999Z", "21:00"), ("2026-11-17T20:00:00.000Z", "21:00")] {
            let proposed = next_hour(Time::from_rfc3339(now).unwrap()).rfc3339();
            assert_eq!(proposed, format!("2026-11-17T{next}:00.000Z"));
        }
    }
}
