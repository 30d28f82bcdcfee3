//! Replayed by somebody else's tool: pywb serves the job directory and a page comes back byte for byte.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::time::Duration;

use annalist_testweb::WorldConfig;
use support::pywb::replayed_as_live;
use support::{IMPATIENT, Stand, assert_exit, finish};

#[test]
fn pywb_gives_a_page_back_byte_for_byte() {
    // Plain bodies: pywb decodes content codings before it answers.
    let config = WorldConfig { hosts: 4, pages: 40, gzip: 0.0, chunked: 0.3, ..WorldConfig::default() };
    let stand = Stand::new(config);
    assert_exit(&finish(&mut stand.crawl(&stand.spec(IMPATIENT)), Duration::from_secs(120)), 0);

    assert!(replayed_as_live(&stand, stand.dir.path(), "job") >= 5);
}
