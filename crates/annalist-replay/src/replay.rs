//! One request, one answer: the whole of replay in the order it happens.

use std::io;
use std::path::Path;

use annalist_model::Canonicaliser;
use annalist_read::{charset, mime};
use annalist_warc::{CdxLine, ContentCoding, millis_of_digits};
use lol_html::AsciiCompatibleEncoding;
use url::Url;

use crate::asked::{Answer, Asked, Body, Method};
use crate::captures::Captures;
use crate::declared::{Declared, is_xml};
use crate::memento::{LINK_FORMAT, Links, http_date, millis_of_http_date};
use crate::range::Range;
use crate::record::{Capture, Unreadable};
use crate::rewrite::{self, Rewriting, Rewritten};
use crate::stream::{Coding, Form, Stream};
use crate::target::{Kind, Target, asked_url, moment};
use crate::{cdx, page};

/// What is looked at to see how a text is written.
const LOOK_BYTES: u64 = 8192;
/// Longer headers, and more of them, are not passed on: nobody would take them.
const MOST_VALUE_BYTES: usize = 4096;
const MOST_HEADER_BYTES: usize = 32 << 10;
/// Of the connection that is gone.
const HOP_BY_HOP: [&str; 9] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Shows the captures of one job. Shared by all who ask; reads files and never writes any.
#[derive(Debug)]
pub struct Replay {
    captures: Captures,
    framed_by: Vec<String>,
}

/// When an address was captured, and what the server said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Fourteen digits.
    pub timestamp: String,
    /// As it was captured; others that are read as the same may be asked for.
    pub url: String,
    pub status: Option<String>,
}

/// Which of them is shown, and as what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    pub place: usize,
    /// `text/html`; empty where its record cannot be read.
    pub media: String,
    /// As the frame is answered; of a record that cannot be read what the index says, or nothing.
    pub status: String,
    /// Of a revisit: address and time of the capture that has its content.
    pub original: Option<(String, String)>,
}

/// The captures of one address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// Oldest first.
    pub captures: Vec<Moment>,
    pub shown: Option<Shown>,
}

impl Replay {
    /// Of a job directory, be it crawled just now or not, or of a folder of WARC files. Pages of the origins `framed_by` may show
    /// captures in frames. `spelling`: by which rules the crawl spelled the addresses it asked for; links hold them as they were
    /// written.
    pub fn open(job: &Path, framed_by: &[&str], spelling: Canonicaliser) -> io::Result<Replay> {
        let framed_by = framed_by.iter().map(|origin| (*origin).to_owned()).collect();
        Ok(Replay { captures: Captures::open(job, spelling)?, framed_by })
    }

    /// Reads files: not for threads that run tasks.
    pub fn answer(&self, asked: &Asked<'_>) -> Answer {
        let mut answer = self.answered(asked).unwrap_or_else(|e| {
            let why = format!("The archive cannot be read: {}", crate::wall::escape(&e.to_string()));
            page::page(500, "Archive not readable", &[why])
        });
        answer.wall(&self.framed_by);
        if asked.method == Method::Head {
            answer.body = Body::Bytes(Vec::new());
        }
        answer
    }

    fn answered(&self, asked: &Asked<'_>) -> io::Result<Answer> {
        if asked.method == Method::Other {
            return Ok(page::only_looked_at());
        }
        match Target::parse(asked.target) {
            Target::Capture { timestamp, kind, url } => self.capture(asked, timestamp, kind, &url),
            Target::TimeGate { url } => self.timegate(asked, &url),
            Target::TimeMap { url } => self.timemap(asked.prefix, &url),
            Target::Cdx { query } => cdx::answer(&self.captures, asked.prefix, query),
            Target::Captures { query } => cdx::captures_of(&self.captures, asked.prefix, query),
            Target::Nothing => {
                let how =
                    format!("Write an address behind <code>{}</code>.", crate::wall::escape(asked.prefix));
                Ok(page::page(404, "No address", &[how]))
            }
        }
    }

    fn timemap(&self, prefix: &str, url: &str) -> io::Result<Answer> {
        let all = self.captures.of_url(url)?;
        if all.is_empty() {
            return self.missing(prefix, url, Kind::Page);
        }
        Ok(Answer::new(200, LINK_FORMAT, Links { prefix, url }.map(&all)))
    }

