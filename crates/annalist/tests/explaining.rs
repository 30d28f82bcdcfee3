//! "Why was this not fetched?" has an answer for everything a page names.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use support::script::{Script, answer, html, missing, spec};
use support::{annalist, assert_exit, files_in, finish, json_of};

/// Crawls `http://a.test/` on a scripted server.
fn crawl(server: &Script, more: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("spec.toml");
    std::fs::write(&path, spec(server.address, more)).unwrap();
    let mut command = annalist();
    command.arg("crawl").arg(&path).arg("--job").arg(dir.path().join("job")).args(["--json", "--quiet"]);
    assert_exit(&finish(&mut command, Duration::from_secs(60)), 0);
    dir
}

fn explained(dir: &Path, address: &str) -> Value {
    let output = annalist().arg("explain").arg(dir.join("job")).args([address, "--json"]).output().unwrap();
    assert_exit(&output, 0);
    json_of(&output)
}

/// All decisions on one line.
fn decisions(explanation: &Value) -> String {
    let told = explanation["decisions"].as_array().unwrap();
    told.iter().map(|decision| decision.as_str().unwrap()).collect::<Vec<_>>().join("; ")
}

#[test]
fn a_redirect_says_where_it_led_and_what_became_of_that() {
    let server = Script::serve(|path, _| match path {
        "/" => html("<a href=/old>x</a><a href=/away>x</a><a href=/odd>x</a>"),
        "/old" => answer("301 Moved", "Location: /new\r\n", ""),
        "/away" => answer("302 Found", "Location: http://b.test/\r\n", ""),
        "/odd" => answer("302 Found", "Location: mailto:a@b.test\r\n", ""),
        "/new" => html("new"),
        _ => missing(),
    });
    let dir = crawl(&server, "");
    let told = |address: &str| decisions(&explained(dir.path(), address));
    assert!(
        told("a.test/old").contains("redirects to http://a.test/new (captured)"),
        "{}",
        told("a.test/old")
    );
    let away = told("http://a.test/away");
    assert!(away.contains("redirects to http://b.test/ (out-of-scope)"), "{away}");
    assert!(told("mailto:a@b.test").contains("first named on http://a.test/odd"));
}

#[test]
fn what_is_no_fetchable_url_is_listed_with_the_reason() {
    let long = format!("/{}", "x".repeat(5000));
    let body = format!(
        "<a href='{long}'>x</a><a href='mailto:a@b.test'>x</a><a href='http://['>x</a>\
         <img src='data:image/png;base64,{}'>",
        "A".repeat(3000)
    );
    let many: String = (0..300).map(|n| format!("<a href='tel:{n}'>x</a>")).collect();
    let server = Script::serve(move |path, _| match path {
        "/" => html(&format!("{body}<a href=/many>x</a>")),
        "/many" => html(&many),
        _ => missing(),
    });
    let dir = crawl(&server, "");
    for (address, reason) in [
        (format!("http://a.test{long}"), "longer than 4096"),
        ("mailto:a@b.test".to_owned(), "scheme \"mailto\""),
        ("http://[".to_owned(), "not a URL"),
    ] {
        let told = explained(dir.path(), &address);
        assert_eq!((&told["state"], &told["reason"]), (&"skipped".into(), &"unusable".into()), "{told}");
        let told = decisions(&told);
        assert!(told.contains(reason) && told.contains("first named on http://a.test/"), "{told}");
    }
    assert_eq!(explained(dir.path(), "tel:7")["state"], "skipped");
    assert_eq!(explained(dir.path(), "mailto:nobody@b.test")["state"], "never-seen");
    assert_eq!(explained(dir.path(), "a.test:80/")["state"], "captured");
    let skipped = std::fs::read_to_string(dir.path().join("job/logs/skipped.jsonl")).unwrap();
    assert_eq!(skipped.lines().filter(|line| line.contains("\"tel:")).count(), 100, "a page lists so many");
    assert!(skipped.lines().all(|line| line.len() < 5000), "nothing is listed at full length");
    let told = decisions(&explained(dir.path(), "a.test/many"));
    assert!(told.contains("names 300 addresses that are no fetchable URL"), "{told}");
}

#[test]
fn a_page_read_in_part_says_so_in_log_archive_and_explanation() {
    let server = Script::serve(|path, _| match path {
        "/" => html(&format!("<a href='javascript:x()'>x</a>{}", "<div>".repeat(600))),
        _ => missing(),
    });
    let dir = crawl(&server, "");
    let log = std::fs::read_to_string(dir.path().join("job/logs/crawl.log")).unwrap();
    let line = log.lines().find(|line| line.contains(" http://a.test/ - - ")).unwrap();
    assert!(line.ends_with("readInPart:nesting%20deeper%20than%20512,unusableLinks:1"), "{line}");
    assert_eq!(line.split_whitespace().count(), 12);
    let archive = files_in(&dir.path().join("job/archive"), ".warc.gz");
    let records = std::process::Command::new("gzip").arg("-dc").args(&archive).output().unwrap().stdout;
    assert!(String::from_utf8_lossy(&records).contains("readInPart: nesting deeper than 512\r\n"));
    let told = decisions(&explained(dir.path(), "http://a.test/"));
    assert!(told.contains("read in part only: nesting deeper than 512"), "{told}");
}

#[test]
fn a_sitemap_of_another_host_is_logged_as_out_of_scope() {
    let robots = "Sitemap: http://elsewhere.test/sitemap.xml\nSitemap: ftp://a.test/sitemap.xml\n";
    let server = Script::serve(move |path, _| match path {
        "/" => html("hello"),
        "/robots.txt" => answer("200 OK", "Content-Type: text/plain\r\n", robots),
        _ => missing(),
    });
    let dir = crawl(&server, "");
    assert_eq!(explained(dir.path(), "http://elsewhere.test/sitemap.xml")["reason"], "out-of-scope");
    let odd = decisions(&explained(dir.path(), "ftp://a.test/sitemap.xml"));
    assert!(odd.contains("first named on http://a.test/robots.txt"), "{odd}");
}
