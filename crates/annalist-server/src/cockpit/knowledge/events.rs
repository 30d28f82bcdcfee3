//! Events: what was suddenly written about, when it was, and who reports it.

use axum::extract::State;
use axum::response::IntoResponse;
use maud::html;
use serde::Deserialize;

use super::{SHOWN, below, file, pages, parts, query, searched, standing, unstudied};
use crate::cockpit::courses::{day_number, span};
use crate::cockpit::{Page, layout, words};
use crate::knowledge::Row;
use crate::rest::{Asking, Place, blocking};
use crate::serve::App;

#[derive(Deserialize)]
pub struct Listed {
    #[serde(default)]
    page: usize,
    /// `writings`, or by time.
    #[serde(default)]
    sort: String,
}

pub async fn events(State(app): State<App>, Place(id): Place<String>, Asking(asked): Asking<Listed>) -> Page {
    let page = asked.page.max(1);
    let by_writings = asked.sort == "writings";
    let own = app.clone();
    let (seen, tasks, rows, all, scale, days, is_studied) = blocking(move || {
        let (seen, tasks) = standing(&own, &id)?;
        let table = own.knowledge.table(&id, "events.csv")?;
        let mut rows: Vec<_> = table.rows().collect();
        if by_writings {
            rows.sort_by_key(|row| std::cmp::Reverse(row.number("writings")));
        } else {
            rows.sort_by(|one, other| one.get("from").cmp(other.get("from")));
        }
        let first = rows.iter().filter_map(|row| day_number(row.get("from"))).reduce(f64::min);
        let last = rows.iter().filter_map(|row| day_number(row.get("until"))).reduce(f64::max);
        let days =
            rows.iter().map(|row| row.get("from")).min().zip(rows.iter().map(|row| row.get("until")).max());
        let days = days.map_or_else(String::new, |(first, last)| format!("{first} to {last}"));
        let all = rows.len();
        let rows: Vec<_> =
            rows.into_iter().skip((page - 1).saturating_mul(SHOWN)).take(SHOWN).map(Row::owned).collect();
        Ok((seen, tasks, rows, all, first.zip(last), days, !table.is_missing()))
    })
    .await?;
    let to = |page: usize| format!("?{}", query(&[("sort", &asked.sort), ("page", &page.to_string())]));
    let body = html! {
        @if is_studied {
            (parts(&seen, "Events"))
            @if rows.is_empty() { section.empty { p { "The study found no events: that takes dated pages of several sites that suddenly write about the same." } } } @else {
                p.line { strong { (words::count(all as u64)) " events" }
                    span { "Sort: " a href="?" aria-current=[(!by_writings).then_some("true")] { "by time" } " " a href="?sort=writings" aria-current=[by_writings.then_some("true")] { "best reported" } } }
                table {
                    thead { tr { th scope="col" { "When" } th scope="col" { "Over time" br; span.hint { (days) } } th scope="col" { "Event" } th.number scope="col" { "Writings" } th.number scope="col" { "Sites" } th scope="col" { "Names" } } }
                    tbody { @for row in &rows { tr {
                        @let (from, until) = (row.get("from"), row.get("until"));
                        td.time { (from) @if until != from { br; "to " (until) } }
                        td { @if let (Some(scale), Some(from_day), Some(until_day)) = (scale, day_number(from), day_number(until)) { (span((from_day, until_day), scale, &format!("{from} to {until}"))) } }
                        th scope="row" { a href=(searched(&seen, &[("event", row.get("title"))])) { (row.get("title")) } }
                        td.number { (words::count(row.number("writings"))) }
                        td.number { (words::count(row.number("sites"))) }
                        td { @for name in row.get("names").split("; ").filter(|name| !name.is_empty()).take(6) { a.named href={ "name?" (query(&[("name", name)])) } { (name) } " " } }
                    } } }
                }
            }
            (pages(page, all, to))
            (file(&seen, "events"))
            (below(&app, &seen, &tasks))
        } @else { (unstudied(&app, &seen, &tasks)) }
    };
    Ok(layout::crawl_page(&seen, "/knowledge", &body).into_response())
}