    /// Which capture of an address is the one: settled by time.
    fn timegate(&self, asked: &Asked<'_>, url: &str) -> io::Result<Answer> {
        let all = self.captures.of_url(url)?;
        let links = Links { prefix: asked.prefix, url };
        let moment = match asked.accept_datetime.map(millis_of_http_date) {
            Some(None) => {
                let how = "Accept-Datetime is no date of HTTP, as <code>Tue, 20 Jun 2000 18:02:59 GMT</code> is one.";
                return Ok(page::page(400, "Date not understood", &[how.to_owned()]));
            }
            moment => moment.flatten(),
        };
        let mut answer = match nearest(&all, url, moment).first() {
            Some(line) => redirect(&links.memento(line, Kind::Page)),
            None => self.missing(asked.prefix, url, Kind::Page)?,
        };
        answer.push("Vary", "accept-datetime");
        answer.push("Link", &links.header(&all, None));
        Ok(answer)
    }

    /// The captures of an address, be it as people type it, oldest first, and which of them is shown for a moment: the digits of a
    /// time, or some of them; the newest where nothing is said. Reads files.
    pub fn listed(&self, url: &str, timestamp: Option<&str>) -> io::Result<Listed> {
        let url = &asked_url(url.trim());
        let all = self.captures.of_url(url)?;
        let chosen = self.chosen(&all, url, timestamp.and_then(moment));
        let shown = chosen.map(|(line, capture)| {
            let place = all.iter().position(|one| one == line).unwrap_or_default();
            match capture {
                Ok(capture) => {
                    let (media, status) = (media_of(&capture), capture.status.to_string());
                    Shown { place, media, status, original: capture.original }
                }
                Err(_) => {
                    let status = line.status.clone().unwrap_or_default();
                    Shown { place, media: String::new(), status, original: None }
                }
            }
        });
        let captures = all.into_iter().map(|line| Moment {
            timestamp: line.timestamp,
            url: line.url,
            status: line.status,
        });
        Ok(Listed { captures: captures.collect(), shown })
    }

    /// The capture that comes into question first, with its record.
    fn chosen<'a>(
        &self,
        all: &'a [CdxLine],
        url: &str,
        moment: Option<u64>,
    ) -> Option<(&'a CdxLine, Result<Capture, Unreadable>)> {
        nearest(all, url, moment)
            .into_iter()
            .map(|line| (line, Capture::open(&self.captures, line)))
            // The way from http to https, say, when only its beginning was archived: it would lead in a circle.
            .find(|(line, capture)| {
                !capture.as_ref().is_ok_and(|capture| self.leads_back(capture, line, url))
            })
    }

    /// Whether a capture leads to the address itself, or to one that is only kept as this one: with a session, say.
    fn leads_back(&self, capture: &Capture, line: &CdxLine, url: &str) -> bool {
        let Some(target) = capture.leads_to(line) else { return false };
        let Ok(mut own) = Url::parse(url) else { return false };
        own.set_fragment(None);
        let spelled = |url: &Url| self.captures.spelled(url.as_str());
        let is_kept = || {
            let lines = self.captures.of_url(target.as_str()).unwrap_or_default();
            lines.iter().any(|line| Url::parse(&line.url).is_ok_and(|url| url == target))
        };
        target == own || (spelled(&target) == spelled(&own) && !is_kept())
    }

    fn capture(
        &self,
        asked: &Asked<'_>,
        timestamp: Option<&str>,
        kind: Kind,
        url: &str,
    ) -> io::Result<Answer> {
        let all = self.captures.of_url(url)?;
        let links = Links { prefix: asked.prefix, url };
        let moment = timestamp.and_then(moment);
        let Some((line, capture)) = self.chosen(&all, url, moment) else {
            return self.missing(asked.prefix, url, kind);
        };
        let is_exact = timestamp == Some(line.timestamp.as_str());
        let mut answer = match capture {
            Err(why) => page::unreadable(asked.prefix, line, &why.to_string(), &all),
            Ok(capture) if is_exact || kind.is_embedded() => {
                let mut answer = shown(asked, line, kind, capture).unwrap_or_else(|fault| {
                    let why = Unreadable::damaged(line, fault.to_string());
                    page::unreadable(asked.prefix, line, &why.to_string(), &all)
                });
                if !is_exact {
                    answer.push("Content-Location", &links.memento(line, kind));
                }
                answer.push("Memento-Datetime", &http_date(&line.timestamp).unwrap_or_default());
                answer
            }
            Ok(_) => redirect(&links.memento(line, kind)),
        };
        answer.push("Link", &links.header(&all, Some(line)));
        Ok(answer)
    }

    /// Says what there is of the addresses above one that is not there.
    fn missing(&self, prefix: &str, url: &str, kind: Kind) -> io::Result<Answer> {
        let mut near = Vec::new();
        if !kind.is_embedded()
            && let Ok(mut above) = Url::parse(url)
        {
            above.set_query(None);
            above.set_fragment(None);
            while near.is_empty() && above.path().len() > 1 {
                let path = above.path().trim_end_matches('/');
                let path = path[..path.rfind('/').map_or(0, |end| end + 1)].to_owned();
                above.set_path(&path);
                near.extend(self.captures.of_url(above.as_str())?.into_iter().next_back());
            }
        }
        Ok(page::missing(prefix, url, &near))
    }
}

