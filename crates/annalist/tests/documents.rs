//! The documents say what the program does.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that cannot set up its stand has failed, and may say how far it got"
)]

mod support;

use std::path::Path;

use support::{annalist, assert_exit};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

#[test]
fn every_key_of_a_spec_is_documented() {
    let listed = annalist().args(["check", "--keys"]).output().unwrap();
    let table = String::from_utf8(listed.stdout).unwrap();
    let document = std::fs::read_to_string(root().join("docs/spec.md")).unwrap();
    assert!(table.lines().count() > 50);
    assert!(document.ends_with(&table), "docs/spec.md is out of date: end it with `annalist check --keys`");
}

#[test]
fn every_example_spec_is_good() {
    for entry in std::fs::read_dir(root().join("specs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            assert_exit(&annalist().arg("check").arg(&path).output().unwrap(), 0);
        }
    }
}

#[test]
fn a_checked_spec_is_the_same_when_it_is_checked_again() {
    let first = annalist().arg("check").arg(root().join("specs/many-seeds.toml")).output().unwrap();
    assert_exit(&first, 0);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("effective.toml");
    std::fs::write(&path, &first.stdout).unwrap();
    let second = annalist().arg("check").arg(&path).output().unwrap();
    assert_exit(&second, 0);
    assert_eq!(first.stdout, second.stdout);
}
