//! `annalist serve` when something is in the way: a second service, a job that somebody else has, a start that cannot be made
//! yet, a crawl that is damaged, a disk that takes nothing.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set up its stand has failed")]

mod support;

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use annalist_crawl::job::JobDir;
use serde_json::{Value, json};
use support::script::{Script, html, missing, spec};
use support::service::{Service, a_moment_ago, service};
use support::{BOOK, annalist, assert_exit, finish, wait};

const LONG: Duration = Duration::from_secs(180);

/// A server of a few pages; `/slow` is answered once it is allowed to.
fn server(may_answer: &Arc<AtomicBool>) -> Script {
    let may_answer = Arc::clone(may_answer);
    Script::serve(move |path, _| match path {
        "/" => html("<a href=\"/slow\">slow</a> <a href=\"/2\">2</a>"),
        "/slow" | "/2" => {
            while !may_answer.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(10));
            }
            html("<p>here</p>")
        }
        _ => missing(),
    })
}

fn is_over(seen: &Value) -> bool {
    seen["is_running"] == false && seen["state"] == "complete"
}

fn under_way(server: &Script) {
    while !server.paths().iter().any(|path| path == "/slow" || path == "/2") {
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn events(service: &Service, id: &str, question: &str) -> Vec<String> {
    let told = service.get(&format!("/api/crawls/{id}/events?{question}")).json();
    let text = |event: &Value| event["message"].as_str().unwrap().to_owned();
    told["events"].as_array().unwrap().iter().map(text).collect()
}

#[test]
fn a_root_is_served_once_and_what_is_wanted_outlives_who_has_the_job() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    let server = server(&Arc::new(AtomicBool::new(true)));
    let (job, book) = (root.join("x"), dir.path().join("book"));
    // Between two requests there is time for all of this.
    let patient = spec(server.address, "").replace("_delay = \"0s\"", "_delay = \"1h\"");
    let first = Service::start(&root);
    first.make(&patient, "x", true);
    first.until("x", LONG, |seen| seen["captures"].as_u64() > Some(0));
    // A second one goes away and changes nothing.
    let second = finish(&mut service(&root), LONG);
    assert_exit(&second, 9);
    assert!(String::from_utf8_lossy(&second.stderr).contains("is served by process"), "{second:?}");
    let wanted: Value =
        serde_json::from_slice(&std::fs::read(job.join("state/service.json")).unwrap()).unwrap();
    assert_eq!((&wanted["goal"], &wanted["failed"]), (&json!("run"), &Value::Null));
    first.kill();

    // Somebody else takes the job up before the service comes again.
    let mut other = annalist();
    other.env(BOOK, book).arg("crawl").arg(job.join("spec.toml")).arg("--job").arg(&job).arg("--quiet");
    let other = other.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while JobDir::new(&job).holder().unwrap() != Some(other.id()) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let again = Service::start(&root);
    let waits = format!("process {} to end", other.id());
    let seen = again.until("x", LONG, |seen| {
        seen["waits_for"].as_str().is_some_and(|what| what.contains(&waits)) && seen["is_running"] == false
    });
    assert_eq!((&seen["goal"], &seen["failed"]), (&json!("run"), &Value::Null));
    assert!(again.get("/crawls/x").body.contains(&waits));
    // Once that one is stopped, the service goes on with it.
    let sent = Command::new("kill").args(["-INT", &other.id().to_string()]).status().unwrap();
    assert!(sent.success());
    wait(other, LONG);
    again.until("x", LONG, |_| !events(&again, "x", "subsystem=service").is_empty());
    assert!(events(&again, "x", "subsystem=service")[0].contains(&waits));
    assert_eq!(again.get("/api/crawls/x").json()["is_running"], true);
}

#[test]
fn a_start_that_is_due_while_something_is_in_its_way_is_made_after_it() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    let may_answer = Arc::new(AtomicBool::new(false));
    let server = server(&may_answer);
    let service = Service::start(&root);
    service.make(&spec(server.address, ""), "x", true);
    under_way(&server);
    let due = || {
        assert_eq!(service.put("/api/crawls/x/schedule", &json!({"next": a_moment_ago()})).status, 200);
        service.until("x", LONG, |seen| seen["goal"] == "run" && seen["schedule"].is_null())
    };
    // Its time has come; the page under way has not.
    assert_eq!(service.post("/api/crawls/x/stop", &json!({})).status, 202);
    due();
    may_answer.store(true, Ordering::SeqCst);
    service.until("x", LONG, is_over);

    // The same with a study, which takes as long as it is kept from the job.
    let lock = JobDir::new(root.join("x")).lock_to_derive().unwrap().unwrap();
    assert_eq!(service.post("/api/crawls/x/tasks", &json!({"kind": "study"})).status, 202);
    service.until("x", LONG, |_| service.get("/api/crawls/x/tasks").json()["tasks"][0]["state"] == "running");
    assert_eq!(service.post("/api/crawls/x/start", &json!({})).status, 409);
    let seen = due();
    assert_eq!((&seen["waits_for"], &seen["is_running"]), (&json!("a study to end"), &json!(false)));
    drop(lock);
    let told = || events(&service, "x", "q=study&severity=warning");
    service.until("x", LONG, |_| told() == ["the start had to wait for a study to end"]);
    service.until("x", LONG, is_over);
    let seeds = server.paths().iter().filter(|path| *path == "/").count();
    assert!(seeds >= 2, "a start by schedule visits the seeds again: {seeds}");

    // Who stops a crawl that waits does not want it any more.
    let lock = JobDir::new(root.join("x")).lock_to_derive().unwrap().unwrap();
    assert_eq!(service.post("/api/crawls/x/start", &json!({})).status, 202);
    service.until("x", LONG, |seen| seen["waits_for"].is_string() && seen["is_running"] == false);
    assert_eq!(service.post("/api/crawls/x/stop", &json!({})).status, 202);
    let seen = service.get("/api/crawls/x").json();
    assert_eq!((&seen["goal"], &seen["waits_for"]), (&json!("rest"), &Value::Null));
    drop(lock);
}

