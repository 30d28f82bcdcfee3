//! People judge pages: the archived page on the right, one click or one key for each grade on the left, then the next page;
//! and how well the program agrees with them.

use annalist_study::{Agreement, Annotated, GRADES};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use serde::Deserialize;

use super::banner::Looked;
use super::forms::Sent;
use super::{Page, forms, hints, layout, tasks, words};
use crate::access::Frames;
use crate::annotations::{Annotations, Annotator};
use crate::problem::Problem;
use crate::rest::{Asking, Place, blocking};
use crate::serve::App;
use crate::tasks::Kind;

const VIEW: &str = "annotate";

#[derive(Deserialize)]
pub struct Asked {
    /// Who judges.
    #[serde(default)]
    by: String,
    /// Which page of theirs, from 1; the first that is open where nothing is said.
    #[serde(default)]
    n: Option<usize>,
}

fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

pub async fn annotate(
    State(app): State<App>,
    frames: Frames,
    Place(id): Place<String>,
    Asking(asked): Asking<Asked>,
) -> Page {
    let page = blocking(move || {
        let seen = app.service.see(&id)?;
        let by = asked.by.trim();
        if by.is_empty() {
            let body = overview(&app, &id, seen.status.counters.captures > 0)?;
            return Ok(layout::crawl_page(&seen, "/annotate", &body));
        }
        let own = app.annotations.of(&id, by)?;
        let next = own.pages.iter().position(|page| page.vote.is_empty());
        let place = asked.n.map(|n| n.saturating_sub(1)).or(next);
        let body = match place.and_then(|place| Some((place, own.pages.get(place)?))) {
            Some((place, page)) => {
                // Where the spec cannot be read, its name has to do.
                let spec = app.service.spec(&id);
                let keywords = spec.map_or_else(|_| Vec::new(), |spec| spec.topic.keywords.clone());
                desk(&app, &frames, &id, &own, place, page, &keywords)
            }
            None => no_page(&id, &own),
        };
        Ok(layout::crawl_page(&seen, "/annotate", &body))
    })
    .await?;
    Ok(page.into_response())
}

/// There is no page to show: none was drawn, all are judged, or one was asked for that is not there.
fn no_page(id: &str, own: &Annotator) -> Markup {
    let (all, is_open) = (own.pages.len(), own.judged() < own.pages.len());
    html! {
        section.empty {
            @if is_open {
                h2 { "There is no such page" }
                p { (words::some(all as u64, "page was drawn", "pages were drawn")) ", and " (own.judged()) " of them judged." }
                p { a.button href={ "/crawls/" (id) "/annotate?by=" (encoded(&own.name)) } { "Go on with the next one" } }
            } @else {
                h2 { @if all == 0 { "No pages were drawn yet" } @else { "All pages are judged" } }
                p { a.button href={ "/crawls/" (id) "/annotate" } { "See how well the program agrees" } }
            }
        }
    }
}

/// The panel and the page (figure 3 of the study that this follows).
fn desk(
    app: &App,
    frames: &Frames,
    id: &str,
    own: &Annotator,
    place: usize,
    page: &Annotated,
    keywords: &[String],
) -> Markup {
    let (by, all) = (encoded(&own.name), own.pages.len());
    let at = |place: usize| format!("/crawls/{id}/annotate?by={by}&n={}", place + 1);
    let stamp: String = page.timestamp.chars().filter(char::is_ascii_digit).collect();
    let frame = frames.address(&format!("{id}/{stamp}mp_/{}", page.url));
    // Where the archive cannot be read, the frame says so.
    let listed = app.archives.listed(id, &page.url, &stamp).unwrap_or_default();
    let looked = Looked { id, url: &page.url, at: &stamp, listed: &listed, frames, view: None };
    html! {
        div.annotate {
            form.panel method="post" action={ "/crawls/" (id) "/annotate" } {
                (forms::token(app))
                input type="hidden" name="by" value=(own.name);
                input type="hidden" name="url" value=(page.url);
                p { strong { (own.name) } " · page " (place + 1) " of " (all) }
                progress max=(all) value=(own.judged()) aria-label="Judged so far" {}
                p.hint { (own.judged()) " judged. Stop whenever you like, and come back under the same name." }
                p.url { a href=(frame) rel="noreferrer" { (page.url) } }
                p.hint { "Captured " (words::moment(&stamp, " ", " UTC")) " · "
                    a href=(page.url) rel="noreferrer noopener nofollow" target="_blank" { "today's page on the live web" } }
                h2 { "Is it about “" (page.event) "”?" }
                @if !keywords.is_empty() { p { "The topic's words: " (keywords.join(", ")) } }
                @for (number, (grade, meaning)) in GRADES.iter().enumerate() {
                    @let key = (number + 1).to_string();
                    button.grade name="vote" value=(grade) data-key=(key) accesskey=(key) aria-pressed=[(page.vote == *grade).then_some("true")] {
                        kbd { (key) } " " strong { (shown(grade)) } span.hint { (meaning) }
                    }
                }
                p.hint { "With script the keys do the same, while this side has the focus: after a click into the captured page, click here first." }
                label for="comment" { "Comment" }
                textarea #comment name="comment" rows="3" { "\n" (page.comment) }
                p.buttons {
                    @if place > 0 { a href=(at(place - 1)) rel="prev" { "← Before" } }
                    @if place + 1 < all { a href=(at(place + 1)) rel="next" { "Skip →" } }
                }
            }
            (looked.frame())
        }
    }
}

/// `HighlyRelevant` as people say it.
fn shown(grade: &str) -> &str {
    match grade {
        "HighlyRelevant" => "Highly relevant",
        "NotRelevant" => "Not relevant",
        "Junk" => "Junk or spam",
        "Unknown" => "Don't know",
        other => other,
    }
}

