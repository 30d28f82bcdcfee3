//! Who writes, who answers whom, and whose word counts.

use std::collections::HashMap;

use annalist_model::CanonicalUrl;
use axum::extract::State;
use axum::response::IntoResponse;
use maud::html;
use serde::Deserialize;

use super::{SHOWN, below, file, pages, parts, searched, standing, unstudied};
use crate::cockpit::hints::term;
use crate::cockpit::{Page, layout, words};
use crate::knowledge::Row;
use crate::rest::{Asking, Place, blocking};
use crate::serve::App;

/// Of who answers whom, so many.
const MOST_TIES: usize = 30;

#[derive(Deserialize)]
pub struct Listed {
    #[serde(default)]
    page: usize,
}

/// By what one is searched for: the name as it is written, and the site.
fn by_name(row: &Row<'_>) -> (String, String) {
    (row.get("name").to_lowercase(), row.get("site").to_owned())
}

/// The host of the page about an author, where it is one of the site they write on.
fn own_host(row: &Row<'_>) -> Option<String> {
    let page = CanonicalUrl::parse(row.get("url")).ok()?;
    (page.site() == row.get("site")).then(|| page.host_name().to_owned())
}

pub async fn social(State(app): State<App>, Place(id): Place<String>, Asking(asked): Asking<Listed>) -> Page {
    let page = asked.page.max(1);
    let own = app.clone();
    let (seen, tasks, rows, all, ties, namesakes, is_studied) = blocking(move || {
        let (seen, tasks) = standing(&own, &id)?;
        let table = own.knowledge.table(&id, "authors.csv")?;
        let mut namesakes: HashMap<(String, String), usize> = HashMap::new();
        for row in table.rows() {
            *namesakes.entry(by_name(&row)).or_default() += 1;
        }
        namesakes.retain(|_, count| *count > 1);
        let all = table.rows().count();
        let rows: Vec<_> =
            table.rows().skip((page - 1).saturating_mul(SHOWN)).take(SHOWN).map(Row::owned).collect();
        let ties: Vec<_> =
            own.knowledge.beginning(&id, "ties.csv")?.rows().take(MOST_TIES).map(Row::owned).collect();
        Ok((seen, tasks, rows, all, ties, namesakes, !table.is_missing()))
    })
    .await?;
    // Those of one name on one site are told apart by the host that has the page about them.
    let host = |row: &Row<'_>| namesakes.get(&by_name(row)).and_then(|_| own_host(row));
    let body = html! {
        @if is_studied {
            (parts(&seen, "Who writes"))
            @if rows.is_empty() { section.empty { p { "No page says who wrote it." } } } @else {
                table {
                    caption { "Who writes, the most influential first: " (words::count(all as u64)) }
                    thead { tr { th scope="col" { "Name" } th scope="col" { "Site" } th.number scope="col" { "Writings" } th.number scope="col" { (term("Influence", "The share of all attention, by who refers to whom")) }
                        th.number scope="col" { (term("Replies", "Answers to what they wrote")) } th.number scope="col" { (term("Quotes", "How often others quote them")) } th.number scope="col" { (term("Links", "Links of others to what they wrote")) } } }
                    tbody { @for row in &rows { tr {
                        @let host = host(row);
                        @let place = host.as_deref().map_or(("site", row.get("site")), |host| ("host", host));
                        th scope="row" { a href=(searched(&seen, &[("author", row.get("name")), place])) { (row.get("name")) } }
                        td { (place.1) }
                        td.number { (words::count(row.number("writings"))) }
                        td.number { (format!("{:.2} %", 100.0 * row.decimal("influence").unwrap_or_default())) }
                        td.number { (words::count(row.number("replies received"))) }
                        td.number { (words::count(row.number("quotes received"))) }
                        td.number { (words::count(row.number("links received"))) }
                    } } }
                }
                (pages(page, all, |page| format!("?page={page}")))
                (file(&seen, "authors"))
                @if !ties.is_empty() {
                    table {
                        caption { "Who refers to whom, the most often first" }
                        thead { tr { th scope="col" { "Who" } th scope="col" { "To whom" } th.number scope="col" { "Replies" } th.number scope="col" { "Quotes" } th.number scope="col" { "Links" } th.number scope="col" { "Mentions" } } }
                        tbody { @for tie in &ties { tr {
                            th scope="row" { a href=(searched(&seen, &[("author", tie.get("from")), ("site", tie.get("from site"))])) { (tie.get("from")) } " on " (tie.get("from site")) }
                            td { a href=(searched(&seen, &[("author", tie.get("to")), ("site", tie.get("to site"))])) { (tie.get("to")) } " on " (tie.get("to site")) }
                            td.number { (words::count(tie.number("replies"))) } td.number { (words::count(tie.number("quotes"))) }
                            td.number { (words::count(tie.number("links"))) } td.number { (words::count(tie.number("mentions"))) }
                        } } }
                    }
                }
            }
            (below(&app, &seen, &tasks))
        } @else { (unstudied(&app, &seen, &tasks)) }
    };
    Ok(layout::crawl_page(&seen, "/knowledge", &body).into_response())
}
