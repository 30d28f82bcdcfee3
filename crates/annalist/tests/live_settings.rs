//! What is changed of a running crawl counts at once, also for what waits or rests already.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::script::{Script, answer, html, missing};
use support::service::Service;
use support::until;

const LONG: Duration = Duration::from_secs(60);
/// Far shorter than the rests that are made shorter, far longer than it may take.
const SOON: Duration = Duration::from_secs(20);

fn crawl(server: &Script, dir: &tempfile::TempDir, text: &str) -> Service {
    let service = Service::start(&dir.path().join("root"));
    service.make(text, "x", true);
    until(LONG, || !server.paths().is_empty());
    service
}

fn change(service: &Service, text: &str) -> Value {
    let reply = service.ask("PUT", "/api/crawls/x/spec", &[], text);
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json()["later"].clone()
}

fn is_over(seen: &Value) -> bool {
    seen["is_running"] == false && seen["state"] == "complete"
}

fn with_delay(text: &str, delay: &str) -> String {
    text.replace("_delay = \"0s\"", &format!("_delay = \"{delay}\""))
}

#[test]
fn a_shorter_delay_shortens_the_rest_under_way() {
    let server = Script::serve(|path, _| match path {
        "/" => html("<a href=/one>x</a><a href=/two>x</a>"),
        "/one" | "/two" => html(path),
        _ => missing(),
    });
    // A rest that a turn waits for, and one that is so long that the site waits in the queue.
    for long in ["40s", "10m"] {
        let dir = tempfile::tempdir().unwrap();
        let before = server.paths().len();
        let service = Service::start(&dir.path().join("root"));
        let text = with_delay(&server.plain_spec(), long);
        service.make(&text, "x", true);
        until(LONG, || server.paths().len() > before);
        std::thread::sleep(Duration::from_secs(1));
        assert_eq!(server.paths().len(), before + 1, "the server rests");
        let begun = Instant::now();
        assert_eq!(change(&service, &server.plain_spec()), json!([]));
        service.until("x", SOON, is_over);
        println!("{long}: over after {:?}", begun.elapsed());
        assert_eq!(server.paths()[before..], ["/robots.txt", "/", "/one", "/two"]);
    }
}

#[test]
fn no_delay_is_shorter_than_what_the_server_asked_for() {
    let server = Script::serve(|path, _| match path {
        "/robots.txt" => {
            answer("200 OK", "Content-Type: text/plain\r\n", "User-agent: *\nCrawl-delay: 3\nAllow: /\n")
        }
        "/" => html("<a href=/one>x</a>"),
        _ => html(path),
    });
    let dir = tempfile::tempdir().unwrap();
    let service = crawl(&server, &dir, &with_delay(&server.plain_spec(), "40s"));
    std::thread::sleep(Duration::from_millis(500));
    change(&service, &server.plain_spec());
    service.until("x", SOON, is_over);
    let asked: Vec<Instant> = server.asked().iter().map(|asked| asked.at).collect();
    assert_eq!(asked.len(), 3);
    for pair in asked.windows(2) {
        assert!(pair[1] - pair[0] >= Duration::from_secs(3), "{:?}", pair[1] - pair[0]);
    }
}

#[test]
fn a_crawl_whose_delay_became_shorter_waits_for_no_other_that_waits_for_its_old_rest() {
    let server = Script::serve(|path, _| if path == "/robots.txt" { missing() } else { html("hello") });
    let dir = tempfile::tempdir().unwrap();
    let service = crawl(&server, &dir, &with_delay(&server.plain_spec(), "40s"));
    let other = server.plain_spec().replacen("http://a.test/", "http://a.test/other", 1);
    let reply = service.post("/api/crawls", &json!({"spec": other, "id": "y", "start": true}));
    assert_eq!(reply.status, 201, "{reply:?}");
    service.until("y", LONG, |seen| seen["state"] == "waiting");
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(server.paths(), ["/robots.txt"], "both wait for the first one's rest");
    change(&service, &server.plain_spec());
    service.until("x", SOON, is_over);
    service.until("y", SOON, is_over);
}

