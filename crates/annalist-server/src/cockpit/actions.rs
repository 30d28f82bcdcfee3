//! What people do with a crawl by pressing something.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect};
use serde::Deserialize;

use super::Page;
use super::forms::Sent;
use crate::problem::Problem;
use crate::rest::{amend_seeds, block_site, blocking, read_duration};
use crate::serve::App;
use crate::wanted::Schedule;

#[derive(Deserialize)]
pub struct Fields {
    #[serde(default)]
    urls: String,
    #[serde(default)]
    site: String,
    /// When it starts by itself, `2026-11-16T08:00` in Greenwich.
    #[serde(default)]
    next: String,
    /// How long until it does again, `6h`.
    #[serde(default)]
    every: String,
}

pub async fn act(
    State(app): State<App>,
    Path((id, action)): Path<(String, String)>,
    Sent(fields): Sent<Fields>,
) -> Page {
    let back = match action.as_str() {
        "block" | "unblock" => format!("/crawls/{id}/queue"),
        "schedule" | "unschedule" => format!("/crawls/{id}/settings#schedule"),
        "remove" => "/".to_owned(),
        _ => format!("/crawls/{id}"),
    };
    blocking(move || match action.as_str() {
        "start" => app.service.start(&id),
        "pause" => app.service.pause(&id),
        "stop" => app.service.stop(&id),
        "remove" => app.service.remove(&id),
        "seeds" => {
            let urls: Vec<String> = fields.urls.split_whitespace().map(str::to_owned).collect();
            amend_seeds(&app, &id, &urls).map(drop)
        }
        "block" => block_site(&app, &id, &fields.site, true).map(drop),
        "schedule" => schedule_of(&fields).and_then(|schedule| app.service.set_schedule(&id, Some(schedule))),
        "unschedule" => app.service.set_schedule(&id, None),
        "unblock" => block_site(&app, &id, &fields.site, false).map(drop),
        _ => Err(Problem::not_found("there is no such action")),
    })
    .await?;
    Ok(Redirect::to(&back).into_response())
}

/// What the form says. Browsers send a moment without seconds and without a zone; the form says which one it is in.
fn schedule_of(fields: &Fields) -> Result<Schedule, Problem> {
    let every = read_duration("every", Some(fields.every.trim()).filter(|every| !every.is_empty()))?;
    let next = fields.next.trim();
    let seconds = if next.matches(':').count() == 1 { ":00" } else { "" };
    let schedule =
        Schedule { next: format!("{next}{seconds}Z"), every_seconds: every.map(|every| every.as_secs()) };
    schedule.checked()
}

#[cfg(test)]
mod tests {
    use super::{Fields, schedule_of};

    fn sent(next: &str, every: &str) -> Fields {
        let (urls, site) = (String::new(), String::new());
        Fields { urls, site, next: next.to_owned(), every: every.to_owned() }
    }

    #[test]
    fn a_start_is_what_browsers_send_in_greenwich() {
        let once = schedule_of(&sent("2026-11-16T08:00", "")).unwrap();
        assert_eq!((once.next.as_str(), once.every_seconds), ("2026-11-16T08:00:00Z", None));
        let again = schedule_of(&sent("2026-11-16T08:00:30", " 90m ")).unwrap();
        assert_eq!((again.next.as_str(), again.every_seconds), ("2026-11-16T08:00:30Z", Some(5400)));
        for (next, every, field) in [
            ("soon", "", "next"),
            ("", "", "next"),
            ("2026-11-16T08:00", "often", "every"),
            ("2026-11-16T08:00", "0s", "every_seconds"),
        ] {
            let problem = schedule_of(&sent(next, every)).unwrap_err();
            assert_eq!(problem.errors[0].field, field, "{next} {every}");
        }
    }
}