#[test]
fn a_crawl_is_stopped_though_that_cannot_be_kept_and_a_name_is_free_until_it_is_a_crawl() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    let may_answer = Arc::new(AtomicBool::new(false));
    let server = server(&may_answer);
    let service = Service::start(&root);
    // What a full disk, or a kill, left of an earlier try.
    std::fs::create_dir(root.join("x")).unwrap();
    std::fs::create_dir_all(root.join("theirs/photos")).unwrap();
    service.make(&spec(server.address, ""), "x", true);
    let theirs = json!({"spec": spec(server.address, ""), "id": "theirs"});
    assert_eq!(service.post("/api/crawls", &theirs).status, 409);
    under_way(&server);
    // A folder in the way of the fresh file stands for a disk that takes nothing.
    let kept = root.join("x/state/service.new");
    std::fs::create_dir_all(kept.join("full")).unwrap();
    for (action, state) in [("pause", "paused"), ("stop", "finishing")] {
        let reply = service.post(&format!("/api/crawls/x/{action}"), &json!({}));
        assert_eq!(reply.status, 500, "{reply:?}");
        service.until("x", LONG, |seen| seen["state"] == state || seen["is_running"] == false);
    }
    may_answer.store(true, Ordering::SeqCst);
    let seen = service.until("x", LONG, |seen| seen["is_running"] == false);
    assert_eq!(seen["state"], "interrupted");
}

#[test]
fn a_paused_crawl_that_is_stopped_waits_for_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let may_answer = Arc::new(AtomicBool::new(false));
    let server = server(&may_answer);
    let service = Service::start(&dir.path().join("root"));
    service.make(&spec(server.address, ""), "x", true);
    under_way(&server);
    assert_eq!(service.post("/api/crawls/x/pause", &json!({})).status, 202);
    service.until("x", LONG, |seen| seen["state"] == "paused");
    // Seen at once, and so while its last page is under way.
    let mut seen = service.post("/api/crawls/x/stop", &json!({})).json();
    let mut page = service.get("/crawls/x").body;
    for _ in 0..20 {
        if seen["is_running"] == false {
            break;
        }
        assert_eq!((&seen["state"], &seen["waits_for"]), (&json!("finishing"), &Value::Null));
        if page.contains(">finishing<") {
            assert!(page.contains("Stop at once") && !page.contains("do/pause"), "{page}");
            assert!(!page.contains("it is paused"), "{page}");
        }
        std::thread::sleep(Duration::from_millis(20));
        (seen, page) = (service.get("/api/crawls/x").json(), service.get("/crawls/x").body);
    }
    may_answer.store(true, Ordering::SeqCst);
    service.until("x", LONG, |seen| seen["is_running"] == false);
}

