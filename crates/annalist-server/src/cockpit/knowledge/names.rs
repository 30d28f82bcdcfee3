//! People, places, organisations and other names: who is named how often, when, with whom, and what is thought of them.

use std::collections::HashMap;

use annalist_knowledge::search::FacetField;
use axum::extract::State;
use axum::response::IntoResponse;
use maud::{Markup, html};
use serde::Deserialize;

use super::{SHOWN, below, file, opinion, pages, parts, query, searched, standing, unstudied};
use crate::cockpit::courses::{self, Month};
use crate::cockpit::hints::{fact, term};
use crate::cockpit::{Page, layout, words};
use crate::knowledge::{Asked as Search, Row};
use crate::problem::Problem;
use crate::rest::{Asking, Place, blocking};
use crate::serve::App;
use crate::service::Seen;

#[derive(Clone, Deserialize)]
pub struct Listed {
    #[serde(default)]
    kind: String,
    #[serde(default)]
    q: String,
    #[serde(default)]
    page: usize,
}

fn heading(kind: &str) -> &'static str {
    match kind {
        "place" => "Places",
        "organisation" => "Organisations",
        "other" => "Other names",
        _ => "People",
    }
}

pub async fn names(State(app): State<App>, Place(id): Place<String>, Asking(asked): Asking<Listed>) -> Page {
    let page = asked.page.max(1);
    let kind = if asked.kind.is_empty() { "person".to_owned() } else { asked.kind.clone() };
    let (own, sought, wanted) = (app.clone(), asked.q.to_lowercase(), kind.clone());
    let (seen, tasks, rows, all, is_studied) = blocking(move || {
        let (seen, tasks) = standing(&own, &id)?;
        let table = own.knowledge.table(&id, "entities.csv")?;
        let fits = |row: &Row<'_>| {
            row.get("kind") == wanted
                && (sought.is_empty()
                    || row.get("name").to_lowercase().contains(&sought)
                    || row.get("aliases").to_lowercase().contains(&sought))
        };
        let mut all = 0;
        let mut rows = Vec::new();
        for row in table.rows().filter(fits) {
            all += 1;
            if all > (page - 1).saturating_mul(SHOWN) && rows.len() < SHOWN {
                rows.push(row.owned());
            }
        }
        Ok((seen, tasks, rows, all, !table.is_missing()))
    })
    .await?;
    let to =
        |page: usize| format!("?{}", query(&[("kind", &kind), ("q", &asked.q), ("page", &page.to_string())]));
    let body = html! {
        @if is_studied {
            (parts(&seen, heading(&kind)))
            form.filter method="get" role="search" {
                input type="hidden" name="kind" value=(kind);
                label for="q" { "Name" } input #q type="search" name="q" value=(asked.q);
                button { "Show" }
            }
            @if rows.is_empty() { section.empty { p { @if asked.q.is_empty() { "The study found none." } @else { "Nobody of that name was found." } } } } @else {
                table {
                    caption { (heading(&kind)) " that are named, the most frequent first: " (words::count(all as u64)) }
                    thead { tr { th scope="col" { "Name" } th.number scope="col" { (term("Writings", "Posts, comments, articles and pages that name it")) } th.number scope="col" { "Mentions" }
                        th scope="col" { "First" } th scope="col" { "Last" } th.number scope="col" { (term("Opinion", "The mean of what is thought of it, from -1 to 1, where words tell")) } th scope="col" { "Also written" } } }
                    tbody { @for row in &rows { tr {
                        th scope="row" { a href={ "/crawls/" (seen.id) "/knowledge/name?" (query(&[("name", row.get("name"))])) } { (row.get("name")) } }
                        td.number { a href=(searched(&seen, &[("entity", row.get("name"))])) { (words::count(row.number("writings"))) } }
                        td.number { (words::count(row.number("mentions"))) }
                        td.time { (row.get("first")) } td.time { (row.get("last")) }
                        td.number { (opinion(row.decimal("opinion"))) }
                        td { (row.get("aliases")) }
                    } } }
                }
            }
            (pages(page, all, to))
            (file(&seen, "entities"))
            (below(&app, &seen, &tasks))
        } @else { (unstudied(&app, &seen, &tasks)) }
    };
    Ok(layout::crawl_page(&seen, "/knowledge", &body).into_response())
}

#[derive(Deserialize)]
pub struct Named {
    #[serde(default)]
    name: String,
}

