//! What every page has around it.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::service::Seen;

/// A page of its own.
pub fn page(title: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · Annalist" }
                link rel="icon" href="/static/icon.svg" type="image/svg+xml";
                link rel="stylesheet" href="/static/annalist.css";
                link rel="stylesheet" href="/static/finding.css";
                script src="/static/annalist.js" defer {}
            }
            body {
                a.skip href="#main" { "Skip to content" }
                header.top {
                    a.brand href="/" { "Annalist" }
                    nav aria-label="Main" {
                        a href="/" { "Crawls" }
                        a href="/new" { "New crawl" }
                        a href="/api/openapi.json" { "API" }
                    }
                }
                // There from the start: what is put into it later is read out.
                div #connection role="status" {}
                main #main { (PreEscaped(with_room(&body.0))) }
            }
        }
    }
}

/// Puts every table into a box that is moved sideways by itself, so that on a small screen the page stays where it is. Done here
/// for all of them; in text, and in what was crawled, `<` is escaped.
fn with_room(body: &str) -> String {
    body.replace("<table", "<div class=\"wide-table\"><table").replace("</table>", "</table></div>")
}

/// The views of a crawl.
const TABS: &[(&str, &str)] = &[
    ("", "Overview"),
    ("/queue", "Queue"),
    ("/fetched", "Fetched"),
    ("/page", "Pages"),
    ("/search", "Search"),
    ("/knowledge", "Knowledge"),
    ("/ask", "Ask"),
    ("/skipped", "Skipped"),
    ("/log", "Log"),
    ("/review", "Review"),
    ("/annotate", "Annotate"),
    ("/export", "Export"),
    ("/settings", "Settings"),
];

/// Its name, and beside it the one that addresses and folders have, where that is another.
pub fn called(seen: &Seen) -> Markup {
    html! { (seen.name) @if seen.name != seen.id { " " small.hint { (seen.id) } } }
}

/// A page about one crawl; `tab` is the path of its view.
pub fn crawl_page(seen: &Seen, tab: &str, body: &Markup) -> Markup {
    marked_page(seen, tab, "", body)
}

/// The same with something before its title: tabs of browsers, and who has pages read out, tell by that what came of it.
pub fn marked_page(seen: &Seen, tab: &str, mark: &str, body: &Markup) -> Markup {
    let base = format!("/crawls/{}", seen.id);
    let title = TABS.iter().find(|(path, _)| *path == tab).map_or("", |(_, name)| name);
    page(
        &format!("{mark}{} – {title}", seen.name),
        &html! {
            nav.crumbs aria-label="Breadcrumb" { a href="/" { "Crawls" } " / " (seen.name) }
            h1 { (called(seen)) }
            nav.tabs aria-label="Views of this crawl" {
                @for (path, name) in TABS {
                    a href={ (base) (path) } aria-current=[(*path == tab).then_some("page")] { (name) }
                }
            }
            (body)
        },
    )
}
