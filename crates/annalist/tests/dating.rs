//! When pages were published, as it is asked for.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use serde_json::{Value, json};
use support::{annalist, assert_exit};

const PAGE: &str = r#"<html lang="de"><title>Die Brücke steht</title>
<meta property="article:modified_time" content="2015-01-02T08:00:00Z">
<body><h1>Die Brücke steht</h1><p>Veröffentlicht am 17. Mai 2014, 8:30 Uhr</p><p>Sie steht.</p>"#;

fn told(arguments: &[&str]) -> Vec<Value> {
    let output = annalist().arg("date").args(arguments).output().unwrap();
    assert_exit(&output, 0);
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn each_page_has_its_date_and_what_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, html: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, html).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (one, other) = (file("one.html", PAGE), file("other.html", "<html><h1>Nothing</h1>"));
    let dates = told(&[&one, &other, "--json"]);
    let confidence = dates[0]["confidence"].as_f64().unwrap();
    assert!((0.5..1.0).contains(&confidence));
    assert_eq!(
        dates[0],
        json!({"file": one, "url": null, "date": "2014-05-17", "at": "2014-05-17T08:30:00Z",
            "confidence": confidence, "evidence": "words", "modified": "2015-01-02"})
    );
    assert_eq!(
        dates[1],
        json!({"file": other, "url": null, "date": null, "confidence": null, "evidence": null, "modified": null})
    );
    let output = annalist().arg("date").args([&one, &other]).output().unwrap();
    assert_exit(&output, 0);
    let table = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("2014-05-17  0."), "{table}");
    assert!(lines[1].starts_with("unknown "), "{table}");
    // The same in what is extracted.
    let output = annalist().args(["apps", "extract", "--json", &one]).output().unwrap();
    assert_exit(&output, 0);
    let text = String::from_utf8(output.stdout).unwrap();
    let extracted: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(extracted["published"]["date"], "2014-05-17");
    assert_eq!(extracted["published"]["evidence"], "words");
    assert_eq!(extracted["modified"], "2015-01-02T08:00:00.000Z");
}

#[test]
fn the_address_and_the_day_of_the_capture_are_taken_into_account() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    std::fs::write(&path, "<html lang=en><h1>The bridge</h1><p class=date>07/05/2014</p>").unwrap();
    let path = path.to_str().unwrap();
    assert_eq!(told(&[path, "--json"])[0]["date"], "2014-07-05");
    assert_eq!(told(&[path, "--json", "--captured", "2014-06-01"])[0]["date"], "2014-05-07");
    let there = told(&[path, "--json", "--url", "http://news.example/2014/05/07/bridge"]);
    assert_eq!(there[0]["date"], "2014-05-07");
    assert_eq!(there[0]["url"], "http://news.example/2014/05/07/bridge");
    for wrong in [&["--captured", "someday"][..], &["--url", "nowhere"], &["--url", "http://a.test/", path]] {
        assert_exit(&annalist().arg("date").arg(path).args(wrong).output().unwrap(), 4);
    }
    let missing = annalist().args(["date", path, "no-such-file.html", "--json"]).output().unwrap();
    assert!(!missing.status.success());
    assert_eq!(
        String::from_utf8(missing.stdout).unwrap().lines().count(),
        1,
        "the others are told all the same"
    );
}