/// What is known of one name.
struct Known {
    seen: Seen,
    row: Option<Row<'static>>,
    with: Vec<(String, u64)>,
    months: Vec<Month>,
    sites: Vec<(String, u64)>,
}

pub async fn name(State(app): State<App>, Place(id): Place<String>, Asking(asked): Asking<Named>) -> Page {
    let wanted = asked.name.clone();
    let known = blocking(move || known(&app, &id, &wanted)).await?;
    let Some(row) = &known.row else {
        return Err(Problem::not_found("the study found nothing of that name").into());
    };
    let seen = &known.seen;
    let in_time = |time: &str| searched(seen, &[("entity", &asked.name), ("from", time), ("until", time)]);
    let body = html! {
        (parts(seen, heading(row.get("kind"))))
        section {
            h2 { (asked.name) }
            @if !row.get("aliases").is_empty() { p.hint { "Also written " (row.get("aliases")) } }
            dl.facts {
                div { dt { "Writings" } dd { (words::count(row.number("writings"))) } }
                div { dt { "Mentions" } dd { (words::count(row.number("mentions"))) } }
                div { dt { "First" } dd { (row.get("first")) } }
                div { dt { "Last" } dd { (row.get("last")) } }
                (fact("Opinion", &html! { dd { @if row.decimal("opinion").is_some() { (opinion(row.decimal("opinion"))) } @else { "–" } } }, "The mean, from -1 to 1, of the writings in which words tell"))
                (fact("Confidence", &html! { dd { (words::share(row.decimal("confidence"))) } }, "How sure the study is that this is a name of its kind"))
            }
            @if !known.months.is_empty() { (courses::months(&known.months, "Writings", in_time)) }
            p { a.button href=(searched(seen, &[("entity", &asked.name)])) { "Read the writings" } }
        }
        div.columns {
            (list("Named together with", &known.with, |other| format!("name?{}", query(&[("name", other)]))))
            (list("Where", &known.sites, |site| searched(seen, &[("entity", &asked.name), ("site", site)])))
        }
    };
    Ok(layout::crawl_page(seen, "/knowledge", &body).into_response())
}

fn list(caption: &str, rows: &[(String, u64)], link: impl Fn(&str) -> String) -> Markup {
    html! { @if !rows.is_empty() {
        table {
            caption { (caption) }
            tbody { @for (name, count) in rows { tr { th scope="row" { a href=(link(name)) { (name) } } td.number { (words::count(*count)) } } } }
        }
    } }
}

fn known(app: &App, id: &str, name: &str) -> Result<Known, Problem> {
    const MOST: usize = 30;
    let seen = app.service.see(id)?;
    let row =
        app.knowledge.table(id, "entities.csv")?.rows().find(|row| row.get("name") == name).map(Row::owned);
    let mut with = Vec::new();
    for pair in app.knowledge.table(id, "together.csv")?.rows() {
        let other = match (pair.get("one") == name, pair.get("other") == name) {
            (true, false) => pair.get("other"),
            (false, true) => pair.get("one"),
            _ => continue,
        };
        with.push((other.to_owned(), pair.number("writings")));
    }
    with.sort_by_key(|(_, writings)| std::cmp::Reverse(*writings));
    with.truncate(MOST);
    let opinions: HashMap<String, Option<f64>> = app
        .knowledge
        .table(id, "opinions.csv")?
        .rows()
        .filter(|month| month.get("entity") == name)
        .map(|month| (month.get("month").to_owned(), month.decimal("opinion")))
        .collect();
    let mut asked = Search { page: 1, limit: Some(0), over_time: true, ..Search::default() };
    asked.narrowing.fields.push((FacetField::Entity, FacetField::Entity.exactly(name)));
    let mut question = asked.question()?;
    question.facets = vec![FacetField::Site];
    // The list is there without the index, too.
    let answer =
        app.knowledge.search(&[id.to_owned()]).ok().and_then(|opened| opened.store.ask(&question).ok());
    let answer = answer.unwrap_or_default();
    let month = |month: &annalist_knowledge::search::MonthCount| Month {
        month: month.month.clone(),
        count: month.count,
        opinion: opinions.get(&month.month).copied().flatten(),
    };
    let months = answer.months.iter().map(month).collect();
    let sites = answer
        .facets
        .first()
        .map(|facet| facet.counts.iter().map(|row| (row.label.clone(), row.count)).collect());
    Ok(Known { seen, row, with, months, sites: sites.unwrap_or_default() })
}
