//! `annalist serve`: studies, exports and the like as tasks, from a crawl to files that can be taken away, and what a kill
//! leaves of them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use annalist_testweb::WorldConfig;
use serde_json::{Value, json};
use support::service::Service;
use support::{IMPATIENT, Stand, annalist, assert_exit, finish, json_of};

const LONG: Duration = Duration::from_secs(240);

fn stand(pages: usize) -> Stand {
    Stand::new(WorldConfig { hosts: 6, pages, addresses: 3, crawl_delays: 0.0, ..WorldConfig::default() })
}

/// A crawl of the stand that is over.
fn crawled(stand: &Stand, service: &Service, id: &str) {
    let spec = std::fs::read_to_string(stand.spec(IMPATIENT)).unwrap();
    let reply = service.post("/api/crawls", &json!({"spec": spec, "id": id, "start": true}));
    assert_eq!(reply.status, 201, "{reply:?}");
    service.until(id, LONG, |seen| seen["is_running"] == false && seen["state"] == "complete");
}

fn asked(service: &Service, id: &str, task: &Value) -> u64 {
    let reply = service.post(&format!("/api/crawls/{id}/tasks"), task);
    assert_eq!(reply.status, 202, "{reply:?}");
    reply.json()["number"].as_u64().unwrap()
}

