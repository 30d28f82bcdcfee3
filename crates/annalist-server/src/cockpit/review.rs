//! Which pages are kept: what is proposed, with the reasons, and one click to decide. Whole without script.

use annalist_study::selection::{Choice, Verdict};
use axum::extract::State;
use axum::response::{IntoResponse, Redirect};
use maud::{Markup, html};

use super::asking_twice::{Question, SURE};
use super::forms::SentPairs;
use super::{Page, forms, hints, layout, tasks, words};
use crate::problem::Problem;
use crate::rest::{Asking, Place, ReviewAsked, blocking, choice_of};
use crate::review::{Found, Learned, site_rule};
use crate::serve::App;
use crate::tasks::Kind;

const VIEW: &str = "review";
const SHOWN: usize = 50;

/// The views of the list: name, what is asked for.
const LISTS: [(&str, &str); 5] = [
    ("To look at first", ""),
    ("Proposed to keep", "verdict=keep"),
    ("Proposed to drop", "verdict=drop"),
    ("In doubt", "verdict=review"),
    ("Decided", "basis=decision"),
];

fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// The question as it stands in the address.
fn query_of(asked: &ReviewAsked, by: &str, offset: usize) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    let pairs =
        [("verdict", &asked.verdict), ("basis", &asked.basis), ("site", &asked.site), ("q", &asked.q)];
    for (name, value) in pairs.into_iter().filter(|(_, value)| !value.is_empty()) {
        query.append_pair(name, value);
    }
    if !by.is_empty() {
        query.append_pair("by", by);
    }
    if offset > 0 {
        query.append_pair("offset", &offset.to_string());
    }
    query.finish()
}

#[derive(Clone, Debug, Default, serde::Deserialize)]
pub struct By {
    #[serde(default)]
    by: String,
}

pub async fn review(
    State(app): State<App>,
    Place(id): Place<String>,
    Asking(mut asked): Asking<ReviewAsked>,
    Asking(By { by }): Asking<By>,
) -> Page {
    asked.limit = Some(SHOWN);
    // Where nothing is asked for, what teaches most comes first.
    asked.instructive =
        [&asked.verdict, &asked.basis, &asked.site, &asked.q].iter().all(|value| value.is_empty());
    let owned = app.clone();
    let body = blocking(move || {
        let app = owned;
        let (seen, told) = (app.service.see(&id)?, app.tasks.list(&id)?);
        let rules = app.desk.rules(&id)?;
        let list = tasks::list(&app, &id, VIEW, &told, &[Kind::Select]);
        let Some(stand) = app.desk.of(&id)? else {
            let body = html! {
                section.empty {
                    h2 { "Which pages enter the final collection?" }
                    p { "Every page is proposed to be kept or dropped, with the reasons, and you have the last word. First the archive is read through, which takes a while." }
                    @if seen.status.counters.captures > 0 { (tasks::ask(&app, &id, VIEW, "select", "Read the archive", "primary")) }
                    @else { p { "Nothing is archived yet: start the crawl first." } }
                }
                @if !told.is_empty() { (list) }
            };
            return Ok(layout::crawl_page(&seen, "/review", &body));
        };
        let (total, found) = stand.ask(&asked.question()?);
        let counts = stand.counts();
        let of = |word: &str| words::count(counts.get(word).copied().unwrap_or(0) as u64);
        let read_at = stand.stamp.read_at().map(|at| at.rfc3339()).unwrap_or_default();
        let body = html! {
            dl.facts {
                div { dt { "Keep" } dd.good { (of("keep")) } }
                div { dt { "Drop" } dd { (of("drop")) } }
                (hints::fact("In doubt", &html! { dd.busy { (of("review")) } }, "Not exported until somebody has looked"))
                div { dt { "Decisions of people" } dd { (words::count(stand.decisions as u64)) } }
            }
            @if let Some(learned) = &stand.learned { (lesson(learned)) }
            @else { p.hint { "From ten decisions on, with some of either kind, it is learned from them what you want." } }
            nav.chips aria-label="Lists" {
                @for (name, query) in LISTS {
                    a href={ "/crawls/" (id) "/review?" (query) @if !by.is_empty() { "&by=" (encoded(&by)) } }
                        aria-current=[is_list(&asked, query).then_some("page")] { (name) }
                }
            }
            (filter(&asked, &by))
            (pages(&app, &id, &asked, &by, total, &found))
            (rule_list(&app, &id, &rules))
            section {
                h2 { "What is new" }
                p.hint { "Pages were read last at " (read_at.get(..16).unwrap_or_default().replace('T', " ")) ". What was captured since is not proposed yet." }
                (tasks::ask(&app, &id, VIEW, "select", "Read what is new", ""))
                " " a href={ "/crawls/" (id) "/export" } { "Export the selection" }
            }
            @if told.iter().any(|told| told.task.what.kind == Kind::Select) { (list) }
        };
        Ok(layout::crawl_page(&seen, "/review", &body))
    })
    .await?;
    Ok(body.into_response())
}