#[test]
fn one_damaged_crawl_is_shown_as_such_and_hides_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    let server = server(&Arc::new(AtomicBool::new(true)));
    let good = spec(server.address, "");
    let service = Service::start(&root);
    for id in ["good", "mangled", "torn"] {
        service.make(&good, id, id == "torn");
    }
    service.until("torn", LONG, is_over);
    drop(service);
    std::fs::write(root.join("mangled/spec.toml"), "name = \"x\"\n[limits\npages = 1\n").unwrap();
    std::fs::remove_file(root.join("torn/state/status.json")).unwrap();
    for entry in std::fs::read_dir(root.join("torn/state/frontier")).unwrap() {
        std::fs::write(entry.unwrap().path(), "not what it was").unwrap();
    }
    let service = Service::start(&root);
    let all = service.get("/api/crawls").json();
    let state = |place: usize| all["crawls"][place]["state"].as_str().unwrap().to_owned();
    assert_eq!([state(0), state(1), state(2)], ["new", "damaged", "damaged"], "{all}");
    assert!(all["crawls"][1]["failed"].as_str().unwrap().contains("spec.toml"), "{all}");
    assert!(all["crawls"][2]["failed"].as_str().unwrap().contains("frontier"), "{all}");
    assert!(service.get("/metrics").body.contains("annalist_running{crawl=\"torn\"} 0"));
    assert_eq!(service.get("/").status, 200);
    for view in ["", "/queue", "/settings", "/log"] {
        assert_eq!(service.get(&format!("/crawls/mangled{view}")).status, 200, "{view}");
    }
    // It is given out to be repaired, and is.
    assert!(service.get("/api/crawls/mangled/spec").body.contains("[limits\n"));
    let page = service.get("/crawls/mangled/settings").body;
    assert!(page.contains("[limits\n") && page.contains("the spec has"), "{page}");
    let repaired = service.ask("PUT", "/api/crawls/mangled/spec", &[], &good);
    assert_eq!(repaired.status, 200, "{repaired:?}");
    assert_eq!(service.get("/api/crawls/mangled").json()["state"], "new");
    assert_eq!(service.ask("DELETE", "/api/crawls/torn", &[], "").status, 204);
}

#[test]
fn a_crawl_at_rest_tells_its_queue_and_its_log_to_the_beginning_and_keeps_its_seeds_and_its_manners() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    let server = server(&Arc::new(AtomicBool::new(true)));
    let limited = spec(server.address, "[limits]\npages = 1\n");
    let service = Service::start(&root);
    service.make(&limited, "x", true);
    service.until("x", LONG, |seen| seen["state"] == "pagelimit");
    let queue = service.get("/api/crawls/x/queue").json();
    assert_eq!((&queue["total"], &queue["sites"][0]["site"]), (&json!(1), &json!("a.test")), "{queue}");
    assert!(queue["sites"][0]["queued"].as_u64() > Some(0), "{queue}");
    assert_eq!(service.get("/api/crawls/x/queue?offset=1").json()["sites"], json!([]));
    assert!(service.get("/crawls/x/queue").body.contains("a.test"));

    // Page by page, and each line once.
    let all = service.get("/api/crawls/x/events").json();
    assert_eq!((&all["more"], &all["next"]), (&json!(false), &Value::Null));
    let (mut paged, mut before) = (Vec::new(), String::new());
    loop {
        let part = service.get(&format!("/api/crawls/x/events?limit=1{before}")).json();
        paged.extend(part["events"].as_array().unwrap().clone());
        assert_eq!(part["more"], json!(part["next"].is_u64()), "{part}");
        let Some(next) = part["next"].as_u64() else { break };
        before = format!("&before={next}");
    }
    assert!(paged.len() > 1);
    assert_eq!(json!(paged), all["events"]);
    assert_eq!(service.get("/api/crawls/x/events?q=severity").json()["events"], json!([]));
    for (path, field) in [
        ("events?severity=grave", "severity"),
        ("skipped?reason=magic", "reason"),
        ("events?offset=3", "offset"),
        ("fetched?limit=abc", "limit"),
    ] {
        let wrong = service.get(&format!("/api/crawls/x/{path}"));
        assert_eq!((wrong.status, &wrong.json()["errors"][0]["field"]), (422, &json!(field)), "{wrong:?}");
    }
    let course = service.get("/api/crawls/x/course").json();
    let last = course["points"].as_array().unwrap().last().unwrap();
    assert!(last["events"]["crawl"]["info"].as_u64() > Some(0), "{course}");
    let metrics = service.get("/metrics").body;
    for line in ["annalist_captures_by_status_total{crawl=\"x\",class=\"2xx\"}", "severity=\"info\"} "] {
        assert!(metrics.contains(line), "{metrics}");
    }

    // Seeds stay, and nobody is asked on the live web without a name.
    let put = |text: &str| service.ask("PUT", "/api/crawls/x/spec", &[], text);
    let other = put(&limited.replace("a.test", "b.test"));
    assert_eq!((other.status, &other.json()["errors"][0]["field"]), (422, &json!("seed")), "{other:?}");
    let live = json!({"urls": ["https://www.example.org/"]});
    let nameless = service.post("/api/crawls/x/seeds", &live);
    assert_eq!((nameless.status, &nameless.json()["errors"][0]["field"]), (422, &json!("contact")));
    let batch = json!([{"url": "https://www.example.org/"}, {"url": 5},
        {"url": "https://www.example.org/", "blacklisted": true}, {"url": "http://a.test/", "blacklisted": null}]);
    let told = service.post("/api/crawls/x/urls", &batch);
    assert_eq!((told.status, &told.json()["accepted"], &told.json()["refused"]), (202, &json!(2), &json!(2)));
    let fields: Vec<Value> =
        told.json()["errors"].as_array().unwrap().iter().map(|error| error["field"].clone()).collect();
    assert!(fields.contains(&json!("[0].url")) && fields.contains(&json!("[1].url")), "{fields:?}");

    // What was set for a site is taken away again.
    let site = |change: &Value| service.put("/api/crawls/x/sites/a.test", change).status;
    assert_eq!(site(&json!({"pages": 7, "min_delay": "3s", "max_delay": "4s"})), 200);
    let text = || service.get("/api/crawls/x/spec").body;
    assert!(text().contains("pages = 7") && text().contains("3s"), "{}", text());
    assert_eq!(site(&json!({"pages": null, "min_delay": null})), 200);
    assert!(!text().contains("pages = 7") && !text().contains("3s") && text().contains("4s"), "{}", text());

    // What is remembered of a queue counts until the crawl went on.
    let captures = || service.get("/api/crawls/x/queue").json()["sites"][0]["captures"].as_u64().unwrap();
    let before = (captures(), captures());
    assert_eq!(service.put("/api/crawls/x/limits", &json!({"pages": 2})).status, 200);
    assert_eq!(service.ask("POST", "/api/crawls/x/start", &[], "").status, 202);
    service.until("x", LONG, |seen| seen["state"] == "pagelimit" && seen["pages"] == 2);
    assert_eq!((before.0, captures()), (before.1, before.1 + 1));
}

