//! `annalist simulate` on a small recorded web whose every word is known.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::fmt::Write;
use std::path::Path;
use std::process::Output;
use std::sync::Arc;

use annalist_disk::RealDisk;
use annalist_warc::{Exchange, Record, RecordId, Writer, WriterSettings};
use serde_json::{Value, json};
use support::{annalist, assert_exit, json_of};
use uuid::Uuid;

const PAGES: usize = 24;

fn is_water(page: usize) -> bool {
    page.is_multiple_of(3)
}

/// Words in a language nobody has a list for: each weighs the same. Dots keep them from being pairs.
fn page(number: usize) -> String {
    let about = match number {
        n if n % 4 == 1 => "river. stone",
        n if is_water(n) => "river. lake. lake",
        _ => "stone. sand",
    };
    let own = ["amber", "birch", "cedar", "delta", "ember"][number % 5];
    let mut html = format!("<!DOCTYPE html><html lang=xx><body><p>{about}. {own}</p>");
    let mut targets: Vec<usize> = Vec::new();
    for target in
        [2 * number + 1, 5 * number + 2, number + 7, number * number + 3].map(|target| target % PAGES)
    {
        if target == number || targets.contains(&target) {
            continue;
        }
        targets.push(target);
        let anchor = match (is_water(target), number + target) {
            (true, sum) if sum.is_multiple_of(4) => "click",
            (false, sum) if !sum.is_multiple_of(5) => "stone",
            _ => "river",
        };
        let _ = write!(html, "<p><a href=/{target}>{anchor}</a></p>");
    }
    // One that is not there, and one that leads elsewhere.
    let _ = write!(html, "<p><a href=/gone>river</a></p><p><a href=/moved>river</a></p>");
    html
}

fn response(path: &str, block: &str) -> Record {
    let url = format!("http://web.test/{path}");
    let exchange = Exchange { target_uri: &url, started_ms: 1_000_000, server: None };
    let number = u128::from(path.bytes().fold(7_u64, |sum, byte| sum * 31 + u64::from(byte)));
    let id = RecordId::new(Uuid::from_u128(number));
    let digest = format!("sha1:{}", "A".repeat(32 - path.len()) + &path.to_uppercase());
    Record::response(id, &exchange, &digest, block.as_bytes().to_vec())
}

/// An archive, and labels of its pages.
fn record(dir: &Path) {
    let mut number = 0;
    let ids = move || {
        number += 1;
        Uuid::from_u128(number)
    };
    let mut writer = Writer::new(Arc::new(RealDisk), WriterSettings::new(dir, dir, "web", "host"), ids);
    let mut labels = String::new();
    for number in 0..PAGES {
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{}", page(number));
        writer.append(&[response(&number.to_string(), &block)], 1_000_000).unwrap();
        let topic = match number {
            n if n % 6 == 0 => "Water/Lakes",
            n if is_water(n) => "Water/Rivers",
            _ => "Rock",
        };
        let _ = writeln!(labels, "http://web.test/{number}\t{topic}");
    }
    let moved = "HTTP/1.1 301 Moved\r\nLocation: /5\r\n\r\n";
    let mute = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n";
    writer.append(&[response("moved", moved), response("mute", mute)], 1_000_000).unwrap();
    writer.close().unwrap();
    std::fs::write(dir.join("topics.tsv"), labels).unwrap();
}

fn simulate(dir: &Path, more: &[&str]) -> Output {
    annalist().arg("simulate").arg("--archive").arg(dir).args(more).output().unwrap()
}

fn on_water(dir: &Path, more: &[&str]) -> Output {
    let topics = dir.join("topics.tsv");
    let fixed = ["--topics", topics.to_str().unwrap(), "--topic", "Water", "--seeds", "2", "--pages", "10"];
    simulate(dir, &[&fixed[..], more].concat())
}

/// Six digits are given.
fn is(value: &Value, expected: f64) -> bool {
    value.as_f64().is_some_and(|value| (value - expected).abs() < 1e-6)
}

