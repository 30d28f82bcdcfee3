//! `annalist study --model`, from the command line. What needs a program that was built for it runs by `make test-model`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set up its stand has failed")]

mod support;

use std::path::{Path, PathBuf};
use std::time::Duration;

use annalist_testweb::WorldConfig;
use support::{Stand, annalist, assert_exit, finish};

const LIMIT: Duration = Duration::from_secs(300);

fn small() -> Stand {
    let world =
        WorldConfig { society: true, hosts: 4, pages: 60, crawl_delays: 0.0, ..WorldConfig::default() };
    let stand = Stand::new(world);
    assert_exit(&finish(&mut stand.crawl(&stand.helped_spec("")), LIMIT), 0);
    stand
}

/// The small model of the tests, with words of its vocabulary replaced.
fn model_in(dir: &Path, words: &[(&str, &str)]) -> PathBuf {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../annalist-study/tests/model");
    let to = dir.join("tiny");
    std::fs::create_dir_all(&to).unwrap();
    for file in ["model.onnx", "config.json", "tokenizer_config.json"] {
        std::fs::copy(from.join(file), to.join(file)).unwrap();
    }
    let mut vocabulary = std::fs::read_to_string(from.join("vocab.txt")).unwrap();
    words.iter().for_each(|(old, new)| vocabulary = vocabulary.replace(old, new));
    std::fs::write(to.join("vocab.txt"), vocabulary).unwrap();
    to
}

#[test]
fn a_model_that_cannot_be_used_is_told_before_the_study_begins() {
    let stand = small();
    let dir = tempfile::tempdir().unwrap();
    let mut study = annalist();
    study
        .arg("study")
        .arg(stand.job())
        .args(["--only", "entities", "--model"])
        .arg(dir.path().join("nowhere"));
    let output = finish(&mut study, LIMIT);
    assert_exit(&output, 4);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("it has no model.onnx"), "{told}");
    assert!(!stand.job().join("study").exists() && !stand.job().join("knowledge/model").exists());
    if cfg!(not(feature = "model")) {
        let mut study = annalist();
        study.arg("study").arg(stand.job()).arg("--model").arg(model_in(dir.path(), &[]));
        let output = finish(&mut study, LIMIT);
        assert_exit(&output, 4);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains("cargo build --release --features model"), "{told}");
    }
}

#[cfg(feature = "model")]
#[test]
fn what_a_model_finds_is_in_the_graph_with_its_name_and_there_again_after_rebuild() {
    let stand = small();
    let (job, dir) = (stand.job(), tempfile::tempdir().unwrap());
    let people = stand.web.world().truth().people();
    let (first, last) = people.iter().find_map(|person| person.spellings[0].split_once(' ')).unwrap();
    let model = model_in(dir.path(), &[("Zyx", first), ("Qwopp", last)]);
    let mut study = annalist();
    study.arg("study").arg(&job).args(["--only", "entities", "--quiet", "--model"]).arg(&model);
    assert_exit(&finish(&mut study, LIMIT), 0);
    let count = || -> u64 {
        let question = "SELECT (COUNT(*) AS ?n) WHERE { ?a a oa:Annotation ; ann:foundBy \"model:tiny\" }";
        let output = annalist().arg("query").arg(&job).args([question, "--format", "csv"]).output().unwrap();
        assert_exit(&output, 0);
        String::from_utf8_lossy(&output.stdout).lines().nth(1).unwrap().trim().parse().unwrap()
    };
    let before = count();
    assert!(before > 0);
    assert_exit(&finish(annalist().arg("rebuild").arg(&job).arg("--quiet"), LIMIT), 0);
    assert_eq!(count(), before);
    let mut study = annalist();
    study.arg("study").arg(&job).args(["--only", "entities", "--quiet", "--model", "none"]);
    assert_exit(&finish(&mut study, LIMIT), 0);
    assert_eq!(count(), 0);
}
