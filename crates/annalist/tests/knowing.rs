//! What is derived grows with a crawl, survives kill -9, and comes out the same when it is made again.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use annalist_knowledge::Places;
use annalist_knowledge::graph::Graph;
use annalist_knowledge::search::{Question, Reader, parse};
use annalist_testweb::WorldConfig;
use support::{IMPATIENT, Stand, annalist, assert_exit, finish, json_of};

const LIMIT: Duration = Duration::from_secs(120);
/// Looks at the archive all the time.
const EAGER: &str = "[knowledge]\nevery = \"20ms\"\n";

/// Every statement of the layer that is made of the archive.
fn statements(job: &Path) -> BTreeSet<String> {
    let graph = Graph::open(&[Places::of(job).web()]).unwrap();
    graph.quads().unwrap().map(|quad| quad.unwrap().to_string()).collect()
}

/// What search finds for a word: addresses and kinds, in the order of the answer.
fn finds(job: &Path, words: &str) -> Vec<String> {
    let reader = Reader::open(&[Places::of(job).search()]).unwrap();
    let question =
        Question { wanted: parse(words).unwrap(), limit: 1000, fold: false, ..Question::default() };
    let answer = reader.ask(&question).unwrap();
    let mut found: Vec<String> = answer
        .hits
        .iter()
        .map(|hit| format!("{} {} {}", hit.entry.key, hit.entry.kind, hit.entry.url))
        .collect();
    found.sort();
    found
}

fn rebuild(job: &Path) {
    let output = finish(annalist().arg("rebuild").arg(job).arg("--json"), LIMIT);
    assert_exit(&output, 0);
    assert!(json_of(&output)["captures"].as_u64().unwrap() > 0);
}

/// Tells the difference alone.
fn assert_same(before: &BTreeSet<String>, after: &BTreeSet<String>) {
    let gone: Vec<&String> = before.difference(after).take(8).collect();
    let new: Vec<&String> = after.difference(before).take(8).collect();
    assert!(gone.is_empty() && new.is_empty(), "only before: {gone:#?}\nonly after: {new:#?}");
}

fn small() -> WorldConfig {
    WorldConfig { hosts: 12, pages: 200, addresses: 6, crawl_delays: 0.0, ..WorldConfig::default() }
}

#[test]
fn a_crawl_leaves_what_it_knows_and_rebuild_makes_the_same() {
    let stand = Stand::new(small());
    let spec = stand.helped_spec("");
    assert_exit(&finish(&mut stand.crawl(&spec), LIMIT), 0);
    let job = stand.job();
    let known = statements(&job);
    let titles = known.iter().filter(|quad| quad.contains("<https://schema.org/name>")).count();
    let authors = known.iter().filter(|quad| quad.contains("<https://schema.org/author>")).count();
    assert!(
        titles > 100 && authors > 50,
        "{titles} titles and {authors} authors in {} statements",
        known.len()
    );
    let found = finds(&job, "climate");
    assert!(found.len() > 3, "{found:?}");
    documented_queries_find_something(&job);
    rebuild(&job);
    assert_same(&known, &statements(&job));
    assert_eq!(finds(&job, "climate"), found);
}

/// Those of the documentation and of the program's help.
fn documented_queries_find_something(job: &Path) {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/query.md");
    let help = annalist().args(["query", "--help"]).output().unwrap();
    let text = std::fs::read_to_string(docs).unwrap() + &String::from_utf8(help.stdout).unwrap();
    let blocks = text.split("```sparql\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let typed = text.split("annalist query collections/first '").skip(1);
    let queries: Vec<&str> = blocks.chain(typed.map(|rest| rest.split('\'').next().unwrap())).collect();
    assert!(queries.len() > 5, "{queries:?}");
    for query in queries {
        // The web of the tests was not there in that year.
        let query = query.replace("\"2011-03", "\"1970-01").replace("\"2011-04", "\"2999-01");
        // The answer is longer than a pipe holds.
        let output = annalist().arg("query").arg(job).args([query.as_str(), "--quiet"]).output().unwrap();
        assert_exit(&output, 0);
        assert!(String::from_utf8_lossy(&output.stdout).lines().count() > 2, "nothing: {query}");
    }
}

#[test]
fn a_crawl_says_why_what_is_known_is_not_up_to_date() {
    let stand = Stand::new(small());
    let spec = stand.spec("");
    std::fs::create_dir_all(stand.job().join("knowledge")).unwrap();
    std::fs::write(stand.job().join("knowledge/web"), "in the way").unwrap();
    let output = finish(&mut stand.crawl(&spec), LIMIT);
    assert_exit(&output, 0);
    let why = json_of(&output)["not_up_to_date"].as_str().unwrap_or_default().to_owned();
    assert!(why.contains("knowledge/web"), "{why}");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        text.contains("graph and search index are not up to date") && text.contains("annalist rebuild"),
        "{text}"
    );
}

