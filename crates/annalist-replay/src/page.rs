//! Pages of replay's own: what to do where there is nothing to show. Plain, escaped, without scripts.

use annalist_warc::CdxLine;

use crate::asked::Answer;
use crate::memento::{Links, http_date};
use crate::target::Kind;
use crate::wall::escape;

const HTML: &str = "text/html; charset=utf-8";

/// A page with a heading and paragraphs of markup.
pub(crate) fn page(status: u16, heading: &str, paragraphs: &[String]) -> Answer {
    let heading = escape(heading);
    let paragraphs: String = paragraphs.iter().map(|text| format!("<p>{text}</p>\n")).collect();
    let text = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{heading}</title>\n\
         <style>body{{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem;color-scheme:light dark}}</style>\n\
         <h1>{heading}</h1>\n{paragraphs}</html>\n"
    );
    Answer::new(status, HTML, text)
}

/// Nothing was captured under an address. `near` are captures of addresses above it.
pub(crate) fn missing(prefix: &str, url: &str, near: &[CdxLine]) -> Answer {
    let mut paragraphs = vec![format!("<code>{}</code> is not in this archive.", escape(url))];
    for line in near {
        paragraphs.push(format!("Nearest above it: {}", linked(prefix, line)));
    }
    if near.is_empty() {
        paragraphs.push("Nothing above it on its site is there either. <code>annalist explain</code> tells whether the crawl knew it and why it was not fetched.".to_owned());
    }
    page(404, "Not archived", &paragraphs)
}

/// Somebody sent a form of an archived page.
pub(crate) fn only_looked_at() -> Answer {
    let told = [
        "An archive is only looked at: what an archived page would send, such as a form, is sent nowhere and kept nowhere.",
        "Go back to see the page again.",
    ];
    let mut answer = page(405, "Nothing was sent", &told.map(str::to_owned));
    answer.push("Allow", "GET, HEAD");
    answer
}

/// It was captured and cannot be shown.
pub(crate) fn unreadable(prefix: &str, line: &CdxLine, why: &str, all: &[CdxLine]) -> Answer {
    let mut paragraphs = vec![
        format!(
            "<code>{}</code> was captured on {}, but it cannot be shown: {}.",
            escape(&line.url),
            date(line),
            escape(why)
        ),
        "<code>annalist verify</code> tells what is wrong with the file.".to_owned(),
    ];
    let others = all.iter().filter(|other| *other != line).rev().take(5);
    paragraphs.extend(others.map(|other| format!("Another capture: {}", linked(prefix, other))));
    page(502, "Capture not readable", &paragraphs)
}

fn linked(prefix: &str, line: &CdxLine) -> String {
    let href = Links { prefix, url: &line.url }.memento(line, Kind::Page);
    format!("<a href=\"{}\">{}</a> ({})", escape(&href), escape(&line.url), date(line))
}

fn date(line: &CdxLine) -> String {
    escape(&http_date(&line.timestamp).unwrap_or_else(|| line.timestamp.clone()))
}
