//! What is known, asked in SPARQL: a box, questions to begin with, a table of what was found.

use annalist_knowledge::graph::{Answer, Datasets, QueryLimits, Question, Told};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use maud::{Markup, html};
use oxrdf::Term;
use serde::Deserialize;
use std::time::Duration;

use super::{Page, layout, search, words};
use crate::deriving::Freshness;
use crate::problem::Problem;
use crate::rest::{Abandoned, Asking, Place, blocking, query_limits};
use crate::serve::App;

/// Rows in a page; all of them are in the files.
const SHOWN: u64 = 200;

/// Questions that every archive has an answer to.
const EXAMPLES: [(&str, &str); 7] = [
    (
        "What kinds of things are known?",
        "SELECT ?type (COUNT(*) AS ?n) {\n  ?thing a ?type\n} GROUP BY ?type ORDER BY DESC(?n)",
    ),
    (
        "Which pages are the newest?",
        "SELECT ?published ?title ?page {\n  ?page a schema:WebPage ; schema:name ?title ; schema:datePublished ?published\n} ORDER BY DESC(?published) LIMIT 50",
    ),
    (
        "Which pages are linked from most others?",
        "SELECT ?page (COUNT(DISTINCT ?from) AS ?n) {\n  ?from dcterms:references ?page\n} GROUP BY ?page ORDER BY DESC(?n) LIMIT 50",
    ),
    (
        "Who wrote most, and when first and last?",
        "SELECT ?name ?site (COUNT(DISTINCT ?post) AS ?posts) (MIN(?date) AS ?first) (MAX(?date) AS ?last) {\n  ?post schema:author ?who .\n  ?who foaf:name ?name ; ann:site ?site .\n  OPTIONAL { ?post schema:datePublished ?date }\n} GROUP BY ?name ?site ORDER BY DESC(?posts) LIMIT 50",
    ),
    (
        "Which pages were found most relevant?",
        "SELECT ?score ?title ?page {\n  ?capture ann:relevance ?score ; prov:specializationOf ?page .\n  ?page schema:name ?title\n} ORDER BY DESC(?score) LIMIT 50",
    ),
    (
        "Who is named most? (after a study)",
        "SELECT ?name ?kind ?writings {\n  ?who schema:name ?name ; ann:writings ?writings ; a ?kind\n  FILTER(?kind IN (schema:Person, schema:Organization, schema:Place))\n} ORDER BY DESC(?writings) LIMIT 50",
    ),
    (
        "What says so? Titles with the capture they come from",
        "SELECT ?title ?page ?file ?offset {\n  GRAPH ?capture { ?page a schema:WebPage ; schema:name ?title }\n  ?capture ann:file ?file ; ann:offset ?offset\n} LIMIT 50",
    ),
];

#[derive(Deserialize)]
pub struct Asked {
    #[serde(default)]
    query: String,
}

type Answered = Result<(Answer, Told, Freshness), Problem>;

pub async fn ask(State(app): State<App>, Place(id): Place<String>, Asking(asked): Asking<Asked>) -> Page {
    let (service, name) = (app.service.clone(), id.clone());
    let seen = blocking(move || service.see(&name)).await?;
    let sparql = asked.query.replace("\r\n", "\n");
    let answered = match sparql.trim().is_empty() {
        true => None,
        false => Some(answer(app, id, sparql.clone()).await),
    };
    let code =
        answered.as_ref().and_then(|answered| answered.as_ref().err()).map_or(StatusCode::OK, |problem| {
            if problem.retry_after.is_some() { StatusCode::OK } else { problem.code() }
        });
    let is_reading = match &answered {
        Some(Ok((_, _, freshness))) => *freshness == Freshness::Reading,
        Some(Err(problem)) => problem.retry_after.is_some(),
        None => false,
    };
    let shown = if sparql.is_empty() { EXAMPLES.first().map_or("", |(_, example)| example) } else { &sparql };
    let body = html! {
        form.ask method="get" {
            label for="query" { "Ask in SPARQL" }
            p.hint { "A language for questions to a graph of statements. Take an example below and change it." }
            textarea #query name="query" rows="8" spellcheck="false" aria-describedby="examples" { "\n" (shown) }
            p.line { button.primary { "Ask" } span.hint { "Prefixes such as schema: and ann: need no declaration. Nothing is changed by a question." } }
        }
        @if let Some(answered) = &answered {
            @match answered {
                Ok((answer, told, freshness)) => {
                    (search::notice(freshness))
                    (result(&seen.id, &sparql, answer, *told))
                }
                Err(problem) => (search::trouble(&seen, problem)),
            }
        }
        section {
            h2 #examples { "Questions to begin with" }
            ul { @for (what, example) in EXAMPLES { li { a href={ "?" (pair("query", example)) } { (what) } } } }
        }
    };
    let mut response = (code, layout::crawl_page(&seen, "/ask", &body)).into_response();
    if is_reading {
        search::again(&mut response);
    }
    Ok(response)
}

