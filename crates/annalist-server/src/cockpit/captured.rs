//! A captured page in a frame, and around it the times of its captures, what was written on it, why it was fetched and what its
//! score is made of.

use annalist_crawl::explain::Explanation;
use axum::extract::State;
use axum::response::IntoResponse;
use maud::{Markup, html};
use serde::Deserialize;

use super::banner::Looked;
use super::{Page, layout, words};
use crate::access::Frames;
use crate::page::Known;
use crate::rest::{Asking, Place, blocking};
use crate::serve::App;
use crate::service::Seen;
use crate::views;

/// Of a writing, so much is shown.
const PASSAGE: usize = 280;
/// Of the words that made a score, so many.
const MOST_WORDS: usize = 12;

#[derive(Deserialize)]
pub struct Asked {
    #[serde(default)]
    url: String,
    #[serde(default)]
    at: String,
    /// What the frame of this name shows, in place of an address.
    #[serde(default)]
    view: String,
}

pub async fn captured(
    State(app): State<App>,
    frames: Frames,
    Place(id): Place<String>,
    Asking(mut asked): Asking<Asked>,
) -> Page {
    if let Some(shown) = app.archives.shown_in(&id, &asked.view) {
        (asked.at, asked.url) = (shown.at, shown.url);
    }
    // Whoever copies an address may copy blanks around it.
    asked.url = asked.url.trim().to_owned();
    let view = views::named()?;
    let at: String = asked.at.chars().filter(char::is_ascii_digit).take(14).collect();
    let (own, wanted, time) = (app.clone(), asked.url.clone(), at.clone());
    let (seen, known, explained) = blocking(move || {
        let seen = own.service.see(&id)?;
        if wanted.is_empty() {
            return Ok((seen, Known::default(), Explanation::default()));
        }
        let known = Known::of(&own, &seen.id, &wanted, &time)?;
        // A crawl that was never started knows nothing.
        let explained = own.service.explain(&seen.id, &wanted).unwrap_or_default();
        Ok((seen, known, explained))
    })
    .await?;
    let (wanted, listed) = (&asked.url, &known.listed);
    // What was captured a moment ago may not be listed yet.
    let is_kept = matches!(explained.state, "captured" | "revisit");
    let is_absent = listed.captures.is_empty() && known.entries.is_empty() && !is_kept;
    let looked = Looked { id: &seen.id, url: wanted, at: &at, listed, frames: &frames, view: Some(&view) };
    let body = html! {
        form.filter method="get" role="search" {
            label for="url" { "Address" }
            input #url.wide type="text" name="url" value=(wanted) placeholder="https://www.example.org/";
            label for="at" { "Time" }
            input #at type="text" name="at" value=(at) inputmode="numeric" placeholder="20261116" size="16";
            button { "Show" }
        }
        @if wanted.is_empty() {
            section.empty {
                h2 { "Which page?" }
                p { "Type an address, choose one from " a href={ "/crawls/" (seen.id) "/fetched" } { "what was fetched" } ", or " a href={ "/crawls/" (seen.id) "/search" } { "search" } "." }
            }
        } @else {
            (looked.banner())
            @if is_absent { (absent(&seen, &explained)) } @else {
                div.sides {
                    (looked.frame())
                    div.beside { (same_as(&seen, &known)) (score(&known)) (writings(&seen, &known)) }
                }
            }
            div.why { @if !explained.decisions.is_empty() {
                section #why {
                    h2 { @if is_absent { "Why it is not here" } @else { "Why it is here" } }
                    ol { @for decision in &explained.decisions { li { (words::with_dates(decision)) } } }
                }
            } }
        }
    };
    Ok(layout::crawl_page(&seen, "/page", &body).into_response())
}

/// Where there is no capture to show: what was decided about the address is told below.
fn absent(seen: &Seen, explained: &Explanation) -> Markup {
    html! {
        section.empty {
            h2 { "There is no capture of this address" }
            @if !explained.decisions.is_empty() { p { a href="#why" { "Why it is not here" } } }
            @else if seen.status.state == "new" { p { "The crawl has not been started." } }
        }
    }
}