#[test]
fn whoever_wants_nothing_derived_gets_nothing() {
    let stand = Stand::new(small());
    let spec = stand.spec("[knowledge]\ngraph = false\nsearch = false\n");
    assert_exit(&finish(&mut stand.crawl(&spec), LIMIT), 0);
    assert!(!stand.job().join("knowledge").exists() && !stand.job().join("search").exists());
}

#[test]
fn after_kill_9_at_any_moment_everything_is_known_once() {
    let stand = Stand::new(small());
    let spec = stand.helped_spec(&format!("{IMPATIENT}{EAGER}"));
    let mut kills = 0;
    for wait in (0..).map(|n: u64| 300 + (n * 377) % 900) {
        let mut child = stand.crawl(&spec).stdout(std::process::Stdio::null()).spawn().unwrap();
        let begun = Instant::now();
        let ended = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break Some(status);
            }
            if begun.elapsed() >= Duration::from_millis(wait) && kills < 12 {
                break None;
            }
            assert!(begun.elapsed() < LIMIT, "the crawl does not end");
            std::thread::sleep(Duration::from_millis(5));
        };
        if let Some(status) = ended {
            assert!(status.success(), "{status}");
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
    }
    println!("{kills} kills");
    let job = stand.job();
    let (known, found) = (statements(&job), finds(&job, "climate"));
    assert!(known.len() > 1000 && found.len() > 3);
    rebuild(&job);
    assert_same(&known, &statements(&job));
    assert_eq!(finds(&job, "climate"), found);
}

#[test]
fn a_folder_that_is_no_job_is_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let output = finish(annalist().arg("rebuild").arg(dir.path()), LIMIT);
    assert_exit(&output, 4);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("no job directory"), "{told}");
}

#[test]
fn an_archive_without_its_job_can_be_asked_by_several_at_once() {
    let stand = Stand::new(small());
    let spec = stand.helped_spec("[knowledge]\ngraph = false\nsearch = false\n");
    assert_exit(&finish(&mut stand.crawl(&spec), LIMIT), 0);
    let alone = stand.dir.path().join("alone");
    std::fs::create_dir_all(alone.join("archive")).unwrap();
    for file in support::files_in(&stand.job().join("archive"), ".warc.gz") {
        // As a crashed machine left it.
        let name = format!("{}.open", file.file_name().unwrap().to_string_lossy());
        std::fs::copy(&file, alone.join("archive").join(name)).unwrap();
    }
    let count = "SELECT (COUNT(*) AS ?n) WHERE { ?c a ann:Capture }";
    let ask = |of: &Path| {
        let mut command = annalist();
        command.arg("query").arg(of).args([count, "--format", "csv", "--quiet"]);
        command.stdout(std::process::Stdio::piped()).spawn().unwrap()
    };
    let told = |child| String::from_utf8(support::wait(child, LIMIT).stdout).unwrap();
    let known = told(ask(&stand.job()));
    let captures: u64 = known.lines().nth(1).unwrap().parse().unwrap();
    assert!(captures > 200, "{known}");
    let asked: Vec<_> = (0..3).map(|_| ask(&alone)).collect();
    for child in asked {
        assert_eq!(told(child), known);
    }
}
