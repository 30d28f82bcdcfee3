//! Stopping: once to finish, twice at once, from outside, and going on afterwards.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use annalist_testweb::{Hazard, ServerOptions, WorldConfig};
use support::{
    IMPATIENT, Stand, annalist, assert_exit, assert_valid, captures, expected, files_in, finish, json_of,
    urls, wait,
};

/// What the promise allows, and what a busy machine may add.
const STOP: Duration = Duration::from_secs(10 + 10);

fn slow_stand() -> Stand {
    let options = ServerOptions { latency: Duration::from_millis(15), ..ServerOptions::default() };
    let config =
        WorldConfig { hosts: 10, pages: 300, addresses: 4, crawl_delays: 0.0, ..WorldConfig::default() };
    Stand::with_options(config, options)
}

fn started(stand: &Stand) -> Child {
    let spec = stand.spec(IMPATIENT);
    let child = stand.crawl(&spec).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while stand.web.log().entries.len() < 20 {
        assert!(begun.elapsed() < Duration::from_secs(60), "the crawl does not begin");
        std::thread::sleep(Duration::from_millis(10));
    }
    child
}

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn one_interrupt_closes_every_file_and_the_crawl_can_go_on() {
    let stand = slow_stand();
    let child = started(&stand);
    interrupt(&child);
    let output = wait(child, STOP);
    assert_exit(&output, 11);
    assert!(files_in(&stand.job().join("archive"), ".open").is_empty());
    assert_valid(&stand.job());
    assert!(json_of(&output)["queued"].as_u64().unwrap() > 0);

    let output = finish(&mut stand.crawl(&stand.spec(IMPATIENT)), Duration::from_secs(180));
    assert_exit(&output, 0);
    let fetched = captures(&stand.job());
    let missed: Vec<_> = expected(&stand.web).difference(&urls(&fetched)).cloned().collect();
    assert!(missed.is_empty(), "{missed:?}");
    assert_valid(&stand.job());
}

#[test]
fn an_interrupt_does_not_wait_for_a_tarpit() {
    let config = WorldConfig {
        hosts: 4,
        pages: 20,
        hazards: vec![Hazard::Tarpit, Hazard::Silent],
        hazard_share: 0.6,
        ..WorldConfig::default()
    };
    let stand = Stand::new(config);
    let spec = stand.spec("");
    let child = stand.crawl(&spec).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(2));
    interrupt(&child);
    assert_exit(&wait(child, STOP), 11);
    assert_valid(&stand.job());
}

#[test]
fn two_interrupts_stop_at_once_and_the_next_start_repairs() {
    let stand = slow_stand();
    let child = started(&stand);
    interrupt(&child);
    std::thread::sleep(Duration::from_millis(5));
    interrupt(&child);
    let output = wait(child, STOP);
    assert_eq!(output.status.code(), Some(11));
    let output = finish(&mut stand.crawl(&stand.spec(IMPATIENT)), Duration::from_secs(180));
    assert_exit(&output, 0);
    assert_valid(&stand.job());
}

#[test]
fn stop_and_status_work_from_outside() {
    let stand = slow_stand();
    let child = started(&stand);
    let status = annalist().arg("status").arg(stand.job()).arg("--json").output().unwrap();
    assert_exit(&status, 0);
    assert_eq!(json_of(&status)["running"], true);
    assert_exit(&annalist().arg("stop").arg(stand.job()).output().unwrap(), 0);
    assert_exit(&wait(child, STOP), 11);
    let status = annalist().arg("status").arg(stand.job()).arg("--json").output().unwrap();
    assert_eq!(json_of(&status)["running"], false);
    assert_eq!(json_of(&status)["captures"], captures(&stand.job()).len());
}
