//! Addresses that programs hand to a crawl: which are taken, and what their scores mean.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::time::Duration;

use serde_json::json;
use support::script::{Script, html, missing};
use support::service::Service;
use support::until;

const LONG: Duration = Duration::from_secs(60);

/// The spec of a crawl that fetches nothing but what it is handed.
fn only_injected(server: &Script) -> String {
    let spec = server.plain_spec().replacen("[scope]\n", "[scope]\nonly_injected = true\n", 1);
    spec.replacen("[[seed]]\nurl = \"http://a.test/\"\n", "", 1)
}

#[test]
fn who_hands_an_address_over_has_the_last_word_on_its_score() {
    let server = Script::serve(|path, _| if path == "/robots.txt" { missing() } else { html(path) });
    let dir = tempfile::tempdir().unwrap();
    let service = Service::start(&dir.path().join("root"));
    service.make(&only_injected(&server), "x", false);
    let scored = |path: &str, score: f64| json!({"url": format!("http://a.test/{path}"), "score": score});
    let batch = [scored("first", 0.9), scored("second", 0.5), scored("third", 0.4), scored("first", 0.1)];
    let reply = service.post("/api/crawls/x/urls", &json!(batch));
    assert_eq!(reply.json()["accepted"], 4, "{reply:?}");
    assert_eq!(service.post("/api/crawls/x/start", &json!({})).status, 202);
    until(LONG, || server.paths().len() == 4);
    assert_eq!(server.paths(), ["/robots.txt", "/second", "/third", "/first"]);
}

#[test]
fn an_address_that_is_too_long_or_blank_is_refused_and_not_lost_later() {
    let server = Script::serve(|path, _| if path == "/robots.txt" { missing() } else { html(path) });
    let dir = tempfile::tempdir().unwrap();
    let service = Service::start(&dir.path().join("root"));
    let made = json!({"spec": server.plain_spec(), "id": "x", "start": true});
    assert_eq!(service.post("/api/crawls", &made).status, 201);
    let blanks = " ".repeat(70_000);
    let batch = json!([
        {"url": format!("http://a.test/one{blanks}")},
        {"url": "http://a.test/two"},
        {"url": blanks},
        {"url": format!("http://a.test/three#{}", "x".repeat(70_000)), "blacklisted": true},
        {"url": " "},
        {"url": format!("http://a.test/{}", "x".repeat(5_000))},
    ]);
    let reply = service.post("/api/crawls/x/urls", &batch);
    let told = reply.json();
    assert_eq!((&told["accepted"], &told["refused"]), (&json!(1), &json!(5)), "{told}");
    let fields: Vec<&str> =
        told["errors"].as_array().unwrap().iter().map(|error| error["field"].as_str().unwrap()).collect();
    assert_eq!(fields, ["[0].url", "[2].url", "[3].url", "[4].url", "[5].url"]);
    let events = service.get("/api/crawls/x/events?subsystem=injection").json();
    assert_eq!(events["events"], json!([]), "{events}");
}

#[test]
fn what_was_handed_over_while_its_site_was_blocked_is_fetched_when_it_is_allowed_again() {
    let server = Script::serve(|path, _| if path == "/robots.txt" { missing() } else { html(path) });
    let dir = tempfile::tempdir().unwrap();
    let service = Service::start(&dir.path().join("root"));
    service.make(&only_injected(&server), "x", true);
    let block = |is: bool| {
        let reply = service.put("/api/crawls/x/sites/a.test", &json!({ "blocked": is }));
        assert_eq!(reply.status, 200, "{reply:?}");
    };
    block(true);
    let batch = json!([
        {"url": "http://a.test/one", "score": 0.9},
        {"url": "http://a.test/two"},
        {"url": "http://a.test/never", "blacklisted": true},
    ]);
    assert_eq!(service.post("/api/crawls/x/urls", &batch).json()["accepted"], 3);
    let skipped = |seen: &serde_json::Value| seen["skipped"].as_u64() >= Some(2);
    service.until("x", LONG, skipped);
    assert!(server.paths().is_empty(), "{:?}", server.paths());
    block(false);
    until(LONG, || server.paths().len() == 3);
    assert_eq!(server.paths(), ["/robots.txt", "/two", "/one"], "without a score it is worth the most");
}
