//! The demo: two crawls of a web made for trying, told apart.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::path::Path;
use std::process::Output;
use std::time::Duration;

use support::{annalist, assert_exit, assert_valid, finish, json_of};

fn demo(job: &Path) -> Output {
    let mut command = annalist();
    finish(command.args(["demo", "--pages", "1000", "--json", "--job"]).arg(job), Duration::from_secs(120))
}

#[test]
fn the_demo_shows_what_knowing_the_topic_brings() {
    let dir = tempfile::tempdir().unwrap();
    let job = dir.path().join("collections/demo");
    let output = demo(&job);
    assert_exit(&output, 0);
    let json = json_of(&output);
    let harvest = |which: &str| json[which]["harvest"].as_f64().unwrap();
    assert!(harvest("topical") >= 1.5 * harvest("breadth_first"), "{json}");
    assert!(json["harvest_ratio"].as_f64().is_some() && json["captures"].as_u64().unwrap() > 0, "{json}");
    let told = String::from_utf8_lossy(&output.stdout);
    for expected in
        ["\n  topical  ", "\n  breadth first  ", "harvest.svg", "the WARC files", "annalist verify"]
    {
        assert!(told.contains(expected), "{expected}: {told}");
    }
    let picture = std::fs::read_to_string(job.join("harvest.svg")).unwrap();
    assert!(picture.starts_with("<svg") && picture.contains(">breadth first</text>"), "{picture}");
    let numbers = std::fs::read_to_string(job.join("harvest.csv")).unwrap();
    assert!(numbers.starts_with("pages,topical,breadth first\n1,"), "{numbers}");
    assert_valid(&job);
    assert_valid(Path::new(json["breadth_first"]["job"].as_str().unwrap()));
}

#[test]
fn a_demo_replaces_demos_only() {
    let dir = tempfile::tempdir().unwrap();
    let (job, beside) = (dir.path().join("demo"), dir.path().join("demo-breadth-first"));
    std::fs::create_dir_all(&beside).unwrap();
    std::fs::write(beside.join("notes.txt"), "mine").unwrap();
    assert_exit(&demo(&job), 4);
    assert!(beside.join("notes.txt").exists() && !job.exists());
    std::fs::remove_dir_all(&beside).unwrap();
    assert_exit(&demo(&job), 0);
    assert_exit(&demo(&job), 0);
}
