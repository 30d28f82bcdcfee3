//! The CDX API: which captures there are, in pywb's words. Also the list of captures of one address that the cockpit draws.

use std::io;

use annalist_warc::{CdxLine, millis_of_digits, rfc3339, surt_key};
use regex::Regex;
use serde_json::{Map, Value, json};
use url::form_urlencoded;

use crate::asked::Answer;
use crate::captures::Captures;
use crate::memento::{LINK_FORMAT, Links};
use crate::target::{Kind, moment};

/// Lines of one answer, as in pywb, and the most there can be.
const MOST_LINES: usize = 100_000;
const REVISIT: &str = "warc/revisit";
const FIELDS: [&str; 9] =
    ["urlkey", "timestamp", "url", "mime", "status", "digest", "length", "offset", "filename"];

/// What is asked, checked.
#[derive(Debug)]
struct Query {
    url: String,
    /// Lines that begin with one of these.
    starts: Vec<String>,
    from: Option<String>,
    to: Option<String>,
    filters: Vec<Filter>,
    limit: usize,
    order: Order,
    output: Output,
    fields: Option<Vec<String>>,
    /// How many pages the answer has, instead of the answer: one always.
    asks_for_pages: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Order {
    Forward,
    Reverse,
    /// Nearest to a moment first.
    Closest(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Output {
    Cdxj,
    Json,
    Text,
    Link,
}

#[derive(Debug)]
struct Filter {
    is_inverted: bool,
    field: Option<String>,
    matches: Matches,
}

#[derive(Debug)]
enum Matches {
    Contains(String),
    Exactly(String),
    Expression(Box<Regex>),
}

/// Answers a question to the CDX API.
pub(crate) fn answer(captures: &Captures, prefix: &str, query: &str) -> io::Result<Answer> {
    let query = match Query::parse(query) {
        Ok(query) => query.spelled(captures)?,
        Err(message) => {
            return Ok(Answer::new(400, "application/json", json!({ "message": message }).to_string()));
        }
    };
    if query.asks_for_pages {
        let pages = json!({ "blocks": 1, "pages": 1, "pageSize": 1 }).to_string();
        let (media, text) = match query.output {
            Output::Json => ("application/json", pages),
            _ => ("text/plain; charset=utf-8", "1".to_owned()),
        };
        return Ok(Answer::new(200, media, format!("{text}\n")));
    }
    let lines = query.lines(captures)?;
    let (media, text) = match query.output {
        Output::Cdxj => ("text/x-cdxj", lines.iter().map(|line| query.cdxj(line)).collect::<String>()),
        Output::Json => ("text/x-ndjson", lines.iter().map(|line| query.json(line)).collect()),
        Output::Text => ("text/plain; charset=utf-8", lines.iter().map(|line| query.text(line)).collect()),
        Output::Link => (LINK_FORMAT, Links { prefix, url: &query.url }.map(&lines)),
    };
    Ok(Answer::new(200, media, text))
}

/// All captures of an address with time and status, for a time line.
pub(crate) fn captures_of(captures: &Captures, prefix: &str, query: &str) -> io::Result<Answer> {
    let url = form_urlencoded::parse(query.as_bytes())
        .find(|(name, _)| name == "url")
        .map(|(_, url)| url.into_owned());
    let Some(url) = url.filter(|url| !url.is_empty()) else {
        return Ok(Answer::new(400, "application/json", json!({ "message": NO_URL }).to_string()));
    };
    let all = captures.of_url(&url)?;
    let links = Links { prefix, url: &url };
    let listed: Vec<Value> = all
        .iter()
        .map(|line| {
            let is_revisit = line.mime == REVISIT;
            // What a revisit found unchanged.
            let original =
                all.iter().find(|other| is_revisit && other.mime != REVISIT && other.digest == line.digest);
            let told = original.unwrap_or(line);
            // Indexes of others, and older ones, tell no status of revisits.
            let status = line.status.as_ref().or(told.status.as_ref());
            json!({
                "timestamp": line.timestamp,
                "time": millis_of_digits(&line.timestamp).map(rfc3339),
                "url": line.url,
                "status": status.and_then(|status| status.parse::<u16>().ok()),
                "mime": told.mime,
                "digest": line.digest,
                "length": line.length,
                "revisit": is_revisit,
                "replay": links.memento(line, Kind::Page),
            })
        })
        .collect();
    Ok(Answer::new(200, "application/json", json!({ "url": url, "captures": listed }).to_string()))
}

const NO_URL: &str =
    "the parameter url is missing: say which address is asked for, as in cdx?url=example.org";

impl Query {
    fn parse(query: &str) -> Result<Query, String> {
        let pairs: Vec<(String, String)> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let get = |name: &str| {
            pairs.iter().find(|(n, v)| n == name && !v.is_empty()).map(|(_, value)| value.as_str())
        };
        let mut url = get("url").ok_or(NO_URL)?;
        let scope = match get("matchType") {
            Some(scope) => scope,
            None if url.starts_with("*.") => {
                url = &url[2..];
                "domain"
            }
            None if url.ends_with('*') => {
                url = url.trim_end_matches('*');
                "prefix"
            }
            None => "exact",
        };
        let timestamp = |name: &str| match get(name) {
            Some(text) if text.len() > 17 || !text.bytes().all(|b| b.is_ascii_digit()) => {
                Err(format!("{name}={text} is no timestamp: write digits, from a year on, as in 20200131"))
            }
            found => Ok(found.map(str::to_owned)),
        };
        let closest = timestamp("closest")?.as_deref().and_then(moment);
        let order = match (closest, get("sort"), get("reverse")) {
            (Some(closest), ..) => Order::Closest(closest),
            (_, Some("reverse"), _) | (_, _, Some("1" | "true")) => Order::Reverse,
            _ => Order::Forward,
        };
        let limit = match get("limit") {
            Some(limit) => limit.parse().map_err(|_| format!("limit={limit} is no number"))?,
            None => MOST_LINES,
        };
        let output = match get("output") {
            None | Some("cdxj") => Output::Cdxj,
            Some("json") => Output::Json,
            Some("text") => Output::Text,
            Some("link") => Output::Link,
            Some(other) => {
                return Err(format!("output={other} is not known: write json, cdxj, text or link"));
            }
        };
        if let Some(page) = get("page").filter(|page| page.parse() != Ok(0)) {
            return Err(format!("page={page} is not there: every answer is one page, which is page 0"));
        }
        let filters =
            pairs.iter().filter(|(name, _)| name == "filter").map(|(_, filter)| Filter::parse(filter));
        let fields = match (get("fl"), get("fields")) {
            (Some(names), _) => Some(fields_of("fl", names)?),
            (None, Some(names)) => Some(fields_of("fields", names)?),
            (None, None) => None,
        };
        Ok(Query {
            url: url.to_owned(),
            starts: starts(url, scope)?,
            from: timestamp("from")?,
            // All of the year, month or day that is named.
            to: timestamp("to")?.map(|to| format!("{to:9<14}")),
            filters: filters.collect::<Result<_, _>>()?,
            limit: limit.min(MOST_LINES),
            order,
            output,
            fields,
            asks_for_pages: matches!(get("showNumPages"), Some("1" | "true")),
        })
    }

    /// One address is listed as the crawl spelled it; of many, those are meant that begin as was written.
    fn spelled(self, captures: &Captures) -> io::Result<Query> {
        let is_one = self.starts.iter().any(|start| start.ends_with(' '));
        let starts = if is_one { vec![format!("{} ", captures.key_of(&self.url)?)] } else { self.starts };
        Ok(Query { starts, ..self })
    }

    fn lines(&self, captures: &Captures) -> io::Result<Vec<CdxLine>> {
        let mut found = Vec::new();
        for start in &self.starts {
            captures.starting_with(start, &mut |line| {
                if self.wants(&line) {
                    found.push(line);
                }
                // Enough to forget some of them.
                if found.len() >= 2 * self.limit.max(1_000) {
                    self.settle(&mut found);
                }
            })?;
        }
        self.settle(&mut found);
        Ok(found)
    }

    /// Puts lines in order and forgets those beyond the limit.
    fn settle(&self, found: &mut Vec<CdxLine>) {
        let place = |line: &CdxLine| {
            (line.key.clone(), line.timestamp.clone(), line.url.clone(), line.filename.clone(), line.offset)
        };
        found.sort_by_cached_key(place);
        match self.order {
            Order::Forward => {}
            Order::Reverse => found.reverse(),
            Order::Closest(moment) => {
                found.sort_by_key(|line| {
                    millis_of_digits(&line.timestamp).map_or(u64::MAX, |at| at.abs_diff(moment))
                });
            }
        }
        found.truncate(self.limit);
    }

    fn wants(&self, line: &CdxLine) -> bool {
        self.from.as_ref().is_none_or(|from| line.timestamp >= *from)
            && self.to.as_ref().is_none_or(|to| line.timestamp <= *to)
            && self.filters.iter().all(|filter| filter.passes(line))
    }

    fn cdxj(&self, line: &CdxLine) -> String {
        match &self.fields {
            None => format!("{line}\n"),
            Some(fields) => format!("{} {} {}\n", line.key, line.timestamp, object(line, Some(fields))),
        }
    }

    fn json(&self, line: &CdxLine) -> String {
        format!("{}\n", object(line, self.fields.as_deref()))
    }

    fn text(&self, line: &CdxLine) -> String {
        let value = |name: &str| field(line, name).unwrap_or_else(|| "-".to_owned());
        let values: Vec<String> = match &self.fields {
            None => FIELDS.iter().map(|name| value(name)).collect(),
            Some(fields) => fields.iter().map(|name| value(name)).collect(),
        };
        values.join(" ") + "\n"
    }
}

/// The beginnings of the lines that an address stands for.
fn starts(url: &str, scope: &str) -> Result<Vec<String>, String> {
    let key = surt_key(url);
    let host = key.split(")/").next().unwrap_or_default();
    match scope {
        "exact" => Ok(vec![format!("{key} ")]),
        "prefix" => {
            let end = url.chars().last().filter(|last| matches!(last, '/' | '?') && !key.ends_with(*last));
            Ok(vec![format!("{key}{}", end.map(String::from).unwrap_or_default())])
        }
        "host" => Ok(vec![format!("{host})/")]),
        "domain" if !host.contains(',') => Ok(vec![format!("{},", host.trim_end_matches(')'))]),
        "domain" => Ok(vec![format!("{host})/"), format!("{host},")]),
        other => Err(format!("matchType={other} is not known: write exact, prefix, host or domain")),
    }
}

fn object(line: &CdxLine, fields: Option<&[String]>) -> Value {
    let mut object = Map::new();
    let mut add = |name: &str| {
        if let Some(value) = field(line, name) {
            object.insert(name.to_owned(), Value::String(value));
        }
    };
    match fields {
        Some(fields) => fields.iter().for_each(|name| add(name)),
        None => FIELDS.iter().for_each(|name| add(name)),
    }
    Value::Object(object)
}

/// The fields that a parameter lists.
fn fields_of(parameter: &str, names: &str) -> Result<Vec<String>, String> {
    names.split(',').map(|name| known(parameter, name.trim())).collect()
}

/// The name that a field has here, of those it has elsewhere.
fn known(parameter: &str, name: &str) -> Result<String, String> {
    let own = match name {
        "original" | "u" => "url",
        "mimetype" | "m" => "mime",
        "statuscode" | "s" => "status",
        "d" => "digest",
        "t" => "timestamp",
        "k" => "urlkey",
        other => other,
    };
    match FIELDS.contains(&own) {
        true => Ok(own.to_owned()),
        false => Err(format!("{parameter}: no field is called {name}; there are {}", FIELDS.join(", "))),
    }
}

fn field(line: &CdxLine, name: &str) -> Option<String> {
    match name {
        "urlkey" => Some(line.key.clone()),
        "timestamp" => Some(line.timestamp.clone()),
        "url" => Some(line.url.clone()),
        "mime" => Some(line.mime.clone()),
        "status" => line.status.clone(),
        "digest" => line.digest.clone(),
        "length" => Some(line.length.to_string()),
        "offset" => Some(line.offset.to_string()),
        "filename" => Some(line.filename.clone()),
        _ => None,
    }
}

impl Filter {
    fn parse(text: &str) -> Result<Filter, String> {
        let (is_inverted, text) = text.strip_prefix('!').map_or((false, text), |text| (true, text));
        let (how, rest) = match text.chars().next() {
            Some(how @ ('=' | '~')) => (how, &text[1..]),
            _ => (' ', text),
        };
        let (field, sought) = match rest.split_once(':') {
            Some((name, sought)) => (Some(known("filter", name)?), sought),
            None => (None, rest),
        };
        let matches = match how {
            '=' => Matches::Exactly(sought.to_owned()),
            '~' => {
                // From the beginning of the value on, as in pywb.
                let expression =
                    Regex::new(&format!("^(?:{sought})")).map_err(|e| format!("filter={text}: {e}"))?;
                Matches::Expression(Box::new(expression))
            }
            _ => Matches::Contains(sought.to_owned()),
        };
        Ok(Filter { is_inverted, field, matches })
    }

    fn passes(&self, line: &CdxLine) -> bool {
        let value = match &self.field {
            Some(name) => field(line, name).unwrap_or_default(),
            None => line.to_string(),
        };
        let passes = match &self.matches {
            Matches::Contains(sought) => value.contains(sought),
            Matches::Exactly(sought) => value == *sought,
            Matches::Expression(expression) => expression.is_match(&value),
        };
        passes != self.is_inverted
    }
}
