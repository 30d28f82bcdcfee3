//! The API as machines use it that know nothing but its document: schemathesis makes up requests for every endpoint, good
//! and bad ones, and compares what comes back with what the document says.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

use annalist_testweb::WorldConfig;
use serde_json::{Value, json};
use support::service::Service;
use support::{IMPATIENT, Stand, python_tool};

const LONG: Duration = Duration::from_secs(180);

/// One crawl that is over, and one that waits for addresses.
fn crawls(stand: &Stand, service: &Service) -> String {
    let spec = std::fs::read_to_string(stand.helped_spec(IMPATIENT)).unwrap();
    let network = spec.split_once("[network]").unwrap().1;
    let waiting = format!("name = \"waits\"\n[scope]\nonly_injected = true\n[network]{network}");
    for (id, spec) in [("rests", &spec), ("runs", &waiting)] {
        let reply = service.post("/api/crawls", &json!({"spec": spec, "id": id, "start": true}));
        assert_eq!(reply.status, 201, "{reply:?}");
    }
    service.until("rests", LONG, |seen| seen["is_running"] == false);
    service.until("runs", LONG, |seen| seen["state"] == "waiting");
    waiting
}

fn stand() -> Stand {
    Stand::new(WorldConfig { hosts: 4, pages: 40, addresses: 2, crawl_delays: 0.0, ..WorldConfig::default() })
}

/// `ANNALIST_COCKPIT=whole`: longer, and with every way to be at fault that the document allows.
#[test]
fn every_endpoint_answers_as_the_document_says_whatever_it_is_sent() {
    let stand = stand();
    let service = Service::start(&stand.dir.path().join("root"));
    let spec = crawls(&stand, &service);
    let whole = std::env::var_os("ANNALIST_COCKPIT").is_some();
    let (phases, examples, seconds) =
        if whole { ("coverage,fuzzing,stateful", "300", "900") } else { ("fuzzing", "25", "60") };
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/api");
    let tested = python_tool("st")
        .current_dir(stand.dir.path())
        .env("SCHEMATHESIS_HOOKS", "hooks")
        .env("PYTHONPATH", folder)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("ANNALIST_SPEC", spec)
        .arg("run")
        .arg(format!("http://{}/api/openapi.json", service.address))
        .args(["--phases", phases, "-n", examples, "--max-time", seconds, "--seed", "7", "--no-color"])
        .args([
            "--checks",
            "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
        ])
        // It never ends; the next test asks it.
        .args(["--exclude-path-regex", "/live$", "--continue-on-failure", "--request-timeout", "60"])
        .args(["--generation-database", "none", "--suppress-health-check", "all", "--warnings", "off"])
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&tested.stdout);
    assert!(tested.status.success(), "{told}\n{}", String::from_utf8_lossy(&tested.stderr));
    println!(
        "{}",
        told.lines().rev().take(30).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join("\n")
    );
    for id in ["rests", "runs"] {
        assert_eq!(service.get(&format!("/api/crawls/{id}")).status, 200, "{id} is still there");
    }
}

#[test]
fn who_watches_a_crawl_hears_of_it_every_second_until_it_is_gone() {
    let stand = stand();
    let service = Service::start(&stand.dir.path().join("root"));
    crawls(&stand, &service);
    let mut stream = TcpStream::connect(&service.address).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    let head = format!("host: {}\r\nconnection: close", service.address);
    write!(stream, "GET /api/crawls/rests/live HTTP/1.1\r\n{head}\r\n\r\n").unwrap();
    let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
    let lines = &mut lines;
    let mut next = |name: &str| loop {
        if lines.next().unwrap() == format!("event: {name}") {
            let told = lines.next().unwrap();
            return serde_json::from_str::<Value>(told.strip_prefix("data: ").unwrap()).unwrap();
        }
    };
    for _ in 0..2 {
        assert_eq!(next("status"), service.get("/api/crawls/rests").json());
    }
    assert_eq!(service.ask("DELETE", "/api/crawls/rests", &[], "").status, 204);
    assert_eq!(next("gone"), json!({}));
    let rest: Vec<String> = lines.collect();
    assert!(
        rest.iter().all(|line| !line.starts_with("event: ")),
        "it is told once, and that is the end: {rest:?}"
    );
    assert_eq!(service.get("/api/crawls/rests/live").status, 404);
}

#[test]
fn what_no_endpoint_takes_is_refused_as_a_problem_too() {
    let dir = tempfile::tempdir().unwrap();
    let service = Service::start(&dir.path().join("root"));
    for (method, path, status) in
        [("PATCH", "/api/crawls", 405), ("GET", "/api/crawls/%FF", 400), ("GET", "/api/none", 404)]
    {
        let reply = service.ask(method, path, &[], "");
        assert_eq!(reply.status, status, "{reply:?}");
        assert!(reply.head.contains("content-type: application/problem+json"), "{reply:?}");
        assert_eq!(reply.json()["status"], status);
    }
}
