//! Words in a crawl's archive: a box, results with what was asked for marked, facets that narrow and can be taken back, and when.

use annalist_knowledge::search::{Answer, Facet, FacetField, Hit, Snippet, Sort};
use axum::extract::{RawQuery, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};

use super::courses::{self, Month};
use super::{Page, layout, words};
use crate::deriving::Freshness;
use crate::knowledge::{Asked, SHOWN};
use crate::problem::Problem;
use crate::rest::{Place, blocking};
use crate::serve::App;
use crate::service::Seen;

/// Titles and names are cut to what a line holds.
const LONGEST: usize = 80;

pub async fn search(State(app): State<App>, Place(id): Place<String>, RawQuery(query): RawQuery) -> Page {
    let read = Asked::read(&query.unwrap_or_default());
    let (asked, wrong) = match read {
        Ok(asked) => (asked, None),
        Err(problem) => (Asked::default(), Some(problem)),
    };
    let question = asked.clone();
    let (seen, answered) = blocking(move || {
        let seen = app.service.see(&id)?;
        let answered = match wrong {
            Some(problem) => Err(problem),
            None => answer(&app, &id, question),
        };
        Ok((seen, answered))
    })
    .await?;
    let code = answered.as_ref().err().map_or(StatusCode::OK, |problem| match problem.code() {
        StatusCode::UNPROCESSABLE_ENTITY => problem.code(),
        _ => StatusCode::OK,
    });
    let is_reading = match &answered {
        Ok((_, freshness)) => *freshness == Freshness::Reading,
        Err(problem) => problem.retry_after.is_some(),
    };
    let body = html! {
        (form(&asked))
        @match &answered {
            Ok((answer, freshness)) => {
                (notice(freshness))
                (shown(&seen, &asked, answer))
            }
            Err(problem) => (trouble(&seen, problem)),
        }
    };
    let mut response = (code, layout::crawl_page(&seen, "/search", &body)).into_response();
    if is_reading {
        again(&mut response);
    }
    Ok(response)
}

fn answer(app: &App, id: &str, asked: Asked) -> Result<(Answer, Freshness), Problem> {
    let question = asked.of_page().question()?;
    let opened = app.knowledge.search(&[id.to_owned()])?;
    Ok((opened.store.ask(&question)?, opened.freshness))
}

/// The browser asks once more by itself.
pub fn again(response: &mut Response) {
    response.headers_mut().insert(header::REFRESH, HeaderValue::from_static("3"));
}

/// How what is shown stands to the archive.
pub fn notice(freshness: &Freshness) -> Markup {
    html! {
        @match freshness {
            Freshness::Current => {}
            Freshness::Growing => p.hint role="status" { "The crawl is running: what it found in the last half minute may be missing." },
            Freshness::Reading => p.busy role="status" { "The archive is being read: this is what is known so far, and is shown again in a moment." },
            Freshness::Failed(why) => p.bad role="alert" { "The archive could not be read to its end: " (why) },
        }
    }
}

/// Why there is nothing to show.
pub fn trouble(seen: &Seen, problem: &Problem) -> Markup {
    html! {
        @match problem.code() {
            StatusCode::CONFLICT => section.empty {
                h2 { "Nothing is captured yet" }
                p { "Start the crawl on its " a href={ "/crawls/" (seen.id) } { "overview" } ": what it captures can be asked for half a minute later." }
            },
            StatusCode::SERVICE_UNAVAILABLE => section.empty role="status" { h2 { "One moment" } p { (problem.detail) } p { a.button href="" { "Ask again" } } },
            _ => p.bad role="alert" { (problem.detail) },
        }
    }
}

