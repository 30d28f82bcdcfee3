//! One crawl: how it goes, what waits, and what it is to do.

use annalist_model::spec::{SiteRules, duration};
use axum::extract::State;
use axum::response::IntoResponse;
use maud::{Markup, html};
use serde::Deserialize;

use super::{Page, charts, course, forms, hints, home, layout, words};
use crate::rest::{Asking, Place, Queue, Span, blocking};
use crate::serve::App;
use crate::service::Seen;

#[derive(Deserialize)]
pub struct Looked {
    over: Option<Span>,
}

pub async fn overview(
    State(app): State<App>,
    Place(id): Place<String>,
    Asking(Looked { over }): Asking<Looked>,
) -> Page {
    let service = app.service.clone();
    let (knowledge, crawl) = (app.knowledge.clone(), id.clone());
    let (seen, course, over, description) = blocking(move || {
        let (course, over) = course::chosen(&service, &id, over)?;
        let description = service.spec(&id).ok().and_then(|spec| spec.description.clone());
        Ok((service.see(&id)?, course, over, description))
    })
    .await?;
    // Nobody waits for it. An index that grows would have to be opened again with every look.
    if !seen.is_running {
        tokio::task::spawn_blocking(move || knowledge.make_ready(&crawl));
    }
    let course = course::section(&seen, &course, over);
    let body = html! {
        @if let Some(description) = &description { p.description { (description) } }
        (facts(&app, &seen, &course))
    };
    Ok(layout::crawl_page(&seen, "", &body).into_response())
}

fn facts(app: &App, seen: &Seen, course: &Markup) -> Markup {
    let status = &seen.status;
    let counters = &status.counters;
    let judged = &counters.judged;
    html! {
        div.status data-live-source=[seen.is_running.then(|| format!("/api/crawls/{}/live", seen.id))] data-live-state=(status.state) {
            div.heading.stand {
                p { (home::badge(seen)) " "
                    span data-live="waits_for" { @if let Some(what) = status.waits_for.as_ref().or(seen.awaits.as_ref()) { "waits for " (what) } } }
                (home::buttons(app, seen))
            }
            @if let Some(why) = &seen.wanted.failed {
                p.bad role="alert" { "It could not run: " (why) @if status.state == "damaged" { " " a href={ "/crawls/" (seen.id) "/settings" } { "Its spec" } } }
            }
            @if let Some(schedule) = &seen.wanted.schedule {
                p { "Starts by itself: " (words::schedule(schedule)) " " a href={ "/crawls/" (seen.id) "/settings#schedule" } { "change" } }
            }
            dl.facts {
                (fact("Captures", "captures", &words::count(counters.captures), "Exchanges kept in the archive"))
                (fact("Pages a second", "pages_per_second", &format!("{:.1}", if seen.is_running { status.pages_per_second } else { 0.0 }), "Over the last seconds"))
                (fact("Received", "bytes", &words::bytes(counters.bytes), "Bytes from servers"))
                (fact("Stored", "stored_bytes", &words::bytes(counters.stored_bytes), "What the archive grew by, compressed"))
                (fact("Queued", "queued", &words::count(status.queued), "Links that wait for their turn"))
                (fact("Sites", "sites", &words::count(status.sites), "Registered domains known so far"))
                (fact("Under way", "visits_in_flight", &words::count(status.visits_in_flight), "Requests at this moment"))
                (fact("Skipped", "skipped", &words::count(counters.skipped_in_all()), "Times that links were left alone on purpose; one that is met again counts again"))
                (hints::fact("Failed", &html! { dd { a data-live="failures" href={ "/crawls/" (seen.id) "/skipped?reason=failed" } { (words::count(counters.failed)) } } }, "Links that never answered"))
                @let is_judged = judged.pages > 0;
                (known_later("Relevant", "harvest_ratio", &words::share(judged.harvest_ratio()), "Pages that score one half or more", is_judged))
                @let mean = judged.mean_score().map_or_else(|| "–".to_owned(), |mean| format!("{mean:.2}"));
                (known_later("Mean score", "mean_score", &mean, "Of all judged pages, 0 to 1", is_judged))
            }
        }
        @if counters.captures == 0 && !seen.is_running {
            section.empty {
                h2 { "Nothing is captured yet" }
                p { "Start the crawl, and its numbers appear here." }
            }
        }
        div data-fresh="charts" data-every=[home::pace(seen)] { (drawn(seen, course)) }
    }
}