fn pair(name: &str, value: &str) -> String {
    form_urlencoded::Serializer::new(String::new()).append_pair(name, value).finish()
}

async fn answer(app: App, id: String, sparql: String) -> Answered {
    let turn = app.knowledge.turn().await?;
    let abandoned = Abandoned::default();
    let flag = std::sync::Arc::clone(&abandoned.0);
    blocking(move || {
        let _turn = turn;
        let opened = app.knowledge.graph(&id)?;
        let limits = QueryLimits { rows: SHOWN, ..query_limits(Some(Duration::from_secs(20))) };
        let question = Question {
            sparql: &sparql,
            base: None,
            datasets: Datasets::Union,
            limits,
            abandoned: Some(&flag),
        };
        let (answer, told) = opened.store.collected(&question)?;
        Ok((answer, told, opened.freshness))
    })
    .await
}

fn result(id: &str, sparql: &str, answer: &Answer, told: Told) -> Markup {
    let file = |format: &str| format!("/api/crawls/{id}/sparql?{}&format={format}", pair("query", sparql));
    let files: &[(&str, &str)] = match answer {
        Answer::Triples(_) => &[("ttl", "Turtle"), ("nt", "N-Triples")],
        Answer::Rows { .. } => &[("csv", "CSV"), ("json", "JSON"), ("tsv", "TSV"), ("xml", "XML")],
        Answer::Truth(_) => &[("json", "JSON"), ("xml", "XML")],
    };
    let count = if told.cut {
        format!("The first {} rows", told.rows)
    } else {
        format!("{} rows", words::count(told.rows))
    };
    html! {
        section {
            p.line { strong { @match answer { Answer::Truth(true) => "Yes", Answer::Truth(false) => "No", _ => (count) } }
                span { "All of it as " @for (format, name) in files { a href=(file(format)) download={ "answer." (format) } { (name) } " " } } }
            @match answer {
                Answer::Truth(_) => {}
                Answer::Rows { variables, rows } => @if rows.is_empty() { p.hint { "Nothing fits the question." } } @else {
                    table {
                        thead { tr { @for variable in variables { th scope="col" { (variable) } } } }
                        tbody { @for row in rows { tr { @for term in row { td.url { @if let Some(term) = term { (cell(id, term)) } } } } } }
                    }
                },
                Answer::Triples(triples) => table {
                    thead { tr { th scope="col" { "subject" } th scope="col" { "property" } th scope="col" { "value" } } }
                    tbody { @for triple in triples { tr {
                        td.url { (cell(id, &triple.subject.clone().into())) } td.url { (triple.predicate.as_str()) } td.url { (cell(id, &triple.object)) }
                    } } }
                },
            }
        }
    }
}

/// Addresses lead to what was captured of them.
fn cell(id: &str, term: &Term) -> Markup {
    match term {
        Term::NamedNode(node) if node.as_str().starts_with("http") => {
            html! { a href={ "/crawls/" (id) "/page?" (pair("url", node.as_str())) } { (node.as_str()) } }
        }
        Term::NamedNode(node) => html! { (node.as_str()) },
        Term::BlankNode(node) => html! { "_:" (node.as_str()) },
        Term::Literal(literal) => html! { (literal.value()) },
    }
}
