//! `annalist judge` for events: what a page is worth by its time, and how well that agrees with a few votes.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::json;
use support::{annalist, assert_exit, json_of};

const TOPICS: &str = "Code\tFrom\tUntil\tBefore\tAfter\tDescription\tWikipedia\n\
    fair2005\t2005-05-01\t2005-05-03\tP30D\tP14D\tThe fair 2005\tFair_2005\n\
    fair2006\t2006-05-01\t2006-05-03\tP30D\tP14D\tThe fair 2006\tFair_2006\n\
    fire\t2006-07-01\t2006-07-01\tP0D\tP14D\tThe fire\tFire\n";
const HEADING: &str = "campaign,url,timestamp,contentRelevance,timeRelevance,vote,comment";

fn votes(dir: &Path) {
    let annotations = dir.join("annotations");
    fs::create_dir_all(&annotations).unwrap();
    fs::write(dir.join("topics.tsv"), TOPICS).unwrap();
    // At the fair the right words are there every year, and much else happens in its week; the fire was once.
    let fair = |year: u16| {
        format!(
            "{HEADING}\n\
             \"fair{year}\",\"http://a.test/1\",2005-05-02T10:00:00,0.20,1.000000,HighlyRelevant,\"\"\n\
             \"fair{year}\",\"http://a.test/2\",2005-05-02T10:00:00,0.18,0.900000,Relevant,\"two\nlines\"\n\
             \"fair{year}\",\"http://a.test/3\",2001-05-02T10:00:00,0.22,0.000000,NotRelevant,\"another year\"\n\
             \"fair{year}\",\"http://a.test/4\",2005-05-02T10:00:00,0.01,1.000000,Junk,\"\"\n\
             \"fair{year}\",\"http://a.test/5\",2005-05-02T10:00:00,0.30,1.000000,,\"\"\n"
        )
    };
    fs::write(annotations.join("fair2005.csv"), fair(2005)).unwrap();
    fs::write(annotations.join("fair2006.csv"), fair(2006)).unwrap();
    let fire = format!(
        "{HEADING}\nfire,http://b.test/1,2006-07-01T10:00:00,0.3,0.1,Relevant,\nfire,http://b.test/2,2006-07-01T10:00:00,0.02,1,Unknown,\n"
    );
    fs::write(annotations.join("fire.csv"), fire).unwrap();
    fs::write(annotations.join("notes.txt"), "no table").unwrap();
}

fn evaluate(dir: &Path, more: &[&str]) -> Output {
    annalist().args(["judge", "--evaluate"]).arg(dir).args(more).output().unwrap()
}

#[test]
fn the_last_line_has_the_break_even_points_of_each_function_by_kind_of_event() {
    let dir = tempfile::tempdir().unwrap();
    votes(dir.path());
    let out = dir.path().join("out");
    let done = evaluate(dir.path(), &["--json", "--out", out.to_str().unwrap()]);
    assert_exit(&done, 0);
    let text = String::from_utf8(done.stdout).unwrap();
    let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(
        last,
        json!({
            "all": {"content": 0.6, "time": 0.4, "mean": 0.8, "default": 1.0},
            "recurring": {"content": 0.5, "time": 0.5, "mean": 1.0, "default": 1.0},
            "other": {"content": 1.0, "time": 0.0, "mean": 0.0, "default": 1.0},
        }),
        "{text}"
    );
    assert!(text.contains("2 rows without a vote are left out"), "{text}");
    for name in ["break-even.csv", "curves.csv", "curves-all.svg", "curves-recurring.svg", "curves-other.svg"]
    {
        assert!(fs::metadata(out.join(name)).unwrap().len() > 0, "{name}");
    }
}

#[test]
fn votes_that_cannot_be_read_are_told_with_file_and_line() {
    let dir = tempfile::tempdir().unwrap();
    votes(dir.path());
    fs::write(dir.path().join("annotations/fire.csv"), format!("{HEADING}\nfire,u,t,x,0,Relevant,\n"))
        .unwrap();
    let done = evaluate(dir.path(), &[]);
    assert_exit(&done, 4);
    let told = String::from_utf8(done.stderr).unwrap();
    assert!(told.contains("fire.csv: line 2: \"x\" is no number"), "{told}");
    let done = evaluate(&dir.path().join("annotations"), &[]);
    assert_exit(&done, 4);
}

#[test]
fn a_page_of_an_event_is_judged_by_the_day_it_says_it_is_from() {
    let dir = tempfile::tempdir().unwrap();
    let spec = dir.path().join("fair.toml");
    let text = "name = \"fair\"\n[[seed]]\nurl = \"http://a.test/\"\n[topic]\nkeywords = [\"carousel\", \"fair\"]\n\
        [event]\nfrom = 2005-05-01\nuntil = 2005-05-03\nlead = \"10d\"\n";
    fs::write(&spec, text).unwrap();
    let judged = |day: &str| {
        let page = dir.path().join("page.html");
        let meta = format!("<meta property=article:published_time content={day}T10:00:00Z>");
        fs::write(
            &page,
            format!("<html lang=en><head>{meta}</head><p>The carousel of the fair, the fair itself."),
        )
        .unwrap();
        let done = annalist().arg("judge").arg(&spec).arg(&page).arg("--json").output().unwrap();
        assert_exit(&done, 0);
        json_of(&done)
    };
    let (then, before, after) = (judged("2005-05-02"), judged("2005-04-21"), judged("2007-05-02"));
    assert_eq!((&then["time"]["basis"], &then["time"]["relevance"]), (&json!("published"), &json!(1.0)));
    assert_eq!(then["score"], then["content"]);
    assert_eq!((&after["time"]["relevance"], &after["content"]), (&json!(0.0), &then["content"]));
    let [then, before, after] = [then, before, after].map(|one| one["score"].as_f64().unwrap());
    assert!(then > before && before > after && after > 0.0, "{then} {before} {after}");
}
