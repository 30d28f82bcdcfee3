//! The cockpit in a real browser: Chromium, led by the programs in `browser/`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::path::Path;
use std::time::Duration;

use annalist_testweb::{ServerOptions, WorldConfig};
use support::service::{Service, service};
use support::{IMPATIENT, Stand, python_tool};

/// Runs one of the programs in `browser/` and shows what it says.
fn lead(program: &str, arguments: &[&str]) {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser"));
    let mut command = python_tool("python");
    command.env("PYTHONDONTWRITEBYTECODE", "1").arg(folder.join(program)).args(arguments);
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
    println!("{told}");
}

/// Another name of the service, which the browser takes for this machine (`browser/chrome.py`).
const NAME: &str = "archive.test";

/// Where people find a picture of every view, light and dark.
const SCREENSHOTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/screenshots");

#[test]
fn an_archivist_gets_from_a_blank_root_to_an_archive_with_a_browser() {
    let options = ServerOptions { latency: Duration::from_millis(20), ..ServerOptions::default() };
    let config = WorldConfig {
        society: true,
        hosts: 8,
        pages: 300,
        addresses: 3,
        crawl_delays: 0.0,
        ..WorldConfig::default()
    };
    let stand = Stand::with_options(config, options);
    let topic = "[topic]\nkeywords = [\"pension\", \"austerity\", \"lending\", \"negotiation\"]\nlanguages = [\"en\"]\n";
    let spec = stand.helped_spec(&format!("{topic}{IMPATIENT}"));
    let root = stand.dir.path().join("root");
    let service = Service::start_as(service(&root).args(["--host", NAME]));
    lead("journeys.py", &[&service.address, &service.replay, &spec.display().to_string(), SCREENSHOTS]);
}

#[test]
fn who_has_a_page_open_is_told_that_the_service_is_away_and_back() {
    let config = WorldConfig { hosts: 2, pages: 20, crawl_delays: 0.0, ..WorldConfig::default() };
    let stand = Stand::new(config);
    let spec = stand.spec(IMPATIENT);
    lead("comings.py", &[env!("CARGO_BIN_EXE_annalist"), &spec.display().to_string()]);
}

#[test]
fn what_stands_around_a_frame_is_of_the_page_that_is_seen_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    let service = Service::start(&root);
    lead("frames.py", &[&service.address, &service.replay, &root.display().to_string()]);
}

/// `ANNALIST_COCKPIT=whole`: with all that takes long.
#[test]
fn a_thousand_strings_that_mean_harm_are_text_in_every_view() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    let service = Service::start(&root);
    let root = root.display().to_string();
    let mut arguments = vec![service.address.as_str(), &service.replay, &root];
    arguments.extend(std::env::var_os("ANNALIST_COCKPIT").map(|_| "whole"));
    lead("hostile.py", &arguments);
}
