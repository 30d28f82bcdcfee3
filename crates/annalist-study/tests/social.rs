//! Social analysis compared with the society of the test web.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed expectation is a failed test")]

mod society;

use std::collections::BTreeSet;

#[test]
fn every_text_of_the_society_is_a_writing_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let world = society::world(300);
    let corpus = society::corpus(dir.path(), &world);
    let ids: BTreeSet<String> = world.truth().said().map(|said| society::id(&said)).collect();
    assert_eq!(ids.len() as u64, corpus.len());
    assert!(corpus.len() > 500);
}
