//! `annalist learn` and `annalist judge`, as a user runs them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use support::script::{Script, answer, html, missing, spec};
use support::{annalist, assert_exit, finish, json_of};

const LIMIT: Duration = Duration::from_secs(60);

const DEBT: &str = "<p>The debt crisis deepened in Athens. Antonis Samaras asked creditors for another bailout, and the \
    parliament voted on austerity while the debt crisis went on.";
const TROIKA: &str = "<p>Austerity and bailout: the troika of creditors returned to Athens. Samaras defended austerity \
    before the parliament. The debt crisis, he said, would end. Nobody believed that the debt crisis would.";
const LINKS: &str = "<p><a href=/garden>The garden show</a> <a href=/football>Football</a>";

fn server() -> Script {
    Script::serve(|path, _| match path {
        "/debt" => html(&format!("{DEBT}{LINKS}")),
        "/troika" => html(&format!("{TROIKA}{LINKS}")),
        "/moved" => answer("301 Moved Permanently", "Location: /troika\r\n", ""),
        "/garden" => {
            html("<p>Roses and tulips want water in summer; a garden needs patience. <a href=/deep>x</a>")
        }
        "/football" => html("<p>The striker scored twice before halftime in Athens. <a href=/deep>x</a>"),
        "/empty" => html(""),
        "/new" => html(&format!("{TROIKA}<p><a href=/debt>More on the debt crisis</a>{LINKS}")),
        _ => missing(),
    })
}

const TOPIC: &str = "keywords = [\"bailout\", \"debt crisis\"]\nlanguages = [\"en\"]\n\
    [[topic.entity]]\nname = \"Antonis Samaras\"\naliases = [\"Samaras\"]\n";

/// A spec with a topic in a folder of its own.
fn with_topic(dir: &Path, server: &Script, topic: &str) -> PathBuf {
    let path = dir.join("spec.toml");
    std::fs::write(&path, format!("{}[topic]\n{topic}", spec(server.address, ""))).unwrap();
    path
}

fn in_folder(dir: &Path) -> Command {
    let mut command = annalist();
    command.current_dir(dir);
    command
}

fn learn(dir: &Path, more: &[&str]) -> Output {
    finish(in_folder(dir).arg("learn").arg("spec.toml").args(more), LIMIT)
}

