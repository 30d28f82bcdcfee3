//! A study that is cut off, damaged, made in parts or made again: graph, search and rebuild agree all the same.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use annalist_testweb::WorldConfig;
use serde_json::Value;
use support::{Stand, annalist, assert_exit, finish, json_of};

const LIMIT: Duration = Duration::from_secs(300);

/// A small society, of which a part was crawled and studied; the tests work on copies of it.
static STUDIED: LazyLock<Stand> = LazyLock::new(|| {
    let stand = Stand::new(WorldConfig {
        society: true,
        hosts: 8,
        pages: 160,
        addresses: 4,
        crawl_delays: 0.0,
        ..WorldConfig::default()
    });
    let spec = stand.helped_spec("");
    let output = finish(stand.crawl(&spec).args(["--limit", "90"]), LIMIT);
    assert!(output.status.code().is_some_and(|code| [0, 14].contains(&code)), "{output:?}");
    run(&stand.job(), &["study"], 0);
    stand
});

struct Copy {
    _dir: tempfile::TempDir,
    job: PathBuf,
}

fn copy() -> Copy {
    let dir = tempfile::tempdir().unwrap();
    let job = dir.path().join("job");
    let copied = std::process::Command::new("cp").arg("-a").arg(STUDIED.job()).arg(&job).status().unwrap();
    assert!(copied.success());
    Copy { _dir: dir, job }
}

