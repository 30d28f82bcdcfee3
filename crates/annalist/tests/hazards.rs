//! Hostile hosts: the crawl ends, keeps every healthy page, and can say what happened to the rest.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::collections::BTreeSet;
use std::time::Duration;

use annalist_testweb::{Hazard, ServerOptions, WorldConfig};
use support::{
    IMPATIENT, Stand, assert_accepted_by_others, assert_exit, assert_valid, captures, expected, finish,
    json_of, urls,
};

#[test]
fn every_hazard_at_once_costs_no_healthy_page() {
    let config = WorldConfig {
        hosts: 12,
        pages: 120,
        hazards: Hazard::ALL.to_vec(),
        hazard_share: 0.5,
        ..WorldConfig::default()
    };
    let options = ServerOptions { drip: Duration::from_millis(200), ..ServerOptions::default() };
    let stand = Stand::with_options(config, options);
    let spec = stand.spec(IMPATIENT);
    let text = std::fs::read_to_string(&spec).unwrap().replace("tries = 3", "tries = 2");
    let text = lower_site_limit(&text);
    std::fs::write(&spec, text).unwrap();
    let output = finish(&mut stand.crawl(&spec), Duration::from_secs(400));
    assert_exit(&output, 0);
    let captures = captures(&stand.job());
    let missed: BTreeSet<_> = expected(&stand.web).difference(&urls(&captures)).cloned().collect();
    assert!(missed.is_empty(), "{missed:?}");
    assert_valid(&stand.job());
    assert_accepted_by_others(&stand.job());
    let json = json_of(&output);
    assert!(json["truncated"].as_u64().unwrap() > 0, "{json}");
    assert!(json["failed"].as_u64().unwrap() > 0, "{json}");
    assert_eq!(json["queued"], 0);
}

/// The web's own limit for endless sites is generous; a test need not be.
fn lower_site_limit(spec: &str) -> String {
    let lines = spec.lines().map(|line| match line.strip_prefix("site_pages = ") {
        Some(limit) => format!("site_pages = {}", limit.parse::<u64>().unwrap().min(400)),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}
