//! What a study found in a crawl's archive: names, topics, events and who writes. Lists are read from the tables that the study
//! wrote; each leads to the search that is narrowed to it.

mod events;
mod names;
mod social;
mod topics;

pub use events::events;
pub use names::{name, names};
pub use social::social;
pub use topics::topics;

use annalist_knowledge::search::FacetField;
use maud::{Markup, html};

use super::{tasks, words};
use crate::problem::Problem;
use crate::serve::App;
use crate::service::Seen;
use crate::tasks::{Kind, Told};

/// Where who asks for a study is led back to.
const VIEW: &str = "knowledge";
/// Rows in one page of a list.
const SHOWN: usize = 50;

/// The parts of the view: path, parameters and name.
const PARTS: [(&str, &str, &str); 7] = [
    ("", "?kind=person", "People"),
    ("", "?kind=organisation", "Organisations"),
    ("", "?kind=place", "Places"),
    ("", "?kind=other", "Other names"),
    ("/topics", "", "Topics"),
    ("/events", "", "Events"),
    ("/social", "", "Who writes"),
];

fn parts(seen: &Seen, here: &str) -> Markup {
    html! {
        nav.subtabs aria-label="What was found" {
            @for (path, query, name) in PARTS {
                a href={ "/crawls/" (seen.id) "/knowledge" (path) (query) } aria-current=[(name == here).then_some("page")] { (name) }
            }
        }
    }
}

/// The whole table, for a spreadsheet.
fn file(seen: &Seen, table: &str) -> Markup {
    html! { p { a href={ "/api/crawls/" (seen.id) "/study/" (table) } download={ (table) ".csv" } { "All of it as CSV" } } }
}

/// The crawl, and the studies of it that were asked for.
fn standing(app: &App, id: &str) -> Result<(Seen, Vec<Told>), Problem> {
    Ok((app.service.see(id)?, app.tasks.list(id)?))
}

/// There was no study yet.
fn unstudied(app: &App, seen: &Seen, tasks: &[Told]) -> Markup {
    if seen.status.counters.captures == 0 {
        return html! {
            section.empty {
                h2 { "Nothing is captured yet" }
                p { "A study reads what was captured: " @if seen.is_running { "wait for the first pages." } @else { a href={ "/crawls/" (seen.id) } { "start the crawl" } " first." } }
            }
            (studies(app, seen, tasks))
        };
    }
    html! {
        section.empty {
            h2 { "Nobody has studied this archive yet" }
            p { "A study reads everything that was captured and finds the people, places and organisations that are named, topics, events, opinions, and who answers whom. It needs no other service and takes minutes for thousands of pages." }
            @if seen.is_running { p { "It begins when the crawl rests." } }
            (tasks::ask(app, &seen.id, VIEW, "study", "Run a study", "primary"))
        }
        (studies(app, seen, tasks))
    }
}

/// What there is below a list: the study can be made again, and how that goes.
fn below(app: &App, seen: &Seen, tasks: &[Told]) -> Markup {
    html! {
        p { (tasks::ask(app, &seen.id, VIEW, "study", "Study again", "")) " " span.hint { "What was captured since the last study is missing here." } }
        (studies(app, seen, tasks))
    }
}

fn studies(app: &App, seen: &Seen, told: &[Told]) -> Markup {
    let any = told.iter().any(|told| told.task.what.kind == Kind::Study);
    html! { @if any { (tasks::list(app, &seen.id, VIEW, told, &[Kind::Study])) } }
}

/// Pages of a list.
fn pages(page: usize, all: usize, query: impl Fn(usize) -> String) -> Markup {
    let last = all.div_ceil(SHOWN).max(1);
    html! {
        @if last > 1 {
            nav.pages aria-label="Pages of the list" {
                @if page > 1 { a rel="prev" href=(query(page - 1)) { "← Previous" } }
                span { "Page " (page) " of " (words::count(last as u64)) }
                @if page < last { a rel="next" href=(query(page + 1)) { "Next →" } }
            }
        }
    }
}

/// The search narrowed to something.
/// What a study found is asked for by its whole name: another may have the same words and more.
fn searched(seen: &Seen, pairs: &[(&str, &str)]) -> String {
    let value = |name: &str, value: &str| match FacetField::named(name) {
        Some(field) if name != "author" => field.exactly(value),
        _ => value.to_owned(),
    };
    let values: Vec<String> = pairs.iter().map(|(name, given)| value(name, given)).collect();
    let pairs: Vec<(&str, &str)> =
        pairs.iter().zip(&values).map(|((name, _), value)| (*name, value.as_str())).collect();
    format!("/crawls/{}/search?{}", seen.id, query(&pairs))
}

fn query(pairs: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

/// An opinion from -1 to 1, as people read it.
fn opinion(value: Option<f64>) -> Markup {
    html! { @if let Some(value) = value {
        span class=(if value < -0.05 { "bad" } else if value > 0.05 { "good" } else { "rest" }) { (format!("{value:+.2}")) }
    } }
}