fn form(asked: &Asked) -> Markup {
    let narrowing = &asked.narrowing;
    html! {
        form.ask method="get" role="search" {
            label for="q" { "Search the archive" }
            div.filter {
                input #q.wide type="search" name="q" value=(narrowing.words) aria-describedby="language" autofocus[narrowing.words.is_empty()];
                label for="from" { "from" } input #from type="text" name="from" value=[narrowing.from.as_deref()] placeholder="2010-03" size="8";
                label for="until" { "until" } input #until type="text" name="until" value=[narrowing.until.as_deref()] placeholder="2011" size="8";
                @for (field, value) in &narrowing.fields { input type="hidden" name=(field.name()) value=(value); }
                @if asked.sort != Sort::Relevance { input type="hidden" name="sort" value=(sort_name(asked.sort)); }
                button.primary { "Search" }
            }
            details #language.hint { summary { "How to ask" }
                p { "All words must be there, in any of their forms. " code { "\"debt crisis\"" } " one after the other, as written · " code { "euro OR drachma" } " either · "
                    code { "-football" } " without it · " code { "elect*" } " words that begin so · " code { "title:" } " " code { "author:" } " " code { "site:" } " " code { "language:el" }
                    " " code { "type:comment" } " " code { "entity:\"Jane Doe\"" } " in one place only · " code { "published:2010-03..2011" } " in that time." } }
        }
    }
}

fn sort_name(sort: Sort) -> &'static str {
    match sort {
        Sort::Relevance => "relevance",
        Sort::Newest => "newest",
        Sort::Oldest => "oldest",
    }
}

/// A link to a changed question, on its first page.
fn to(asked: &Asked, change: impl FnOnce(&mut Asked)) -> String {
    let mut other = Asked { page: 1, ..asked.clone() };
    change(&mut other);
    format!("?{}", other.query())
}

fn shown(seen: &Seen, asked: &Asked, answer: &Answer) -> Markup {
    let months: Vec<Month> = answer
        .months
        .iter()
        .map(|month| Month { month: month.month.clone(), count: month.count, opinion: month.sentiment })
        .collect();
    let in_time = |time: &str| {
        to(asked, |other| {
            let narrowing = &mut other.narrowing;
            (narrowing.from, narrowing.until) = (Some(time.to_owned()), Some(time.to_owned()));
            narrowing.captured = false;
        })
    };
    html! {
        (chosen(asked))
        @if answer.total == 0 {
            section.empty {
                h2 { "Nothing found" }
                p { "Fewer or other words may help; " code { "OR" } " between words finds either of them." }
            }
        } @else {
            div.found {
                div {
                    p.line { strong { (words::count(answer.total)) " found" }
                        span { "Sort: " @for sort in [Sort::Relevance, Sort::Newest, Sort::Oldest] {
                            a href=(to(asked, |other| other.sort = sort)) aria-current=[(asked.sort == sort).then_some("true")] { (sort_name(sort)) } " " } } }
                    @if months.len() > 1 { (courses::months(&months, "Published", in_time)) }
                    @if answer.undated.is_some_and(|undated| undated > 0) && !months.is_empty() {
                        p.hint { (words::count(answer.undated.unwrap_or_default())) " without a date" }
                    }
                    ol.hits start=((asked.page - 1) * SHOWN + 1) { @for hit in &answer.hits { li { (one(seen, asked, hit)) } } }
                    nav.pages aria-label="Pages of results" {
                        @if asked.page > 1 { a rel="prev" href=(turned(asked, asked.page - 1)) { "← Previous" } }
                        @if asked.page > 1 || answer.more { span { "Page " (asked.page) } }
                        @if answer.more { a rel="next" href=(turned(asked, asked.page + 1)) { "Next →" } }
                    }
                }
                aside aria-label="Narrow the results" { @for facet in &answer.facets { (narrower(asked, facet)) } }
            }
        }
    }
}

fn turned(asked: &Asked, page: usize) -> String {
    format!("?{}", Asked { page, ..asked.clone() }.query())
}

