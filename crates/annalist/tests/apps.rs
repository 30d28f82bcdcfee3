//! The application-aware helper: what it saves on blogs and forums with all their views of the same content, and what it lifts out.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::Duration;

use annalist_testweb::{HostKind, Junk, WorldConfig};
use serde_json::Value;
use support::{IMPATIENT, Stand, annalist, assert_exit, assert_valid, captures, finish};

const LIMIT: Duration = Duration::from_secs(300);

fn web() -> WorldConfig {
    WorldConfig {
        hosts: 12,
        pages: 360,
        images_per_host: 1,
        // Each host by itself: what leads away says nothing about what is saved.
        crawl_delays: 0.0,
        junk: Junk::On,
        ..WorldConfig::default()
    }
}

/// A spec for the blogs and forums of the web.
fn spec(stand: &Stand, apps: bool) -> std::path::PathBuf {
    let hosts = stand.web.world().truth().healthy_hosts().iter();
    let seeds: String = hosts
        .filter(|host| matches!(host.kind, HostKind::Blog | HostKind::Forum))
        .map(|host| format!("[[seed]]\nurl = \"http://{}/\"\nscope = \"host\"\n", host.name))
        .collect();
    let text = format!(
        "name = \"apps\"\napps = {apps}\n{seeds}{IMPATIENT}[politeness]\nmin_delay = \"0s\"\n{}",
        stand.web.network_toml()
    );
    let path = stand.dir.path().join(format!("apps-{apps}.toml"));
    std::fs::write(&path, text).unwrap();
    path
}

/// Crawls; how many requests the servers saw.
fn crawl(stand: &Stand, spec: &Path, job: &Path) -> usize {
    stand.web.clear_log();
    assert_exit(&finish(&mut stand.crawl_into(spec, job), LIMIT), 0);
    assert_valid(job);
    stand.web.log().entries.len()
}

fn objects(job: &Path) -> Vec<Value> {
    let output = annalist().args(["apps", "objects", "--jsonl"]).arg(job).output().unwrap();
    assert_exit(&output, 0);
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// What must be found: each post and comment of the pages that may be asked for, once. By kind, author, date and text.
fn truth(stand: &Stand) -> HashSet<(String, String, String)> {
    let truth = stand.web.world().truth();
    let pages = truth.allowed_pages().filter(|page| {
        let host = stand.web.world().host(&page.host).unwrap();
        page.kind.is_content() && matches!(host.kind, HostKind::Blog | HostKind::Forum)
    });
    pages
        .flat_map(|page| truth.objects(&page.host, &page.path))
        .map(|object| (object.author, object.published, words(&object.text).join(" ")))
        .collect()
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn two_grams<'t>(texts: impl Iterator<Item = &'t str>) -> HashSet<(String, String)> {
    let mut grams = HashSet::new();
    for text in texts {
        let words = words(text);
        grams.extend(words.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())));
    }
    grams
}

#[test]
fn on_blogs_and_forums_a_seventh_of_the_requests_brings_every_post_and_comment() {
    let stand = Stand::new(web());
    let (blind, helped) = (stand.dir.path().join("blind"), stand.dir.path().join("helped"));
    let without = crawl(&stand, &spec(&stand, false), &blind);
    let with = crawl(&stand, &spec(&stand, true), &helped);
    println!(
        "requests: {without} blind, {with} with the helper, {:.1} times fewer",
        without as f64 / with as f64
    );
    assert!(captures(&blind).len() > captures(&helped).len());

    let text = |object: &Value, name: &str| object[name].as_str().unwrap_or_default().to_owned();
    let objects = objects(&helped);
    let found: HashSet<(String, String, String)> = objects
        .iter()
        .map(|object| (text(object, "author"), text(object, "date"), words(&text(object, "body")).join(" ")))
        .collect();
    let truth = truth(&stand);
    let missed: Vec<_> = truth.iter().filter(|object| !found.contains(*object)).collect();
    let share = 1.0 - missed.len() as f64 / truth.len() as f64;
    println!("objects: {} of {} found, {share:.4}", truth.len() - missed.len(), truth.len());
    let expected = two_grams(truth.iter().map(|(_, _, text)| text.as_str()));
    let bodies: Vec<String> = objects.iter().map(|object| text(object, "body")).collect();
    let got = two_grams(bodies.iter().map(String::as_str));
    let covered = expected.iter().filter(|gram| got.contains(*gram)).count() as f64 / expected.len() as f64;
    println!("2-grams: {covered:.4}");
    // The same post under two addresses is one object.
    let mut times: HashMap<String, usize> = HashMap::new();
    for object in &objects {
        *times.entry(text(object, "id")).or_default() += 1;
    }
    assert!(times.values().all(|times| *times == 1));
    assert!(share >= 0.99, "{:?}", missed.iter().take(5).collect::<Vec<_>>());
    assert!(covered >= 0.98, "{covered}");
    assert!(without >= 7 * with, "{without} requests against {with}");
}
