//! What people type wrong, and what they are told.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::time::Duration;

use annalist_testweb::WorldConfig;
use support::{Stand, annalist, assert_exit, files_in, finish, json_of};

const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn every_mistake_of_a_spec_is_told_at_once_and_nothing_is_fetched() {
    let stand = Stand::new(WorldConfig::default());
    let spec = stand.spec("[limits]\npags = 5\n[scope]\ninclude = ['host.endWith(\".gr\")', 'depth <=']\n");
    let output = finish(&mut stand.crawl(&spec), LIMIT);
    assert_exit(&output, 4);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("limits.pags") && told.contains("pages"), "{told}");
    assert!(told.contains("scope.include[0]") && told.contains("scope.include[1]"), "{told}");
    assert!(told.contains("line "), "{told}");
    assert!(stand.web.log().entries.is_empty());
    assert!(!stand.job().exists());
}

#[test]
fn a_check_and_a_dry_run_answer_in_json_too() {
    let dir = tempfile::tempdir().unwrap();
    let (good, bad) = (dir.path().join("good.toml"), dir.path().join("bad.toml"));
    std::fs::write(&good, "name = \"x\"\n[[seed]]\nurl = \"http://a.test/\"\n").unwrap();
    std::fs::write(&bad, "name = \"x\"\n[[seed]]\nurl = \"mailto:x\"\n[limits]\npags = 1\n").unwrap();
    let output = annalist().arg("check").arg(&good).arg("--json").output().unwrap();
    assert_exit(&output, 0);
    let json = json_of(&output);
    assert_eq!((&json["good"], &json["seeds"]), (&true.into(), &1.into()), "{json}");
    let output = annalist().arg("check").arg(&bad).arg("--json").output().unwrap();
    assert_exit(&output, 4);
    let json = json_of(&output);
    assert_eq!(json["mistakes"][1]["line"], 5, "{json}");
    assert_eq!(json["mistakes"][1]["key"], "limits.pags", "{json}");
    let output = annalist()
        .args(["crawl", "--dry-run", "--json", "--contact", "https://me.example/", "--job", "nowhere"])
        .arg(&good)
        .output()
        .unwrap();
    assert_exit(&output, 0);
    let json = json_of(&output);
    for field in "captures responses bytes failed skipped queued relevant harvest_ratio mean_score seconds \
                  cpu_seconds peak_rss_bytes job"
        .split_whitespace()
    {
        assert!(json.get(field).is_some(), "{field} is missing: {json}");
    }
    assert_eq!((&json["state"], &json["seeds"][0]), (&"dry-run".into(), &"http://a.test/".into()));
}

#[test]
fn a_mistyped_command_is_bad_configuration_and_help_is_not() {
    assert_exit(&annalist().args(["crawl", "--limit", "many"]).output().unwrap(), 4);
    assert_exit(&annalist().arg("frobnicate").output().unwrap(), 4);
    assert_exit(&annalist().arg("--help").output().unwrap(), 0);
}

#[test]
fn there_is_no_page_of_results_before_the_first() {
    let output = annalist().args(["search", ".", "fire", "--page", "0"]).output().unwrap();
    assert_exit(&output, 4);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("--page"), "{told}");
}

#[test]
fn an_example_that_keeps_json_in_a_file_keeps_nothing_else_in_it() {
    let help = annalist().args(["study", "--help"]).output().unwrap();
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let kept: Vec<&str> = help.lines().filter(|line| line.contains("--json >")).collect();
    assert!(!kept.is_empty() && kept.iter().all(|line| line.contains("--quiet")), "{kept:?}");
}

#[test]
fn a_spec_that_is_not_there_is_bad_configuration() {
    let output = annalist().args(["crawl", "no-such.toml"]).output().unwrap();
    assert_exit(&output, 4);
    assert!(String::from_utf8_lossy(&output.stderr).contains("no-such.toml"));
}