fn overview(app: &App, id: &str, has_pages: bool) -> Result<Markup, Problem> {
    let (drawn, people) = (app.annotations.sample(id)?, app.annotations.people(id)?);
    let (found, told) = (app.annotations.figures(id)?, app.tasks.list(id)?);
    Ok(html! {
        @if drawn.is_empty() {
            section.empty {
                h2 { "Does the program agree with people?" }
                p { "Fifty pages are drawn, as many of each tenth of relevance. You say for each how relevant it is, and see precision and recall of every way to judge." }
                @if has_pages { (tasks::ask(app, id, VIEW, "sample", "Draw pages", "primary")) }
                @else { p { "Nothing is archived yet: start the crawl first." } }
            }
        } @else {
            section {
                h2 { "Judge" }
                p.hint { (drawn.len()) " pages were drawn. Several people can judge them, each under a name of their own." }
                form.filter method="get" {
                    label for="by" { "Your name" } input #by name="by" required maxlength="40" pattern="[\\p{L}\\p{N}_\\-]+" list="people" title="Letters, digits, - and _, without blanks" aria-describedby="by-hint";
                    datalist #people { @for one in &people { option value=(one.name) {} } }
                    button.primary { "Begin, or go on" }
                    span.hint #by-hint { "Letters, digits, - and _, without blanks: Jane_Doe" }
                }
                @if !people.is_empty() {
                    table {
                        thead { tr { th scope="col" { "Who" } th.number scope="col" { "Judged" } th scope="col" { "" } } }
                        tbody { @for one in &people { tr {
                            td { a href={ "/crawls/" (id) "/annotate?by=" (encoded(&one.name)) } { (one.name) } }
                            td.number { (one.judged()) " of " (one.pages.len()) }
                            td { progress max=(one.pages.len()) value=(one.judged()) aria-label={ "Judged by " (one.name) } {} }
                        } } }
                    }
                }
            }
        }
        @if let Some(found) = &found { (figures(id, found, &people)) }
        @if told.iter().any(|told| told.task.what.kind == Kind::Sample) { (tasks::list(app, id, VIEW, &told, &[Kind::Sample])) }
        @if !drawn.is_empty() {
            p.hint { "The tables are in " code { "evaluation" } " in the job's folder; " code { "annalist judge --evaluate" } " reads the same. " }
            (tasks::ask(app, id, VIEW, "sample", "Draw anew…", ""))
        }
    })
}

fn figures(id: &str, found: &Agreement, people: &[Annotator]) -> Markup {
    let hints = [
        ("content", "what the page says"),
        ("time", "when it is from"),
        ("mean", "the mean of both"),
        ("default", "what a crawl goes by: content, less where the time is wrong"),
        ("validated", "the default with numbers that were chosen on other events"),
    ];
    let between = Annotations::between(people);
    html! {
        section {
            h2 { "Does the program agree?" }
            p.hint { (found.all.pages) " judgements, " (found.all.relevant) " of them relevant. The break-even point is the precision after as many pages as are relevant, where recall is the same: it says how many of the best pages by each function people call relevant, too." }
            table {
                thead { tr { th scope="col" { "Function" } th.number scope="col" { "Break-even point" } th.number scope="col" { "Average precision" } th scope="col" { "It looks at" } } }
                tbody { @for (name, ranked) in found.all.named() { tr {
                    th scope="row" { (name) }
                    td.number { @match ranked.break_even { Some(point) => (format!("{point:.3}")), None => "–" } }
                    td.number { (format!("{:.3}", ranked.average_precision)) }
                    td.hint { (hints.iter().find(|(known, _)| *known == name).map_or("", |(_, hint)| hint)) }
                } } }
            }
            img.curves src={ "/crawls/" (id) "/annotate/curves.svg" } width="920" height="500" alt="Precision over recall of each function; the table has the break-even points.";
        }
        @if !between.is_empty() {
            section {
                h2 { "Do people agree?" }
                table {
                    thead { tr { th scope="col" { "Who" } th.number scope="col" { "Pages" } th.number scope="col" { "Same" }
                        th.number scope="col" { (hints::term("Kappa", "Cohen's kappa: 1 is full agreement, 0 what chance would bring")) } } }
                    tbody { @for pair in &between { tr {
                        td { (pair.one) " and " (pair.other) } td.number { (pair.pages) } td.number { (format!("{:.0} %", pair.same * 100.0)) }
                        td.number { @match pair.kappa { Some(kappa) => (format!("{kappa:.2}")), None => "–" } }
                    } } }
                }
            }
        }
    }
}

/// Precision over recall, as a picture.
pub async fn curves(State(app): State<App>, Place(id): Place<String>) -> Page {
    let drawn = blocking(move || {
        let found = app.annotations.figures(&id)?;
        let found = found.ok_or_else(|| Problem::not_found("nobody has judged a page yet"))?;
        Ok(found.curves_svg(&found.all))
    })
    .await?;
    let response: Response = ([(header::CONTENT_TYPE, "image/svg+xml")], drawn).into_response();
    Ok(response)
}

#[derive(Deserialize)]
pub struct Judged {
    #[serde(default)]
    by: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    vote: String,
    #[serde(default)]
    comment: String,
}

pub async fn judge(State(app): State<App>, Place(id): Place<String>, Sent(sent): Sent<Judged>) -> Page {
    let to = format!("/crawls/{id}/annotate?by={}", encoded(&sent.by));
    blocking(move || app.annotations.judge(&id, &sent.by, &sent.url, &sent.vote, &sent.comment)).await?;
    Ok(Redirect::to(&to).into_response())
}
