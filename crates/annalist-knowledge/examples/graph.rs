//! Loads statements like those that are made of pages, and asks for some: `graph STATEMENTS`. Prints figures as JSON.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "an example says what it measured and fails where it stands"
)]

use std::fmt::Write;
use std::io::Cursor;
use std::sync::Arc;
use std::time::{Duration, Instant};

use annalist_disk::{Dice, RealDisk};
use annalist_knowledge::graph::{Answer, Datasets, Graph, Layer, LayerSettings, QueryLimits, Reading, load};
use oxrdf::GraphName;
use oxrdfio::RdfFormat;

/// Statements of one page.
const PER_PAGE: u64 = 25;
const SCHEMA: &str = "http://schema.org/";
/// So many statements are made, and then loaded, at a time: making them is not measured.
const PIECE: u64 = 1_000_000;

fn main() {
    let wanted: u64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    let dir = tempfile::tempdir().unwrap();
    let mut layer = Layer::open(Arc::new(RealDisk), dir.path(), LayerSettings::default()).unwrap();
    let (mut took, mut cpu) = (Duration::ZERO, 0.0);
    let mut page = 0;
    let mut statements = 0;
    while statements < wanted {
        let mut text = String::new();
        for _ in 0..PIECE.min(wanted - statements) / PER_PAGE {
            add_page(&mut text, page, wanted / PER_PAGE);
            page += 1;
        }
        let (begun, spent) = (Instant::now(), cpu_seconds());
        let reading = Reading {
            format: RdfFormat::NQuads,
            base: None,
            graph: GraphName::DefaultGraph,
            scope: "bench".to_owned(),
        };
        let loaded =
            load(Cursor::new(text), &reading, &mut |quad| layer.insert(quad), &mut |bad| panic!("{bad:?}"));
        statements += loaded.unwrap().statements;
        layer.commit(statements.to_string().as_bytes()).unwrap();
        took += begun.elapsed();
        cpu += cpu_seconds() - spent;
    }
    let (begun, spent) = (Instant::now(), cpu_seconds());
    layer.settle().unwrap();
    let settling = begun.elapsed();
    cpu += cpu_seconds() - spent;
    let layers = [dir.path().to_owned()];
    let graph = Graph::open(&layers).unwrap();
    let totals = graph.totals();
    let mut cold = Vec::new();
    let mut warm = Vec::new();
    let mut dice = Dice::new(5);
    let limits = QueryLimits::default();
    for place in 0..200 {
        let who = dice.below(wanted / PER_PAGE / 20 + 1);
        let sparql = format!(
            "SELECT ?post ?date {{ ?post <{SCHEMA}author> <http://site{}.example/user/{who}> . ?post <{SCHEMA}datePublished> ?date }}",
            who % 97
        );
        // Cold: nothing of it was read by this process.
        let fresh = if place % 10 == 0 { Some(Graph::open(&layers).unwrap()) } else { None };
        let asked = fresh.as_ref().unwrap_or(&graph);
        let begun = Instant::now();
        let answer = asked.query(&sparql, &limits, Datasets::Union).unwrap();
        let times = if fresh.is_some() { &mut cold } else { &mut warm };
        times.push(begun.elapsed());
        let Answer::Rows { rows, .. } = answer else { panic!("no rows") };
        assert!(!rows.is_empty(), "{sparql}");
    }
    let per = |total: f64| total / totals.quads as f64;
    println!(
        "{}",
        serde_json::json!({
            "statements": totals.quads,
            "per_second": (totals.quads as f64 / (took + settling).as_secs_f64()) as u64,
            "cpu_us_each": per(cpu * 1e6),
            "bytes_each": per(totals.bytes as f64),
            "memory_mb": peak_mb(),
            "query_warm_ms": milliseconds(&mut warm, 0.5),
            "query_warm_p99_ms": milliseconds(&mut warm, 0.99),
            "query_cold_ms": milliseconds(&mut cold, 0.5),
        })
    );
}

fn milliseconds(times: &mut [Duration], part: f64) -> f64 {
    times.sort();
    let place = ((times.len() as f64 * part) as usize).min(times.len() - 1);
    times[place].as_secs_f64() * 1e3
}

/// A page with its capture, a post, its author, and links.
fn add_page(text: &mut String, page: u64, pages: u64) {
    let mut dice = Dice::new(page);
    let site = page % 97;
    let url =
        format!("http://site{site}.example/section-{}/an-article-about-something-{page}.html", page % 13);
    let graph = format!("<urn:uuid:{:08x}-0000-4000-8000-{:012x}>", dice.below(u64::from(u32::MAX)), page);
    let who = dice.below(pages / 20 + 1);
    let user = format!("http://site{}.example/user/{who}", who % 97);
    let mut say = |subject: &str, predicate: &str, object: &str| {
        let _ = writeln!(text, "<{subject}> <{predicate}> {object} {graph} .");
    };
    let date = format!("2011-{:02}-{:02}T{:02}:30:00Z", 1 + page % 12, 1 + page % 28, page % 24);
    let moment = "^^<http://www.w3.org/2001/XMLSchema#dateTime>";
    let post = format!("{url}#post-1");
    say(&url, "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", &format!("<{SCHEMA}WebPage>"));
    say(
        &url,
        &format!("{SCHEMA}name"),
        &format!("\"An article about something that happened, number {page}\"@en"),
    );
    say(&url, &format!("{SCHEMA}inLanguage"), "\"en\"");
    say(&url, "http://purl.org/dc/terms/issued", &format!("\"{date}\"{moment}"));
    say(&url, "http://www.w3.org/ns/prov#generatedAtTime", &format!("\"{date}\"{moment}"));
    say(&url, &format!("{SCHEMA}encodingFormat"), "\"text/html\"");
    say(
        &url,
        &format!("{SCHEMA}contentSize"),
        &format!("\"{}\"^^<http://www.w3.org/2001/XMLSchema#integer>", dice.below(90_000)),
    );
    say(
        &url,
        "http://annalist.example/vocabulary#relevance",
        &format!("\"0.{:03}\"^^<http://www.w3.org/2001/XMLSchema#decimal>", dice.below(1000)),
    );
    say(&post, "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "<http://rdfs.org/sioc/ns#Post>");
    say(&post, &format!("{SCHEMA}author"), &format!("<{user}>"));
    say(&post, &format!("{SCHEMA}datePublished"), &format!("\"{date}\"{moment}"));
    say(&post, "http://rdfs.org/sioc/ns#has_container", &format!("<{url}>"));
    say(
        &post,
        "http://rdfs.org/sioc/ns#content",
        &format!(
            "\"What was written on page {page}, which is a text of a sentence or two as people write them.\""
        ),
    );
    say(&user, "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", &format!("<{SCHEMA}Person>"));
    say(&user, &format!("{SCHEMA}name"), &format!("\"Person {who}\""));
    for _ in 0..10 {
        let other = dice.below(pages.max(1));
        let target = format!(
            "<http://site{}.example/section-{}/an-article-about-something-{other}.html>",
            other % 97,
            other % 13
        );
        say(&url, "http://purl.org/dc/terms/references", &target);
    }
}

fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks =
        |place: usize| fields.get(place).and_then(|field| field.parse::<f64>().ok()).unwrap_or_default();
    (ticks(11) + ticks(12)) / 100.0
}

fn peak_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).unwrap_or_default() >> 10
}
