//! kill -9, again and again, at any moment: nothing acknowledged is lost, every file stays valid, nobody is asked too
//! soon. `ANNALIST_KILLS` says how often; `make torture KILLS=1000` for the long run.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use annalist_testweb::{By, WorldConfig};
use support::{
    IMPATIENT, Stand, asked_again_within, assert_accepted_by_others, assert_exit, assert_valid, captures,
    expected, files_in, finish, urls,
};

const DELAY: Duration = Duration::from_millis(30);

/// A small generator, so that a failing run can be repeated from its seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

#[test]
fn nothing_acknowledged_is_lost_to_kill_9() {
    let kills: u64 = std::env::var("ANNALIST_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(30);
    let mut dice = Dice(std::env::var("ANNALIST_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(7));
    let (mut done, mut world) = (0, 1);
    while done < kills {
        done += torture(&mut dice, world, kills - done);
        println!("{done} of {kills} kills");
        world += 1;
    }
}

/// Kills one crawl until it is complete, then checks everything. How many kills it took.
fn torture(dice: &mut Dice, world: u64, most: u64) -> u64 {
    let config = WorldConfig {
        seed: world,
        hosts: 12,
        pages: 260,
        addresses: 6,
        crawl_delays: 0.0,
        flaky: 0.2,
        ..WorldConfig::default()
    };
    let stand = Stand::new(config);
    let spec = stand.spec(IMPATIENT);
    let delay = format!("\"{}ms\"", DELAY.as_millis());
    let text = std::fs::read_to_string(&spec).unwrap().replace("\"0s\"", &delay);
    std::fs::write(&spec, text).unwrap();

    let mut kills = 0;
    let complete = loop {
        if kills == most.min(60) {
            break false;
        }
        let mut child = stand.crawl(&spec).stdout(std::process::Stdio::null()).spawn().unwrap();
        let wait = Duration::from_millis(20 + dice.below(900));
        let begun = Instant::now();
        let ended = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break Some(status);
            }
            if begun.elapsed() >= wait {
                break None;
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        if let Some(status) = ended {
            assert!(status.success(), "world {world}: {status}");
            break true;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        check_final_files(&stand.job());
        check_politeness(&stand);
    };
    if !complete {
        assert_exit(&finish(&mut stand.crawl(&spec), Duration::from_secs(300)), 0);
    }
    check_everything(&stand);
    kills
}

/// Captures that the log calls acknowledged: URL and payload digest of every whole line with a status.
fn acknowledged(job: &Path) -> BTreeSet<(String, String)> {
    let log = std::fs::read_to_string(job.join("logs/crawl.log")).unwrap_or_default();
    let whole = log.rfind('\n').map_or("", |end| &log[..end]);
    let mut seen = BTreeSet::new();
    for line in whole.lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        // A kill may have cut a line; the next run's first line is then glued to it.
        if fields.len() == 12 && fields[1].parse::<i32>().is_ok_and(|status| status > 0) {
            seen.insert((fields[3].to_owned(), fields[9].to_owned()));
        }
    }
    seen
}

/// A file without `.open` is final and valid at every moment.
fn check_final_files(job: &Path) {
    let files = files_in(&job.join("archive"), ".warc.gz");
    if files.is_empty() {
        return;
    }
    let output = support::annalist().arg("verify").args(&files).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

fn check_politeness(stand: &Stand) {
    let log = stand.web.log();
    for by in [By::Address, By::Site] {
        let overlaps = log.overlaps(by);
        assert!(overlaps.is_empty(), "{by:?}: {:?}", overlaps.first());
        assert_eq!(asked_again_within(&log, by, DELAY), None, "{by:?}");
    }
}

fn check_everything(stand: &Stand) {
    let job = stand.job();
    check_politeness(stand);
    assert!(files_in(&job.join("archive"), ".open").is_empty());
    assert_valid(&job);
    assert_accepted_by_others(&job);

    let captures = captures(&job);
    let fetched = urls(&captures);
    let missed: Vec<_> = expected(&stand.web).difference(&fetched).cloned().collect();
    assert!(missed.is_empty(), "missed: {missed:?}");
    let mut digests = BTreeMap::<String, BTreeSet<String>>::new();
    for (url, digest) in indexed_digests(&job) {
        digests.entry(url).or_default().insert(digest);
    }
    for (url, digest) in acknowledged(&job) {
        let bare = digest.trim_start_matches("sha1:");
        let kept = digests.get(&url).is_some_and(|d| d.iter().any(|k| k.trim_start_matches("sha1:") == bare));
        assert!(kept, "acknowledged and lost: {url} {digest}");
    }
    check_record_ids(&job);
}

fn indexed_digests(job: &Path) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for index in files_in(&job.join("indexes"), ".cdxj") {
        for line in std::fs::read_to_string(index).unwrap().lines() {
            let json: serde_json::Value = serde_json::from_str(line.splitn(3, ' ').nth(2).unwrap()).unwrap();
            let field = |name: &str| json[name].as_str().unwrap_or_default().to_owned();
            pairs.push((field("url"), field("digest")));
        }
    }
    pairs
}

/// No record id twice in the whole archive.
fn check_record_ids(job: &Path) {
    let mut seen = BTreeSet::new();
    for file in files_in(&job.join("archive"), ".warc.gz") {
        let text = std::process::Command::new("gzip").arg("-dc").arg(&file).output().unwrap().stdout;
        let text = String::from_utf8_lossy(&text);
        for line in text.lines().filter(|line| line.starts_with("WARC-Record-ID: ")) {
            assert!(seen.insert(line.to_owned()), "{line} twice");
        }
    }
    assert!(!seen.is_empty());
}
