//! What is known of a crawl, asked in SPARQL (the SPARQL 1.1 protocol): by parameter, form or body, answered in the format that
//! is asked for, within limits. An answer is sent as it is found, once it is longer than some; who goes away ends it.

mod format;
mod sending;

use axum::body::{Body, Bytes};
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use std::time::Duration;

use annalist_knowledge::graph::QueryError;
pub use format::Wish;
pub use sending::{Abandoned, limits};

use super::crawls::blocking;
use super::reading::Place;
use crate::problem::Problem;
use crate::serve::App;

const MOST_SECONDS: u64 = 300;

/// A question as it came.
#[derive(Debug, Default)]
struct Asked {
    sparql: Option<String>,
    format: Option<String>,
    seconds: Option<u64>,
}

impl Asked {
    fn take(&mut self, pairs: &[u8]) -> Result<(), Problem> {
        for (name, value) in form_urlencoded::parse(pairs) {
            match &*name {
                "query" if self.sparql.is_some() => return Err(Problem::field("query", "one is answered")),
                "query" => self.sparql = Some(value.into_owned()),
                "format" => self.format = Some(value.into_owned()),
                "timeout" => {
                    let seconds = value.parse().ok().filter(|seconds| (1..=MOST_SECONDS).contains(seconds));
                    let wrong = || Problem::field("timeout", format!("seconds, 1 to {MOST_SECONDS}"));
                    self.seconds = Some(seconds.ok_or_else(wrong)?);
                }
                "update" => return Err(reads_only()),
                "default-graph-uri" | "named-graph-uri" => {
                    return Err(Problem::field(&*name, "name graphs in the query itself, with FROM"));
                }
                name => return Err(Problem::field(name, "there is no such parameter")),
            }
        }
        Ok(())
    }
}

fn reads_only() -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, "what is known is only read here: there are no updates")
}

/// Asks what is known of a crawl (docs/query.md has examples, docs/vocabulary.md the words).
///
/// Rows come as JSON, XML, CSV or TSV, statements as Turtle or N-Triples, as `Accept` says. The header `annalist-freshness`
/// tells how the answer stands to the archive, as in a search.
#[utoipa::path(get, path = "/api/crawls/{id}/sparql", params(("id" = String, Path),
    ("query" = String, Query, description = "SPARQL 1.1; nothing is changed by it"),
    ("format" = Option<String>, Query, description = "json, xml, csv, tsv; ttl, nt for statements; where Accept cannot be set"),
    ("timeout" = Option<u64>, Query, description = "Seconds that it may take, 1 to 300; 30 where nothing is said")),
    responses((status = 200, description = "The answer", content((Object = "application/sparql-results+json"),
        (String = "application/sparql-results+xml"), (String = "text/csv"), (String = "text/tab-separated-values"),
        (String = "text/turtle"), (String = "application/n-triples"))),
        (status = 400, body = Problem), (status = 404, body = Problem), (status = 406, body = Problem),
        (status = 422, body = Problem), (status = 503, body = Problem)))]
pub async fn ask(
    State(app): State<App>,
    Place(id): Place<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let mut asked = Asked::default();
    asked.take(query.unwrap_or_default().as_bytes())?;
    answer(app, id, asked, &headers).await
}

/// The same with the question in the body, as a form or as it is.
#[utoipa::path(post, path = "/api/crawls/{id}/sparql", params(("id" = String, Path)),
    request_body(content((String = "application/sparql-query"), (Object = "application/x-www-form-urlencoded"))),
    responses((status = 200, description = "The answer", content((Object = "application/sparql-results+json"),
        (String = "application/sparql-results+xml"), (String = "text/csv"), (String = "text/tab-separated-values"),
        (String = "text/turtle"), (String = "application/n-triples"))),
        (status = 400, body = Problem), (status = 404, body = Problem), (status = 406, body = Problem),
        (status = 415, body = Problem), (status = 422, body = Problem), (status = 503, body = Problem)))]
pub async fn ask_by_post(
    State(app): State<App>,
    Place(id): Place<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let mut asked = Asked::default();
    asked.take(query.unwrap_or_default().as_bytes())?;
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    match kind.split(';').next().unwrap_or_default().trim() {
        "application/x-www-form-urlencoded" => asked.take(&body)?,
        "application/sparql-query" => {
            let text = String::from_utf8(body.to_vec());
            asked.sparql = Some(text.map_err(|_| Problem::field("body", "a query is written in UTF-8"))?);
        }
        "application/sparql-update" => return Err(reads_only()),
        _ => {
            let why = "send the query as application/sparql-query, or as the field `query` of a form";
            return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, why));
        }
    }
    answer(app, id, asked, &headers).await
}

async fn answer(app: App, id: String, asked: Asked, headers: &HeaderMap) -> Result<Response, Problem> {
    let asked_for = asked.sparql.filter(|sparql| !sparql.trim().is_empty());
    let Some(sparql) = asked_for else { return Err(Problem::field("query", "what is asked?")) };
    let wish = Wish::read(asked.format.as_deref(), headers)?;
    let turn = app.knowledge.turn().await?;
    let opened = blocking(move || app.knowledge.graph(&id)).await?;
    let time = asked.seconds.map(Duration::from_secs);
    let abandoned = Abandoned::default();
    let begun = sending::begin(opened.store, sparql, wish, limits(time), &abandoned, turn);
    let answer = begun.await.unwrap_or_else(|fault| Err(Problem::internal("the query failed", &fault)))?;
    let body = match answer.content {
        sending::Content::Whole(bytes) => Body::from(bytes),
        sending::Content::Flowing(flow) => sending::flowing(flow, abandoned),
    };
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(answer.media_type));
    headers.insert(header::VARY, HeaderValue::from_static("accept"));
    headers.insert("annalist-freshness", HeaderValue::from_static(opened.freshness.word()));
    Ok(response)
}

impl From<QueryError> for Problem {
    fn from(fault: QueryError) -> Problem {
        let narrower = "a narrower question may help, such as one with LIMIT";
        match fault {
            QueryError::Syntax(_) => Problem::field("query", fault.to_string()),
            QueryError::Refused(why) => Problem::new(StatusCode::BAD_REQUEST, why),
            QueryError::Time(time) => {
                let why = format!("not answered within {} s: {narrower}", time.as_secs_f64());
                Problem::new(StatusCode::UNPROCESSABLE_ENTITY, why)
            }
            QueryError::Memory(bytes) => {
                let why = format!("the answer takes more memory than {} MB: {narrower}", bytes >> 20);
                Problem::new(StatusCode::UNPROCESSABLE_ENTITY, why)
            }
            QueryError::Evaluation(why) => Problem::new(StatusCode::UNPROCESSABLE_ENTITY, why),
            other => Problem::internal("the query failed", &other),
        }
    }
}