#[test]
fn the_live_web_is_not_crawled_without_a_contact() {
    let dir = tempfile::tempdir().unwrap();
    let job = dir.path().join("job");
    let output =
        annalist().args(["crawl", "--url", "http://www.example.org/", "--job"]).arg(&job).output().unwrap();
    assert_exit(&output, 4);
    assert!(String::from_utf8_lossy(&output.stderr).contains("contact"));
    assert!(!job.exists());
}

#[test]
fn a_dead_seed_ends_the_crawl_with_a_reason() {
    let dir = tempfile::tempdir().unwrap();
    let spec = dir.path().join("dead.toml");
    let text = "name = \"dead\"\n[[seed]]\nurl = \"http://dead.test/\"\n[politeness]\nmin_delay = \"0s\"\n[fetch]\ntries = 2\n\
        retry_delay = \"50ms\"\n[network]\nallow = [\"127.0.0.0/8\"]\n[network.resolve]\n\"dead.test\" = \"127.0.0.1:9\"\n";
    std::fs::write(&spec, text).unwrap();
    let job = dir.path().join("job");
    let output =
        finish(annalist().arg("crawl").arg(&spec).arg("--job").arg(&job).args(["--json", "--quiet"]), LIMIT);
    assert_exit(&output, 9);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("nothing was captured; http://dead.test/: not fetched: failed (connect"), "{told}");
    assert_eq!(json_of(&output)["failed"], 1);
    let log = std::fs::read_to_string(job.join("logs/crawl.log")).unwrap();
    assert!(log.contains(" -2 "), "{log}");
    let archive = files_in(&job.join("archive"), ".warc.gz");
    let records = std::process::Command::new("gzip").arg("-dc").args(&archive).output().unwrap().stdout;
    let records = String::from_utf8_lossy(&records);
    assert!(
        records.contains("WARC-Type: metadata") && records.contains("error: connect failed"),
        "{records}"
    );
    let told = annalist().arg("explain").arg(&job).arg("http://dead.test/").output().unwrap();
    assert!(String::from_utf8_lossy(&told.stdout).contains("connect failed"), "{told:?}");
}

#[test]
fn a_place_that_cannot_be_used_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a-file");
    std::fs::write(&file, "").unwrap();
    let mut crawl = annalist();
    crawl.args(["crawl", "--url", "http://127.0.0.1:9/", "--allow", "127.0.0.1", "--job"]).arg(&file);
    let output = crawl.output().unwrap();
    assert_exit(&output, 9);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("a-file: the job directory cannot be made: Not a directory"), "{told}");
    let output = annalist().arg("verify").arg(dir.path().join("no-such.warc.gz")).output().unwrap();
    assert_exit(&output, 4);
    assert!(String::from_utf8_lossy(&output.stderr).contains("no-such.warc.gz does not exist"));
}

#[test]
fn a_loopback_address_is_refused_unless_it_is_allowed() {
    let stand = Stand::new(WorldConfig::default());
    let spec = stand.spec("");
    let text = std::fs::read_to_string(&spec).unwrap().replace("allow = [\"127.0.0.0/8\"]", "allow = []");
    std::fs::write(&spec, text).unwrap();
    let output = finish(&mut stand.crawl(&spec), LIMIT);
    assert_exit(&output, 9);
    let json = json_of(&output);
    assert_eq!(json["captures"], 0);
    assert!(json["skipped_by_reason"]["address"].as_u64().unwrap() > 0);
    assert!(stand.web.log().entries.is_empty());
}

#[test]
fn a_second_process_is_kept_out_of_a_job() {
    let stand = Stand::new(WorldConfig::default());
    let spec = stand.spec("[limits]\npages = 5\n");
    assert_exit(&finish(&mut stand.crawl(&spec), LIMIT), 0);
    let locks =
        ["lock", "crawling"].map(|name| std::fs::File::open(stand.job().join("state").join(name)).unwrap());
    locks.iter().for_each(|lock| lock.lock().unwrap());
    let output = finish(&mut stand.crawl(&spec), LIMIT);
    assert_exit(&output, 9);
    assert!(String::from_utf8_lossy(&output.stderr).contains("in use"));
}
