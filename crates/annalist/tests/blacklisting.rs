//! An address that was blacklisted once is never fetched again, whatever leads to it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::sync::mpsc::channel;
use std::time::Duration;

use serde_json::{Value, json};
use support::script::{Script, answer, html, missing};
use support::service::Service;
use support::until;

const LONG: Duration = Duration::from_secs(60);

/// A service with one crawl of `http://a.test/` that visits its seed every second, not started yet.
fn service(server: &Script, dir: &tempfile::TempDir) -> Service {
    let service = Service::start(&dir.path().join("root"));
    let text = server.plain_spec().replacen("[politeness]", "recrawl = \"1s\"\n[politeness]", 1);
    service.make(&text, "x", false);
    service
}

fn start(service: &Service) {
    assert_eq!(service.post("/api/crawls/x/start", &json!({})).status, 202);
}

fn blacklist(service: &Service, url: &str) {
    let reply = service.post("/api/crawls/x/urls", &json!([{"url": url, "blacklisted": true}]));
    assert_eq!(reply.json()["accepted"], 1, "{reply:?}");
}

/// Until the crawl has heard of it.
fn until_known(service: &Service, url: &str) {
    until(LONG, || service.get(&format!("/api/crawls/x/explain?url={url}")).body.contains("blacklist"));
}

#[test]
fn a_seed_that_is_visited_again_leads_nobody_to_a_blacklisted_target_also_after_a_restart() {
    let server = Script::serve(|path, _| match path {
        "/" => answer("302 Found", "Location: /target\r\n", ""),
        "/target" => html("hello"),
        _ => missing(),
    });
    let dir = tempfile::tempdir().unwrap();
    let first = service(&server, &dir);
    start(&first);
    until(LONG, || server.times("/target") == 2);
    // Spelled otherwise: it is the same address.
    blacklist(&first, "HTTP://A.test:80/x/../%74arget#top");
    until_known(&first, "http://a.test/target");
    let (had, visits) = (server.times("/target"), server.times("/"));
    until(LONG, || server.times("/") > visits + 3);
    first.kill();
    let visits = server.times("/");
    let second = Service::start(&dir.path().join("root"));
    until(LONG, || server.times("/") > visits + 2);
    drop(second);
    assert_eq!(server.times("/target"), had);
}

#[test]
fn a_seed_that_is_blacklisted_while_it_is_being_asked_for_is_not_asked_for_again() {
    let (asked, is_asked) = channel();
    let (release, released) = channel::<()>();
    let server = Script::serve(move |path, _| match path {
        "/" => {
            let _ = asked.send(());
            let _ = released.recv();
            html("hello")
        }
        _ => missing(),
    });
    // Dropped before the server, which would wait for it.
    let release = release;
    let dir = tempfile::tempdir().unwrap();
    let first = service(&server, &dir);
    start(&first);
    is_asked.recv_timeout(LONG).unwrap();
    blacklist(&first, "http://a.test/");
    until_known(&first, "http://a.test/");
    drop(release);
    first.until("x", LONG, |seen| seen["is_running"] == false && seen["state"] == "complete");
    let told = first.get("/api/crawls/x/explain?url=http://a.test/").body;
    assert!(told.contains("blacklist"), "{told}");
    drop(first);
    let second = Service::start(&dir.path().join("root"));
    start(&second);
    second.until("x", LONG, |seen| seen["is_running"] == false && seen["state"] == "complete");
    assert_eq!(server.times("/"), 1);
}

#[test]
fn what_was_blacklisted_while_the_crawl_was_at_rest_is_known_before_anybody_is_asked() {
    let server = Script::serve(|path, _| if path == "/robots.txt" { missing() } else { html("hello") });
    let dir = tempfile::tempdir().unwrap();
    let service = service(&server, &dir);
    // More than are taken up at once, between an address and the word that it is never to be fetched.
    let others = (0..12_000).map(|n| json!({"url": format!("http://a.test/no/{n}"), "blacklisted": true}));
    let mut batch = vec![json!({"url": "http://a.test/late"})];
    batch.extend(others);
    batch.push(json!({"url": "http://a.test/late", "blacklisted": true}));
    let reply = service.post("/api/crawls/x/urls", &Value::from(batch));
    assert_eq!(reply.json()["accepted"], 12_002, "{reply:?}");
    start(&service);
    until(LONG, || server.times("/") > 1);
    assert_eq!(server.times("/late"), 0);
}

#[test]
fn a_blacklisted_robots_txt_is_not_fetched_and_nothing_of_its_host_is() {
    let server = Script::serve(|path, _| match path {
        "/robots.txt" => answer("301 Moved", "Location: /rules.txt\r\n", ""),
        "/rules.txt" => answer("200 OK", "Content-Type: text/plain\r\n", "User-agent: *\nAllow: /\n"),
        _ => html("hello"),
    });
    for (unwanted, asked) in [("robots.txt", vec![]), ("rules.txt", vec!["/robots.txt".to_owned()])] {
        let dir = tempfile::tempdir().unwrap();
        let service = service(&server, &dir);
        blacklist(&service, &format!("http://a.test/{unwanted}"));
        let before = server.paths().len();
        start(&service);
        service.until("x", LONG, |seen| seen["skipped"].as_u64() >= Some(4));
        drop(service);
        assert_eq!(server.paths()[before..], asked, "{unwanted}");
    }
}

#[test]
fn what_was_blacklisted_is_not_fetched_when_addresses_are_spelled_by_other_rules() {
    let server = Script::serve(|path, _| if path == "/robots.txt" { missing() } else { html("hello") });
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    let service = Service::start(&root);
    let strict = "[canonical]\nsort_query = true\nstrip_parameters = [\"sid\"]\n";
    let loose = "[canonical]\nstrip_tracking = false\n";
    let unwanted =
        ["sorted?b=2&a=1", "track?utm_source=x", "sid?sid=7"].map(|path| format!("http://a.test/{path}"));
    // Spelled by the strict rules they lead to what was blacklisted.
    let later = ["later?b=2&a=1", "later/track?utm_source=x"].map(|path| format!("http://a.test/{path}"));
    for (id, rules, others, addresses) in
        [("x", strict, loose, &unwanted[..]), ("y", loose, strict, &later[..])]
    {
        let text = format!("{}{rules}", server.plain_spec());
        service.make(&text, id, false);
        for url in addresses {
            let reply =
                service.post(&format!("/api/crawls/{id}/urls"), &json!([{"url": url, "blacklisted": true}]));
            assert_eq!(reply.json()["accepted"], 1, "{reply:?}");
        }
        run(&service, id);
        let changed = text.replace(rules, others);
        let reply = service.ask("PUT", &format!("/api/crawls/{id}/spec"), &[], &changed);
        assert_eq!(reply.status, 200, "{reply:?}");
        let again: Vec<Value> = addresses.iter().map(|url| json!({"url": url})).collect();
        assert_eq!(service.post(&format!("/api/crawls/{id}/urls"), &Value::from(again)).status, 202);
        run(&service, id);
        let asked: Vec<String> = server.paths();
        assert!(!asked.iter().any(|path| path.contains('?') || path.contains("later")), "{id}: {asked:?}");
        for url in addresses {
            let told = service.get(&format!("/api/crawls/{id}/explain?url={}", url.replace('&', "%26"))).body;
            assert!(told.contains("blacklist"), "{told}");
        }
    }
}

fn run(service: &Service, id: &str) {
    assert_eq!(service.post(&format!("/api/crawls/{id}/start"), &json!({})).status, 202);
    service.until(id, LONG, |seen| seen["is_running"] == false && seen["state"] == "complete");
}
