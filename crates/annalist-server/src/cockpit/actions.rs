//! What people do with a crawl by pressing something.

use annalist_crawl::clock;
use annalist_model::Time;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect};
use maud::html;
use serde::Deserialize;

use super::asking_twice::Question;
use super::forms::Sent;
use super::{Page, words};
use crate::exports;
use crate::problem::Problem;
use crate::rest::{Place, SiteChange, amend_seeds, amend_site, block_site, blocking, read_duration};
use crate::serve::App;
use crate::wanted::Schedule;

#[derive(Default, Deserialize)]
pub struct Fields {
    #[serde(default)]
    urls: String,
    #[serde(default)]
    site: String,
    /// What is different for that site, where something is: `2s`, and so many pages.
    #[serde(default)]
    delay: String,
    #[serde(default)]
    pages: String,
    /// When it starts by itself, `2026-11-16T08:00` in Greenwich.
    #[serde(default)]
    next: String,
    /// How long until it does again, `6h`.
    #[serde(default)]
    every: String,
    /// Somebody was asked, and means it.
    #[serde(default)]
    sure: String,
}

/// What is asked before an action that deletes something.
async fn question(app: &App, id: &str, action: &str) -> Result<Option<Page>, Problem> {
    if !matches!(action, "remove" | "unschedule") {
        return Ok(None);
    }
    let (asked, name) = (app.clone(), id.to_owned());
    let (seen, files, people) = blocking(move || {
        let files = exports::list(asked.service.job(&name)?.root()).unwrap_or_default().len();
        let people = asked.annotations.people(&name).unwrap_or_default().len();
        Ok((asked.service.see(&name)?, files, people))
    })
    .await?;
    let counters = &seen.status.counters;
    let (title, what, yes, place) = match (action, &seen.wanted.schedule) {
        ("unschedule", Some(schedule)) => (
            "Let it start only by hand?".to_owned(),
            html! { p { "The schedule is deleted: " strong { (words::schedule(schedule)) } ". Nothing that was archived is touched." } },
            "Delete the schedule",
            "#schedule",
        ),
        ("unschedule", None) => return Ok(None),
        _ => (
            format!("Remove {id} for good?"),
            html! {
                p { "This deletes the crawl's whole folder and cannot be undone:" }
                ul {
                    @if counters.captures > 0 {
                        li { strong { (words::some(counters.captures, "capture", "captures")) } ", " (words::bytes(counters.stored_bytes)) " of WARC files" }
                        li { "search index, graph and studies, and what people decided in Review" }
                    } @else { li { "nothing was captured yet" } }
                    li { "its settings" @if seen.wanted.schedule.is_some() { ", its schedule" } @if seen.status.queued > 0 { " and " (words::some(seen.status.queued, "link that waits", "links that wait")) } }
                    @if people > 0 { li { "the judgements of " (words::some(people as u64, "person", "people")) } }
                    @if files > 0 { li { (words::some(files as u64, "exported file", "exported files")) } }
                }
                @if counters.captures > 0 { p { a href={ "/crawls/" (id) "/export" } { "Export it first" } " if somebody may need it." } }
            },
            "Remove for good",
            "",
        ),
    };
    let question = Question {
        title,
        what,
        action: format!("/crawls/{id}/do/{action}"),
        fields: Vec::new(),
        yes,
        back: format!("/crawls/{id}/settings{place}"),
        tab: "/settings",
    };
    Ok(Some(question.page(app, &seen)))
}

pub async fn act(
    State(app): State<App>,
    Place((id, action)): Place<(String, String)>,
    Sent(fields): Sent<Fields>,
) -> Page {
    if fields.sure.is_empty()
        && let Some(asked) = question(&app, &id, &action).await?
    {
        return asked;
    }
    if action == "seeds" {
        return add_seeds(app, id, &fields.urls).await;
    }
    let back = match action.as_str() {
        "block" | "unblock" | "site" => format!("/crawls/{id}/queue"),
        "schedule" | "unschedule" => format!("/crawls/{id}/settings#schedule"),
        "learn-again" => format!("/crawls/{id}/settings"),
        "remove" => "/".to_owned(),
        _ => format!("/crawls/{id}"),
    };
    blocking(move || match action.as_str() {
        "start" => app.service.start(&id),
        "pause" => app.service.pause(&id),
        "stop" => app.service.stop(&id),
        "learn-again" => app.service.learn_again(&id),
        "remove" => app.service.remove(&id),
        "block" => block_site(&app, &id, &fields.site, true).map(drop),
        "schedule" => schedule_of(&fields, clock::now())
            .and_then(|schedule| app.service.set_schedule(&id, Some(schedule))),
        "unschedule" => app.service.set_schedule(&id, None),
        "site" => amend_site(&app, &id, fields.site.trim(), site_change(&fields)?).map(drop),
        "unblock" => block_site(&app, &id, &fields.site, false).map(drop),
        _ => Err(Problem::not_found("there is no such action")),
    })
    .await?;
    Ok(Redirect::to(&back).into_response())
}

