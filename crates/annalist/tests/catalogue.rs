//! Descriptions of applications that a spec names: found beside the spec, used by the crawl, and never a reason for it to stop.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
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

/// How relevant each page was judged to be, by its path.
fn relevance(job: &Path) -> HashMap<String, f64> {
    let files = support::files_in(&job.join("archive"), ".warc.gz");
    let bytes = Command::new("gzip").arg("-dc").args(&files).output().unwrap().stdout;
    let (mut path, mut found) = (String::new(), HashMap::new());
    for line in String::from_utf8_lossy(&bytes).lines() {
        if let Some(at) = line.strip_prefix("WARC-Target-URI: http://a.test") {
            path = at.to_owned();
        } else if let Some(score) = line.strip_prefix("relevance: ") {
            found.insert(path.clone(), score.parse().unwrap());
        }
    }
    found
}

#[test]
fn a_page_is_judged_by_its_posts_and_not_by_what_stands_beside_them() {
    const TOPIC: &str = "An old lighthouse stood there. An old lighthouse stood there. ";
    const OTHER: &str = "Bread is made of flour, water and salt, and the baker kneads the dough every evening before the oven is \
        heated with dry wood from the forest. Farmers bring potatoes, onions, carrots and cabbage to the market, where \
        neighbours bargain, gossip, laugh and carry heavy baskets back uphill. Morning fog lay over the valley while \
        children walked to school along the narrow river path and talked of games, marbles, kites and paper boats. ";
    let page = |beside: &str, post: &str| {
        let other = OTHER.repeat(3);
        html(&format!(
            "<meta name=generator content='Pinboard 2'><table><tr><td>{beside}{other}<td><div class=pin id=p><p>{post}{other}\
             </div></table>"
        ))
    };
    let server = Script::serve(move |path, _| match path {
        "/" => html("<a href=/posts>x</a><a href=/beside>x</a>"),
        "/posts" => page("", TOPIC),
        "/beside" => page(TOPIC, ""),
        _ => missing(),
    });
    let (dir, spec) = stand(&server);
    let topic = "[topic]\nkeywords = [\"lighthouse\", \"island\", \"harbour\"]\n";
    std::fs::write(&spec, format!("{}{topic}", std::fs::read_to_string(&spec).unwrap())).unwrap();
    let job = dir.path().join("job");
    crawl(&[&spec, Path::new("--job"), &job]);
    let relevance = relevance(&job);
    assert!(relevance["/posts"] > 1.5 * relevance["/beside"], "{relevance:?}");
}

#[test]
fn a_list_that_waits_is_left_alone_once_a_better_one_was_seen_and_the_crawl_ends() {
    const GENERATOR: &str = "<meta name=generator content=\"WordPress 6.1\">";
    let server = Script::serve(|path, _| match path {
        "/" => html(&format!(
            "{GENERATOR}<body class=\"home page\"><a href=/news/category/a/>A</a> <a href=/news/>News</a>"
        )),
        "/news/" => {
            html(&format!("{GENERATOR}<body class=blog><a class=page-numbers href=/news/page/2/>2</a>"))
        }
        "/news/page/2/" => html(&format!("{GENERATOR}<body class=\"blog paged\">")),
        _ => missing(),
    });
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("spec.toml");
    std::fs::write(&path, spec(server.address, "")).unwrap();
    crawl(&[&path, Path::new("--job"), &dir.path().join("job")]);
    let paths = server.paths();
    assert!(paths.iter().any(|path| path == "/news/"), "{paths:?}");
    assert!(!paths.iter().any(|path| path == "/news/category/a/"), "{paths:?}");
}
