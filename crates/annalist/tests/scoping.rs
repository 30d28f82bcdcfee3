//! What is fetched and what is left out, by rules about the way to a link, by seeds and by sitemaps.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::time::Duration;

use serde_json::Value;
use support::script::{Script, answer, html, missing, spec};
use support::{annalist, assert_exit, finish, json_of};

/// Crawls `http://a.test/` on a scripted server; `edit` may change the spec's text.
fn crawl(server: &Script, edit: impl Fn(String) -> String) -> (Value, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("spec.toml");
    std::fs::write(&path, edit(spec(server.address, ""))).unwrap();
    let mut command = annalist();
    command.arg("crawl").arg(&path).arg("--job").arg(dir.path().join("job")).args(["--json", "--quiet"]);
    let output = finish(&mut command, Duration::from_secs(60));
    assert_exit(&output, 0);
    (json_of(&output), dir)
}

fn pages_asked(server: &Script) -> Vec<String> {
    let mut paths = server.paths();
    paths.retain(|path| path != "/robots.txt" && path != "/sitemap.xml");
    paths.sort();
    paths
}

#[test]
fn a_rule_may_ask_for_the_whole_way_that_led_to_a_link() {
    let server = Script::serve(|path, _| match path {
        "/" => html("<a href=/topic/>x</a><a href=/other/>x</a>"),
        "/topic/" => html("<a href=/a>x</a>"),
        "/other/" => html("<a href=/b>x</a>"),
        "/a" => html("<a href=/a/deep>x</a>"),
        "/a/deep" => html("<a href=/a/deeper>x</a>"),
        "/a/deeper" => html("<a href=/a/deepest>x</a>"),
        _ => html("nothing"),
    });
    let rules = "scope = \"custom\"\n[scope]\nsitemaps = false\n\
        include = ['path in [\"/topic/\", \"/other/\"]', 'passed(path == \"/topic/\") && depth < 5']\n[politeness]";
    let (_, _dir) = crawl(&server, |text| text.replacen("[politeness]", rules, 1));
    assert_eq!(pages_asked(&server), ["/", "/a", "/a/deep", "/a/deeper", "/other/", "/topic/"]);
}

#[test]
fn a_guessed_sitemap_is_inferred_and_a_named_one_is_not() {
    let server = Script::serve(|path, _| match path {
        "/" => html("hello"),
        "/robots.txt" => answer("200 OK", "Content-Type: text/plain\r\n", "Sitemap: /map.xml\n"),
        _ => missing(),
    });
    let (_, dir) = crawl(&server, |text| text);
    let log = std::fs::read_to_string(dir.path().join("job/logs/crawl.log")).unwrap();
    assert!(log.contains(" http://a.test/map.xml PM "), "{log}");
    assert!(log.contains(" http://a.test/sitemap.xml PI "), "{log}");
}

#[test]
fn sitemaps_are_read_where_robots_txt_is_not_obeyed() {
    let robots = "User-agent: *\nDisallow: /\nSitemap: http://a.test/map.txt\n";
    let server = Script::serve(move |path, _| match path {
        "/robots.txt" => answer("200 OK", "Content-Type: text/plain\r\n", robots),
        "/map.txt" => answer("200 OK", "Content-Type: text/plain\r\n", "http://a.test/listed\n"),
        "/" | "/listed" => html("hello"),
        _ => missing(),
    });
    let (_, _dir) =
        crawl(&server, |text| text.replacen("[politeness]\n", "[politeness]\nrobots = \"ignore\"\n", 1));
    assert_eq!(pages_asked(&server), ["/", "/listed", "/map.txt"]);
    assert_eq!(server.paths().iter().filter(|path| *path == "/robots.txt").count(), 1);
}

#[test]
fn a_seed_that_had_its_bytes_leaves_the_rest_to_others() {
    let server = Script::serve(|path, _| match path {
        "/" => html(&(0..20).map(|n| format!("<a href=/p{n}>x</a>")).collect::<String>()),
        _ if path.starts_with("/p") => html(&"x".repeat(2000)),
        "/other" => html("the other seed"),
        _ => missing(),
    });
    let (json, dir) = crawl(&server, |text| {
        let seeds = "size = \"5KB\"\n[[seed]]\nurl = \"http://a.test/other\"\nscope = \"page\"\n[politeness]";
        text.replacen("[politeness]", seeds, 1)
    });
    assert!(pages_asked(&server).len() < 8, "{:?}", pages_asked(&server));
    assert!(pages_asked(&server).contains(&"/other".to_owned()));
    assert!(json["skipped_by_reason"]["budget"].as_u64().unwrap() > 10, "{json}");
    let skipped = std::fs::read_to_string(dir.path().join("job/logs/skipped.jsonl")).unwrap();
    assert!(skipped.contains("its seed's size limit is reached"));
}
