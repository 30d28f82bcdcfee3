//! Topics: what writings share words about, and how that rises and falls.

use std::collections::HashMap;

use axum::extract::State;
use axum::response::IntoResponse;
use maud::html;
use serde::Deserialize;

use super::{SHOWN, below, file, pages, parts, query, searched, standing, unstudied};
use crate::cockpit::courses::{self, Month, Scale};
use crate::cockpit::hints::term;
use crate::cockpit::{Page, layout, words};
use crate::knowledge::Row;
use crate::rest::{Asking, Place, blocking};
use crate::serve::App;

#[derive(Deserialize)]
pub struct Listed {
    #[serde(default)]
    page: usize,
}

pub async fn topics(State(app): State<App>, Place(id): Place<String>, Asking(asked): Asking<Listed>) -> Page {
    let page = asked.page.max(1);
    let own = app.clone();
    let (seen, tasks, rows, courses, all, is_studied) = blocking(move || {
        let (seen, tasks) = standing(&own, &id)?;
        let table = own.knowledge.table(&id, "topics.csv")?;
        let mut courses: HashMap<String, Vec<Month>> = HashMap::new();
        for row in own.knowledge.table(&id, "topics-over-time.csv")?.rows() {
            let month =
                Month { month: row.get("month").to_owned(), count: row.number("writings"), opinion: None };
            courses.entry(row.get("topic").to_owned()).or_default().push(month);
        }
        let all = table.rows().count();
        let rows: Vec<_> =
            table.rows().skip((page - 1).saturating_mul(SHOWN)).take(SHOWN).map(Row::owned).collect();
        Ok((seen, tasks, rows, courses, all, !table.is_missing()))
    })
    .await?;
    // One scale for all: topics are compared with each other.
    let scale = Scale::of(courses.values().map(Vec::as_slice));
    let to = |page: usize| format!("?{}", query(&[("page", &page.to_string())]));
    let course = |word: &str| match word {
        "rising" => "↗ rising",
        "falling" => "↘ falling",
        _ => "→ steady",
    };
    let body = html! {
        @if is_studied {
            (parts(&seen, "Topics"))
            @if rows.is_empty() { section.empty { p { "The study found no topics: that takes some dozens of writings that share words." } } } @else {
                table {
                    caption { "What is written about, the largest first: " (words::count(all as u64)) " topics" }
                    thead { tr { th scope="col" { "Topic" } th.number scope="col" { (term("Writings", "Each is counted in the topic that it fits best; the search that a topic leads to also has those that fit another one better")) } th scope="col" { "Over time" br; span.hint { (scale.told()) } } th scope="col" { (term("Course", "Whether its share of the later half of the writings is larger than of the earlier half")) } th scope="col" { "Language" } th scope="col" { "Words" } } }
                    tbody { @for row in &rows { tr {
                        th scope="row" { a href=(searched(&seen, &[("topic", row.get("topic"))])) { (row.get("topic")) } }
                        td.number { (words::count(row.number("writings"))) }
                        td { (courses::small(courses.get(row.get("topic")).map_or(&[], Vec::as_slice), &scale, &format!("Writings about {}", row.get("topic")))) }
                        td.time { (course(row.get("course"))) }
                        td { (row.get("language")) }
                        td.rest { (row.get("terms")) }
                    } } }
                }
            }
            (pages(page, all, to))
            (file(&seen, "topics"))
            (below(&app, &seen, &tasks))
        } @else { (unstudied(&app, &seen, &tasks)) }
    };
    Ok(layout::crawl_page(&seen, "/knowledge", &body).into_response())
}