impl Capture {
    /// Where a redirect leads to.
    fn leads_to(&self, line: &CdxLine) -> Option<Url> {
        let location = self.field("location").filter(|_| (300..400).contains(&self.status))?;
        let mut target = Url::parse(&line.url).and_then(|base| base.join(location.trim())).ok()?;
        target.set_fragment(None);
        Some(target)
    }
}

/// Captures in the order in which they come into question: of the very address before others that are listed with it, and
/// the nearest in time first; without a time the newest.
fn nearest<'a>(all: &'a [CdxLine], url: &str, moment: Option<u64>) -> Vec<&'a CdxLine> {
    let sought = Url::parse(url).ok();
    let mut lines: Vec<&CdxLine> = all.iter().collect();
    lines.sort_by_cached_key(|line| {
        let is_other = line.url != url && (sought.is_none() || Url::parse(&line.url).ok() != sought);
        let at = millis_of_digits(&line.timestamp).unwrap_or_default();
        let distance = moment.map_or(u64::MAX - at, |moment| at.abs_diff(moment));
        (is_other, distance)
    });
    lines
}

fn redirect(to: &str) -> Answer {
    let mut answer = Answer::new(302, "text/plain; charset=utf-8", "");
    answer.push("Location", to);
    answer
}

fn shown(asked: &Asked<'_>, line: &CdxLine, kind: Kind, capture: Capture) -> io::Result<Answer> {
    let mut answer = Answer { status: capture.status, headers: Vec::new(), body: Body::Bytes(Vec::new()) };
    let rewriting = Rewriting::new(asked.prefix, &line.timestamp, &line.url);
    let rewriting = if kind.is_embedded() { rewriting.framed() } else { rewriting };
    pass_on(&capture, &rewriting, kind, &mut answer);
    if let Some(reason) = &capture.truncated {
        answer.push("X-Archive-Truncated", reason);
    }
    if matches!(capture.status, 204 | 205 | 304) {
        return Ok(answer);
    }
    let (form, content_type) = form_of(&capture, kind, rewriting);
    if let Some(content_type) = content_type {
        answer.push("Content-Type", &content_type);
    }
    if let Form::Html(rewriting) = &form
        && answer.header("Refresh").is_none()
        && let Some(refresh) = rewriting.refresh_in(&capture.body.beginning(LOOK_BYTES))
        && refresh.len() <= MOST_VALUE_BYTES
    {
        answer.push("Refresh", &refresh);
    }
    let is_coded = capture.body.coding != Some(ContentCoding::Identity);
    let form = match form {
        Form::Whole(coding) => {
            let named = capture.field("content-encoding").filter(|_| is_coded && coding == Coding::Kept);
            if let Some(named) = named {
                answer.push("Content-Encoding", named);
            }
            part_of(asked, &capture, coding, &mut answer)?
        }
        rewritten => rewritten,
    };
    if answer.status != 304 && answer.status != 416 {
        answer.body = Body::Stream(Box::new(Stream { body: capture.body, form }));
    }
    Ok(answer)
}

/// As it is, or that part of it that is asked for.
fn part_of(asked: &Asked<'_>, capture: &Capture, coding: Coding, answer: &mut Answer) -> io::Result<Form> {
    let whole = Form::Whole(coding);
    let etag = capture.digest.as_ref().map(|digest| format!("\"{digest}\""));
    answer.push("Accept-Ranges", "bytes");
    if let Some(etag) = &etag {
        answer.push("ETag", etag);
        let is_known = |known: &str| known.split(',').any(|one| one.trim().trim_start_matches("W/") == etag);
        if capture.status == 200 && asked.if_none_match.is_some_and(is_known) {
            answer.status = 304;
            return Ok(whole);
        }
    }
    let is_same = asked.if_range.is_none_or(|known| Some(known.trim()) == etag.as_deref());
    let Some(range) = asked.range.filter(|_| is_same && capture.status == 200) else {
        let length = capture.body.told_length(coding);
        push_length(answer, length);
        return Ok(length.map_or(whole, |length| Form::Part { coding, from: 0, length }));
    };
    let Some(total) = capture.body.counted_length(coding)? else { return Ok(whole) };
    match Range::of(range, total) {
        Range::Whole => {
            push_length(answer, Some(total));
            Ok(Form::Part { coding, from: 0, length: total })
        }
        Range::Part { from, length } => {
            answer.status = 206;
            answer.push("Content-Range", &format!("bytes {from}-{}/{total}", from + length - 1));
            push_length(answer, Some(length));
            Ok(Form::Part { coding, from, length })
        }
        Range::Unsatisfiable => {
            answer.status = 416;
            answer.push("Content-Range", &format!("bytes */{total}"));
            push_length(answer, Some(0));
            Ok(whole)
        }
    }
}