fn judge(dir: &Path, page: &str, more: &[&str]) -> Output {
    finish(in_folder(dir).arg("judge").arg("spec.toml").arg(page).args(more), LIMIT)
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn warned(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn references_teach_a_definition_and_pages_are_judged_by_it() {
    let (dir, server) = (tempfile::tempdir().unwrap(), server());
    let references = "references = [\"http://a.test/debt\", \"http://a.test/moved\"]\n";
    with_topic(dir.path(), &server, &format!("{references}{TOPIC}"));
    let output = learn(dir.path(), &[]);
    assert_exit(&output, 0);
    let told = said(&output);
    assert!(told.contains("learned from 2 reference pages and 2 others (en)"), "{told} {}", warned(&output));
    assert!(told.contains("entity Antonis Samaras: 2 times"), "{told}");
    assert!(told.contains("written to collections/script/definition.toml"), "{told}");
    assert!(warned(&output).contains("/moved"), "a redirect is told: {}", warned(&output));
    let text = std::fs::read_to_string(dir.path().join("collections/script/definition.toml")).unwrap();
    assert!(text.contains("references = 2\nbackground = 2\n") && text.contains("bailout = 1.0"), "{text}");
    assert!(text.contains("\"debt crisis\" = 1.0"), "{text}");
    let asked = server.paths();
    assert!(
        !asked.iter().any(|path| path == "/deep" || path == "/"),
        "only what references lead to: {asked:?}"
    );

    // The archive is kept: learning again asks nobody, and keeps what was corrected.
    let corrected = text.replace("bailout = 1.0", "bailout = 0.9");
    std::fs::write(dir.path().join("collections/script/definition.toml"), corrected).unwrap();
    let output = learn(dir.path(), &[]);
    assert_exit(&output, 0);
    let pages = |paths: Vec<String>| paths.into_iter().filter(|path| path != "/robots.txt").count();
    assert_eq!(pages(server.paths()), pages(asked));
    assert!(said(&output).contains("the definition that was there is now"), "{}", said(&output));
    let before = dir.path().join("collections/script/definition.toml.before");
    assert!(std::fs::read_to_string(before).unwrap().contains("bailout = 0.9"));

    // A page of the web, and one in a file.
    let output = judge(dir.path(), "http://a.test/new", &["--json"]);
    assert_exit(&output, 0);
    let json = json_of(&output);
    assert_eq!(json["relevant"], true, "{json}");
    assert_eq!(json["links"][0]["url"], "http://a.test/debt", "{json}");
    assert_eq!(json["links"][0]["signals"].as_array().unwrap().len(), 13, "{json}");
    assert!(
        json["words"]
            .as_array()
            .unwrap()
            .iter()
            .any(|word| word["word"] == "austerity" && word["times"] == 2)
    );
    std::fs::write(dir.path().join("other.html"), "<p>Roses and tulips want water in summer.").unwrap();
    let output = judge(dir.path(), "other.html", &["--json"]);
    assert_exit(&output, 0);
    assert_eq!(json_of(&output)["relevant"], false);
}

#[test]
fn without_references_the_seeds_teach() {
    let (dir, server) = (tempfile::tempdir().unwrap(), server());
    let path = with_topic(dir.path(), &server, TOPIC);
    let text = std::fs::read_to_string(&path).unwrap().replace("http://a.test/\"", "http://a.test/debt\"");
    std::fs::write(&path, text).unwrap();
    let output = learn(dir.path(), &["--limit", "2", "--job", "jobs/r", "--out", "d.toml"]);
    assert_exit(&output, 0);
    let text = std::fs::read_to_string(dir.path().join("d.toml")).unwrap();
    assert!(text.contains("references = 1\nbackground = 1\n"), "{text}");
    assert!(dir.path().join("jobs/r/archive").is_dir() && !dir.path().join("collections").exists());
}

#[test]
fn files_teach_without_asking_anybody_and_it_is_said_what_is_missing() {
    let (dir, server) = (tempfile::tempdir().unwrap(), server());
    std::fs::write(dir.path().join("one.html"), DEBT).unwrap();
    std::fs::write(dir.path().join("two.html"), TROIKA).unwrap();
    with_topic(dir.path(), &server, "references = [\"one.html\", \"two.html\"]\n");
    let output = learn(dir.path(), &[]);
    assert_exit(&output, 0);
    assert!(said(&output).contains("learned from 2 reference pages and 0 others"), "{}", said(&output));
    assert!(warned(&output).contains("no other pages say what is usual"), "{}", warned(&output));
    assert!(server.paths().is_empty());
}

#[test]
fn a_crawl_begins_in_the_folder_of_its_definition() {
    let (dir, server) = (tempfile::tempdir().unwrap(), server());
    let references = "references = [\"http://a.test/debt\", \"http://a.test/troika\"]\n";
    with_topic(dir.path(), &server, &format!("{references}{TOPIC}"));
    assert_exit(&learn(dir.path(), &[]), 0);
    let definition = dir.path().join("collections/script/definition.toml");
    let before = std::fs::read_to_string(&definition).unwrap();
    let crawl = finish(in_folder(dir.path()).args(["crawl", "spec.toml", "--quiet"]), LIMIT);
    assert_exit(&crawl, 0);
    assert!(dir.path().join("collections/script/archive").is_dir());
    assert_eq!(std::fs::read_to_string(&definition).unwrap(), before);
}

#[test]
fn a_page_is_explained_like_this() {
    let (dir, server) = (tempfile::tempdir().unwrap(), server());
    std::fs::write(dir.path().join("one.html"), DEBT).unwrap();
    std::fs::write(dir.path().join("two.txt"), TROIKA.trim_start_matches("<p>")).unwrap();
    with_topic(dir.path(), &server, &format!("references = [\"one.html\", \"two.txt\"]\n{TOPIC}"));
    let page =
        format!("<title>News</title><nav><a href=/>Home</a></nav>{DEBT} <a href=/b>Samaras</a>{LINKS}");
    std::fs::write(dir.path().join("page.html"), page).unwrap();
    let output = judge(dir.path(), "page.html", &[]);
    assert_exit(&output, 0);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/expected/judge.txt");
    if std::env::var_os("ANNALIST_EXPECT").is_some() {
        std::fs::write(path, said(&output)).unwrap();
    }
    let expected = std::fs::read_to_string(path).unwrap();
    assert_eq!(said(&output), expected, "ANNALIST_EXPECT=1 writes {path} anew");
    assert!(server.paths().is_empty());
}

#[test]
fn what_cannot_be_learned_is_said() {
    let (dir, server) = (tempfile::tempdir().unwrap(), server());
    std::fs::write(dir.path().join("empty.html"), "<p> </p>").unwrap();
    for (topic, code, expected) in [
        ("", 4, "has no topic"),
        ("languages = [\"en\"]", 4, "has no topic"),
        ("keywords = [\"debt\"]\nlanguages = [\"zz\"]", 4, "no language with the code \"zz\""),
        ("references = [\"empty.html\"]", 9, "the reference empty.html has no words"),
        ("references = [\"http://a.test/empty\"]", 9, "the reference http://a.test/empty has no words"),
        ("references = [\"http://a.test/gone\"]", 9, "the reference http://a.test/gone is no page"),
        ("references = [\"nowhere.html\"]", 4, "nowhere.html"),
    ] {
        with_topic(dir.path(), &server, topic);
        let output = learn(dir.path(), &[]);
        assert_exit(&output, code);
        assert!(warned(&output).contains(expected), "{topic}: {}", warned(&output));
        let _ = std::fs::remove_dir_all(dir.path().join("collections"));
    }
    with_topic(dir.path(), &server, "references = [\"http://a.test/debt\"]");
    assert_exit(&learn(dir.path(), &[]), 0);
    with_topic(dir.path(), &server, "references = [\"http://a.test/troika\"]");
    let output = learn(dir.path(), &[]);
    assert_exit(&output, 4);
    assert!(warned(&output).contains("holds a crawl of other pages"), "{}", warned(&output));
}

#[test]
fn what_cannot_be_judged_is_said() {
    let (dir, server) = (tempfile::tempdir().unwrap(), server());
    let path = with_topic(dir.path(), &server, "references = [\"http://a.test/debt\"]");
    std::fs::write(dir.path().join("bad.toml"), "name = \"x\"\ntypical = 0.1\n[terms]\ndebt = 2\n").unwrap();
    std::fs::write(dir.path().join("page.html"), DEBT).unwrap();
    let told = |page: &str, more: &[&str], code: i32| {
        let output = judge(dir.path(), page, more);
        assert_exit(&output, code);
        warned(&output)
    };
    assert!(told("page.html", &[], 4).contains("run `annalist learn spec.toml`"));
    let wrong = told("page.html", &["--definition", "bad.toml"], 4);
    assert!(wrong.contains("line 4: terms.debt: expected a number from 0 to 1, found 2"), "{wrong}");
    assert!(told("page.html", &["--definition", "none.toml"], 4).contains("none.toml cannot be read"));
    std::fs::write(&path, std::fs::read_to_string(&path).unwrap() + "\nkeywords = [\"of the\"]\n").unwrap();
    assert!(told("page.html", &[], 4).contains("the topic has no words"));
    with_topic(dir.path(), &server, TOPIC);
    assert!(told("nowhere.html", &[], 9).contains("nowhere.html cannot be read"));
    let gone = told("http://a.test/gone", &[], 9);
    assert!(gone.contains("http://a.test/gone gave no page") && gone.contains("404"), "{gone}");
    assert!(told("http://[", &[], 4).contains("cannot be fetched"));
}