#[test]
fn a_start_by_schedule_leaves_a_paused_crawl_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let may_answer = Arc::new(AtomicBool::new(false));
    let server = server(&may_answer);
    let service = Service::start(&dir.path().join("root"));
    service.make(&spec(server.address, ""), "x", true);
    under_way(&server);
    assert_eq!(service.post("/api/crawls/x/pause", &json!({})).status, 202);
    may_answer.store(true, Ordering::SeqCst);
    service.until("x", LONG, |seen| seen["state"] == "paused" && seen["visits_in_flight"] == 0);
    let asked = server.paths();
    assert_eq!(service.put("/api/crawls/x/schedule", &json!({"next": a_moment_ago()})).status, 200);
    let seen = service.until("x", LONG, |seen| seen["schedule"].is_null());
    assert_eq!((&seen["state"], &seen["goal"]), (&json!("paused"), &json!("pause")), "{seen}");
    assert_eq!(server.paths(), asked);
}

#[test]
fn what_was_archived_is_shown_though_the_spec_is_damaged_and_never_that_of_a_removed_crawl_of_the_same_name()
{
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    let is_second = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&is_second);
    let server = Script::serve(move |path, _| match path {
        "/" if seen.load(Ordering::SeqCst) => html("<p>the second</p>"),
        "/" => html("<p>the first</p>"),
        _ => missing(),
    });
    let text = server.plain_spec();
    let service = Service::start(&root);
    service.make(&text, "x", true);
    service.until("x", LONG, is_over);
    // The newest, which is at its own address.
    let shown = |service: &Service| {
        let newest = service.replayed("/x/mp_/http://a.test/");
        let to = newest.head.lines().find_map(|line| line.strip_prefix("location: "));
        let to = to.and_then(|to| to.strip_prefix(&format!("http://{}", service.replay)));
        to.map(|to| service.replayed(to)).unwrap_or(newest)
    };
    assert!(shown(&service).body.contains("the first"), "{:?}", shown(&service));
    std::fs::write(root.join("x/spec.toml"), "name = \"x\"\n[limits\n").unwrap();
    assert_eq!(service.get("/api/crawls/x").json()["state"], "damaged");
    assert!(shown(&service).body.contains("the first"), "{:?}", shown(&service));
    let page = service.get("/crawls/x/page?url=http://a.test/");
    assert!(page.status == 200 && page.body.contains("mp_/http://a.test/"), "{page:?}");

    assert_eq!(service.ask("DELETE", "/api/crawls/x", &[], "").status, 204);
    assert_eq!(shown(&service).status, 404);
    is_second.store(true, Ordering::SeqCst);
    service.make(&text, "x", true);
    service.until("x", LONG, is_over);
    let now = shown(&service).body;
    assert!(now.contains("the second") && !now.contains("the first"), "{now}");
}

