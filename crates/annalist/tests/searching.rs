//! `annalist search` as people use it, on an index made by hand.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set up its index has failed")]

mod support;

use std::path::Path;
use std::process::Output;

use annalist_knowledge::search::{Search, SearchSettings};
use annalist_knowledge::{Dated, Derived, Document, Mark, millis_of};
use annalist_model::{CanonicalUrl, Object, Time};
use serde_json::Value;

fn page(number: u64, url: &str, title: &str, text: &str) -> Document {
    let published = format!("2010-0{}-05", number + 1);
    Document {
        record: format!("urn:uuid:{number:08}-0000-4000-8000-000000000000"),
        file: "job-1.warc.gz".to_owned(),
        offset: number * 100,
        url: CanonicalUrl::parse(url).unwrap(),
        captured: Time::from_millis(1_500_000_000_000),
        status: 200,
        mime: "text/html".to_owned(),
        length: text.len() as u64,
        digest: Some(format!("sha1:{number}")),
        original: None,
        via: None,
        hops: String::new(),
        relevance: Some(0.5),
        published: millis_of(&published).map(|millis| Dated { text: published, millis, confidence: 1.0 }),
        language: Some("en".to_owned()),
        title: Some(title.to_owned()),
        text: text.to_owned(),
        parts: Vec::new(),
        links: Vec::new(),
        canonical: None,
        application: None,
        level: None,
        objects: Vec::new(),
    }
}

/// A job of three pages, on one of which somebody wrote a comment.
fn job(dir: &Path) {
    let mut hostile = page(
        3,
        "http://c.test/",
        "Red\u{1b}[31m title",
        "a crisis\u{1b}]0;owned\u{7} <script>alert(1)</script> crisis",
    );
    hostile.objects = vec![Object {
        kind: "comment".to_owned(),
        id: "c1".to_owned(),
        author: Some("Jane Doe".to_owned()),
        body: "What a crisis".to_owned(),
        ..Object::default()
    }];
    let documents = [
        page(1, "http://www.a.test/one", "The debt crisis", "All about the debt crisis of the euro."),
        page(2, "http://b.test/two", "Football", "No crises here, but a crisis of goals."),
        hostile,
    ];
    std::fs::create_dir_all(dir.join("archive")).unwrap();
    let mut search =
        Search::open(&dir.join("search"), SearchSettings { memory: 20 << 20, threads: 1 }).unwrap();
    documents.iter().for_each(|document| search.add(document).unwrap());
    search.commit(&Mark { files: [("job-1.warc.gz".to_owned(), 1000)].into(), ..Mark::default() }).unwrap();
}

fn search(dir: &Path, args: &[&str]) -> Output {
    support::annalist().arg("search").arg(dir).args(args).output().unwrap()
}

fn shown(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn results_say_what_they_are_and_where_they_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path());
    let text = shown(&search(dir.path(), &["debt", "crisis"]));
    for part in [
        "1. The debt crisis",
        "a.test · published 2010-02-05 · page",
        "http://www.a.test/one",
        "job-1.warc.gz at 100",
        "1 found",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let text = shown(&search(dir.path(), &["crisis -football -type:comment", "--sort", "oldest"]));
    assert!(text.contains("2 found") && text.find("debt").unwrap() < text.find("script").unwrap(), "{text}");
    assert!(!text.contains('\u{1b}') && !text.contains('\u{7}'), "no page speaks to the terminal: {text}");
}

#[test]
fn facets_and_months_are_bars() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path());
    let text = shown(&search(dir.path(), &["crisis", "--facets", "--over-time", "--limit", "0"]));
    for part in
        ["site\n", "c.test  2  ██", "author\n", "Jane Doe", "2010-02  1  █", "1 without a date", "4 found"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn options_narrow_the_question() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path());
    let found = |args: &[&str]| {
        let told: Value =
            serde_json::from_str(&shown(&search(dir.path(), &[&["--json"], args].concat()))).unwrap();
        told["total"].as_u64().unwrap()
    };
    assert_eq!(found(&["crisis"]), 4);
    assert_eq!(found(&["crisis", "-football", "--type", "page", "-debt"]), 1);
    assert_eq!(found(&["--type", "page", "--", "crisis", "-football"]), 2);
    assert_eq!(found(&["crisis", "--site", "a.test", "--site", "b.test"]), 2);
    assert_eq!(found(&["--type", "comment", "--author", "jane"]), 1);
    assert_eq!(found(&["--from", "2010-03", "--until", "2010-03"]), 1);
    assert_eq!(found(&["--from", "2017", "--captured"]), 4);
    assert_eq!(found(&["--language", "de"]), 0);
}

#[test]
fn json_has_everything() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path());
    let told: Value =
        serde_json::from_str(&shown(&search(dir.path(), &["\"debt crisis\"", "--json", "--facets"])))
            .unwrap();
    let hit = &told["hits"][0];
    assert_eq!(hit["url"], "http://www.a.test/one");
    assert_eq!((hit["file"].as_str(), hit["offset"].as_u64()), (Some("job-1.warc.gz"), Some(100)));
    assert_eq!(hit["job"], dir.path().display().to_string());
    assert_eq!(hit["snippet"]["marks"][0], serde_json::json!([14, 25]));
    assert_eq!(told["facets"][0]["field"], "site");
}

#[test]
fn mistakes_are_shown_at_their_place() {
    let dir = tempfile::tempdir().unwrap();
    job(dir.path());
    let output = search(dir.path(), &["crisis sitte:a.test"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(4), "{told}");
    assert!(told.contains("there is no field sitte") && told.contains("\n         ^"), "{told}");
    for signs in ["-", "NOT", "!!", "( )"] {
        let output = search(dir.path(), &[signs]);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(4), "{signs}: {told}");
        assert!(told.contains("no word to look for"), "{told}");
    }
    let output = search(Path::new("nowhere"), &["crisis"]);
    assert_eq!(output.status.code(), Some(4));
    let empty = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(empty.path().join("archive")).unwrap();
    let output = search(empty.path(), &["crisis"]);
    assert_eq!(output.status.code(), Some(0), "an archive with nothing in it: {output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("nothing found"), "{output:?}");
}

#[test]
fn a_folder_among_the_crawls_that_is_none_is_told_and_never_looked_for_as_a_word() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["a", "c"] {
        std::fs::create_dir(dir.path().join(name)).unwrap();
        job(&dir.path().join(name));
    }
    std::fs::create_dir(dir.path().join("b")).unwrap();
    let asked = |args: &[&str]| {
        let output = support::annalist().arg("search").args(args).current_dir(dir.path()).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    };
    for names in [["a", "b", "c"], ["./a", "./b", "./c"]] {
        let (code, told) = asked(&[&names[..], &["crisis"]].concat());
        assert_eq!(code, Some(4), "{told}");
        assert!(told.contains(names[1]), "{told}");
    }
    // A word stays a word where a folder has its name.
    std::fs::create_dir(dir.path().join("crisis")).unwrap();
    let (code, told) = asked(&["a", "c", "crisis"]);
    assert!(code == Some(0) && !told.contains("nothing found"), "{told}");
}