/// `annalist COMMAND JOB …`, and what it says to people.
fn run(job: &Path, words: &[&str], code: i32) -> String {
    let (command, options) = words.split_first().unwrap();
    let output = finish(annalist().arg(command).arg(job).args(options), LIMIT);
    assert_exit(&output, code);
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// All statements.
fn graph(job: &Path) -> String {
    let path = job.with_extension("nq");
    run(job, &["export", "--nquads", path.to_str().unwrap(), "--force", "--quiet"], 0);
    std::fs::read_to_string(path).unwrap()
}

/// How often each entity, topic and event is met in search.
fn facets(job: &Path) -> Value {
    let output =
        finish(annalist().arg("search").arg(job).args(["--facets", "--json", "--limit", "1"]), LIMIT);
    assert_exit(&output, 0);
    json_of(&output)["facets"].clone()
}

/// What they say now is what they say when they are made again.
fn assert_same_when_rebuilt(job: &Path) {
    let (known, found) = (graph(job), facets(job));
    run(job, &["rebuild", "--quiet"], 0);
    assert!(known == graph(job), "rebuild says something else");
    assert_eq!(found, facets(job));
}

#[test]
fn a_study_that_is_killed_when_the_graph_has_it_is_in_search_when_that_is_asked() {
    let copy = copy();
    let whole = facets(&copy.job);
    assert!(whole.to_string().contains("entity"), "{whole}");
    // As it was before the study.
    for place in ["knowledge", "search", "study"] {
        std::fs::remove_dir_all(copy.job.join(place)).unwrap();
    }
    facets(&copy.job);
    let manifest = copy.job.join("knowledge/study/manifest");
    let mut child = annalist().arg("study").arg(&copy.job).arg("--quiet").spawn().unwrap();
    let begun = Instant::now();
    while !manifest.exists() && child.try_wait().unwrap().is_none() {
        assert!(begun.elapsed() < LIMIT, "the study does not end");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(manifest.exists());
    assert_eq!(facets(&copy.job), whole);
    assert_same_when_rebuilt(&copy.job);
}

#[test]
fn a_damaged_study_is_made_again_by_rebuild_and_by_study() {
    let copy = copy();
    let (known, found) = (graph(&copy.job), facets(&copy.job));
    for command in ["rebuild", "study"] {
        std::fs::write(copy.job.join("knowledge/study/manifest"), "garbage").unwrap();
        run(&copy.job, &["query", "ASK { ?a ?b ?c }"], 9);
        run(&copy.job, &[command, "--quiet"], 0);
        assert!(known == graph(&copy.job), "{command} says something else");
        assert_eq!(facets(&copy.job), found);
    }
    // Nor is a part of it that is lost more than a damage.
    for entry in std::fs::read_dir(copy.job.join("knowledge/study")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "run") {
            std::fs::remove_file(path).unwrap();
        }
    }
    let told = run(&copy.job, &["query", "ASK { ?a ?b ?c }"], 9);
    assert!(told.contains("annalist rebuild"), "{told}");
    run(&copy.job, &["rebuild", "--quiet"], 0);
    assert!(known == graph(&copy.job) && facets(&copy.job) == found);
    // Nobody knows any more what was studied: everything is.
    std::fs::remove_dir_all(copy.job.join("study")).unwrap();
    run(&copy.job, &["rebuild", "--quiet"], 0);
    assert!(known == graph(&copy.job) && facets(&copy.job) == found);
    // Nor where the graph cannot tell: what is known of the archive is there all the same.
    std::fs::remove_dir_all(copy.job.join("study")).unwrap();
    std::fs::write(copy.job.join("knowledge/study/manifest"), "garbage").unwrap();
    run(&copy.job, &["rebuild", "--quiet"], 0);
    run(&copy.job, &["query", "ASK { ?a ?b ?c }"], 0);
}

#[test]
fn a_graph_that_is_lost_comes_back_with_what_was_studied() {
    let copy = copy();
    let (known, found) = (graph(&copy.job), facets(&copy.job));
    std::fs::remove_dir_all(copy.job.join("knowledge")).unwrap();
    assert!(known == graph(&copy.job), "the graph lacks something");
    assert_eq!(facets(&copy.job), found);
}

#[test]
fn a_study_that_is_nowhere_said_to_be_there_is_told_again_or_missed() {
    let copy = copy();
    let (known, found) = (graph(&copy.job), facets(&copy.job));
    let manifest = copy.job.join("knowledge/study/manifest");
    std::fs::remove_file(&manifest).unwrap();
    assert!(known == graph(&copy.job), "the graph lacks something");
    assert_eq!(facets(&copy.job), found);
    // There is nothing to tell it again of.
    std::fs::remove_file(&manifest).unwrap();
    std::fs::remove_dir_all(copy.job.join("study")).unwrap();
    let told = run(&copy.job, &["query", "ASK { ?a ?b ?c }"], 9);
    assert!(told.contains("knowledge/study") && told.contains("annalist rebuild"), "{told}");
    run(&copy.job, &["rebuild", "--quiet"], 0);
    assert!(known == graph(&copy.job) && facets(&copy.job) == found);
}

#[test]
fn a_part_of_a_study_of_a_grown_archive_brings_the_other_parts_along() {
    let copy = copy();
    let spec = STUDIED.dir.path().join("spec.toml");
    assert_exit(&finish(&mut STUDIED.crawl_into(&spec, &copy.job), LIMIT), 0);
    let told = run(&copy.job, &["study", "--only", "images"], 0);
    assert!(told.contains("again") && told.contains("topics"), "{told}");
    let known = graph(&copy.job);
    assert!(known.contains("/Topic>") || known.contains("#Topic>") || known.contains("topic"), "no topics");
    assert_same_when_rebuilt(&copy.job);
}

#[test]
fn facets_of_what_is_no_more_go_with_it() {
    let copy = copy();
    for stage in ["entities", "opinions", "events"] {
        std::fs::remove_file(copy.job.join(format!("study/{stage}.json.zst"))).unwrap();
    }
    run(&copy.job, &["study", "--only", "social", "--quiet"], 0);
    assert_same_when_rebuilt(&copy.job);
}

#[test]
fn a_model_that_is_gone_costs_nothing_but_what_it_found() {
    let copy = copy();
    let known = graph(&copy.job);
    std::fs::write(copy.job.join("knowledge/model"), "/nowhere/model").unwrap();
    let told = run(&copy.job, &["rebuild", "--quiet"], 4);
    assert!(told.contains("--model none"), "{told}");
    assert!(known == graph(&copy.job), "a rebuild that cannot be made removed something");
    // Words are found without facets.
    std::fs::remove_dir_all(copy.job.join("search")).unwrap();
    let told = run(&copy.job, &["search", "the"], 0);
    assert!(told.contains("--model none"), "{told}");
    run(&copy.job, &["study", "--model", "none", "--quiet"], 0);
    assert!(facets(&copy.job).to_string().contains("entity"));
    assert_same_when_rebuilt(&copy.job);
}