#[test]
fn a_narrower_scope_reaches_links_that_wait_already_and_a_wider_one_brings_them_back() {
    let server = Script::serve(|path, _| match path {
        "/" => html(&(0..6).map(|n| format!("<a href=/a/{n}>x</a><a href=/b/{n}>x</a>")).collect::<String>()),
        "/robots.txt" => missing(),
        _ => html(path),
    });
    let dir = tempfile::tempdir().unwrap();
    let wide = with_delay(&server.plain_spec(), "300ms");
    let narrow = wide.replacen("[scope]\n", "[scope]\nexclude = ['path.startsWith(\"/a/\")']\n", 1);
    assert_ne!(wide, narrow);
    let service = crawl(&server, &dir, &wide);
    service.until("x", LONG, |seen| seen["queued"].as_u64() >= Some(10));
    assert_eq!(change(&service, &narrow), json!([]));
    std::thread::sleep(Duration::from_secs(1));
    let of_a = || server.paths().iter().filter(|path| path.starts_with("/a/")).count();
    let had = of_a();
    assert!(had < 6, "they were not all fetched before");
    service.until("x", LONG, is_over);
    assert_eq!(of_a(), had);
    let skipped = service.get("/api/crawls/x/skipped?reason=excluded").json();
    assert_eq!(skipped["skipped"].as_array().unwrap().len(), 6 - had, "{skipped}");
    // In a run that begins with another scope, too.
    change(&service, &wide);
    assert_eq!(service.post("/api/crawls/x/start", &json!({})).status, 202);
    service.until("x", LONG, |seen| is_over(seen) && of_a() == 6);
}

#[test]
fn seeds_are_visited_as_often_as_the_spec_says_now() {
    let server = Script::serve(|path, _| if path == "/robots.txt" { missing() } else { html("hello") });
    let dir = tempfile::tempdir().unwrap();
    let every = |time: &str| {
        server.plain_spec().replacen("[politeness]", &format!("recrawl = \"{time}\"\n[politeness]"), 1)
    };
    let service = crawl(&server, &dir, &every("1h"));
    service.until("x", LONG, |seen| seen["state"] == "waiting" && server.times("/") == 1);
    assert_eq!(change(&service, &every("1s")), json!([]));
    until(SOON, || server.times("/") >= 3);
    assert_eq!(change(&service, &every("1h")), json!([]));
    std::thread::sleep(Duration::from_secs(1));
    let had = server.times("/");
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(server.times("/"), had);
    // Not visited again at all: nothing is left to wait for.
    change(&service, &server.plain_spec());
    let seen = service.until("x", SOON, is_over);
    assert_eq!(server.times("/"), had);
    assert_eq!(seen["queued"], 0, "{seen}");
}

#[test]
fn applications_are_recognised_from_the_moment_on_in_which_the_spec_wants_it() {
    const PAGE: &str = "<!DOCTYPE html><html><head><meta name=generator content=\"MediaWiki 1.39.1\"><title>t</title></head>\
        <body class=\"mediawiki ltr sitedir-ltr ns-0 page-A skin-vector action-view\"><div id=mw-content-text class=mw-body-content>\
        <div class=mw-parser-output><p>Many words about nothing, as wikis have them.</p></div></div></body></html>";
    let server = Script::serve(|path, _| match path {
        "/robots.txt" => missing(),
        _ => answer("200 OK", "Content-Type: text/html\r\n", PAGE),
    });
    let dir = tempfile::tempdir().unwrap();
    let without = server.plain_spec().replacen("[politeness]", "recrawl = \"1s\"\n[politeness]", 1);
    let with = without.replacen("apps = false\n", "", 1);
    let service = crawl(&server, &dir, &without);
    let seen = || {
        let counters = service.get("/api/crawls/x/counters").json();
        counters["by_application"].as_object().unwrap().values().filter_map(Value::as_u64).sum::<u64>()
    };
    until(LONG, || server.times("/") > 1);
    assert_eq!(seen(), 0);
    assert_eq!(change(&service, &with), json!([]));
    until(SOON, || seen() > 1);
    assert_eq!(change(&service, &without), json!([]));
    std::thread::sleep(Duration::from_secs(1));
    let (had, visits) = (seen(), server.times("/"));
    until(LONG, || server.times("/") > visits + 2);
    assert_eq!(seen(), had);
}
