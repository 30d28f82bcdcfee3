//! Crawls with a topic: what it brings over breadth first, in a web of several topics and sites where link texts lie or say
//! nothing and pages about a topic stand behind others.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use annalist_testweb::{ServerOptions, WorldConfig, topic_name};
use support::script::{self, Script, html, missing};
use support::{IMPATIENT, Stand, assert_exit, assert_valid, finish, json_of, wait};

const LIMIT: Duration = Duration::from_secs(180);
const REFERENCES: usize = 10;
const PAGES: usize = 300;
const TOPICS: [usize; 4] = [0, 2, 5, 7];
const SCOPE: &str = "[scope]\nembeds = false\nsitemaps = false\n";

fn web() -> WorldConfig {
    WorldConfig {
        hosts: 40,
        pages: 3000,
        page_bytes: 4_000,
        topics: 8,
        addresses: 8,
        images_per_host: 0,
        lying_anchors: 0.2,
        vague_anchors: 0.2,
        // Half of the links lead to another topic: much is behind pages that are about something else.
        topical_locality: 0.5,
        crawl_delays: 0.0,
        ..WorldConfig::default()
    }
}

/// Pages about the topic, of all sites.
fn references(stand: &Stand, topic: usize) -> Vec<String> {
    let about: Vec<String> = stand.web.world().truth().relevant(topic).map(|page| page.url).collect();
    let apart = about.len().div_ceil(REFERENCES).max(1);
    about.into_iter().step_by(apart).collect()
}

/// The references as seeds that pass their links on: both crawls begin with them.
fn seeds(references: &[String]) -> String {
    let mut seeds = String::new();
    for url in references {
        let _ = writeln!(seeds, "[[seed]]\nurl = {url:?}\nscope = \"any\"");
    }
    seeds
}

/// The spec of a crawl that knows the topic.
fn topical(stand: &Stand, references: &[String], more: &str) -> PathBuf {
    let seeds = seeds(references);
    stand.helped_spec(&format!("{seeds}[topic]\nreferences = {references:?}\n{IMPATIENT}{SCOPE}{more}"))
}

/// The spec of one that does not.
fn breadth_first(stand: &Stand, references: &[String]) -> PathBuf {
    let seeds = seeds(references);
    stand.helped_spec(&format!("{seeds}[frontier]\norder = \"breadth-first\"\n{IMPATIENT}{SCOPE}"))
}

/// Crawls, and says which share of what it fetched is about the topic.
fn harvest(stand: &Stand, spec: &Path, job: &str, topic: usize, references: &[String]) -> f64 {
    let job = stand.dir.path().join("collections").join(job);
    let mut crawl = stand.crawl_into(spec, &job);
    assert_exit(&finish(crawl.args(["--limit", &PAGES.to_string()]), LIMIT), 0);
    let fetched = fetched(stand, &job, references);
    assert!(fetched.len() > PAGES / 2, "{} documents", fetched.len());
    share_about(stand, topic, &fetched)
}

/// Documents, references not counted.
fn fetched(stand: &Stand, job: &Path, references: &[String]) -> HashSet<String> {
    let documents: HashSet<String> = stand
        .web
        .world()
        .truth()
        .pages()
        .filter(|page| page.kind.is_document())
        .map(|page| page.url)
        .collect();
    let fetched = support::captures(job).into_iter().filter(|capture| capture.status == "200");
    fetched
        .map(|capture| capture.url)
        .filter(|url| documents.contains(url) && !references.contains(url))
        .collect()
}

fn share_about(stand: &Stand, topic: usize, fetched: &HashSet<String>) -> f64 {
    let about = stand.web.world().truth().relevant(topic).filter(|page| fetched.contains(&page.url)).count();
    about as f64 / fetched.len().max(1) as f64
}