fn told(output: &Output) -> String {
    assert_exit(output, 4);
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn the_table_of_a_known_web_is_known() {
    // Relevant pages found in each repeat, counted by another program; those of the judge as they came out.
    let expected = [
        ("default", [3, 1, 2]),
        ("default+batch", [2, 2, 2]),
        ("default+bl5", [1, 2, 1]),
        ("bfs", [2, 2, 1]),
        ("first", [2, 2, 2]),
        ("last", [2, 2, 3]),
        ("max", [3, 2, 2]),
        ("sum", [3, 2, 2]),
        ("avg", [2, 2, 2]),
        ("oracle", [3, 4, 3]),
        ("avg+batch", [1, 2, 1]),
    ];
    let dir = tempfile::tempdir().unwrap();
    record(dir.path());
    let names = expected.map(|(name, _)| name);
    let output = on_water(dir.path(), &[&["--repeat", "3", "--json", "--policy"], &names[..]].concat());
    assert_exit(&output, 0);
    let json = json_of(&output);
    for (policy, counts) in expected {
        let rows: Vec<&Value> =
            json["rows"].as_array().unwrap().iter().filter(|row| row["policy"] == policy).collect();
        let harvests: Vec<f64> = rows.iter().map(|row| row["harvest"].as_f64().unwrap() * 8.0).collect();
        assert_eq!(harvests, counts.map(f64::from), "{policy}");
        for (repeat, (row, found)) in rows.iter().zip(counts).enumerate() {
            assert_eq!(
                (&row["topic"], &row["repeat"], &row["pages"]),
                (&json!("Water"), &json!(repeat), &json!(10))
            );
            // 8 pages besides the seeds; of 8 relevant ones 2 are seeds.
            assert!(is(&row["recall"], f64::from(found) / 6.0), "{policy}: {row}");
        }
        let mean = counts.map(|found| f64::from(found) / 8.0).iter().sum::<f64>() / 3.0;
        assert!(is(&json["means"][policy]["harvest"], mean), "{policy}");
    }
    assert!(is(&json["bound"], 6.0 / 8.0));
    assert!(is(&json["means"]["bfs"]["similarity"], 0.843797));
    let text = String::from_utf8(output.stdout).unwrap();
    for line in [
        "policy   harvest ratio      recall             similarity         topics covered",
        "bfs      0.2083 \u{b1} 0.0417    0.2778 \u{b1} 0.0556    0.8438 \u{b1} 0.0114    0.5000 \u{b1} 0.0000",
        "max      0.2917 \u{b1} 0.0417    0.3889 \u{b1} 0.0556    0.8567 \u{b1} 0.0121    0.8333 \u{b1} 0.1667",
        "yes     1  avg       0.1667 \u{b1} 0.0417    0.2222 \u{b1} 0.0556    0.8379 \u{b1} 0.0161    0.5000 \u{b1} 0.0000",
    ] {
        assert!(text.lines().any(|shown| shown == line), "{line}\n{text}");
    }
}

#[test]
fn the_same_simulation_gives_the_same_bytes_on_any_number_of_threads() {
    let dir = tempfile::tempdir().unwrap();
    record(dir.path());
    let out = dir.path().join("out");
    let run = |threads: &str| {
        let more = [
            "--topic",
            "Rock",
            "--policy",
            "bfs",
            "avg+bl5",
            "sum+batch",
            "default",
            "default+batch+bl5",
            "--repeat",
            "2",
            "--json",
            "--threads",
        ];
        let output = on_water(dir.path(), &[&more[..], &[threads, "--out", out.to_str().unwrap()]].concat());
        assert_exit(&output, 0);
        let files =
            ["curves.svg", "curves.csv", "rows.csv"].map(|name| std::fs::read(out.join(name)).unwrap());
        (output.stdout, files)
    };
    let (stdout, files) = run("1");
    let text = files.clone().map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(text[0].starts_with("<svg") && text[0].matches("<polyline").count() == 5, "{}", text[0]);
    assert_eq!(text[1].lines().next(), Some("pages,bfs,avg+bl5,sum+batch,default,default+batch+bl5"));
    assert_eq!((text[1].lines().count(), text[2].lines().count()), (9, 21));
    for threads in ["1", "4"] {
        assert_eq!(run(threads), (stdout.clone(), files.clone()), "{threads}");
    }
}

#[test]
fn without_labels_what_is_similar_to_the_seeds_is_relevant() {
    let dir = tempfile::tempdir().unwrap();
    record(dir.path());
    let seeds = dir.path().join("seeds.txt");
    std::fs::write(&seeds, "# where to begin\nhttp://web.test/6\n\nhttp://web.test/18\n").unwrap();
    let given =
        ["--seed-urls", seeds.to_str().unwrap(), "--policy", "bfs", "oracle", "--pages", "6", "--json"];
    let json = json_of(&simulate(dir.path(), &given));
    // All have words in common with them, which makes them similar enough.
    assert_eq!((&json["means"]["bfs"]["harvest"], &json["rows"][0]["pages"]), (&json!(1.0), &json!(6)));
    assert!(is(&json["rows"][0]["recall"], 4.0 / 22.0));
    assert!(json["rows"][0]["topics_covered"].is_null());
    let drawn = ["--seeds", "3", "--pages", "8", "--policy", "avg", "--repeat", "2", "--json"];
    assert_eq!(json_of(&simulate(dir.path(), &drawn))["rows"].as_array().unwrap().len(), 2);
}

#[test]
fn what_cannot_be_compared_is_told() {
    let dir = tempfile::tempdir().unwrap();
    record(dir.path());
    let topics = dir.path().join("topics.tsv");
    let labels = std::fs::read_to_string(&topics).unwrap();
    assert!(told(&on_water(dir.path(), &["--policy", "best"])).contains("no policy \"best\""));
    let unknown = told(&on_water(dir.path(), &["--topic", "Fire"]));
    assert!(unknown.contains("\"Fire\"") && unknown.contains("Rock, Water"), "{unknown}");
    let few = told(&simulate(
        dir.path(),
        &["--topics", topics.to_str().unwrap(), "--topic", "Water/Lakes", "--seeds", "4"],
    ));
    assert!(few.contains("has 4 pages"), "{few}");
    let small = told(&simulate(
        dir.path(),
        &["--topics", topics.to_str().unwrap(), "--topic", "Rock", "--seeds", "5", "--pages", "5"],
    ));
    assert!(small.contains("5 pages are not more than the 5 seeds"), "{small}");
    assert!(told(&simulate(dir.path(), &["--topics", topics.to_str().unwrap()])).contains("--topic"));
    assert!(told(&simulate(&dir.path().join("nowhere"), &[])).contains("does not exist"));

    std::fs::write(&topics, format!("{labels}http://web.test/1 Rock\n")).unwrap();
    assert!(told(&on_water(dir.path(), &[])).contains("line 25: no tab"));
    std::fs::write(&topics, format!("{labels}http://web.test/elsewhere\tRock\n")).unwrap();
    let output = on_water(dir.path(), &["--policy", "bfs"]);
    assert_exit(&output, 0);
    let warned = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(warned.contains("1 of 25 labelled pages are not in the archive"), "{warned}");

    let seeds = dir.path().join("seeds.txt");
    std::fs::write(&seeds, "http://web.test/gone\n").unwrap();
    let gone = told(&simulate(dir.path(), &["--seed-urls", seeds.to_str().unwrap()]));
    assert!(gone.contains("http://web.test/gone is no page of the archive"), "{gone}");
    std::fs::write(&seeds, "http://web.test/mute\n").unwrap();
    let mute = told(&simulate(dir.path(), &["--seed-urls", seeds.to_str().unwrap()]));
    assert!(mute.contains("no words to go by: http://web.test/mute"), "{mute}");
    let empty = dir.path().join("empty.warc");
    std::fs::write(&empty, "").unwrap();
    assert!(told(&simulate(&empty, &[])).contains("no pages"));
}