/// What the form says of a site; a field without anything takes away what was set.
fn site_change(fields: &Fields) -> Result<SiteChange, Problem> {
    let given = |text: &str| Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned);
    let pages = given(&fields.pages).map(|pages| pages.parse());
    let pages = pages.transpose().map_err(|_| Problem::field("pages", "expected a number of pages"))?;
    Ok(SiteChange { min_delay: Some(given(&fields.delay)), pages: Some(pages), ..SiteChange::default() })
}

/// Adds what was typed, and leads back to where that is said.
async fn add_seeds(app: App, id: String, typed: &str) -> Page {
    let urls: Vec<String> = typed.split_whitespace().map(str::to_owned).collect();
    let (given, back) = (urls.len(), format!("/crawls/{id}/queue"));
    let added = blocking(move || {
        // Nothing is changed by nothing, but the crawl has to be there.
        app.service.job(&id)?;
        if urls.is_empty() {
            return Ok(0);
        }
        let added = amend_seeds(&app, &id, &urls).map(|(added, _)| added);
        added.map_err(|problem| as_typed(problem, &urls))
    })
    .await?;
    Ok(Redirect::to(&format!("{back}?given={given}&added={added}")).into_response())
}

/// Names addresses as they were typed, not by their place in a list that nobody sees.
fn as_typed(mut problem: Problem, urls: &[String]) -> Problem {
    for error in &mut problem.errors {
        let place = error.field.strip_prefix("urls[").and_then(|rest| rest.strip_suffix(']'));
        if let Some(url) = place.and_then(|place| urls.get(place.parse::<usize>().ok()?)) {
            error.field.clone_from(url);
        }
    }
    problem.detail = match problem.errors.as_slice() {
        [] => problem.detail,
        [one] => format!("{}: {}", one.field, one.detail),
        many => format!("{} of these addresses cannot be used", many.len()),
    };
    problem
}

/// What the form says. Browsers send a moment without seconds and without a zone; the form says which one it is in.
fn schedule_of(fields: &Fields, now: Time) -> Result<Schedule, Problem> {
    let every = read_duration("every", Some(fields.every.trim()).filter(|every| !every.is_empty()))?;
    let next = fields.next.trim();
    let seconds = if next.matches(':').count() == 1 { ":00" } else { "" };
    let schedule =
        Schedule { next: format!("{next}{seconds}Z"), every_seconds: every.map(|every| every.as_secs()) };
    schedule.checked(now)
}

#[cfg(test)]
mod tests {
    use annalist_model::Time;

    use super::{Fields, schedule_of};

    fn sent(next: &str, every: &str) -> Fields {
        Fields { next: next.to_owned(), every: every.to_owned(), ..Fields::default() }
    }

    #[test]
    fn a_start_is_what_browsers_send_in_greenwich() {
        let now = Time::from_rfc3339("2026-11-16T08:00:40Z").unwrap();
        let schedule_of = |fields: &Fields| schedule_of(fields, now);
        let once = schedule_of(&sent("2026-11-16T08:00", "")).unwrap();
        assert_eq!((once.next.as_str(), once.every_seconds), ("2026-11-16T08:00:00Z", None));
        let again = schedule_of(&sent("2026-11-16T08:00:30", " 90m ")).unwrap();
        assert_eq!((again.next.as_str(), again.every_seconds), ("2026-11-16T08:00:30Z", Some(5400)));
        let begun = schedule_of(&sent("2026-11-15T07:00", "1h")).unwrap();
        assert_eq!((begun.next.as_str(), begun.every_seconds), ("2026-11-16T09:00:00.000Z", Some(3600)));
        for (next, every, field) in [
            ("soon", "", "next"),
            ("", "", "next"),
            ("2026-11-16T08:00", "often", "every"),
            ("2026-11-16T08:00", "0s", "every_seconds"),
            ("2026-11-16T07:59", "", "next"),
        ] {
            let problem = schedule_of(&sent(next, every)).unwrap_err();
            assert_eq!(problem.errors[0].field, field, "{next} {every}");
        }
    }
}