/// A task, once it is over.
fn over(service: &Service, id: &str, number: u64) -> Value {
    let begun = Instant::now();
    loop {
        let task = service.get(&format!("/api/crawls/{id}/tasks/{number}")).json();
        if !matches!(task["state"].as_str(), Some("queued" | "running")) {
            return task;
        }
        assert!(begun.elapsed() < LONG, "it never ended: {task}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn done(service: &Service, id: &str, task: &Value) -> Value {
    let task = over(service, id, asked(service, id, task));
    assert_eq!(task["state"], "done", "{task}");
    task
}

/// Bytes as they come.
fn fetched(service: &Service, path: &str, range: &str) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(&service.address).unwrap();
    let head =
        format!("GET {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n{range}\r\n", service.address);
    stream.write_all(head.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let at = bytes.windows(4).position(|end| end == b"\r\n\r\n").unwrap();
    (String::from_utf8(bytes[..at].to_vec()).unwrap(), bytes[at + 4..].to_vec())
}

fn names(service: &Service, id: &str) -> Vec<String> {
    let list = service.get(&format!("/api/crawls/{id}/exports")).json();
    let name = |one: &Value| one["name"].as_str().unwrap().to_owned();
    list["exports"].as_array().unwrap().iter().map(name).collect()
}

/// The token that forms of the cockpit carry.
fn token(service: &Service) -> String {
    let page = service.get("/new").body;
    page.split("name=\"token\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

fn send(service: &Service, path: &str, fields: &str) -> support::service::Reply {
    let form = ("content-type", "application/x-www-form-urlencoded");
    service.ask("POST", path, &[form], &format!("token={}&{fields}", token(service)))
}

#[test]
fn a_crawl_is_exported_studied_and_rebuilt_by_tasks() {
    let stand = stand(60);
    let root = stand.dir.path().join("root");
    let service = Service::start(&root);
    let spec = std::fs::read_to_string(stand.spec(IMPATIENT)).unwrap();
    service.post("/api/crawls", &json!({"spec": spec, "id": "new"}));
    assert_eq!(
        service.post("/api/crawls/new/tasks", &json!({"kind": "study"})).status,
        409,
        "nothing is there"
    );
    crawled(&stand, &service, "x");
    assert_eq!(service.get("/api/crawls/x/tasks").json(), json!({"tasks": []}), "nothing begins by itself");
    for (wrong, field) in [
        (json!({"kind": "export"}), "format"),
        (json!({"kind": "export", "format": "nquads", "selected": true}), "selected"),
        (json!({"kind": "study", "only": ["colours"]}), "only"),
        (json!({"kind": "study", "format": "wacz"}), "format"),
    ] {
        let reply = service.post("/api/crawls/x/tasks", &wrong);
        assert_eq!((reply.status, &reply.json()["errors"][0]["field"]), (422, &json!(field)), "{reply:?}");
    }
    assert_eq!(service.post("/api/crawls/x/tasks", &json!({"kind": "magic"})).status, 422);
    assert_eq!(service.get("/api/crawls/x/tasks/99").status, 404);
    assert_eq!(service.get("/api/crawls/x/tasks/first").status, 404);

    let task = done(&service, "x", &json!({"kind": "export", "format": "wacz"}));
    assert_eq!(task["files"], json!(["x-1.wacz"]));
    let (head, wacz) = fetched(&service, "/api/crawls/x/exports/x-1.wacz", "");
    for field in ["content-disposition: attachment; filename=\"x-1.wacz\"", "x-content-type-options: nosniff"]
    {
        assert!(head.contains(field), "{head}");
    }
    let copy = stand.dir.path().join("copy.wacz");
    std::fs::write(&copy, &wacz).unwrap();
    assert_exit(&annalist().arg("verify").arg(&copy).output().unwrap(), 0);
    let (head, part) = fetched(&service, "/api/crawls/x/exports/x-1.wacz", "range: bytes=10-19\r\n");
    assert!(head.starts_with("HTTP/1.1 206") && part == wacz[10..20], "{head}");
    for bad in ["..%2Fspec.toml", "%2e%2e%2fspec.toml", "..", ".task-1", "none.wacz"] {
        assert_eq!(service.get(&format!("/api/crawls/x/exports/{bad}")).status, 404, "{bad}");
    }

    // The others, one after the other in the queue.
    let tasks: Vec<u64> = ["warc", "csv", "nquads", "parquet"]
        .iter()
        .map(|format| asked(&service, "x", &json!({"kind": "export", "format": format})))
        .collect();
    for number in tasks {
        let task = over(&service, "x", number);
        assert_eq!(task["state"], "done", "{task}");
        assert!(!task["files"].as_array().unwrap().is_empty(), "{task}");
    }
    let files = names(&service, "x");
    for ending in
        ["-2.nq", ".warc.gz", ".cdxj", "-3.csv", "-3-missing.csv", "-urls.parquet", "-links.parquet"]
    {
        let ending = ending.replace("-2.nq", "-4.nq");
        assert!(files.iter().any(|name| name.ends_with(&ending)), "{ending}: {files:?}");
    }
    let verified = finish(annalist().arg("verify").arg(root.join("x")).arg("--json"), LONG);
    assert_exit(&verified, 0);
    assert_eq!(json_of(&verified)["files"], 1, "what was exported is no part of the archive");

    let task = done(&service, "x", &json!({"kind": "study", "only": ["entities"]}));
    assert!(root.join("x/study").is_dir() || !task["report"].as_array().unwrap().is_empty(), "{task}");
    done(&service, "x", &json!({"kind": "rebuild"}));

    // The same by hand, in the cockpit.
    let sent = send(&service, "/crawls/x/tasks", "kind=export&format=csv&back=export");
    assert!(sent.status == 303 && sent.head.contains("location: /crawls/x/export#tasks"), "{sent:?}");
    assert_eq!(over(&service, "x", 8)["state"], "done");
    let page = service.get("/crawls/x/export").body;
    for text in ["ReplayWeb.page", "x-1.wacz", "Export as CSV", "/api/crawls/x/exports/x-8.csv"] {
        assert!(page.contains(text), "{text}");
    }
    let gone = send(&service, "/crawls/x/exports/remove", "name=x-1.wacz");
    assert_eq!(gone.status, 303, "{gone:?}");
    assert_eq!(service.ask("DELETE", "/api/crawls/x/exports/x-8.csv", &[], "").status, 204);
    let files = names(&service, "x");
    assert!(!files.contains(&"x-1.wacz".to_owned()) && !files.contains(&"x-8.csv".to_owned()), "{files:?}");
}

/// The processes of this program that work on a job.
fn workers(job: &Path) -> Vec<String> {
    let job = job.to_str().unwrap();
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let commands = entries.filter_map(|entry| std::fs::read_to_string(entry.path().join("cmdline")).ok());
    commands.filter(|command| command.split('\0').any(|word| word == job)).collect()
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < LONG, "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_task_is_stopped_or_interrupted_and_leaves_nothing_half_done() {
    let stand = stand(30);
    let root = stand.dir.path().join("root");
    let job = root.join("x");
    let service = Service::start(&root);
    crawled(&stand, &service, "x");
    // Who else makes something of the archive keeps a task waiting, as long as this test needs it.
    let hold = || annalist_crawl::job::JobDir::new(&job).lock_to_derive().unwrap().unwrap();
    let lock = hold();
    let selected = json!({"kind": "export", "format": "wacz", "selected": true});
    let first = asked(&service, "x", &selected);
    until("it runs", || !workers(&job).is_empty());
    let second = asked(&service, "x", &json!({"kind": "study"}));
    let stopped = service.ask("DELETE", &format!("/api/crawls/x/tasks/{first}"), &[], "");
    assert_eq!(stopped.status, 202, "{stopped:?}");
    assert_eq!(over(&service, "x", first)["state"], "stopped");
    assert_eq!(service.ask("DELETE", &format!("/api/crawls/x/tasks/{first}"), &[], "").status, 409);
    assert!(std::fs::read_dir(job.join("exports")).unwrap().next().is_none(), "nothing is left");

    until("the next one runs", || service.get("/api/crawls/x/tasks/2").json()["state"] == "running");
    let third = asked(&service, "x", &json!({"kind": "export", "format": "csv"}));
    assert_eq!(
        service.post("/api/crawls/x/start", &json!({})).status,
        409,
        "a study needs an archive that rests"
    );
    assert_eq!(service.ask("DELETE", "/api/crawls/x", &[], "").status, 409);
    until("it runs", || !workers(&job).is_empty());
    service.kill();
    until("nobody works for a service that is gone", || workers(&job).is_empty());

    let service = Service::start(&root);
    let task = over(&service, "x", second);
    assert_eq!(
        (&task["state"], &task["message"]),
        (&json!("interrupted"), &json!("the service ended while it ran"))
    );
    assert_eq!(over(&service, "x", third)["state"], "done", "what waited is taken up");
    assert!(service.get("/crawls/x/export").body.contains("/tasks/2/again"));
    assert_eq!(send(&service, "/crawls/x/tasks/2/again", "back=export").status, 303);
    until("it runs", || !workers(&job).is_empty());
    assert_eq!(service.interrupt(), Some(0));
    assert!(workers(&job).is_empty(), "an orderly end waits for its tasks");

    drop(lock);
    let service = Service::start(&root);
    assert_eq!(over(&service, "x", 4)["state"], "interrupted");
    assert_eq!(send(&service, "/crawls/x/tasks/4/again", "back=export").status, 303);
    assert_eq!(over(&service, "x", 5)["state"], "done");
}