#[test]
fn knowing_the_topic_doubles_the_harvest_and_is_worse_for_no_topic() {
    let stand = Stand::new(web());
    let (mut sum, mut other_sum) = (0.0, 0.0);
    for topic in TOPICS {
        let references = references(&stand, topic);
        let spec = topical(&stand, &references, "");
        let ours = harvest(&stand, &spec, &format!("topical-{topic}"), topic, &references);
        let spec = breadth_first(&stand, &references);
        let other = harvest(&stand, &spec, &format!("breadth-first-{topic}"), topic, &references);
        println!("{}: {ours:.3}, breadth first {other:.3}", topic_name(topic));
        assert!(ours >= other, "{}: {ours} < {other}", topic_name(topic));
        sum += ours;
        other_sum += other;
    }
    assert!(sum >= 2.0 * other_sum, "{sum} < 2 x {other_sum}");
}

#[test]
fn the_spec_says_how_much_is_explored_and_how_long_an_order_is_kept() {
    let stand = Stand::new(web());
    let topic = TOPICS[0];
    let references = references(&stand, topic);
    let with = |job: &str, rules: &str| {
        let spec = topical(&stand, &references, &format!("[judge]\n{rules}\n"));
        harvest(&stand, &spec, job, topic, &references)
    };
    let (bold, plain, patient) =
        (with("bold", "exploration = 1.0"), with("plain", ""), with("patient", "greediness = 50"));
    let spec = breadth_first(&stand, &references);
    let other = harvest(&stand, &spec, "breadth-first", topic, &references);
    println!(
        "exploration 1: {bold:.3}, 0: {plain:.3}; greediness 50: {patient:.3}; breadth first {other:.3}"
    );
    assert!(bold < 0.75 * plain, "who explores all the time finds less: {bold}, {plain}");
    assert!(patient > 1.4 * other, "{patient}, {other}");
}

