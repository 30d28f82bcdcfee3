//! The topic of a crawl is what its spec names at its start, unless somebody has corrected what was learned of it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use support::script::{Script, html, missing, spec};
use support::service::Service;
use support::{annalist, assert_exit, finish};

const LONG: Duration = Duration::from_secs(60);

fn server() -> Script {
    Script::serve(|path, _| match path {
        "/" => html("<p>A hostile bailout, and austerity after it.</p>"),
        _ => missing(),
    })
}

fn about(server: &Script, keyword: &str) -> String {
    let more = format!(
        "apps = false\n[scope]\nsitemaps = false\n[topic]\nkeywords = [{keyword:?}]\nlanguages = [\"en\"]"
    );
    spec(server.address, &more)
}

fn read(job: &Path, name: &str) -> String {
    std::fs::read_to_string(job.join(name)).unwrap()
}

fn run(service: &Service) {
    let reply = service.post("/api/crawls/x/start", &Value::Null);
    assert_eq!(reply.status, 202, "{reply:?}");
    service.until("x", LONG, |seen| seen["is_running"] == false && seen["state"] == "complete");
}

/// What the answer to a change says of the definition.
fn change(service: &Service, text: &str) -> Value {
    let reply = service.ask("PUT", "/api/crawls/x/spec", &[], text);
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json()["judged_apart"].clone()
}

fn is_told(service: &Service, what: &str) -> bool {
    service.get("/api/crawls/x/events").body.contains(what)
}

#[test]
fn another_topic_counts_with_the_next_start_and_what_somebody_corrected_stays_until_they_want_it_learned_again()
 {
    let server = server();
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    let job = root.join("x");
    let service = Service::start(&root);
    let reply = service.post("/api/crawls", &json!({"spec": about(&server, "hostile"), "id": "x"}));
    assert_eq!(reply.status, 201, "{reply:?}");
    assert_eq!(service.post("/api/crawls/x/learn-again", &Value::Null).status, 409, "nothing is learned yet");
    run(&service);
    let first = read(&job, "definition.toml");
    assert!(first.contains("keywords = [\"hostile\"]"), "{first}");
    run(&service);
    assert_eq!(read(&job, "definition.toml"), first, "nothing was changed");

    assert_eq!(change(&service, &about(&server, "bailout")), Value::Null);
    run(&service);
    let second = read(&job, "definition.toml");
    assert!(second.contains("keywords = [\"bailout\"]") && !second.contains("hostile"), "{second}");
    assert_eq!(read(&job, "definition.toml.before"), first);
    assert!(is_told(&service, "it is learned again"));

    let corrected = second.replace("[terms]\n", "[terms]\nrescue = 0.5\n");
    assert_ne!(corrected, second);
    std::fs::write(job.join("definition.toml"), &corrected).unwrap();
    let told = change(&service, &about(&server, "austerity"));
    assert!(told.as_str().unwrap().contains("somebody has corrected it"), "{told}");
    run(&service);
    assert_eq!(read(&job, "definition.toml"), corrected);
    assert!(is_told(&service, "is used as it is"));
    let page = service.get("/crawls/x/settings").body;
    assert!(
        page.contains("The topic does not follow the spec") && page.contains("/do/learn-again"),
        "{page}"
    );

    assert_eq!(service.post("/api/crawls/x/learn-again", &Value::Null).status, 202);
    assert_eq!(read(&job, "definition.toml.before"), corrected);
    assert!(!service.get("/crawls/x/settings").body.contains("The topic does not follow the spec"));
    run(&service);
    assert!(read(&job, "definition.toml").contains("keywords = [\"austerity\"]"));
}

#[test]
fn another_topic_counts_for_a_crawl_that_is_typed_too() {
    let server = server();
    let dir = tempfile::tempdir().unwrap();
    let (file, job) = (dir.path().join("spec.toml"), dir.path().join("job"));
    let crawl = |keyword: &str| {
        std::fs::write(&file, about(&server, keyword)).unwrap();
        let output = finish(annalist().arg("crawl").arg(&file).arg("--job").arg(&job), LONG);
        assert_exit(&output, 0);
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    crawl("hostile");
    let said = crawl("bailout");
    assert!(said.contains("it is learned again"), "{said}");
    assert!(read(&job, "definition.toml").contains("keywords = [\"bailout\"]"));
    // As it was before definitions said what they were learned for, nobody knows whether it was corrected.
    let text = read(&job, "definition.toml");
    let bare = text.split("\n# As it was learned").next().unwrap();
    std::fs::write(job.join("definition.toml"), bare).unwrap();
    assert!(!crawl("bailout").contains("warning"), "it says the same");
    let said = crawl("austerity");
    assert!(said.contains("warning: definition.toml is of another topic"), "{said}");
    assert_eq!(read(&job, "definition.toml"), bare);
}

#[test]
fn a_crawl_waits_for_who_only_makes_something_of_what_is_there() {
    let server = server();
    let dir = tempfile::tempdir().unwrap();
    let (job, file) = (dir.path().join("job"), dir.path().join("spec.toml"));
    std::fs::write(&file, about(&server, "bailout")).unwrap();
    let crawl = || {
        let mut command = annalist();
        command.arg("crawl").arg(&file).arg("--job").arg(&job).arg("--quiet");
        command
    };
    assert_exit(&finish(&mut crawl(), LONG), 0);
    let lock = annalist_crawl::job::JobDir::new(&job).lock_to_derive().unwrap().unwrap();
    let mut command = crawl();
    command.stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut told = std::io::BufRead::lines(std::io::BufReader::new(child.stderr.take().unwrap()));
    let waits = told.any(|line| line.unwrap().starts_with("waiting for another annalist (process "));
    let is_waiting = child.try_wait().unwrap().is_none();
    drop(lock);
    assert_exit(&support::wait(child, LONG), 0);
    assert!(waits && is_waiting);
}