fn is_list(asked: &ReviewAsked, query: &str) -> bool {
    asked.site.is_empty() && asked.q.is_empty() && query_of(asked, "", 0) == query
}

fn lesson(learned: &Learned) -> Markup {
    html! {
        p.hint { "Learned from " (learned.kept) " pages that were kept and " (learned.dropped) " that were dropped. "
            @if !learned.reasons_for.is_empty() { "For a page: " (learned.reasons_for.join(", ")) ". " }
            @if !learned.reasons_against.is_empty() { "Against it: " (learned.reasons_against.join(", ")) "." } }
    }
}

fn filter(asked: &ReviewAsked, by: &str) -> Markup {
    let options = |chosen: &str, known: &[&str]| {
        html! {
            option value="" selected[chosen.is_empty()] { "all" }
            @for word in known { option value=(word) selected[chosen == *word] { (word) } }
        }
    };
    html! {
        form.filter method="get" role="search" {
            label for="q" { "Words" } input #q type="search" name="q" value=(asked.q) size="12";
            label for="site" { "Site" } input #site name="site" value=(asked.site) size="14";
            label for="verdict" { "Proposal" } select #verdict name="verdict" { (options(&asked.verdict, &["keep", "drop", "review"])) }
            label for="basis" { "By" } select #basis name="basis" { (options(&asked.basis, &["decision", "rule", "learned", "relevance"])) }
            label for="by" { "Your name" } input #by name="by" value=(by) size="8" placeholder="optional";
            button { "Show" }
        }
    }
}

fn pages(app: &App, id: &str, asked: &ReviewAsked, by: &str, total: usize, found: &[Found<'_>]) -> Markup {
    let link = |offset: usize| format!("/crawls/{id}/review?{}", query_of(asked, by, offset));
    html! {
        @if found.is_empty() {
            section.empty { p { @if asked.instructive { "Everything is decided: nothing is left to look at." } @else { "No page fits." } } }
        } @else {
            form #pages method="post" action={ "/crawls/" (id) "/review" } {
                (forms::token(app))
                input type="hidden" name="by" value=(by);
                input type="hidden" name="back" value=(query_of(asked, by, asked.offset));
                div.buttons.bulk {
                    span.hint { (words::count(total as u64)) " pages. The chosen ones: " }
                    button name="then" value="keep" { "Keep" } button name="then" value="drop" { "Drop" }
                }
                ul.review { @for one in found { (item(id, one)) } }
            }
            nav.buttons aria-label="Pages of the list" {
                @if asked.offset > 0 { a href=(link(asked.offset.saturating_sub(SHOWN))) rel="prev" { "← Before" } }
                @if asked.offset + found.len() < total { a href=(link(asked.offset + found.len())) rel="next" { "More →" } }
            }
        }
    }
}

fn item(id: &str, one: &Found<'_>) -> Markup {
    let (page, proposal) = (one.page, one.proposal);
    let class = match proposal.verdict {
        Verdict::Keep => "good",
        Verdict::Drop => "bad",
        Verdict::Review => "busy",
    };
    let title = page.title.as_deref().unwrap_or(&page.url);
    html! {
        li {
            div.what {
                input type="checkbox" name="url" value=(page.url) aria-label={ "Choose " (title) };
                div {
                    a.title href={ "/crawls/" (id) "/page?url=" (encoded(&page.url)) } { (title) }
                    p.url { (page.url) }
                    @if !page.snippet.is_empty() { p.snippet { (page.snippet) } }
                    p.hint {
                        span class={ "badge " (class) } { (proposal.verdict.word()) } " "
                        (words::share(Some(proposal.probability))) " by " (proposal.basis.word()) " · " (proposal.why)
                        @if one.alike > 0 { " · " (one.alike) " nearly the same" }
                    }
                }
            }
            div.decide {
                button.keep name="keep" value=(page.url) aria-label={ "Keep " (title) } { "Keep" }
                button.drop name="drop" value=(page.url) aria-label={ "Drop " (title) } { "Drop" }
                details { summary { (page.site) }
                    button name="keep_site" value=(page.site) { "Keep the site" } button name="drop_site" value=(page.site) { "Drop the site" } }
            }
        }
    }
}