/// What is drawn of its numbers; made anew while it runs.
fn drawn(seen: &Seen, course: &Markup) -> Markup {
    let counters = &seen.status.counters;
    let judged = &counters.judged;
    let share = |(pages, relevant): &(u64, u64)| (*pages as f64, *relevant as f64 / (*pages).max(1) as f64);
    let curve: Vec<(f64, f64)> = judged.curve.iter().map(share).collect();
    html! {
        @if curve.len() > 1 {
            section {
                h2 { "Harvest" }
                p.hint { "Share of relevant pages, from the first page to the last: a line that stays high means that the crawl stays on its topic." }
                @let told = format!("Share of relevant pages over {} pages, now {}", words::count(judged.pages), words::share(judged.harvest_ratio()));
                (charts::plot(&charts::line(&curve, 1.0, &told), "100 %", "0 %"))
                div.ends aria-hidden="true" { span { "first page" } span { (words::count(judged.pages)) " pages" } }
            }
        }
        @if counters.captures > 0 { (course) }
        div.columns {
            @if !counters.by_mime.is_empty() {
                (charts::bars(&largest(counters.by_mime.iter().map(|(name, n)| (name.clone(), *n))), "Media types"))
            }
            @if !counters.by_status.is_empty() {
                (charts::bars(&largest(counters.by_status.iter().map(|(code, n)| (code.to_string(), *n))), "Answers by status"))
            }
            @for (counts, caption) in [
                (&counters.by_language, "Languages of pages"),
                (&counters.by_application, "Applications that made pages"),
                (&counters.skipped, "Why links were skipped"),
                (&counters.events, "Events of the log"),
            ] {
                // What came back after a block was lifted is not skipped any more.
                @let there = counts.iter().filter(|(_, n)| **n > 0).map(|(name, n)| (name.clone(), *n)).collect::<Vec<_>>();
                @if !there.is_empty() { (charts::bars(&largest(there.into_iter()), caption)) }
            }
            @if judged.pages > 0 {
                (charts::bars(&scores(&judged.by_score), "Scores of pages, from off the topic (0) to all about it (1)"))
            }
        }
    }
}

fn fact(name: &str, key: &str, value: &str, hint: &str) -> Markup {
    hints::fact(name, &html! { dd data-live=(key) { (value) } }, hint)
}

/// One that there may be no value of yet: it is there for the script to show.
fn known_later(name: &str, key: &str, value: &str, hint: &str, is_known: bool) -> Markup {
    html! { div hidden[!is_known] data-known { dt { (name) } dd data-live=(key) { (value) } dd.meaning { (hint) } } }
}

/// In their order, the best first.
fn scores(by_score: &[u64]) -> Vec<(String, u64)> {
    let steps = by_score.len().max(1) as f64;
    let named = by_score.iter().enumerate().map(|(step, pages)| {
        (format!("{:.1} to {:.1}", step as f64 / steps, (step + 1) as f64 / steps), *pages)
    });
    let mut rows: Vec<_> = named.collect();
    rows.reverse();
    rows
}

fn largest(rows: impl Iterator<Item = (String, u64)>) -> Vec<(String, u64)> {
    const SHOWN: usize = 12;
    let mut rows: Vec<_> = rows.collect();
    rows.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    rows.truncate(SHOWN);
    rows
}

#[derive(Deserialize)]
pub struct Part {
    #[serde(default)]
    offset: usize,
    /// How many seeds somebody gave just now, and how many of them are new.
    given: Option<u64>,
    #[serde(default)]
    added: u64,
}

/// What came of adding seeds.
fn told_of_seeds(given: u64, added: u64) -> String {
    if given == 0 {
        return "Nothing was given.".to_owned();
    }
    let said = words::some(added, "seed was added.", "seeds were added.");
    match given.saturating_sub(added) {
        0 => said,
        known => format!("{said} {}", words::some(known, "was known already.", "were known already.")),
    }
}

/// What is said of an empty queue: whether everything is done, or nothing was begun.
fn nothing_waits(seen: &Seen, seeds: usize) -> Markup {
    html! {
        section.empty {
            @if seen.status.state == "new" {
                h2 { "The crawl has not been started" }
                p { (words::some(seeds as u64, "seed waits", "seeds wait")) " for its " a href={ "/crawls/" (seen.id) } { "start" } "." }
            } @else {
                h2 { "Nothing waits" }
                p { @if seen.is_running { "All that was found is fetched, or on its way." } @else { "There is nothing left to fetch." } }
            }
        }
    }
}

/// Sites on one page.
const SITES: usize = 100;