/// What the question is narrowed to, each with a way back.
fn chosen(asked: &Asked) -> Markup {
    let narrowing = &asked.narrowing;
    let time = match (&narrowing.from, &narrowing.until) {
        (None, None) => None,
        (from, until) => {
            let part = |part: &Option<String>| part.clone().unwrap_or_default();
            Some(if from == until { part(from) } else { format!("{} – {}", part(from), part(until)) })
        }
    };
    let without = |place: usize| to(asked, |other| drop(other.narrowing.fields.remove(place)));
    html! {
        @if !narrowing.fields.is_empty() || time.is_some() || asked.all {
            ul.chips aria-label="Narrowed to" {
                @for (place, (field, value)) in narrowing.fields.iter().enumerate() {
                    li { a href=(without(place)) { (name_of(*field)) ": " strong { (field.label_in(value)) } span aria-hidden="true" { " ×" } span.unseen { " (take this back)" } } }
                }
                @if let Some(time) = time {
                    li { a href=(to(asked, |other| (other.narrowing.from, other.narrowing.until) = (None, None))) {
                        @if narrowing.captured { "Captured: " } @else { "Published: " } strong { (time) } span aria-hidden="true" { " ×" } span.unseen { " (take this back)" } } }
                }
                @if asked.all { li { a href=(to(asked, |other| other.all = false)) { "With near duplicates" span aria-hidden="true" { " ×" } span.unseen { " (take this back)" } } } }
            }
        }
    }
}

fn name_of(field: FacetField) -> &'static str {
    match field {
        FacetField::Site => "Site",
        FacetField::Host => "Host",
        FacetField::Language => "Language",
        FacetField::Type => "Kind",
        FacetField::Application => "Software",
        FacetField::Author => "Author",
        FacetField::Topic => "Topic",
        FacetField::Entity => "Named",
        FacetField::Event => "Event",
        FacetField::Mime => "Media type",
    }
}

fn narrower(asked: &Asked, facet: &Facet) -> Markup {
    let Some(field) = FacetField::named(facet.field) else { return html! {} };
    let is_chosen = |label: &str| {
        asked.narrowing.fields.iter().any(|(of, value)| *of == field && of.label_in(value) == label)
    };
    let is_open = !matches!(field, FacetField::Host | FacetField::Mime | FacetField::Application);
    html! {
        @if !facet.counts.is_empty() {
            details.facet open[is_open] {
                summary { (name_of(field)) }
                ul { @for row in &facet.counts { li {
                    @if is_chosen(&row.label) { strong { (cut(&row.label)) } }
                    @else { a href=(to(asked, |other| other.narrowing.fields.push((field, field.exactly(&row.label))))) { (cut(&row.label)) } }
                    span.number { (words::count(row.count)) }
                } } }
            }
        }
    }
}

fn one(seen: &Seen, asked: &Asked, hit: &Hit) -> Markup {
    let entry = &hit.entry;
    let address = entry.own_url.as_ref().unwrap_or(&entry.url);
    let day = |moment: &str| moment.get(..10).unwrap_or(moment).to_owned();
    let title = hit.shown_title.as_ref().filter(|title| !title.text.is_empty());
    html! {
        h2 { a href=(page_at(&seen.id, &entry.url, &hit.captured)) { @if let Some(title) = title { (marked(title)) } @else { (cut(address)) } } }
        p.about { (hit.site) " · " (entry.kind)
            @if let Some(author) = &entry.author { " by " (cut(author)) }
            @if let Some(published) = &entry.published { " · published " (day(published)) }
            " · captured " (day(&hit.captured))
            @if let Some(relevance) = entry.relevance { " · " "score " (format!("{relevance:.2}")) " of 1" } }
        @if !hit.snippet.text.is_empty() { p.passage { (marked(&hit.snippet)) } }
        p.url { (address) }
        @if hit.like_it > 0 {
            details.like { summary { "and " (words::count(hit.like_it)) " like it" }
                ul { @for other in &hit.folded { li { a.url href=(page_at(&seen.id, &other.url, &other.captured)) { (other.url) } " · captured " (day(&other.captured)) } } }
                p { a href=(to(asked, |other| other.all = true)) { "Show all results for themselves" } } }
        }
    }
}

/// Where a captured page is shown as it was at a time (RFC 3339).
pub fn page_at(id: &str, url: &str, captured: &str) -> String {
    let at: String = captured.chars().filter(char::is_ascii_digit).take(14).collect();
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("url", url)
        .append_pair("at", &at)
        .finish();
    format!("/crawls/{id}/page?{query}")
}

fn marked(snippet: &Snippet) -> Markup {
    html! { @for (piece, is_asked) in snippet.pieces() { @if is_asked { mark { (piece) } } @else { (piece) } } }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}
