//! Crawls that wait, and seeds that are visited again.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::path::Path;
use std::process::Child;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use support::script::{Script, answer, html, missing, spec};
use support::{annalist, assert_exit, assert_valid, captures, finish, json_of, wait, waits_for};

const LIMIT: Duration = Duration::from_secs(60);

fn start(dir: &Path, text: String) -> Child {
    std::fs::write(dir.join("spec.toml"), text).unwrap();
    let mut command = annalist();
    command
        .arg("crawl")
        .arg(dir.join("spec.toml"))
        .arg("--job")
        .arg(dir.join("job"))
        .args(["--json", "--quiet"]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
}

fn stop(dir: &Path, child: Child) {
    assert_exit(&annalist().arg("stop").arg(dir.join("job")).output().unwrap(), 0);
    assert_exit(&wait(child, LIMIT), 11);
}

#[test]
fn a_crawl_says_what_it_waits_for_and_why() {
    let server = Script::serve(|path, _| match path {
        "/robots.txt" => missing(),
        _ => answer("429 Too Many", "Retry-After: 600\r\n", "later"),
    });
    let dir = tempfile::tempdir().unwrap();
    let child = start(dir.path(), spec(server.address, ""));
    let reason = waits_for(&dir.path().join("job"), LIMIT);
    assert!(reason.starts_with("the next try of http://a.test/ at 20"), "{reason}");
    assert!(reason.contains("status 429, Retry-After 10m"), "{reason}");
    stop(dir.path(), child);
}

#[test]
fn a_seed_is_visited_again_and_new_links_on_it_are_followed() {
    let visits = AtomicUsize::new(0);
    let server = Script::serve(move |path, _| match path {
        "/" => match visits.fetch_add(1, Ordering::SeqCst) {
            0 | 1 => html("<a href=/first>x</a>"),
            _ => html("<a href=/first>x</a><a href=/new>x</a>"),
        },
        "/first" | "/new" => html(path),
        _ => missing(),
    });
    let dir = tempfile::tempdir().unwrap();
    let text = spec(server.address, "").replacen("[politeness]", "recrawl = \"1s\"\n[politeness]", 1);
    let child = start(dir.path(), text);
    let begun = Instant::now();
    while !server.paths().contains(&"/new".to_owned()) && begun.elapsed() < LIMIT {
        std::thread::sleep(Duration::from_millis(50));
    }
    stop(dir.path(), child);
    let paths = server.paths();
    assert_eq!(paths.iter().filter(|path| *path == "/first").count(), 1, "{paths:?}");
    assert_eq!(paths.iter().filter(|path| *path == "/new").count(), 1, "{paths:?}");
    assert!(paths.iter().filter(|path| *path == "/").count() >= 3, "{paths:?}");
    let job = dir.path().join("job");
    assert_valid(&job);
    let of_seed: Vec<_> = captures(&job).into_iter().filter(|c| c.url == "http://a.test/").collect();
    let mut revisits = of_seed.iter().filter(|capture| capture.mime == "warc/revisit").peekable();
    assert!(revisits.peek().is_some() && revisits.all(|capture| capture.status == "200"), "{of_seed:?}");
    assert!(of_seed.iter().filter(|capture| capture.mime == "text/html").count() >= 2, "{of_seed:?}");
    let told = annalist().arg("explain").arg(&job).arg("a.test").output().unwrap();
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.contains("captured") && told.contains("to be visited again"), "{told}");
    let skipped = std::fs::read_to_string(job.join("logs/skipped.jsonl")).unwrap();
    assert!(!skipped.contains("\"http://a.test/\""), "{skipped}");
}

#[test]
fn a_page_that_is_visited_again_counts_as_found_once() {
    let visits = AtomicUsize::new(0);
    let server = Script::serve(move |path, _| match path {
        "/" => {
            let visit = visits.fetch_add(1, Ordering::SeqCst);
            html(&format!("<p>The troika talked about the debt and the bailout, the {visit}th time."))
        }
        _ => missing(),
    });
    let dir = tempfile::tempdir().unwrap();
    let topic = "[topic]\nkeywords = [\"debt\", \"bailout\", \"troika\"]\n";
    let text = spec(server.address, topic).replacen("[politeness]", "recrawl = \"1s\"\n[politeness]", 1);
    let child = start(dir.path(), text);
    let begun = Instant::now();
    let asked = || server.paths().into_iter().filter(|path| path == "/").count();
    while asked() < 3 && begun.elapsed() < LIMIT {
        std::thread::sleep(Duration::from_millis(50));
    }
    stop(dir.path(), child);
    let job = dir.path().join("job");
    let seed = captures(&job).into_iter().filter(|capture| capture.url == "http://a.test/").count();
    assert!(seed >= 3, "{seed} captures");
    let told = annalist().arg("status").arg(&job).arg("--json").output().unwrap();
    let told = json_of(&told);
    assert_eq!((&told["relevant"], &told["harvest_curve"]), (&json!(1), &json!([[1, 1]])), "{told}");
}

#[test]
fn a_seed_between_two_visits_is_what_the_crawl_waits_for_over_runs_and_redirects() {
    let server = Script::serve(|path, _| match path {
        "/" => answer("301 Moved", "Location: /home\r\n", ""),
        "/home" => html("home"),
        _ => missing(),
    });
    let dir = tempfile::tempdir().unwrap();
    let once = spec(server.address, "");
    assert_exit(&wait(start(dir.path(), once.clone()), LIMIT), 0);
    // The seed is done; an interval added later counts from then.
    let child = start(dir.path(), once.replacen("[politeness]", "recrawl = \"1h\"\n[politeness]", 1));
    let reason = waits_for(&dir.path().join("job"), LIMIT);
    assert!(reason.starts_with("the next visit to http://a.test/ at 20"), "{reason}");
    assert!(reason.contains("every 1h"), "{reason}");
    stop(dir.path(), child);
    let home = |server: &Script| server.paths().iter().filter(|path| *path == "/home").count();
    assert_eq!(home(&server), 1);
    let child = start(dir.path(), once.replacen("[politeness]", "recrawl = \"1s\"\n[politeness]", 1));
    let begun = Instant::now();
    while home(&server) < 2 && begun.elapsed() < LIMIT {
        std::thread::sleep(Duration::from_millis(50));
    }
    stop(dir.path(), child);
    assert!(home(&server) >= 2, "where the seed leads is visited with it");
    let mut limited = annalist();
    limited.arg("crawl").arg("--job").arg(dir.path().join("job")).args(["--quiet", "--time-limit", "2s"]);
    assert_exit(&finish(&mut limited, LIMIT), 15);
}