#[test]
fn a_stopped_crawl_goes_on_with_its_topic() {
    let options = ServerOptions { latency: Duration::from_millis(10), ..ServerOptions::default() };
    let stand = Stand::with_options(web(), options);
    let topic = TOPICS[0];
    let references = references(&stand, topic);
    let spec = topical(&stand, &references, "");
    let child = stand
        .crawl(&spec)
        .args(["--limit", "1000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while stand.web.log().entries.len() < 120 {
        assert!(begun.elapsed() < LIMIT, "the crawl does not begin");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = wait(child, LIMIT);
    assert_exit(&output, 11);
    let before = fetched(&stand, &stand.job(), &references);
    let pages = json_of(&output)["pages"].as_u64().unwrap();

    let limit = (pages + 200).to_string();
    let output = finish(stand.crawl(&spec).args(["--limit", &limit]), LIMIT);
    assert_exit(&output, 0);
    assert!(json_of(&output)["pages"].as_u64().unwrap() >= pages + 200);
    let later: HashSet<String> =
        fetched(&stand, &stand.job(), &references).difference(&before).cloned().collect();
    let share = share_about(&stand, topic, &later);
    println!("{share:.3} of {} later documents", later.len());
    // Breadth first comes to about 0.1 to 0.2, this to 0.7.
    assert!(share > 0.4, "{share}");
    assert_valid(&stand.job());
}

#[test]
fn a_crawl_whose_references_all_fail_goes_on_and_says_so() {
    let server = Script::serve(|path, _| match path {
        "/" => html("<a href=/one>one</a> <a href=/two>two</a>"),
        "/one" | "/two" => html("<p>A page about something or other."),
        // No answer at all: it is tried again.
        "/silent" => String::new(),
        _ => missing(),
    });
    let dir = tempfile::tempdir().unwrap();
    let (path, job) = (dir.path().join("spec.toml"), dir.path().join("job"));
    let topic = "[topic]\nreferences = [\"http://a.test/gone\", \"http://a.test/silent\"]\n";
    std::fs::write(&path, format!("{}{topic}", script::spec(server.address, ""))).unwrap();
    let mut crawl = support::annalist();
    let output =
        finish(crawl.arg("crawl").arg(&path).arg("--job").arg(&job).args(["--json", "--quiet"]), LIMIT);
    assert_exit(&output, 0);
    let asked = server.paths();
    assert!(asked.iter().any(|path| path == "/one") && asked.iter().any(|path| path == "/two"), "{asked:?}");
    let json = json_of(&output);
    assert!(json["harvest_ratio"].is_null() && json["relevant"].is_null(), "{json}");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("no reference could be read") && told.contains("http://a.test/gone"), "{told}");
    let events = std::fs::read_to_string(job.join("logs/events.jsonl")).unwrap();
    assert!(events.contains("no reference could be read"), "{events}");
}

const DEBT: &str =
    "<p>The debt crisis in Athens: creditors, bailout and austerity, the troika and the debt, day after day.";
const ROSES: &str =
    "<p>Roses and tulips in the garden: how to water them in a dry summer, and when to cut them.";

/// Crawls a few pages of one server with such a topic.
fn small_crawl(
    serve: impl Fn(&str) -> String + Send + Sync + 'static,
    more: &str,
    runs: usize,
) -> serde_json::Value {
    let server = Script::serve(move |path, _| serve(path));
    let dir = tempfile::tempdir().unwrap();
    let (path, job) = (dir.path().join("spec.toml"), dir.path().join("job"));
    std::fs::write(&path, format!("{}{more}", script::spec(server.address, ""))).unwrap();
    let mut last = serde_json::Value::Null;
    for run in 1..=runs {
        let mut crawl = support::annalist();
        crawl.arg("crawl").arg(&path).arg("--job").arg(&job).args(["--json", "--quiet"]);
        if run < runs {
            crawl.args(["--limit", "4"]);
        }
        let output = finish(&mut crawl, LIMIT);
        assert_exit(&output, 0);
        last = json_of(&output);
    }
    last
}

fn page(path: &str) -> String {
    match path {
        "/" => html("<a href=/one>one</a> <a href=/two>two</a> <a href=/three>three</a>"),
        "/robots.txt" => missing(),
        "/one" | "/two" | "/ref" | "/other" => html(DEBT),
        "/three" | "/four" => html(&format!("{ROSES} <a href=/four>four</a>")),
        "/moved" => "HTTP/1.1 301 Moved\r\nLocation: /ref\r\nContent-Length: 0\r\n\r\n".to_owned(),
        _ => missing(),
    }
}

#[test]
fn a_site_that_closes_before_its_references_came_holds_nobody_up() {
    let more =
        "[topic]\nreferences = [\"http://a.test/ref\", \"http://a.test/other\"]\n[limits]\nsite_pages = 1\n";
    assert_eq!(small_crawl(page, more, 1)["pages"], 1);
}

#[test]
fn a_reference_that_moved_defines_the_topic_where_it_is_now() {
    let more = "[topic]\nreferences = [\"http://a.test/moved\"]\n";
    for runs in [1, 2] {
        let json = small_crawl(page, more, runs);
        assert_eq!(json["relevant"], 2, "/one and /two, the reference not counted; {runs} runs: {json}");
    }
}

#[test]
fn a_resumed_crawl_waits_for_no_reference_that_failed_before() {
    let serve = |path: &str| if path == "/silent" { String::new() } else { page(path) };
    let more = "[topic]\nreferences = [\"http://a.test/ref\", \"http://a.test/silent\"]\n";
    assert_eq!(small_crawl(serve, more, 2)["relevant"], 2);
}

#[test]
fn keywords_judge_where_no_reference_comes() {
    let more =
        "[topic]\nkeywords = [\"debt\", \"bailout\", \"troika\"]\nreferences = [\"http://a.test/gone\"]\n";
    assert_eq!(small_crawl(page, more, 1)["relevant"], 2);
}

#[test]
fn a_page_that_names_an_entity_by_its_alias_is_relevant() {
    let serve = |path: &str| match path {
        "/one" => html("<p>The ECB met. Nobody at the ECB would say what the ECB wants."),
        _ => page(path),
    };
    let more = "[[topic.entity]]\nname = \"European Central Bank\"\naliases = [\"ECB\"]\n";
    assert_eq!(small_crawl(serve, more, 1)["relevant"], 1);
}