/// Where its content was kept with another address, what is told of it was read there.
fn same_as(seen: &Seen, known: &Known) -> Markup {
    html! {
        @if let Some((url, at)) = &known.same_as {
            @let query = form_urlencoded::Serializer::new(String::new()).extend_pairs([("url", url), ("at", at)]).finish();
            section { h2 { "Seen before" } p { "Its content is that of " a.url href={ "/crawls/" (seen.id) "/page?" (query) } { (url) } ", which was captured first: what stands here was read there." } }
        }
    }
}

fn score(known: &Known) -> Markup {
    let relevance = known.entries.first().and_then(|page| page.relevance);
    html! {
        @if let Some(relevance) = relevance {
            section {
                h2 { "Score " (format!("{relevance:.2}")) }
                p.hint { "How relevant the crawl found the page, from 0 to 1; from one half on it counts as relevant." }
                @if let Some(judged) = &known.judged {
                    @if judged.words.is_empty() && judged.names.is_empty() { p.hint { "It has no word of the topic." } } @else {
                        p.hint { "Words of the topic on it, by what they add" }
                        ul.weighed { @for word in judged.words.iter().take(MOST_WORDS) {
                            li { span { (word.word) @if word.times > 1 { span.rest { " × " (word.times) } } } span.number { (format!("{:+.3}", word.part)) } } } }
                        @for (name, times) in judged.names.iter().take(MOST_WORDS) { p { "Names " (name) span.rest { " × " (times) } } }
                    }
                    @if let Some(timed) = &judged.timed { p.hint { "By what it says alone " (format!("{:.2}", timed.content)) @if let Some((time, worth)) = timed.time { "; its time, " (time.at.day()) ", is worth " (format!("{worth:.2}")) } } }
                }
            }
        }
    }
}

fn writings(seen: &Seen, known: &Known) -> Markup {
    let entries = &known.entries;
    let is_read = matches!(known.freshness, Some(Ok("current")));
    let written = entries.get(1..).unwrap_or_default();
    html! {
        @if !written.is_empty() {
            section {
                h2 { "Written on it: " (words::count(written.len() as u64)) }
                ul.posts { @for one in written { li {
                    p.about { strong { (one.author.as_deref().unwrap_or("somebody")) } " · " (one.kind)
                        @if let Some(published) = &one.published { " · " (published.get(..10).unwrap_or(published)) }
                        @if let Some(sentiment) = one.annotations.sentiment { " · mood " (format!("{sentiment:+.2}")) " of ±1" } }
                    @if let Some(title) = &one.title { p { strong { (title) } } }
                    p { (passage(&one.text)) }
                } } }
            }
        } @else if let Some(page) = entries.first() {
            section {
                h2 { "Read from it" }
                dl {
                    @if let Some(title) = &page.title { dt { "Title" } dd { (title) } }
                    @if let Some(published) = &page.published { dt { "Published" } dd { (published) } }
                    @if let Some(language) = &page.language { dt { "Language" } dd { (language) } }
                    @if let Some(application) = &page.application { dt { "Software" } dd { (application) } }
                }
                p { (passage(&page.text)) }
            }
        } @else if is_read {
            section { h2 { "Nothing is read of it" } p.hint { "All that was captured has been read. Of redirects, of errors and of pages without words nothing is kept but the capture." } }
        } @else {
            section { h2 { "Nothing is known of it yet" } p.hint { "What was captured is read some seconds later" @if seen.is_running { ", while the crawl goes on" } "." } }
        }
    }
}

fn passage(text: &str) -> String {
    match text.char_indices().nth(PASSAGE) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use annalist_crawl::status::Status;

    use super::writings;
    use crate::page::Known;
    use crate::service::Seen;
    use crate::wanted::Wanted;

    #[test]
    fn of_a_capture_without_words_it_is_not_said_that_it_will_be_read() {
        let (id, name, status) = ("x".to_owned(), "X".to_owned(), Status::default());
        let seen = Seen { id, name, status, is_running: false, wanted: Wanted::default(), awaits: None };
        let told = |word| {
            let known = Known { freshness: Some(Ok(word)), ..Known::default() };
            writings(&seen, &known).into_string()
        };
        assert!(told("current").contains("Nothing is read of it"));
        assert!(told("growing").contains("Nothing is known of it yet"));
    }
}