fn rule_list(app: &App, id: &str, rules: &[(Choice, String)]) -> Markup {
    let word = |choice: &Choice| if *choice == Choice::Keep { "keep" } else { "drop" };
    html! {
        section {
            h2 { "Rules" }
            p.hint { "They hold for all pages, also for those that come: " code { "words < 50 || duplicate" } ", " code { "score >= 0.6" } ", " code { "language != \"en\"" } ". What you decide about a page is above all rules." }
            @if !rules.is_empty() {
                table { tbody { @for (choice, text) in rules { tr {
                    th scope="row" { (word(choice)) } td { code { (text) } }
                    td { form.inline method="post" action={ "/crawls/" (id) "/review" } {
                        (forms::token(app)) input type="hidden" name="expression" value=(text);
                        button name="remove_rule" value=(word(choice)) aria-label={ "Remove the rule " (text) } { "Remove…" } } }
                } } } }
            }
            form.filter method="post" action={ "/crawls/" (id) "/review" } {
                (forms::token(app))
                label for="expression" { "New rule" } input #expression.wide name="expression" required placeholder="words < 50";
                button name="rule" value="keep" { "Keep such pages" } button name="rule" value="drop" { "Drop such pages" }
            }
        }
    }
}

pub async fn decide(State(app): State<App>, Place(id): Place<String>, SentPairs(sent): SentPairs) -> Page {
    let back = sent.iter().find(|(key, _)| key == "back").map_or("", |(_, query)| query);
    let to = format!("/crawls/{id}/review?{}", cleaned(back));
    let given = |name: &str| sent.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
    if let (Some(choice), None) = (given("remove_rule"), given(SURE)) {
        let (service, name, rule) =
            (app.service.clone(), id.clone(), given("expression").unwrap_or_default());
        let seen = blocking(move || service.see(&name)).await?;
        let question = Question {
            title: "Remove this rule?".to_owned(),
            what: html! { p { "Pages with " code { (rule) } " are no longer proposed to " (choice) " by it; what people decided about single pages stays." } },
            action: format!("/crawls/{id}/review"),
            fields: vec![("remove_rule", choice), ("expression", rule)],
            yes: "Remove the rule",
            back: to,
            tab: "/review",
        };
        return question.page(&app, &seen);
    }
    blocking(move || {
        let first = |name: &str| sent.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
        let by = first("by").filter(|by| !by.trim().is_empty());
        let decide = |choice: &str, urls: &[String]| {
            let taken = app.desk.decide(&id, choice_of(choice)?, urls, by.as_deref(), None)?;
            match taken.errors.into_iter().next() {
                Some(error) => Err(Problem::field(error.field, error.detail)),
                None => Ok(()),
            }
        };
        for choice in ["keep", "drop"] {
            if let Some(url) = first(choice) {
                return decide(choice, &[url]);
            }
            if let Some(site) = first(&format!("{choice}_site")) {
                // The other way round is taken back: a drop rule would be stronger for ever.
                let other = if choice == "keep" { Choice::Drop } else { Choice::Keep };
                let rule = site_rule(&site);
                if app.desk.rules(&id)?.contains(&(other, rule.clone())) {
                    app.desk.remove_rule(&id, other, &rule)?;
                }
                return app.desk.add_rule(&id, choice_of(choice)?, &rule);
            }
        }
        let expression = first("expression").unwrap_or_default();
        if let Some(choice) = first("rule") {
            return app.desk.add_rule(&id, choice_of(&choice)?, expression.trim());
        }
        if let Some(choice) = first("remove_rule") {
            return app.desk.remove_rule(&id, choice_of(&choice)?, &expression);
        }
        let urls: Vec<String> =
            sent.iter().filter(|(key, _)| key == "url").map(|(_, url)| url.clone()).collect();
        if urls.is_empty() {
            return Err(Problem::field("url", "choose some pages first"));
        }
        decide(&first("then").unwrap_or_default(), &urls)
    })
    .await?;
    Ok(Redirect::to(&to).into_response())
}

/// The question that was asked before, in a form that cannot be anything else.
fn cleaned(query: &str) -> String {
    let pairs = form_urlencoded::parse(query.as_bytes());
    form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}
