//! Descriptions of applications that a spec names: found beside the spec, used by the crawl, and never a reason for it to stop.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use serde_json::Value;
use support::script::{Script, html, missing, spec};
use support::{annalist, assert_exit, finish};

const GOOD: &str = r#"<application id="pinboard" name="Pinboard" extends="forum">
  <detect><generator contains="Pinboard"/></detect>
  <never path="/print/*" reason="print view"/>
  <level id="board" kind="terminal">
    <detect><url path="*"/></detect>
    <object type="post" at="div[has(@class,'pin')]"><id at="./@id"/><body at="./p"/></object>
  </level>
</application>"#;

const BAD: &str =
    "<application id=\"broken\" name=\"Broken\">\n  <detect><colour is=\"red\"/></detect>\n</application>";

fn server() -> Script {
    Script::serve(|path, _| match path {
        "/" => html(
            "<meta name=generator content='Pinboard 2'><div class=pin id=p1><p>A pin</div>\
             <a href=/print/1>Print</a><a href=/more>More</a>",
        ),
        "/more" => {
            html("<meta name=generator content='Pinboard 2'><div class=pin id=p2><p>Another pin</div>")
        }
        _ => missing(),
    })
}

/// A spec in a folder that has descriptions, a good one and a bad one.
fn stand(server: &Script) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in [("good", GOOD), ("bad", BAD)] {
        let folder = dir.path().join("mine").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("app.xml"), text).unwrap();
    }
    let path = dir.path().join("spec.toml");
    std::fs::write(&path, spec(server.address, "catalogue = [\"mine\"]")).unwrap();
    (dir, path)
}

fn crawl(arguments: &[&Path]) -> Output {
    let mut command = annalist();
    command.arg("crawl").args(arguments).arg("--quiet").current_dir("/");
    let output = finish(&mut command, Duration::from_secs(60));
    assert_exit(&output, 0);
    output
}

fn is_told(text: &str) -> bool {
    text.contains("mine/bad/app.xml:2: ") && text.contains("it is left out")
}

#[test]
fn a_mistake_in_a_description_is_a_warning_at_the_start_and_the_others_are_used() {
    let server = server();
    let (dir, spec) = stand(&server);
    let job = dir.path().join("job");
    let output = crawl(&[&spec, Path::new("--job"), &job]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.lines().any(|line| line.starts_with("warning: catalogue: ") && is_told(line)), "{told}");
    let events = std::fs::read_to_string(job.join("logs/events.jsonl")).unwrap();
    let is_event = |event: &Value| event["severity"] == "warning" && is_told(&event.to_string());
    assert!(events.lines().any(|line| is_event(&serde_json::from_str(line).unwrap())), "{events}");
    let objects = annalist().args(["apps", "objects", "--jsonl"]).arg(&job).output().unwrap();
    let objects = String::from_utf8_lossy(&objects.stdout);
    assert!(objects.contains("Another pin") && objects.contains("pinboard"), "{objects}");
    assert!(!server.paths().contains(&"/print/1".to_owned()));
    let skipped = std::fs::read_to_string(job.join("logs/skipped.jsonl")).unwrap();
    assert!(skipped.contains("/print/1") && skipped.contains("application"), "{skipped}");
}

#[test]
fn a_crawl_that_is_resumed_from_its_job_finds_the_descriptions_again() {
    let server = server();
    let (dir, spec) = stand(&server);
    let job = dir.path().join("job");
    crawl(&[&spec, Path::new("--job"), &job, Path::new("--limit"), Path::new("1")]);
    assert!(!server.paths().contains(&"/more".to_owned()));
    crawl(&[Path::new("--job"), &job, Path::new("--limit"), Path::new("9")]);
    let objects = annalist().args(["apps", "objects", "--jsonl"]).arg(&job).output().unwrap();
    let objects = String::from_utf8_lossy(&objects.stdout);
    let of_more = objects.lines().find(|line| line.contains("Another pin")).unwrap_or_default();
    assert!(of_more.contains("pinboard"), "{objects}");
}

#[test]
fn checking_a_spec_tells_mistakes_in_its_descriptions_as_warnings() {
    let server = server();
    let (_dir, spec) = stand(&server);
    let check = |text: &str| {
        std::fs::write(&spec, text).unwrap();
        let output = annalist().args(["check", "--json"]).arg(&spec).output().unwrap();
        assert_exit(&output, 0);
        (String::from_utf8_lossy(&output.stderr).into_owned(), support::json_of(&output))
    };
    let (told, json) = check(&std::fs::read_to_string(&spec).unwrap());
    assert!(told.contains("warning: catalogue: ") && is_told(&told), "{told}");
    assert_eq!(json["warnings"].as_array().unwrap().len(), 1, "{json}");
    assert_eq!(json["good"], true);
    let (told, _) = check(&std::fs::read_to_string(&spec).unwrap().replace("\"mine\"", "\"nowhere\""));
    assert!(told.contains("nowhere") && told.contains("cannot be read"), "{told}");
}