pub async fn queue(
    State(app): State<App>,
    Place(id): Place<String>,
    Asking(Part { offset, given, added }): Asking<Part>,
) -> Page {
    let asked = app.clone();
    let (seen, queue, blocked, seeds, rules) = blocking(move || {
        // Where the spec cannot be read, what waits is shown all the same.
        let spec = asked.service.spec(&id).ok();
        let seeds = spec.as_ref().map_or(0, |spec| spec.seeds.len());
        let rules = spec.as_ref().map(|spec| spec.sites.clone()).unwrap_or_default();
        let blocked = spec.map_or_else(Vec::new, |spec| {
            let of_rules = spec.sites.iter().filter(|rules| rules.blocked).map(|rules| &rules.site);
            spec.scope.blocked_sites.iter().chain(of_rules).cloned().collect()
        });
        Ok((asked.service.see(&id)?, Queue::of(&asked, &id, offset, SITES)?, blocked, seeds, rules))
    })
    .await?;
    let part = |offset: usize| format!("/crawls/{}/queue?offset={offset}", seen.id);
    let action = |name: &str| format!("/crawls/{}/do/{name}", seen.id);
    let waiting = html! {
        @if queue.sites.is_empty() { (nothing_waits(&seen, seeds)) } @else {
            table {
                caption { "Sites with the most waiting links" }
                thead { tr { th scope="col" { "Site" } th.number scope="col" { "Queued" } th.number scope="col" { "Captures" } th.number scope="col" { "Received" }
                    th scope="col" { "Best link" } th.number scope="col" { "Score" } th scope="col" { "May be asked" } th scope="col" { "" } } }
                tbody { @for site in &queue.sites { tr {
                    th scope="row" { (site.site.as_deref().unwrap_or("–")) }
                    td.number { (words::count(site.queued)) }
                    td.number { (words::count(site.captures)) }
                    td.number { (words::bytes(site.bytes)) }
                    td.url { (site.best_url.as_deref().unwrap_or("–")) }
                    td.number { @if let Some(score) = site.best_score { (format!("{score:.2}")) } }
                    @let is_blocked = site.site.as_ref().is_some_and(|name| blocked.contains(name));
                    td { @if is_blocked { "never: it is blocked" } @else if let Some(why) = &site.closed { "closed: " (why) } @else if site.rests_seconds >= 0.05 { "in " (format!("{:.1} s", site.rests_seconds)) } @else { "now" } }
                    td { @if let Some(name) = site.site.as_ref().filter(|_| !is_blocked) {
                        form.inline method="post" action=(action("block")) { (forms::token(&app)) input type="hidden" name="site" value=(name); button aria-label={ "Block " (name) } { "Block" } }
                    } }
                } } }
            }
        }
        p {
            @if offset > 0 { a href=(part(offset.saturating_sub(SITES))) rel="prev" { "← Before" } " " }
            @if offset.saturating_add(queue.sites.len()) < queue.total && !queue.sites.is_empty() { a href=(part(offset + queue.sites.len())) rel="next" { "More →" } }
        }
        @if !blocked.is_empty() {
            section {
                h2 { "Blocked" }
                ul { @for site in &blocked { li { (site) " "
                    form.inline method="post" action=(action("unblock")) { (forms::token(&app)) input type="hidden" name="site" value=(site); button aria-label={ "Allow " (site) " again" } { "Allow again" } }
                } } }
            }
        }
    };
    let body = html! {
        @if let Some(given) = given { p.good role="status" { (told_of_seeds(given, added)) } }
        div data-fresh="queue" data-every=[home::pace(&seen)] { (waiting) }
        (of_one_site(&app, &action("site"), &rules))
        section {
            h2 { "Add seeds" }
            form method="post" action=(action("seeds")) {
                (forms::token(&app))
                label for="urls" { "Addresses, one a line" }
                textarea #urls name="urls" rows="4" placeholder="https://www.example.org/" {}
                button { "Add" }
            }
        }
    };
    Ok(layout::crawl_page(&seen, "/queue", &body).into_response())
}

/// Where a site gets a pause and a budget of its own, and which have them.
fn of_one_site(app: &App, action: &str, rules: &[SiteRules]) -> Markup {
    let told = |rules: &SiteRules| {
        let delay = rules.min_delay.map(|delay| format!("a pause of {} at least", duration::display(delay)));
        let pages = rules.pages.map(|pages| format!("{} at most", words::some(pages, "page", "pages")));
        delay.into_iter().chain(pages).collect::<Vec<_>>().join(", ")
    };
    html! {
        section #site {
            h2 { "Rules for one site" }
            ul { @for rules in rules.iter().filter(|rules| !told(rules).is_empty()) { li { strong { (rules.site) } ": " (told(rules)) } } }
            form.filter method="post" action=(action) {
                (forms::token(app))
                label for="site-name" { "Site" } input #site-name name="site" required placeholder="example.org" size="20";
                label for="site-delay" { "Pause between two requests" } input #site-delay name="delay" placeholder="5s" size="6";
                label for="site-pages" { "Pages at most" } input #site-pages name="pages" inputmode="numeric" placeholder="500" size="6";
                button { "Set" }
            }
            p.hint { "They count from now on, also while the crawl runs. A field without anything takes away what was set." }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::told_of_seeds;

    #[test]
    fn what_came_of_adding_seeds_is_told() {
        assert_eq!(told_of_seeds(0, 0), "Nothing was given.");
        assert_eq!(told_of_seeds(2, 2), "2 seeds were added.");
        assert_eq!(told_of_seeds(3, 1), "1 seed was added. 2 were known already.");
    }
}