fn push_length(answer: &mut Answer, length: Option<u64>) {
    if let Some(length) = length {
        answer.push("Content-Length", &length.to_string());
    }
}

/// What a body is. Browsers do not guess under replay's headers, so it has to be done here.
fn media_of(capture: &Capture) -> String {
    declared_of(capture).map_or_else(
        || mime::detect(None, &capture.body.beginning(LOOK_BYTES)).mime,
        |declared| declared.media,
    )
}

/// What the server called a body, of all that it said, as browsers take it.
fn declared_of(capture: &Capture) -> Option<Declared> {
    let values = capture.fields.iter().filter(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    Declared::of(values.map(|(_, value)| value.as_str()))
}

/// How a body is sent, and what it is called then: by a type that was taken apart and put together again, so that browsers
/// read in it what was read here.
fn form_of(capture: &Capture, kind: Kind, rewriting: Rewriting) -> (Form, Option<String>) {
    let declared = declared_of(capture);
    if kind == Kind::Identity {
        return (Form::Whole(Coding::Kept), declared.map(|declared| declared.header()));
    }
    if capture.body.coding.is_none() {
        // Browsers may know how to unpack what cannot be rewritten here: one coding in another.
        let called = declared.filter(|declared| !declared.is_markup()).map(|declared| declared.header());
        return (
            Form::Whole(Coding::Kept),
            Some(called.unwrap_or_else(|| "application/octet-stream".to_owned())),
        );
    }
    let beginning = || capture.body.beginning(LOOK_BYTES);
    let media = media_of(capture);
    let declared = declared.map_or_else(|| media.clone(), |declared| declared.header());
    let is_html = media == "text/html";
    let is_xml = is_xml(&media);
    let is_page = is_html || matches!(media.as_str(), "application/xhtml+xml" | "image/svg+xml");
    // Old servers called style sheets anything, and browsers took them.
    let is_css = media == "text/css" || (kind == Kind::Style && capture.status == 200 && !is_page);
    if !is_html && !is_xml && !is_css {
        return (Form::Whole(Coding::Removed), Some(declared));
    }
    let text = beginning();
    // The last character may be cut.
    let whole = text.len() - text.iter().rev().take(3).position(|b| *b >= 0xc0).map_or(0, |at| at + 1);
    let read = charset::decode(text.get(..whole).unwrap_or_default(), charset::content_type_label(&declared));
    let encoding = read.encoding;
    let rewriting = rewriting.in_encoding(encoding);
    if is_xml && !is_css {
        // Browsers show a tree of anything else, in which links of other kinds are alive: nobody knows all of them.
        return match is_page || rewrite::is_page(&read.text) {
            true => (Form::Xml(rewriting, encoding), Some(format!("{media}; charset=utf-8"))),
            false => (Form::Whole(Coding::Removed), Some(format!("text/plain; charset={}", encoding.name()))),
        };
    }
    match (is_css, AsciiCompatibleEncoding::new(encoding)) {
        (true, Some(_)) => (
            Form::Css(rewriting, encoding),
            Some(if media == "text/css" { declared } else { "text/css".to_owned() }),
        ),
        (true, None) => (Form::Css(rewriting, encoding), Some("text/css; charset=utf-8".to_owned())),
        (false, Some(_)) => (Form::Html(rewriting), Some(declared)),
        (false, None) => (Form::HtmlFrom(rewriting, encoding), Some(format!("{media}; charset=utf-8"))),
    }
}

/// What the server said. What browsers would act upon is kept under a name of its own, as pywb does.
fn pass_on(capture: &Capture, rewriting: &Rewriting, kind: Kind, answer: &mut Answer) {
    let mut bytes = 0;
    for (name, value) in &capture.fields {
        let lower = name.to_ascii_lowercase();
        bytes += name.len() + value.len();
        if value.len() > MOST_VALUE_BYTES || bytes > MOST_HEADER_BYTES || HOP_BY_HOP.contains(&lower.as_str())
        {
            continue;
        }
        match lower.as_str() {
            "content-disposition" | "content-language" => answer.push(name, value),
            "location" => {
                if let Rewritten::To(to) = rewriting.url(value, kind) {
                    answer.push("Location", &to);
                }
            }
            "refresh" => {
                if let Some(to) = rewriting.refresh(value) {
                    answer.push("Refresh", &to);
                }
            }
            _ => answer.push(&format!("X-Archive-Orig-{name}"), value),
        }
    }
}
