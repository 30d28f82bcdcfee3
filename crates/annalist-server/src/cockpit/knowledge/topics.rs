//! Topics: what writings share words about, and how that rises and falls.

use std::collections::HashMap;

use axum::extract::{Path, State};
use axum::response::IntoResponse;
use maud::html;

use super::{parts, searched, unstudied};
use crate::cockpit::courses::{self, Month};
use crate::cockpit::{Page, layout, words};
use crate::rest::blocking;
use crate::serve::App;

pub async fn topics(State(app): State<App>, Path(id): Path<String>) -> Page {
    let own = app.clone();
    let (seen, rows, mut courses, is_studied) = blocking(move || {
        let seen = own.service.see(&id)?;
        let table = own.knowledge.table(&id, "topics.csv")?;
        let mut courses: HashMap<String, Vec<Month>> = HashMap::new();
        for row in own.knowledge.table(&id, "topics-over-time.csv")?.rows() {
            let month =
                Month { month: row.get("month").to_owned(), count: row.number("writings"), opinion: None };
            courses.entry(row.get("topic").to_owned()).or_default().push(month);
        }
        Ok((seen, table.rows().collect::<Vec<_>>(), courses, !table.is_missing()))
    })
    .await?;
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
                    caption { "What is written about, the largest first: " (words::count(rows.len() as u64)) " topics" }
                    thead { tr { th scope="col" { "Topic" } th.number scope="col" { "Writings" } th scope="col" { "Over time" } th scope="col" { dfn title="Whether its share of the later half of the writings is larger than of the earlier half" { "Course" } } th scope="col" { "Language" } th scope="col" { "Words" } } }
                    tbody { @for row in &rows { tr {
                        th scope="row" { a href=(searched(&seen, &[("topic", row.get("topic"))])) { (row.get("topic")) } }
                        td.number { (words::count(row.number("writings"))) }
                        td { (courses::small(&courses.remove(row.get("topic")).unwrap_or_default(), &format!("Writings about {}", row.get("topic")))) }
                        td.time { (course(row.get("course"))) }
                        td { (row.get("language")) }
                        td.rest { (row.get("terms")) }
                    } } }
                }
            }
        } @else { (unstudied(&app, &seen)) }
    };
    Ok(layout::crawl_page(&seen, "/knowledge", &body).into_response())
}