#[test]
fn whatever_cannot_be_read_is_told_like_all_else_that_is_wrong_to_programs_and_to_people() {
    let dir = tempfile::tempdir().unwrap();
    let service = Service::start(&dir.path().join("root"));
    service.make(&spec("127.0.0.1:9".parse().unwrap(), ""), "x", false);
    let (json, plain) = (("content-type", "application/json"), ("content-type", "text/plain"));
    let long = " ".repeat((16 << 20) + 1);
    for (method, path, kind, body, status, field) in [
        ("GET", "/api/crawls/%ff", plain, "", 400, "id"),
        ("GET", "/api/crawls/x/tasks/first", plain, "", 404, "number"),
        ("GET", "/api/crawls/x/queue?limit=many", plain, "", 422, "limit"),
        ("POST", "/api/crawls", json, "{", 422, "body"),
        ("POST", "/api/crawls", json, "{\"spec\": 5}", 422, "spec"),
        ("POST", "/api/crawls", plain, "{}", 415, ""),
        ("POST", "/api/crawls", json, &long, 413, ""),
        ("POST", "/api/crawls/x/urls", json, &long, 413, ""),
        ("PATCH", "/api/crawls/x", json, "{}", 405, ""),
        ("POST", "/api/openapi.json", json, "{}", 405, ""),
        ("GET", "/api/nothing", plain, "", 404, ""),
        ("GET", "/api", plain, "", 404, ""),
    ] {
        let reply = service.ask(method, path, &[kind], body);
        assert!(reply.head.contains("content-type: application/problem+json"), "{method} {path}: {reply:?}");
        let told = reply.json();
        let named = told["errors"][0]["field"].as_str().unwrap_or_default();
        assert_eq!((reply.status, named), (status, field), "{method} {path}: {reply:?}");
    }
    let form = ("content-type", "application/x-www-form-urlencoded");
    for (method, path, kind, status) in [
        ("GET", "/crawls/%ff", plain, 400),
        ("GET", "/crawls/x/queue?offset=many", plain, 422),
        ("GET", "/static/%ff", plain, 400),
        ("POST", "/login", plain, 415),
        ("POST", "/login", form, 422),
        ("POST", "/new/upload", plain, 400),
        ("POST", "/new", plain, 415),
        ("POST", "/crawls/x/tasks/first/stop", form, 404),
        ("DELETE", "/crawls/x", plain, 405),
        ("GET", "/nothing", plain, 404),
    ] {
        let reply = service.ask(method, path, &[kind], "");
        assert!(reply.head.contains("content-type: text/html"), "{method} {path}: {reply:?}");
        assert_eq!(reply.status, status, "{method} {path}: {reply:?}");
    }
}

#[test]
fn a_host_that_is_given_up_is_told_once_in_the_log_and_so_is_why_a_crawl_ends() {
    let dir = tempfile::tempdir().unwrap();
    let server = server(&Arc::new(AtomicBool::new(true)));
    let seeds = |n| format!("[[seed]]\nurl = \"http://b.test/{n}\"\n");
    let seeds: String = (0..5).map(seeds).collect();
    // Nobody listens there.
    let spec = format!("{}\"b.test\" = \"127.0.0.1:9\"\n", spec(server.address, &seeds));
    let service = Service::start(&dir.path().join("root"));
    service.make(&spec, "x", true);
    service.until("x", LONG, is_over);
    let warnings = events(&service, "x", "severity=warning&subsystem=web");
    let [given_up] = warnings.as_slice() else { panic!("{warnings:?}") };
    assert!(given_up.contains("http://b.test is given up: it failed 3 times in a row"), "{given_up}");
    let ended = events(&service, "x", "q=ends");
    assert_eq!(ended, ["the crawl ends: nothing is left to fetch"]);
}
